//! Compilers for other platforms, with their standard libraries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian;
use crate::files::{of_file, remove_folder, write};
use crate::{output, run};

/// A compiler that has the standard library of a target.
pub(super) struct Toolchain {
    root: PathBuf,
    cargo: PathBuf,
    target: &'static str,
    /// Debian's compiler, with a standard library that was built from its sources.
    built: Option<Built>,
}

struct Built {
    rustc: PathBuf,
    sysroot: PathBuf,
}

impl Toolchain {
    /// The toolchain that runs this program, if it has the target (`rustup target add` adds
    /// it). Otherwise Debian's compiler, which is installed with the sources of its standard
    /// library; that is then built once, into the target folder. `packages` are what the
    /// platform needs from Debian besides, as a list of dependencies.
    pub(super) fn install(
        root: &Path,
        cargo: &str,
        target: &'static str,
        packages: &str,
    ) -> Result<Self, String> {
        if !has_target(Path::new("rustc"), target) {
            return Self::build(root, target, packages);
        }
        if !packages.is_empty() {
            debian::install(packages, &folder(root)?)?;
        }
        Ok(Self {
            root: root.to_owned(),
            cargo: cargo.into(),
            target,
            built: None,
        })
    }

    /// Debian's compiler in any case: for WebAssembly, whose standard library has to be built to
    /// be small.
    pub(super) fn build(root: &Path, target: &'static str, packages: &str) -> Result<Self, String> {
        let folder = folder(root)?;
        let compiler = "rustc-web, cargo-web, rust-web-src";
        let needed = match packages {
            "" => compiler.to_owned(),
            packages => format!("{compiler}, {packages}"),
        };
        debian::install(&needed, &folder)?;
        Ok(Self {
            root: root.to_owned(),
            cargo: "/usr/bin/cargo".into(),
            target,
            built: Some(Built::new(&folder, target)?),
        })
    }

    /// The toolchain that runs this program, to which rustup adds the target if it is missing.
    pub(super) fn of_rustup(
        root: &Path,
        cargo: &str,
        target: &'static str,
    ) -> Result<Self, String> {
        if !has_target(Path::new("rustc"), target) {
            println!("xtask: rustup target add {target}");
            let added = Command::new("rustup")
                .args(["target", "add", target])
                .status();
            if added.is_err() || !has_target(Path::new("rustc"), target) {
                return Err(format!(
                    "{target} needs a Rust toolchain of rustup, which can add it"
                ));
            }
        }
        Ok(Self {
            root: root.to_owned(),
            cargo: cargo.into(),
            target,
            built: None,
        })
    }

    /// A command of cargo for the target, in the workspace.
    pub(super) fn cargo(&self, command: &str) -> Command {
        let mut cargo = Command::new(&self.cargo);
        cargo.args([command, "--target", self.target]);
        cargo.current_dir(&self.root);
        cargo.env("CARGO_TARGET_DIR", self.build_folder());
        if let Some(built) = &self.built {
            // What cargo sets for this program would lead to another compiler.
            cargo.env_remove("RUSTUP_TOOLCHAIN");
            let flags = format!("--sysroot {}", built.sysroot.display());
            cargo.env("RUSTC", &built.rustc);
            cargo.env(self.variable("RUSTFLAGS"), flags);
        }
        cargo
    }

    /// The name of cargo's variable for a setting of the target.
    pub(super) fn variable(&self, setting: &str) -> String {
        let target = self.target.replace('-', "_").to_uppercase();
        format!("CARGO_TARGET_{target}_{setting}")
    }

    /// Where files of the platform are kept.
    pub(super) fn folder(&self) -> PathBuf {
        self.root.join("target/platforms")
    }

    /// Where cargo builds for other platforms.
    pub(super) fn build_folder(&self) -> PathBuf {
        self.folder().join("build")
    }

