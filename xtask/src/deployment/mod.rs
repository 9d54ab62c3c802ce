//! `cargo xtask deployment`: follows docs/deployment.md in a virtual machine with Debian 12, and
//! checks what comes of it.
//!
//! Nothing of the machine runs outside it. Its disk is made of Debian's packages and kept in
//! `target/deployment`; each run starts from it anew, with a second disk on which the program,
//! `deploy/` and the commands of the page are. `check.sh` lies there, too, and runs in the
//! machine.

mod image;
mod machine;
mod page;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::files::{of_file, remove_folder, write};
use crate::{debian, run};
use image::Image;
use machine::{Disk, Machine};
use report::Report;

/// What makes the disk and runs the machine.
const PACKAGES: &str = "qemu-system-x86, debootstrap, apt-utils, e2fsprogs";

/// How long the machine may say nothing. It speaks at least at the end of each check.
const MINUTES: u64 = 20;

const USAGE: &str = "usage: cargo xtask deployment [PROGRAM [STATIC]] [--minutes N]";

/// Where Cargo puts the programs that are built as the page and the Containerfile say.
const PROGRAM: &str = "target/dist/open_ttt";
const STATIC: &str = "target/x86_64-unknown-linux-gnu/dist/open_ttt";

/// What runs in the machine, beside the commands.
const CHECKS: [(&str, &str); 2] = [
    ("check.sh", include_str!("inside/check.sh")),
    ("checks.py", include_str!("inside/checks.py")),
];

/// Runs the whole check.
pub(crate) fn check(root: &Path, cargo: &str, arguments: &[String]) -> Result<(), String> {
    let arguments = Arguments::parse(arguments)?;
    let folder = root.join("target/deployment");
    fs::create_dir_all(&folder).map_err(of_file(&folder))?;
    let folder = folder.canonicalize().map_err(of_file(&folder))?;
    debian::install(PACKAGES, &folder)?;
    let programs = arguments.programs(root, cargo)?;
    let repository = folder.join("repository.ext4");
    make_repository(root, &programs, &folder.join("repository"), &repository)?;

    let image = Image::in_folder(&folder);
    let is_complete = image.is_complete();
    if !is_complete {
        image.unpack()?;
    }
    let machine = Machine::new(&image.kernel(), arguments.silence)?;
    if !is_complete {
        image.install(&machine)?;
    }
    let system = image.disk();
    let disks = [&system, &repository].map(|image| Disk {
        image,
        is_kept: false,
    });
    let console = folder.join("console.log");
    println!(
        "xtask: booting Debian 12; its console is {}",
        console.display()
    );
    let mut report = Report::default();
    let result = machine.run(&disks, "", &console, |line| report.hear(line));
    report.print();
    result?;
    report.result()
}

struct Arguments {
    program: Option<PathBuf>,
    linked_statically: Option<PathBuf>,
    silence: Duration,
}

/// The programs that go into the machine.
struct Programs {
    program: PathBuf,
    /// For the container.
    linked_statically: Option<PathBuf>,
}

impl Arguments {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let (mut paths, mut minutes) = (Vec::new(), MINUTES);
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            if argument == "--minutes" {
                let number = arguments.next().and_then(|number| number.parse().ok());
                minutes = number.ok_or(USAGE)?;
            } else if argument.starts_with('-') || paths.len() == 2 {
                return Err(USAGE.to_owned());
            } else {
                paths.push(PathBuf::from(argument));
            }
        }
        let mut paths = paths.into_iter();
        Ok(Self {
            program: paths.next(),
            linked_statically: paths.next(),
            silence: Duration::from_secs(60 * minutes),
        })
    }

    /// The given programs, or both as the page and the Containerfile build them.
    fn programs(&self, root: &Path, cargo: &str) -> Result<Programs, String> {
        if let Some(program) = &self.program {
            if self.linked_statically.is_none() {
                println!("xtask: without a static program the container is left out");
            }
            return Ok(Programs {
                program: program.clone(),
                linked_statically: self.linked_statically.clone(),
            });
        }
        println!("xtask: building the program twice, for the machine and for the container");
        let build = |arguments: &[&str], flags: Option<&str>| {
            let mut build = Command::new(cargo);
            build.args(["build", "--profile", "dist", "--package", "open_ttt"]);
            build.args(arguments).current_dir(root);
            build.envs(flags.map(|flags| ("RUSTFLAGS", flags)));
            build.arg("--target-dir").arg(root.join("target"));
            run(&mut build)
        };
        build(&[], None)?;
        let target = ["--target", "x86_64-unknown-linux-gnu"];
        build(&target, Some("-C target-feature=+crt-static"))?;
        Ok(Programs {
            program: root.join(PROGRAM),
            linked_statically: Some(root.join(STATIC)),
        })
    }
}

/// Makes a disk with what the page uses of the repository.
fn make_repository(
    root: &Path,
    programs: &Programs,
    folder: &Path,
    disk: &Path,
) -> Result<(), String> {
    remove_folder(folder)?;
    let copy = |from: &Path, to: &str| {
        let to = folder.join(to);
        let within = to.parent().unwrap_or(folder);
        fs::create_dir_all(within).map_err(of_file(within))?;
        fs::copy(from, &to).map_err(of_file(from)).map(|_| ())
    };
    copy(&programs.program, PROGRAM)?;
    if let Some(program) = &programs.linked_statically {
        copy(program, STATIC)?;
    }
    for file in files(root, "deploy")? {
        copy(&root.join(&file), &file)?;
    }
    for file in ["docs/deployment.md", "docs/examples/bot.py"] {
        copy(&root.join(file), file)?;
    }
    let check = folder.join("check");
    for (name, text) in CHECKS {
        write(&check.join(name), text)?;
    }
    for (name, text) in commands(root)? {
        write(&check.join(name), &text)?;
    }
    image::make_disk(folder, disk, "1G")?;
    remove_folder(folder)
}

/// The commands that are followed, by the names of their files.
fn commands(root: &Path) -> Result<Vec<(&'static str, String)>, String> {
    let read = |file: &str| {
        let path = root.join(file);
        fs::read_to_string(&path).map_err(of_file(&path))
    };
    let mut commands = page::blocks(&read("docs/deployment.md")?)?;
    commands.push((
        "container",
        page::container(&read("deploy/Containerfile")?)?,
    ));
    commands.push(("name", page::NAME.to_owned()));
    Ok(commands)
}

/// The files of a folder of the repository.
fn files(root: &Path, folder: &str) -> Result<Vec<String>, String> {
    let path = root.join(folder);
    let entries = fs::read_dir(&path).map_err(of_file(&path))?;
    let names = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name());
    Ok(names
        .map(|name| format!("{folder}/{}", name.to_string_lossy()))
        .collect())
}
