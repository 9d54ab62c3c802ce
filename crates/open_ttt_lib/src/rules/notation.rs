use core::error::Error;
use core::fmt;

use super::{IllegalMove, Reason, Side, TwoPlayerGame};

/// Moves as text, both ways, and the names of the sides.
///
/// # Laws
///
/// [`parse_move`](Self::parse_move) of [`move_text`](Self::move_text) gives the
/// move back, also in another case and with spaces around it.
#[doc(alias = "Input")]
pub trait Notation: TwoPlayerGame {
    /// A move as players write it: `a1`, `C`, `4`. No spaces, no commas.
    fn move_text(&self, m: Self::Move) -> String;

    /// Reads a move, forgiving about case and spaces. Whether it is legal is
    /// another question.
    ///
    /// # Errors
    ///
    /// [`ParseMoveError`] says what was read and what a move looks like.
    #[doc(alias = "choose_stdin")]
    fn parse_move(&self, text: &str) -> Result<Self::Move, ParseMoveError>;

    /// What the game calls a side: `X`, `Red`.
    fn side_name(&self, side: Side) -> &'static str;

    /// What a player is asked for, as the beginning of a question:
    /// `Coordinates`, `Peg`, `Column`.
    fn move_noun(&self) -> &'static str;
}

/// Text that names no move of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseMoveError {
    /// What was read, shortened and without control characters.
    pub text: String,
    /// What a move looks like: "a column from a to c and a row from 1 to 3, as in a1".
    pub expected: String,
}

impl ParseMoveError {
    /// The error for `text`, of any length and content, where `expected` was
    /// wanted.
    pub fn new(text: &str, expected: impl Into<String>) -> Self {
        Self {
            text: quoted(text),
            expected: expected.into(),
        }
    }
}

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a move; write {}", self.text, self.expected)
    }
}

impl Error for ParseMoveError {}

/// Why a list of moves could not be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayTextError {
    /// Which move of the list it was, counting from 1.
    pub number: usize,
    /// The move as it was written, shortened and in quotes.
    pub text: String,
    /// What is wrong with it.
    pub kind: PlayTextErrorKind,
}

/// What is wrong with one move of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayTextErrorKind {
    /// It names no move of the game.
    Unreadable(ParseMoveError),
    /// It names a move that is not legal there.
    Illegal(Reason),
}

impl fmt::Display for PlayTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            PlayTextErrorKind::Unreadable(error) => write!(f, "move {}: {error}", self.number),
            PlayTextErrorKind::Illegal(reason) => {
                write!(
                    f,
                    "move {}: {} is not possible: {reason}",
                    self.number, self.text
                )
            }
        }
    }
}

impl Error for PlayTextError {}

/// Plays a written list of moves and returns them.
///
/// Moves are parted by spaces or commas. Where every move is one character
/// they may stand together: `4453`, `ABCH`. Nothing, or a lone `-`, is the
/// empty list.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::play_text;
///
/// let mut game = ConnectFour::new();
/// let moves = play_text(&mut game, "44 5,3")?;
/// assert_eq!(moves.len(), 4);
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
///
/// # Errors
///
/// [`PlayTextError`] at the first move that cannot be read or is not legal;
/// `game` then stands where that move was to be played.
pub fn play_text<G: Notation>(game: &mut G, text: &str) -> Result<Vec<G::Move>, PlayTextError> {
    let mut played = Vec::new();
    if text.trim() == "-" {
        return Ok(played);
    }
    for word in text
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
    {
        if stand_together(game, word) {
            let mut buffer = [0; 4];
            for letter in word.chars() {
                let letter = letter.encode_utf8(&mut buffer);
                played.push(play_word(game, letter, played.len() + 1)?);
            }
        } else {
            played.push(play_word(game, word, played.len() + 1)?);
        }
    }
    Ok(played)
}

