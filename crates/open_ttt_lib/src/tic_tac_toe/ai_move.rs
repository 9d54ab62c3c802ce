use core::cell::RefCell;
use core::error::Error;
use core::fmt;

use super::outcomes::Outcomes;
use super::{Game, Position};
use crate::games::tic_tac_toe::cells;
use crate::random::{InvalidProbability, Probability, Rng};

/// A move of a computer player, as strong as you like.
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
/// # Which move
///
/// Each possible move leads to one of three outcomes if both players play
/// their best afterwards: the computer wins, nobody does, or the computer
/// loses. It plays a move to the best of the outcomes it can reach, a win
/// before a cat's game before a loss. Only the outcome counts, not how soon it
/// comes; among moves to the same outcome each is as likely as another.
///
/// # Mistakes
///
/// With the mistake probability the computer overlooks the best outcome it can
/// reach: it leaves out all moves to it and plays one of those to the next
/// best outcome, again each as likely as another. Where all moves lead to the
/// same outcome there is no mistake to make. So in every position that has
/// better and worse moves, a worse one is played with exactly that
/// probability: with 0.0 the computer never loses, with 1.0 it errs whenever
/// it can.
#[doc(alias = "AIMove")]
#[doc(alias = "Difficulty")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AiMove {
    position: Position,
}

thread_local! {
    static RNG: RefCell<Rng> = RefCell::new(Rng::from_entropy());
}

impl AiMove {
    /// A move for the player whose turn it is, with this probability of a
    /// mistake, 0.0 to 1.0.
    ///
    /// Ties and mistakes are drawn from a source of the thread that differs
    /// from run to run; [`with_rng`](Self::with_rng) takes one of yours.
    ///
    /// # Panics
    ///
    /// If the game is over or the number is no probability.
    /// [`try_new`](Self::try_new) returns an error instead.
    #[track_caller]
    pub fn new(game: &Game, mistake_probability: f64) -> Self {
        match Self::try_new(game, mistake_probability) {
            Ok(ai_move) => ai_move,
            Err(error) => panic!("{error}"),
        }
    }

    /// A move for the player whose turn it is, with this probability of a
    /// mistake, 0.0 to 1.0, if there is one.
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
    /// [`AiMoveError`] if the game is over or the number is no probability.
    pub fn try_new(game: &Game, mistake_probability: f64) -> Result<Self, AiMoveError> {
        let mistake_probability = Probability::new(mistake_probability)?;
        RNG.with_borrow_mut(|rng| Self::with_rng(game, mistake_probability, rng))
    }

    /// A move for the player whose turn it is, drawn from this source: the
    /// same from equal sources.
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
        // A game that is over has no moves to any outcome.
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

    /// Where the computer player puts its mark.
    pub const fn position(&self) -> Position {
        self.position
    }
}

/// Why there is no move for the computer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AiMoveError {
    /// The game is over.
    GameOver,
    /// The mistake probability is none.
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