    /// Flags for the compiler in addition to its own.
    pub(super) fn flags(&self, flags: &str) -> (String, String) {
        let sysroot = self.built.as_ref().map_or(String::new(), |built| {
            format!("--sysroot {} ", built.sysroot.display())
        });
        (self.variable("RUSTFLAGS"), format!("{sysroot}{flags}"))
    }
}

impl Built {
    /// Debian's compiler with the target's standard library, which is built if it isn't
    /// there or belongs to another version.
    fn new(folder: &Path, target: &str) -> Result<Self, String> {
        let rustc = PathBuf::from("/usr/bin/rustc");
        let version = output(Command::new(&rustc).arg("--version"))?;
        let sysroot = folder.join("sysroot");
        let libraries = sysroot.join("lib/rustlib").join(target).join("lib");
        let mark = libraries.join("version");
        let is_wasm = target.starts_with("wasm32");
        // What is sent to browsers has to be small: above all, its many sorts.
        let (parts, features) = if is_wasm {
            ("std,panic_abort,test", "optimize_for_size")
        } else {
            ("std,panic_unwind,panic_abort,test", "")
        };
        // With the flag below; the libraries of earlier versions don't suit.
        let version = format!("{version}{features} with bitcode");
        if fs::read_to_string(&mark).is_ok_and(|built| built == version) {
            return Ok(Self { rustc, sysroot });
        }
        println!("xtask: building the standard library for {target}, once");
        // Cargo doesn't see that what was built with another one doesn't fit any more.
        let outdated = folder.join("build").join(target);
        remove_folder(&outdated)?;
        let empty = folder.join("empty");
        write(&empty.join("src/lib.rs"), "")?;
        let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n\n[workspace]\n";
        write(&empty.join("Cargo.toml"), manifest)?;
        let build_folder = empty.join("target");
        let mut build = Command::new("/usr/bin/cargo");
        build.args(["build", "--quiet", "--release", "--target", target]);
        build.arg(format!("-Zbuild-std={parts}"));
        if is_wasm {
            build.arg(format!("-Zbuild-std-features={features}"));
        }
        // The sources of a standard library can only be compiled with unstable features.
        build.env("RUSTC", &rustc).env("RUSTC_BOOTSTRAP", "1");
        build.env("CARGO_TARGET_DIR", &build_folder);
        // For link-time optimization.
        build.env("RUSTFLAGS", "-Cembed-bitcode=yes");
        build.env_remove("RUSTUP_TOOLCHAIN");
        run(build.current_dir(&empty))?;
        remove_folder(&libraries)?;
        fs::create_dir_all(&libraries).map_err(of_file(&libraries))?;
        let built = build_folder.join(target).join("release/deps");
        for entry in fs::read_dir(&built).map_err(of_file(&built))? {
            let path = entry.map_err(of_file(&built))?.path();
            let name = path.file_name().unwrap_or_default();
            let is_library = path.extension().is_some_and(|found| found == "rlib");
            if is_library && !name.to_string_lossy().starts_with("libempty-") {
                fs::copy(&path, libraries.join(name)).map_err(of_file(&path))?;
            }
        }
        fs::remove_dir_all(&empty).map_err(of_file(&empty))?;
        // Last, so that the library is complete whenever it has its version.
        write(&mark, &version)?;
        Ok(Self { rustc, sysroot })
    }
}

/// The folder of platforms, which is made if it is missing.
fn folder(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/platforms");
    fs::create_dir_all(&folder).map_err(of_file(&folder))?;
    Ok(folder)
}

/// Whether a compiler has the standard library for a target.
fn has_target(rustc: &Path, target: &str) -> bool {
    let mut print = Command::new(rustc);
    let Ok(folder) = output(print.args(["--print", "target-libdir", "--target", target])) else {
        return false;
    };
    let mut files = fs::read_dir(folder.trim()).into_iter().flatten();
    files.any(|file| {
        file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
    })
}
