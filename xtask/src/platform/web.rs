//! `cargo xtask web`: the package for JavaScript, built and tested in Node.js and Chromium.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::wasm;
use crate::{build_messages, debian, of_file, output, run};

/// The most that the module may take when it is sent, in bytes: with every game and the books
/// of three.
const MAX_COMPRESSED: usize = 1 << 20;

/// Builds the module into the package, tests it and packs it into `target/npm`.
pub(crate) fn build(root: &Path, cargo: &str) -> Result<(), String> {
    let mut build = wasm::cargo(root, cargo, "build")?;
    build.args(["--package", "open_ttt_web", "--profile", "web", "--locked"]);
    let messages = build_messages(&mut build)?;
    let module = wasm::module(&messages, "open_ttt_web");
    let module = module.ok_or("cargo does not say where the module is")?;
    let folder = root.join("crates/open_ttt_web");
    let package = folder.join("npm");
    let place = package.join("open_ttt.wasm");
    fs::copy(module, &place).map_err(of_file(&place))?;
    let license = package.join("LICENSE");
    fs::copy(root.join("LICENSE"), &license).map_err(of_file(&license))?;
    let sizes = "const z = require('zlib'); const b = require('fs').readFileSync(process.argv[1]); \
                 console.log(b.length, z.gzipSync(b, { level: 9 }).length)";
    let sizes = output(Command::new("node").args(["-e", sizes]).arg(&place))?;
    println!(
        "xtask: open_ttt.wasm: bytes, and compressed: {}",
        sizes.trim()
    );
    let compressed = sizes.split_whitespace().nth(1);
    if compressed
        .and_then(|size| size.parse().ok())
        .is_none_or(|size: usize| size > MAX_COMPRESSED)
    {
        return Err(format!("the module is larger than {MAX_COMPRESSED} bytes"));
    }
    debian::install("chromium", &root.join("target"))?;
    let mut test = Command::new("node");
    test.args(["--test", "tests/node.mjs", "tests/browser.mjs"]);
    run(test.current_dir(&folder))?;
    let target = root.join("target/npm");
    fs::create_dir_all(&target).map_err(of_file(&target))?;
    let mut pack = Command::new("npm");
    pack.args(["pack", "--pack-destination"]).arg(&target);
    run(pack.current_dir(&package))
}
