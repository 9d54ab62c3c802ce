//! Archives of files that don't depend on when or by whom they were made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::of_file;
use crate::run;

/// How files are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    TarGz,
    Zip,
}

/// A folder that becomes an archive with the folder's name.
pub(crate) struct Archive {
    folder: PathBuf,
}

impl Archive {
    /// An empty archive with this name, below a folder.
    pub(crate) fn new(parent: &Path, name: &str) -> Result<Self, String> {
        let folder = parent.join(name);
        fs::create_dir_all(&folder).map_err(of_file(&folder))?;
        Ok(Self { folder })
    }

    /// Where its files are until it is packed.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds a file, or a folder with all that is in it, under its own name.
    pub(crate) fn add(&self, path: &Path) -> Result<(), String> {
        let mut copy = Command::new("cp");
        // As links they would lead nowhere.
        copy.args(["--recursive", "--dereference"]);
        run(copy.arg(path).arg(&self.folder))
    }

    /// Writes the archive beside its folder, which is removed.
    pub(crate) fn pack(self, format: Format) -> Result<PathBuf, String> {
        let name = self.folder.file_name().unwrap_or_default();
        let parent = self.folder.parent().unwrap_or(Path::new("."));
        let mut file = self.folder.clone().into_os_string();
        let mut pack = match format {
            Format::TarGz => {
                file.push(".tar.gz");
                let mut tar = Command::new("tar");
                tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
                // Without the name and the time that gzip would note.
                tar.args(["--mtime=@0", "--use-compress-program=gzip -9n"]);
                tar.args(["--create", "--file"]).arg(&file);
                tar
            }
            Format::Zip => {
                file.push(".zip");
                // An archive of this format notes local times, from 1980 on.
                let mut date = Command::new("find");
                date.arg(&self.folder).args(["-exec", "touch", "--date"]);
                run(date.args(["1980-01-02 00:00 UTC", "{}", "+"]))?;
                let mut zip = Command::new("python3");
                zip.args(["-m", "zipfile", "--create"]).arg(&file);
                zip.env("TZ", "UTC");
                zip
            }
        };
        run(pack.arg(name).current_dir(parent))?;
        fs::remove_dir_all(&self.folder).map_err(of_file(&self.folder))?;
        Ok(file.into())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};
    use std::time::{Duration, SystemTime};
    use std::{env, process};

    use super::*;

    /// An archive of two files that were written at a time, in an order.
    fn archive(format: Format, written: SystemTime, names: [&str; 2]) -> Vec<u8> {
        let folder = env::temp_dir().join(format!("open_ttt_archive_{}", process::id()));
        let archive = Archive::new(&folder, "name").expect("a folder");
        for name in names {
            let file = File::create(archive.folder().join(name)).expect("a file");
            let times = FileTimes::new().set_modified(written);
            file.set_times(times).expect("its time");
        }
        let bytes = fs::read(archive.pack(format).expect("an archive"));
        fs::remove_dir_all(folder).expect("removed");
        bytes.expect("its bytes")
    }

    #[test]
    fn archives_are_the_same_whenever_they_are_made() {
        let today = SystemTime::now();
        let long_ago = today - Duration::from_hours(10_000);
        for format in [Format::TarGz, Format::Zip] {
            let one = archive(format, today, ["a", "b"]);
            let other = archive(format, long_ago, ["b", "a"]);
            assert!(one == other, "{format:?}");
        }
    }
}
