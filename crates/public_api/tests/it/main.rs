//! The public interface is what `public-api.txt` says.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

const HOW_TO_ACCEPT: &str = "to accept the change: UPDATE=1 cargo test -p public_api -- --ignored";

#[test]
#[ignore = "builds rustdoc JSON; cargo xtask test runs it"]
fn the_public_interface_is_the_listed_one() -> Result<(), Box<dyn Error>> {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../open_ttt_lib");
    let list = library.join("public-api.txt");
    let now = interface::Builder::from_rustdoc_json(rustdoc_json(&library)?)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()?
        .to_string();
    if env::var_os("UPDATE").is_some() {
        fs::write(list, now)?;
        return Ok(());
    }
    let listed = fs::read_to_string(list)?;
    let changes = changes(&listed, &now);
    assert!(
        listed == now,
        "public-api.txt differs:\n{changes}\n{HOW_TO_ACCEPT}"
    );
    Ok(())
}

/// Has the compiler describe the library, with all its features.
fn rustdoc_json(library: &Path) -> io::Result<PathBuf> {
    // A folder of its own: other flags would have everything built again.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rustdoc-json");
    let status = Command::new(env!("CARGO"))
        .current_dir(library)
        // The format is unstable, so a stable compiler must be told to go on.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", &target)
        .args(["rustdoc", "--quiet", "--lib", "--all-features", "--"])
        .args(["-Z", "unstable-options", "--output-format", "json"])
        .args(["--cap-lints", "allow"])
        .status()?;
    if status.success() {
        Ok(target.join("doc/open_ttt_lib.json"))
    } else {
        Err(io::Error::other(format!("rustdoc: {status}")))
    }
}

/// The lines that only one of the lists has, marked with `-` and `+`.
fn changes(listed: &str, now: &str) -> String {
    let missing_in = |other: &str, line: &str| !other.lines().any(|there| there == line);
    let gone = listed.lines().filter(|line| missing_in(now, line));
    let come = now.lines().filter(|line| missing_in(listed, line));
    let gone = gone.map(|line| format!("- {line}"));
    let come = come.map(|line| format!("+ {line}"));
    gone.chain(come).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_change_shows_as_a_line() {
    assert_eq!(changes("a\nb\n", "a\nb\n"), "");
    assert_eq!(changes("a\nb\n", "a\nc\n"), "- b\n+ c");
}
