use core::fmt::Debug;

use super::Laws;
use crate::rules::{LineGame, Outcome, Side, TwoPlayerGame};

impl<G: TwoPlayerGame + Debug> Laws<G> {
    /// The laws of [`LineGame`].
    #[track_caller]
    pub fn line_game(self) -> Self
    where
        G: LineGame,
    {
        let lines = self.start.winning_lines();
        assert!(
            lines.iter().all(|line| !line.is_empty()),
            "a line has at least one cell"
        );
        let cells: Vec<G::Move> = (0..self.start.move_count())
            .filter_map(|index| self.start.indexed_move(index))
            .collect();
        for position in &self.positions {
            assert_eq!(
                position.winning_lines(),
                lines,
                "all positions have the same lines: {position:?}"
            );
            let completed = |side: Side| {
                let owned = |&cell: &G::Move| position.owner_of(cell) == Some(side);
                lines.iter().any(|line| line.iter().all(owned))
            };
            let taken = |&cell: &G::Move| position.owner_of(cell).is_some();
            let winner = Side::BOTH.into_iter().find(|&side| completed(side));
            let draw = cells.iter().all(taken).then_some(Outcome::Draw);
            let outcome = winner.map(Outcome::Win).or(draw);
            assert_eq!(
                position.outcome(),
                outcome,
                "the lines determine the outcome: {position:?}"
            );
            if outcome.is_some() {
                continue;
            }
            for &cell in &cells {
                assert_eq!(
                    position.owner_of(cell).is_none(),
                    position.check(cell).is_ok(),
                    "{cell:?} is free exactly when it can be played: {position:?}"
                );
            }
            for m in position.moves() {
                let next = position.after(m);
                for &cell in &cells {
                    let expected = if cell == m {
                        Some(position.to_move())
                    } else {
                        position.owner_of(cell)
                    };
                    assert_eq!(
                        next.owner_of(cell),
                        expected,
                        "{m:?} takes its own cell and no other: {position:?}"
                    );
                }
            }
        }
        self
    }
}
