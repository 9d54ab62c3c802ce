//! Commands of cargo from the registry, installed once into `target/tools/cargo`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run;

/// A command that comes as a crate.
pub(crate) struct CargoTool {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// Features of the crate, with commas.
    pub(crate) features: &'static str,
    /// What it does, as in "which PURPOSE".
    pub(crate) purpose: &'static str,
}

impl CargoTool {
    /// The path of the program, which is built and installed if it is missing.
    pub(crate) fn install(&self, root: &Path, cargo: &str) -> Result<PathBuf, String> {
        let (name, version, purpose) = (self.name, self.version, self.purpose);
        let folder = root.join("target/tools/cargo");
        let program = folder.join("bin").join(name);
        // Cargo keeps the list of what it has installed in a folder.
        let list = fs::read_to_string(folder.join(".crates.toml")).unwrap_or_default();
        if program.is_file() && list.contains(&format!("\"{name} {version} ")) {
            return Ok(program);
        }
        println!("xtask: installing {name} {version} from the registry, which {purpose}");
        let mut install = Command::new(cargo);
        install.args(["install", "--locked", "--quiet", "--root"]);
        install.arg(&folder).args(["--features", self.features]);
        install.arg(format!("{name}@{version}"));
        // They are used once or twice, and take minutes to optimize.
        install.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
        install.env("CARGO_PROFILE_RELEASE_LTO", "off");
        install.env("CARGO_TARGET_DIR", root.join("target/tools/build"));
        run(install.current_dir(root))?;
        Ok(program)
    }
}
