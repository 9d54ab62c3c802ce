#[cfg(feature = "std")]
use core::cell::RefCell;
use core::error::Error;
use core::fmt;

use super::outcomes::Outcomes;
use super::{Game, Position};
use crate::games::tic_tac_toe::cells;
use crate::random::{InvalidProbability, Probability, Rng};

/// A move of a computer player with adjustable strength.
///
/// ```
/// use open_ttt_lib::tic_tac_toe::{AiMove, Game};
///
/// let mut game = Game::new();
/// while !game.state().is_game_over() {
///     game.do_move(AiMove::new(&game, 0.0).position());
/// }
/// assert!(game.board().free_squares().next().is_none());
/// ```
///
/// # Choice of the move
///
/// A computer that can complete a line does: it draws uniformly from the moves that
/// win at once. Otherwise, with best play afterwards, each legal move leads to a
/// win, a cat's game or a loss, and the computer draws uniformly from the moves to
/// the best outcome, regardless of how many moves it takes.
///
/// # Mistakes
///
/// With the mistake probability the computer instead draws uniformly from the
/// moves to the second-best outcome, unless all moves lead to the same one. So
/// with 0.0 it never loses, and with 1.0 it errs whenever it can.
///
/// # Worst-case time
///
/// A move is a table look-up and takes well below a microsecond. A benchmark
/// measures the slowest of all positions on your machine:
///
/// ```text
/// cargo bench -p open_ttt_lib
/// ```
#[doc(alias = "AIMove")]
#[doc(alias = "Difficulty")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AiMove {
    position: Position,
}

#[cfg(feature = "std")]
thread_local! {
    static RNG: RefCell<Rng> = RefCell::new(Rng::from_entropy());
}

impl AiMove {
    /// A move for the player whose turn it is, with a mistake probability of 0.0
    /// to 1.0.
    ///
    /// Uses a random number generator of the thread that differs from run to
    /// run; [`with_rng`](Self::with_rng) takes yours.
    ///
    /// # Panics
    ///
    /// If the game is over or the number isn't a probability.
    /// [`try_new`](Self::try_new) returns an error instead.
    #[cfg(feature = "std")]
    #[track_caller]
    pub fn new(game: &Game, mistake_probability: f64) -> Self {
        match Self::try_new(game, mistake_probability) {
            Ok(ai_move) => ai_move,
            Err(error) => panic!("{error}"),
        }
    }

    /// A move for the player whose turn it is, with a mistake probability of 0.0
    /// to 1.0.
    ///
    /// ```
    /// use open_ttt_lib::random::InvalidProbability;
    /// use open_ttt_lib::tic_tac_toe::{AiMove, AiMoveError, Game};
    ///
    /// let game = Game::new();
    /// let chosen = AiMove::try_new(&game, 0.25)?;
    /// assert!(game.can_move(chosen.position()));
    ///
    /// let error = AiMoveError::InvalidProbability(InvalidProbability { value: 7.0 });
    /// assert_eq!(AiMove::try_new(&game, 7.0), Err(error));
    /// # Ok::<(), AiMoveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`AiMoveError`] if the game is over or the number isn't a probability.
    #[cfg(feature = "std")]
    pub fn try_new(game: &Game, mistake_probability: f64) -> Result<Self, AiMoveError> {
        let mistake_probability = Probability::new(mistake_probability)?;
        RNG.with_borrow_mut(|rng| Self::with_rng(game, mistake_probability, rng))
    }

    /// A move for the player whose turn it is, reproducible from the state of
    /// `rng`.
    ///
    /// ```
    /// use open_ttt_lib::random::{Probability, Rng};
    /// use open_ttt_lib::tic_tac_toe::{AiMove, AiMoveError, Game};
    ///
    /// let game = Game::new();
    /// let first = AiMove::with_rng(&game, Probability::NEVER, &mut Rng::new(5))?;
    /// let again = AiMove::with_rng(&game, Probability::NEVER, &mut Rng::new(5))?;
    /// assert_eq!(first, again);
    /// # Ok::<(), AiMoveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`AiMoveError::GameOver`] if the game is over.
    pub fn with_rng(
        game: &Game,
        mistake_probability: Probability,
        rng: &mut Rng,
    ) -> Result<Self, AiMoveError> {
        let groups = Outcomes::of(game.position()).best_first();
        let mut groups = groups.into_iter().filter(|&moves| moves != 0);
        let best = groups.next().ok_or(AiMoveError::GameOver)?;
        let moves = match groups.next() {
            Some(next_best) if rng.chance(mistake_probability) => next_best,
            _ => best,
        };
        let drawn = rng.below(moves.count_ones() as usize);
        let cell = cells(moves).nth(drawn).ok_or(AiMoveError::GameOver)?;
        Ok(Self {
            position: Position::of(cell),
        })
    }

    /// The position that the computer marks.
    pub const fn position(&self) -> Position {
        self.position
    }
}

/// Why there is no computer move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AiMoveError {
    /// The game is over.
    GameOver,
    /// The mistake probability isn't one.
    InvalidProbability(InvalidProbability),
}

impl fmt::Display for AiMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GameOver => f.write_str("the game is over"),
            Self::InvalidProbability(error) => error.fmt(f),
        }
    }
}

impl Error for AiMoveError {}

impl From<InvalidProbability> for AiMoveError {
    fn from(error: InvalidProbability) -> Self {
        Self::InvalidProbability(error)
    }
}
