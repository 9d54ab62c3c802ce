use super::square::{Direction, DraughtsMove, SQUARES, Square};

/// Every move that some position could have, in order.
pub(super) static MOVES: [DraughtsMove; MOVE_COUNT] = MoveList::all();

/// The number of [`MOVES`]: 98 steps and 936 chains.
pub(super) const MOVE_COUNT: usize = 1_034;

/// Moves in their order, each once. It is filled while the library is compiled.
struct MoveList {
    moves: [DraughtsMove; MOVE_COUNT],
    len: usize,
}

impl MoveList {
    /// Every step and every chain of jumps that some position could have.
    ///
    /// A jumper reaches only every second square of every second row: 8 squares, which
    /// the 9 squares between them join, so there are few chains.
    const fn all() -> [DraughtsMove; MOVE_COUNT] {
        let nothing = DraughtsMove {
            from: 0,
            captured: 0,
            to: 0,
        };
        let mut list = Self {
            moves: [nothing; MOVE_COUNT],
            len: 0,
        };
        let mut from = 0;
        while from < SQUARES {
            list.insert_steps(from);
            list.insert_chains(from, from, 0);
            from += 1;
        }
        assert!(list.len == MOVE_COUNT, "the list is full");
        list.moves
    }

    const fn insert_steps(&mut self, from: Square) {
        let mut direction = 0;
        while direction < Direction::ALL.len() {
            let reached = Direction::ALL[direction].step(1 << from);
            if reached != 0 {
                let to = reached.trailing_zeros() as Square;
                self.insert(DraughtsMove {
                    from,
                    captured: 0,
                    to,
                });
            }
            direction += 1;
        }
    }

    /// Inserts the chains that begin at `from`, have captured these pieces and stand at `at`.
    const fn insert_chains(&mut self, from: Square, at: Square, captured: u32) {
        let mut direction = 0;
        while direction < Direction::ALL.len() {
            let over = Direction::ALL[direction].step(1 << at);
            let landing = Direction::ALL[direction].step(over);
            if landing != 0 && captured & over == 0 {
                let captured = captured | over;
                let to = landing.trailing_zeros() as Square;
                self.insert(DraughtsMove { from, captured, to });
                self.insert_chains(from, to, captured);
            }
            direction += 1;
        }
    }

    const fn insert(&mut self, m: DraughtsMove) {
        let mut place = self.len;
        while place > 0 && rank(m) < rank(self.moves[place - 1]) {
            place -= 1;
        }
        if place > 0 && rank(m) == rank(self.moves[place - 1]) {
            return;
        }
        let mut last = self.len;
        while last > place {
            self.moves[last] = self.moves[last - 1];
            last -= 1;
        }
        self.moves[place] = m;
        self.len += 1;
    }
}

/// A number that orders moves as they are ordered: comparisons of structs are not `const`.
const fn rank(m: DraughtsMove) -> u64 {
    (m.from as u64) << 40 | (m.captured as u64) << 8 | m.to as u64
}

#[cfg(test)]
mod tests {
    use super::MOVES;

    #[test]
    fn the_list_can_be_searched() {
        assert!(MOVES.is_sorted_by(|a, b| a < b));
    }
}
