use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::of_file;
use crate::{output, run};

/// A version of the project, as in `1.2.3` or `1.2.3-beta.1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version(String);

/// What the changelog says of a version that isn't released.
const UNRELEASED: &str = ", not yet released";

/// Workspaces of their own whose lock files name our crates.
const OTHER_WORKSPACES: [&str; 2] = ["bench", "crates/untrusted_input/fuzz"];

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Version {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (numbers, label) = match text.split_once('-') {
            Some((numbers, label)) => (numbers, Some(label)),
            None => (text, None),
        };
        let is_number = |part: &str| {
            let is_canonical = part == "0" || !part.starts_with('0');
            is_canonical && part.parse::<u32>().is_ok() && !part.starts_with('+')
        };
        let are_numbers = numbers.split('.').count() == 3 && numbers.split('.').all(is_number);
        let is_label = |label: &str| {
            let is_part = |part: &str| {
                !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            };
            label.split('.').all(is_part)
        };
        if !are_numbers || !label.is_none_or(is_label) {
            return Err(format!(
                "{text} is not a version like 1.2.3 or 1.2.3-beta.1"
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// Its tag in the repository.
    pub(super) fn tag(&self) -> String {
        format!("v{self}")
    }

    /// Writes the version into the manifests, the lock files and the changelog of a tree.
    pub(super) fn set(&self, tree: &Path, cargo: &str) -> Result<(), String> {
        let edit = |path: &Path, change: &dyn Fn(&str) -> Result<String, String>| {
            let text = fs::read_to_string(path).map_err(of_file(path))?;
            let changed = change(&text).map_err(|error| format!("{}: {error}", path.display()))?;
            fs::write(path, changed).map_err(of_file(path))
        };
        let date = output(Command::new("date").arg("+%-d %B %Y").env("LC_ALL", "C"))?;
        edit(&tree.join("CHANGELOG.md"), &|text| {
            self.date_changelog(text, date.trim())
        })?;
        for manifest in manifests(tree)? {
            edit(&manifest, &|text| Ok(self.set_in_manifest(text)))?;
        }
        let package = tree.join("crates/open_ttt_web/npm/package.json");
        edit(&package, &|text| self.set_in_package(text))?;
        for workspace in ["."].into_iter().chain(OTHER_WORKSPACES) {
            let mut update = Command::new(cargo);
            update.args(["update", "--workspace", "--quiet"]);
            run(update.current_dir(tree.join(workspace)))?;
        }
        self.must_be_everywhere(tree, cargo)
    }

    /// The changelog with the date of its newest version, which must be this one.
    fn date_changelog(&self, text: &str, date: &str) -> Result<String, String> {
        let heading = format!("## {self}{UNRELEASED}\n");
        let newest = text.lines().find(|line| line.starts_with("## "));
        if newest != Some(heading.trim_end()) {
            let newest = newest.unwrap_or("nothing");
            return Err(format!(
                "the newest version must be `{}`, not `{newest}`",
                heading.trim_end()
            ));
        }
        Ok(text.replacen(&heading, &format!("## {self}, {date}\n"), 1))
    }

    /// A manifest with the version of the workspace, and of our crates where it uses them.
    fn set_in_manifest(&self, text: &str) -> String {
        let mut in_package = false;
        let set = |line: &str| {
            if line.starts_with('[') {
                in_package = line == "[workspace.package]";
            }
            let is_own = in_package && line.starts_with("version = ")
                || line.starts_with("open_ttt") && line.contains("path = ");
            match line.split_once("version = \"") {
                Some((before, rest)) if is_own => {
                    let after = rest.split_once('"').map_or("", |(_, after)| after);
                    format!("{before}version = \"{self}\"{after}\n")
                }
                _ => format!("{line}\n"),
            }
        };
        text.lines().map(set).collect()
    }

    fn set_in_package(&self, text: &str) -> Result<String, String> {
        let (before, rest) = text.split_once("\"version\": \"").ok_or("no version")?;
        let (_, after) = rest.split_once('"').ok_or("no end of the version")?;
        Ok(format!("{before}\"version\": \"{self}\"{after}"))
    }

    /// As cargo understands what was written.
    fn must_be_everywhere(&self, tree: &Path, cargo: &str) -> Result<(), String> {
        let mut metadata = Command::new(cargo);
        metadata.args(["metadata", "--no-deps", "--format-version", "1", "--locked"]);
        let metadata = output(metadata.current_dir(tree))?;
        let metadata: serde_json::Value =
            serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
        for package in metadata["packages"].as_array().into_iter().flatten() {
            if package["version"] != self.0 {
                let (name, found) = (&package["name"], &package["version"]);
                return Err(format!("{name} has version {found} after it was set"));
            }
        }
        Ok(())
    }
}

/// The manifests that may name a version of ours.
fn manifests(tree: &Path) -> Result<Vec<PathBuf>, String> {
    let crates = tree.join("crates");
    let mut manifests = vec![tree.join("Cargo.toml")];
    for entry in fs::read_dir(&crates).map_err(of_file(&crates))? {
        let manifest = entry.map_err(of_file(&crates))?.path().join("Cargo.toml");
        if manifest.is_file() {
            manifests.push(manifest);
        }
    }
    Ok(manifests)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).expect("a version")
    }

    #[test]
    fn versions_are_those_of_semantic_versioning() {
        for text in ["0.3.0", "10.20.30", "1.0.0-beta", "1.0.0-rc.1"] {
            assert_eq!(version(text).to_string(), text);
        }
        for text in [
            "1",
            "1.2",
            "1.2.3.4",
            "01.2.3",
            "1.2.x",
            "1.2.3-",
            "1.2.3-a..b",
            "+1.2.3",
        ] {
            assert!(Version::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_our_versions_change_in_a_manifest() {
        let manifest = "[workspace.package]\nversion = \"0.3.0\"\nedition = \"2024\"\n\n\
                        [workspace.dependencies]\n\
                        open_ttt_nn = { version = \"0.3.0\", path = \"crates/open_ttt_nn\" }\n\
                        serde = { version = \"0.3.0\" }\n";
        let expected = "[workspace.package]\nversion = \"1.0.0-rc.1\"\nedition = \"2024\"\n\n\
                        [workspace.dependencies]\n\
                        open_ttt_nn = { version = \"1.0.0-rc.1\", path = \"crates/open_ttt_nn\" }\n\
                        serde = { version = \"0.3.0\" }\n";
        assert_eq!(version("1.0.0-rc.1").set_in_manifest(manifest), expected);
        // Of an example that stands for itself.
        let other = "[package]\nname = \"x\"\nversion = \"0.3.0\"\n";
        assert_eq!(version("1.0.0").set_in_manifest(other), other);
    }

    #[test]
    fn the_changelog_must_be_about_the_version() {
        let changelog =
            "# Changelog\n\n## 1.1.0, not yet released\n\nNew.\n\n## 1.0.0, 1 May 2026\n";
        let dated = version("1.1.0").date_changelog(changelog, "2 June 2026");
        let expected = changelog.replace("1.1.0, not yet released", "1.1.0, 2 June 2026");
        assert_eq!(dated, Ok(expected));
        for wrong in ["1.0.0", "1.1.1"] {
            let error = version(wrong).date_changelog(changelog, "2 June 2026");
            assert!(
                error.is_err_and(|error| error.contains("## 1.1.0")),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_package_for_javascript_has_one_version() {
        let package =
            "{\n  \"name\": \"x\",\n  \"version\": \"0.3.0\",\n  \"type\": \"module\"\n}\n";
        let set = version("0.4.0").set_in_package(package);
        assert_eq!(set, Ok(package.replace("0.3.0", "0.4.0")));
        assert!(version("0.4.0").set_in_package("{}").is_err());
    }
}
