//! Linux on 64-bit ARM, under QEMU.

use std::path::Path;
use std::process::Command;

use super::toolchain::Toolchain;
use super::{LIBRARIES, Scope, run_tests};

pub(crate) const TARGET: &str = "aarch64-unknown-linux-gnu";

const LINKER: &str = "aarch64-linux-gnu-gcc";

const RUNNER: &str = "qemu-aarch64 -L /usr/aarch64-linux-gnu";

/// Runs the tests of the libraries, or few tests and all of the networks, which have code of
/// their own for the processor.
pub(super) fn test(root: &Path, cargo: &str, scope: Scope) -> Result<(), String> {
    let toolchain = toolchain(root, cargo)?;
    let environment = environment(&toolchain);
    match scope {
        Scope::Quick => {
            let lowest = ["open_ttt_lib", "open_ttt_search"];
            run_tests(&toolchain, &lowest, &["--lib"], &environment)?;
            run_tests(&toolchain, &["open_ttt_nn"], &["--tests"], &environment)?;
        }
        // The program isn't tried under an emulator.
        Scope::Libraries | Scope::Everything => {
            run_tests(&toolchain, &LIBRARIES, &["--lib", "--tests"], &environment)?;
        }
    }
    println!("xtask: the tests pass on {TARGET}");
    Ok(())
}

/// A command of cargo for the target.
pub(crate) fn cargo(root: &Path, cargo: &str, command: &str) -> Result<Command, String> {
    let toolchain = toolchain(root, cargo)?;
    let mut cargo = toolchain.cargo(command);
    cargo.envs(environment(&toolchain));
    Ok(cargo)
}

/// A command that runs a program of the target.
pub(crate) fn start(program: &Path) -> Command {
    let mut words = RUNNER.split(' ');
    let mut start = Command::new(words.next().unwrap_or_default());
    start.args(words).arg(program);
    start
}

fn toolchain(root: &Path, cargo: &str) -> Result<Toolchain, String> {
    let packages = "gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user";
    Toolchain::install(root, cargo, TARGET, packages)
}

/// What cargo needs to link programs and to run them.
fn environment(toolchain: &Toolchain) -> [(String, String); 2] {
    [
        (toolchain.variable("LINKER"), LINKER.to_owned()),
        (toolchain.variable("RUNNER"), RUNNER.to_owned()),
    ]
}
