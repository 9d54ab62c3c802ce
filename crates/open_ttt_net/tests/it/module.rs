//! The page's WebAssembly module is that of the sources.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

const HOW_TO_BUILD: &str = "the page's module is older than its sources: run cargo xtask web";

/// The workspace.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What the module was made from: a SHA-256 and a file, or a package of the registry.
const SOURCES: &str = include_str!("../../module/sources.sha256");

/// The SHA-256 of a source as `cargo xtask web` computes it: whatever the ends of lines are,
/// and of the workspace's manifest only the profile.
fn digest(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_default();
    // One character a byte, so that data is kept as it is.
    let text: String = bytes.into_iter().map(char::from).collect();
    let text = text.replace("\r\n", "\n");
    let profile = text.find("\n[profile.web]").unwrap_or(0);
    let bytes: Vec<u8> = text[profile..].chars().map(|c| c as u8).collect();
    let mut hex = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[test]
fn the_module_is_that_of_the_sources() {
    let root = Path::new(ROOT);
    let lock = fs::read_to_string(root.join("Cargo.lock")).expect("the lock file");
    let mut files = 0;
    for line in SOURCES.lines() {
        let (known, source) = line.split_once("  ").expect("a digest and a source");
        if let Some((name, version)) = source.split_once(' ') {
            let package = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            let rest = lock.split_once(&package).map_or("", |(_, rest)| rest);
            let checksum = rest.split("checksum = \"").nth(1).unwrap_or_default();
            assert!(checksum.starts_with(known), "{HOW_TO_BUILD}: {source}");
        } else {
            assert_eq!(
                digest(&root.join(source)),
                known,
                "{HOW_TO_BUILD}: {source}"
            );
            files += 1;
        }
    }
    // All of the libraries: not a list that was cut short.
    assert!(files > 200, "{files} files");
    for part in [
        "open_ttt_lib",
        "open_ttt_search",
        "open_ttt_net",
        "open_ttt_web",
    ] {
        assert!(
            SOURCES.contains(&format!("crates/{part}/src/lib.rs\n")),
            "{part}"
        );
    }
}

#[test]
fn the_module_is_kept_as_it_is_sent() {
    let kept = include_bytes!("../../module/open_ttt.wasm.br");
    let mut module = Vec::new();
    let read = brotli_decompressor::BrotliDecompress(&mut &kept[..], &mut module);
    assert!(read.is_ok());
    // The magic number and the version of the format.
    assert_eq!(module[..8], *b"\0asm\x01\0\0\0");
}
