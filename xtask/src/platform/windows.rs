//! Windows on x86-64, under Wine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::toolchain::Toolchain;
use super::{LIBRARIES, PROGRAM, Scope, run_tests};
use crate::files::{of_file, write};
use crate::run;

pub(crate) const TARGET: &str = "x86_64-pc-windows-gnu";

/// Debian has no command for it on the path.
const WINE: &str = "/usr/lib/wine/wine64";

/// What Wine lacks and Rust's standard library takes its random numbers from.
const PROCESS_PRNG: &str = "
__declspec(dllimport) unsigned char SystemFunction036(void *data, unsigned long length);
__declspec(dllexport) int ProcessPrng(unsigned char *data, unsigned long long length)
{
    while (length) {
        unsigned long part = length < 1 << 20 ? (unsigned long)length : 1 << 20;
        if (!SystemFunction036(data, part))
            return 0;
        data += part;
        length -= part;
    }
    return 1;
}
";

/// Tests the lowest library, all of them, or the program, too.
pub(super) fn test(root: &Path, cargo: &str, scope: Scope) -> Result<(), String> {
    let toolchain = toolchain(root, cargo)?;
    let environment = environment(&toolchain)?;
    let targets = ["--lib", "--bins", "--tests"];
    let packages = match scope {
        Scope::Quick => vec!["open_ttt_lib"],
        Scope::Libraries => LIBRARIES.to_vec(),
        Scope::Everything => [&LIBRARIES[..], &PROGRAM].concat(),
    };
    run_tests(&toolchain, &packages, &targets, &environment)?;
    println!("xtask: the tests pass on {TARGET}");
    Ok(())
}

/// A command of cargo for the target.
pub(crate) fn cargo(root: &Path, cargo: &str, command: &str) -> Result<Command, String> {
    let toolchain = toolchain(root, cargo)?;
    let mut cargo = toolchain.cargo(command);
    cargo.envs(environment(&toolchain)?);
    Ok(cargo)
}

/// A command that runs a program of the target.
pub(crate) fn start(root: &Path, program: &Path) -> Result<Command, String> {
    let mut start = Command::new(WINE);
    start.arg(program).env("WINEDEBUG", "-all");
    start.env("WINEPREFIX", prefix(&root.join("target/platforms"))?);
    Ok(start)
}

fn toolchain(root: &Path, cargo: &str) -> Result<Toolchain, String> {
    let packages = "gcc-mingw-w64-x86-64-posix, wine64";
    Toolchain::install(root, cargo, TARGET, packages)
}

/// What cargo needs to run programs.
fn environment(toolchain: &Toolchain) -> Result<[(String, String); 3], String> {
    let prefix = prefix(&toolchain.folder())?;
    Ok([
        (toolchain.variable("RUNNER"), WINE.to_owned()),
        ("WINEPREFIX".to_owned(), prefix.display().to_string()),
        // Wine tells a lot.
        ("WINEDEBUG".to_owned(), "-all".to_owned()),
    ])
}

/// Wine's folder, which is made if it is missing.
fn prefix(folder: &Path) -> Result<PathBuf, String> {
    let prefix = folder.join("wine");
    let system = prefix.join("drive_c/windows/system32");
    if !system.is_dir() {
        println!("xtask: making {}", prefix.display());
        fs::create_dir_all(&prefix).map_err(of_file(&prefix))?;
        let mut boot = Command::new(WINE);
        boot.args(["wineboot", "--init"]);
        boot.env("WINEPREFIX", &prefix).env("WINEDEBUG", "-all");
        run(boot.stdout(Stdio::null()).stderr(Stdio::null()))?;
    }
    let library = system.join("bcryptprimitives.dll");
    if !library.exists() {
        let source = folder.join("process_prng.c");
        write(&source, PROCESS_PRNG)?;
        let mut compile = Command::new("x86_64-w64-mingw32-gcc");
        compile.args(["-O2", "-shared"]).arg(&source);
        run(compile.arg("-o").arg(&library).arg("-ladvapi32"))?;
    }
    Ok(prefix)
}
