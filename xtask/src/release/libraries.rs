//! What programs are built with: crates, the library for C, and the book about them.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::Release;
use crate::archive::{Archive, Format};
use crate::files::of_file;
use crate::licences::LICENCES;
use crate::{build_messages, guide, package, run};

impl Release<'_> {
    /// Packs the crates, as a registry takes them.
    pub(super) fn pack_crates(&self) -> Result<(), String> {
        for package in package::check(&self.source, self.cargo, &self.version.to_string())? {
            let name = package.file_name().unwrap_or_default();
            fs::copy(&package, self.folder.join(name)).map_err(of_file(&package))?;
        }
        Ok(())
    }

    /// Builds the library for C, and packs it with its header and example.
    pub(super) fn build_c_library(&self) -> Result<(), String> {
        let mut build = Command::new(self.cargo);
        build.args(["build", "--profile", "dist", "--package", "open_ttt_c"]);
        let messages = build_messages(build.arg("--locked").current_dir(&self.source))?;
        let name = format!("open_ttt_c-{}-x86_64-linux", self.version);
        let archive = Archive::new(&self.folder, &name)?;
        for name in ["libopen_ttt_c.a", "libopen_ttt_c.so"] {
            let file = built(&messages, name);
            archive.add(&file.ok_or_else(|| format!("cargo does not say where {name} is"))?)?;
        }
        for file in ["README.md", "include", "examples"] {
            archive.add(&self.source.join("crates/open_ttt_c").join(file))?;
        }
        for file in ["LICENSE", "CHANGELOG.md"] {
            archive.add(&self.source.join(file))?;
        }
        archive.add(&self.folder.join(LICENCES))?;
        // As its README says: a stranger has nothing but the archive.
        let program = self.folder.join("perfect");
        let mut compile = Command::new("cc");
        compile.args(["-std=c99", "-Iinclude", "examples/perfect.c"]);
        compile.args(["libopen_ttt_c.a", "-lm", "-lpthread", "-ldl", "-o"]);
        run(compile.arg(&program).current_dir(archive.folder()))?;
        run(&mut Command::new(&program))?;
        fs::remove_file(&program).map_err(of_file(&program))?;
        archive.pack(Format::TarGz).map(|_| ())
    }

    /// Builds and packs the book.
    pub(super) fn build_book(&self) -> Result<(), String> {
        guide::build(&self.source, self.cargo)?;
        let archive = Archive::new(&self.folder, &format!("open_ttt-{}-book", self.version))?;
        archive.add(&self.source.join("target/book/."))?;
        archive.pack(Format::TarGz).map(|_| ())
    }
}

/// The path of a file that a build has made, in what cargo says about it. Settings and variables
/// may have cargo build elsewhere than in the target folder, where an older file may lie.
fn built(messages: &str, name: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["filenames"].as_array().cloned()
    });
    let files = messages.flatten();
    let mut files = files.filter_map(|file| Some(PathBuf::from(file.as_str()?)));
    files.find(|file| file.file_name().is_some_and(|found| found == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_taken_from_where_cargo_has_built_it() {
        let messages = r#"
            {"reason":"compiler-artifact","filenames":["/other/dist/libopen_ttt_lib.rlib"]}
            {"reason":"compiler-artifact","filenames":["/other/dist/libc.a","/other/dist/libc.so"]}
            {"reason":"build-finished","success":true}"#;
        assert_eq!(
            built(messages, "libc.so"),
            Some("/other/dist/libc.so".into())
        );
        assert_eq!(built(messages, "libc.rlib"), None);
    }
}
