use super::super::bits::bits;
use super::super::decisive::{Threats, fill_decisively};
use super::{CUBES, LINES, Qubic, THROUGH};
use crate::rules::{DecisiveMoves, Outcome, Side, TwoPlayerGame};

/// The pieces of the sides and the cubes that complete a line of theirs, those
/// that have been taken since among them.
struct Board {
    boards: [u64; 2],
    completing: [u64; 2],
}

impl Board {
    fn occupied(&self) -> u64 {
        self.boards[0] | self.boards[1]
    }

    /// Looks for what completes one of these lines.
    fn look_at(&mut self, side: Side, lines: &[u64]) {
        let own = self.boards[side.index()];
        let free = !self.occupied();
        for line in lines {
            let missing = line & !own;
            if missing.is_power_of_two() {
                self.completing[side.index()] |= missing & free;
            }
        }
    }
}

impl Threats for Board {
    fn put(&mut self, side: Side, place: usize) {
        self.boards[side.index()] |= 1 << place;
        self.look_at(side, &THROUGH[place]);
    }

    fn of(&self, side: Side) -> impl Iterator<Item = usize> {
        bits(self.completing[side.index()] & !self.occupied()).map(usize::from)
    }
}

impl DecisiveMoves for Qubic {
    fn play_out_decisively(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        let mut board = Board {
            boards: self.boards,
            completing: [0; 2],
        };
        for side in Side::BOTH {
            board.look_at(side, &LINES);
        }
        let free = bits(!self.occupied()).map(usize::from);
        fill_decisively::<{ CUBES as usize }>(board, free, self.to_move(), draw)
    }
}
