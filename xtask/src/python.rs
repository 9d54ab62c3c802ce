//! `cargo xtask python`: the Python package, built and tested in an environment of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::archive::{Archive, Format};
use crate::files::{of_file, remove_folder};
use crate::python_environment::{Package, interpreter, pip_install};
use crate::{licences, output, run};

/// What the build and the tests need of the Python Package Index, and why.
const PACKAGES: [Package; 7] = [
    ("maturin==1.16.0", "builds the wheel"),
    ("numpy==2.4.6", "observations and masks"),
    (
        "gymnasium==1.4.0",
        "the spaces of PettingZoo's environments",
    ),
    ("pettingzoo==1.27.0", "its own tests of environments"),
    ("open_spiel==2.0.2", "rules to compare with"),
    ("pytest==9.2.0", "runs the tests"),
    ("mypy==2.4.1", "checks the types"),
];

/// Where they are installed.
const ENVIRONMENT: &str = "target/python/environment";

/// The crate of the package, below the workspace.
const CRATE: &str = "crates/open_ttt_python";

/// Builds and installs the package, and runs its tests.
pub(crate) fn test(root: &Path, cargo: &str) -> Result<(), String> {
    let python = interpreter(root, ENVIRONMENT, &PACKAGES)?;
    let wheels = root.join("target/python/wheels");
    build(root, cargo, &python, &wheels, &["--profile", "release"])?;
    let mut install = pip_install(&python);
    install.args(["--force-reinstall", "--no-deps"]);
    run(install.arg(only(&wheels, "whl")?))?;
    let mut tests = Command::new(&python);
    run(tests
        .args(["-m", "pytest", "--quiet"])
        .current_dir(root.join(CRATE)))
}

/// Builds what is released, and says where it is.
pub(crate) fn release(root: &Path, cargo: &str) -> Result<(), String> {
    let python = interpreter(root, ENVIRONMENT, &PACKAGES)?;
    let folder = root.join("target/python/dist");
    build(root, cargo, &python, &folder, &["--profile", "dist"])?;
    // Apart: building the wheel from it would need a lock file of the packages in it.
    let mut sources = Command::new(&python);
    sources.args(["-m", "maturin", "sdist", "--out"]);
    sources.arg(&folder).env("CARGO", cargo);
    run(sources.current_dir(root.join(CRATE)))?;
    complete(root, cargo, &only(&folder, "gz")?)?;
    println!("xtask: {}", only(&folder, "whl")?.display());
    println!("xtask: {}", only(&folder, "gz")?.display());
    Ok(())
}

/// Adds to the archive of the sources what maturin leaves out of it: the crates that the
/// workspace has in place of others, without which cargo refuses to read the rest.
fn complete(root: &Path, cargo: &str, sources: &Path) -> Result<(), String> {
    let folder = sources.parent().unwrap_or(root);
    let name = sources.file_name().unwrap_or_default().to_string_lossy();
    let mut unpack = Command::new("tar");
    run(unpack.arg("-xzf").arg(sources).arg("-C").arg(folder))?;
    let archive = Archive::new(folder, name.trim_end_matches(".tar.gz"))?;
    archive.add(&root.join("patches"))?;
    let mut read = Command::new(cargo);
    read.args(["metadata", "--quiet", "--format-version", "1"]);
    output(read.current_dir(archive.folder()))?;
    archive.pack(Format::TarGz).map(|_| ())
}

/// Builds the package into an empty folder.
fn build(
    root: &Path,
    cargo: &str,
    python: &Path,
    folder: &Path,
    options: &[&str],
) -> Result<(), String> {
    remove_folder(folder)?;
    let package = root.join(CRATE);
    licences::write(root, cargo, "open_ttt_python", &[], &[], &package)?;
    let mut build = Command::new(python);
    build.args([
        "-m",
        "maturin",
        "build",
        "--quiet",
        "--locked",
        "--interpreter",
    ]);
    build.arg(python).arg("--out").arg(folder).args(options);
    run(build.env("CARGO", cargo).current_dir(package))
}

/// The file with this extension.
fn only(folder: &Path, extension: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(of_file(folder))?;
    let mut files = entries.filter_map(Result::ok).map(|entry| entry.path());
    files
        .find(|path| path.extension().is_some_and(|found| found == extension))
        .ok_or_else(|| format!("{} has no file .{extension}", folder.display()))
}
