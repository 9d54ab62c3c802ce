//! Monte-Carlo tree search: proofs match solved games, visits add up, and budgets,
//! memory limits and seeds are respected.

use std::cell::Cell;
use std::num::NonZero;
use std::time::Duration;

use crate::random_tree::RandomTree;
use crate::stepping_stones::SteppingStones;
use crate::unfinished::unfinished;
use open_ttt_lib::games::{ConnectFour, LineSet, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, play_text};
use open_ttt_search::{
    Budget, Clock, Grade, LeafEvaluator, Playout, SideValue, Solution, StopFlag, TreeAnswer,
    TreeOptions, TreeSearch, WinLoss, solve,
};

pub(crate) fn search<G: TwoPlayerGame>(game: &G, options: TreeOptions, seed: u64) -> TreeSearch<G> {
    TreeSearch::new(game, Playout, options, Rng::new(seed))
}

pub(crate) fn step<G: TwoPlayerGame, E: LeafEvaluator<G>>(
    search: &mut TreeSearch<G, E>,
    iterations: u64,
) {
    search.step(&Budget::nodes(iterations), &StopFlag::new());
}

/// Every proof of an answer is right, and the best move keeps the result.
#[track_caller]
pub(crate) fn check_proofs<G: TwoPlayerGame>(
    solution: &Solution<G>,
    game: &G,
    answer: &TreeAnswer<G::Move>,
) {
    let result = |game: &G| match solution.score(game).unwrap().grade() {
        Grade::Win => Outcome::Win(game.to_move()),
        Grade::Loss => Outcome::Win(!game.to_move()),
        Grade::Evaluation(_) => Outcome::Draw,
    };
    if let Some(proved) = answer.proved {
        assert_eq!(proved, result(game), "the position");
        let best = game.after(answer.moves[0].m);
        assert_eq!(proved, result(&best), "the best move");
    }
    for statistics in &answer.moves {
        if let Some(proved) = statistics.proved {
            let m = statistics.m;
            assert_eq!(proved, result(&game.after(m)), "{m:?}");
        }
    }
}

/// Searches positions until they are proved, and checks the answers on the way.
#[track_caller]
fn check_solver<G, E>(positions: Vec<G>, evaluator: &E)
where
    G: TwoPlayerGame,
    E: LeafEvaluator<G> + Clone,
{
    let options = TreeOptions::default();
    for (seed, game) in (0..).zip(positions) {
        let solution = solve(&game, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
        let mut search = TreeSearch::new(&game, evaluator.clone(), options, Rng::new(seed));
        for _ in 0..4 {
            step(&mut search, 40);
            check_proofs(&solution, &game, &search.answer());
        }
        step(&mut search, 300_000);
        let answer = search.answer();
        assert!(answer.proved.is_some(), "unproved");
        check_proofs(&solution, &game, &answer);
        step(&mut search, 1_000);
        assert_eq!(search.answer(), answer, "a proof ends the search");
    }
}

#[test]
fn proofs_of_tic_tac_toe_match_the_solution() {
    let start = TicTacToe::new();
    for plies in 1..8 {
        check_solver(unfinished(&start, plies, 6), &Playout);
        check_solver(unfinished(&start, plies, 6), &Tempo);
    }
    check_solver(vec![start], &Playout);
}

#[test]
fn proofs_of_small_boards_match_the_solution() {
    for (m, n, k) in [(2, 2, 2), (4, 3, 3), (7, 1, 3), (3, 3, 2)] {
        let start = Mnk::new(m, n, k).unwrap();
        check_solver(vec![start], &Playout);
        check_solver(unfinished(&start, 1, 3), &Tempo);
    }
}

#[test]
fn proofs_of_connect_four_match_the_solution() {
    let start = ConnectFour::new();
    check_solver(unfinished(&start, 32, 30), &Playout);
    check_solver(unfinished(&start, 32, 30), &Tempo);
}

#[test]
fn proofs_of_pegs_match_the_solution() {
    let start = Pegs::with_lines(LineSet::ThirtyEight);
    check_solver(unfinished(&start, 19, 20), &Playout);
}

#[test]
fn proofs_follow_the_turns() {
    for seed in 0..40 {
        let game = RandomTree::<false>::new(seed, 10);
        check_solver(vec![game.clone()], &Playout);
        check_solver(vec![game], &Tempo);
        check_solver(vec![SteppingStones::<false>::new(seed, 14)], &Tempo);
    }
}

/// Evaluates every position at 0.6 for the side to move.
#[derive(Clone)]
pub(crate) struct Tempo;

impl<G: TwoPlayerGame> LeafEvaluator<G> for Tempo {
    fn evaluate(&mut self, leaf: &G, _: &mut Rng) -> SideValue {
        SideValue::for_side(leaf.to_move(), 0.6)
    }
}

/// Evaluates every position at 0.75 for one side.
#[derive(Clone)]
struct Partisan(Side);

impl<G: TwoPlayerGame> LeafEvaluator<G> for Partisan {
    fn evaluate(&mut self, _: &G, _: &mut Rng) -> SideValue {
        SideValue::for_side(self.0, 0.75)
    }
}

#[test]
fn a_value_counts_for_its_side() {
    let mut game = Qubic::new();
    for mover in [Side::First, Side::Second] {
        assert_eq!(game.to_move(), mover);
        for side in Side::BOTH {
            let options = TreeOptions::default();
            let mut search = TreeSearch::new(&game, Partisan(side), options, Rng::new(1));
            step(&mut search, 500);
            let expected = if side == mover { 0.75 } else { 0.25 };
            for statistics in search.answer().moves {
                assert!((statistics.value - expected).abs() < 1e-9, "{statistics:?}");
            }
        }
        let m = game.moves().next().unwrap();
        game.play_unchecked(m);
    }
}

#[test]
fn a_value_that_is_not_a_number_counts_as_even() {
    #[derive(Clone)]
    struct NotANumber;
    impl<G: TwoPlayerGame> LeafEvaluator<G> for NotANumber {
        fn evaluate(&mut self, leaf: &G, _: &mut Rng) -> SideValue {
            SideValue::for_side(leaf.to_move(), f32::NAN)
        }
    }
    let options = TreeOptions::default();
    let mut search = TreeSearch::new(&Pegs::new(), NotANumber, options, Rng::new(1));
    step(&mut search, 300);
    let answer = search.answer();
    assert_eq!((answer.iterations, answer.moves.len()), (300, 8));
    assert!(answer.moves.iter().all(|m| (m.value - 0.5).abs() < 1e-9));
}

#[test]
fn odd_exploration_constants_do_no_harm() {
    for exploration in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 0.0, 1e30] {
        let options = TreeOptions {
            exploration,
            ..TreeOptions::default()
        };
        let mut search = search(&Pegs::new(), options, 1);
        step(&mut search, 300);
        let answer = search.answer();
        assert_eq!((answer.iterations, answer.moves.len()), (300, 8));
        assert!(answer.moves.iter().all(|m| m.visits > 0));
    }
}

