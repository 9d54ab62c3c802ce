//! Principal variation search with a table, in steps and on threads, always returns
//! the result of plain negamax.

use std::cell::Cell;
use std::num::NonZero;
use std::time::Duration;

use crate::positions::positions;
use crate::reference::{check_principal_variation, minimax_scores, moves_with};
use crate::stepping_stones::SteppingStones;
use open_ttt_lib::games::{
    ConnectFour, Draughts, Lines, LinesOptions, Mnk, Morris, Pegs, Quarto, Qubic, TicTacToe,
    Ultimate,
};
use open_ttt_lib::rules::{Heuristic, Outcome, TwoPlayerGame, play_text};
use open_ttt_search::{
    Budget, Clock, Evaluator, HeuristicEvaluator, Points, RootMoves, Score, SearchOptions,
    SearchResult, Searcher, StopFlag, WinLoss, deepen, negamax, solve,
};

fn options(table_bytes: usize, root_moves: RootMoves) -> SearchOptions {
    SearchOptions {
        table_bytes,
        root_moves,
    }
}

/// Searches a position with a searcher whose table may be filled, and compares the
/// result with plain negamax.
#[track_caller]
fn check<G, E>(
    searcher: &mut Searcher<G, E>,
    root_moves: RootMoves,
    game: &G,
    depth: u32,
    (evaluator, scores): (&E, &[(G::Move, Score)]),
) where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    searcher.set_position(game);
    assert!(searcher.step(&Budget::depth(depth), &StopFlag::new()));
    let answer = searcher.result();
    assert!(answer.depth == depth || answer.proved, "depth {depth}");
    assert_eq!(answer.moves.len(), scores.len());
    let Some(expected) = scores.iter().map(|&(_, score)| score).max() else {
        assert!(answer.proved && answer.best.is_empty() && answer.principal_variation.is_empty());
        assert_eq!(answer.score, negamax(game, depth, evaluator));
        return;
    };
    assert_eq!(answer.score, expected, "at depth {depth}");
    let best = moves_with(scores, expected);
    assert_eq!(answer.best, best, "all best moves at depth {depth}");
    for &(m, score) in &answer.moves {
        let (_, exact) = scores.iter().find(|(legal, _)| *legal == m).unwrap();
        match root_moves {
            RootMoves::All => assert_eq!(score, *exact, "{m:?} at depth {depth}"),
            // The score of a slower win may need a greater depth.
            RootMoves::BestOnly if answer.depth < depth => {}
            RootMoves::BestOnly => assert!(score >= *exact, "{m:?} at depth {depth}"),
        }
    }
    assert!(answer.best.contains(&answer.principal_variation[0]));
    check_principal_variation(game, answer, evaluator);
}

const TABLES: [usize; 5] = [0, 32, 64, 1 << 10, 1 << 16];

#[track_caller]
fn check_stepping_stones<const ALTERNATES: bool, E>(evaluator: E)
where
    E: Evaluator<SteppingStones<ALTERNATES>> + Copy,
{
    let finished = SteppingStones::new(0, 0);
    for root_moves in [RootMoves::BestOnly, RootMoves::All] {
        // One searcher for all games and depths: the entries of other games and
        // depths must not change a result.
        let mut searchers =
            TABLES.map(|bytes| Searcher::new(&finished, evaluator, options(bytes, root_moves)));
        let mut check_all = |game: &SteppingStones<ALTERNATES>, depth| {
            let scores = minimax_scores(game, depth, &evaluator);
            for searcher in &mut searchers {
                check(searcher, root_moves, game, depth, (&evaluator, &scores));
            }
        };
        for seed in 0..40 {
            let mut game = SteppingStones::new(seed, 12);
            for depth in 1..=7 {
                check_all(&game, depth);
            }
            while let Some(m) = game.moves().last() {
                game.play_unchecked(m);
                check_all(&game, 5);
                check_all(&game, 2);
            }
        }
    }
}

