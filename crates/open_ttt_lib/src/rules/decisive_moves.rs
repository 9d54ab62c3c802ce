use super::{Outcome, TwoPlayerGame};

/// Random games in which nobody overlooks what the next move decides: decisive
/// and anti-decisive moves (Teytaud and Teytaud, "On the huge benefit of
/// decisive moves in Monte-Carlo tree search algorithms", 2010).
///
/// It is for games that one move can win from one turn to the next. Such a
/// random game tells more of a position than one of any moves, and it is worth
/// having where it takes not much longer: so a game overrides the provided
/// method.
///
/// ```
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_lib::rules::{DecisiveMoves, Outcome, Side, play_text};
///
/// let mut game = ConnectFour::new();
/// // Three side by side with an open end on either side.
/// play_text(&mut game, "44553")?;
/// let outcome = game.play_out_decisively(&mut || 0);
/// assert_eq!(outcome, Outcome::Win(Side::First));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub trait DecisiveMoves: TwoPlayerGame {
    /// Plays to the end by chance, but wins at once where that is possible, and
    /// otherwise makes one of the moves after which the opponent does not win at
    /// once, each as likely as another. Where there is none the game is lost.
    /// Says how it ended.
    ///
    /// `draw` gives 64 random bits a call; the outcome depends on them and the
    /// position alone. The provided implementation tries every move and every
    /// reply.
    fn play_out_decisively(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let side = self.to_move();
            if wins_at_once(&self) {
                return Outcome::Win(side);
            }
            let lost = Some(Outcome::Win(!side));
            let safe = |next: &Self| next.outcome() != lost && !wins_at_once(next);
            let nexts: Vec<_> = self.moves().map(|m| self.after(m)).filter(safe).collect();
            // As in `play_out`.
            let number = (u128::from(draw()) * nexts.len() as u128) >> 64;
            match nexts.into_iter().nth(number as usize) {
                Some(next) => self = next,
                None => return Outcome::Win(!side),
            }
        }
    }
}

fn wins_at_once<G: TwoPlayerGame>(game: &G) -> bool {
    let win = Some(Outcome::Win(game.to_move()));
    game.moves().any(|m| game.after(m).outcome() == win)
}
