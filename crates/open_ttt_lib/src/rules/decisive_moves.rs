use super::{MAX_PLAYOUT_MOVES, Outcome, TwoPlayerGame};
use crate::random::below;
use alloc::vec::Vec;

/// Random playouts with decisive and anti-decisive moves: a side that can win
/// with its next move does, and one that can prevent the opponent's win does
/// (Teytaud and Teytaud, "On the huge benefit of decisive moves in Monte-Carlo
/// tree search algorithms", 2010).
///
/// For games in which a single move can win. Such a playout estimates a position
/// better than a uniformly random one. It pays off only if it isn't much slower,
/// so a game overrides the provided method.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::{DecisiveMoves, Outcome, Side, play_text};
///
/// let mut game = ConnectFour::new();
/// // Three side by side, open at both ends.
/// play_text(&mut game, "44553")?;
/// let outcome = game.play_out_decisively(&mut || 0);
/// assert_eq!(outcome, Outcome::Win(Side::First));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no playouts with decisive moves",
    note = "implement `DecisiveMoves` for it; the trait has no required methods"
)]
pub trait DecisiveMoves: TwoPlayerGame {
    /// Plays random moves to the end of the game and returns the outcome.
    ///
    /// A winning move is played at once. Otherwise the move is drawn uniformly
    /// from those after which the opponent has no winning move; if there is none
    /// the game counts as lost.
    ///
    /// `draw` returns 64 random bits; the outcome depends on them and on the
    /// position only. The provided implementation tries every move and reply. Where positions
    /// can come back, a playout of more than 1,000 moves is a draw.
    fn play_out_decisively(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
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
            let side = self.to_move();
            if wins_at_once(&self) {
                return Outcome::Win(side);
            }
            let lost = Some(Outcome::Win(!side));
            let safe = |next: &Self| {
                let loses_at_once = next.to_move() != side && wins_at_once(next);
                next.outcome() != lost && !loses_at_once
            };
            let nexts: Vec<_> = self.moves().map(|m| self.after(m)).filter(safe).collect();
            let index = below(draw(), nexts.len());
            match nexts.into_iter().nth(index) {
                Some(next) => self = next,
                None => return Outcome::Win(!side),
            }
        }
    }
}

/// Whether some move of the side to move wins.
pub(super) fn wins_at_once<G: TwoPlayerGame>(game: &G) -> bool {
    let win = Some(Outcome::Win(game.to_move()));
    game.moves().any(|m| game.after(m).outcome() == win)
}
