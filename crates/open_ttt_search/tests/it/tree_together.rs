//! One tree that several threads grow: what they prove is what plain negamax
//! says, every line is counted once, and budgets and memory are kept to.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{
    Budget, Clock, Judgement, LeafEvaluator, Playout, Selection, SideValue, StopFlag, TreeAnswer,
    TreeOptions, TreeSearch, WinLoss, solve,
};

use crate::tree_search::{Batched, HEURISTIC, check_proofs, search, step};
use crate::unfinished::unfinished;

/// Grows one tree with several threads until it is proved, and looks at what it
/// says before.
#[track_caller]
fn check_threads<G, E>(positions: &[G], evaluator: &E, selection: Selection)
where
    G: TwoPlayerGame<Move: Send> + Send,
    E: LeafEvaluator<G> + Clone + Send,
{
    let options = TreeOptions {
        selection,
        ..TreeOptions::default()
    };
    for (seed, game) in (0..).zip(positions) {
        let solution = solve(game, &WinLoss, usize::MAX).unwrap();
        for threads in [2, 4] {
            let threads = NonZero::new(threads).unwrap();
            let mut search = TreeSearch::new(game, evaluator.clone(), options, Rng::new(seed));
            let mut made = 0;
            // How many a proof takes depends on who has the tree when: mostly
            // hundreds, rarely hundreds of thousands.
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

/// Each line went to one of the moves, and all that was counted as lost until
/// it was judged has been judged.
#[track_caller]
fn check_counts<M: Copy + PartialEq + std::fmt::Debug>(answer: &TreeAnswer<M>) {
    let visits: u64 = answer.moves.iter().map(|m| m.visits).sum();
    assert_eq!(visits, answer.iterations);
    for m in &answer.moves {
        assert!((0.0..=1.0).contains(&m.value), "{m:?}");
    }
}

#[test]
fn what_several_threads_prove_in_one_tree_is_right() {
    let start = TicTacToe::new();
    for plies in [1, 2, 4, 6, 8] {
        check_threads(&unfinished(&start, plies, 4), &Playout, Selection::UCT);
        check_threads(&unfinished(&start, plies, 4), &Batched(4), Selection::PUCT);
    }
    check_threads(&[start], &Playout, Selection::UCT);
    let small = Mnk::new(4, 3, 3).unwrap();
    check_threads(&[small], &Playout, Selection::UCT);
    let late = unfinished(&ConnectFour::new(), 32, 12);
    check_threads(&late, &Playout, Selection::UCT);
    check_threads(&late, &HEURISTIC, Selection::PUCT);
    check_threads(&late[..6], &Batched(16), Selection::PUCT);
    let late = unfinished(&Pegs::new(), 19, 8);
    check_threads(&late, &Playout, Selection::UCT);
}

#[test]
fn several_threads_count_each_line_of_one_tree_once() {
    let game = ConnectFour::new();
    for threads in [1, 2, 4, 7] {
        let threads = NonZero::new(threads).unwrap();
        for (evaluator, selection) in [(1, Selection::UCT), (8, Selection::PUCT)] {
            let options = TreeOptions {
                selection,
                ..TreeOptions::default()
            };
            let mut search = TreeSearch::new(&game, Batched(evaluator), options, Rng::new(1));
            for iterations in [1, 999, 2_000] {
                search.step_together(threads, &Budget::nodes(iterations), &StopFlag::new());
            }
            let answer = search.answer();
            assert_eq!(answer.iterations, 3_000);
            check_counts(&answer);
            // Every position is worth 0.6 to whoever is to move there: nothing
            // that was counted as lost is lost for good.
            for statistics in &answer.moves {
                assert!((0.39..=0.61).contains(&statistics.value), "{statistics:?}");
            }
        }
    }
}

#[test]
fn one_thread_in_one_tree_is_a_step() {
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
fn several_threads_keep_to_the_memory_the_flag_and_the_clock() {
    let game = Ultimate::new();
    let two = NonZero::new(2).unwrap();
    let three = NonZero::new(3).unwrap();
    for most_tree_nodes in [0, 82, 83, 1_000] {
        for trees in [1, 2] {
            let options = TreeOptions {
                most_tree_nodes,
                trees: NonZero::new(trees).unwrap(),
                ..TreeOptions::default()
            };
            let mut search = search(&game, options, 1);
            search.step_together(three, &Budget::nodes(3_000), &StopFlag::new());
            assert_eq!(search.answer().iterations, 3_000);
            assert!(search.tree_nodes() <= most_tree_nodes.max(82 * trees));
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

    // The flag is raised from within, by whoever judges the hundredth leaf.
    let stop = StopFlag::new();
    let count = Arc::new(AtomicU64::new(0));
    let raises = Raises {
        stop: stop.clone(),
        count: Arc::clone(&count),
    };
    let mut search = TreeSearch::new(&game, raises, TreeOptions::default(), Rng::new(1));
    search.step_together(three, &Budget::UNLIMITED, &stop);
    let judged = count.load(Ordering::Relaxed);
    assert!((100..1_000).contains(&judged), "{judged}");
    check_counts(&search.answer());
}

/// Raises a flag when it has judged a hundred positions, on all threads
/// together.
#[derive(Clone)]
struct Raises {
    stop: StopFlag,
    count: Arc<AtomicU64>,
}

impl<G: TwoPlayerGame> LeafEvaluator<G> for Raises {
    fn evaluate(&mut self, _: &G, _: &mut Rng) -> Judgement {
        if self.count.fetch_add(1, Ordering::Relaxed) >= 99 {
            self.stop.raise();
        }
        SideValue::EVEN.into()
    }
}
