//! `cargo xtask release VERSION`: everything that is published of a version, in one folder.
//!
//! The release is made in a clone below the target folder. The working tree gets the commit
//! and the tag at the end, after every check has passed and every file is there; a release
//! that fails changes nothing.

mod inventory;
mod libraries;
mod programs;
mod version;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::{of_file, remove_folder};
use crate::{output, platform, python, run, semver};
use inventory::Advisories;
use version::Version;

const USAGE: &str = "\
usage: cargo xtask release VERSION [--rehearse] [--linux-only] [--advisories FOLDER]

VERSION             as in 1.2.3; the changelog must begin with it
--rehearse          make the files, but run no checks, and commit and tag nothing
--linux-only        the program for this platform alone
--advisories FOLDER a clone of https://github.com/RustSec/advisory-db, if the newest
                    security advisories can't be fetched";

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    version: Version,
    /// Neither checks nor a commit: only the files.
    rehearse: bool,
    /// Programs for this platform alone.
    linux_only: bool,
    /// A clone of the database of security advisories.
    advisories: Option<PathBuf>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let (mut version, mut rehearse, mut linux_only) = (None, false, false);
        let mut advisories = None;
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match &**argument {
                "--advisories" => advisories = Some(arguments.next().ok_or(USAGE)?.into()),
                "--rehearse" => rehearse = true,
                "--linux-only" => linux_only = true,
                text if version.is_none() && !text.starts_with('-') => {
                    version = Some(Version::parse(text)?);
                }
                _ => return Err(USAGE.to_owned()),
            }
        }
        Ok(Self {
            version: version.ok_or(USAGE)?,
            rehearse,
            linux_only,
            advisories,
        })
    }
}

/// A release that is being made.
struct Release<'a> {
    cargo: &'a str,
    version: Version,
    /// A clone of the repository, at the commit of the release.
    source: PathBuf,
    /// Where the files go.
    folder: PathBuf,
}

/// Makes a release of the version that the arguments name.
pub(crate) fn release(root: &Path, cargo: &str, arguments: &[String]) -> Result<(), String> {
    let options = Options::parse(arguments)?;
    let root = &root.canonicalize().map_err(of_file(root))?;
    let tag = options.version.tag();
    must_be_clean(root)?;
    if !git(root, &["tag", "--list", &tag])?.is_empty() {
        return Err(format!("the tag {tag} exists already"));
    }
    let release = Release::begin(root, cargo, options.version)?;
    release.check_dependencies(&match options.advisories {
        Some(folder) => Advisories::Clone(folder),
        None if options.rehearse => Advisories::Unchecked,
        None => Advisories::Newest,
    })?;
    if options.rehearse {
        println!("xtask: a rehearsal: no checks, and no commit");
    } else {
        if let Some(last) = semver::last_version(root)? {
            semver::compare(&release.source, cargo, &last)?;
        }
        let checks = release.source.join(".ci/run");
        run(Command::new(checks).current_dir(&release.source))?;
    }
    release.make(options.linux_only)?;
    if !options.rehearse {
        take(root, &release.source, &tag)?;
        println!("xtask: the branch is at {tag}; push it with: git push --follow-tags");
    }
    release.end()
}

impl Release<'_> {
    /// A clone with the version set, committed and tagged.
    fn begin<'a>(root: &Path, cargo: &'a str, version: Version) -> Result<Release<'a>, String> {
        let folder = root.join("target/releases").join(version.to_string());
        remove_folder(&folder)?;
        fs::create_dir_all(&folder).map_err(of_file(&folder))?;
        let source = folder.join("source");
        let (from, to) = (root.display().to_string(), source.display().to_string());
        git(root, &["clone", "--quiet", &from, &to])?;
        share_builds(root, &source)?;
        version.set(&source, cargo)?;
        // It tells its version, and the page's copy is kept in the repository.
        step("the package for JavaScript");
        platform::web::build(&source, cargo)?;
        let subject = format!("release: {version}");
        for (key, value) in author(root) {
            git(&source, &["config", key, &value])?;
        }
        git(
            &source,
            &["commit", "--quiet", "--all", "--message", &subject],
        )?;
        git(
            &source,
            &["tag", "--annotate", &version.tag(), "--message", &subject],
        )?;
        Ok(Release {
            cargo,
            version,
            source,
            folder,
        })
    }

    /// Makes every file.
    fn make(&self, linux_only: bool) -> Result<(), String> {
        must_be_clean(&self.source)?;
        step("licences and the bill of materials");
        self.write_inventory()?;
        step("crates");
        self.pack_crates()?;
        step("the book");
        self.build_book()?;
        self.collect("target/npm", &format!("open_ttt_web-{}.tgz", self.version))?;
        step("the package for Python");
        python::release(&self.source, self.cargo)?;
        self.collect("target/python/dist", "open_ttt-")?;
        step("the library for C");
        self.build_c_library()?;
        for program in programs::all(linux_only) {
            step(&format!("the program for {}", program.name));
            self.build_program(&program)?;
        }
        // A build that changes the sources makes something that isn't the tag.
        must_be_clean(&self.source)?;
        step("checksums");
        self.write_checksums()
    }

    /// Removes the clone and says what there is.
    fn end(&self) -> Result<(), String> {
        fs::remove_dir_all(&self.source).map_err(of_file(&self.source))?;
        println!("xtask: {}:", self.folder.display());
        for (name, bytes) in files(&self.folder)? {
            println!("xtask: {bytes:>12} bytes  {name}");
        }
        Ok(())
    }

    /// Copies the files in a folder of the clone whose names begin like this.
    fn collect(&self, folder: &str, prefix: &str) -> Result<(), String> {
        let folder = self.source.join(folder);
        let mut found = false;
        for (name, _) in files(&folder)? {
            if name.starts_with(prefix) {
                let from = folder.join(&name);
                fs::copy(&from, self.folder.join(&name)).map_err(of_file(&from))?;
                found = true;
            }
        }
        let missing = || format!("{} has no file {prefix}*", folder.display());
        found.then_some(()).ok_or_else(missing)
    }
}

