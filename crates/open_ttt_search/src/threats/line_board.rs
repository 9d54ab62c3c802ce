use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::ControlFlow;

use super::cell_set::{Cell, CellSet};
use super::four_search::{Four, FourBoard, ThreatResult};
use super::lines::{line_cells, line_weight, occupied};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{LineGame, Side};

/// A position of a line game that keeps threats and line weights up to date while
/// moves are played and taken back.
///
/// A line is *open* to a side if the other side has no piece on it. The number of
/// pieces it lacks tells what its free cells make:
///
/// ```text
/// missing 1    X X X X .    a five
/// missing 2    X X . X .    fours
/// missing 3    . X . X .    threes
/// ```
#[derive(Clone, Debug)]
pub(super) struct LineBoard {
    /// The cells of each line.
    lines: Vec<Vec<Cell>>,
    /// The indices of the lines through each cell.
    through: Vec<Vec<u16>>,
    /// A random number for each piece on each cell.
    zobrist: Vec<[u64; 2]>,
    /// The number of pieces of each side on each line.
    pieces: Vec<[u8; 2]>,
    sides: [SideView; 2],
    pub(super) free: CellSet,
    pub(super) to_move: Side,
    /// The hash of the pieces (Zobrist 1970).
    hash: u64,
}

/// What a piece on a free cell of an open line makes, by the pieces the line lacks.
#[derive(Clone, Copy, Debug)]
pub(super) enum ThreatKind {
    Five,
    Four,
    Three,
}

const THREAT_KINDS: usize = 3;

/// The open lines of one side.
#[derive(Clone, Debug)]
struct SideView {
    /// The number of lines on which each cell makes each threat.
    counts: [Vec<u16>; THREAT_KINDS],
    /// The free cells with a count above 0.
    cells: [CellSet; THREAT_KINDS],
    /// For each cell, the weight of the open lines through it.
    cell_weights: Vec<i32>,
    /// The weight of all open lines.
    total_weight: i32,
}

/// The part of a hash that stands for the second side to move.
const SECOND_TO_MOVE: u64 = 0x9D39_247E_3377_6D41;

impl LineBoard {
    /// The position of an unfinished game; `None` if it has too many cells or lines, or
    /// a line is too long.
    pub(super) fn new<G: LineGame>(game: &G) -> Option<Self> {
        let cell_count = game.move_count();
        if cell_count > CellSet::MAX_CELLS {
            return None;
        }
        let lines = line_cells(game)?;
        let mut through = vec![Vec::new(); cell_count];
        for (index, line) in lines.iter().enumerate() {
            for &cell in line {
                through.get_mut(cell as usize)?.push(index as u16);
            }
            if line.is_empty() || line.len() > u8::MAX as usize {
                return None;
            }
        }
        let mut rng = Rng::new(0);
        let zobrist = (0..cell_count).map(|_| [rng.next_u64(), rng.next_u64()]);
        let zobrist = zobrist.collect();
        let mut view = SideView {
            counts: core::array::from_fn(|_| vec![0; cell_count]),
            cells: [CellSet::EMPTY; THREAT_KINDS],
            cell_weights: vec![0; cell_count],
            total_weight: 0,
        };
        let mut free = CellSet::EMPTY;
        for cell in 0..cell_count {
            free.insert(cell as Cell);
        }
        for line in &lines {
            view.add_weight(line, line_weight(line.len()));
            view.update_threats(line, Some(line.len()), &free, Change::Put);
        }
        let mut board = Self {
            pieces: vec![[0; 2]; lines.len()],
            lines,
            through,
            zobrist,
            sides: [view.clone(), view],
            free,
            to_move: game.to_move(),
            hash: 0,
        };
        for (cell, side) in occupied(game) {
            board.put(side, cell);
        }
        Some(board)
    }

    pub(super) fn cell_count(&self) -> usize {
        self.through.len()
    }

    /// A hash of the pieces and the side to move.
    pub(super) fn hash(&self) -> u64 {
        match self.to_move {
            Side::First => self.hash,
            Side::Second => self.hash ^ SECOND_TO_MOVE,
        }
    }

    /// The free cells by which a side makes this threat.
    pub(super) fn cells(&self, side: Side, kind: ThreatKind) -> CellSet {
        self.sides[side.index()].cells[kind as usize]
    }

    /// The free cells on lines that are open to a side and lack at most so many pieces.
    pub(super) fn cells_within(&self, side: Side, most: usize) -> CellSet {
        let mut cells = CellSet::EMPTY;
        for (line, &pieces) in self.lines.iter().zip(&self.pieces) {
            if missing(line, pieces, side).is_some_and(|missing| missing <= most) {
                let free = line.iter().filter(|&&cell| self.free.contains(cell));
                free.for_each(|&cell| cells.insert(cell));
            }
        }
        cells
    }

