//! Numbers the positions of a board-filling game without gaps.
//!
//! A layer contains the positions with the same number of pieces added to the
//! start. Its *blocks* are its shapes (sets of occupied places) in ascending order;
//! a block contains the colourings of one shape. A *colouring* has a bit for each
//! added place, from the lowest place up, which is set if the piece is the first
//! side's. Colourings are in ascending order:
//!
//! ```text
//! four places, two of them the first side's
//!   rank        0    1    2    3    4    5
//!   colouring  0011 0101 0110 1001 1010 1100
//! ```
//!
//! A move inserts a bit at some place. The bits below and above stay as they are,
//! and colourings that differ only in the bits below are adjacent, before the move
//! and after. So a move maps a block to another one in runs, and the mapping is the
//! same for all blocks in which the bit is inserted at the same place.

use alloc::vec;
use alloc::vec::Vec;
use core::num::NonZero;

use crate::retrograde::solve_by_layers::SolveError;
use crate::threads::{Shared, bounded, run_together};
use crate::{StopFlag, TooLarge};
use open_ttt_lib::rules::{BoardFilling, Side};

/// The maximum number of pieces added to a start: colourings have 32 bits.
const MAX_ADDED: u32 = 32;

/// All shapes a start can grow to, and the moves between them.
#[derive(Debug)]
pub(crate) struct Shapes {
    start: [u64; 2],
    to_move: Side,
    pub(crate) layers: Vec<Vec<Shape>>,
    /// The number of positions in all layers.
    pub(crate) positions: usize,
}

#[derive(Debug)]
pub(crate) struct Shape {
    /// The places added to those of the start.
    added: u64,
    moves: Vec<ShapeMove>,
}

#[derive(Clone, Copy, Debug)]
struct ShapeMove {
    /// The block in the next layer that the move leads to.
    block: u32,
    /// The index of the new piece among the added ones.
    place: u32,
}

/// Where the successors of a block's positions are in the next block, by a move that
/// inserts a piece at one place.
enum Successors {
    /// The rank of each successor.
    Each(Vec<u32>),
    /// The ranks of the successors as runs: the first rank, and the length.
    Runs(Vec<(u32, u32)>),
}

/// Runs of a lower average length are slower than single values.
const MIN_RUN: usize = 12;

/// The number of finished positions in a job.
const FINISHED_JOB: usize = 1 << 14;

/// A layer with fewer positions is not worth a second thread.
const MIN_PARALLEL_LAYER: usize = 1 << 16;

/// A part of a layer for one thread to solve.
struct Job<'a> {
    block: usize,
    /// The rank of the first position, and the values from there on.
    first: usize,
    values: &'a mut [i8],
}

impl Shapes {
    /// The shapes of a game from this start.
    pub(crate) fn new<G: BoardFilling>(
        start: &G,
        max_positions: usize,
        stop: &StopFlag,
    ) -> Result<Self, SolveError> {
        let mut shapes = Self {
            start: start.pieces(),
            to_move: start.to_move(),
            layers: Vec::new(),
            positions: 0,
        };
        let occupied = |game: &G| {
            let [first, second] = game.pieces();
            first | second
        };
        let before = occupied(start);
        // Any one position of each shape.
        let mut layer = vec![(0, start.clone())];
        while !layer.is_empty() {
            if stop.is_raised() {
                return Err(SolveError::Stopped);
            }
            let added = shapes.layers.len() as u32;
            let block = (added <= MAX_ADDED).then(|| shapes.block_len(added));
            let positions = layer.len().saturating_mul(block.unwrap_or(usize::MAX));
            shapes.positions = shapes.positions.saturating_add(positions);
            if shapes.positions > max_positions || block.is_none() {
                return Err(TooLarge { max_positions }.into());
            }
            let mut next: Vec<(u64, G)> = Vec::new();
            for (_, game) in &layer {
                next.extend(game.moves().map(|m| {
                    let after = game.after(m);
                    (occupied(&after) ^ before, after)
                }));
            }
            next.sort_unstable_by_key(|&(added, _)| added);
            next.dedup_by_key(|&mut (added, _)| added);
            let grown = layer.iter().map(|(added, game)| Shape {
                added: *added,
                moves: game
                    .moves()
                    .filter_map(|m| shape_move(*added, occupied(&game.after(m)) ^ before, &next))
                    .collect(),
            });
            shapes.layers.push(grown.collect());
            layer = next;
        }
        Ok(shapes)
    }

    /// The number of positions in a block of a layer.
    pub(crate) fn block_len(&self, added: u32) -> usize {
        binomial(added, self.firsts(added)) as usize
    }

    fn to_move(&self, added: u32) -> Side {
        match self.to_move {
            Side::First => Side::after(added),
            Side::Second => Side::after(added + 1),
        }
    }

    /// The number of added pieces that are the first side's.
    fn firsts(&self, added: u32) -> u32 {
        match self.to_move {
            Side::First => added.div_ceil(2),
            Side::Second => added / 2,
        }
    }

