//! The positions of a game of filling, numbered without gaps.
//!
//! A layer is the positions with as many pieces added to the start. Its
//! *blocks* are its shapes in ascending order; within a block the positions
//! are the ways to colour the added places. The places of a shape count from
//! its lowest bit, a *colouring* has a bit for each place that is the first
//! side's, and colourings stand in ascending order:
//!
//! ```text
//! four places, two of them the first side's
//!   rank        0    1    2    3    4    5
//!   colouring  0011 0101 0110 1001 1010 1100
//! ```
//!
//! A move inserts a bit at some place. The bits below and the bits above stay
//! as they are, and the colourings that differ only in the bits below are
//! neighbours, before the move and after. So a move carries a whole block to
//! another in runs, the same for every block in which it is inserted at the
//! same place.

use core::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::retrograde::solve_by_layers::Unsolved;
use crate::{StopFlag, TooLarge};
use open_ttt_lib::rules::{BoardFilling, Side};

/// More pieces cannot be added to a start: colourings are 32 bits.
const MOST_ADDED: u32 = 32;

/// Every shape a start can grow to, and the moves between them.
#[derive(Debug)]
pub(crate) struct Shapes {
    start: [u64; 2],
    to_move: Side,
    layers: Vec<Vec<Shape>>,
    positions: usize,
}

#[derive(Debug)]
struct Shape {
    /// The places added to those of the start.
    added: u64,
    growths: Vec<Growth>,
}

/// A move of a shape: to which block of the next layer, and at which place the
/// new piece stands among the others.
#[derive(Clone, Copy, Debug)]
struct Growth {
    block: u32,
    place: u32,
}

/// Where a move inserted at one place finds the values of a block, in the
/// order of the block.
enum Carry {
    /// Where each single value is.
    Each(Vec<u32>),
    /// Where each run of values begins, and how long it is.
    Runs(Vec<(u32, u32)>),
}

/// Runs shorter than this on average are not worth their bookkeeping.
const SHORT: usize = 12;

/// Colourings of a finished board that are counted at a time.
const FINISHED_PIECE: usize = 1 << 14;

/// A layer with fewer positions is not worth a thread.
const SMALL_LAYER: usize = 1 << 16;

/// Part of a layer for one thread to solve: values of one block, from the
/// colouring with this rank on.
struct Job<'a> {
    block: usize,
    first: usize,
    values: &'a mut [i8],
}

impl Shapes {
    pub(crate) fn of<G: BoardFilling>(
        start: &G,
        most_positions: usize,
        stop: &StopFlag,
    ) -> Result<Self, Unsolved> {
        let mut shapes = Self {
            start: start.pieces(),
            to_move: start.to_move(),
            layers: Vec::new(),
            positions: 0,
        };
        let taken = |game: &G| {
            let [first, second] = game.pieces();
            first | second
        };
        let before = taken(start);
        // One position of each shape; which, does not matter.
        let mut layer = vec![(0, start.clone())];
        while !layer.is_empty() {
            if stop.is_raised() {
                return Err(Unsolved::Stopped);
            }
            let added = shapes.layers.len() as u32;
            let block = if added > MOST_ADDED {
                usize::MAX
            } else {
                count(added, shapes.firsts(added)) as usize
            };
            shapes.positions = shapes
                .positions
                .saturating_add(layer.len().saturating_mul(block));
            if shapes.positions > most_positions || added > MOST_ADDED {
                return Err(TooLarge { most_positions }.into());
            }
            let mut next: Vec<(u64, G)> = Vec::new();
            for (_, game) in &layer {
                next.extend(game.moves().map(|m| {
                    let after = game.after(m);
                    (taken(&after) ^ before, after)
                }));
            }
            next.sort_unstable_by_key(|&(added, _)| added);
            next.dedup_by_key(|&mut (added, _)| added);
            let grown = layer.iter().map(|(added, game)| Shape {
                added: *added,
                growths: game
                    .moves()
                    .filter_map(|m| growth(*added, taken(&game.after(m)) ^ before, &next))
                    .collect(),
            });
            shapes.layers.push(grown.collect());
            layer = next;
        }
        Ok(shapes)
    }

    pub(crate) fn layers(&self) -> u32 {
        self.layers.len() as u32
    }

    pub(crate) fn positions(&self) -> usize {
        self.positions
    }