fn step(what: &str) {
    println!("\nxtask: == {what}");
}

/// The clone uses the target folder of the repository, so that the crates from outside are
/// compiled once.
fn share_builds(root: &Path, source: &Path) -> Result<(), String> {
    let link = source.join("target");
    let mut make = Command::new("ln");
    make.arg("-s").arg(root.join("target")).arg(&link);
    run(&mut make)?;
    // `.gitignore` has the folder, and a link isn't one.
    let exclude = source.join(".git/info/exclude");
    fs::write(&exclude, "/target\n").map_err(of_file(&exclude))
}

/// Takes the commit of a release from its clone, and then the tag: a branch that has changed since
/// the release began refuses the commit, and is left without the tag.
fn take(root: &Path, source: &Path, tag: &str) -> Result<(), String> {
    let source = source.display().to_string();
    git(root, &["fetch", "--quiet", "--no-tags", &source, "HEAD"])?;
    git(root, &["merge", "--ff-only", "--quiet", "FETCH_HEAD"])
        .map_err(|error| format!("{error}; the branch has changed since the release began"))?;
    git(root, &["fetch", "--quiet", &source, "tag", tag])?;
    Ok(())
}

/// Whose commit it is.
fn author(root: &Path) -> Vec<(&'static str, String)> {
    let keys = ["user.name", "user.email"].into_iter();
    let known = keys.filter_map(|key| Some((key, git(root, &["config", key]).ok()?)));
    known.collect()
}

fn must_be_clean(tree: &Path) -> Result<(), String> {
    let changes = git(tree, &["status", "--porcelain"])?;
    if changes.is_empty() {
        return Ok(());
    }
    let tree = tree.display();
    Err(format!(
        "{tree} has changes that aren't committed:\n{changes}"
    ))
}

/// What git prints in a tree.
fn git(tree: &Path, arguments: &[&str]) -> Result<String, String> {
    let text = output(Command::new("git").args(arguments).current_dir(tree))?;
    Ok(text.trim_end().to_owned())
}

/// The files in a folder, by name, with their sizes.
fn files(folder: &Path) -> Result<Vec<(String, u64)>, String> {
    let entries = fs::read_dir(folder).map_err(of_file(folder))?;
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(of_file(folder))?;
        let about = entry.metadata().map_err(of_file(&entry.path()))?;
        if about.is_file() {
            files.push((
                entry.file_name().to_string_lossy().into_owned(),
                about.len(),
            ));
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process;

    use super::*;
    use crate::scratch_git;

    fn parse(arguments: &str) -> Result<Options, String> {
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        Options::parse(&arguments)
    }

    #[test]
    fn a_version_is_required_and_options_follow_in_any_order() {
        let options = parse("--linux-only 1.2.3 --rehearse").expect("all known");
        assert_eq!(options.version.to_string(), "1.2.3");
        assert!(options.rehearse && options.linux_only);
        for wrong in [
            "",
            "--rehearse",
            "1.2.3 4.5.6",
            "1.2.3 --fast",
            "v1.2.3",
            "1.2",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_branch_that_has_changed_gets_neither_the_commit_nor_the_tag() {
        let folder = env::temp_dir().join(format!("open_ttt_release_{}", process::id()));
        let (root, source) = (folder.join("root"), folder.join("source"));
        fs::create_dir_all(&root).expect("an empty folder");
        let commit = "commit --quiet --allow-empty --message a";
        let at = |tree: &Path| scratch_git::git(tree, "rev-parse HEAD");
        scratch_git::git(&root, "init --quiet");
        scratch_git::git(&root, commit);
        scratch_git::git(&folder, "clone --quiet root source");
        scratch_git::git(&source, commit);
        scratch_git::git(&source, "tag --annotate v1.0.0 --message a");
        let began = at(&root);
        scratch_git::git(&root, "commit --quiet --allow-empty --message changed");
        assert!(take(&root, &source, "v1.0.0").is_err());
        assert_eq!(scratch_git::git(&root, "tag --list"), "");
        scratch_git::git(&root, &format!("reset --quiet --hard {began}"));
        assert_eq!(take(&root, &source, "v1.0.0"), Ok(()));
        assert_eq!(at(&root), at(&source));
        assert_eq!(scratch_git::git(&root, "tag --list"), "v1.0.0");
        remove_folder(&folder).expect("it is ours");
    }
}