    pub(crate) fn index(&self, added: u32, pieces: [u64; 2]) -> Option<usize> {
        let extends = |side: usize| pieces[side] & self.start[side] == self.start[side];
        let [first, second] = [0, 1].map(|side| pieces[side] & !self.start[side]);
        let both = first | second;
        let overlap = (self.start[0] | self.start[1]) & both | first & second;
        let firsts = self.firsts(added);
        if !extends(0) || !extends(1) || overlap != 0 || first.count_ones() != firsts {
            return None;
        }
        let layer = &self.layers[added as usize];
        let block = layer.binary_search_by_key(&both, |shape| shape.added);
        let block = block.ok()?;
        Some(block * self.block_len(added) + rank(extract_bits(first, both)) as usize)
    }

    /// The pieces of a position, including those of the start.
    pub(crate) fn pieces(&self, added: u32, block: usize, rank: usize) -> [u64; 2] {
        let colours = unrank(added, self.firsts(added), rank);
        self.coloured(self.layers[added as usize][block].added, colours)
    }

    fn coloured(&self, added: u64, colours: u64) -> [u64; 2] {
        let first = deposit_bits(colours, added);
        [self.start[0] | first, self.start[1] | added ^ first]
    }

    /// The values of a layer from those of the next one; `None` if the flag is
    /// raised.
    pub(crate) fn solve_layer<G: BoardFilling + Sync>(
        &self,
        start: &G,
        added: u32,
        next: &[i8],
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Option<Vec<i8>> {
        let layer = &self.layers[added as usize];
        let block = self.block_len(added);
        let successors = self.successors(added);
        let mut values = vec![0; layer.len() * block];
        let jobs = values
            .chunks_mut(block)
            .enumerate()
            .flat_map(|(number, values)| {
                let is_finished = layer[number].moves.is_empty();
                let job_len = if is_finished { FINISHED_JOB } else { block };
                let parts = values.chunks_mut(job_len).enumerate();
                parts.map(move |(part, values)| Job {
                    block: number,
                    first: part * job_len,
                    values,
                })
            });
        let jobs = Shared::new(jobs);
        let work = || {
            while !stop.is_raised() {
                let Some(job) = jobs.lock().and_then(|mut jobs| jobs.next()) else {
                    break;
                };
                if layer[job.block].moves.is_empty() {
                    self.solve_finished(start, added, job);
                } else {
                    self.solve_block(added, job, next, &successors);
                }
            }
        };
        let is_small = layer.len() * block < MIN_PARALLEL_LAYER;
        let threads = if is_small { 1 } else { bounded(threads).get() };
        run_together(work, (1..threads).map(|_| work));
        (!stop.is_raised()).then_some(values)
    }

    /// Computes the margins of finished boards.
    fn solve_finished<G: BoardFilling>(&self, start: &G, added: u32, job: Job<'_>) {
        let shape = self.layers[added as usize][job.block].added;
        let mut colours = unrank(added, self.firsts(added), job.first);
        for value in job.values {
            let margin = start.margin_of(self.coloured(shape, colours));
            *value = margin.clamp(-i32::from(i8::MAX), i8::MAX.into()) as i8;
            colours = next_colouring(colours);
        }
    }

    /// Computes the values of a block: the best of the successors' values.
    fn solve_block(
        &self,
        added: u32,
        job: Job<'_>,
        next: &[i8],
        successors: &[Option<Successors>],
    ) {
        let Job { block, values, .. } = job;
        let length = self.block_len(added + 1);
        let side = self.to_move(added);
        values.fill(match side {
            Side::First => i8::MIN,
            Side::Second => i8::MAX,
        });
        for m in &self.layers[added as usize][block].moves {
            let Some(Some(successors)) = successors.get(m.place as usize) else {
                continue;
            };
            let next = &next[m.block as usize * length..][..length];
            match side {
                Side::First => successors.fold(values, next, i8::max),
                Side::Second => successors.fold(values, next, i8::min),
            }
        }
    }

    /// The successors by a move at each place at which this layer has one.
    fn successors(&self, added: u32) -> Vec<Option<Successors>> {
        let firsts = self.firsts(added);
        let inserted = self.firsts(added + 1) - firsts;
        let mut successors: Vec<Option<Successors>> = (0..=added).map(|_| None).collect();
        for m in self.layers[added as usize].iter().flat_map(|s| &s.moves) {
            successors[m.place as usize]
                .get_or_insert_with(|| Successors::new(added, firsts, m.place, inserted));
        }
        successors
    }
}

/// The move from one shape to another, which is searched for in the next layer.
fn shape_move<G>(added: u64, after: u64, next: &[(u64, G)]) -> Option<ShapeMove> {
    let block = next.binary_search_by_key(&after, |&(added, _)| added);
    let place = after & !added;
    Some(ShapeMove {
        block: block.ok()? as u32,
        place: (added & place.wrapping_sub(1)).count_ones(),
    })
}

impl Successors {
    /// The ranks after inserting the bit `inserted` at `place` into all colourings of
    /// `length` places with `firsts` ones.
    fn new(length: u32, firsts: u32, place: u32, inserted: u32) -> Self {
        let mut runs = Vec::new();
        push_runs([place, inserted], length, firsts, 0, &mut runs);
        if runs.len() * MIN_RUN <= binomial(length, firsts) as usize {
            return Self::Runs(runs);
        }
        let each = runs.iter().flat_map(|&(from, len)| from..from + len);
        Self::Each(each.collect())
    }

