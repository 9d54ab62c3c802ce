use core::error::Error;
use core::fmt;
use core::str::FromStr;

use super::{GameEnd, GameRecord};
use open_ttt_lib::rules::{
    History, Named, Notation, Outcome, PlayTextError, Side, SpecError, quoted,
};

/// A played game as one line of text.
///
/// The line has five fields, separated by tabs: the name of the game, the first
/// player, the second player, the moves as [`play_text`](open_ttt_lib::rules::play_text) reads them, and the
/// result. The result is `1-0` for a win of the first side, `0-1` for the second,
/// `1/2-1/2` for a draw; a game that didn't end by its rules adds how it ended, as
/// in `0-1 resigned`, `1-0 forfeited`, `1-0 time`, `0-1 abandoned` or
/// `1/2-1/2 agreed`. The result of an unfinished game is `*`.
///
/// A line with another number of fields is an error, so that later versions can
/// add fields.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::{FromName, Outcome, Side};
/// use open_ttt_players::TextRecord;
///
/// let line = "ttt\tnegamax(depth=2)\trandom\ta1 b1 a2 b2 a3\t1-0";
/// let record: TextRecord = line.parse()?;
/// assert_eq!(record.player(Side::Second), "random");
/// assert_eq!(record.outcome(), Some(Outcome::Win(Side::First)));
/// assert_eq!(record.replay(TicTacToe::from_name)?.1.len(), 5);
/// assert_eq!(record.to_string(), line);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRecord {
    game: String,
    players: [String; 2],
    moves: String,
    outcome: Option<Outcome>,
    termination: Termination,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Termination {
    /// By its rules.
    Finished,
    /// The loser resigned.
    Resigned,
    /// The side to move lost by repeated illegal moves.
    Forfeited,
    /// The side to move ran out of time.
    Time,
    /// The loser left.
    Abandoned,
    /// The players agreed on a draw.
    Agreed,
    /// Not at all.
    Unfinished,
}

/// Every result as text.
const RESULTS: [(&str, Option<Outcome>, Termination); 13] = {
    use Termination::{Abandoned, Agreed, Finished, Forfeited, Resigned, Time, Unfinished};
    const FIRST: Option<Outcome> = Some(Outcome::Win(Side::First));
    const SECOND: Option<Outcome> = Some(Outcome::Win(Side::Second));
    const DRAW: Option<Outcome> = Some(Outcome::Draw);
    [
        ("1-0", FIRST, Finished),
        ("0-1", SECOND, Finished),
        ("1/2-1/2", DRAW, Finished),
        ("1-0 resigned", FIRST, Resigned),
        ("0-1 resigned", SECOND, Resigned),
        ("1-0 forfeited", FIRST, Forfeited),
        ("0-1 forfeited", SECOND, Forfeited),
        ("1-0 time", FIRST, Time),
        ("0-1 time", SECOND, Time),
        ("1-0 abandoned", FIRST, Abandoned),
        ("0-1 abandoned", SECOND, Abandoned),
        ("1/2-1/2 agreed", DRAW, Agreed),
        ("*", None, Unfinished),
    ]
};

impl TextRecord {
    /// The longest line, in bytes without the line end: far longer than any game.
    pub const MAX_LENGTH: usize = 256 * 1024;

    /// The record of a game between players with these names.
    ///
    /// # Errors
    ///
    /// [`TextRecordError`] if a name isn't a valid field or the line would be too
    /// long.
    pub fn new<G: Named + Notation>(
        record: &GameRecord<G>,
        players: [&str; 2],
    ) -> Result<Self, TextRecordError> {
        let termination = match record.end {
            GameEnd::Finished(_) => Termination::Finished,
            GameEnd::Resigned(_) => Termination::Resigned,
            GameEnd::Forfeited { .. } => Termination::Forfeited,
        };
        let end = (Some(record.end.outcome()), termination);
        Self::of_moves(&record.start, &record.moves, players, end)
    }

