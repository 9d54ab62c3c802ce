//! The public interface of each library is what its `public-api.txt` says.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

const HOW_TO_ACCEPT: &str = "to accept the changes: cargo xtask api";

/// The crates whose public interface is listed in `public-api.txt` beside them.
const CRATES: [&str; 7] = [
    "open_ttt_catalog",
    "open_ttt_coach",
    "open_ttt_draw",
    "open_ttt_lib",
    "open_ttt_nn",
    "open_ttt_players",
    "open_ttt_search",
];

#[test]
#[ignore = "builds rustdoc JSON; cargo xtask test runs it"]
fn the_public_interfaces_are_the_listed_ones() -> Result<(), Box<dyn Error>> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all_changes = Vec::new();
    for name in CRATES {
        let library = crates.join(name);
        let list = library.join("public-api.txt");
        let now = interface::Builder::from_rustdoc_json(rustdoc_json(&library, name)?)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .omit_auto_derived_impls(true)
            .build()?
            .to_string();
        if env::var_os("UPDATE").is_some() {
            fs::write(list, now)?;
            continue;
        }
        let listed = fs::read_to_string(list)?;
        if listed != now {
            let changes = changes(&listed, &now);
            all_changes.push(format!("{name}/public-api.txt differs:\n{changes}"));
        }
    }
    assert!(
        all_changes.is_empty(),
        "{}\n{HOW_TO_ACCEPT}",
        all_changes.join("\n")
    );
    Ok(())
}

/// Has the compiler describe a library, with all its features.
fn rustdoc_json(library: &Path, name: &str) -> io::Result<PathBuf> {
    // A folder of its own: other flags would have everything built again.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rustdoc-json");
    let status = Command::new(env!("CARGO"))
        .current_dir(library)
        // The format is unstable, so a stable compiler has to be told to accept it.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", &target)
        .args(["rustdoc", "--quiet", "--lib", "--all-features", "--"])
        .args(["-Z", "unstable-options", "--output-format", "json"])
        .args(["--cap-lints", "allow"])
        .status()?;
    if status.success() {
        Ok(target.join(format!("doc/{name}.json")))
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
