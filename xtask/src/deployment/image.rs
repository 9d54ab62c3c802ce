//! The disk with Debian 12, made of its packages without running anything of them here:
//! debootstrap unpacks them, and the machine installs them in its first boot.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::machine::{Disk, Machine};
use crate::files::{of_file, remove_folder, write};
use crate::{debian, output, run};

/// What the installer of Debian leaves on a server, and what the page wants to be there.
const BASE: &str = "apparmor,ca-certificates,curl,dbus,usr-is-merged";

/// A kernel for virtual machines.
const KERNEL: &str = "linux-image-cloud-amd64";

/// What the page installs, and with it what Debian recommends.
const SERVICES: [&str; 6] = [
    "certbot",
    "haproxy",
    "nginx",
    "podman",
    "prometheus",
    "prometheus-alertmanager",
];

/// What debootstrap and apt want to know of an archive.
const RELEASE: [&str; 4] = [
    "Suite=bookworm",
    "Codename=bookworm",
    "Components=main",
    "Architectures=amd64",
];

/// Room for the system, the packages and what is installed of them.
const SIZE: &str = "6G";

/// What runs in the machine.
const INSTALL: &str = include_str!("inside/install.sh");
const SERVICE: &str = include_str!("inside/deployment-check.service");

/// The files of an installed system.
pub(super) struct Image {
    folder: PathBuf,
}

impl Image {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    pub(super) fn kernel(&self) -> PathBuf {
        self.folder.join("vmlinuz")
    }

    pub(super) fn disk(&self) -> PathBuf {
        self.folder.join("debian.ext4")
    }

    /// What the image was made from, written when it is complete.
    fn list(&self) -> PathBuf {
        self.folder.join("debian.list")
    }

    /// Whether it is there, made as it would be now.
    pub(super) fn is_complete(&self) -> bool {
        fs::read_to_string(self.list()).is_ok_and(|list| list == contents())
    }

    /// Unpacks the system onto a disk. Its first boot completes it.
    pub(super) fn unpack(&self) -> Result<(), String> {
        let archive = self.folder.join("archive");
        let system = self.folder.join("system");
        for folder in [&archive, &system] {
            remove_folder(folder)?;
            fs::create_dir_all(folder).map_err(of_file(folder))?;
        }
        fetch(&archive)?;
        unpack(&archive, &system)?;
        self.unpack_kernel(&archive.join("pool"), &system)?;
        let place = system.join("srv/archive");
        fs::create_dir_all(system.join("srv")).map_err(of_file(&place))?;
        fs::rename(&archive, &place).map_err(of_file(&place))?;
        write(&system.join("install.sh"), INSTALL)?;
        let units = system.join("etc/systemd/system/deployment-check.service");
        write(&units, SERVICE)?;
        make_disk(&system, &self.disk(), SIZE)?;
        remove_folder(&system)
    }

    /// Takes the kernel out of its package. It starts without a boot loader, so the package need
    /// not be installed; its modules are files of the system.
    fn unpack_kernel(&self, pool: &Path, system: &Path) -> Result<(), String> {
        let unpacked = self.folder.join("kernel");
        remove_folder(&unpacked)?;
        let mut extract = Command::new("dpkg-deb");
        extract.arg("--extract").arg(find(pool, "linux-image-6.")?);
        run(extract.arg(&unpacked))?;
        let modules = system.join("usr/lib/modules");
        let kernel = find(&unpacked.join("boot"), "vmlinuz-")?;
        for (from, to) in [
            (unpacked.join("lib/modules"), modules),
            (kernel, self.kernel()),
        ] {
            fs::rename(&from, &to).map_err(of_file(&to))?;
        }
        remove_folder(&unpacked)
    }

