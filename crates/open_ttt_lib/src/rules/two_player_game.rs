use core::fmt::Debug;
use core::hash::Hash;

use super::{IllegalMove, Outcome, Reason, Side};

/// A game of two players who take turns, hide nothing and throw no dice.
///
/// A value of the implementing type is one position. Five methods describe the
/// whole game; everything else in this library reads them:
///
/// ```
/// use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};
///
/// /// Take one, two or three sticks; who takes the last one wins.
/// #[derive(Clone, PartialEq, Eq, Hash)]
/// struct Sticks {
///     left: u8,
///     to_move: Side,
/// }
///
/// impl TwoPlayerGame for Sticks {
///     type Move = u8;
///
///     fn to_move(&self) -> Side {
///         self.to_move
///     }
///     fn outcome(&self) -> Option<Outcome> {
///         (self.left == 0).then_some(Outcome::Win(!self.to_move))
///     }
///     fn moves(&self) -> impl Iterator<Item = u8> {
///         1..=self.left.min(3)
///     }
///     fn play_unchecked(&mut self, taken: u8) {
///         self.left -= taken;
///         self.to_move = !self.to_move;
///     }
/// }
///
/// let mut game = Sticks { left: 5, to_move: Side::First };
/// game.play(1)?;
/// assert_eq!(game.moves().collect::<Vec<_>>(), [1, 2, 3]);
/// assert!(game.play(4).is_err());
/// # Ok::<(), open_ttt_lib::rules::IllegalMove<u8>>(())
/// ```
///
/// # Laws
///
/// - [`moves`](Self::moves) lists exactly the moves [`play`](Self::play)
///   accepts, none twice, in the same order for equal positions.
/// - A game that is over lists no move and refuses all; one that is not over
///   lists at least one.
/// - The sides take turns, and every game ends.
/// - Equal positions have equal hashes, and different ones feed the hasher
///   differently: searchers know a position again by its hash alone. The
///   derived `Hash` does both.
///
/// The feature `conformance` has them as functions to call from tests.
///
/// # Speed
///
/// Searchers clone positions and walk `moves` many millions of times a second.
/// A position that is small and `Copy`, and a `moves` and `play_unchecked`
/// that allocate nothing, are what makes them fast.
#[doc(alias = "StateMachine")]
pub trait TwoPlayerGame: Clone + Eq + Hash {
    /// One move. It is the same move in whatever position it is possible.
    type Move: Copy + Eq + Hash + Debug;

    /// The side whose turn it is; of a game that is over, the side whose turn
    /// it would be.
    #[doc(alias = "current_player")]
    fn to_move(&self) -> Side;

    /// How the game ended, or `None` while it goes on.
    #[doc(alias = "winner")]
    #[doc(alias = "check_for_winner")]
    #[doc(alias = "GameStatus")]
    #[doc(alias = "InProgress")]
    fn outcome(&self) -> Option<Outcome>;

    /// The legal moves: none exactly when the game is over.
    #[doc(alias = "possible_moves_in")]
    fn moves(&self) -> impl Iterator<Item = Self::Move>;

    /// Plays a move known to be legal.
    ///
    /// What happens on an illegal move is up to the game: the position may
    /// become one that no game reaches, and the method may panic. Use
    /// [`play`](Self::play) for a move from outside.
    fn play_unchecked(&mut self, m: Self::Move);

    /// Whether a move is legal, and if not, why.
    ///
    /// The provided implementation looks the move up in
    /// [`moves`](Self::moves). A game that can tell faster, or knows a better
    /// reason than [`Reason::Forbidden`], overrides it.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] with the reason.
    #[doc(alias = "validMove")]
    fn check(&self, m: Self::Move) -> Result<(), IllegalMove<Self::Move>> {
        let reason = if self.outcome().is_some() {
            Reason::GameOver
        } else if self.moves().any(|legal| legal == m) {
            return Ok(());
        } else {
            Reason::Forbidden
        };
        Err(IllegalMove {
            attempted: m,
            reason,
        })
    }

    /// Plays a move if it is legal.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] with the reason; the position is then unchanged.
    fn play(&mut self, m: Self::Move) -> Result<(), IllegalMove<Self::Move>> {
        self.check(m)?;
        self.play_unchecked(m);
        Ok(())
    }

    /// The position after a legal move, leaving this one as it is.
    ///
    /// The same precondition as for [`play_unchecked`](Self::play_unchecked).
    fn after(&self, m: Self::Move) -> Self {
        let mut next = self.clone();
        next.play_unchecked(m);
        next
    }

    /// Plays moves by chance to the end, every legal move as likely as another,
    /// and says how that ended.
    ///
    /// `draw` gives 64 random bits a call; the outcome depends on them and the
    /// position alone. The provided implementation takes one draw a move and
    /// counts the moves. A game that can choose among them without listing
    /// them overrides it: that is what makes judging by random games fast.
    #[doc(alias = "rollout")]
    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let count = self.moves().count();
            // By multiplication, as in Lemire, "Fast random integer generation
            // in an interval", 2019; the bias is below one in 2⁵⁰.
            let number = (u128::from(draw()) * count as u128) >> 64;
            let Some(m) = self.moves().nth(number as usize) else {
                // Only a game that breaks the contract has no move and no end.
                return Outcome::Draw;
            };
            self.play_unchecked(m);
        }
    }
}
