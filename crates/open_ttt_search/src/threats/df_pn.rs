use alloc::vec::Vec;
use core::cmp::Reverse;

use super::cell_set::Cell;
use super::four_search::FourSearch;
use super::line_masks::{Bitboards, COMPLETE, LineMasks, bit, cells};
use super::mask_board::MaskBoard;
use super::pairing::has_pairing;
use super::proof_table::{Pieces, ProofEntry, ProofNumbers, ProofTable};
use super::symmetric_images::SymmetricImages;
use crate::budget::BudgetMeter;
use open_ttt_lib::rules::Side;

/// Depth-first proof-number search (Nagai 2002) of one position for one attacker:
/// whether the attacker wins.
pub(super) struct DfPn<'a, 'm> {
    table: &'a mut ProofTable,
    fours: FourSearch<MaskBoard>,
    images: SymmetricImages,
    attacker: Side,
    to_move: Side,
    meter: &'a mut BudgetMeter<'m>,
    progress: &'a mut dyn FnMut(u64),
    /// The number of nodes at the next report.
    next_progress: u64,
}

struct Child {
    cell: Cell,
    /// The position after it.
    pieces: Pieces,
    numbers: Option<ProofNumbers>,
}

/// The proof numbers of a position before it is searched, with the moves to search
/// or the one that wins.
struct LeafInit {
    numbers: ProofNumbers,
    moves: u64,
}

/// The nodes between two reports.
const PROGRESS_INTERVAL: u64 = 1 << 12;

impl<'a, 'm> DfPn<'a, 'm> {
    pub(super) fn new(
        table: &'a mut ProofTable,
        masks: LineMasks,
        images: SymmetricImages,
        [attacker, to_move]: [Side; 2],
        meter: &'a mut BudgetMeter<'m>,
        progress: &'a mut dyn FnMut(u64),
    ) -> Self {
        Self {
            table,
            fours: FourSearch::new(MaskBoard::new(masks)),
            images,
            attacker,
            to_move,
            next_progress: meter.nodes() + PROGRESS_INTERVAL,
            meter,
            progress,
        }
    }

    /// Whether the attacker wins, and by which move if it is to move; `None` if the
    /// budget ran out.
    pub(super) fn attacker_wins(&mut self) -> Option<(bool, Option<Cell>)> {
        self.meter.poll();
        if self.meter.is_spent() {
            return None;
        }
        let known = self.table.get(self.images.canonical()).copied();
        let (numbers, moves) = match known.filter(|entry| entry.numbers.are_final()) {
            Some(entry) => (entry.numbers, self.images.map_from_canonical(entry.moves)),
            None => match self.visit_leaf(None) {
                leaf if leaf.numbers.are_final() => (leaf.numbers, leaf.moves),
                _ => self.search(None, ProofNumbers::MAX_THRESHOLDS)?,
            },
        };
        let wins = numbers.proof == 0;
        let winning = cells(moves).next().filter(|_| wins && self.is_attack());
        Some((wins, winning))
    }

    fn masks(&self) -> &LineMasks {
        &self.fours.board.masks
    }

    fn is_attack(&self) -> bool {
        self.to_move == self.attacker
    }

    /// The pieces as this side sees them.
    fn bitboards(&self, side: Side) -> Bitboards {
        let pieces = self.images.pieces();
        Bitboards::new(pieces[side.index()], pieces[side.other().index()])
    }

    fn play(&mut self, cell: Cell) {
        self.images.flip(self.to_move, cell);
        self.to_move = !self.to_move;
    }

    fn undo(&mut self, cell: Cell) {
        self.to_move = !self.to_move;
        self.images.flip(self.to_move, cell);
    }