/// Whether a word is no move itself but several one-character moves. The first
/// two characters decide; a later one that is no move is reported as such.
fn stand_together<G: Notation>(game: &G, word: &str) -> bool {
    let mut buffer = [0; 4];
    game.parse_move(word).is_err()
        && word.chars().nth(1).is_some()
        && word
            .chars()
            .take(2)
            .all(|letter| game.parse_move(letter.encode_utf8(&mut buffer)).is_ok())
}

fn play_word<G: Notation>(
    game: &mut G,
    word: &str,
    number: usize,
) -> Result<G::Move, PlayTextError> {
    let error = |kind| PlayTextError {
        number,
        text: quoted(word),
        kind,
    };
    let m = game
        .parse_move(word)
        .map_err(|e| error(PlayTextErrorKind::Unreadable(e)))?;
    game.play(m)
        .map_err(|IllegalMove { reason, .. }| error(PlayTextErrorKind::Illegal(reason)))?;
    Ok(m)
}

/// Text from outside made fit for an error message: in quotes, shortened to
/// some twenty characters, control characters written out.
///
/// ```
/// use open_ttt_lib::rules::quoted;
///
/// assert_eq!(quoted("z9\u{7}"), r#""z9\u{7}""#);
/// assert_eq!(quoted(&"y".repeat(1_000_000)), format!("\"{}...\"", "y".repeat(20)));
/// ```
pub fn quoted(text: &str) -> String {
    const SHOWN: usize = 20;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    format!("{shown:?}")
}

/// A move's text without spaces and in lower case, or `None` if more than
/// `longest` characters are left: the forgiving part of reading a move.
///
/// ```
/// use open_ttt_lib::rules::normalized;
///
/// assert_eq!(normalized(" A 1 ", 2).as_deref(), Some("a1"));
/// assert_eq!(normalized("a1b", 2), None);
/// ```
pub fn normalized(text: &str, longest: usize) -> Option<String> {
    let mut kept = String::new();
    for letter in text.chars().filter(|c| !c.is_whitespace()) {
        if kept.len() >= longest {
            return None;
        }
        kept.push(letter.to_ascii_lowercase());
    }
    Some(kept)
}

/// Reads `a1`-style coordinates on a board of `columns` by `rows` (each at
/// most 26): the column's letter, then the row's number from the bottom.
/// Returns (column, row) counted from 0.
///
/// ```
/// use open_ttt_lib::rules::parse_grid_cell;
///
/// assert_eq!(parse_grid_cell("B3", 3, 3)?, (1, 2));
/// assert_eq!(
///     parse_grid_cell("d1", 3, 3).unwrap_err().to_string(),
///     r#""d1" is not a move; write a column from a to c and a row from 1 to 3, as in a1"#,
/// );
/// # Ok::<(), open_ttt_lib::rules::ParseMoveError>(())
/// ```
///
/// # Errors
///
/// [`ParseMoveError`] for anything else.
pub fn parse_grid_cell(text: &str, columns: u8, rows: u8) -> Result<(u8, u8), ParseMoveError> {
    let read = || {
        let text = normalized(text, 3)?;
        let (&letter, digits) = text.as_bytes().split_first()?;
        let column = letter.checked_sub(b'a').filter(|&c| c < columns)?;
        // `u8::from_str` would also take a sign and leading zeros.
        if !matches!(digits, [b'1'..=b'9'] | [b'1'..=b'9', b'0'..=b'9']) {
            return None;
        }
        let row = digits.iter().fold(0, |n, d| n * 10 + (d - b'0'));
        (row <= rows).then_some((column, row - 1))
    };
    read().ok_or_else(|| {
        let last = char::from(b'a' + columns.clamp(1, 26) - 1);
        let columns = match last {
            'a' => "the column a".to_owned(),
            last => format!("a column from a to {last}"),
        };
        let rows = match rows {
            0 | 1 => "the row 1".to_owned(),
            rows => format!("a row from 1 to {rows}"),
        };
        ParseMoveError::new(text, format!("{columns} and {rows}, as in a1"))
    })
}