    /// Combines each value with its successor's value by `better`.
    #[inline]
    fn fold(&self, values: &mut [i8], next: &[i8], better: impl Fn(i8, i8) -> i8) {
        match self {
            Self::Each(each) => {
                for (value, &from) in values.iter_mut().zip(each) {
                    *value = better(*value, next[from as usize]);
                }
            }
            Self::Runs(runs) => {
                let mut rest = values;
                for &(from, len) in runs {
                    let (run, after) = rest.split_at_mut(len as usize);
                    let from = &next[from as usize..][..len as usize];
                    for (value, &from) in run.iter_mut().zip(from) {
                        *value = better(*value, from);
                    }
                    rest = after;
                }
            }
        }
    }
}

/// Appends the runs of the colourings whose bits from `length` on are fixed, with
/// `firsts` ones below. After inserting a bit at a place their ranks start at `from`.
fn push_runs(
    [place, inserted]: [u32; 2],
    length: u32,
    firsts: u32,
    from: u32,
    runs: &mut Vec<(u32, u32)>,
) {
    if firsts > length {
        return;
    }
    if length == place {
        // With a one inserted, the colourings with a zero there come before.
        let before = inserted * binomial(length, firsts + 1);
        runs.push((from + before, binomial(length, firsts)));
        return;
    }
    push_runs([place, inserted], length - 1, firsts, from, runs);
    if firsts > 0 {
        let from = from + binomial(length, firsts + inserted);
        push_runs([place, inserted], length - 1, firsts - 1, from, runs);
    }
}

/// Pascal's triangle.
const BINOMIALS: [[u32; MAX_ADDED as usize + 2]; MAX_ADDED as usize + 1] = {
    let mut counts = [[0; MAX_ADDED as usize + 2]; MAX_ADDED as usize + 1];
    let mut n = 0;
    while n <= MAX_ADDED as usize {
        counts[n][0] = 1;
        let mut k = 1;
        while k <= n {
            counts[n][k] = counts[n - 1][k - 1] + counts[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    counts
};

/// The number of colourings of `length` places with `firsts` ones.
const fn binomial(length: u32, firsts: u32) -> u32 {
    BINOMIALS[length as usize][firsts as usize]
}

/// The rank of a colouring among those with the same number of ones.
fn rank(colours: u64) -> u32 {
    let ones = (1..).zip(bits(colours));
    ones.map(|(number, place)| binomial(place, number)).sum()
}

/// The colouring with this rank.
fn unrank(length: u32, firsts: u32, rank: usize) -> u64 {
    let mut colours = 0;
    let mut rank = rank as u32;
    let mut firsts = firsts;
    for place in (0..length).rev() {
        if rank >= binomial(place, firsts) && firsts > 0 {
            rank -= binomial(place, firsts);
            firsts -= 1;
            colours |= 1 << place;
        }
    }
    colours
}

/// The next higher number with the same number of ones (Gosper, 1972).
fn next_colouring(colours: u64) -> u64 {
    let lowest = colours & colours.wrapping_neg();
    if lowest == 0 {
        return colours;
    }
    let carried = colours + lowest;
    carried | (colours ^ carried) >> (lowest.trailing_zeros() + 2)
}

/// The bits of `board` selected by `mask`, moved together (PEXT).
fn extract_bits(board: u64, mask: u64) -> u64 {
    let places = bits(mask).enumerate();
    places
        .map(|(number, place)| (board >> place & 1) << number)
        .sum()
}

/// The reverse of [`extract_bits`] (PDEP).
fn deposit_bits(colours: u64, mask: u64) -> u64 {
    let places = bits(mask).enumerate();
    places
        .map(|(number, place)| (colours >> number & 1) << place)
        .sum()
}

/// The indices of the set bits, from the lowest.
fn bits(mut board: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let lowest = board.trailing_zeros();
        (board != 0).then(|| {
            board &= board - 1;
            lowest
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{binomial, deposit_bits, extract_bits, next_colouring, rank, unrank};

    #[test]
    fn colourings_are_numbered_in_ascending_order() {
        for length in 0..=12_u32 {
            for firsts in 0..=length {
                let all = (0..1_u64 << length).filter(|c| c.count_ones() == firsts);
                let mut next = (1 << firsts) - 1;
                let mut ranks = 0;
                for colours in all {
                    assert_eq!(rank(colours), ranks);
                    assert_eq!(unrank(length, firsts, ranks as usize), colours);
                    assert_eq!(next, colours);
                    next = next_colouring(next);
                    ranks += 1;
                }
                assert_eq!(ranks, binomial(length, firsts));
            }
        }
    }

    #[test]
    fn bits_are_extracted_and_deposited() {
        let mask = 0b1011_0100;
        assert_eq!(extract_bits(0b0101_1010, mask), 0b0100 >> 1);
        for colours in 0..16 {
            assert_eq!(extract_bits(deposit_bits(colours, mask), mask), colours);
        }
    }
}
