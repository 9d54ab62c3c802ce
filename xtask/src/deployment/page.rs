//! The commands of docs/deployment.md and of `deploy/Containerfile`.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

/// The blocks that are followed, in their order: each with its section, and the words by which
/// it is known.
const BLOCKS: [(&str, &str, &str); 7] = [
    ("program", MACHINE, "install -m 755 target/dist/open_ttt"),
    ("server", MACHINE, "systemctl enable --now open_ttt"),
    ("nginx", MACHINE, "apt-get install nginx"),
    ("prometheus", MACHINE, "deploy/prometheus.yml"),
    ("alertmanager", MACHINE, "install prometheus-alertmanager"),
    ("alertmanager.yml", MACHINE, "alertmanagers:"),
    ("haproxy", "HAProxy instead of nginx", "install haproxy"),
];

const MACHINE: &str = "One machine";

/// The name that the machine has instead of the reader's.
pub(super) const NAME: &str = "ttt.test";

/// The blocks of the page, each with the name of a file for it. They are as they stand there,
/// except that the reader's name is put in.
pub(super) fn blocks(page: &str) -> Result<Vec<(&'static str, String)>, String> {
    let found = code(page);
    let one = |(name, section, words): (&'static str, &str, &str)| {
        let of_section = |block: &&Block| block.section == section && block.text.contains(words);
        let mut blocks = found.iter().filter(of_section);
        match (blocks.next(), blocks.next()) {
            (Some(block), None) => Ok((name, block.text.replace("YOUR.NAME", NAME))),
            _ => Err(format!(
                "docs/deployment.md doesn't have one block with \"{words}\" in \"{section}\""
            )),
        }
    };
    BLOCKS.into_iter().map(one).collect()
}

/// The commands in the first comment of the Containerfile.
pub(super) fn container(containerfile: &str) -> Result<String, String> {
    let comment = containerfile
        .lines()
        .take_while(|line| line.starts_with('#'));
    let commands = comment.filter_map(|line| line.strip_prefix("#   "));
    let commands: String = commands.flat_map(|line| [line, "\n"]).collect();
    if !commands.contains("podman build") || !commands.contains("podman run") {
        return Err("deploy/Containerfile doesn't say how to build and run it".to_owned());
    }
    Ok(commands)
}

struct Block {
    /// The heading above it.
    section: String,
    text: String,
}

/// The blocks of code on a page.
fn code(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut section = String::new();
    let (mut is_heading, mut is_code) = (false, false);
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if level > HeadingLevel::H1 => {
                section.clear();
                is_heading = true;
            }
            Event::End(TagEnd::Heading(_)) => is_heading = false,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                is_code = true;
                blocks.push(Block {
                    section: section.clone(),
                    text: String::new(),
                });
            }
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(text) if is_heading => section.push_str(&text),
            Event::Text(text) if is_code => {
                if let Some(block) = blocks.last_mut() {
                    block.text.push_str(&text);
                }
            }
            _ => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    fn read(file: &str) -> String {
        fs::read_to_string(Path::new(crate::ROOT).join(file)).expect("a file")
    }

    #[test]
    fn each_block_about_one_machine_is_followed() {
        let page = read("docs/deployment.md");
        let blocks = blocks(&page).expect("the page has them");
        let sections = BLOCKS.map(|(_, section, _)| section);
        let is_in_them = |block: &Block| sections.contains(&&*block.section);
        let count = code(&page).into_iter().filter(is_in_them).count();
        assert_eq!(blocks.len(), count);
        let text: String = blocks.into_iter().map(|(_, text)| text).collect();
        assert!(text.contains("--domain ttt.test"), "{text}");
        assert!(!text.contains("YOUR.NAME"), "{text}");
    }

    #[test]
    fn blocks_are_known_by_section_and_words() {
        let page = "# A\n\n## B\n\n```sh\none\n```\n\n### C `d`\n\n```toml\ntwo\n```\n";
        let found = code(page);
        let found: Vec<_> = found
            .iter()
            .map(|block| (&*block.section, &*block.text))
            .collect();
        assert_eq!(found, [("B", "one\n"), ("C ", "two\n")]);
        assert!(blocks(page).is_err());
    }

    #[test]
    fn the_container_is_built_and_run_as_its_file_says() {
        let commands = container(&read("deploy/Containerfile")).expect("commands");
        assert!(
            commands.contains("cargo build --profile dist"),
            "{commands}"
        );
        assert!(commands.contains("--tag open_ttt"), "{commands}");
        assert!(!commands.contains("FROM"), "{commands}");
        assert!(container("# Nothing.\nFROM scratch\n").is_err());
    }
}
