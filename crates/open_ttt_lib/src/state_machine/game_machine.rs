use core::error::Error;
use core::fmt;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::StateMachine;
use crate::rules::{
    FromName, History, Named, Notation, Outcome, Reason, SpecError, TwoPlayerGame, quoted,
};

/// See [`GameMachine::MAX_MOVES`].
const MAX_MOVES: usize = 10_000;

/// A state machine for any game: the game's name and the moves played.
///
/// The JSON of a state is `{"game":"pegs(lines=38)","moves":["A","D"]}`, with the
/// name by [`Named`] and the moves by [`Notation`]. Deserializing replays the
/// moves, so every state obeys the rules, and rejects unknown fields. The JSON has
/// no version; a protocol or file that contains it has its own.
///
/// A game chosen at run time isn't known by its type: its state is read as a
/// [`SavedGame`] and [restored](Self::restore) with the catalog in hand.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::Side;
/// use open_ttt_lib::rules::TwoPlayerGame;
/// use open_ttt_lib::state_machine::{GameConflict, GameMachine, StateMachine};
///
/// let machine = GameMachine::new(ConnectFour::new())?;
/// let next = machine.apply(&"4".into())?;
/// assert_eq!(next.position().to_move(), Side::Second);
/// assert_eq!(next.moves().len(), 1);
/// assert_eq!(next.apply(&"8".into()), Err(GameConflict::NotAMove));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "TicTacToe")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameMachine<G: TwoPlayerGame>(History<G>);

/// A move as text in the game's notation: `A`, `c3`, `4`.
///
/// A machine rejects text that isn't a move with [`GameConflict::NotAMove`].
/// Deserializing rejects more than [`MAX_LENGTH`](Self::MAX_LENGTH) bytes.
///
/// ```
/// use open_ttt_lib::state_machine::GameMove;
///
/// let m: GameMove = serde_json::from_str(r#""c3""#)?;
/// assert_eq!(m, GameMove::from("c3"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[doc(alias = "Transition")]
#[doc(alias = "TicTacToeMove")]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct GameMove(pub String);

/// The JSON of a [`GameMachine`], not yet checked by the rules.
///
/// Deserializing rejects unknown fields and more than
/// [`MAX_MOVES`](GameMachine::MAX_MOVES) moves.
///
/// ```
/// use open_ttt_lib::games::Pegs;
/// use open_ttt_lib::rules::FromName;
/// use open_ttt_lib::state_machine::{GameMachine, SavedGame};
///
/// let saved: SavedGame = serde_json::from_str(r#"{"game":"pegs","moves":["A","D"]}"#)?;
/// let machine = GameMachine::restore(&saved, Pegs::from_name)?;
/// assert_eq!(machine.saved(), saved);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "GameMachine", deny_unknown_fields)]
pub struct SavedGame {
    /// The name of the game.
    pub game: String,
    /// The moves from the start of the game.
    #[serde(deserialize_with = "bounded_moves")]
    pub moves: Vec<GameMove>,
}

/// Why a [`SavedGame`] can't be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// There is no game with this name.
    Game(SpecError),
    /// A move is illegal.
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The text of the move, shortened and in quotes.
        text: String,
        /// Why it is illegal.
        conflict: GameConflict,
    },
}

/// Why a move is rejected. The JSON is its name, `"Occupied"`.
#[doc(alias = "Conflict")]
#[doc(alias = "TicTacToeConflict")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum GameConflict {
    /// The text isn't a move of the game.
    NotAMove,
    /// The game is over.
    #[doc(alias = "GameAlreadyEnded")]
    GameOver,
    /// The cell isn't on the board.
    OffBoard,
    /// The cell is occupied.
    #[doc(alias = "SquareAlreadyFilled")]
    Occupied,
    /// The column or peg is full.
    Full,
    /// Another rule of the game forbids the move in this position.
    Forbidden,
    /// The game has had [`GameMachine::MAX_MOVES`] moves.
    TooManyMoves,
}

/// The position isn't the start position of the game with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotStartPosition {
    /// The name of the game.
    pub name: String,
}

impl<G: TwoPlayerGame> GameMachine<G> {
    /// The maximum number of moves in a state. Draughts and morris have no rule that ends
    /// a game sooner; others end long before.
    pub const MAX_MOVES: usize = MAX_MOVES;

    /// The current position.
    pub const fn position(&self) -> &G {
        self.0.position()
    }

    /// The start position.
    pub const fn start(&self) -> &G {
        self.0.start()
    }

    /// The moves played.
    pub fn moves(&self) -> &[G::Move] {
        self.0.moves()
    }

    /// The game so far.
    pub const fn history(&self) -> &History<G> {
        &self.0
    }

    /// The outcome, also by the rule about
    /// [repetition](TwoPlayerGame::repetition); `None` if the game isn't over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    /// The same game after its first `count` moves, or all of them if it has fewer.
    pub fn rewound(&self, count: usize) -> Self {
        let mut game = self.clone();
        game.0.truncate(count);
        game
    }

    /// A game before its first move. `start` must be the start position of the game
    /// with its name, which is not checked: from a catalog, or
    /// [`from_name`](crate::rules::FromName::from_name). [`new`](Self::new) checks it.
    pub fn from_start(start: G) -> Self {
        Self(History::new(start))
    }
}

