//! Programs of Debian that the tests need.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::of_file;
use crate::run;

/// A program that tests start.
struct Program {
    name: &'static str,
    /// The environment variable with its path.
    variable: &'static str,
    /// Its path in its package.
    path: &'static str,
    package: Package,
}

enum Package {
    /// Installed, with what it needs.
    Installed(&'static str),
    /// Unpacked into the target folder, because installing it would start a server. Its
    /// shared libraries are installed.
    Unpacked(&'static str),
}

const PROGRAMS: [Program; 6] = [
    Program {
        name: "chromedriver",
        variable: "OPEN_TTT_CHROMEDRIVER",
        path: "usr/bin/chromedriver",
        package: Package::Installed("chromium chromium-driver"),
    },
    Program {
        name: "nginx",
        variable: "OPEN_TTT_NGINX",
        path: "usr/sbin/nginx",
        package: Package::Unpacked("nginx"),
    },
    Program {
        name: "haproxy",
        variable: "OPEN_TTT_HAPROXY",
        path: "usr/sbin/haproxy",
        package: Package::Unpacked("haproxy"),
    },
    Program {
        name: "promtool",
        variable: "OPEN_TTT_PROMTOOL",
        path: "usr/bin/promtool",
        package: Package::Unpacked("prometheus"),
    },
    Program {
        name: "valgrind",
        variable: "OPEN_TTT_VALGRIND",
        path: "usr/bin/valgrind",
        package: Package::Installed("valgrind"),
    },
    Program {
        name: "systemd-analyze",
        variable: "OPEN_TTT_SYSTEMD_ANALYZE",
        path: "usr/bin/systemd-analyze",
        // Its libraries are found where they are installed. Nothing starts it.
        package: Package::Installed("systemd"),
    },
];

/// The environment in which the tests find the programs. Those that are missing are
/// fetched first, if apt-get is available.
pub(crate) fn environment(tools: &Path) -> Result<Vec<(&'static str, OsString)>, String> {
    let folder = tools.join("debian");
    let missing: Vec<&Program> = PROGRAMS
        .iter()
        .filter(|program| program.find(&folder).is_none())
        .collect();
    if !missing.is_empty() {
        fetch(&missing, &folder)?;
    }
    let found = |program: &Program| {
        let (name, variable) = (program.name, program.variable);
        let path = program.find(&folder);
        let path = path.ok_or_else(|| format!("{name} is missing; set {variable} to its path"))?;
        Ok((variable, path))
    };
    PROGRAMS.iter().map(found).collect()
}

impl Program {
    fn find(&self, folder: &Path) -> Option<OsString> {
        if let Some(named) = env::var_os(self.variable) {
            return Some(named);
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let on_path = env::split_paths(&path).map(|folder| folder.join(self.name));
        let mut places = on_path.chain(["/".as_ref(), folder].map(|root| root.join(self.path)));
        let found = places.find(|place| place.is_file())?;
        Some(found.into())
    }
}

/// Fetches the packages of these programs.
fn fetch(missing: &[&Program], folder: &Path) -> Result<(), String> {
    let names: Vec<&str> = missing.iter().map(|program| program.name).collect();
    println!(
        "xtask: fetching {} from Debian, for the tests",
        names.join(", ")
    );
    fs::create_dir_all(folder).map_err(of_file(folder))?;
    let advice = |error| {
        let variables: Vec<&str> = missing.iter().map(|program| program.variable).collect();
        let (names, variables) = (names.join(", "), variables.join(", "));
        format!("{error}; install {names} as root, or set {variables} to their paths")
    };
    apt(&["update"], folder).map_err(advice)?;
    let mut needed = Vec::new();
    let mut download = vec!["download"];
    for program in missing {
        match program.package {
            Package::Installed(packages) => needed.extend(packages.split(' ').map(str::to_owned)),
            Package::Unpacked(name) => download.push(name),
        }
    }
    if download.len() > 1 {
        apt(&download, folder).map_err(advice)?;
    }
    for archive in archives(folder)? {
        let mut unpack = Command::new("dpkg-deb");
        run(unpack.arg("--extract").arg(&archive).arg(folder))?;
        needed.extend(shared_libraries(&dependencies(&archive)?));
        fs::remove_file(&archive).map_err(of_file(&archive))?;
    }
    // What satisfies its dependency already is not upgraded.
    let needed = needed.join(", ");
    let satisfy = ["satisfy", "--yes", "--no-install-recommends", &needed];
    apt(&satisfy, folder).map_err(advice)
}

/// Installs packages, a list of dependencies, unless they are there.
pub(crate) fn install(packages: &str, folder: &Path) -> Result<(), String> {
    let are_installed = |package: &str| {
        let mut query = Command::new("dpkg-query");
        query.args(["--show", "--showformat", "${Status}", package]);
        let output = query.output();
        output.is_ok_and(|output| output.stdout.ends_with(b" installed"))
    };
    if packages.split(", ").all(are_installed) {
        return Ok(());
    }
    println!("xtask: installing {packages} from Debian");
    let advice = |error| format!("{error}; install {packages} as root");
    apt(&["update"], folder).map_err(advice)?;
    let satisfy = ["satisfy", "--yes", "--no-install-recommends", packages];
    apt(&satisfy, folder).map_err(advice)
}

/// The downloaded packages.
fn archives(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(of_file(folder))?;
    let files = entries.filter_map(Result::ok).map(|entry| entry.path());
    let archives = files.filter(|path| path.extension().is_some_and(|found| found == "deb"));
    Ok(archives.collect())
}

/// What a package says that it depends on.
fn dependencies(archive: &Path) -> Result<String, String> {
    let mut field = Command::new("dpkg-deb");
    let field = field.arg("--field").arg(archive).arg("Depends");
    let output = field
        .output()
        .map_err(|error| format!("dpkg-deb: {error}"))?;
    if !output.status.success() {
        return Err(format!("dpkg-deb cannot read {}", archive.display()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Those of a package's dependencies that are shared libraries, with their versions and
/// alternatives. Updates of a package bring new ones, so that no list is kept here.
fn shared_libraries(dependencies: &str) -> Vec<String> {
    let libraries = dependencies.split(',').map(str::trim).filter(|dependency| {
        let is_script = dependency.starts_with("libjs-");
        dependency.starts_with("lib") && !is_script || dependency.starts_with("zlib1g")
    });
    libraries.map(str::to_owned).collect()
}

/// Runs Debian's package manager in a folder; installing needs root.
pub(crate) fn apt(arguments: &[&str], folder: &Path) -> Result<(), String> {
    println!("xtask: apt-get {}", arguments.join(" "));
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive");
    run(apt.args(arguments).current_dir(folder))
}

#[cfg(test)]
mod tests {
    use super::shared_libraries;

    #[test]
    fn shared_libraries_are_found_among_dependencies() {
        let nginx = "libc6 (>= 2.34), zlib1g (>= 1:1.1.4), iproute2, nginx-common (<< 1.22.1)";
        let libraries = ["libc6 (>= 2.34)", "zlib1g (>= 1:1.1.4)"];
        assert_eq!(shared_libraries(nginx), libraries);
        let prometheus = "adduser, libjs-jquery (>= 3.5.1~), libc6 (>= 2.34)\n";
        assert_eq!(shared_libraries(prometheus), ["libc6 (>= 2.34)"]);
        let either = "libsystemd0 | libelogind0, adduser";
        assert_eq!(shared_libraries(either), ["libsystemd0 | libelogind0"]);
        assert!(shared_libraries("").is_empty());
    }
}
