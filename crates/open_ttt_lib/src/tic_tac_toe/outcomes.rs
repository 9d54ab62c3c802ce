use crate::games::TicTacToe;
use crate::games::tic_tac_toe::{FULL, has_line};
use crate::rules::TwoPlayerGame;

/// The legal moves of a position, as bits of cells, grouped by the outcome they
/// lead to with best play afterwards. Where a move wins at once, slower wins are in
/// no group.
///
/// ```text
/// winning: bits 0 to 8, cat's game: bits 9 to 17, losing: bits 18 to 26
/// ```
#[derive(Clone, Copy)]
pub(super) struct Outcomes(u32);

impl Outcomes {
    /// The groups of a position; all empty if the game is over.
    pub(super) fn of(position: &TicTacToe) -> Self {
        let boards = position.boards();
        let to_move = position.to_move();
        let (own, other) = (boards[to_move.index()], boards[to_move.other().index()]);
        TABLE[index(own, other)]
    }

    /// The winning moves, those to a cat's game and the losing ones.
    pub(super) const fn best_first(self) -> [u16; 3] {
        [self.group(0), self.group(1), self.group(2)]
    }

    const fn group(self, rank: u32) -> u16 {
        (self.0 >> (9 * rank)) as u16 & FULL
    }
}

/// The outcomes of every position, computed by retrograde analysis at compile
/// time and indexed by the marks of the side to move and of the other side.
static TABLE: [Outcomes; 19_683] = {
    let mut table = [Outcomes(0); 19_683];
    // A move increases `occupied`, so successors are computed first.
    let mut occupied = FULL;
    while occupied > 0 {
        occupied -= 1;
        let own_marks = occupied.count_ones() / 2;
        let mut own = occupied;
        loop {
            let other = occupied ^ own;
            if own.count_ones() == own_marks && !has_line(own) && !has_line(other) {
                table[index(own, other)] = outcomes(&table, own, other);
            }
            if own == 0 {
                break;
            }
            own = (own - 1) & occupied;
        }
    }
    table
};

/// The outcomes in an unfinished position, from those of its successors.
const fn outcomes(table: &[Outcomes; 19_683], own: u16, other: u16) -> Outcomes {
    let occupied = own | other;
    let mut groups = 0;
    let mut wins_at_once = 0;
    let mut cell = 0;
    while cell < 9 {
        let mark = 1 << cell;
        if occupied & mark == 0 {
            let rank = if has_line(own | mark) {
                wins_at_once |= mark;
                0
            } else if occupied | mark == FULL {
                1
            } else {
                match table[index(other, own | mark)].best_first() {
                    [0, 0, _] => 0,
                    [0, _, _] => 1,
                    _ => 2,
                }
            };
            groups |= (mark as u32) << (9 * rank);
        }
        cell += 1;
    }
    if wins_at_once != 0 {
        groups = groups & !(FULL as u32) | wins_at_once as u32;
    }
    Outcomes(groups)
}

/// The board as a ternary number of nine digits.
const fn index(own: u16, other: u16) -> usize {
    (TERNARY[own as usize] + 2 * TERNARY[other as usize]) as usize
}

/// Nine binary digits read as ternary digits.
static TERNARY: [u16; 512] = {
    let mut ternary = [0; 512];
    let mut bits = 1;
    while bits < 512 {
        ternary[bits] = 3 * ternary[bits / 2] + (bits % 2) as u16;
        bits += 1;
    }
    ternary
};

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;
    use crate::games::Cell;
    use crate::rules::{Notation, Outcome, play_text};

    /// The value for the side to move, 1, 0 or -1, by plain negamax.
    fn value(position: &TicTacToe, known: &mut HashMap<TicTacToe, i8>) -> i8 {
        if let Some(&value) = known.get(position) {
            return value;
        }
        let best = match position.outcome() {
            None => position
                .moves()
                .map(|m| -value(&position.after(m), known))
                .max(),
            Some(Outcome::Draw) => Some(0),
            // The side to move has lost.
            Some(Outcome::Win(_)) => Some(-1),
        };
        let best = best.expect("an unfinished game has a move");
        known.insert(*position, best);
        best
    }

    #[test]
    fn every_entry_matches_a_plain_search() {
        let mut known = HashMap::new();
        value(&TicTacToe::new(), &mut known);
        let (mut unfinished, mut entries) = (0, HashSet::new());
        for position in known.keys() {
            let mut expected = [0; 3];
            for cell in position.moves() {
                let of_opponent = known[&position.after(cell)];
                expected[(1 + of_opponent) as usize] |= cell.bit();
            }
            let wins =
                |cell: &Cell| matches!(position.after(*cell).outcome(), Some(Outcome::Win(_)));
            let at_once = position.moves().filter(wins).map(Cell::bit);
            let at_once = at_once.fold(0, |cells, bit| cells | bit);
            if at_once != 0 {
                expected[0] = at_once;
            }
            let found = Outcomes::of(position).best_first();
            assert_eq!(found, expected, "{position:?}");
            unfinished += usize::from(expected != [0; 3]);
            let [first, second] = position.boards();
            entries.insert(index(first, second));
        }
        assert_eq!(unfinished, 4_520);
        assert_eq!(entries.len(), 5_478);
        let filled = (0..TABLE.len()).filter(|&at| TABLE[at].0 != 0);
        assert_eq!(filled.count(), 4_520);
    }

    /// Figure 4.7 of the design document: `XOX/.O./X.O`, X to move.
    #[test]
    fn the_example_position_of_the_design_document() {
        let mut position = TicTacToe::new();
        play_text(&mut position, "a3 b3 c3 b2 a1 c1").expect("six moves");
        let cells = ["a2", "b1", "c2"].map(|text| position.parse_move(text).expect("a cell"));
        let found = Outcomes::of(&position).best_first();
        assert_eq!(found, cells.map(Cell::bit));
    }
}
