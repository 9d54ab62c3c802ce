use std::num::NonZero;

use open_ttt_catalog::CatalogGame;
use open_ttt_learn::TestSet;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, TwoPlayerGame};
use open_ttt_search::{Budget, Grade, Score, StopFlag};

/// The size of the test set.
const POSITIONS: usize = 200;
/// The number of candidates.
const CANDIDATES: usize = 400;
/// The node limit of proving a move.
const MAX_NODES: u64 = 200_000;

/// A test set of positions of random games, always the same ones; empty for games whose
/// positions can't be proved.
pub(super) fn prepare<G>(start: &G, threads: NonZero<usize>, stop: &StopFlag) -> TestSet<G>
where
    G: CatalogGame + Encode,
{
    let mut test_set = TestSet::new();
    if !start.can_be_proved() {
        return test_set;
    }
    let mut rng = Rng::new(1);
    for _ in 0..CANDIDATES {
        if test_set.len() >= POSITIONS || stop.is_raised() {
            break;
        }
        let position = random_position(start, &mut rng);
        if let Some(best) = best_moves(&position, threads, stop) {
            test_set.add(&position, &best);
        }
    }
    test_set
}

/// A uniformly drawn unfinished position of a random game.
fn random_position<G: TwoPlayerGame>(start: &G, rng: &mut Rng) -> G {
    let mut line = vec![start.clone()];
    while let Some(last) = line.last()
        && let Some(m) = rng.pick(last.moves())
    {
        line.push(last.after(m));
    }
    line.pop();
    rng.pick(line).unwrap_or_else(|| start.clone())
}

/// The best moves; `None` if some move can't be proved within the limit.
fn best_moves<G: CatalogGame>(
    position: &G,
    threads: NonZero<usize>,
    stop: &StopFlag,
) -> Option<Vec<G::Move>> {
    let mut values = Vec::new();
    for m in position.moves() {
        let next = position.after(m);
        let value = if let Some(outcome) = next.outcome() {
            match outcome.winner() {
                Some(side) if side == position.to_move() => 1,
                Some(_) => -1,
                None => 0,
            }
        } else {
            let answer = next.analyze(threads, &Budget::nodes(MAX_NODES), stop);
            if !answer.proved {
                return None;
            }
            -sign(answer.score)
        };
        values.push((m, value));
    }
    let best = values.iter().map(|&(_, value)| value).max()?;
    let moves = values.into_iter().filter(|&(_, value)| value == best);
    Some(moves.map(|(m, _)| m).collect())
}

/// 1 for a win, -1 for a loss.
const fn sign(score: Score) -> i32 {
    match score.grade() {
        Grade::Win => 1,
        Grade::Loss => -1,
        Grade::Evaluation(points) => points.signum(),
    }
}
