use core::fmt::Debug;

use super::Laws;
use crate::rules::{LineGame, Outcome, Side, TwoPlayerGame};

impl<G: TwoPlayerGame + Debug> Laws<G> {
    /// Pieces stay where they are put, and the lines are what wins.
    ///
    /// # Panics
    ///
    /// If a law is broken.
    #[track_caller]
    pub fn line_game(self) -> Self
    where
        G: LineGame,
    {
        let lines = self.start.winning_lines();
        assert!(
            lines.iter().all(|line| !line.is_empty()),
            "a line has at least one place"
        );
        let places: Vec<G::Move> = (0..self.start.move_count())
            .filter_map(|index| self.start.indexed_move(index))
            .collect();
        for position in &self.positions {
            assert_eq!(
                position.winning_lines(),
                lines,
                "all positions have the same lines: {position:?}"
            );
            let completed = |side: Side| {
                let owned = |&place: &G::Move| position.owner_of(place) == Some(side);
                lines.iter().any(|line| line.iter().all(owned))
            };
            let taken = |&place: &G::Move| position.owner_of(place).is_some();
            let outcome = Side::BOTH
                .into_iter()
                .find(|&side| completed(side))
                .map(Outcome::Win)
                .or_else(|| places.iter().all(taken).then_some(Outcome::Draw));
            assert_eq!(
                position.outcome(),
                outcome,
                "the lines say how the game ends: {position:?}"
            );
            if outcome.is_some() {
                continue;
            }
            for &place in &places {
                assert_eq!(
                    position.owner_of(place).is_none(),
                    position.check(place).is_ok(),
                    "{place:?} is free exactly when it can be played: {position:?}"
                );
            }
            for m in position.moves() {
                let next = position.after(m);
                for &place in &places {
                    let expected = if place == m {
                        Some(position.to_move())
                    } else {
                        position.owner_of(place)
                    };
                    assert_eq!(
                        next.owner_of(place),
                        expected,
                        "{m:?} takes its own place and no other: {position:?}"
                    );
                }
            }
        }
        self
    }
}
