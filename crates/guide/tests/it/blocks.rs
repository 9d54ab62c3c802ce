//! No block of code on a page is without a check.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The pages of the book that aren't the README of a crate: rustdoc has those.
fn pages() -> Vec<String> {
    let entries = fs::read_dir(root().join("docs")).expect("the pages");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("one").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == "md"));
    let names = paths.iter().filter_map(|path| path.file_name()?.to_str());
    let mut pages: Vec<_> = names.map(|name| format!("docs/{name}")).collect();
    pages.push("README.md".to_owned());
    pages.push("crates/open_ttt/README.md".to_owned());
    pages.sort();
    pages
}

/// The blocks of code on a page, each with its language.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                open = Some((language.into_string(), String::new()));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                open = Some(("indented".to_owned(), String::new()));
            }
            Event::Text(text) => {
                if let Some((_, block)) = &mut open {
                    block.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
            _ => {}
        }
    }
    blocks
}

/// Who checks the blocks in a language: files of tests, each with the pages that it names.
/// Text and pictures of characters need none.
const CHECKS: [(&str, &[&str]); 10] = [
    ("rust", &["crates/guide/src/lib.rs"]),
    (
        "rust,ignore",
        &[
            "crates/guide/tests/it/blocks.rs",
            "crates/tutorial_reversi/tests/it/page.rs",
        ],
    ),
    ("console", &["crates/open_ttt/tests/it/pages.rs"]),
    (
        "json",
        &[
            "crates/open_ttt_net/tests/it/client/protocol_docs.rs",
            "crates/guide/tests/it/blocks.rs",
        ],
    ),
    (
        "digest",
        &["crates/open_ttt_net/tests/it/client/protocol_docs.rs"],
    ),
    (
        "python",
        &[
            "crates/open_ttt_python/tests/test_docs.py",
            "crates/open_ttt/tests/it/engine.rs",
        ],
    ),
    // Below, and whether the program knows the commands: in its own tests. Those of
    // docs/deployment.md are followed by `cargo xtask deployment`.
    ("sh", &[]),
    ("toml", &[]),
    ("yaml", &["crates/guide/tests/it/blocks.rs"]),
    ("text", &[]),
];

#[test]
fn every_block_has_a_check() {
    let checks: BTreeMap<_, _> = CHECKS.into_iter().collect();
    for page in pages() {
        for (language, block) in blocks(&read(&page)) {
            // After it the protocol's page has the name of a type.
            let language = match language.split(' ').next() {
                None | Some("") => "text",
                Some(language) => language,
            };
            let checks = checks.get(language);
            let checks = checks.unwrap_or_else(|| panic!("{page}: nothing checks {language}"));
            let name = page.rsplit('/').next().expect("a name");
            let is_checked = |check: &&str| read(check).contains(name);
            assert!(
                checks.is_empty() || checks.iter().any(is_checked),
                "{page}: nothing checks this {language}:\n{block}"
            );
        }
    }
}

/// Parts of programs that tests compile and run.
#[test]
fn parts_of_programs_are_those_of_the_programs() {
    for (page, program) in [
        ("README.md", "crates/open_ttt/examples/mygame/main.rs"),
        (
            "docs/teach_your_game.md",
            "crates/open_ttt_learn/examples/teach.rs",
        ),
    ] {
        // Pages and programs indent differently, and pages have comments of their own.
        let bare = |code: &str| -> String {
            let lines = code
                .lines()
                .map(|line| line.split("//").next().unwrap_or_default());
            lines.flat_map(str::split_whitespace).collect()
        };
        let program = bare(&read(program));
        let mut count = 0;
        for (language, block) in blocks(&read(page)) {
            if language == "rust,ignore" {
                assert!(program.contains(&bare(&block)), "{page}:\n{block}");
                count += 1;
            }
        }
        assert!(count > 0, "{page}");
    }
}

#[test]
fn settings_and_objects_are_valid() {
    for page in pages() {
        for (language, block) in blocks(&read(&page)) {
            match &*language {
                "toml" => {
                    let parsed = block.parse::<toml::Table>();
                    assert!(parsed.is_ok(), "{page}: {parsed:?}");
                }
                // In docs/protocol.md they are compared with the types.
                "json" if page == "crates/open_ttt/README.md" => {
                    for line in block.lines() {
                        let parsed = serde_json::from_str::<serde_json::Value>(line);
                        assert!(parsed.is_ok(), "{page}: {parsed:?}");
                    }
                }
                _ => {}
            }
        }
    }
}

/// docs/deployment.md has one addition to a file of ours, which is there as a comment.
#[test]
fn what_is_added_to_a_file_is_prepared_there() {
    let prepared = read("deploy/prometheus.yml");
    for (language, block) in blocks(&read("docs/deployment.md")) {
        if language == "yaml" {
            for line in block.lines() {
                assert!(prepared.contains(&format!("# {line}")), "{line}");
            }
        }
    }
}

/// The commands of cargo on pages name what there is.
#[test]
fn commands_of_cargo_name_what_there_is() {
    let usage = read("xtask/src/main.rs");
    let mut count = 0;
    for page in pages() {
        for (language, block) in blocks(&read(&page)) {
            if language != "sh" {
                continue;
            }
            for line in block.lines().filter(|line| line.starts_with("cargo ")) {
                let words: Vec<&str> = line.split_whitespace().collect();
                if words[1] == "xtask" {
                    let name = format!("cargo xtask {}", words[2]);
                    assert!(usage.contains(&name), "{page}: {line}");
                }
                let package = words
                    .iter()
                    .position(|&word| word == "-p" || word == "--package");
                if let Some(at) = package {
                    let manifest = format!("crates/{}/Cargo.toml", words[at + 1]);
                    assert!(root().join(&manifest).exists(), "{page}: {line}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 8, "{count}");
}
