use open_ttt_lib::rules::Notation;

/// A board with more possible moves than this shows only the first of them.
const ALL_SHOWN: usize = 30;
const FIRST_SHOWN: usize = 10;

/// Two lines that ask for a move: which ones there are, and how one is written.
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
    format!(
        "{}\n{} to play? (e.g., {example})",
        possible_moves(&moves),
        position.move_noun()
    )
}

/// The legal move that was typed.
///
/// # Errors
///
/// What is wrong with it, as a sentence.
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
    let m = position
        .parse_move(text)
        .map_err(|error| error.to_string())?;
    match position.check(m) {
        Ok(()) => Ok(m),
        Err(illegal) => Err(format!(
            "Impossible move {}: {}",
            position.move_text(m),
            illegal.reason
        )),
    }
}

fn possible_moves(moves: &[String]) -> String {
    if moves.len() <= ALL_SHOWN {
        format!("Possible moves: {}", moves.join(" "))
    } else {
        let more = moves.len() - FIRST_SHOWN;
        format!(
            "Possible moves: {} and {more} more",
            moves[..FIRST_SHOWN].join(" ")
        )
    }
}
