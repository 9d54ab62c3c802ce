use alloc::collections::BinaryHeap;
use std::collections::HashMap;

use super::{SolveError, TooLarge};
use crate::{Evaluator, Score, StopFlag};
use open_ttt_lib::rules::{Side, TwoPlayerGame};

/// The exact score of each position that can be reached, where positions can come back
/// and endless play is a draw: retrograde analysis over the graph of positions
/// (Ströhlein 1970; Thompson, "Retrograde analysis of certain endgames", 1986).
///
/// Scores are decided from the extremes inward, the fastest wins first. A position has
/// the score of the first decided move that suits its side, or the last decided one
/// when none does. What is never decided is a draw, and so are these positions wherever they
/// come up again.
pub(super) fn solve_cyclic<G: TwoPlayerGame>(
    start: &G,
    draws: &[G],
    evaluator: &impl Evaluator<G>,
    max_positions: usize,
    stop: &StopFlag,
) -> Result<HashMap<G, Score>, SolveError> {
    let graph = Graph::new(start, max_positions, stop)?;
    // All scores are for the first side until the end.
    let mut scores = vec![Score::DRAW; graph.positions.len()];
    let positions = graph.positions.iter();
    let mut is_decided: Vec<_> = positions.map(|position| draws.contains(position)).collect();
    let mut open_moves = graph.move_counts.clone();
    let mut decided = BinaryHeap::new();
    for (node, position) in (0_u32..).zip(&graph.positions) {
        if let Some(outcome) = position.outcome() {
            let score = evaluator.finished(position, outcome, 0);
            decided.push(Decided::new(node, for_first(position, score)));
        }
    }
    while let Some(Decided { node, score, .. }) = decided.pop() {
        if stop.is_raised() {
            return Err(SolveError::Stopped);
        }
        if is_decided[node as usize] || score == Score::DRAW {
            continue;
        }
        is_decided[node as usize] = true;
        scores[node as usize] = score;
        let earlier = score.one_ply_earlier();
        for &before in graph.predecessors(node) {
            let open = &mut open_moves[before as usize];
            let suits = for_first(&graph.positions[before as usize], earlier) > Score::DRAW;
            // A move that suits the side to move decides alone.
            *open = if suits { u32::MAX } else { *open - 1 };
            if suits || *open == 0 {
                decided.push(Decided::new(before, earlier));
            }
        }
    }
    let scored = graph.positions.into_iter().zip(scores);
    Ok(scored
        .map(|(position, score)| {
            let score = for_first(&position, score);
            (position, score)
        })
        .collect())
}

/// A score of the side to move for the first side, or the reverse.
fn for_first<G: TwoPlayerGame>(position: &G, score: Score) -> Score {
    match position.to_move() {
        Side::First => score,
        Side::Second => -score,
    }
}

/// A score that a position has unless it was decided before; the greatest are the
/// farthest from a draw.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Decided {
    distance: u32,
    node: u32,
    score: Score,
}

impl Decided {
    fn new(node: u32, score: Score) -> Self {
        Self {
            distance: score.distance(Score::DRAW),
            node,
            score,
        }
    }
}

/// All positions that can be reached, with the moves between them.
struct Graph<G> {
    positions: Vec<G>,
    move_counts: Vec<u32>,
    /// The positions before each one, one list after the other, and where the lists
    /// start.
    predecessors: Vec<u32>,
    starts: Vec<usize>,
}

impl<G: TwoPlayerGame> Graph<G> {
    fn new(start: &G, max_positions: usize, stop: &StopFlag) -> Result<Self, SolveError> {
        let max_positions = max_positions.min(u32::MAX as usize);
        let mut indices = HashMap::from([(start.clone(), 0)]);
        let mut positions = vec![start.clone()];
        let mut move_counts = Vec::new();
        let mut successors = Vec::new();
        while let Some(position) = positions.get(move_counts.len()).cloned() {
            let before = successors.len();
            for m in position.moves() {
                let next = position.after(m);
                let index = *indices.entry(next.clone()).or_insert_with(|| {
                    positions.push(next);
                    positions.len() - 1
                });
                successors.push(index as u32);
            }
            move_counts.push((successors.len() - before) as u32);
            if positions.len() > max_positions {
                return Err(TooLarge { max_positions }.into());
            }
            if stop.is_raised() {
                return Err(SolveError::Stopped);
            }
        }
        let mut starts = vec![0; positions.len() + 1];
        for &next in &successors {
            starts[next as usize + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut ends = starts.clone();
        let mut predecessors = vec![0; successors.len()];
        let mut successors = successors.into_iter();
        for (node, &count) in (0_u32..).zip(&move_counts) {
            for next in successors.by_ref().take(count as usize) {
                let end = &mut ends[next as usize];
                predecessors[*end] = node;
                *end += 1;
            }
        }
        Ok(Self {
            positions,
            move_counts,
            predecessors,
            starts,
        })
    }

    fn predecessors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.predecessors[self.starts[node]..self.starts[node + 1]]
    }
}
