//! A target without an operating system.

use std::path::Path;
use std::process::Command;

use crate::files::of_file;
use crate::{debian, output, run};

const TARGET: &str = "x86_64-unknown-none";

/// The libraries that need an allocator and nothing else.
const LIBRARIES: [&str; 2] = ["open_ttt_lib", "open_ttt_search"];

/// Builds the libraries without their standard features.
pub(super) fn build(root: &Path, cargo: &str) -> Result<(), String> {
    let folder = root.join("target/platforms");
    std::fs::create_dir_all(&folder).map_err(of_file(&folder))?;
    let mut print = Command::new("rustc");
    let libraries = output(print.args(["--print", "target-libdir", "--target", TARGET]))?;
    let has_target = Path::new(libraries.trim()).is_dir();
    let mut build = if has_target {
        Command::new(cargo)
    } else {
        debian::install("rustc-web, cargo-web, rust-web-src", &folder)?;
        let mut build = Command::new("/usr/bin/cargo");
        build.env("RUSTC", "/usr/bin/rustc");
        build.env("RUSTC_BOOTSTRAP", "1");
        build.env_remove("RUSTUP_TOOLCHAIN");
        build
    };
    build.args(["build", "--locked", "--no-default-features", "--lib"]);
    build.args(["--target", TARGET]);
    if !has_target {
        build.arg("-Zbuild-std=core,alloc");
    }
    for library in LIBRARIES {
        build.args(["--package", library]);
    }
    build.env("CARGO_TARGET_DIR", folder.join("no_std"));
    run(build.current_dir(root))?;
    println!("xtask: {} build for {TARGET}", LIBRARIES.join(" and "));
    Ok(())
}
