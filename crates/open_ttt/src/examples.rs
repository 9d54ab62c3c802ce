//! Two command lines for each command, for its help.

use clap::Command;

/// The commands with their examples, in the order of the help. `KEY` stands for a game.
const EXAMPLES: &[(&str, [&str; 2])] = &[
    (
        "play",
        [
            "play --game KEY",
            "play --game KEY --first human --second 'mcts(ms=500)'",
        ],
    ),
    ("games", ["games", "games --json"]),
    (
        "perft",
        [
            "perft --game KEY --depth 4",
            "perft --game KEY --depth 3 --divide",
        ],
    ),
    (
        "analyze",
        [
            "analyze --game KEY --values --time 2s",
            "analyze --game KEY --batch --json < positions.txt",
        ],
    ),
    ("solve", ["solve --game KEY", "solve --game KEY --json"]),
    (
        "arena",
        [
            "arena --game KEY --a 'mcts(ms=50)' --b random --save games.tsv",
            "arena --game KEY --a 'negamax(depth=4)' --b 'negamax(depth=2)' --openings 2 --seed 1",
        ],
    ),
    (
        "replay",
        ["replay games.tsv", "replay games.tsv --game 3 --end"],
    ),
    (
        "review",
        [
            "review games.tsv --game 3",
            "review games.tsv --time 1m --json",
        ],
    ),
    (
        "puzzle",
        [
            "puzzle --game KEY --daily",
            "puzzle --game KEY --rating 1500",
        ],
    ),
    (
        "serve",
        ["serve", "serve --listen 0.0.0.0:7878 --store games.db"],
    ),
    (
        "admin",
        [
            "admin status",
            "admin ban --hours 24 --reason 'too many matches' 192.0.2.7",
        ],
    ),
    (
        "store",
        ["store check games.db", "store backup games.db copy.db"],
    ),
    (
        "join",
        [
            "join http://127.0.0.1:7878/ --game KEY",
            "join http://127.0.0.1:7878/ --game KEY --quick --clock 3m+2s",
        ],
    ),
    (
        "player",
        [
            "player show http://127.0.0.1:7878/",
            "player games http://127.0.0.1:7878/ --limit 50",
        ],
    ),
    (
        "train",
        [
            "train --game KEY --minutes 30",
            "train --resume FOLDER --watch",
        ],
    ),
    (
        "work",
        [
            "work nats://127.0.0.1:4222",
            "work nats://127.0.0.1:4222 --threads 4 --group night",
        ],
    ),
    ("new", ["new mygame", "new mygame --dir games/mygame"]),
    ("completions", ["completions bash", "completions fish"]),
    ("man", ["man", "man --dir /usr/local/share/man/man1"]),
];

/// The help of a command with its examples at the end. `game` is the key of a game.
pub(crate) fn with_examples(command: Command, program: &str, game: &str) -> Command {
    let Some(text) = text(command.get_name(), program, game) else {
        return command;
    };
    match command.get_after_help() {
        Some(more) => {
            let all = format!("{more}\n\n{text}");
            command.after_help(all)
        }
        None => command.after_help(text),
    }
}

fn text(command: &str, program: &str, game: &str) -> Option<String> {
    let (_, lines) = EXAMPLES.iter().find(|(name, _)| *name == command)?;
    let lines = lines.map(|line| format!("\n  {program} {}", line.replace("KEY", game)));
    Some(format!("Examples:{}", lines.concat()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use open_ttt_catalog::Catalog;

    use super::*;
    use crate::{Args, games};

    /// The words of a line as a shell reads them, up to where it reads from a file.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(" < ").next().unwrap_or(line);
        // What is in quotes has an odd number.
        let parts = line.split('\'').enumerate();
        parts
            .flat_map(|(number, part)| match number % 2 {
                1 => vec![part.to_owned()],
                _ => part.split_whitespace().map(str::to_owned).collect(),
            })
            .collect()
    }

    fn command() -> Command {
        games::of_catalog(Args::command(), &Catalog::bundled())
    }

    /// The commands of the program in the blocks for a shell on a page.
    fn commands(page: &str) -> Vec<String> {
        let blocks = page.split("```sh\n").skip(1);
        let blocks = blocks.map(|block| block.split("```").next().unwrap_or(block));
        let joined = blocks.map(|block| block.replace("\\\n", " "));
        let lines = joined.flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>());
        lines
            .map(|line| {
                line.split(" #")
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_owned()
            })
            .filter(|line| line.starts_with("open_ttt "))
            .collect()
    }

    #[test]
    fn the_commands_on_pages_are_valid() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut count = 0;
        for page in ["README.md", "crates/open_ttt/README.md", "docs"] {
            let path = root.join(page);
            let mut pages = vec![path.clone()];
            if path.is_dir() {
                let entries = path
                    .read_dir()
                    .expect("the pages")
                    .map(|entry| entry.expect("one"));
                pages = entries.map(|entry| entry.path()).collect();
                pages.retain(|path| path.extension().is_some_and(|found| found == "md"));
            }
            for page in pages {
                let text = std::fs::read_to_string(&page).expect("a page");
                // What each reader has of their own.
                let key = "http://127.0.0.1:7878/#player=0123456789abcdef0123456789abcdef";
                let text = text.replace("PRIVATE-LINK", key);
                let text = text.replace("LINK", "http://127.0.0.1:7878/m/k3h9zq4m2x7d");
                for line in commands(&text) {
                    if let Err(error) = command().try_get_matches_from(words(&line)) {
                        panic!("{}: {line}: {error}", page.display());
                    }
                    count += 1;
                }
            }
        }
        assert!(count > 40, "{count} commands");
    }

    #[test]
    fn the_examples_of_every_command_are_valid() {
        for subcommand in command().get_subcommands() {
            let name = subcommand.get_name();
            let text = text(name, "program", "ttt").expect(name);
            let lines: Vec<_> = text.lines().skip(1).collect();
            assert_eq!(lines.len(), 2);
            for line in lines {
                let words = words(line);
                assert_eq!((&*words[0], &*words[1]), ("program", name));
                let parsed = command().try_get_matches_from(&words);
                if let Err(error) = parsed {
                    panic!("{line}: {error}");
                }
            }
        }
    }
}
