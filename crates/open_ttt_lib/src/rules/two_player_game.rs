use core::fmt::Debug;
use core::hash::Hash;

use super::{IllegalMove, Outcome, Reason, Repetition, Side};
use crate::random::below;

/// The longest playout of a game in which positions can come back.
pub(crate) const MAX_PLAYOUT_MOVES: u32 = 1_000;

/// A two-player game with perfect information and no chance.
///
/// A value of the implementing type is a position. Four methods describe the
/// whole game; [`to_move`](Self::to_move) alone decides whose turn it is, so a side
/// may move several times in a row or pass:
///
/// ```
/// use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};
///
/// /// Take one, two or three sticks. The side that takes the last one wins.
/// #[derive(Clone, PartialEq, Eq, Hash)]
/// struct Sticks {
///     left: u8,
///     to_move: Side,
/// }
///
/// impl TwoPlayerGame for Sticks {
///     type Move = u8;
///     const ALTERNATES: bool = true;
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
/// - [`moves`](Self::moves) yields exactly the moves that [`play`](Self::play)
///   accepts, each once, in the same order for equal positions.
/// - A game that is over has no legal moves; any other has at least one.
/// - If [`ALTERNATES`](Self::ALTERNATES) is true, the side to move changes with
///   every move, the last one included.
/// - Every game ends; a game in which positions come back ends by its rule
///   about [`repetition`](Self::repetition) at the latest.
/// - Equal positions have equal hashes, and different positions feed different
///   data to the hasher: searches identify a position by its hash alone. The
///   derived `Hash` does both.
///
/// With the feature `conformance`, `rules::conformance` checks these laws.
///
/// # Speed
///
/// A search clones positions and iterates over `moves` millions of times a
/// second. A position should be small and `Copy`; `moves` and `play_unchecked`
/// shouldn't allocate.
#[doc(alias = "StateMachine")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a game",
    note = "implement `TwoPlayerGame` for it: the side to move, the outcome, the legal moves and what a move does"
)]
pub trait TwoPlayerGame: Clone + Eq + Hash {
    /// A move, independent of the position. A type that implements `Display`
    /// should write the game's notation, which error messages use.
    type Move: Copy + Eq + Hash + Debug;

    /// Whether the side to move changes with every move.
    ///
    /// It is false unless a game says otherwise, which is always right: searches
    /// then compare the side to move before and after each move. True makes them
    /// a little faster, and is what some of them require.
    const ALTERNATES: bool = false;

    /// The side to move. When the game is over, the side that would move next.
    #[doc(alias = "current_player")]
    fn to_move(&self) -> Side;

    /// The outcome, or `None` if the game isn't over.
    #[doc(alias = "winner")]
    #[doc(alias = "check_for_winner")]
    #[doc(alias = "GameStatus")]
    #[doc(alias = "InProgress")]
    fn outcome(&self) -> Option<Outcome>;

    /// The legal moves. There are none exactly when the game is over.
    #[doc(alias = "possible_moves_in")]
    fn moves(&self) -> impl Iterator<Item = Self::Move>;

    /// What ends a game in which a position can come back; `None` if none can.
    ///
    /// It depends on the game and its parameters, not on the position. The history
    /// of a game isn't part of a position: whoever plays a game keeps it in a
    /// [`History`](super::History), and a search follows the positions on the path
    /// from its root.
    fn repetition(&self) -> Option<Repetition> {
        None
    }

    /// Plays a move without checking that it is legal.
    ///
    /// An illegal move may lead to an unreachable position or to a panic. Use
    /// [`play`](Self::play) for an untrusted move.
    fn play_unchecked(&mut self, m: Self::Move);

    /// Checks whether a move is legal.
    ///
    /// The provided implementation searches [`moves`](Self::moves) and returns
    /// [`Reason::Forbidden`] for anything else. A game overrides it to be faster
    /// or to give a better reason.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] if the move is illegal.
    #[doc(alias = "validMove")]
    fn check(&self, m: Self::Move) -> Result<(), IllegalMove<Self::Move>> {
        if self.outcome().is_some() {
            Err(IllegalMove::new(m, Reason::GameOver))
        } else if self.moves().any(|legal| legal == m) {
            Ok(())
        } else {
            Err(IllegalMove::new(m, Reason::Forbidden))
        }
    }

    /// Plays a move.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] if the move is illegal. The position is then unchanged.
    fn play(&mut self, m: Self::Move) -> Result<(), IllegalMove<Self::Move>> {
        self.check(m)?;
        self.play_unchecked(m);
        Ok(())
    }

    /// The position after a move, which must be legal as for
    /// [`play_unchecked`](Self::play_unchecked).
    fn after(&self, m: Self::Move) -> Self {
        let mut next = self.clone();
        next.play_unchecked(m);
        next
    }

    /// Plays uniformly random moves to the end of the game and returns the
    /// outcome.
    ///
    /// `draw` returns 64 random bits; the outcome depends on them and on the
    /// position only. The provided implementation draws once a move and iterates
    /// over the moves twice. Where positions can come back, a playout of more than
    /// 1,000 moves is a draw. A game that can pick a move faster overrides it,
    /// because the speed of a playout limits Monte Carlo search.
    #[doc(alias = "rollout")]
    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        let can_repeat = self.repetition().is_some();
        let mut moves = 0;
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            if can_repeat && moves == MAX_PLAYOUT_MOVES {
                return Outcome::Draw;
            }
            moves += 1;
            let index = below(draw(), self.moves().count());
            let Some(m) = self.moves().nth(index) else {
                // Unreachable for a game that obeys the laws.
                return Outcome::Draw;
            };
            self.play_unchecked(m);
        }
    }
}