#[test]
fn transpositions_have_the_scores_of_negamax() {
    check_stepping_stones::<true, _>(WinLoss);
    check_stepping_stones::<false, _>(WinLoss);
    check_stepping_stones::<true, _>(HeuristicEvaluator);
    check_stepping_stones::<false, _>(HeuristicEvaluator);
    check_stepping_stones::<true, _>(Points);
    check_stepping_stones::<false, _>(Points);
}

/// Compares proved results with the solution of the whole game.
#[track_caller]
fn check_proofs<const ALTERNATES: bool, E>(evaluator: E)
where
    E: Evaluator<SteppingStones<ALTERNATES>> + Copy,
{
    let mut early = 0;
    for root_moves in [RootMoves::BestOnly, RootMoves::All] {
        let finished = SteppingStones::new(0, 0);
        let mut searcher = Searcher::new(&finished, evaluator, options(1 << 14, root_moves));
        for seed in 0..300 {
            let game = SteppingStones::new(seed, 20);
            searcher.set_position(&game);
            assert!(searcher.step(&Budget::UNLIMITED, &StopFlag::new()));
            let answer = searcher.result();
            assert!(answer.proved);
            let solution = solve(&game, &evaluator, usize::MAX, &StopFlag::new()).unwrap();
            let solved = solution.analyze(&game).unwrap();
            assert_eq!(answer.score, solved.score, "{game:?}");
            assert_eq!(answer.best, solved.best, "{game:?}");
            if root_moves == RootMoves::All {
                for m in &answer.moves {
                    assert!(solved.moves.contains(m), "{m:?} in {game:?}");
                }
            }
            check_principal_variation(&game, answer, &evaluator);
            early += u32::from(answer.depth < 12);
        }
    }
    assert!(early > 100, "only {early} were proved before the end");
}

#[test]
fn proved_results_are_exact() {
    check_proofs::<true, _>(WinLoss);
    check_proofs::<false, _>(WinLoss);
    check_proofs::<true, _>(HeuristicEvaluator);
    check_proofs::<false, _>(HeuristicEvaluator);
    check_proofs::<true, _>(Points);
    check_proofs::<false, _>(Points);
}

#[track_caller]
fn check_game<G, E>(start: &G, evaluator: E, depth: u32, seed: u64)
where
    G: TwoPlayerGame,
    E: Evaluator<G> + Copy,
{
    let mut searchers = Vec::new();
    for root_moves in [RootMoves::BestOnly, RootMoves::All] {
        for bytes in [0, 1 << 12] {
            let searcher = Searcher::new(start, evaluator, options(bytes, root_moves));
            searchers.push((root_moves, searcher));
        }
    }
    for game in positions(start, 12, seed) {
        for depth in [depth - 1, depth] {
            let scores = minimax_scores(&game, depth, &evaluator);
            for (root_moves, searcher) in &mut searchers {
                check(searcher, *root_moves, &game, depth, (&evaluator, &scores));
            }
        }
    }
}

#[test]
fn every_game_has_the_scores_of_negamax() {
    check_game(&TicTacToe::new(), WinLoss, 7, 1);
    check_game(&ConnectFour::new(), HeuristicEvaluator, 5, 2);
    check_game(&ConnectFour::new(), WinLoss, 5, 3);
    check_game(&Pegs::new(), Points, 5, 4);
    check_game(&Mnk::new(4, 4, 3).unwrap(), HeuristicEvaluator, 3, 5);
    check_game(&Mnk::new(9, 9, 5).unwrap(), HeuristicEvaluator, 2, 6);
    check_game(&Qubic::new(), HeuristicEvaluator, 2, 7);
    check_game(&Ultimate::new(), HeuristicEvaluator, 4, 8);
    check_game(&Quarto::new(), HeuristicEvaluator, 2, 9);
    check_game(&Draughts::new(), HeuristicEvaluator, 4, 10);
    check_game(&Morris::three(), WinLoss, 5, 11);
    check_game(&Morris::nine(), HeuristicEvaluator, 3, 12);
    let two_marks_a_turn = LinesOptions {
        columns: 4,
        rows: 4,
        stones: 2,
        ..LinesOptions::default()
    };
    check_game(
        &Lines::new(two_marks_a_turn).unwrap(),
        HeuristicEvaluator,
        4,
        13,
    );
}

