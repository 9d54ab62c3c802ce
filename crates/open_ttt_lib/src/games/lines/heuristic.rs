use super::shape::{Coordinates, Direction, opposite};
use super::{Lines, LinesMove, LinesOptions, Mark, Marks};
use crate::rules::{Heuristic, Side, TwoPlayerGame};

/// The value of a game that is over for its winner, the most that a search can tell
/// apart.
const DECIDED: i32 = 1_000_000;

impl Heuristic for Lines {
    /// Where each side has its own marks, every window of `k` cells in a line in which
    /// only one side has marks counts for that side, eight times as much for each further
    /// mark; against it, if lines lose.
    ///
    /// Where marks are neutral, a move counts if it decides the game. If lines win, such a
    /// move is worth 100. If they lose, the value is -100 if there is no other move;
    /// otherwise, an odd number of other moves is good, the more so the fewer they are.
    fn heuristic(&self) -> i32 {
        if let Some(winner) = self.winner {
            return if winner == self.to_move() {
                DECIDED
            } else {
                -DECIDED
            };
        }
        let LinesOptions { marks, misere, .. } = self.options;
        if marks == Marks::Own {
            let for_first = if misere { -self.balance } else { self.balance };
            return match self.to_move() {
                Side::First => for_first,
                Side::Second => -for_first,
            };
        }
        let decides = |m: &LinesMove| self.decides(m.cell, self.mark_of(*m));
        if !misere {
            return if self.moves().any(|m| decides(&m)) {
                100
            } else {
                0
            };
        }
        match self.moves().filter(|m| !decides(m)).count() as i32 {
            0 => -100,
            safe if safe % 2 == 1 => (100 - safe).max(1),
            safe => -(100 - safe).max(1),
        }
    }
}

impl Lines {
    /// Whether this mark on a playable cell ends the game.
    fn decides(&self, cell: u16, mark: Mark) -> bool {
        let open = u32::from(self.options.boards) - self.closed.count_ones();
        open == 1 && self.completes(cell, mark)
    }

    /// How much this mark on a cell, which counts as free, changes the balance.
    pub(super) fn balance_change(&self, cell: u16, mark: Mark) -> i32 {
        let at = self.shape().coordinates(cell);
        let sum = |changes: i32, direction| changes + self.windows_change(at, direction, mark);
        let change = self.directions().fold(0, sum);
        match mark {
            Mark::X => change,
            Mark::O => -change,
        }
    }

    /// How much a mark on a free cell changes the weights of the windows through it in a
    /// direction, for the side of the mark.
    fn windows_change(&self, start: Coordinates, direction: Direction, mark: Mark) -> i32 {
        const MAX_CELLS: usize = 2 * Lines::MAX_SIDE as usize - 1;
        let shape = self.shape();
        let start_cell = shape.cell(start);
        let length = self.options.in_a_row as usize;
        // The marks on the cells from the first window's start to the last one's end.
        let mut marks = [None; MAX_CELLS];
        let mut first = length - 1;
        for cell in shape.along(start, opposite(direction)).take(length - 1) {
            first -= 1;
            marks[first] = self.mark_on(cell);
        }
        let mut ahead = shape.along(start, direction);
        let mut end = length;
        for cell in ahead.by_ref().take(length - 1) {
            if cell == start_cell {
                // The cycle is too short for a line.
                return 0;
            }
            marks[end] = self.mark_on(cell);
            end += 1;
        }
        // A cycle as long as a line is one window.
        if ahead.next() == Some(start_cell) {
            first = length - 1;
        }
        marks[first..end]
            .windows(length)
            .map(|window| weight_change(window, mark))
            .sum()
    }
}

/// How much one more mark changes the weight of a window, for its side.
fn weight_change(window: &[Option<Mark>], mark: Mark) -> i32 {
    let count = |side: Mark| window.iter().filter(|&&one| one == Some(side)).count() as u32;
    match (count(mark), count(mark.other())) {
        (own, 0) => weight(own + 1) - weight(own),
        // The window was the opponent's.
        (0, other) => weight(other),
        _ => 0,
    }
}

/// The weight of a window with this many marks of one side.
const fn weight(marks: u32) -> i32 {
    match marks {
        0 => 0,
        1..=6 => 1 << (3 * (marks - 1)),
        _ => 1 << 15,
    }
}
