use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::run;

/// The environment variable with the path of the browser driver.
pub(crate) const VARIABLE: &str = "OPEN_TTT_CHROMEDRIVER";

const PROGRAM: &str = "chromedriver";

/// The browser driver; installed first if it is missing and apt-get is available.
pub(crate) fn driver() -> Result<OsString, String> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Ok(named);
    }
    if let Some(found) = found() {
        return Ok(found.into());
    }
    println!("xtask: {PROGRAM} is missing; the tests of the page need a browser");
    apt("update")?;
    apt("install --yes --no-install-recommends chromium chromium-driver")?;
    found()
        .map(Into::into)
        .ok_or_else(|| format!("{PROGRAM} is still missing; set {VARIABLE} to its path"))
}

fn found() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut places = env::split_paths(&path).map(|folder| folder.join(PROGRAM));
    places.find(|place| place.is_file())
}

/// Runs Debian's package manager, which needs root.
fn apt(arguments: &str) -> Result<(), String> {
    println!("xtask: apt-get {arguments}");
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    run(apt.args(arguments.split(' '))).map_err(|error| {
        format!("{error}; install {PROGRAM} as root, or set {VARIABLE} to its path")
    })
}
