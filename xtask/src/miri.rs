//! `cargo xtask miri`: the crates with `unsafe` in an interpreter that notices undefined
//! behaviour.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::run;

/// Tests that are interpreted. A minute of them takes a second outside.
struct Tests {
    purpose: &'static str,
    package: &'static str,
    target: &'static str,
    /// The instructions that the interpreted processor has besides those of every one.
    features: &'static str,
    /// What selects the tests.
    names: &'static [&'static str],
}

const X86: &str = "x86_64-unknown-linux-gnu";

const ARM: &str = "aarch64-unknown-linux-gnu";

const ALL: [Tests; 3] = [
    Tests {
        purpose: "the functions for C",
        package: "open_ttt_c",
        target: X86,
        features: "",
        names: &["calls"],
    },
    Tests {
        purpose: "the kernels of networks with AVX2",
        package: "open_ttt_nn",
        target: X86,
        features: "-Ctarget-feature=+avx2,+fma",
        names: &["kernels"],
    },
    Tests {
        purpose: "the kernels of networks with NEON",
        package: "open_ttt_nn",
        target: ARM,
        features: "",
        names: &["kernels"],
    },
];

/// Interprets the tests, or those of the packages that the arguments name.
pub(crate) fn test(root: &Path, packages: &[String]) -> Result<(), String> {
    let known = |package: &String| ALL.iter().any(|tests| tests.package == package);
    if !packages.iter().all(known) {
        return Err("usage: cargo xtask miri [open_ttt_c] [open_ttt_nn]".to_owned());
    }
    must_be_installed(root)?;
    for tests in ALL {
        if packages.is_empty() || packages.iter().any(|package| package == tests.package) {
            println!("xtask: interpreting {}", tests.purpose);
            let mut interpret = miri(root, "test");
            interpret.args(["--package", tests.package, "--target", tests.target]);
            interpret.args(["--all-features", "--locked", "--test", "it", "--"]);
            run(interpret.args(tests.names).env("RUSTFLAGS", tests.features))?;
        }
    }
    println!("xtask: no undefined behaviour was found");
    Ok(())
}

/// A command of Miri. It comes with the nightly toolchain alone.
fn miri(root: &Path, command: &str) -> Command {
    let mut miri = Command::new("cargo");
    miri.args(["+nightly", "miri", command]);
    // What cargo sets for this program would lead to its own toolchain.
    miri.env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC");
    miri.env("CARGO_TARGET_DIR", root.join("target/miri"));
    miri.current_dir(root);
    miri
}

fn must_be_installed(root: &Path) -> Result<(), String> {
    let mut version = miri(root, "--version");
    let status = version.stdout(Stdio::null()).stderr(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err(
            "Miri is missing: rustup toolchain install nightly --component miri,rust-src"
                .to_owned(),
        ),
    }
}
