//! macOS on Apple's processors: linted and linked. Nothing here can run its programs.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::mach_o::MachO;
use super::toolchain::Toolchain;
use super::{LIBRARIES, PROGRAM, Scope};
use crate::files::{of_file, write};
use crate::python_environment::{Package, interpreter};
use crate::run;

pub(crate) const TARGET: &str = "aarch64-apple-darwin";

/// The lowest version of macOS for which programs are linked: the first on these processors.
const LOWEST_VERSION: (u16, u8) = (11, 0);

/// What links programs and compiles C.
const PACKAGES: [Package; 2] = [
    ("ziglang==0.17.1", "compiles C for macOS, and links"),
    ("cargo-zigbuild==0.24.1", "lets cargo use it"),
];

const ENVIRONMENT: &str = "target/tools/zig";

/// A library of macOS that Zig doesn't describe.
struct SystemLibrary {
    /// Its path in an SDK.
    description: &'static str,
    /// Its path in macOS.
    path: &'static str,
    /// What is taken from it.
    symbols: &'static [&'static str],
}

/// The libraries that crates name. The linker drops those from which nothing is taken.
const SYSTEM_LIBRARIES: [SystemLibrary; 4] = [
    SystemLibrary {
        description: "System/Library/Frameworks/CoreFoundation.framework/CoreFoundation.tbd",
        path: "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation",
        symbols: &[
            "CFArrayCreate",
            "CFArrayGetCount",
            "CFArrayGetValueAtIndex",
            "CFDataGetBytePtr",
            "CFDataGetLength",
            "CFDictionaryGetValueIfPresent",
            "CFEqual",
            "CFNumberGetValue",
            "CFRelease",
            "CFRetain",
            "CFStringCreateWithBytesNoCopy",
            "CFStringGetBytes",
            "CFStringGetCStringPtr",
            "CFStringGetLength",
            "kCFAllocatorDefault",
            "kCFAllocatorNull",
            "kCFTypeArrayCallBacks",
        ],
    },
    SystemLibrary {
        description: "System/Library/Frameworks/Foundation.framework/Foundation.tbd",
        path: "/System/Library/Frameworks/Foundation.framework/Versions/C/Foundation",
        symbols: &[],
    },
    SystemLibrary {
        description: "System/Library/Frameworks/Security.framework/Security.tbd",
        path: "/System/Library/Frameworks/Security.framework/Versions/A/Security",
        // The certificates that the system trusts, for brokers.
        symbols: &[
            "SecCertificateCopyData",
            "SecCopyErrorMessageString",
            "SecTrustSettingsCopyCertificates",
            "SecTrustSettingsCopyTrustSettings",
        ],
    },
    SystemLibrary {
        description: "usr/lib/libobjc.tbd",
        path: "/usr/lib/libobjc.A.dylib",
        symbols: &[],
    },
];

/// Where macOS has its own libraries.
const SYSTEM_FOLDERS: [&str; 2] = ["/System/Library/Frameworks/", "/usr/lib/"];

/// Lints the libraries, links their tests, too, or lints the workspace and links the program.
pub(super) fn build(root: &Path, cargo: &str, scope: Scope) -> Result<(), String> {
    let toolchain = Toolchain::of_rustup(root, cargo, TARGET)?;
    let (mut lint, packages) = match scope {
        // They have no C in them.
        Scope::Quick | Scope::Libraries => (toolchain.cargo("clippy"), LIBRARIES.to_vec()),
        Scope::Everything => {
            let packages = [&LIBRARIES[..], &PROGRAM].concat();
            (zig(&toolchain, root, cargo, "clippy")?, packages)
        }
    };
    let of_packages = packages.iter().flat_map(|package| ["--package", package]);
    let features = ["--all-features", "--locked"];
    match scope {
        Scope::Everything => lint.arg("--workspace"),
        Scope::Quick | Scope::Libraries => lint.args(of_packages.clone()),
    };
    lint.args(features).arg("--all-targets");
    run(lint.args(["--", "--deny", "warnings"]))?;
    if scope != Scope::Quick {
        let mut link = zig(&toolchain, root, cargo, "zigbuild")?;
        link.args(features).args(["--lib", "--bins", "--tests"]);
        run(link.args(of_packages))?;
    }
    if scope == Scope::Everything {
        let built = toolchain.build_folder().join(TARGET);
        inspect(&built.join("debug/open_ttt"))?;
    }
    println!("xtask: no warnings for {TARGET}, where nothing was run");
    Ok(())
}

