//! Windows on x86-64, under Wine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::toolchain::Toolchain;
use super::{LIBRARIES, Scope, run_tests};
use crate::{of_file, run};

const TARGET: &str = "x86_64-pc-windows-gnu";

/// Debian has no command for it on the path.
const WINE: &str = "/usr/lib/wine/wine64";

/// The other packages. The tests of `open_ttt_learn` take an hour under Wine.
const OTHERS: [&str; 3] = ["open_ttt_app", "open_ttt_net", "open_ttt"];

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

/// Tests the libraries, or everything.
pub(super) fn test(root: &Path, cargo: &str, scope: Scope) -> Result<(), String> {
    let packages = "gcc-mingw-w64-x86-64-posix, wine64";
    let toolchain = Toolchain::install(root, cargo, TARGET, packages)?;
    let prefix = prefix(&toolchain.folder())?;
    let environment = [
        (&*toolchain.variable("RUNNER"), WINE.to_owned()),
        ("WINEPREFIX", prefix.display().to_string()),
        // Wine tells a lot.
        ("WINEDEBUG", "-all".to_owned()),
    ];
    let targets = ["--lib", "--bins", "--tests"];
    run_tests(&toolchain, &LIBRARIES, &targets, &environment)?;
    if scope == Scope::Everything {
        run_tests(&toolchain, &OTHERS, &targets, &environment)?;
    }
    println!("xtask: the tests pass on {TARGET}");
    Ok(())
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
        super::toolchain::write(&source, PROCESS_PRNG)?;
        let mut compile = Command::new("x86_64-w64-mingw32-gcc");
        compile.args(["-O2", "-shared"]).arg(&source);
        run(compile.arg("-o").arg(&library).arg("-ladvapi32"))?;
    }
    Ok(prefix)
}
