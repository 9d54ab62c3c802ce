//! What a release says about itself: licences, the bill of materials, checksums.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{Release, files, programs};
use crate::cargo_tool::CargoTool;
use crate::files::of_file;
use crate::{licences, output, run};

const CHECKSUMS: &str = "SHA256SUMS";

const DENY: CargoTool = CargoTool {
    name: "cargo-deny",
    version: "0.20.2",
    features: "",
    purpose: "checks licences, sources and security advisories",
};
const CYCLONEDX: CargoTool = CargoTool {
    name: "cargo-cyclonedx",
    version: "0.5.9",
    features: "",
    purpose: "writes the bill of materials",
};

/// Where cargo-deny takes security advisories from.
const ADVISORIES: &str = "https://github.com/RustSec/advisory-db";

/// The security advisories by which crates are checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Advisories {
    /// None.
    Unchecked,
    /// The newest ones, fetched.
    Newest,
    /// Those in a clone of their repository, in this folder.
    Clone(PathBuf),
}

impl Release<'_> {
    /// Checks the crates from outside: licences, where they come from, and advisories.
    pub(super) fn check_dependencies(&self, advisories: &Advisories) -> Result<(), String> {
        let deny = DENY.install(&self.source, self.cargo)?;
        let mut check = Command::new(deny);
        check.args(["--locked", "check", "licenses", "bans", "sources"]);
        match advisories {
            Advisories::Unchecked => println!("xtask: security advisories aren't checked"),
            Advisories::Newest => {
                check.arg("advisories");
            }
            Advisories::Clone(folder) => {
                let folder = folder.canonicalize().map_err(of_file(folder))?;
                let key = format!("url.file://{}.insteadOf", folder.display());
                check.arg("advisories").env("GIT_CONFIG_COUNT", "1");
                check.env("GIT_CONFIG_KEY_0", key);
                check.env("GIT_CONFIG_VALUE_0", ADVISORIES);
            }
        }
        run(check.current_dir(&self.source))
    }

    /// Writes the licences of all crates from outside that the program contains, and its bill of
    /// materials.
    pub(super) fn write_inventory(&self) -> Result<(), String> {
        let targets = programs::targets();
        let (source, folder) = (&self.source, &self.folder);
        licences::write(source, self.cargo, "open_ttt", &[], &targets, folder)?;

        let cyclonedx = CYCLONEDX.install(&self.source, self.cargo)?;
        let name = format!("open_ttt-{}.cdx", self.version);
        let mut bill = Command::new(cyclonedx);
        bill.args(["cyclonedx", "--format", "json", "--spec-version", "1.5"]);
        bill.args(["--target", "all", "--quiet"]);
        bill.args(["--manifest-path", "crates/open_ttt/Cargo.toml"]);
        bill.args(["--override-filename", &name]);
        let mut date = Command::new("git");
        date.args(["log", "-1", "--format=%ct"]);
        let date = output(date.current_dir(&self.source))?;
        bill.env("SOURCE_DATE_EPOCH", date.trim());
        run(bill.current_dir(&self.source))?;
        self.take_bill(&format!("{name}.json"))
    }

    /// Moves the bill of materials from where the tool puts it: beside the manifest of each
    /// crate. It says where they lie on this machine, which is nobody's business.
    fn take_bill(&self, name: &str) -> Result<(), String> {
        let crates = self.source.join("crates");
        let of_program = crates.join("open_ttt").join(name);
        let bill = fs::read_to_string(&of_program).map_err(of_file(&of_program))?;
        let here = self.source.display().to_string();
        let bill = bill.replace(&format!("{here}/"), "").replace(&here, "");
        let place = self.folder.join(name);
        fs::write(&place, bill).map_err(of_file(&place))?;
        let mut folders = vec![self.source.join("xtask")];
        for entry in fs::read_dir(&crates).map_err(of_file(&crates))? {
            folders.push(entry.map_err(of_file(&crates))?.path());
        }
        for bill in folders.iter().map(|folder| folder.join(name)) {
            if bill.is_file() {
                fs::remove_file(&bill).map_err(of_file(&bill))?;
            }
        }
        Ok(())
    }

    /// Writes the checksums of all files, as `sha256sum --check` reads them.
    pub(super) fn write_checksums(&self) -> Result<(), String> {
        let names: Vec<String> = files(&self.folder)?
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let mut sums = Command::new("sha256sum");
        let sums = output(sums.arg("--").args(&names).current_dir(&self.folder))?;
        let place = self.folder.join(CHECKSUMS);
        fs::write(&place, sums).map_err(of_file(&place))
    }
}
