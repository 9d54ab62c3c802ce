//! WebAssembly, in Node.js.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::toolchain::Toolchain;
use crate::{build_messages, debian, output};

pub(super) const TARGET: &str = "wasm32-unknown-unknown";

/// The programs to run, which assert their results.
const EXAMPLES: [&str; 2] = ["frames", "same_everywhere"];

/// Runs a module without imports.
const RUN: &str = "
const bytes = require('fs').readFileSync(process.argv[1]);
WebAssembly.instantiate(bytes, {}).then(({ instance }) => {
    process.exit(instance.exports.main(0, 0));
}).catch(error => {
    console.error(error.stack);
    process.exit(1);
});";

/// Builds the libraries for [`TARGET`] and runs the examples there.
pub(super) fn test(root: &Path) -> Result<(), String> {
    let mut build = cargo(root, "build", "")?;
    build.args(["--package", "open_ttt_catalog", "--all-features", "--lib"]);
    for example in EXAMPLES {
        build.args(["--example", example]);
    }
    let messages = build_messages(&mut build)?;
    // It may be there from elsewhere.
    if output(Command::new("node").arg("--version")).is_err() {
        debian::install("nodejs", &root.join("target"))?;
    }
    for example in EXAMPLES {
        let module = module(&messages, example).ok_or("cargo does not say where the module is")?;
        match Command::new("node").args(["-e", RUN, module]).status() {
            Ok(status) if status.success() => {}
            Ok(_) => return Err(format!("the example {example} fails in {TARGET}")),
            Err(error) => return Err(format!("Node.js cannot be started: {error}")),
        }
    }
    println!("xtask: {} pass on {TARGET}", EXAMPLES.join(" and "));
    Ok(())
}

/// A command of cargo for the target, with vectors of 128 bits and these flags of the compiler.
pub(super) fn cargo(root: &Path, command: &str, flags: &str) -> Result<Command, String> {
    let toolchain = Toolchain::build(root, TARGET, "")?;
    let mut cargo = toolchain.cargo(command);
    let (variable, value) = toolchain.flags(&format!("-Ctarget-feature=+simd128 {flags}"));
    cargo.env(variable, value);
    if let Some(linker) = linker() {
        cargo.env(toolchain.variable("LINKER"), linker);
    }
    Ok(cargo)
}

/// The linker that comes with Rust, if Rust doesn't find it by itself: Debian's compiler
/// comes without.
fn linker() -> Option<PathBuf> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"])).ok()?;
    let hosts = Path::new(sysroot.trim()).join("lib/rustlib");
    let hosts = hosts.read_dir().ok()?.filter_map(Result::ok);
    let mut linkers = hosts.map(|host| host.path().join("bin/rust-lld"));
    linkers.find(|linker| linker.is_file())
}

/// The path of a module in what cargo says about its build.
pub(super) fn module<'a>(messages: &'a str, name: &str) -> Option<&'a str> {
    messages
        .split('"')
        .find(|text| text.ends_with(&format!("/{name}.wasm")))
}
