use core::fmt::Display;

use open_ttt_lib::rules::Notation;

/// The longest list of possible moves that is printed in full.
const MAX_LISTED: usize = 30;
/// How many moves of a longer list are printed.
const FIRST_LISTED: usize = 10;

/// The two lines that ask for a move: the possible moves, and an example of the
/// notation.
///
/// ```
/// use open_ttt_app::question;
/// use open_ttt_lib::games::Pegs;
///
/// assert_eq!(
///     question(&Pegs::new()),
///     "Possible moves: A B C D E F G H\nPeg to play? (e.g., A)"
/// );
/// ```
pub fn question<G: Notation>(position: &G) -> String {
    let moves: Vec<_> = position.moves().map(|m| position.move_text(m)).collect();
    let example = moves.first().map_or("", String::as_str);
    let noun = position.move_noun();
    let listed = if moves.len() <= MAX_LISTED {
        moves.join(" ")
    } else {
        let more = moves.len() - FIRST_LISTED;
        format!("{} and {more} more", moves[..FIRST_LISTED].join(" "))
    };
    format!("Possible moves: {listed}\n{noun} to play? (e.g., {example})")
}

/// Parses a legal move.
///
/// # Errors
///
/// A sentence that says what is wrong with the move.
///
/// ```
/// use open_ttt_app::read_move;
/// use open_ttt_lib::games::TicTacToe;
///
/// let game = TicTacToe::new();
/// assert!(read_move(&game, "B2").is_ok());
/// assert!(read_move(&game, "d4").is_err());
/// ```
pub fn read_move<G: Notation>(position: &G, text: &str) -> Result<G::Move, String> {
    let m = position.parse_move(text).map_err(sentence)?;
    match position.check(m) {
        Ok(()) => Ok(m),
        Err(illegal) => Err(format!(
            "Impossible move {}: {}.",
            position.move_text(m),
            illegal.reason
        )),
    }
}

/// An error message as a sentence: with a capital letter and a full stop.
///
/// ```
/// use open_ttt_app::sentence;
///
/// assert_eq!(sentence("the game is over"), "The game is over.");
/// ```
pub fn sentence(error: impl Display) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}
