//! Environments of Python, with packages of the Python Package Index.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::of_file;
use crate::run;

/// A package with its version, and what it is for.
pub(crate) type Package = (&'static str, &'static str);

/// The interpreter of the environment in a folder of the workspace, which is made if it is
/// missing or has other packages than these.
pub(crate) fn interpreter(
    root: &Path,
    folder: &str,
    packages: &[Package],
) -> Result<PathBuf, String> {
    let environment = root.join(folder);
    let programs = if cfg!(windows) { "Scripts" } else { "bin" };
    let python = environment.join(programs).join("python");
    let names: Vec<&str> = packages.iter().map(|(package, _)| *package).collect();
    let wanted = names.join("\n");
    let installed = environment.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    println!("xtask: making a Python environment in {folder}");
    let mut make = Command::new("python3");
    run(make.args(["-m", "venv", "--clear"]).arg(&environment))?;
    println!("xtask: fetching from the Python Package Index:");
    for (package, purpose) in packages {
        println!("xtask:   {package}, {purpose}");
    }
    let mut install = pip_install(&python);
    run(install.args(["--only-binary", ":all:"]).args(names))?;
    // Last, so that the environment is complete whenever the file exists.
    fs::write(&installed, wanted).map_err(of_file(&installed))?;
    Ok(python)
}

/// A command that installs what follows into an interpreter's environment.
pub(crate) fn pip_install(python: &Path) -> Command {
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet"]);
    install.arg("--disable-pip-version-check");
    install
}