    /// The cells by which the side to move makes this threat and blocks the
    /// opponent's five, if there is one; none if there is more than one.
    pub(super) fn blocking_threats(&self, kind: ThreatKind) -> CellSet {
        let cells = self.cells(self.to_move, kind);
        let must_block = self.cells(!self.to_move, ThreatKind::Five);
        match must_block.len() {
            0 => cells,
            1 => cells.intersection(&must_block),
            _ => CellSet::EMPTY,
        }
    }

    /// The weight of the lines open to a side.
    pub(super) fn total_weight(&self, side: Side) -> i32 {
        self.sides[side.index()].total_weight
    }

    /// The value of a cell to the side to move, in the order of moves.
    fn cell_value(&self, cell: Cell) -> i32 {
        let weight = |side: Side| self.sides[side.index()].cell_weights[cell as usize];
        2 * weight(self.to_move) + weight(!self.to_move)
    }

    /// The cells in the order in which to try them: by value, then by number; at most
    /// `max` of them.
    pub(super) fn ordered(&self, cells: &CellSet, max: usize) -> Vec<Cell> {
        let valued = |cell| (Reverse(self.cell_value(cell)), cell);
        let mut ordered: Vec<_> = cells.iter().map(valued).collect();
        // Faster where few are wanted, but not worth its size in a browser.
        #[cfg(not(open_ttt_small))]
        if max < ordered.len() {
            ordered.select_nth_unstable(max);
            ordered.truncate(max);
        }
        ordered.sort_unstable();
        ordered.truncate(max);
        ordered.into_iter().map(|(_, cell)| cell).collect()
    }

    pub(super) fn play(&mut self, cell: Cell) {
        self.put(self.to_move, cell);
        self.to_move = !self.to_move;
    }

    /// Takes the last [`play`](Self::play) back.
    pub(super) fn undo(&mut self, cell: Cell) {
        self.to_move = !self.to_move;
        self.change_lines(self.to_move, cell, Change::Take);
        self.free.insert(cell);
        self.hash ^= self.zobrist[cell as usize][self.to_move.index()];
    }

    /// Gives the turn to the other side.
    pub(super) fn pass(&mut self) {
        self.to_move = !self.to_move;
    }

    fn put(&mut self, side: Side, cell: Cell) {
        self.change_lines(side, cell, Change::Put);
        self.free.remove(cell);
        self.hash ^= self.zobrist[cell as usize][side.index()];
    }

    /// Updates the lines through a cell on which a side's piece is put or taken.
    fn change_lines(&mut self, side: Side, cell: Cell, change: Change) {
        let [mut empty, mut filled] = [self.free; 2];
        empty.insert(cell);
        filled.remove(cell);
        let (free_before, free_after) = match change {
            Change::Put => (empty, filled),
            Change::Take => (filled, empty),
        };
        for &line in &self.through[cell as usize] {
            let before = self.pieces[line as usize];
            let own = &mut self.pieces[line as usize][side.index()];
            match change {
                Change::Put => *own += 1,
                Change::Take => *own -= 1,
            }
            let after = self.pieces[line as usize];
            let cells = &self.lines[line as usize];
            for side in Side::BOTH {
                let view = &mut self.sides[side.index()];
                let was = missing(cells, before, side);
                let is = missing(cells, after, side);
                if was == is {
                    continue;
                }
                let weight = |missing: Option<usize>| missing.map_or(0, line_weight);
                view.add_weight(cells, weight(is) - weight(was));
                view.update_threats(cells, was, &free_before, Change::Take);
                view.update_threats(cells, is, &free_after, Change::Put);
            }
        }
    }
}

/// Whether a piece, or a threat, is added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Put,
    Take,
}

/// The number of pieces a side lacks on a line, if the line is open to it.
fn missing(line: &[Cell], pieces: [u8; 2], side: Side) -> Option<usize> {
    (pieces[side.other().index()] == 0).then(|| line.len() - pieces[side.index()] as usize)
}

impl SideView {
    fn add_weight(&mut self, line: &[Cell], change: i32) {
        self.total_weight += change;
        for &cell in line {
            self.cell_weights[cell as usize] += change;
        }
    }

    /// Adds or removes the threats on a line that lacks this many pieces.
    fn update_threats(
        &mut self,
        line: &[Cell],
        missing: Option<usize>,
        free: &CellSet,
        change: Change,
    ) {
        let Some(missing @ 1..=THREAT_KINDS) = missing else {
            return;
        };
        let kind = missing - 1;
        for &cell in line.iter().filter(|&&cell| free.contains(cell)) {
            let count = &mut self.counts[kind][cell as usize];
            match change {
                Change::Put => {
                    *count += 1;
                    self.cells[kind].insert(cell);
                }
                Change::Take => {
                    *count -= 1;
                    if *count == 0 {
                        self.cells[kind].remove(cell);
                    }
                }
            }
        }
    }
}