    /// Searches an undecided position until a number reaches its threshold. Returns
    /// the numbers and the moves; `None` if the budget ran out.
    fn search(
        &mut self,
        last: Option<Cell>,
        thresholds: ProofNumbers,
    ) -> Option<(ProofNumbers, u64)> {
        let nodes = self.meter.nodes();
        let (moves, earlier_work) = match self.table.get(self.images.canonical()) {
            Some(entry) => (self.images.map_from_canonical(entry.moves), entry.work),
            None => (self.leaf_init(last).moves, 0),
        };
        let is_attack = self.is_attack();
        let mut children = self.children(moves);
        loop {
            let (best, second, numbers) = self.summarize(&mut children);
            if self.meter.is_spent() {
                return None;
            }
            let is_below = !numbers.are_final()
                && numbers.proof < thresholds.proof
                && numbers.disproof < thresholds.disproof;
            let Some(best_child) = best.filter(|_| is_below) else {
                let winning = best.filter(|_| is_attack && numbers.proof == 0);
                let moves = winning.map_or(moves, |best| bit(children[best].cell));
                let work = (self.meter.nodes() - nodes).clamp(1, u32::MAX.into()) as u32;
                self.store(numbers, moves, work.saturating_add(earlier_work));
                return Some((numbers, moves));
            };
            // The 1 + ε trick (Pawlewicz and Lew 2007): the best child may become a
            // little worse than the second before the search switches to that.
            let beyond_second = second.saturating_add(second / 4).saturating_add(1);
            let child = children[best_child].numbers.unwrap_or_default();
            let ProofNumbers { proof, disproof } = thresholds;
            let thresholds = if is_attack {
                let disproof = disproof - numbers.disproof + child.disproof;
                ProofNumbers::new(proof.min(beyond_second), disproof)
            } else {
                let proof = proof - numbers.proof + child.proof;
                ProofNumbers::new(proof, disproof.min(beyond_second))
            };
            let cell = children[best_child].cell;
            self.play(cell);
            let result = self.search(Some(cell), thresholds);
            self.undo(cell);
            children[best_child].numbers = Some(result?.0);
        }
    }

    /// The moves to search in order of promise, one of each set of symmetric ones.
    fn children(&self, moves: u64) -> Vec<Child> {
        let own = self.bitboards(self.to_move);
        let masks = self.masks();
        let value = |cell| 2 * masks.cell_value(cell, own) + masks.cell_value(cell, own.swapped());
        let mut ordered: Vec<_> = cells(moves)
            .map(|cell| (Reverse(value(cell)), cell))
            .collect();
        ordered.sort_unstable();
        let mut children: Vec<Child> = Vec::with_capacity(ordered.len());
        for (_, cell) in ordered {
            let pieces = self.images.after(self.to_move, cell);
            if children.iter().all(|child| child.pieces != pieces) {
                children.push(Child {
                    cell,
                    pieces,
                    numbers: None,
                });
            }
        }
        children
    }

    /// The index of the most promising child, the number by which the second best one is
    /// compared with it, and the numbers of the position by those of its children. A
    /// child not visited yet is visited, unless an earlier one decides the position.
    fn summarize(&mut self, children: &mut [Child]) -> (Option<usize>, u32, ProofNumbers) {
        let is_attack = self.is_attack();
        let mut best = None;
        let [mut least, mut second] = [ProofNumbers::INFINITY; 2];
        let (mut greatest, mut undecided) = (0, 0);
        for (index, child) in children.iter_mut().enumerate() {
            let known = self.table.get(child.pieces).map(|entry| entry.numbers);
            let numbers = match (child.numbers, known) {
                (_, Some(known)) if known.are_final() => known,
                // The numbers found below this position are at least as good as
                // those kept in the table.
                (Some(numbers), _) | (None, Some(numbers)) => numbers,
                (None, None) => {
                    self.play(child.cell);
                    let leaf = self.visit_leaf(Some(child.cell));
                    self.undo(child.cell);
                    leaf.numbers
                }
            };
            child.numbers = Some(numbers);
            let (own, other) = if is_attack {
                (numbers.proof, numbers.disproof)
            } else {
                (numbers.disproof, numbers.proof)
            };
            if other == 0 {
                continue;
            }
            // Weak proof-number search (Ueda, Hashimoto, Hashimoto and Iida 2008):
            // the greatest number plus one for each other child. With
            // transpositions, a sum would count the same work many times.
            greatest = greatest.max(other);
            undecided += 1;
            if own < least {
                second = least;
                least = own;
                best = Some(index);
            } else {
                second = second.min(own);
            }
            if own == 0 {
                break;
            }
        }
        let other = match (least, undecided) {
            (_, 0) => 0,
            (0, _) => ProofNumbers::INFINITY,
            _ => (greatest + undecided - 1).min(ProofNumbers::INFINITY - 1),
        };
        let numbers = if is_attack {
            ProofNumbers::new(least, other)
        } else {
            ProofNumbers::new(other, least)
        };
        (best, second, numbers)
    }

    /// Visits a position for the first time, after this move, and stores its
    /// numbers.
    fn visit_leaf(&mut self, last: Option<Cell>) -> LeafInit {
        self.meter.count(1);
        if self.meter.nodes() >= self.next_progress {
            self.next_progress = self.meter.nodes() + PROGRESS_INTERVAL;
            (self.progress)(self.meter.nodes());
        }
        let leaf = self.leaf_init(last);
        self.store(leaf.numbers, leaf.moves, 1);
        leaf
    }

