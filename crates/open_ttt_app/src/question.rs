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
        format!(
            "{} and {more} more (type moves to see all)",
            moves[..FIRST_LISTED].join(" ")
        )
    };
    format!("Possible moves: {listed}\n{noun} to play? (e.g., {example})")
}

/// All possible moves, in lines of at most so many characters if possible.
///
/// ```
/// use open_ttt_app::possible_moves;
/// use open_ttt_lib::games::Pegs;
///
/// assert_eq!(possible_moves(&Pegs::new(), 8), "A B C D\nE F G H");
/// ```
pub fn possible_moves<G: Notation>(position: &G, columns: u16) -> String {
    let mut list = String::new();
    let mut used = 0;
    for m in position.moves() {
        let text = position.move_text(m);
        let length = text.chars().count();
        if used > 0 {
            let fits = used + 1 + length <= usize::from(columns);
            list.push(if fits { ' ' } else { '\n' });
            used = if fits { used + 1 } else { 0 };
        }
        list += &text;
        used += length;
    }
    list
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