/// Searches to a depth, in steps of this many nodes.
fn in_steps<G, E>(
    game: &G,
    evaluator: E,
    options: SearchOptions,
    depth: u32,
    nodes: u64,
) -> SearchResult<G::Move>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let budget = Budget {
        nodes: Some(nodes),
        ..Budget::depth(depth)
    };
    let mut searcher = Searcher::new(game, evaluator, options);
    let mut before = 0;
    while !searcher.step(&budget, &StopFlag::new()) {
        let step = searcher.result().nodes - before;
        assert_eq!(step, nodes, "all steps but the last spend their budget");
        before = searcher.result().nodes;
    }
    searcher.result().clone()
}

#[test]
fn small_steps_give_the_result_of_one_large_step() {
    for root_moves in [RootMoves::BestOnly, RootMoves::All] {
        for bytes in [0, 1 << 12] {
            let options = options(bytes, root_moves);
            for game in positions(&ConnectFour::new(), 8, 1) {
                let whole = in_steps(&game, HeuristicEvaluator, options, 6, u64::MAX);
                for nodes in [1, 2, 3, 10, 1_000] {
                    let sliced = in_steps(&game, HeuristicEvaluator, options, 6, nodes);
                    assert_eq!(sliced, whole, "{nodes} nodes a step, {game:?}");
                }
            }
            for game in (0..50).map(|seed| SteppingStones::<true>::new(seed, 20)) {
                let whole = in_steps(&game, WinLoss, options, u32::MAX, u64::MAX);
                for nodes in [1, 7] {
                    let sliced = in_steps(&game, WinLoss, options, u32::MAX, nodes);
                    assert_eq!(sliced, whole, "{nodes} nodes a step, {game:?}");
                }
            }
        }
    }
}

#[test]
fn a_search_in_one_call_gives_the_result_of_steps() {
    for game in positions(&Pegs::new(), 10, 2) {
        let stepped = in_steps(&game, Points, SearchOptions::default(), 7, 100);
        let stop = StopFlag::new();
        let called = deepen(
            &game,
            RootMoves::BestOnly,
            &Points,
            &Budget::depth(7),
            &stop,
        );
        assert_eq!(called.score, stepped.score, "{game:?}");
        assert_eq!(called.best, stepped.best, "{game:?}");
    }
}

fn threads(count: usize) -> NonZero<usize> {
    NonZero::new(count).unwrap()
}

#[test]
fn several_threads_find_the_result_of_one() {
    let mut shared = 0;
    for (seed, game) in (0..).zip(positions(&ConnectFour::new(), 12, 9)) {
        for root_moves in [RootMoves::BestOnly, RootMoves::All] {
            let options = options([0, 1 << 10, 1 << 20][seed % 3], root_moves);
            let alone = in_steps(&game, HeuristicEvaluator, options, 9, u64::MAX);
            for count in 1..=3 {
                let mut searcher = Searcher::new(&game, HeuristicEvaluator, options);
                let stop = StopFlag::new();
                // In steps of some thousand nodes, so that threads pause.
                let budget = Budget {
                    nodes: Some(3_000 + 500 * count as u64),
                    ..Budget::depth(9)
                };
                while !searcher.step_parallel(threads(count), &budget, &stop) {}
                let together = searcher.result();
                assert_eq!(together.score, alone.score, "{game:?}");
                assert_eq!(together.best, alone.best, "{game:?}");
                if root_moves == RootMoves::All {
                    for m in &alone.moves {
                        assert!(together.moves.contains(m), "{m:?} in {together:?}");
                    }
                }
                if game.outcome().is_none() {
                    check_principal_variation(&game, together, &HeuristicEvaluator);
                }
                if count == 1 {
                    assert_eq!(together, &alone, "one thread is exactly reproducible");
                } else {
                    shared += u32::from(together.nodes > 10_000);
                }
            }
        }
    }
    assert!(
        shared > 10,
        "only {shared} searches were large enough to share"
    );
}

