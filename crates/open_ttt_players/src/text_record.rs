use core::error::Error;
use core::fmt;
use core::str::FromStr;

use super::{GameEnd, GameRecord};
use open_ttt_lib::rules::{
    Named, Notation, Outcome, PlayTextError, Side, SpecError, TwoPlayerGame, play_text, quoted,
};

/// A game that was played, as one line of text.
///
/// Five fields are parted by tabs: the game's name, who had the first move, who
/// answered, the moves, and the result. The moves are written as
/// [`play_text`] reads them. The result is `1-0` if the first side has won,
/// `0-1` if the second has, `1/2-1/2` for a draw, and says so if the game did
/// not end by its rules: `0-1 resigned`, `1-0 forfeited`.
///
/// A line with another number of fields is of another version, and not read.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_players::TextRecord;
/// use open_ttt_lib::rules::{Outcome, Side};
///
/// let line = "ttt\tnegamax(depth=2)\trandom\ta1 b1 a2 b2 a3\t1-0";
/// let record: TextRecord = line.parse()?;
/// assert_eq!(record.seat(Side::Second), "random");
/// assert_eq!(record.outcome(), Outcome::Win(Side::First));
/// assert_eq!(record.replay::<TicTacToe>()?.1.len(), 5);
/// assert_eq!(record.to_string(), line);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRecord {
    game: String,
    seats: [String; 2],
    moves: String,
    outcome: Outcome,
    ending: Termination,
}

/// What ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Termination {
    /// Its rules.
    Finished,
    /// The side to move gave up.
    Resigned,
    /// The side to move kept on answering with illegal moves.
    Forfeited,
}

/// The results as they are written, and what they say.
const RESULTS: [(&str, Outcome, Termination); 7] = {
    use Termination::{Finished, Forfeited, Resigned};
    const FIRST: Outcome = Outcome::Win(Side::First);
    const SECOND: Outcome = Outcome::Win(Side::Second);
    [
        ("1-0", FIRST, Finished),
        ("0-1", SECOND, Finished),
        ("1/2-1/2", Outcome::Draw, Finished),
        ("1-0 resigned", FIRST, Resigned),
        ("0-1 resigned", SECOND, Resigned),
        ("1-0 forfeited", FIRST, Forfeited),
        ("0-1 forfeited", SECOND, Forfeited),
    ]
};

impl TextRecord {
    /// The longest line there is, in bytes without its end: far longer than
    /// any game.
    pub const MAX_LENGTH: usize = 16 * 1024;

    /// How many fields a line has.
    const FIELDS: usize = 5;

    /// The record of a game between players with these names.
    ///
    /// # Errors
    ///
    /// [`TextRecordError`] if a name is no field of a line, or the line would
    /// be too long.
    pub fn new<G: Named + Notation>(
        record: &GameRecord<G>,
        seats: [&str; 2],
    ) -> Result<Self, TextRecordError> {
        let texts: Vec<_> = record
            .moves
            .iter()
            .map(|&m| record.start.move_text(m))
            .collect();
        let together = texts.iter().all(|text| text.chars().count() == 1);
        let written = Self {
            game: record.start.name(),
            seats: seats.map(str::to_owned),
            moves: match texts.join(if together { "" } else { " " }) {
                none if none.is_empty() => "-".to_owned(),
                moves => moves,
            },
            outcome: record.end.outcome(),
            ending: match record.end {
                GameEnd::Finished(_) => Termination::Finished,
                GameEnd::Resigned(_) => Termination::Resigned,
                GameEnd::Forfeited { .. } => Termination::Forfeited,
            },
        };
        // Whatever is written can be read again.
        written.to_string().parse()
    }

    /// The name of the game.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// Who had this side.
    pub fn seat(&self, side: Side) -> &str {
        &self.seats[side.index()]
    }

    /// The moves, as [`play_text`] reads them.
    pub fn moves(&self) -> &str {
        &self.moves
    }

    /// Who won, if anybody did.
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// What ended the game.
    pub const fn ending(&self) -> Termination {
        self.ending
    }

