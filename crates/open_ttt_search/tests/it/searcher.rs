//! Principal variation search with a table, in steps and on threads: whatever
//! it is given, the answer is plain negamax's.

use std::cell::Cell;
use std::num::NonZero;
use std::time::Duration;

use crate::positions::positions;
use crate::stones::Stones;
use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{Heuristic, Outcome, TwoPlayerGame, play_text};
use open_ttt_search::{
    Answer, Budget, Clock, Evaluator, Grade, HeuristicEvaluator, Points, RootMoves, Score,
    SearchOptions, Searcher, StopFlag, WinLoss, deepen, negamax, solve,
};

fn options(table_bytes: usize, root_moves: RootMoves) -> SearchOptions {
    SearchOptions {
        table_bytes,
        root_moves,
    }
}

/// What plain negamax says about each move of a position at a depth, which is
/// at least 1.
fn yardstick<G, E>(game: &G, depth: u32, judge: &E) -> Vec<(G::Move, Score)>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    game.moves()
        .map(|m| {
            let child = -negamax(&game.after(m), depth - 1, judge);
            // Seen from one ply earlier a win or loss takes one ply more.
            let score = match (child.grade(), child.plies()) {
                (Grade::Win, Some(plies)) => Score::win_in(plies + 1),
                (Grade::Loss, Some(plies)) => Score::loss_in(plies + 1),
                _ => child,
            };
            (m, score)
        })
        .collect()
}

/// Searches a position with a searcher that may know others already, and holds
/// what it says to plain negamax.
#[track_caller]
fn check<G, E>(
    searcher: &mut Searcher<G, E>,
    wanted: RootMoves,
    game: &G,
    depth: u32,
    (judge, scores): (&E, &[(G::Move, Score)]),
) where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    searcher.start(game);
    assert!(searcher.step(&Budget::depth(depth), &StopFlag::new()));
    let answer = searcher.answer();
    assert!(answer.depth == depth || answer.proved, "depth {depth}");
    assert_eq!(answer.moves.len(), scores.len());
    let Some(expected) = scores.iter().map(|&(_, score)| score).max() else {
        assert!(answer.proved && answer.best.is_empty() && answer.line.is_empty());
        assert_eq!(answer.score, negamax(game, depth, judge));
        return;
    };
    assert_eq!(answer.score, expected, "at depth {depth}");
    let best = scores.iter().filter(|(_, score)| *score == expected);
    let best: Vec<_> = best.map(|&(m, _)| m).collect();
    assert_eq!(answer.best, best, "all best moves at depth {depth}");
    for &(m, score) in &answer.moves {
        let (_, exact) = scores.iter().find(|(legal, _)| *legal == m).unwrap();
        match wanted {
            RootMoves::All => assert_eq!(score, *exact, "{m:?} at depth {depth}"),
            // A slower win than the best may be seen at a greater depth only.
            RootMoves::BestOnly if answer.depth < depth => {}
            RootMoves::BestOnly => assert!(score >= *exact, "{m:?} at depth {depth}"),
        }
    }
    assert!(answer.best.contains(&answer.line[0]));
    check_line(answer, game, judge);
}

/// Follows the principal variation to a position that is worth the score.
#[track_caller]
fn check_line<G, E>(answer: &Answer<G::Move>, game: &G, judge: &E)
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let mut at = game.clone();
    for &m in &answer.line {
        at.play(m).unwrap_or_else(|_| panic!("{m:?} is illegal"));
    }
    let plies = answer.line.len() as u32;
    let there = match at.outcome() {
        Some(outcome) => judge.finished(&at, outcome, plies),
        None => judge.unfinished(&at),
    };
    let from_here = if plies.is_multiple_of(2) {
        there
    } else {
        -there
    };
    assert_eq!(from_here, answer.score, "where the line leads");
    assert!(at.outcome().is_some() || plies == answer.depth);
}

const TABLES: [usize; 5] = [0, 32, 64, 1 << 10, 1 << 16];