    /// The side to move when so many pieces have been added.
    fn to_move(&self, added: u32) -> Side {
        match self.to_move {
            Side::First => Side::after(added),
            Side::Second => Side::after(added + 1),
        }
    }

    /// How many of the added pieces are the first side's.
    pub(crate) fn firsts(&self, added: u32) -> u32 {
        match self.to_move {
            Side::First => added.div_ceil(2),
            Side::Second => added / 2,
        }
    }

    /// The number of a position in its layer.
    pub(crate) fn index(&self, added: u32, pieces: [u64; 2]) -> Option<usize> {
        let kept = |side: usize| pieces[side] & self.start[side] == self.start[side];
        let [first, second] = [0, 1].map(|side| pieces[side] & !self.start[side]);
        let both = first | second;
        let old = (self.start[0] | self.start[1]) & both;
        let firsts = self.firsts(added);
        if !kept(0) || !kept(1) || old != 0 || first & second != 0 || first.count_ones() != firsts {
            return None;
        }
        let layer = &self.layers[added as usize];
        let block = layer
            .binary_search_by_key(&both, |shape| shape.added)
            .ok()?;
        Some(block * count(added, firsts) as usize + rank(gather(first, both)) as usize)
    }

    /// The pieces of a position, those of the start among them.
    pub(crate) fn pieces(&self, added: u32, block: usize, rank: usize) -> [u64; 2] {
        let colours = unrank(added, self.firsts(added), rank);
        self.coloured(self.layers[added as usize][block].added, colours)
    }

