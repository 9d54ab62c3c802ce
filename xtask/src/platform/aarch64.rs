//! Linux on 64-bit ARM, under QEMU.

use std::path::Path;

use super::toolchain::Toolchain;
use super::{LIBRARIES, Scope, run_tests};

const TARGET: &str = "aarch64-unknown-linux-gnu";

/// Runs the unit tests of the libraries and the tests of the networks, or all tests of the
/// libraries.
pub(super) fn test(root: &Path, cargo: &str, scope: Scope) -> Result<(), String> {
    let packages = "gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user";
    let toolchain = Toolchain::install(root, cargo, TARGET, packages)?;
    let linker = "aarch64-linux-gnu-gcc".to_owned();
    let runner = "qemu-aarch64 -L /usr/aarch64-linux-gnu".to_owned();
    let environment = [
        (&*toolchain.variable("LINKER"), linker),
        (&*toolchain.variable("RUNNER"), runner),
    ];
    match scope {
        Scope::Quick => {
            run_tests(&toolchain, &LIBRARIES, &["--lib"], &environment)?;
            run_tests(&toolchain, &["open_ttt_nn"], &["--tests"], &environment)?;
        }
        Scope::Everything => {
            run_tests(&toolchain, &LIBRARIES, &["--lib", "--tests"], &environment)?;
        }
    }
    println!("xtask: the tests pass on {TARGET}");
    Ok(())
}