#[test]
fn steps_on_one_and_on_several_threads_alternate() {
    let mut game = ConnectFour::new();
    play_text(&mut game, "4435").unwrap();
    let stop = StopFlag::new();
    let alone = in_steps(
        &game,
        HeuristicEvaluator,
        SearchOptions::default(),
        10,
        u64::MAX,
    );
    let mut searcher = Searcher::new(&game, HeuristicEvaluator, SearchOptions::default());
    let few = Budget {
        nodes: Some(2_000),
        ..Budget::depth(10)
    };
    while !searcher.step(&few, &stop) && !searcher.step_parallel(threads(2), &few, &stop) {}
    assert_eq!(searcher.result().score, alone.score);
    assert_eq!(searcher.result().best, alone.best);
}

#[test]
fn the_table_speeds_up_the_search_of_the_next_position() {
    let mut game = ConnectFour::new();
    play_text(&mut game, "44").unwrap();
    let stop = StopFlag::new();
    let budget = Budget::depth(9);
    let mut searcher = Searcher::new(&game, HeuristicEvaluator, SearchOptions::default());
    searcher.step(&Budget::depth(10), &stop);
    let expected = searcher.result().principal_variation[0];
    for m in game.moves() {
        let next = game.after(m);
        let mut knowing = searcher.clone();
        knowing.set_position(&next);
        assert_eq!(knowing.game(), &next);
        knowing.step(&budget, &stop);
        let mut fresh = Searcher::new(&next, HeuristicEvaluator, SearchOptions::default());
        fresh.step(&budget, &stop);
        let (warm, cold) = (knowing.result(), fresh.result());
        assert_eq!((warm.score, &warm.best), (cold.score, &cold.best));
        assert!(
            warm.nodes < cold.nodes,
            "{m:?}: {} {}",
            warm.nodes,
            cold.nodes
        );
        if m == expected {
            assert!(warm.nodes * 2 < cold.nodes, "{} {}", warm.nodes, cold.nodes);
        }
        // A cleared searcher does the same as a new one.
        knowing.clear();
        assert_eq!(knowing.result().depth, 0);
        knowing.step(&budget, &stop);
        assert_eq!(knowing.result(), cold);
    }
}

#[test]
fn before_the_first_depth_all_moves_are_equal() {
    let game = ConnectFour::new();
    let raised = StopFlag::new();
    raised.raise();
    let never = StopFlag::new();
    let no_time = Budget::time(Duration::ZERO, Clock::new(|| Duration::ZERO));
    let mut searcher = Searcher::new(&game, HeuristicEvaluator, SearchOptions::default());
    let untouched = SearchResult {
        score: Score::evaluation(game.heuristic()),
        best: game.moves().collect(),
        principal_variation: Vec::new(),
        moves: game
            .moves()
            .map(|m| (m, Score::evaluation(game.heuristic())))
            .collect(),
        depth: 0,
        nodes: 0,
        proved: false,
    };
    for (budget, stop) in [
        (Budget::nodes(0), &never),
        (no_time, &never),
        (Budget::UNLIMITED, &raised),
    ] {
        assert!(!searcher.step(&budget, stop));
        assert!(!searcher.step_parallel(threads(2), &budget, stop));
        assert_eq!(searcher.result(), &untouched);
    }
    assert!(
        searcher.step(&Budget::depth(0), &never),
        "depth 0 is complete"
    );
    assert!(!searcher.step(&Budget::nodes(1), &never));
    assert_eq!(
        searcher.result(),
        &SearchResult {
            nodes: 1,
            ..untouched
        }
    );
}

