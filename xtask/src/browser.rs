use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// The environment variable with the path of the browser driver.
pub(crate) const VARIABLE: &str = "OPEN_TTT_CHROMEDRIVER";

const PROGRAM: &str = "chromedriver";
/// Debian's packages of a browser and its driver.
const PACKAGES: [&str; 2] = ["chromium", "chromium-driver"];

/// The browser driver; installed first if it is missing and apt-get is available.
pub(crate) fn driver() -> Result<OsString, String> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Ok(named);
    }
    if let Some(found) = found() {
        return Ok(found.into());
    }
    println!("xtask: {PROGRAM} is missing; the tests of the page need a browser");
    apt(&["update"])?;
    let mut install = vec!["install", "--yes", "--no-install-recommends"];
    install.extend(PACKAGES);
    apt(&install)?;
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
fn apt(arguments: &[&str]) -> Result<(), String> {
    let line = format!("apt-get {}", arguments.join(" "));
    println!("xtask: {line}");
    let status = Command::new("apt-get")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("`{line}` failed; it may need root")),
        Err(error) => Err(format!(
            "cannot start apt-get ({error}); install chromium and chromedriver, or set \
             {VARIABLE} to the path of the latter"
        )),
    }
}
