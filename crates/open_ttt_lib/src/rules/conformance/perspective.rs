use core::fmt::Debug;

use super::Laws;
use super::encode::planes_of;
use crate::random::Rng;
use crate::rules::{Encode, Side, TwoPlayerGame};

/// The number of positions whose moves are compared.
const POSITIONS: usize = 400;

/// The most moves of a position that are compared.
const MOVES: usize = 24;

/// The fewest groups of moves from which something follows.
const FEWEST: u32 = 10;

impl<G: TwoPlayerGame + Debug> Laws<G> {
    /// The law of [`Encode`] about the side to move.
    ///
    /// Positions that differ by one move show in which planes the pieces of its
    /// mover are. That must depend on whether the mover is the side to move, not
    /// on which side it is. Planes in which both sides' moves look alike, and
    /// planes for the pieces of one side only, say nothing.
    #[track_caller]
    pub(super) fn perspective(&self)
    where
        G: Encode,
    {
        // By the side that moved and the side to move.
        let mut traces = [const { [const { Trace::new() }; 2] }; 2];
        let planes = self.start.encoding().planes;
        let mut rng = Rng::new(5);
        let unfinished = self.positions.iter();
        let unfinished: Vec<_> = unfinished
            .filter(|position| position.outcome().is_none())
            .collect();
        for _ in 0..POSITIONS {
            let Some(&position) = unfinished.get(rng.below(unfinished.len())) else {
                return;
            };
            let mover = position.to_move();
            let nexts = after_each_move(position);
            for viewer in Side::BOTH {
                let seen = nexts.iter().filter(|next| next.to_move() == viewer);
                traces[mover.index()][viewer.index()].add(&seen.collect::<Vec<_>>(), planes);
            }
            // One reply to each move makes it the mover's turn again.
            for _ in 0..4 {
                let Some(reply) = rng.pick(&nexts).and_then(|next| rng.pick(next.moves())) else {
                    break;
                };
                let replied = nexts.iter().filter(|next| next.to_move() != mover);
                let replied = replied.filter(|next| next.check(reply).is_ok());
                let again: Vec<_> = replied.map(|next| next.after(reply)).collect();
                let seen = again.iter().filter(|next| next.to_move() == mover);
                let seen = seen.filter(|next| next.outcome().is_none());
                traces[mover.index()][mover.index()].add(&seen.collect::<Vec<_>>(), planes);
            }
        }
        if traces
            .as_flattened()
            .iter()
            .any(|trace| trace.groups < FEWEST)
        {
            return;
        }
        let [[own_first, others_first], [others_second, own_second]] =
            &traces.map(|by_viewer| by_viewer.map(Trace::shares));
        let by_first = sum(own_first, others_first);
        let by_second = sum(own_second, others_second);
        let own = sum(own_first, own_second);
        let others = sum(others_first, others_second);
        // What depends on which side moved, and on whether it is to move again.
        let by_side = difference(&by_first, &by_second);
        let by_view = difference(&own, &others);
        let threshold = 0.01 * dot(&by_side, &by_side);
        let planes_by_side = by_side.iter().zip(&by_view);
        let planes_by_side = planes_by_side.filter(|(by_side, _)| by_side.powi(2) > threshold);
        let view: f64 = planes_by_side.map(|(_, by_view)| by_view.powi(2)).sum();
        assert!(
            !is_large(&by_side, &by_first, &by_second) || view > 0.5 * dot(&by_side, &by_side),
            "a position is encoded as the side to move sees it: the planes that a side's \
             moves change depend on the side, not on whether it is to move"
        );
        let by_plane: Vec<f64> = by_view.chunks(2).map(|both| both.iter().sum()).collect();
        let largest = by_plane.iter().fold(0.0, |most: f64, b| most.max(b.abs()));
        let first = by_plane.iter().find(|b| b.abs() > 0.1 * largest);
        assert!(
            first.is_none_or(|&first| first > 0.0) || !is_large(&by_view, &own, &others),
            "the pieces of the side to move come first"
        );
    }
}

/// The unfinished positions after some of the moves.
fn after_each_move<G: TwoPlayerGame>(position: &G) -> Vec<G> {
    let stride = 1 + position.moves().count() / MOVES;
    let nexts = position.moves().step_by(stride).map(|m| position.after(m));
    nexts.filter(|next| next.outcome().is_none()).collect()
}

/// How much each plane differs among positions that differ by one move, upwards
/// and downwards from the mean.
struct Trace {
    squares: Vec<f64>,
    groups: u32,
}

impl Trace {
    const fn new() -> Self {
        Self {
            squares: Vec::new(),
            groups: 0,
        }
    }

    /// Adds a group of positions. Of two positions it can't be told which of them
    /// differs.
    fn add<G: Encode>(&mut self, positions: &[&G], planes: usize) {
        if positions.len() < 3 {
            return;
        }
        self.groups += 1;
        self.squares.resize(2 * planes, 0.0);
        let inputs: Vec<_> = positions
            .iter()
            .map(|position| planes_of(*position))
            .collect();
        let cells = inputs[0].len() / planes.max(1);
        for input in 0..cells * planes {
            let numbers = || inputs.iter().map(|numbers| f64::from(numbers[input]));
            let mean = numbers().sum::<f64>() / positions.len() as f64;
            for number in numbers() {
                let up = usize::from(number > mean);
                self.squares[2 * (input / cells) + up] += (number - mean).powi(2);
            }
        }
    }

    /// The share of each plane.
    fn shares(self) -> Vec<f64> {
        let sum = self.squares.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        self.squares.iter().map(|square| square / sum).collect()
    }
}

fn sum(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(a, b)| a + b).collect()
}

fn difference(one: &[f64], other: &[f64]) -> Vec<f64> {
    one.iter().zip(other).map(|(a, b)| a - b).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Whether the difference of two vectors is more than the noise of a sample.
fn is_large(difference: &[f64], one: &[f64], other: &[f64]) -> bool {
    dot(difference, difference) > 0.05 * (dot(one, one) + dot(other, other))
}