#[test]
fn several_steps_equal_one_step() {
    let game = Ultimate::new();
    let mut whole = search(&game, TreeOptions::default(), 7);
    step(&mut whole, 3_000);
    let mut sliced = search(&game, TreeOptions::default(), 7);
    let mut rng = Rng::new(1);
    let mut left = 3_000;
    while left > 0 {
        let slice = left.min(rng.below(50) as u64);
        step(&mut sliced, slice);
        let _ = sliced.answer();
        left -= slice;
    }
    assert_eq!(sliced.answer(), whole.answer());
    let mut other = search(&game, TreeOptions::default(), 8);
    step(&mut other, 3_000);
    assert_ne!(other.answer(), whole.answer());
}

#[test]
fn threads_equal_one_thread_on_several_trees() {
    let game = ConnectFour::new();
    for trees in [1, 2, 5] {
        let options = TreeOptions {
            trees: NonZero::new(trees).unwrap(),
            ..TreeOptions::default()
        };
        let mut alone = search(&game, options, 3);
        let mut together = search(&game, options, 3);
        for iterations in [1_000, 7, 2_003] {
            step(&mut alone, iterations);
            together.step_on_threads(&Budget::nodes(iterations), &StopFlag::new());
        }
        let answer = together.answer();
        assert_eq!(answer, alone.answer());
        assert_eq!(answer.iterations, 3_010);
        together.advance(answer.moves[0].m).unwrap();
        assert_eq!(together.answer().iterations, answer.moves[0].visits);
    }
}

#[test]
fn the_subtree_of_a_move_is_kept() {
    let game = ConnectFour::new();
    let mut search = search(&game, TreeOptions::default(), 1);
    step(&mut search, 5_000);
    let mut nodes = search.tree_nodes();
    for _ in 0..4 {
        let before = search.answer();
        let best = before.moves[0];
        let line = before.line.clone();
        search.advance(best.m).unwrap();
        let after = search.answer();
        assert_eq!(after.iterations, best.visits);
        assert!(after.line.starts_with(&line[1..]), "the rest of the line");
        // The first visit evaluated the move itself.
        let visits: u64 = after.moves.iter().map(|m| m.visits).sum();
        assert_eq!(visits + 1, best.visits);
        let mean = after
            .moves
            .iter()
            .map(|m| m.value * m.visits as f64)
            .sum::<f64>();
        let points = best.value * best.visits as f64;
        // Means are rounded to single precision with each visit.
        let rounding = 1e-5 * visits as f64;
        assert!((points - (visits as f64 - mean)).abs() <= 1.0 + rounding);
        assert!(search.tree_nodes() < nodes, "nodes are dropped");
        nodes = search.tree_nodes();
    }
    // The search continues from there.
    step(&mut search, 20_000);
    let answer = search.answer();
    assert_eq!(answer.moves.len(), search.game().moves().count());
}