/// A command of cargo for the target.
pub(crate) fn cargo(root: &Path, cargo: &str) -> Result<Command, String> {
    let toolchain = Toolchain::of_rustup(root, cargo, TARGET)?;
    zig(&toolchain, root, cargo, "zigbuild")
}

/// Checks of a program what can be known without starting it: its signature, and that it
/// needs nothing but macOS, of the version that is meant.
pub(crate) fn inspect(program: &Path) -> Result<(), String> {
    let file = fs::read(program).map_err(of_file(program))?;
    let found = MachO::read(&file).map_err(|error| format!("{}: {error}", program.display()))?;
    if found.lowest_version != LOWEST_VERSION {
        let (major, minor) = found.lowest_version;
        return Err(format!("the program is for macOS {major}.{minor}"));
    }
    let foreign = |library: &&String| {
        let mut folders = SYSTEM_FOLDERS.into_iter();
        !folders.any(|folder| library.starts_with(folder))
    };
    if let Some(library) = found.libraries.iter().find(foreign) {
        return Err(format!("the program needs {library}, which macOS lacks"));
    }
    println!("xtask: signed; needs {}", found.libraries.join(" "));
    Ok(())
}

/// A command of cargo that compiles C and links with Zig, which is fetched once.
fn zig(toolchain: &Toolchain, root: &Path, cargo: &str, command: &str) -> Result<Command, String> {
    let python = interpreter(root, ENVIRONMENT, &PACKAGES)?;
    let sdk = toolchain.folder().join("macos_sdk");
    for library in SYSTEM_LIBRARIES {
        write(&sdk.join(library.description), library.describe())?;
    }
    let (major, minor) = LOWEST_VERSION;
    let mut zig = Command::new(python.with_file_name("cargo-zigbuild"));
    zig.args([command, "--target", TARGET]);
    zig.current_dir(root);
    zig.env("CARGO_TARGET_DIR", toolchain.build_folder());
    zig.env("CARGO", cargo);
    zig.env("CARGO_ZIGBUILD_PYTHON_PATH", python);
    zig.env("SDKROOT", sdk);
    zig.env("MACOSX_DEPLOYMENT_TARGET", format!("{major}.{minor}"));
    let caches = toolchain.folder().join("zig");
    for variable in [
        "CARGO_ZIGBUILD_CACHE_DIR",
        "ZIG_GLOBAL_CACHE_DIR",
        "ZIG_LOCAL_CACHE_DIR",
    ] {
        zig.env(variable, &caches);
    }
    // Without the map to the object files, which are of no use where they aren't.
    let flags = "-Clink-arg=-s -Clink-arg=-Wl,-dead_strip_dylibs";
    zig.env(toolchain.variable("RUSTFLAGS"), flags);
    Ok(zig)
}

impl SystemLibrary {
    /// What linkers read instead of the library: a text-based stub.
    fn describe(&self) -> String {
        let name = |symbol: &&str| format!("_{symbol}");
        let symbols: Vec<String> = self.symbols.iter().map(name).collect();
        let (path, symbols) = (self.path, symbols.join(", "));
        let targets = "targets: [ arm64-macos ]";
        format!(
            "--- !tapi-tbd\ntbd-version: 4\n{targets}\ninstall-name: '{path}'\n\
             exports:\n  - {targets}\n    symbols: [ {symbols} ]\n...\n"
        )
    }
}
