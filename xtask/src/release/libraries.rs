//! What programs are built with: crates, the library for C, and the book about them.

use std::fs;
use std::process::Command;

use super::Release;
use crate::archive::{Archive, Format};
use crate::files::of_file;
use crate::{guide, package, run};

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
        run(build.arg("--locked").current_dir(&self.source))?;
        let name = format!("open_ttt_c-{}-x86_64-linux", self.version);
        let archive = Archive::new(&self.folder, &name)?;
        for file in ["libopen_ttt_c.a", "libopen_ttt_c.so"] {
            archive.add(&self.source.join("target/dist").join(file))?;
        }
        for file in ["README.md", "include", "examples"] {
            archive.add(&self.source.join("crates/open_ttt_c").join(file))?;
        }
        for file in ["LICENSE", "CHANGELOG.md"] {
            archive.add(&self.source.join(file))?;
        }
        archive.add(&self.folder.join(super::inventory::LICENCES))?;
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
