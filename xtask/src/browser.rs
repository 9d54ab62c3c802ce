use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// The variable by which the tests are told which program drives browsers.
pub(crate) const VARIABLE: &str = "OPEN_TTT_CHROMEDRIVER";

const PROGRAM: &str = "chromedriver";
/// Debian's packages of a browser and of what drives it.
const PACKAGES: [&str; 2] = ["chromium", "chromium-driver"];

/// The program that drives browsers; installed first, if it is missing and this
/// is a system that can.
pub(crate) fn driver() -> Result<OsString, String> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Ok(named);
    }
    if let Some(found) = found() {
        return Ok(found.into());
    }
    println!("xtask: no {PROGRAM} here; the tests of the page need a browser");
    apt(&["update"])?;
    let mut install = vec!["install", "--yes", "--no-install-recommends"];
    install.extend(PACKAGES);
    apt(&install)?;
    found()
        .map(Into::into)
        .ok_or_else(|| format!("there is no {PROGRAM} even now; name one in {VARIABLE}"))
}

fn found() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut places = env::split_paths(&path).map(|folder| folder.join(PROGRAM));
    places.find(|place| place.is_file())
}

/// Runs Debian's package manager, which only root may: others are told what to
/// do.
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
            "apt-get cannot be started ({error}); install chromium and chromedriver, \
             or name the latter in {VARIABLE}"
        )),
    }
}