    fn store(&mut self, numbers: ProofNumbers, moves: u64, work: u32) {
        self.table.insert(ProofEntry {
            pieces: self.images.canonical(),
            moves: self.images.map_to_canonical(moves),
            numbers,
            work,
        });
    }

    fn leaf_init(&mut self, last: Option<Cell>) -> LeafInit {
        if self.is_attack() {
            self.attack_init(last)
        } else {
            self.defence_init(last)
        }
    }

    /// Initializes a position in which the attacker is to move.
    ///
    /// Unless the defender's move blocked a five, the attacker has no win by fours:
    /// it would have had it before that move, and that position would not have been
    /// searched. The same holds for the defender.
    fn attack_init(&mut self, last: Option<Cell>) -> LeafInit {
        let pieces = self.bitboards(self.attacker);
        let masks = self.masks();
        let fives = masks.fives(pieces, None);
        if fives != 0 {
            return LeafInit::proved_by(fives);
        }
        let must_block = masks.fives(pieces.swapped(), None);
        if must_block != 0 && !must_block.is_power_of_two() {
            return LeafInit::DISPROVED;
        }
        let weight = masks.weight(pieces);
        let is_light = weight < COMPLETE && weight + masks.max_gain(pieces) < COMPLETE;
        if is_light || has_pairing(masks, pieces) {
            return LeafInit::DISPROVED;
        }
        if self.has_blocked(last, pieces.own) && self.fours.wins(pieces, None, self.meter) {
            return LeafInit::proved_by(self.fours.line.last().map_or(0, |&cell| bit(cell)));
        }
        if must_block != 0 {
            return LeafInit::attack(1, must_block);
        }
        let distance = self.distance(pieces);
        match self.fours.defences(pieces.swapped(), last, self.meter) {
            Some(defences) => LeafInit::attack(distance + THREATENED, defences),
            None => LeafInit::attack(distance, self.masks().live(pieces)),
        }
    }

    /// Initializes a position in which the defender is to move.
    fn defence_init(&mut self, last: Option<Cell>) -> LeafInit {
        let pieces = self.bitboards(self.attacker);
        let masks = self.masks();
        if masks.fives(pieces.swapped(), None) != 0 {
            return LeafInit::DISPROVED;
        }
        let fives = masks.fives(pieces, None);
        if fives != 0 {
            return LeafInit::defence(if fives.is_power_of_two() { fives } else { 0 });
        }
        if masks.weight(pieces) < COMPLETE || has_pairing(masks, pieces) {
            return LeafInit::DISPROVED;
        }
        let defender = pieces.swapped();
        if self.has_blocked(last, defender.own) && self.fours.wins(defender, None, self.meter) {
            return LeafInit::DISPROVED;
        }
        match self.fours.defences(pieces, last, self.meter) {
            Some(defences) => LeafInit::defence(defences),
            None => match self.masks().live(pieces) {
                0 => LeafInit::DISPROVED,
                live => LeafInit::defence(live),
            },
        }
    }

    /// Whether the last move, or an unknown one, blocked a five of the side with
    /// these pieces.
    fn has_blocked(&self, last: Option<Cell>, pieces: u64) -> bool {
        last.is_none_or(|last| {
            let through = self.masks().through(last);
            through.iter().any(|&line| line & !pieces == bit(last))
        })
    }

    /// An estimate of the moves from a win of the attacker, to move: the more fours
    /// it can make the nearer, the more the defender can make the farther.
    fn distance(&self, pieces: Bitboards) -> u32 {
        let masks = self.masks();
        let counters = masks.four_lines(pieces.swapped()) / 2;
        1 + (FAR + counters).saturating_sub(masks.four_lines(pieces))
    }
}

/// The proof number of an attacker that can make no four, and the addition where the
/// defender threatens to win by fours. Half and twice as much solve the positions
/// tried more slowly.
const FAR: u32 = 10;
const THREATENED: u32 = 5;

impl LeafInit {
    const DISPROVED: Self = Self::new(ProofNumbers::DISPROVED, 0);

    const fn new(numbers: ProofNumbers, moves: u64) -> Self {
        Self { numbers, moves }
    }

    fn proved_by(moves: u64) -> Self {
        Self::new(ProofNumbers::PROVED, moves)
    }

    /// The attacker has these moves.
    fn attack(proof: u32, moves: u64) -> Self {
        match moves.count_ones() {
            0 => Self::DISPROVED,
            disproof => Self::new(ProofNumbers::new(proof, disproof), moves),
        }
    }

    /// The defender has these moves.
    fn defence(moves: u64) -> Self {
        match moves.count_ones() {
            0 => Self::proved_by(0),
            proof => Self::new(ProofNumbers::new(proof, 1), moves),
        }
    }
}
