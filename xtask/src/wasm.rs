//! Runs the searches in WebAssembly.

use std::path::Path;
use std::process::Command;

use crate::build_messages;

const TARGET: &str = "wasm32-unknown-unknown";

/// The program to run, which asserts its results.
const EXAMPLE: &str = "frames";

/// Runs a module without imports.
const RUN: &str = "
const bytes = require('fs').readFileSync(process.argv[1]);
WebAssembly.instantiate(bytes, {}).then(({ instance }) => {
    process.exit(instance.exports.main(0, 0));
}).catch(error => {
    console.error(error.stack);
    process.exit(1);
});";

/// Builds the library for [`TARGET`] and runs its example there.
pub(crate) fn run(root: &Path, cargo: &str) -> Result<(), String> {
    if !has_target() {
        return Err(format!(
            "the Rust toolchain has no {TARGET}; `rustup target add {TARGET}` adds it, and \
             `cargo +TOOLCHAIN xtask wasm` takes a toolchain that has it"
        ));
    }
    let mut build = Command::new(cargo);
    build.args(["build", "--package", "open_ttt_catalog", "--all-features"]);
    build.args(["--lib", "--example", EXAMPLE, "--target", TARGET]);
    let messages = build_messages(build.current_dir(root))?;
    let module = module(&messages).ok_or("cargo does not say where the module is")?;
    match Command::new("node").args(["-e", RUN, module]).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("the example {EXAMPLE} fails in {TARGET}")),
        Err(error) => Err(format!("Node.js cannot be started: {error}")),
    }
}

/// Whether the toolchain has the standard library for the target.
fn has_target() -> bool {
    let print = ["--print", "target-libdir", "--target", TARGET];
    let Ok(printed) = Command::new("rustc").args(print).output() else {
        return false;
    };
    let folder = String::from_utf8_lossy(&printed.stdout);
    let mut files = std::fs::read_dir(folder.trim()).into_iter().flatten();
    files.any(|file| {
        file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
    })
}

/// The path of the module in what cargo says about its build.
fn module(messages: &str) -> Option<&str> {
    messages
        .split('"')
        .find(|text| text.ends_with(&format!("{EXAMPLE}.wasm")))
}
