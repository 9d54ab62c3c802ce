//! Tree search: what it proves is what plain negamax says, what it counts adds
//! up, and its budgets, its memory and its seeds are kept to.

use std::cell::Cell;
use std::num::NonZero;
use std::time::Duration;

use crate::unfinished::unfinished;
use open_ttt_lib::games::{ConnectFour, LineSet, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Heuristic, Notation, Outcome, Side, TwoPlayerGame, play_text};
use open_ttt_search::{
    Budget, ByHeuristic, Clock, Grade, Judgement, LeafEvaluator, Playout, Selection, SideValue,
    Solution, StopFlag, TreeAnswer, TreeOptions, TreeSearch, WinLoss, monte_carlo, solve,
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

/// Every proof of an answer holds, and the best move keeps the result.
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

/// Searches positions until they are proved, and before.
#[track_caller]
fn check_solver<G, E>(positions: Vec<G>, evaluator: &E, selection: Selection)
where
    G: TwoPlayerGame,
    E: LeafEvaluator<G> + Clone,
{
    let options = TreeOptions {
        selection,
        ..TreeOptions::default()
    };
    for (seed, game) in (0..).zip(positions) {
        let solution = solve(&game, &WinLoss, usize::MAX).unwrap();
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

pub(crate) const HEURISTIC: ByHeuristic = ByHeuristic {
    unit: 20.0,
    playout_share: 0.5,
};

#[test]
fn what_is_proved_of_tic_tac_toe_is_right() {
    let start = TicTacToe::new();
    for plies in 1..8 {
        check_solver(unfinished(&start, plies, 6), &Playout, Selection::UCT);
        check_solver(unfinished(&start, plies, 6), &Playout, Selection::PUCT);
    }
    check_solver(vec![start], &Playout, Selection::UCT);
}

#[test]
fn what_is_proved_of_small_boards_is_right() {
    for (m, n, k) in [(2, 2, 2), (4, 3, 3), (7, 1, 3), (3, 3, 2)] {
        let start = Mnk::new(m, n, k).unwrap();
        check_solver(vec![start], &Playout, Selection::UCT);
        check_solver(unfinished(&start, 1, 3), &HEURISTIC, Selection::PUCT);
    }
}

#[test]
fn what_is_proved_of_connect_four_is_right() {
    let start = ConnectFour::new();
    check_solver(unfinished(&start, 32, 30), &Playout, Selection::UCT);
    check_solver(unfinished(&start, 32, 30), &HEURISTIC, Selection::PUCT);
    check_solver(unfinished(&start, 32, 10), &Batched(16), Selection::PUCT);
}

#[test]
fn what_is_proved_of_pegs_is_right() {
    let start = Pegs::with_lines(LineSet::ThirtyEight);
    check_solver(unfinished(&start, 19, 20), &Playout, Selection::UCT);
}

/// Judges many positions at once, by nothing but whose turn it is, and knows
/// that the last of the moves is the best.
#[derive(Clone)]
pub(crate) struct Batched(pub(crate) usize);

impl<G: TwoPlayerGame> LeafEvaluator<G> for Batched {
    fn batch(&self) -> NonZero<usize> {
        NonZero::new(self.0).unwrap()
    }

    fn evaluate(&mut self, leaf: &G, _: &mut Rng) -> Judgement {
        let mut priors = vec![1.0; leaf.moves().count()];
        *priors.last_mut().unwrap() = 5.0;
        Judgement {
            expectation: SideValue::for_side(leaf.to_move(), 0.6),
            priors,
        }
    }

    fn evaluate_batch(&mut self, leaves: &[G], rng: &mut Rng) -> Vec<Judgement> {
        assert!((1..=self.0).contains(&leaves.len()));
        assert!(leaves.iter().all(|leaf| leaf.outcome().is_none()));
        leaves.iter().map(|leaf| self.evaluate(leaf, rng)).collect()
    }
}

/// Says a fixed number for one side, whoever is to move.
#[derive(Clone)]
struct Partisan(Side);

impl<G: TwoPlayerGame> LeafEvaluator<G> for Partisan {
    fn evaluate(&mut self, _: &G, _: &mut Rng) -> Judgement {
        SideValue::for_side(self.0, 0.75).into()
    }
}

#[test]
fn a_judgement_is_told_for_the_side_it_is_meant_for() {
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
fn batches_count_each_line_once() {
    let game = ConnectFour::new();
    for batch in [2, 8, 64] {
        let options = TreeOptions {
            selection: Selection::PUCT,
            ..TreeOptions::default()
        };
        let mut search = TreeSearch::new(&game, Batched(batch), options, Rng::new(1));
        step(&mut search, 1_000);
        let answer = search.answer();
        assert_eq!(answer.iterations, 1_000);
        let visits: u64 = answer.moves.iter().map(|m| m.visits).sum();
        assert_eq!(visits, 1_000);
        // Every position is worth 0.6 to whoever is to move there, so that a
        // move is worth from 0.4 to 0.6, and what waited is no longer lost.
        for statistics in &answer.moves {
            assert!((0.39..=0.61).contains(&statistics.value), "{statistics:?}");
        }
        assert_eq!(game.move_text(answer.moves[0].m), "7", "the priors say so");
    }
}

#[test]
fn priors_that_are_no_numbers_do_no_harm() {
    #[derive(Clone)]
    struct Odd(Vec<f32>);
    impl<G: TwoPlayerGame> LeafEvaluator<G> for Odd {
        fn evaluate(&mut self, leaf: &G, _: &mut Rng) -> Judgement {
            Judgement {
                expectation: SideValue::for_side(leaf.to_move(), f32::NAN),
                priors: self.0.clone(),
            }
        }
    }
    let game = Pegs::new();
    for priors in [
        vec![f32::NAN; 8],
        vec![f32::INFINITY; 8],
        vec![-1.0; 9],
        vec![1.0],
        vec![f32::MAX; 1_000],
        vec![f32::NEG_INFINITY, 0.5, 0.0],
    ] {
        for selection in [Selection::UCT, Selection::PUCT] {
            let options = TreeOptions {
                selection,
                ..TreeOptions::default()
            };
            let mut search = TreeSearch::new(&game, Odd(priors.clone()), options, Rng::new(1));
            step(&mut search, 300);
            let answer = search.answer();
            assert_eq!(answer.iterations, 300);
            assert_eq!(answer.moves.len(), 8);
            assert!(answer.moves.iter().all(|m| (m.value - 0.5).abs() < 1e-9));
        }
    }
}

#[test]
fn many_steps_are_one_run() {
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
fn threads_do_what_one_thread_does_for_several_trees() {
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
fn what_was_seen_of_a_move_is_kept_after_it() {
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
        assert!(after.line.starts_with(&line[1..]), "the line goes on");
        // The move's first visit looked no further.
        let visits: u64 = after.moves.iter().map(|m| m.visits).sum();
        assert_eq!(visits + 1, best.visits);
        let mean = after
            .moves
            .iter()
            .map(|m| m.value * m.visits as f64)
            .sum::<f64>();
        let points = best.value * best.visits as f64;
        assert!((points - (visits as f64 - mean)).abs() <= 1.0 + 1e-3);
        assert!(search.tree_nodes() < nodes, "memory is given back");
        nodes = search.tree_nodes();
    }
    // And the search goes on from there as a whole one does.
    step(&mut search, 20_000);
    let answer = search.answer();
    assert_eq!(answer.moves.len(), search.game().moves().count());
}

#[test]
fn a_move_not_seen_begins_anew_and_an_illegal_one_nothing() {
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
    let solution = solve(&game, &WinLoss, usize::MAX).unwrap();
    check_proofs(&solution, &game.after(unseen), &search.answer());
    assert!(search.answer().proved.is_some());
}

#[test]
fn a_proof_is_kept_to_the_end_of_the_game() {
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
fn memory_is_kept_to() {
    let game = Ultimate::new();
    for most_tree_nodes in [0, 1, 81, 82, 83, 100, 1_000, 5_000] {
        let options = TreeOptions {
            most_tree_nodes,
            ..TreeOptions::default()
        };
        let mut search = search(&game, options, 1);
        for _ in 0..6 {
            step(&mut search, 2_000);
            // The root and its moves are always there.
            let floor = search.game().moves().count() + 1;
            assert!(search.tree_nodes() <= most_tree_nodes.max(floor));
            let answer = search.answer();
            let visits: u64 = answer.moves.iter().map(|m| m.visits).sum();
            assert!(visits <= answer.iterations);
            search.advance(answer.moves[0].m).unwrap();
        }
    }
    let options = TreeOptions {
        most_tree_nodes: 1_000,
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

/// A clock that takes a microsecond each time it is read.
fn quick() -> Clock {
    Clock::new(|| {
        LOOKS.set(LOOKS.get() + 1);
        Duration::from_micros(LOOKS.get())
    })
}

#[test]
fn nothing_is_done_where_nothing_may_be() {
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

    // In one call, every move is tried.
    let options = TreeOptions::default();
    for (budget, stop) in [
        (Budget::UNLIMITED, &raised),
        (Budget::nodes(0), &lowered),
        (Budget::time(Duration::ZERO, quick()), &lowered),
    ] {
        let answer = monte_carlo(&game, options, &budget, stop, &mut Rng::new(1));
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

/// The share of games that the first side wins, and that are drawn, where all
/// moves are by chance: exactly, by looking at all of them.
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
fn random_games_are_as_likely_as_the_moves_make_them() {
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
fn a_game_that_is_over_is_not_played_on() {
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

/// Plays to the end, and then on.
fn finish<G: TwoPlayerGame>(start: &G) {
    let mut rng = Rng::new(5);
    let mut game = start.clone();
    while let Some(m) = rng.pick(game.moves()) {
        game.play_unchecked(m);
    }
    let outcome = game.outcome().unwrap();
    assert_eq!(game.play_out(&mut || 0), outcome);
}

#[test]
fn the_heuristic_makes_a_player_of_few_iterations() {
    fn best<G: Heuristic + Notation>(game: &G) -> String {
        let options = TreeOptions {
            selection: Selection::PUCT,
            ..TreeOptions::default()
        };
        let mut search = TreeSearch::new(game, HEURISTIC, options, Rng::new(1));
        step(&mut search, 100);
        game.move_text(search.answer().moves[0].m)
    }
    // Four in a row with room at both ends win, and four of the opponent's
    // with room at one end must be stopped there.
    let mut game = Mnk::default();
    play_text(&mut game, "d4 d9 e4 e9 f4 f9 g4 o15").unwrap();
    assert!(["c4", "h4"].contains(&best(&game).as_str()));
    let mut game = Mnk::default();
    play_text(&mut game, "c4 d4 o1 e4 o3 f4 o5 g4").unwrap();
    assert_eq!(best(&game), "h4");
}