    /// The record of these legal moves, with the outcome and how it came about.
    ///
    /// # Errors
    ///
    /// [`TextRecordError`] if a name isn't a valid field, the line would be too long,
    /// or no game ends like this: a draw by resignation.
    ///
    /// ```
    /// use open_ttt_lib::games::TicTacToe;
    /// use open_ttt_lib::rules::Outcome;
    /// use open_ttt_players::{Termination, TextRecord};
    ///
    /// let end = (Some(Outcome::Draw), Termination::Agreed);
    /// let record = TextRecord::of_moves(&TicTacToe::new(), &[], ["Ann", "Bob"], end)?;
    /// assert_eq!(record.to_string(), "ttt\tAnn\tBob\t-\t1/2-1/2 agreed");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_moves<G: Named + Notation>(
        start: &G,
        moves: &[G::Move],
        players: [&str; 2],
        (outcome, termination): (Option<Outcome>, Termination),
    ) -> Result<Self, TextRecordError> {
        let mut position = start.clone();
        let text = |&m: &G::Move| {
            let text = position.move_text(m);
            position.play_unchecked(m);
            text
        };
        let texts: Vec<_> = moves.iter().map(text).collect();
        let single_characters = texts.iter().all(|text| text.chars().count() == 1);
        let written = Self {
            game: start.name(),
            players: players.map(str::to_owned),
            moves: match texts.join(if single_characters { "" } else { " " }) {
                moves if moves.is_empty() => "-".to_owned(),
                moves => moves,
            },
            outcome,
            termination,
        };
        if written.result().is_empty() {
            let end = quoted(&format!("{outcome:?} {termination:?}"));
            return Err(TextRecordError::Result(end));
        }
        // Parsing checks the fields.
        written.to_string().parse()
    }

    /// The name of the game.
    pub fn game(&self) -> &str {
        &self.game
    }

    /// The name of the player of this side.
    pub fn player(&self, side: Side) -> &str {
        &self.players[side.index()]
    }

    /// The moves, as [`play_text`](open_ttt_lib::rules::play_text) reads them.
    pub fn moves(&self) -> &str {
        &self.moves
    }

    /// The outcome, however the game ended; `None` if it is unfinished.
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// How the game ended.
    pub const fn termination(&self) -> Termination {
        self.termination
    }

    /// The result as text.
    pub fn result(&self) -> &'static str {
        let same = |&&(_, outcome, termination): &&(&str, _, _)| {
            (outcome, termination) == (self.outcome, self.termination)
        };
        // The table is complete: a side that resigns or forfeits has lost.
        RESULTS.iter().find(same).map_or("", |(text, _, _)| text)
    }

    /// Replays the game by its rules; returns the start position and the moves.
    /// `find` returns the start position of the game with a name: [`from_name`] of a
    /// game, or the search of a catalog.
    ///
    /// [`from_name`]: open_ttt_lib::rules::FromName::from_name
    ///
    /// # Errors
    ///
    /// [`ReplayError`] if there is no game with this name, a move is illegal, or
    /// the moves contradict the result.
    pub fn replay<G: Notation>(
        &self,
        find: impl FnOnce(&str) -> Result<G, SpecError>,
    ) -> Result<(G, Vec<G::Move>), ReplayError> {
        let start = find(&self.game).map_err(ReplayError::Game)?;
        let mut game = History::new(start);
        game.play_text(&self.moves).map_err(ReplayError::Moves)?;
        let outcome = game.outcome();
        let consistent = match (self.termination, outcome) {
            (Termination::Finished, outcome) => outcome.is_some() && outcome == self.outcome,
            (_, Some(_)) => false,
            (Termination::Forfeited | Termination::Time, None) => {
                self.outcome == Some(Outcome::Win(!game.position().to_move()))
            }
            (_, None) => true,
        };
        if consistent {
            let (start, moves, _) = game.into_parts();
            Ok((start, moves))
        } else {
            let written = self.result();
            Err(ReplayError::Result { written, outcome })
        }
    }
}

impl fmt::Display for TextRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([first, second], result) = (&self.players, self.result());
        write!(
            f,
            "{}\t{first}\t{second}\t{}\t{result}",
            self.game, self.moves
        )
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
        let invalid = |field: &&str| {
            field.is_empty() || field.trim() != *field || field.contains(char::is_control)
        };
        if let Some(field) = fields.iter().copied().find(invalid) {
            return Err(TextRecordError::Field(quoted(field)));
        }
        let known = RESULTS.iter().find(|(text, _, _)| *text == result);
        let &(_, outcome, termination) =
            known.ok_or_else(|| TextRecordError::Result(quoted(result)))?;
        Ok(Self {
            game: game.to_owned(),
            players: [first, second].map(str::to_owned),
            moves: moves.to_owned(),
            outcome,
            termination,
        })
    }
}

/// A line isn't a valid record of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextRecordError {
    /// It is longer than [`TextRecord::MAX_LENGTH`].
    TooLong,
    /// It has this number of fields, not five.
    FieldCount(usize),
    /// A field, shortened and in quotes, is empty, starts or ends with a space,
    /// or contains a control character.
    Field(String),
    /// The result, shortened and in quotes, is unknown.
    Result(String),
}

impl fmt::Display for TextRecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(
                f,
                "the line is longer than {} bytes",
                TextRecord::MAX_LENGTH
            ),
            Self::FieldCount(count) => write!(
                f,
                "a game has 5 fields separated by tabs (game, first, second, moves, result), not {count}"
            ),
            Self::Field(field) => write!(
                f,
                "{field} isn't a valid field; write text without surrounding spaces"
            ),
            Self::Result(result) => write!(
                f,
                "{result} isn't a result; write 1-0, 0-1, 1/2-1/2, *, or one like 1-0 resigned"
            ),
        }
    }
}

impl Error for TextRecordError {}

/// A recorded game can't be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// There is no such game.
    Game(SpecError),
    /// A move is unreadable or illegal.
    Moves(PlayTextError),
    /// The moves contradict the result.
    Result {
        /// The result in the record.
        written: &'static str,
        /// The outcome after the moves; `None` if the game isn't over.
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
                    None => "the game isn't over",
                };
                write!(f, "the result is {written}, but after the moves {end}")
            }
        }
    }
}

impl Error for ReplayError {}
