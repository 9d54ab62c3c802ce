//! `cargo xtask guide`: the book about the project.
//!
//! Its chapters are the pages in `docs` and the libraries' own, where readers of the
//! repository find them, too. They are copied into one folder as they lie in the repository,
//! so that the links between them hold.

mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo_tool::CargoTool;
use crate::files::{self, of_file, remove_folder};
use crate::run;
use page::{Link, Page};

const MDBOOK: CargoTool = CargoTool {
    name: "mdbook",
    version: "0.5.4",
    features: "",
    purpose: "makes a book of pages",
};

/// The settings of the book, and its chapters in order.
const SETTINGS: &str = "docs/book/book.toml";
const SUMMARY: &str = "docs/book/SUMMARY.md";

/// Builds the book into `target/book`.
pub(crate) fn build(root: &Path, cargo: &str) -> Result<(), String> {
    let mdbook = MDBOOK.install(root, cargo)?;
    let sources = root.join("target/book-sources");
    remove_folder(&sources)?;
    let book = Book::read(root)?;
    book.write(root, &sources)?;
    let folder = root.join("target/book");
    let mut build = Command::new(mdbook);
    build.arg("build").arg("--dest-dir").arg(&folder);
    run(build.arg(&sources))?;
    println!("xtask: {}", folder.join("index.html").display());
    Ok(())
}

/// The chapters by their paths in the repository, and what they show or lead to.
struct Book {
    summary: String,
    chapters: BTreeMap<PathBuf, Page>,
    files: BTreeSet<PathBuf>,
}

impl Book {
    /// Reads the chapters, and follows their links.
    fn read(root: &Path) -> Result<Self, String> {
        let read = |path: &Path| fs::read_to_string(root.join(path)).map_err(of_file(path));
        let summary = read(Path::new(SUMMARY))?;
        let mut book = Self {
            chapters: BTreeMap::new(),
            files: BTreeSet::new(),
            summary,
        };
        for link in Page::parse(&book.summary).links() {
            // The summary lies above all pages in the book.
            let path = PathBuf::from(link.path());
            let text = read(&path)?;
            book.chapters.insert(path, Page::parse(&text));
        }
        let mut files = BTreeSet::new();
        for (path, page) in &book.chapters {
            for link in page.links() {
                files.extend(book.target(root, path, link)?);
            }
        }
        files.retain(|target| !book.chapters.contains_key(target));
        Ok(Self { files, ..book })
    }

    /// The path of what a link on a page leads to, if it is in the repository.
    fn target(&self, root: &Path, page: &Path, link: &Link) -> Result<Option<PathBuf>, String> {
        if link.leads_away() {
            return Ok(None);
        }
        let broken = || {
            let page = page.display();
            format!("{page}: the link to {} leads nowhere", link.destination)
        };
        let target = match link.path() {
            "" => page.to_owned(),
            path => resolve(page, path).ok_or_else(broken)?,
        };
        if !root.join(&target).exists() {
            return Err(broken());
        }
        match (self.chapters.get(&target), link.heading()) {
            (Some(chapter), Some(heading)) if !chapter.has_heading(heading) => Err(broken()),
            (None, _) if target.extension().is_some_and(|found| found == "md") => {
                let target = target.display();
                Err(format!("{SUMMARY} lacks {target}, to which pages link"))
            }
            _ => Ok(Some(target)),
        }
    }

    /// Writes the book's sources into a folder.
    fn write(&self, root: &Path, folder: &Path) -> Result<(), String> {
        let write = |path: &Path, text: &[u8]| files::write(&folder.join(path), text);
        let settings = root.join(SETTINGS);
        let settings = fs::read(&settings).map_err(of_file(&settings))?;
        write(Path::new("book.toml"), &settings)?;
        write(Path::new("src/SUMMARY.md"), self.summary.as_bytes())?;
        for (path, page) in &self.chapters {
            write(
                &Path::new("src").join(path),
                page.text_for_book().as_bytes(),
            )?;
        }
        for path in &self.files {
            let from = root.join(path);
            if from.is_file() {
                let bytes = fs::read(&from).map_err(of_file(&from))?;
                write(&Path::new("src").join(path), &bytes)?;
            }
        }
        Ok(())
    }
}

/// The path to which a relative one leads from a page, if it stays in the repository.
fn resolve(page: &Path, path: &str) -> Option<PathBuf> {
    let mut target = page.parent()?.to_owned();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                if !target.pop() {
                    return None;
                }
            }
            part => target.push(part),
        }
    }
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ROOT;

    #[test]
    fn every_link_in_the_book_leads_somewhere() {
        let book = Book::read(Path::new(ROOT)).unwrap_or_else(|error| panic!("{error}"));
        assert!(book.chapters.len() > 20, "{}", book.chapters.len());
    }

    #[test]
    fn every_page_is_in_the_book() {
        let book = Book::read(Path::new(ROOT)).unwrap_or_else(|error| panic!("{error}"));
        let docs = Path::new(ROOT).join("docs");
        for entry in fs::read_dir(&docs).expect("the pages") {
            let path = entry.expect("an entry").path();
            let path = path.strip_prefix(ROOT).expect("below the root").to_owned();
            let is_page = path.extension().is_some_and(|found| found == "md");
            assert!(!is_page || book.chapters.contains_key(&path), "{path:?}");
        }
    }

    #[test]
    fn relative_paths_stay_in_the_repository() {
        let page = Path::new("docs/turns.md");
        let target = resolve(page, "../crates/./a.rs");
        assert_eq!(target.as_deref(), Some(Path::new("crates/a.rs")));
        assert_eq!(resolve(page, "../../etc"), None);
    }
}
