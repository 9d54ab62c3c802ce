//! Tree parallelization: proofs match solved games, every iteration is counted
//! once, and budgets and memory limits are respected.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{
    Budget, Clock, LeafEvaluator, Playout, SideValue, StopFlag, TreeAnswer, TreeOptions,
    TreeSearch, WinLoss, solve,
};

use crate::tree_search::{Tempo, check_proofs, search, step};
use crate::unfinished::unfinished;

/// Searches with several threads until a position is proved, and checks the answers
/// on the way.
#[track_caller]
fn check_threads<G, E>(positions: &[G], evaluator: &E)
where
    G: TwoPlayerGame<Move: Send> + Send,
    E: LeafEvaluator<G> + Clone + Send,
{
    let options = TreeOptions::default();
    for (seed, game) in (0..).zip(positions) {
        let solution = solve(game, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
        for threads in [2, 4] {
            let threads = NonZero::new(threads).unwrap();
            let mut search = TreeSearch::new(game, evaluator.clone(), options, Rng::new(seed));
            let mut made = 0;
            // The iterations of a proof depend on the scheduling: mostly hundreds,
            // rarely hundreds of thousands.
            for iterations in [1, 39, 40, 300_000, 5_000_000] {
                let before = search.answer();
                search.step_together(threads, &Budget::nodes(iterations), &StopFlag::new());
                let answer = search.answer();
                check_proofs(&solution, game, &answer);
                made += iterations;
                assert!(answer.iterations <= made);
                assert!(answer.iterations == made || answer.proved.is_some());
                assert!(answer.iterations >= before.iterations);
                check_counts(&answer);
            }
            let answer = search.answer();
            assert!(answer.proved.is_some(), "unproved");
            search.step_together(threads, &Budget::nodes(1_000), &StopFlag::new());
            assert_eq!(search.answer(), answer, "a proof ends the search");
        }
    }
}

/// Every iteration visited one of the moves, and no virtual loss is left.
#[track_caller]
fn check_counts<M: Copy + PartialEq + std::fmt::Debug>(answer: &TreeAnswer<M>) {
    let visits: u64 = answer.moves.iter().map(|m| m.visits).sum();
    assert_eq!(visits, answer.iterations);
    for m in &answer.moves {
        assert!((0.0..=1.0).contains(&m.value), "{m:?}");
    }
}

#[test]
fn proofs_by_several_threads_match_the_solution() {
    let start = TicTacToe::new();
    for plies in [1, 2, 4, 6, 8] {
        check_threads(&unfinished(&start, plies, 4), &Playout);
    }
    check_threads(&[start], &Playout);
    let small = Mnk::new(4, 3, 3).unwrap();
    check_threads(&[small], &Playout);
    let late = unfinished(&ConnectFour::new(), 32, 12);
    check_threads(&late, &Playout);
    let late = unfinished(&Pegs::new(), 19, 8);
    check_threads(&late, &Playout);
}

#[test]
fn several_threads_count_every_iteration_once() {
    let game = ConnectFour::new();
    for threads in [1, 2, 4, 7] {
        let threads = NonZero::new(threads).unwrap();
        let options = TreeOptions::default();
        let mut search = TreeSearch::new(&game, Tempo, options, Rng::new(1));
        for iterations in [1, 999, 2_000] {
            search.step_together(threads, &Budget::nodes(iterations), &StopFlag::new());
        }
        let answer = search.answer();
        assert_eq!(answer.iterations, 3_000);
        check_counts(&answer);
        // Every leaf has the value 0.6 for its side to move: all virtual losses are
        // taken back.
        for statistics in &answer.moves {
            assert!((0.39..=0.61).contains(&statistics.value), "{statistics:?}");
        }
    }
}

/// No search takes more than 1,024 of them.
#[test]
fn any_number_of_threads_can_be_asked_for() {
    let options = TreeOptions::default();
    let mut search = TreeSearch::new(&TicTacToe::new(), Playout, options, Rng::new(1));
    let budget = Budget::nodes(100);
    search.step_together(NonZero::<usize>::MAX, &budget, &StopFlag::new());
    assert_eq!(search.answer().iterations, 100);
}

#[test]
fn one_thread_equals_a_step() {
    let game = Ultimate::new();
    let mut alone = search(&game, TreeOptions::default(), 5);
    let mut together = search(&game, TreeOptions::default(), 5);
    let one = NonZero::<usize>::MIN;
    for iterations in [1, 500, 1_500] {
        step(&mut alone, iterations);
        together.step_together(one, &Budget::nodes(iterations), &StopFlag::new());
    }
    assert_eq!(together.answer(), alone.answer());
}

#[test]
fn node_limit_flag_and_clock_hold_for_several_threads() {
    let game = Ultimate::new();
    let two = NonZero::new(2).unwrap();
    let three = NonZero::new(3).unwrap();
    for max_nodes in [0, 82, 83, 1_000] {
        for trees in [1, 2] {
            let options = TreeOptions {
                max_nodes,
                trees: NonZero::new(trees).unwrap(),
                ..TreeOptions::default()
            };
            let mut search = search(&game, options, 1);
            search.step_together(three, &Budget::nodes(3_000), &StopFlag::new());
            assert_eq!(search.answer().iterations, 3_000);
            assert!(search.tree_nodes() <= max_nodes.max(82 * trees));
        }
    }
    let mut search = search(&game, TreeOptions::default(), 1);
    let before = search.answer();
    let raised = StopFlag::new();
    raised.raise();
    search.step_together(two, &Budget::UNLIMITED, &raised);
    search.step_together(two, &Budget::nodes(0), &StopFlag::new());
    let none = Budget::time(Duration::ZERO, Clock::new(|| Duration::from_secs(1)));
    search.step_together(two, &none, &StopFlag::new());
    assert_eq!(search.answer(), before);

    // The evaluator raises the flag with the hundredth leaf.
    let stop = StopFlag::new();
    let count = Arc::new(AtomicU64::new(0));
    let raises = Raises {
        stop: stop.clone(),
        count: Arc::clone(&count),
    };
    let mut search = TreeSearch::new(&game, raises, TreeOptions::default(), Rng::new(1));
    search.step_together(three, &Budget::UNLIMITED, &stop);
    let evaluated = count.load(Ordering::Relaxed);
    assert!((100..1_000).contains(&evaluated), "{evaluated}");
    check_counts(&search.answer());
}

/// Raises a flag after a hundred evaluations on all threads together.
#[derive(Clone)]
struct Raises {
    stop: StopFlag,
    count: Arc<AtomicU64>,
}

impl<G: TwoPlayerGame> LeafEvaluator<G> for Raises {
    fn evaluate(&mut self, _: &G, _: &mut Rng) -> SideValue {
        if self.count.fetch_add(1, Ordering::Relaxed) >= 99 {
            self.stop.raise();
        }
        SideValue::EVEN
    }
}