#[track_caller]
fn check_stones<E: Evaluator<Stones> + Copy>(judge: E) {
    let nowhere = Stones::new(0, 0);
    for wanted in [RootMoves::BestOnly, RootMoves::All] {
        // One searcher for all games and depths: what its table holds must
        // never be in the way.
        let mut searchers =
            TABLES.map(|bytes| Searcher::new(&nowhere, judge, options(bytes, wanted)));
        let mut check_all = |game: &Stones, depth| {
            let scores = yardstick(game, depth, &judge);
            for searcher in &mut searchers {
                check(searcher, wanted, game, depth, (&judge, &scores));
            }
        };
        for seed in 0..40 {
            let mut game = Stones::new(seed, 12);
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
fn positions_reached_in_many_ways_are_searched_as_negamax_does() {
    check_stones(WinLoss);
    check_stones(HeuristicEvaluator);
    check_stones(Points);
}

/// What is called proved is what the whole game is worth.
#[track_caller]
fn check_proofs<E: Evaluator<Stones> + Copy>(judge: E) {
    let mut early = 0;
    for wanted in [RootMoves::BestOnly, RootMoves::All] {
        let nowhere = Stones::new(0, 0);
        let mut searcher = Searcher::new(&nowhere, judge, options(1 << 14, wanted));
        for seed in 0..300 {
            let game = Stones::new(seed, 20);
            searcher.start(&game);
            assert!(searcher.step(&Budget::UNLIMITED, &StopFlag::new()));
            let answer = searcher.answer();
            assert!(answer.proved);
            let solution = solve(&game, &judge, usize::MAX).unwrap();
            let solved = solution.answer(&game).unwrap();
            assert_eq!(answer.score, solved.score, "{game:?}");
            assert_eq!(answer.best, solved.best, "{game:?}");
            if wanted == RootMoves::All {
                for m in &answer.moves {
                    assert!(solved.moves.contains(m), "{m:?} in {game:?}");
                }
            }
            check_line(answer, &game, &judge);
            early += u32::from(answer.depth < 12);
        }
    }
    assert!(early > 100, "only {early} were proved before the end");
}

#[test]
fn what_is_called_proved_is_what_the_game_is_worth() {
    check_proofs(WinLoss);
    check_proofs(HeuristicEvaluator);
    check_proofs(Points);
}

#[track_caller]
fn check_game<G, E>(start: &G, judge: E, depth: u32, seed: u64)
where
    G: TwoPlayerGame,
    E: Evaluator<G> + Copy,
{
    let mut searchers = Vec::new();
    for wanted in [RootMoves::BestOnly, RootMoves::All] {
        for bytes in [0, 1 << 12] {
            let searcher = Searcher::new(start, judge, options(bytes, wanted));
            searchers.push((wanted, searcher));
        }
    }
    for game in positions(start, 12, seed) {
        for depth in [depth - 1, depth] {
            let scores = yardstick(&game, depth, &judge);
            for (wanted, searcher) in &mut searchers {
                check(searcher, *wanted, &game, depth, (&judge, &scores));
            }
        }
    }
}

#[test]
fn every_game_is_searched_as_negamax_does() {
    check_game(&TicTacToe::new(), WinLoss, 7, 1);
    check_game(&ConnectFour::new(), HeuristicEvaluator, 5, 2);
    check_game(&ConnectFour::new(), WinLoss, 5, 3);
    check_game(&Pegs::new(), Points, 5, 4);
    check_game(&Mnk::new(4, 4, 3).unwrap(), HeuristicEvaluator, 3, 5);
    check_game(&Mnk::new(9, 9, 5).unwrap(), HeuristicEvaluator, 2, 6);
    check_game(&Qubic::new(), HeuristicEvaluator, 2, 7);
    check_game(&Ultimate::new(), HeuristicEvaluator, 4, 8);
}

/// Searches to a depth, so many positions at a time.
fn in_steps<G, E>(
    game: &G,
    judge: E,
    options: SearchOptions,
    depth: u32,
    nodes: u64,
) -> Answer<G::Move>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let budget = Budget {
        nodes: Some(nodes),
        ..Budget::depth(depth)
    };
    let mut searcher = Searcher::new(game, judge, options);
    let mut before = 0;
    while !searcher.step(&budget, &StopFlag::new()) {
        let looked_at = searcher.answer().nodes - before;
        assert_eq!(looked_at, nodes, "a step that is not the last uses it all");
        before = searcher.answer().nodes;
    }
    searcher.answer().clone()
}

#[test]
fn many_small_steps_are_one_large_step() {
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
            for game in (0..50).map(|seed| Stones::new(seed, 20)) {
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
fn a_search_in_one_call_gives_the_answer_of_one_in_steps() {
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
fn threads_find_what_one_finds() {
    let mut shared = 0;
    for (seed, game) in (0..).zip(positions(&ConnectFour::new(), 12, 9)) {
        for root_moves in [RootMoves::BestOnly, RootMoves::All] {
            let options = options([0, 1 << 10, 1 << 20][seed % 3], root_moves);
            let alone = in_steps(&game, HeuristicEvaluator, options, 9, u64::MAX);
            for count in 1..=3 {
                let mut searcher = Searcher::new(&game, HeuristicEvaluator, options);
                let stop = StopFlag::new();
                // In steps of some thousand nodes, so that threads pause too.
                let budget = Budget {
                    nodes: Some(3_000 + 500 * count as u64),
                    ..Budget::depth(9)
                };
                while !searcher.step_together(threads(count), &budget, &stop) {}
                let together = searcher.answer();
                assert_eq!(together.score, alone.score, "{game:?}");
                assert_eq!(together.best, alone.best, "{game:?}");
                if root_moves == RootMoves::All {
                    for m in &alone.moves {
                        assert!(together.moves.contains(m), "{m:?} in {together:?}");
                    }
                }
                if game.outcome().is_none() {
                    check_line(together, &game, &HeuristicEvaluator);
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
fn one_thread_may_take_over_from_several_and_back() {
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
    while !searcher.step(&few, &stop) && !searcher.step_together(threads(2), &few, &stop) {}
    assert_eq!(searcher.answer().score, alone.score);
    assert_eq!(searcher.answer().best, alone.best);
}

#[test]
fn what_is_known_serves_the_next_position_expected_or_not() {
    let mut game = ConnectFour::new();
    play_text(&mut game, "44").unwrap();
    let stop = StopFlag::new();
    let budget = Budget::depth(9);
    let mut searcher = Searcher::new(&game, HeuristicEvaluator, SearchOptions::default());
    searcher.step(&Budget::depth(10), &stop);
    let expected = searcher.answer().line[0];
    for m in game.moves() {
        let next = game.after(m);
        let mut knowing = searcher.clone();
        knowing.start(&next);
        assert_eq!(knowing.game(), &next);
        knowing.step(&budget, &stop);
        let mut fresh = Searcher::new(&next, HeuristicEvaluator, SearchOptions::default());
        fresh.step(&budget, &stop);
        let (warm, cold) = (knowing.answer(), fresh.answer());
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
        // Who forgets does what a new one does.
        knowing.forget();
        assert_eq!(knowing.answer().depth, 0);
        knowing.step(&budget, &stop);
        assert_eq!(knowing.answer(), cold);
    }
}

#[test]
fn before_the_first_depth_every_move_is_as_good() {
    let game = ConnectFour::new();
    let raised = StopFlag::new();
    raised.raise();
    let never = StopFlag::new();
    let no_time = Budget::time(Duration::ZERO, Clock::new(|| Duration::ZERO));
    let mut searcher = Searcher::new(&game, HeuristicEvaluator, SearchOptions::default());
    let untouched = Answer {
        score: Score::evaluation(game.heuristic()),
        best: game.moves().collect(),
        line: Vec::new(),
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
        assert!(!searcher.step_together(threads(2), &budget, stop));
        assert_eq!(searcher.answer(), &untouched);
    }
    assert!(searcher.step(&Budget::depth(0), &never), "that deep it is");
    assert!(!searcher.step(&Budget::nodes(1), &never));
    assert_eq!(
        searcher.answer(),
        &Answer {
            nodes: 1,
            ..untouched
        }
    );
}

#[test]
fn a_position_that_is_over_is_answered_from_the_start() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1 b1 a2 b2 a3").unwrap();
    let mut searcher = Searcher::new(&game, WinLoss, SearchOptions::default());
    for _ in 0..2 {
        let answer = searcher.answer();
        assert_eq!(answer.score, Score::loss_in(0));
        assert!(answer.proved && answer.best.is_empty() && answer.moves.is_empty());
        assert!(searcher.step(&Budget::nodes(0), &StopFlag::new()));
        assert!(searcher.step_together(threads(4), &Budget::UNLIMITED, &StopFlag::new()));
    }
    assert_eq!(searcher.answer().nodes, 0);
}

thread_local! {
    static MICROSECONDS: Cell<u64> = const { Cell::new(0) };
}

/// A judge so thorough that it takes some time by its own clock.
struct Thorough {
    microseconds: u64,
}

impl Evaluator<ConnectFour> for Thorough {
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
        let judge = Thorough { microseconds };
        let mut searcher = Searcher::new(&ConnectFour::new(), judge, SearchOptions::default());
        for _ in 0..200 {
            let before = MICROSECONDS.get();
            assert!(!searcher.step(&budget, &StopFlag::new()));
            let took = MICROSECONDS.get() - before;
            assert!((1_000..1_200).contains(&took), "{took} by {microseconds}");
        }
        assert!(searcher.answer().depth > 1);
    }
}

/// How many positions the searches of fixed positions to fixed depths look at.
///
/// The number is a checksum of the search: putting the code into another shape
/// must leave it as it is. A change of the search changes it, and should make
/// it smaller or the search faster; then the new number is written here, in a
/// commit that says why. It is the same on every platform.
#[test]
fn signature() {
    fn nodes<G, E>(start: &G, moves: &str, judge: &E, depth: u32) -> u64
    where
        G: TwoPlayerGame + open_ttt_lib::rules::Notation,
        E: Evaluator<G>,
    {
        let mut game = start.clone();
        play_text(&mut game, moves).unwrap();
        let stop = StopFlag::new();
        [RootMoves::BestOnly, RootMoves::All]
            .map(|wanted| deepen(&game, wanted, judge, &Budget::depth(depth), &stop).nodes)
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