#[test]
fn an_unvisited_move_restarts_and_an_illegal_one_is_refused() {
    let game = TicTacToe::new();
    let mut search = search(&game, TreeOptions::default(), 1);
    step(&mut search, 3);
    let unseen = search.answer().moves.last().unwrap().m;
    search.advance(unseen).unwrap();
    assert_eq!(search.answer().iterations, 0);
    assert_eq!(search.answer().moves.len(), 8);
    let answer = search.answer();
    assert!(search.advance(unseen).is_err());
    assert_eq!(search.answer(), answer);
    step(&mut search, 100_000);
    let solution = solve(&game, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
    check_proofs(&solution, &game.after(unseen), &search.answer());
    assert!(search.answer().proved.is_some());
}

#[test]
fn a_proof_lasts_to_the_end_of_the_game() {
    let mut game = ConnectFour::new();
    play_text(&mut game, "434343").unwrap();
    let mut search = search(&game, TreeOptions::default(), 1);
    step(&mut search, 1_000);
    let answer = search.answer();
    assert_eq!(answer.proved, Some(Outcome::Win(Side::First)));
    search.advance(answer.moves[0].m).unwrap();
    let over = search.answer();
    assert!(over.moves.is_empty() && over.line.is_empty());
    assert_eq!(over.proved, Some(Outcome::Win(Side::First)));
}

#[test]
fn the_node_limit_holds() {
    let game = Ultimate::new();
    for max_nodes in [0, 1, 81, 82, 83, 100, 1_000, 5_000] {
        let options = TreeOptions {
            max_nodes,
            ..TreeOptions::default()
        };
        let mut search = search(&game, options, 1);
        for _ in 0..6 {
            step(&mut search, 2_000);
            // The root and its moves are always there.
            let floor = search.game().moves().count() + 1;
            assert!(search.tree_nodes() <= max_nodes.max(floor));
            let answer = search.answer();
            let visits: u64 = answer.moves.iter().map(|m| m.visits).sum();
            assert!(visits <= answer.iterations);
            search.advance(answer.moves[0].m).unwrap();
        }
    }
    let options = TreeOptions {
        max_nodes: 1_000,
        trees: NonZero::new(3).unwrap(),
        ..TreeOptions::default()
    };
    let mut several = search(&game, options, 1);
    step(&mut several, 6_000);
    assert!(several.tree_nodes() <= 1_000);
}

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

/// A clock that advances by a microsecond with every reading.
fn quick() -> Clock {
    Clock::new(|| {
        LOOKS.set(LOOKS.get() + 1);
        Duration::from_micros(LOOKS.get())
    })
}

#[test]
fn an_empty_budget_does_nothing() {
    let game = Pegs::new();
    let raised = StopFlag::new();
    raised.raise();
    let lowered = StopFlag::new();
    let mut search = search(&game, TreeOptions::default(), 1);
    let before = search.answer();
    assert_eq!((before.iterations, before.moves.len()), (0, 8));
    assert!(before.line.len() == 1 && before.proved.is_none());
    search.step(&Budget::UNLIMITED, &raised);
    search.step(&Budget::nodes(0), &lowered);
    search.step(&Budget::time(Duration::ZERO, quick()), &lowered);
    assert_eq!(search.answer(), before);
    search.step(&Budget::nodes(1), &lowered);
    assert_eq!(search.answer().iterations, 1);

    // With a minimum, every move is visited.
    let options = TreeOptions::default();
    for (budget, stop) in [
        (Budget::UNLIMITED, &raised),
        (Budget::nodes(0), &lowered),
        (Budget::time(Duration::ZERO, quick()), &lowered),
    ] {
        let mut search = TreeSearch::new(&game, Playout, options, Rng::new(1));
        let answer = search.answer_within(&budget, stop);
        assert_eq!(answer.iterations, 8);
        assert!(answer.moves.iter().all(|m| m.visits == 1));
    }
}

#[test]
fn a_quick_search_seldom_reads_the_clock() {
    let mut search = search(&ConnectFour::new(), TreeOptions::default(), 1);
    let before = LOOKS.get();
    search.step(
        &Budget::time(Duration::from_micros(100), quick()),
        &StopFlag::new(),
    );
    assert_eq!(
        LOOKS.get() - before,
        101,
        "once at the start, then each microsecond"
    );
    // The interval between two reads grows by a fifteenth from 1 to 64 iterations.
    assert_eq!(search.answer().iterations, 3_178);
}

/// The exact probabilities that a random game is won by the first side, and that it
/// is drawn.
fn exact_shares<G: TwoPlayerGame>(game: &G) -> [f64; 2] {
    match game.outcome() {
        Some(Outcome::Win(Side::First)) => [1.0, 0.0],
        Some(Outcome::Win(Side::Second)) => [0.0, 0.0],
        Some(Outcome::Draw) => [0.0, 1.0],
        None => {
            let all: Vec<_> = game.moves().map(|m| exact_shares(&game.after(m))).collect();
            [0, 1]
                .map(|index| all.iter().map(|shares| shares[index]).sum::<f64>() / all.len() as f64)
        }
    }
}

#[track_caller]
fn check_playouts<G: TwoPlayerGame>(game: &G) {
    const GAMES: u32 = 20_000;
    let mut rng = Rng::new(1);
    let mut counts = [0_u32; 2];
    for _ in 0..GAMES {
        match game.clone().play_out(&mut || rng.next_u64()) {
            Outcome::Win(Side::First) => counts[0] += 1,
            Outcome::Win(Side::Second) => {}
            Outcome::Draw => counts[1] += 1,
        }
    }
    for (count, share) in counts.into_iter().zip(exact_shares(game)) {
        let spread = (f64::from(GAMES) * share * (1.0 - share)).sqrt();
        let distance = f64::from(count) - f64::from(GAMES) * share;
        assert!(
            distance.abs() <= 4.5 * spread + 1e-6,
            "{count} of {GAMES}, {share}"
        );
    }
}

#[test]
fn playouts_have_the_exact_distribution() {
    let start = TicTacToe::new();
    check_playouts(&start);
    for plies in 1..6 {
        check_playouts(&unfinished(&start, plies, 1)[0]);
    }
    check_playouts(&Mnk::new(3, 3, 3).unwrap());
    check_playouts(&Mnk::new(5, 1, 2).unwrap());
    check_playouts(&Mnk::new(1, 1, 1).unwrap());
    check_playouts(&Mnk::new(4, 2, 3).unwrap());
    for game in unfinished(&ConnectFour::new(), 33, 12) {
        check_playouts(&game);
    }
    for game in unfinished(&Pegs::new(), 17, 4) {
        check_playouts(&game);
    }
    let late = unfinished(&Ultimate::new(), 56, 6);
    for game in late.iter().filter(|game| game.moves().count() < 9) {
        check_playouts(game);
    }
    for game in unfinished(&Qubic::new(), 57, 4) {
        check_playouts(&game);
    }
}

#[test]
fn a_finished_game_has_no_playout() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1 b1 a2 b2 a3").unwrap();
    let mut draws = 0;
    let outcome = game.play_out(&mut || {
        draws += 1;
        0
    });
    assert_eq!((outcome, draws), (Outcome::Win(Side::First), 0));
    finish(&ConnectFour::new());
    finish(&Pegs::new());
    finish(&Mnk::default());
    finish(&Qubic::new());
    finish(&Ultimate::new());
}

/// A playout from the end of a random game is its outcome.
fn finish<G: TwoPlayerGame>(start: &G) {
    let mut rng = Rng::new(5);
    let mut game = start.clone();
    while let Some(m) = rng.pick(game.moves()) {
        game.play_unchecked(m);
    }
    let outcome = game.outcome().unwrap();
    assert_eq!(game.play_out(&mut || 0), outcome);
}

/// An excluded move counts as lost, but only while it is excluded.
#[test]
fn a_search_goes_on_below_a_move_that_was_excluded() {
    let game = TicTacToe::new();
    let solution = solve(&game, &WinLoss, 10_000, &StopFlag::new()).unwrap();
    let m = game.moves().next().unwrap();
    let mut search = search(&game, TreeOptions::default(), 1);
    step(&mut search, 100);
    search.exclude([m]);
    step(&mut search, 100);
    search.advance(m).unwrap();
    let next = game.after(m);
    assert_eq!(search.game(), &next);
    step(&mut search, 50_000);
    let answer = search.answer();
    assert_eq!(answer.proved, Some(Outcome::Draw));
    check_proofs(&solution, &next, &answer);
}
