//! The puzzles that ship with the games.

#[cfg(not(open_ttt_small))]
use std::io::Read;

use open_ttt_lib::rules::Named;

use super::CatalogGame;

/// The puzzles of a game with default parameters, if this is it: the text of a file of
/// `puzzles/`, which is unpacked when it is first asked for.
macro_rules! puzzles_of_default {
    ($game:expr, $name:literal) => {{
        #[cfg(open_ttt_small)]
        let text = || include_str!(concat!("../puzzles/", $name));
        #[cfg(not(open_ttt_small))]
        let text = || {
            static TEXT: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
                $crate::puzzle_files::unpacked(include_bytes!(concat!(
                    env!("OUT_DIR"),
                    "/",
                    $name,
                    ".deflate"
                )))
            });
            TEXT.as_str()
        };
        $crate::puzzle_files::of_default($game, text)
    }};
}
pub(super) use puzzles_of_default;

/// The text, if the game has default parameters.
pub(super) fn of_default<G: CatalogGame>(
    game: &G,
    text: impl Fn() -> &'static str,
) -> &'static str {
    if game.name() == G::KEY { text() } else { "" }
}

/// The text of a file that `build.rs` has compressed.
#[cfg(not(open_ttt_small))]
pub(super) fn unpacked(file: &[u8]) -> String {
    let mut text = String::new();
    // What ships is whole: a test counts its lines.
    let _ = flate2::read::DeflateDecoder::new(file).read_to_string(&mut text);
    text
}
