//! `open_ttt new`: the skeleton of a game of one's own.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use open_ttt_lib::rules::quoted;

use crate::failure::{Failure, path_text};

/// Write the skeleton of a game of your own, with its tests
///
/// The skeleton is a Cargo package with a small complete game, to be changed step by
/// step into yours. docs/your-own-game.md is a tutorial.
#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    /// The name of the game: lower-case letters, digits and underscores
    #[arg(value_name = "NAME", value_parser = package_name)]
    pub(crate) name: String,
    /// The folder of the package [default: NAME]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
}

/// The name in the skeleton, which is replaced.
const NAME: &str = "mygame";
const TITLE: &str = "My game";

const GAME: &str = include_str!("../../examples/mygame/game.rs");
const MAIN: &str = include_str!("../../examples/mygame/main.rs");

/// The longest name.
const MAX_LENGTH: usize = 32;

/// Words that can't name a package, although they have the form of a name.
const RESERVED: &[&str] = &[
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "open_ttt",
    "override",
    "priv",
    "proc_macro",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

fn package_name(name: &str) -> Result<String, String> {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase())
        || !name.chars().all(is_word)
        || name.len() > MAX_LENGTH
    {
        return Err(format!(
            "{} can't be a name; it has 1 to {MAX_LENGTH} lower-case letters, digits and \
             underscores and begins with a letter",
            quoted(name)
        ));
    }
    if RESERVED.contains(&name) {
        return Err(format!(
            "{} has another meaning for Cargo or Rust",
            quoted(name)
        ));
    }
    Ok(name.to_owned())
}

pub(crate) fn run(args: &NewArgs) -> Result<(), Failure> {
    let name = &args.name;
    let folder = args.dir.clone().unwrap_or_else(|| PathBuf::from(name));
    let files = [
        ("Cargo.toml", manifest(name)),
        ("src/main.rs", MAIN.to_owned()),
        ("src/game.rs", game(name)),
    ]
    // As the system writes paths.
    .map(|(file, text)| (folder.join(file).components().collect::<PathBuf>(), text));
    if let Some((file, _)) = files.iter().find(|(file, _)| file.exists()) {
        let file = path_text(file);
        return Err(Failure::usage(format_args!(
            "{file} exists already; name another folder with --dir"
        )));
    }
    for (file, text) in &files {
        write_new(file, text).map_err(Failure::file("write", file))?;
    }
    Ok(writeln!(
        io::stdout(),
        "{name} is in {}. Its rules are in src/game.rs; in that folder,\n  \
         cargo test         checks them\n  \
         cargo run          opens the menu\n  \
         cargo run -- serve lets others play it in the browser",
        path_text(&folder)
    )?)
}

/// Writes a file, which must not exist, and its folder.
fn write_new(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(file)?;
    file.write_all(text.as_bytes())
}

fn game(name: &str) -> String {
    let mut words = name.replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let [key, title] = [(NAME, name), (TITLE, &*words)].map(|(old, new)| {
        let quoted = |text: &str| format!("\"{text}\";");
        (quoted(old), quoted(new))
    });
    let named = GAME.replace(&key.0, &key.1);
    named.replace(&title.0, &title.1)
}

fn manifest(name: &str) -> String {
    let source = source();
    format!(
        "[package]\n\
         name = \"{name}\"\n\
         version = \"0.1.0\"\n\
         edition = \"2024\"\n\
         publish = false\n\
         \n\
         [dependencies]\n\
         open_ttt = {{ {source} }}\n\
         \n\
         [dev-dependencies]\n\
         open_ttt = {{ {source}, features = [\"conformance\"] }}\n\
         \n\
         # Computers think with it: as fast as with --release.\n\
         [profile.dev]\n\
         opt-level = 1\n\
         [profile.dev.package.\"*\"]\n\
         opt-level = 3\n\
         debug = false\n\
         \n\
         # A workspace of its own, wherever it is.\n\
         [workspace]\n"
    )
}

/// Where Cargo finds this library: in the repository that the program was built in, if
/// that is still there, otherwise in the registry.
fn source() -> String {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_repository = built_in.ends_with("crates/open_ttt") && built_in.is_dir();
    match built_in.to_str().filter(|_| is_repository) {
        Some(path) => format!("path = {path:?}"),
        None => format!("version = {:?}", env!("CARGO_PKG_VERSION")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, is_name: bool) {
        assert_eq!(package_name(name).is_ok(), is_name, "{name:?}");
    }

    #[test]
    fn names_of_packages_and_keys() {
        for name in ["a", "reversi", "my_game_2"] {
            check(name, true);
        }
        let long = "a".repeat(MAX_LENGTH + 1);
        for name in [
            "", "2048", "_a", "Reversi", "my-game", "../up", "ä", "a b", &long,
        ] {
            check(name, false);
        }
        for name in ["fn", "test", "core", "open_ttt"] {
            check(name, false);
        }
    }

    #[test]
    fn the_skeleton_gets_the_name() {
        let game = game("three_towers");
        assert!(game.contains("const KEY: &'static str = \"three_towers\";"));
        assert!(game.contains("const TITLE: &'static str = \"Three towers\";"));
        assert!(!game.contains(NAME) && !game.contains(TITLE));
    }
}
