use super::table::Table;
use crate::rules::Tactics;

/// x
#[derive(Debug)]
pub struct Prover {
    table: Table,
    /// x
    pub nodes: u64,
    stored: u64,
}

/// Next to the end of a game the table costs more than it gives.
const LEAST_STORED: i32 = 6;

impl Prover {
    /// x
    pub fn new(bytes: usize) -> Self {
        Self { table: Table::new(bytes), nodes: 0, stored: 0 }
    }
    /// x
    pub fn clear(&mut self) { self.table.clear(); self.stored = 0; }

    /// x
    pub fn value<G: Tactics>(&mut self, game: &G) -> i32 {
        let left = game.plies_left() as i32;
        if game.wins_at_once() {
            return (left + 1) / 2;
        }
        let mut min = -left / 2;
        let mut max = (left - 1) / 2;
        while min < max {
            let mut med = min + (max - min) / 2;
            if med <= 0 && min / 2 < med {
                med = min / 2;
            } else if med >= 0 && max / 2 > med {
                med = max / 2;
            }
            let r = self.search(game, left, med);
            if r <= med { max = r; } else { min = r; }
        }
        min
    }

    fn count(&mut self) { self.stored += 1; if self.stored * 4 > self.table.open() { self.table.grow(); } }

    fn search<G: Tactics>(&mut self, game: &G, left: i32, mut alpha: i32) -> i32 {
        self.nodes += 1;
        let mut moves = game.promising_moves();
        let Some(first) = moves.next() else {
            return -(left / 2);
        };
        if left <= 2 {
            return 0;
        }
        let min = -((left - 2) / 2);
        if alpha < min {
            return min;
        }
        let max = (left - 1) / 2;
        if alpha >= max {
            return max;
        }
        if alpha >= 0 { if !game.can_still_win() { return 0; } }
        else if !game.can_still_lose() { return 0; }
        let stored = left >= LEAST_STORED;
        let key = game.key();
        let mut bounds = (min, max);
        if stored && let Some(value) = self.table.get(key) {
            bounds = ((value & 0xff) as u8 as i8 as i32, (value >> 8 & 0xff) as u8 as i8 as i32);
            if bounds.0 > alpha { return bounds.0; }
            if bounds.1 <= alpha { return bounds.1; }
        }
        let mut next = Some(first);
        while let Some(m) = next {
            let child = game.after(m);
            let score = -self.search(&child, left - 1, -alpha - 1);
            if score > alpha {
                if stored {
                    self.count();
                    self.table.put(key, (score as i8 as u8 as u64) | (bounds.1 as i8 as u8 as u64) << 8);
                }
                return score;
            }
            next = moves.next();
        }
        if stored {
            self.count();
            self.table.put(key, (bounds.0 as i8 as u8 as u64) | (alpha as i8 as u8 as u64) << 8);
        }
        alpha
    }
}
