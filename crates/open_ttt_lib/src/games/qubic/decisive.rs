use super::{CUBES, LINES, Qubic, THROUGH};
use crate::games::bits::bits;
use crate::games::decisive::{PlayoutBoard, fill_decisively};
use crate::rules::{DecisiveMoves, Outcome, Side, TwoPlayerGame};

/// The pieces of the sides, and cells that complete a line of each side. Cells
/// occupied since may still be among them.
struct Board {
    boards: [u64; 2],
    winning: [u64; 2],
}

impl Board {
    fn occupied(&self) -> u64 {
        self.boards[0] | self.boards[1]
    }

    /// Adds the winning cells of these lines.
    fn update_lines(&mut self, side: Side, lines: &[u64]) {
        let own = self.boards[side.index()];
        let free = !self.occupied();
        for line in lines {
            let missing = line & !own;
            if missing.is_power_of_two() {
                self.winning[side.index()] |= missing & free;
            }
        }
    }
}

impl PlayoutBoard for Board {
    fn put(&mut self, side: Side, cell: usize) {
        self.boards[side.index()] |= 1 << cell;
        self.update_lines(side, &THROUGH[cell]);
    }

    fn winning_cells(&self, side: Side) -> impl Iterator<Item = usize> {
        bits(self.winning[side.index()] & !self.occupied()).map(usize::from)
    }
}

impl DecisiveMoves for Qubic {
    fn play_out_decisively(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        let mut board = Board {
            boards: self.boards,
            winning: [0; 2],
        };
        for side in Side::BOTH {
            board.update_lines(side, &LINES);
        }
        let free = bits(!self.occupied()).map(usize::from);
        fill_decisively::<{ CUBES as usize }>(board, free, self.to_move(), draw)
    }
}
