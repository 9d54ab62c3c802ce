use crate::games::TicTacToe;
use crate::games::tic_tac_toe::{FULL, has_line};
use crate::rules::TwoPlayerGame;

/// The legal moves of a position, as bits of cells, grouped by the outcome they
/// lead to with best play afterwards.
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
    let mut cell = 0;
    while cell < 9 {
        let mark = 1 << cell;
        if occupied & mark == 0 {
            let rank = if has_line(own | mark) {
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

    /// Marks row by row: `b'X'`, `b'O'` or `b' '`.
    type Marks = [u8; 9];

    fn winner(marks: &Marks) -> Option<u8> {
        let owns = |at: [usize; 3]| {
            let [a, b, c] = at.map(|i| marks[i]);
            (a != b' ' && a == b && b == c).then_some(a)
        };
        let along = (0..3).flat_map(|i| [[3 * i, 3 * i + 1, 3 * i + 2], [i, i + 3, i + 6]]);
        along.chain([[0, 4, 8], [2, 4, 6]]).find_map(owns)
    }

    /// The value for `mover`, 1, 0 or -1, by plain negamax.
    fn value(marks: &Marks, mover: u8, known: &mut HashMap<Marks, i8>) -> i8 {
        if let Some(&value) = known.get(marks) {
            return value;
        }
        let value = if let Some(winner) = winner(marks) {
            if winner == mover { 1 } else { -1 }
        } else {
            let moves = move_values(marks, mover, known);
            moves.iter().map(|&(_, value)| value).max().unwrap_or(0)
        };
        known.insert(*marks, value);
        value
    }

    /// The value of each move for `mover`.
    fn move_values(marks: &Marks, mover: u8, known: &mut HashMap<Marks, i8>) -> Vec<(usize, i8)> {
        let free = (0..9).filter(|&at| marks[at] == b' ');
        free.map(|at| {
            let mut next = *marks;
            next[at] = mover;
            (at, -value(&next, opponent(mover), known))
        })
        .collect()
    }

    const fn opponent(mover: u8) -> u8 {
        b'X' + b'O' - mover
    }

    /// All positions reachable with X moving first, with the player to move.
    fn reachable() -> HashMap<Marks, u8> {
        let mut found = HashMap::new();
        let mut pending = vec![([b' '; 9], b'X')];
        while let Some((marks, mover)) = pending.pop() {
            if found.insert(marks, mover).is_some() || winner(&marks).is_some() {
                continue;
            }
            for at in (0..9).filter(|&at| marks[at] == b' ') {
                let mut next = marks;
                next[at] = mover;
                pending.push((next, opponent(mover)));
            }
        }
        found
    }

    /// The bit of the cell at an index of [`Marks`].
    const fn bit(at: usize) -> u16 {
        1 << ((2 - at / 3) * 3 + at % 3)
    }

    fn board(marks: &Marks, mover: u8) -> u16 {
        let owned = (0..9).filter(|&at| marks[at] == mover);
        owned.fold(0, |board, at| board | bit(at))
    }

    #[test]
    fn every_entry_matches_a_plain_search() {
        let mut known = HashMap::new();
        let (mut unfinished, mut entries) = (0, HashSet::new());
        for (marks, mover) in reachable() {
            let mut expected = [0; 3];
            if winner(&marks).is_none() {
                for (at, value) in move_values(&marks, mover, &mut known) {
                    expected[(1 - value) as usize] |= bit(at);
                }
            }
            let (own, other) = (board(&marks, mover), board(&marks, opponent(mover)));
            let found = TABLE[index(own, other)].best_first();
            assert_eq!(found, expected, "{}", String::from_utf8_lossy(&marks));
            unfinished += usize::from(expected != [0; 3]);
            entries.insert(index(own, other));
        }
        assert_eq!(unfinished, 4_520);
        assert_eq!(entries.len(), 5_478);
        let filled = (0..TABLE.len()).filter(|&at| TABLE[at].0 != 0);
        assert_eq!(filled.count(), 4_520);
    }

    #[test]
    fn there_are_765_positions_up_to_symmetry() {
        let turned = |marks: Marks| [6, 3, 0, 7, 4, 1, 8, 5, 2].map(|at: usize| marks[at]);
        let mirrored = |marks: Marks| [2, 1, 0, 5, 4, 3, 8, 7, 6].map(|at: usize| marks[at]);
        let images = |marks: Marks| {
            let turns = core::iter::successors(Some(marks), move |&marks| Some(turned(marks)));
            turns
                .take(4)
                .flat_map(move |marks| [marks, mirrored(marks)])
        };
        let reachable = reachable();
        assert_eq!(reachable.len(), 5_478);
        let kinds: HashSet<_> = reachable
            .into_keys()
            .filter_map(|marks| images(marks).min())
            .collect();
        assert_eq!(kinds.len(), 765);
    }

    /// Figure 4.7 of the design document: `XOX/.O./X.O`, X to move.
    #[test]
    fn the_example_position_of_the_design_document() {
        let marks = *b"XOX O X O";
        let found = TABLE[index(board(&marks, b'X'), board(&marks, b'O'))].best_first();
        assert_eq!(found, [bit(3), bit(7), bit(5)]);
    }
}