#[test]
fn a_finished_game_is_complete_from_the_start() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1 b1 a2 b2 a3").unwrap();
    let mut searcher = Searcher::new(&game, WinLoss, SearchOptions::default());
    for _ in 0..2 {
        let answer = searcher.result();
        assert_eq!(answer.score, Score::loss_in(0));
        assert!(answer.proved && answer.best.is_empty() && answer.moves.is_empty());
        assert!(searcher.step(&Budget::nodes(0), &StopFlag::new()));
        assert!(searcher.step_parallel(threads(4), &Budget::UNLIMITED, &StopFlag::new()));
    }
    assert_eq!(searcher.result().nodes, 0);
}

thread_local! {
    static MICROSECONDS: Cell<u64> = const { Cell::new(0) };
}

/// An evaluator that advances its own clock.
struct SlowEvaluator {
    microseconds: u64,
}

impl Evaluator<ConnectFour> for SlowEvaluator {
    fn finished(&self, game: &ConnectFour, outcome: Outcome, plies: u32) -> Score {
        WinLoss.finished(game, outcome, plies)
    }

    fn unfinished(&self, game: &ConnectFour) -> Score {
        MICROSECONDS.set(MICROSECONDS.get() + self.microseconds);
        HeuristicEvaluator.unfinished(game)
    }

    fn margin(&self, _: Score) -> Option<i32> {
        None
    }
}

#[test]
fn a_step_does_not_overrun_its_time() {
    let clock = Clock::new(|| Duration::from_micros(MICROSECONDS.get()));
    let budget = Budget::time(Duration::from_millis(1), clock);
    for microseconds in [1, 10, 30, 50] {
        let evaluator = SlowEvaluator { microseconds };
        let mut searcher = Searcher::new(&ConnectFour::new(), evaluator, SearchOptions::default());
        for _ in 0..200 {
            let before = MICROSECONDS.get();
            assert!(!searcher.step(&budget, &StopFlag::new()));
            let took = MICROSECONDS.get() - before;
            assert!((1_000..1_200).contains(&took), "{took} by {microseconds}");
        }
        assert!(searcher.result().depth > 1);
    }
}

/// The number of nodes of searches of fixed positions to fixed depths.
///
/// It is a checksum of the search: refactoring must not change it. A change of the
/// search changes it and should make it smaller, or the search faster; its commit
/// updates the number and says why. It is the same on every platform.
#[test]
fn signature() {
    fn nodes<G, E>(start: &G, moves: &str, evaluator: &E, depth: u32) -> u64
    where
        G: TwoPlayerGame + open_ttt_lib::rules::Notation,
        E: Evaluator<G> + Clone,
    {
        let mut game = start.clone();
        play_text(&mut game, moves).unwrap();
        let stop = StopFlag::new();
        [RootMoves::BestOnly, RootMoves::All]
            .map(|root_moves| {
                deepen(&game, root_moves, evaluator, &Budget::depth(depth), &stop).nodes
            })
            .iter()
            .sum()
    }
    let mnk = |columns, rows, in_a_row| Mnk::new(columns, rows, in_a_row).unwrap();
    let sum = nodes(&TicTacToe::new(), "", &WinLoss, 9)
        + nodes(&ConnectFour::new(), "", &HeuristicEvaluator, 9)
        + nodes(&ConnectFour::new(), "444352", &HeuristicEvaluator, 9)
        + nodes(&ConnectFour::new(), "4435", &WinLoss, 9)
        + nodes(&Pegs::new(), "", &Points, 7)
        + nodes(&Pegs::new(), "ABCDABCD", &Points, 16)
        + nodes(&mnk(4, 3, 3), "", &WinLoss, 12)
        + nodes(&mnk(7, 7, 4), "d4", &HeuristicEvaluator, 3)
        + nodes(&Qubic::new(), "1a1 2b2", &HeuristicEvaluator, 3)
        + nodes(&Ultimate::new(), "e5", &HeuristicEvaluator, 5);
    assert_eq!(sum, 2_256_769);
}
