//! The program, for each platform that it is built for.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Release;
use crate::archive::{Archive, Format};
use crate::files::of_file;
use crate::licences::LICENCES;
use crate::{build_messages, output, platform, run};

/// Relocations in the form that glibc reads from 2.36 on: 0.7 MB less.
const SMALL_RELOCATIONS: &str = "target.x86_64-unknown-linux-gnu.rustflags = \
    ['-Clink-arg=-Wl,-z,pack-relative-relocs']";

/// The most that the program may take on any platform, in bytes.
const MAX_BYTES: u64 = 15_000_000;

/// The compiler strips the program and signs it again: any other change spoils the signature.
const STRIPPED: &str = "profile.program.strip = 'symbols'";

/// A platform for which the program is built.
pub(super) struct Platform {
    pub(super) name: &'static str,
    /// Its name for the compiler.
    target: &'static str,
    format: Format,
    /// What strips the program, if its compiler doesn't.
    strip: Option<&'static str>,
    /// Builds the program there, and says where it is.
    build: fn(&Path, &str) -> Result<PathBuf, String>,
    trial: Trial,
}

/// How a program is tried before it is packed.
enum Trial {
    /// It is started, by this command.
    Start(fn(&Path, &Path) -> Result<Command, String>),
    /// Nothing here can start it; this checks its file.
    Inspect(fn(&Path) -> Result<(), String>),
}

/// The platforms, or this one alone, which is the first.
pub(super) fn all(linux_only: bool) -> Vec<Platform> {
    let here = Platform {
        name: "x86_64-linux",
        target: "x86_64-unknown-linux-gnu",
        format: Format::TarGz,
        strip: Some("strip"),
        build: build_here,
        trial: Trial::Start(|_, program| Ok(Command::new(program))),
    };
    let aarch64 = Platform {
        name: "aarch64-linux",
        target: platform::aarch64::TARGET,
        format: Format::TarGz,
        strip: Some("aarch64-linux-gnu-strip"),
        build: |root, cargo| program(&mut platform::aarch64::cargo(root, cargo, "build")?),
        trial: Trial::Start(|_, program| Ok(platform::aarch64::start(program))),
    };
    let windows = Platform {
        name: "x86_64-windows",
        target: platform::windows::TARGET,
        format: Format::Zip,
        strip: Some("x86_64-w64-mingw32-strip"),
        build: |root, cargo| program(&mut platform::windows::cargo(root, cargo, "build")?),
        trial: Trial::Start(platform::windows::start),
    };
    let macos = Platform {
        name: "aarch64-macos",
        target: platform::macos::TARGET,
        format: Format::TarGz,
        strip: None,
        build: |root, cargo| {
            let mut build = platform::macos::cargo(root, cargo)?;
            program(build.args(["--config", STRIPPED]))
        },
        trial: Trial::Inspect(platform::macos::inspect),
    };
    let mut platforms = vec![here];
    if !linux_only {
        platforms.extend([aarch64, windows, macos]);
    }
    platforms
}

/// What the compiler calls the platforms.
pub(super) fn targets() -> Vec<&'static str> {
    let platforms = all(false).into_iter();
    platforms.map(|platform| platform.target).collect()
}

/// Builds the program for this platform.
fn build_here(root: &Path, cargo: &str) -> Result<PathBuf, String> {
    let mut build = Command::new(cargo);
    build.args(["build", "--config", SMALL_RELOCATIONS]);
    program(build.current_dir(root))
}

/// Builds the program with a command of cargo, and says where it is.
fn program(build: &mut Command) -> Result<PathBuf, String> {
    build.args(["--profile", "program", "--package", "open_ttt", "--locked"]);
    build.args(["--config", &without_places()?]);
    let messages = build_messages(build)?;
    let artifact = |line: &str| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_program = message["target"]["name"] == "open_ttt";
        Some(
            message["executable"]
                .as_str()
                .filter(|_| is_program)?
                .into(),
        )
    };
    let program = messages.lines().find_map(artifact);
    program.ok_or_else(|| "cargo does not say where the program is".to_owned())
}