    /// The result as it is written.
    pub fn result(&self) -> &'static str {
        let same = |&&(_, outcome, ending): &&(&str, _, _)| {
            (outcome, ending) == (self.outcome, self.ending)
        };
        // All there can be are in the table: who gives up has lost.
        RESULTS.iter().find(same).map_or("", |(text, _, _)| text)
    }

    /// Plays the game again by its rules: the start and the moves.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] if the game has no such name or one of the moves is
    /// illegal, or if the moves do not lead to the result.
    pub fn replay<G: Named + Notation>(&self) -> Result<(G, Vec<G::Move>), ReplayError> {
        let start = G::from_name(&self.game).map_err(ReplayError::Game)?;
        let mut position = start.clone();
        let moves = play_text(&mut position, &self.moves).map_err(ReplayError::Moves)?;
        if self.follows_from(&position) {
            Ok((start, moves))
        } else {
            Err(ReplayError::Result {
                written: self.result(),
                outcome: position.outcome(),
            })
        }
    }

    /// Whether the result is one that the game may have had here.
    fn follows_from(&self, position: &impl TwoPlayerGame) -> bool {
        match (self.ending, position.outcome()) {
            (Termination::Finished, outcome) => outcome == Some(self.outcome),
            (Termination::Resigned | Termination::Forfeited, None) => {
                self.outcome == Outcome::Win(!position.to_move())
            }
            (Termination::Resigned | Termination::Forfeited, Some(_)) => false,
        }
    }
}

impl fmt::Display for TextRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            game,
            seats: [first, second],
            moves,
            ..
        } = self;
        write!(f, "{game}\t{first}\t{second}\t{moves}\t{}", self.result())
    }
}

impl FromStr for TextRecord {
    type Err = TextRecordError;

    fn from_str(line: &str) -> Result<Self, TextRecordError> {
        if line.len() > Self::MAX_LENGTH {
            return Err(TextRecordError::TooLong);
        }
        let fields: Vec<_> = line.split('\t').collect();
        let &[game, first, second, moves, result] = fields.as_slice() else {
            return Err(TextRecordError::FieldCount(fields.len()));
        };
        let bad = |field: &&str| {
            field.is_empty() || field.trim() != *field || field.contains(char::is_control)
        };
        if let Some(field) = fields.iter().copied().find(bad) {
            return Err(TextRecordError::Field(quoted(field)));
        }
        let known = RESULTS.iter().find(|(text, _, _)| *text == result);
        let &(_, outcome, ending) = known.ok_or_else(|| TextRecordError::Result(quoted(result)))?;
        Ok(Self {
            game: game.to_owned(),
            seats: [first, second].map(str::to_owned),
            moves: moves.to_owned(),
            outcome,
            ending,
        })
    }
}

/// Why a line is no record of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextRecordError {
    /// It is longer than [`TextRecord::MAX_LENGTH`].
    TooLong,
    /// It has so many fields.
    FieldCount(usize),
    /// This field, shortened and in quotes, is empty, begins or ends with a
    /// space, or holds a control character.
    Field(String),
    /// This, shortened and in quotes, is no result.
    Result(String),
}

impl fmt::Display for TextRecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(
                f,
                "it is longer than {} bytes, and no game is",
                TextRecord::MAX_LENGTH
            ),
            Self::FieldCount(count) => write!(
                f,
                "a game has {} fields, parted by tabs: game, first, second, moves, result; here are {count}",
                TextRecord::FIELDS
            ),
            Self::Field(field) => write!(
                f,
                "{field} is no field of a game; it must be text without spaces around it"
            ),
            Self::Result(result) => write!(
                f,
                "{result} is no result; write 1-0, 0-1 or 1/2-1/2, or 1-0 resigned and the like"
            ),
        }
    }
}

impl Error for TextRecordError {}

/// Why a recorded game cannot be played again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// There is no such game.
    Game(SpecError),
    /// A move cannot be played.
    Moves(PlayTextError),
    /// The moves lead to something else.
    Result {
        /// The result in the record.
        written: &'static str,
        /// How the game ends with these moves, if it does.
        outcome: Option<Outcome>,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(error) => error.fmt(f),
            Self::Moves(error) => error.fmt(f),
            Self::Result { written, outcome } => {
                let end = match outcome {
                    Some(Outcome::Win(Side::First)) => "the first side has won",
                    Some(Outcome::Win(Side::Second)) => "the second side has won",
                    Some(Outcome::Draw) => "the game is drawn",
                    None => "the game goes on",
                };
                write!(f, "the result is {written}, but after the moves {end}")
            }
        }
    }
}

impl Error for ReplayError {}