impl<G: FromName> GameMachine<G> {
    /// A game before its first move.
    ///
    /// # Errors
    ///
    /// [`NotStartPosition`] if moves have been made, which the JSON of the state
    /// would lose.
    pub fn new(start: G) -> Result<Self, NotStartPosition> {
        let name = start.name();
        match G::from_name(&name) {
            Ok(expected) if expected == start => Ok(Self::from_start(start)),
            _ => Err(NotStartPosition { name }),
        }
    }

    /// The game with this name, before its first move.
    ///
    /// # Errors
    ///
    /// [`SpecError`] if the name is invalid.
    pub fn from_name(name: &str) -> Result<Self, SpecError> {
        G::from_name(name).map(Self::from_start)
    }
}

impl<G: Named + Notation> GameMachine<G> {
    /// The game's name and the moves as text.
    pub fn saved(&self) -> SavedGame {
        let moves = self.0.move_texts().into_iter().map(GameMove);
        SavedGame {
            game: self.start().name(),
            moves: moves.collect(),
        }
    }
}

impl<G: Notation> GameMachine<G> {
    /// Plays the moves of a saved game. `find` returns the start position of the
    /// game with a name.
    ///
    /// # Errors
    ///
    /// [`RestoreError`] if there is no such game or a move is illegal.
    pub fn restore(
        saved: &SavedGame,
        find: impl FnOnce(&str) -> Result<G, SpecError>,
    ) -> Result<Self, RestoreError> {
        let start = find(&saved.game).map_err(RestoreError::Game)?;
        let mut machine = Self::from_start(start);
        for (text, number) in saved.moves.iter().zip(1..) {
            machine.push(text).map_err(|conflict| RestoreError::Move {
                number,
                text: quoted(&text.0),
                conflict,
            })?;
        }
        Ok(machine)
    }

    /// The transition that plays a move in the current position.
    pub fn transition(&self, m: G::Move) -> GameMove {
        GameMove(self.position().move_text(m))
    }

    fn push(&mut self, GameMove(text): &GameMove) -> Result<(), GameConflict> {
        if text.len() > GameMove::MAX_LENGTH {
            return Err(GameConflict::NotAMove);
        }
        let parsed = self.position().parse_move(text);
        let m = parsed.map_err(|_| GameConflict::NotAMove)?;
        if self.moves().len() >= MAX_MOVES && self.outcome().is_none() {
            return Err(GameConflict::TooManyMoves);
        }
        let played = self.0.play(m);
        played.map_err(|illegal| GameConflict::from(illegal.reason))
    }
}

impl<G: Named + Notation + fmt::Debug + 'static> StateMachine for GameMachine<G> {
    type Transition = GameMove;
    type Conflict = GameConflict;

    fn apply(&self, transition: &GameMove) -> Result<Self, GameConflict> {
        let mut next = self.clone();
        next.push(transition)?;
        Ok(next)
    }

    fn advance(&mut self, transition: &GameMove) -> Result<(), GameConflict> {
        self.push(transition)
    }
}

impl From<Reason> for GameConflict {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::GameOver => Self::GameOver,
            Reason::OffBoard => Self::OffBoard,
            Reason::Occupied => Self::Occupied,
            Reason::Full => Self::Full,
            Reason::Forbidden => Self::Forbidden,
        }
    }
}

impl fmt::Display for GameConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self {
            Self::NotAMove => return f.write_str("that isn't a move of the game"),
            Self::TooManyMoves => return f.write_str("the game has too many moves"),
            Self::GameOver => Reason::GameOver,
            Self::OffBoard => Reason::OffBoard,
            Self::Occupied => Reason::Occupied,
            Self::Full => Reason::Full,
            Self::Forbidden => Reason::Forbidden,
        };
        reason.fmt(f)
    }
}

impl Error for GameConflict {}

impl fmt::Display for NotStartPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the position is not the start of {}", self.name)
    }
}

impl Error for NotStartPosition {}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(error) => error.fmt(f),
            Self::Move {
                number,
                text,
                conflict,
            } => write!(f, "move {number}, {text}: {conflict}"),
        }
    }
}

impl Error for RestoreError {}

impl GameMove {
    /// The maximum length, in bytes.
    pub const MAX_LENGTH: usize = 64;
}

impl From<&str> for GameMove {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl<'de> Deserialize<'de> for GameMove {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = GameMove;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a move of at most {} bytes", GameMove::MAX_LENGTH)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<GameMove, E> {
                if text.len() > GameMove::MAX_LENGTH {
                    return Err(E::custom(format_args!(
                        "{} is longer than {} bytes",
                        quoted(text),
                        GameMove::MAX_LENGTH
                    )));
                }
                Ok(GameMove::from(text))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

impl<G: Named + Notation> Serialize for GameMachine<G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.saved().serialize(serializer)
    }
}

impl<'de, G: FromName + Notation> Deserialize<'de> for GameMachine<G> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = SavedGame::deserialize(deserializer)?;
        Self::restore(&saved, G::from_name).map_err(de::Error::custom)
    }
}

/// Reads a list of at most [`MAX_MOVES`] moves.
fn bounded_moves<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<GameMove>, D::Error> {
    struct List;

    impl<'de> Visitor<'de> for List {
        type Value = Vec<GameMove>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {MAX_MOVES} moves")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut moves = Vec::new();
            while let Some(m) = list.next_element()? {
                if moves.len() == MAX_MOVES {
                    return Err(de::Error::invalid_length(MAX_MOVES + 1, &self));
                }
                moves.push(m);
            }
            Ok(moves)
        }
    }

    deserializer.deserialize_seq(List)
}
