use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use super::{History, Reason, Side, TwoPlayerGame};

/// Moves as text and the names of the sides.
///
/// # Laws
///
/// [`parse_move`](Self::parse_move) is the inverse of
/// [`move_text`](Self::move_text), regardless of case and surrounding spaces.
#[doc(alias = "Input")]
#[diagnostic::on_unimplemented(
    message = "the moves of `{Self}` have no text",
    note = "implement `Notation` for it: moves as text, and the names of the sides"
)]
pub trait Notation: TwoPlayerGame {
    /// The text of a move: `a1`, `C`, `4`. It has no spaces and no commas.
    fn move_text(&self, m: Self::Move) -> String;

    /// Parses a move, legal or not, regardless of case and spaces.
    ///
    /// # Errors
    ///
    /// [`ParseMoveError`] with the text and the expected form of a move.
    #[doc(alias = "choose_stdin")]
    fn parse_move(&self, text: &str) -> Result<Self::Move, ParseMoveError>;

    /// The name of a side: `X`, `Red`.
    fn side_name(&self, side: Side) -> &'static str;

    /// The noun for a move at the start of a prompt: `Coordinates`, `Peg`,
    /// `Column`.
    fn move_noun(&self) -> &'static str;
}

/// Text that isn't a move of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseMoveError {
    /// The text, in quotes, shortened and without control characters.
    pub text: String,
    /// The expected form: "a column from a to c and a row from 1 to 3, as in a1".
    pub expected: String,
}

impl ParseMoveError {
    /// The error for `text`, of any length and content.
    pub fn new(text: &str, expected: impl Into<String>) -> Self {
        Self {
            text: quoted(text),
            expected: expected.into(),
        }
    }
}

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} isn't a move; expected {}", self.text, self.expected)
    }
}

impl Error for ParseMoveError {}

/// Why a list of moves can't be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayTextError {
    /// The number of the wrong move, from 1.
    pub number: usize,
    /// The text of the move, shortened and in quotes.
    pub text: String,
    /// What is wrong with the move.
    pub kind: PlayTextErrorKind,
}

/// What is wrong with one move of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayTextErrorKind {
    /// It isn't a move of the game.
    Malformed(ParseMoveError),
    /// It is illegal in its position.
    Illegal(Reason),
}

impl fmt::Display for PlayTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, text, kind } = self;
        match kind {
            PlayTextErrorKind::Malformed(error) => write!(f, "move {number}: {error}"),
            PlayTextErrorKind::Illegal(reason) => {
                write!(f, "move {number}: {text} is not possible: {reason}")
            }
        }
    }
}

impl Error for PlayTextError {}

/// Plays a list of moves given as text and returns the moves.
///
/// Moves are separated by spaces or commas; one-character moves need no
/// separator: `4453`, `ABCH`. An empty text or `-` is the empty list.
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
/// [`PlayTextError`] at the first move that can't be parsed or is illegal. The
/// moves before it have been played then.
pub fn play_text<G: Notation>(game: &mut G, text: &str) -> Result<Vec<G::Move>, PlayTextError> {
    let mut history = History::new(game.clone());
    let played = history.play_text(text);
    let (_, moves, position) = history.into_parts();
    *game = position;
    played.map(|()| moves)
}

impl<G: Notation> History<G> {
    /// The texts of the moves. What a move means may depend on its position, so they
    /// are written as they were played.
    pub fn move_texts(&self) -> Vec<String> {
        let mut position = self.start().clone();
        let text = |&m: &G::Move| {
            let text = position.move_text(m);
            position.play_unchecked(m);
            text
        };
        self.moves().iter().map(text).collect()
    }

    /// Plays a list of moves given as text, as [`play_text`] does.
    ///
    /// # Errors
    ///
    /// [`PlayTextError`] at the first move that can't be parsed or is illegal. The
    /// moves before it have been played then.
    pub fn play_text(&mut self, text: &str) -> Result<(), PlayTextError> {
        if text.trim() == "-" {
            return Ok(());
        }
        let words = text.split(|c: char| c.is_whitespace() || c == ',');
        let first = self.moves().len();
        for word in words.filter(|word| !word.is_empty()) {
            if is_run_of_moves(self.position(), word) {
                for letter in word.chars() {
                    play_word(self, &letter.to_string(), first)?;
                }
            } else {
                play_word(self, word, first)?;
            }
        }
        Ok(())
    }
}

/// Whether a word that isn't a move consists of one-character moves, judging by
/// its first two characters.
fn is_run_of_moves<G: Notation>(game: &G, word: &str) -> bool {
    let is_move = |letter: char| game.parse_move(&letter.to_string()).is_ok();
    game.parse_move(word).is_err()
        && word.chars().nth(1).is_some()
        && word.chars().take(2).all(is_move)
}

/// Plays a move of a list that began after `first` moves.
fn play_word<G: Notation>(
    game: &mut History<G>,
    word: &str,
    first: usize,
) -> Result<(), PlayTextError> {
    let number = game.moves().len() - first + 1;
    let error = |kind| PlayTextError {
        number,
        text: quoted(word),
        kind,
    };
    let parsed = game.position().parse_move(word);
    let m = parsed.map_err(|e| error(PlayTextErrorKind::Malformed(e)))?;
    let played = game.play(m);
    played.map_err(|e| error(PlayTextErrorKind::Illegal(e.reason)))
}

/// Untrusted text for an error message: in quotes, shortened to twenty characters,
/// with control characters escaped.
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

/// Text without spaces, its ASCII letters in lower case, or `None` if more than `longest`
/// characters remain, for [`Notation::parse_move`].
///
/// ```
/// use open_ttt_lib::rules::normalized;
///
/// assert_eq!(normalized(" A 1 ", 2).as_deref(), Some("a1"));
/// assert_eq!(normalized("a1b", 2), None);
/// assert_eq!(normalized("ä 1", 2).as_deref(), Some("ä1"));
/// ```
pub fn normalized(text: &str, longest: usize) -> Option<String> {
    let mut kept = String::new();
    let letters = text.chars().filter(|c| !c.is_whitespace());
    for (index, letter) in letters.enumerate() {
        if index >= longest {
            return None;
        }
        kept.push(letter.to_ascii_lowercase());
    }
    Some(kept)
}

/// Parses `a1`-style coordinates on a board of `columns` by `rows` (each at
/// most 26): the column's letter, then the row's number from the bottom.
/// Returns (column, row), counted from 0.
///
/// ```
/// use open_ttt_lib::rules::parse_grid_cell;
///
/// assert_eq!(parse_grid_cell("B3", 3, 3)?, (1, 2));
/// assert_eq!(
///     parse_grid_cell("d1", 3, 3).unwrap_err().to_string(),
///     r#""d1" isn't a move; expected a column from a to c and a row from 1 to 3, as in a1"#,
/// );
/// # Ok::<(), open_ttt_lib::rules::ParseMoveError>(())
/// ```
///
/// # Errors
///
/// [`ParseMoveError`] if the text isn't a cell of the board.
pub fn parse_grid_cell(text: &str, columns: u8, rows: u8) -> Result<(u8, u8), ParseMoveError> {
    let read = || {
        let text = normalized(text, 3)?;
        let (&letter, digits) = text.as_bytes().split_first()?;
        let column = letter.checked_sub(b'a').filter(|&c| c < columns)?;
        // `u8::from_str` would accept a sign and leading zeros.
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