/// The setting of cargo without which a program names the place of its dependencies' sources,
/// the home of who built it, in each of hundreds of messages.
fn without_places() -> Result<String, String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let sources = home.ok_or("there is no home folder")?.join("registry/src");
    let registries = fs::read_dir(&sources).map_err(of_file(&sources))?;
    let mut flags = Vec::new();
    for registry in registries {
        let folder = registry.map_err(of_file(&sources))?.path();
        flags.push(format!("'--remap-path-prefix={}/='", folder.display()));
    }
    Ok(format!(
        "target.'cfg(all())'.rustflags = [{}]",
        flags.join(", ")
    ))
}

impl Release<'_> {
    /// Builds the program for a platform, tries it, and packs it with what belongs to it.
    pub(super) fn build_program(&self, platform: &Platform) -> Result<(), String> {
        let built = (platform.build)(&self.source, self.cargo)?;
        let name = format!("open_ttt-{}-{}", self.version, platform.name);
        let archive = Archive::new(&self.folder, &name)?;
        archive.add(&built)?;
        let program = archive.folder().join(built.file_name().unwrap_or_default());
        if let Some(strip) = platform.strip {
            run(Command::new(strip).arg(&program))?;
        }
        let bytes = fs::metadata(&program).map_err(of_file(&program))?.len();
        println!("xtask: {bytes} bytes, stripped");
        if bytes > MAX_BYTES {
            return Err(format!("the program is larger than {MAX_BYTES} bytes"));
        }
        let start = |arguments: &[&str]| {
            let mut start = match platform.trial {
                Trial::Start(start) => start(&self.source, &program)?,
                // What it tells of itself is the same text.
                Trial::Inspect(_) => Command::new(build_here(&self.source, self.cargo)?),
            };
            output(start.args(arguments))
        };
        match platform.trial {
            Trial::Start(_) => self.must_answer(start)?,
            Trial::Inspect(inspect) => inspect(&program)?,
        }
        for file in [
            "LICENSE",
            "CHANGELOG.md",
            "crates/open_ttt/README.md",
            "deploy",
        ] {
            archive.add(&self.source.join(file))?;
        }
        archive.add(&self.folder.join(LICENCES))?;
        let write = |folder: &str, name: &str, text: String| {
            let folder = archive.folder().join(folder);
            fs::create_dir_all(&folder).map_err(of_file(&folder))?;
            let path = folder.join(name);
            fs::write(&path, text).map_err(of_file(&path))
        };
        for shell in ["bash", "fish", "powershell", "zsh"] {
            write("completions", shell, start(&["completions", shell])?)?;
        }
        write("man", "open_ttt.1", start(&["man"])?)?;
        archive.pack(platform.format).map(|_| ())
    }

    /// Tries a program, which is started with arguments and returns what it prints.
    fn must_answer(&self, start: impl Fn(&[&str]) -> Result<String, String>) -> Result<(), String> {
        let told = start(&["--version"])?;
        if !told.contains(&self.version.to_string()) {
            return Err(format!("the program says that it is {}", told.trim()));
        }
        // X can't win tic-tac-toe, but can hold the draw with any first move.
        let solved = start(&["analyze", "--game", "ttt", "--json"])?;
        if !solved.contains("\"result\":\"draw\"") {
            let solved = solved.trim();
            return Err(format!("the program says of tic-tac-toe: {solved}"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `program`, `dist` and `web` inherit what `dev` says of single packages: with a level of
    /// optimization there, what is published would be as slow as tests.
    #[test]
    fn what_is_published_inherits_no_level_of_optimization() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let manifest = fs::read_to_string(manifest).expect("the manifest of the workspace");
        let of_packages = |section: &&str| section.starts_with("profile.dev.package.");
        let sections: Vec<_> = manifest.split("\n[").filter(of_packages).collect();
        assert!(!sections.is_empty());
        for section in sections {
            let settings: Vec<_> = section.lines().skip(1).collect();
            let level = settings.iter().find(|line| line.starts_with("opt-level"));
            assert_eq!(level, None, "{section}");
        }
    }
}