    /// Boots the machine once, to install what is unpacked.
    pub(super) fn install(&self, machine: &Machine) -> Result<(), String> {
        println!("xtask: the first boot installs the packages; this takes minutes");
        let disk = self.disk();
        let disks = [Disk {
            image: &disk,
            is_kept: true,
        }];
        let mut last = String::new();
        let console = self.folder.join("install.log");
        machine.run(&disks, "init=/bin/sh -- /install.sh", &console, |line| {
            println!("    {line}");
            line.clone_into(&mut last);
        })?;
        if last != "end" {
            let console = console.display();
            return Err(format!("Debian was not installed; see above and {console}"));
        }
        write(&self.list(), contents())
    }
}

/// All that decides what the image has, beside the versions of the packages.
fn contents() -> String {
    let services = SERVICES.join(",");
    format!("{BASE}\n{KERNEL}\n{services}\n{SIZE}\n{INSTALL}\n{SERVICE}")
}

/// Fetches the packages into a folder that is an archive of Debian. apt resolves what they need
/// as for a machine that has nothing.
fn fetch(archive: &Path) -> Result<(), String> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    if !release.contains("VERSION_CODENAME=bookworm") {
        return Err("the machine gets this system's packages, so this has to be Debian 12".into());
    }
    let pool = archive.join("pool");
    let lists = archive.join("dists/bookworm/main/binary-amd64");
    for folder in [&pool.join("partial"), &lists] {
        fs::create_dir_all(folder).map_err(of_file(folder))?;
    }
    let nothing = archive.join("status");
    write(&nothing, "")?;
    let status = format!("Dir::State::status={}", nothing.display());
    let cache = format!("Dir::Cache::archives={}", pool.display());
    let mut arguments = vec!["install", "--download-only", "--yes", "--quiet"];
    // As root, so that it can write to this folder.
    for option in [&*status, &cache, "APT::Sandbox::User=root"] {
        arguments.extend(["--option", option]);
    }
    arguments.extend(["?priority(required)", "?priority(important)"]);
    arguments.extend(BASE.split(','));
    arguments.push(KERNEL);
    arguments.extend(SERVICES);
    debian::apt(&["update", "--quiet"], archive)?;
    debian::apt(&arguments, archive)?;
    fs::remove_file(&nothing).map_err(of_file(&nothing))?;
    remove_folder(&pool.join("partial"))?;
    let index = |arguments: &[&str], file: &Path| {
        let mut index = Command::new("apt-ftparchive");
        let text = output(index.args(arguments).current_dir(archive))?;
        write(file, &text)
    };
    index(&["packages", "pool"], &lists.join("Packages"))?;
    let mut release = Vec::new();
    for field in RELEASE {
        release.extend([
            "-o".to_owned(),
            format!("APT::FTPArchive::Release::{field}"),
        ]);
    }
    release.extend(["release", "dists/bookworm"].map(str::to_owned));
    let release: Vec<&str> = release.iter().map(String::as_str).collect();
    index(&release, &archive.join("dists/bookworm/Release"))
}

/// Unpacks the base system. debootstrap runs nothing of it.
fn unpack(archive: &Path, system: &Path) -> Result<(), String> {
    let mut debootstrap = Command::new("debootstrap");
    debootstrap.args(["--foreign", "--no-check-gpg", "--arch=amd64"]);
    debootstrap.arg(format!("--include={BASE}"));
    debootstrap.arg("bookworm").arg(system);
    debootstrap.arg(format!("file://{}", archive.display()));
    println!("xtask: unpacking the base system");
    run(&mut debootstrap)
}

/// Makes a disk with the files of a folder.
pub(super) fn make_disk(folder: &Path, disk: &Path, size: &str) -> Result<(), String> {
    if disk.exists() {
        fs::remove_file(disk).map_err(of_file(disk))?;
    }
    let mut make = Command::new("mke2fs");
    make.args(["-q", "-t", "ext4", "-d"]).arg(folder);
    run(make.arg(disk).arg(size))
}

/// The file in a folder whose name starts with this.
fn find(folder: &Path, start: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(of_file(folder))?;
    let mut paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with(start)
    };
    let found = paths.find(is_it);
    found.ok_or_else(|| format!("{} has no {start}", folder.display()))
}