impl FourBoard for LineBoard {
    type Node = ();
    type Fours = CellSet;

    fn expand(&self, (): (), line: &mut Vec<Cell>) -> ControlFlow<ThreatResult, CellSet> {
        if let Some(five) = self.cells(self.to_move, ThreatKind::Five).first() {
            line.push(five);
            return ControlFlow::Break(ThreatResult::Win);
        }
        let fours = self.blocking_threats(ThreatKind::Four);
        if fours.is_empty() {
            return ControlFlow::Break(ThreatResult::NoWin);
        }
        ControlFlow::Continue(fours)
    }

    fn key(&self, (): ()) -> u64 {
        self.hash()
    }

    fn play_next(&mut self, (): (), fours: &mut CellSet) -> Option<Four<()>> {
        let four = fours
            .iter()
            .min_by_key(|&cell| Reverse(self.cell_value(cell)))?;
        fours.remove(four);
        self.play(four);
        let mut fives = self.cells(!self.to_move, ThreatKind::Five).iter();
        match (fives.next(), fives.next()) {
            (Some(block), None) => {
                self.play(block);
                Some(Four::Blocked([four, block], ()))
            }
            (first, second) => {
                self.undo(four);
                Some(Four::Double(four, [first?, second?]))
            }
        }
    }

    fn undo_pair(&mut self, [four, block]: [Cell; 2], (): ()) {
        self.undo(block);
        self.undo(four);
    }

    fn play_pair(&mut self, [four, block]: [Cell; 2], (): ()) {
        self.play(four);
        self.play(block);
    }

    fn defender_fours(&self, (): (), _: Option<Cell>) -> CellSet {
        self.cells(!self.to_move, ThreatKind::Four)
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_line_game::RandomLineGame;
    use super::*;

    /// Compares a board with threats and weights counted from scratch.
    #[track_caller]
    fn check<G: LineGame>(board: &LineBoard, game: &G) {
        for side in Side::BOTH {
            let mut counts = vec![[0; THREAT_KINDS]; game.move_count()];
            let mut weights = vec![0; game.move_count()];
            let mut total = 0;
            for line in game.winning_lines() {
                let owners: Vec<_> = line.iter().map(|&place| game.owner_of(place)).collect();
                if owners.contains(&Some(!side)) {
                    continue;
                }
                let missing = owners.iter().filter(|owner| owner.is_none()).count();
                let weight = line_weight(missing);
                total += weight;
                for (&place, owner) in line.iter().zip(owners) {
                    let cell = game.move_index(place);
                    weights[cell] += weight;
                    if owner.is_none() && missing <= THREAT_KINDS {
                        counts[cell][missing - 1] += 1;
                    }
                }
            }
            assert_eq!(board.total_weight(side), total);
            let view = &board.sides[side.index()];
            assert_eq!(view.cell_weights, weights);
            for (cell, counts) in counts.into_iter().enumerate() {
                let cell = cell as Cell;
                for kind in [ThreatKind::Five, ThreatKind::Four, ThreatKind::Three] {
                    let expected = counts[kind as usize];
                    assert_eq!(view.counts[kind as usize][cell as usize], expected);
                    assert_eq!(board.cells(side, kind).contains(cell), expected > 0);
                }
            }
        }
    }

    #[track_caller]
    fn check_game<G: LineGame>(start: &G, seed: u64) {
        let mut rng = Rng::new(seed);
        let mut game = start.clone();
        let mut board = LineBoard::new(&game).expect("the game is small");
        let mut played = Vec::new();
        while let Some(m) = rng.pick(game.moves()) {
            check(&board, &game);
            let cell = game.move_index(m) as Cell;
            played.push((game.clone(), cell, board.hash()));
            game.play_unchecked(m);
            board.play(cell);
            assert_eq!(board.to_move, game.to_move());
            if game.outcome().is_none() {
                let fresh = LineBoard::new(&game).expect("the game is small");
                assert_eq!(board.hash(), fresh.hash());
            }
        }
        while let Some((game, cell, hash)) = played.pop() {
            board.undo(cell);
            check(&board, &game);
            assert_eq!(board.hash(), hash);
            assert_eq!(board.free.len() as usize, game.moves().count());
        }
    }

    #[test]
    fn incremental_updates_match_a_fresh_count() {
        let shapes = [
            (9, 8, 3),
            (20, 30, 1),
            (30, 60, 5),
            (49, 80, 6),
            (64, 76, 4),
            (19, 4, 19),
            (225, 500, 5),
        ];
        for (places, lines, longest) in shapes {
            for seed in 0..5 {
                check_game(&RandomLineGame::new(seed, places, lines, 1..=longest), seed);
            }
        }
    }
}
