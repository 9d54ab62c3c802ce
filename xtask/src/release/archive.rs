//! Archives of files that don't depend on when or by whom they were made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::of_file;
use crate::run;

/// How files are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    TarGz,
    Zip,
}

/// A folder that becomes an archive with the folder's name.
pub(super) struct Archive {
    folder: PathBuf,
}

impl Archive {
    /// An empty archive with this name, below a folder.
    pub(super) fn new(parent: &Path, name: &str) -> Result<Self, String> {
        let folder = parent.join(name);
        fs::create_dir_all(&folder).map_err(of_file(&folder))?;
        Ok(Self { folder })
    }

    /// Where its files are until it is packed.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a file, or a folder with all that is in it, under its own name.
    pub(super) fn add(&self, path: &Path) -> Result<(), String> {
        let mut copy = Command::new("cp");
        // As links they would lead nowhere.
        copy.args(["--recursive", "--dereference"]);
        run(copy.arg(path).arg(&self.folder))
    }

    /// Writes the archive beside its folder, which is removed.
    pub(super) fn pack(self, format: Format) -> Result<PathBuf, String> {
        let name = self.folder.file_name().unwrap_or_default();
        let parent = self.folder.parent().unwrap_or(Path::new("."));
        let mut file = self.folder.clone().into_os_string();
        let mut pack = match format {
            Format::TarGz => {
                file.push(".tar.gz");
                let mut tar = Command::new("tar");
                tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
                tar.args(["--mtime=@0", "--gzip", "--create", "--file"]);
                tar.arg(&file).env("GZIP", "-9n");
                tar
            }
            Format::Zip => {
                file.push(".zip");
                let mut zip = Command::new("python3");
                zip.args(["-m", "zipfile", "--create"]).arg(&file);
                zip
            }
        };
        run(pack.arg(name).current_dir(parent))?;
        fs::remove_dir_all(&self.folder).map_err(of_file(&self.folder))?;
        Ok(file.into())
    }
}
