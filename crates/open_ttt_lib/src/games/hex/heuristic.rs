use super::Hex;
use super::cells::{Cells, NEIGHBOURS};
use crate::rules::{Heuristic, Side};

/// The worth of a stone that a side needs less than the other.
const STONE: i32 = 100;

impl Heuristic for Hex {
    /// Compares how many stones each side still needs to connect its edges if the
    /// opponent doesn't interfere. Stones that share two free neighbours, a bridge,
    /// count as connected, and so does a stone with two free cells on the edge
    /// beside it.
    fn heuristic(&self) -> i32 {
        let (own, other) = (self.to_move, self.to_move.other());
        let needed = [own, other].map(|side| self.stones_needed(side));
        // A stone of the side to move is worth half a stone more.
        STONE * (needed[1] - needed[0]) + STONE / 2
    }
}

impl Hex {
    fn stones_needed(&self, side: Side) -> i32 {
        let own = self.stones[side.index()];
        let free = self.free();
        // By direction, the cells whose neighbour on the opposite side is free.
        let beside_free = NEIGHBOURS.map(|distance| free.shifted(distance));
        let bridges: [_; 6] = core::array::from_fn(|n| {
            let next = (n + 1) % 6;
            let distance = NEIGHBOURS[n] + NEIGHBOURS[next];
            (distance, beside_free[n].and(beside_free[next]))
        });
        let [start, goal] = self.near_edges(side, &beside_free);
        let mut reached = Cells::EMPTY;
        let mut next = start;
        let mut needed = 0;
        loop {
            // Own stones cost nothing.
            let mut last = next.and(own).without(reached);
            reached = reached.or(last);
            while !last.is_empty() {
                let steps = reachable(last, &bridges);
                last = steps.and(own).without(reached);
                next = next.or(steps);
                reached = reached.or(last);
            }
            if reached.intersects(goal) {
                return needed;
            }
            let added = next.and(free).without(reached);
            if added.is_empty() {
                // The opponent has won.
                return i32::from(self.size) * 2;
            }
            reached = reached.or(added);
            needed += 1;
            if reached.intersects(goal) {
                return needed;
            }
            next = reachable(added, &bridges);
        }
    }

    /// The cells that are connected with the first and with the second edge of a side
    /// as soon as they have a stone: those on it and those with two free neighbours on
    /// it.
    fn near_edges(&self, side: Side, beside_free: &[Cells; 6]) -> [Cells; 2] {
        let [
            right,
            lower_right,
            lower_left,
            left,
            upper_left,
            upper_right,
        ] = *beside_free;
        let (size, last) = (self.size, self.size - 1);
        let [first_edge, last_edge] = self.edges(side);
        let [first_line, last_line, to_first, to_last] = match side {
            Side::First => [
                Cells::rows(size, 1, 1),
                Cells::rows(size, last - 1, 1),
                lower_left.and(lower_right),
                upper_left.and(upper_right),
            ],
            Side::Second => [
                Cells::column(1, size),
                Cells::column(last - 1, size),
                right.and(upper_right),
                left.and(lower_left),
            ],
        };
        [
            first_edge.or(first_line.and(to_first)),
            last_edge.or(last_line.and(to_last)),
        ]
    }
}

/// The neighbours of cells and the other ends of their bridges.
fn reachable(cells: Cells, bridges: &[(i32, Cells); 6]) -> Cells {
    bridges
        .iter()
        .fold(cells.neighbours(), |all, &(distance, free)| {
            all.or(cells.shifted(distance).and(free))
        })
}