    fn coloured(&self, added: u64, colours: u64) -> [u64; 2] {
        let first = scatter(colours, added);
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
        let block = count(added, self.firsts(added)) as usize;
        let carries = self.carries(added);
        let mut values = vec![0; layer.len() * block];
        let jobs = values
            .chunks_mut(block)
            .enumerate()
            .flat_map(|(number, values)| {
                let finished = layer[number].growths.is_empty();
                let piece = if finished { FINISHED_PIECE } else { block };
                let pieces = values.chunks_mut(piece).enumerate();
                pieces.map(move |(part, values)| Job {
                    block: number,
                    first: part * piece,
                    values,
                })
            });
        let jobs = Mutex::new(jobs);
        let work = || {
            while !stop.is_raised() {
                let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(job) = job else {
                    break;
                };
                if layer[job.block].growths.is_empty() {
                    self.finish(start, added, job);
                } else {
                    self.grow(added, job, next, &carries);
                }
            }
        };
        let helpers = if layer.len() * block < SMALL_LAYER {
            0
        } else {
            threads.get() - 1
        };
        thread::scope(|scope| {
            for _ in 0..helpers {
                // A thread that is not to be had is done without.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        (!stop.is_raised()).then_some(values)
    }

    /// Counts the points of finished boards.
    fn finish<G: BoardFilling>(&self, start: &G, added: u32, job: Job<'_>) {
        let Job {
            block,
            first,
            values,
        } = job;
        let shape = self.layers[added as usize][block].added;
        let mut colours = unrank(added, self.firsts(added), first);
        for value in values {
            let margin = start.margin_of(self.coloured(shape, colours));
            *value = margin.clamp(-i32::from(i8::MAX), i8::MAX.into()) as i8;
            colours = next_colouring(colours);
        }
    }

    /// Gives each position of a block the best value it can move to.
    fn grow(&self, added: u32, job: Job<'_>, next: &[i8], carries: &[Option<Carry>]) {
        let Job { block, values, .. } = job;
        let length = count(added + 1, self.firsts(added + 1)) as usize;
        let side = self.to_move(added);
        values.fill(match side {
            Side::First => i8::MIN,
            Side::Second => i8::MAX,
        });
        for growth in &self.layers[added as usize][block].growths {
            let Some(Some(carry)) = carries.get(growth.place as usize) else {
                continue;
            };
            let next = &next[growth.block as usize * length..][..length];
            match side {
                Side::First => carry.fold(values, next, i8::max),
                Side::Second => carry.fold(values, next, i8::min),
            }
        }
    }

    /// How a move is carried, for each place at which one is inserted.
    fn carries(&self, added: u32) -> Vec<Option<Carry>> {
        let firsts = self.firsts(added);
        let inserted = self.firsts(added + 1) - firsts;
        let mut carries: Vec<Option<Carry>> = (0..=added).map(|_| None).collect();
        for growth in self.layers[added as usize].iter().flat_map(|s| &s.growths) {
            carries[growth.place as usize]
                .get_or_insert_with(|| Carry::new(added, firsts, growth.place, inserted));
        }
        carries
    }
}

fn growth<G>(added: u64, after: u64, next: &[(u64, G)]) -> Option<Growth> {
    let block = next
        .binary_search_by_key(&after, |&(added, _)| added)
        .ok()?;
    let place = after & !added;
    Some(Growth {
        block: block as u32,
        place: (added & place.wrapping_sub(1)).count_ones(),
    })
}

impl Carry {
    /// How a bit with the value `inserted`, 0 or 1, is inserted at `place`
    /// into the colourings of `length` places with `firsts` ones.
    fn new(length: u32, firsts: u32, place: u32, inserted: u32) -> Self {
        let mut runs = Vec::new();
        let insertion = Insertion { place, inserted };
        insertion.runs(length, firsts, 0, &mut runs);
        if runs.len() * SHORT <= count(length, firsts) as usize {
            return Self::Runs(runs);
        }
        let each = runs.iter().flat_map(|&(from, len)| from..from + len);
        Self::Each(each.collect())
    }

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

struct Insertion {
    place: u32,
    inserted: u32,
}

impl Insertion {
    /// The runs of colourings whose places from `length` on are decided, with
    /// `firsts` ones to come below. Those that have the bit inserted begin at
    /// `from`.
    fn runs(&self, length: u32, firsts: u32, from: u32, runs: &mut Vec<(u32, u32)>) {
        if firsts > length {
            return;
        }
        if length == self.place {
            // With a one inserted, those with a zero there come before.
            let before = self.inserted * count(length, firsts + 1);
            runs.push((from + before, count(length, firsts)));
            return;
        }
        self.runs(length - 1, firsts, from, runs);
        if firsts > 0 {
            let before = count(length, firsts + self.inserted);
            self.runs(length - 1, firsts - 1, from + before, runs);
        }
    }
}

/// Pascal's triangle.
const COUNTS: [[u32; MOST_ADDED as usize + 2]; MOST_ADDED as usize + 1] = {
    let mut counts = [[0; MOST_ADDED as usize + 2]; MOST_ADDED as usize + 1];
    let mut n = 0;
    while n <= MOST_ADDED as usize {
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

/// How many colourings of `length` places have `firsts` ones.
pub(crate) const fn count(length: u32, firsts: u32) -> u32 {
    COUNTS[length as usize][firsts as usize]
}

/// How many colourings with as many ones come before this one.
fn rank(colours: u64) -> u32 {
    let ones = (1..).zip(bits(colours));
    ones.map(|(number, place)| count(place, number)).sum()
}

/// The colouring with this rank.
fn unrank(length: u32, firsts: u32, rank: usize) -> u64 {
    let mut colours = 0;
    let mut rank = rank as u32;
    let mut firsts = firsts;
    for place in (0..length).rev() {
        if rank >= count(place, firsts) && firsts > 0 {
            rank -= count(place, firsts);
            firsts -= 1;
            colours |= 1 << place;
        }
    }
    colours
}

/// The next higher number with as many ones (Gosper, 1972).
fn next_colouring(colours: u64) -> u64 {
    let lowest = colours & colours.wrapping_neg();
    if lowest == 0 {
        return colours;
    }
    let carried = colours + lowest;
    carried | (colours ^ carried) >> (lowest.trailing_zeros() + 2)
}

/// The bits of `board` at the places of `mask`, moved together.
fn gather(board: u64, mask: u64) -> u64 {
    bits(mask)
        .enumerate()
        .map(|(number, place)| (board >> place & 1) << number)
        .sum()
}

/// The other way round.
fn scatter(colours: u64, mask: u64) -> u64 {
    bits(mask)
        .enumerate()
        .map(|(number, place)| (colours >> number & 1) << place)
        .sum()
}

/// The numbers of the bits that are set, from the lowest.
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
    use super::{count, gather, next_colouring, rank, scatter, unrank};

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
                assert_eq!(ranks, count(length, firsts));
            }
        }
    }

    #[test]
    fn bits_are_gathered_and_scattered() {
        let mask = 0b1011_0100;
        assert_eq!(gather(0b0101_1010, mask), 0b0100 >> 1);
        for colours in 0..16 {
            assert_eq!(gather(scatter(colours, mask), mask), colours);
        }
    }
}
