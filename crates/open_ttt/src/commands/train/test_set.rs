use std::cmp::Ordering;
use std::num::NonZero;
use std::thread;

use open_ttt_catalog::{DynGame, DynMove};
use open_ttt_coach::GameValue;
use open_ttt_learn::TestSet;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame as _;
use open_ttt_search::{Budget, StopFlag};

/// The size of the test set.
const POSITIONS: usize = 200;
/// The number of candidates.
const CANDIDATES: usize = 400;
/// The node limit of proving a move.
const MAX_NODES: u64 = 200_000;

/// A test set of positions of random games, always the same ones; empty for games whose
/// positions can't be proved.
pub(super) fn prepare(
    start: &DynGame,
    threads: NonZero<usize>,
    stop: &StopFlag,
) -> TestSet<DynGame> {
    let mut test_set = TestSet::new();
    if !start.can_be_proved() {
        return test_set;
    }
    let mut rng = Rng::new(1);
    let candidates: Vec<_> = (0..CANDIDATES)
        .map(|_| random_position(start, &mut rng))
        .collect();
    // Each is proved on one thread: several would search another number of positions each time.
    for some in candidates.chunks(threads.get()) {
        if test_set.len() >= POSITIONS || stop.is_raised() {
            break;
        }
        let proved: Vec<_> = thread::scope(|scope| {
            let prove = |position| scope.spawn(move || best_moves(position, stop));
            let proving: Vec<_> = some.iter().map(prove).collect();
            let proved = proving
                .into_iter()
                .map(|thread| thread.join().ok().flatten());
            proved.collect()
        });
        for (position, best) in some.iter().zip(proved) {
            if let Some(best) = best.filter(|_| test_set.len() < POSITIONS) {
                test_set.add(position, &best);
            }
        }
    }
    test_set
}

/// A uniformly drawn unfinished position of a random game.
fn random_position(start: &DynGame, rng: &mut Rng) -> DynGame {
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
fn best_moves(position: &DynGame, stop: &StopFlag) -> Option<Vec<DynMove>> {
    let mut values = Vec::new();
    for m in position.moves() {
        let budget = Budget::nodes(MAX_NODES);
        let after = position.after(m);
        let value = value(&after, &budget, stop)?;
        // Seen from the side that moves, who may move again.
        let is_same = after.to_move() == position.to_move();
        values.push((m, if is_same { value } else { value.reverse() }));
    }
    let best = values.iter().map(|&(_, value)| value).max()?;
    let moves = values.into_iter().filter(|&(_, value)| value == best);
    Some(moves.map(|(m, _)| m).collect())
}

/// Compares a position's value for the side to move with a draw; `None` if it isn't proved
/// within the budget.
fn value(position: &DynGame, budget: &Budget, stop: &StopFlag) -> Option<Ordering> {
    let one = NonZero::<usize>::MIN;
    match position.analyze(one, budget, stop).value.result {
        GameValue::Win => Some(Ordering::Greater),
        GameValue::Draw => Some(Ordering::Equal),
        GameValue::Loss => Some(Ordering::Less),
        GameValue::Unknown => None,
    }
}
