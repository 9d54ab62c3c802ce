//! Every search returns the result of the one before it, down to plain negamax,
//! which agrees with values from independent sources.

use std::cell::Cell;
use std::time::Duration;

use crate::positions::{positions, reachable};
use crate::random_tree::RandomTree;
use crate::reference::{check_principal_variation, minimax, minimax_scores, moves_with};
use open_ttt_lib::games::{ConnectFour, DotsAndBoxes, LineSet, Mnk, Pegs, Reversi, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Heuristic, Margin, Notation, Outcome, Side, TwoPlayerGame, play_text};
use open_ttt_search::{
    Budget, Clock, EstimatedPoints, Evaluator, Grade, HeuristicEvaluator, Playout, Points,
    RootMoves, Score, SearchResult, StopFlag, TreeAnswer, TreeOptions, TreeSearch, WinLoss,
    alpha_beta, deepen, negamax, solve,
};

/// Iterative deepening with exact scores for the best moves only.
fn best_only<G, E>(game: &G, evaluator: &E, budget: &Budget) -> SearchResult<G::Move>
where
    G: TwoPlayerGame,
    E: Evaluator<G> + Clone,
{
    deepen(
        game,
        RootMoves::BestOnly,
        evaluator,
        budget,
        &StopFlag::new(),
    )
}

/// Compares negamax, alpha-beta and iterative deepening with minimax.
#[track_caller]
fn check<G, E>(game: &G, depth: u32, evaluator: &E)
where
    G: TwoPlayerGame,
    E: Evaluator<G> + Clone,
{
    let expected = minimax(game, depth, evaluator);
    assert_eq!(negamax(game, depth, evaluator), expected, "negamax");
    assert_eq!(alpha_beta(game, depth, evaluator), expected, "alpha-beta");
    if depth == 0 || game.outcome().is_some() {
        return;
    }
    let scores = minimax_scores(game, depth, evaluator);
    let best = moves_with(&scores, expected);
    for root_moves in [RootMoves::BestOnly, RootMoves::All] {
        let result = deepen(
            game,
            root_moves,
            evaluator,
            &Budget::depth(depth),
            &StopFlag::new(),
        );
        if result.depth < depth {
            // A proved result holds at every greater depth.
            assert!(result.proved);
        }
        assert_eq!(result.score, expected, "{root_moves:?} at depth {depth}");
        check_principal_variation(game, &result, evaluator);
        assert!(result.best.contains(&result.principal_variation[0]));
        assert_eq!(result.best, best, "all best moves, {root_moves:?}");
        if root_moves == RootMoves::All {
            for pair in scores.iter().filter(|_| result.depth == depth) {
                assert!(result.moves.contains(pair), "{pair:?} in {result:?}");
            }
        }
    }
}

#[test]
fn random_trees_have_the_scores_of_negamax() {
    for seed in 0..300 {
        check_random_tree(&RandomTree::<true>::new(seed, 8));
        check_random_tree(&RandomTree::<false>::new(seed, 8));
    }
}

#[track_caller]
fn check_random_tree<const ALTERNATES: bool>(game: &RandomTree<ALTERNATES>) {
    for depth in 0..=8 {
        check(game, depth, &WinLoss);
        check(game, depth, &HeuristicEvaluator);
        check(game, depth, &Points);
    }
}

#[test]
fn solving_and_searching_follow_the_turns() {
    for seed in 0..200 {
        let start = RandomTree::<false>::new(seed, 8);
        let solution = solve(&start, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
        for game in reachable(&start) {
            let solved = solution.analyze(&game).unwrap();
            assert_eq!(solved.score, minimax(&game, 8, &WinLoss));
            assert_eq!(
                solved.best,
                moves_with(&minimax_scores(&game, 8, &WinLoss), solved.score)
            );
        }
    }
}

#[test]
fn real_games_have_the_scores_of_negamax() {
    for game in positions(&ConnectFour::new(), 40, 1) {
        check(&game, 4, &WinLoss);
        check(&game, 5, &HeuristicEvaluator);
    }
    for game in positions(&Pegs::new(), 40, 2) {
        check(&game, 4, &Points);
        check(&game, 3, &WinLoss);
    }
    for game in positions(&Mnk::new(5, 4, 3).unwrap(), 40, 3) {
        check(&game, 3, &HeuristicEvaluator);
    }
    for game in positions(&TicTacToe::new(), 100, 4) {
        check(&game, 9, &WinLoss);
    }
    // With passes, and with extra turns.
    for game in positions(&Reversi::with_size(4).unwrap(), 40, 5) {
        check(&game, 5, &EstimatedPoints);
        check(&game, 4, &WinLoss);
    }
    for game in positions(&DotsAndBoxes::new(2, 2).unwrap(), 40, 6) {
        check(&game, 5, &EstimatedPoints);
        check(&game, 4, &Points);
    }
}

#[test]
fn games_of_points_are_solved_to_the_margin() {
    #[track_caller]
    fn check<G: Margin + Heuristic>(game: &G, expected: i32) {
        let result = best_only(game, &EstimatedPoints, &Budget::UNLIMITED);
        assert!(result.proved);
        let margin = Evaluator::<G>::margin(&EstimatedPoints, result.score);
        assert_eq!(margin, Some(expected));
        let mut end = game.clone();
        for &m in &result.principal_variation {
            end.play_unchecked(m);
        }
        assert_eq!(end.outcome(), Some(Outcome::from_margin(expected)));
        assert_eq!(end.margin(), expected);
    }
    check(&Reversi::with_size(4).unwrap(), -8);
    check(&DotsAndBoxes::new(1, 1).unwrap(), -1);
    check(&DotsAndBoxes::new(2, 2).unwrap(), 2);
}

#[test]
fn an_interrupted_search_returns_its_last_complete_depth() {
    for game in positions(&Pegs::new(), 10, 5) {
        for nodes in [1, 2, 10, 50, 100, 500, 2_000, 10_000] {
            let result = best_only(&game, &Points, &Budget::nodes(nodes));
            if game.outcome().is_some() {
                continue;
            }
            assert!(result.depth >= 1, "depth 1 is always completed");
            let whole = best_only(&game, &Points, &Budget::depth(result.depth));
            let without_nodes = |result: SearchResult<_>| SearchResult { nodes: 0, ..result };
            assert_eq!(without_nodes(result), without_nodes(whole), "{nodes} nodes");
        }
    }
}

#[test]
fn alpha_beta_searches_fewer_positions() {
    fn tree_size<G: TwoPlayerGame>(game: &G, depth: u32) -> u64 {
        let children = game.moves().filter(|_| depth > 0);
        1 + children
            .map(|m| tree_size(&game.after(m), depth - 1))
            .sum::<u64>()
    }
    let game = ConnectFour::new();
    let full = tree_size(&game, 7);
    let result = best_only(&game, &HeuristicEvaluator, &Budget::depth(7));
    // The depths from 1 to 7 together are below a tenth of the full tree.
    assert!(result.nodes * 10 < full, "{} of {full}", result.nodes);
}

#[test]
fn solving_agrees_with_searching_on_every_position_of_tic_tac_toe() {
    let start = TicTacToe::new();
    let solution = solve(&start, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
    assert_eq!(solution.positions(), 5_478);
    let mut unfinished = 0;
    for game in reachable(&start) {
        unfinished += u32::from(game.outcome().is_none());
        let solved = solution.analyze(&game).unwrap();
        let searched = best_only(&game, &WinLoss, &Budget::UNLIMITED);
        assert!(searched.proved);
        assert_eq!(solved.score, searched.score, "{game:?}");
        assert_eq!(solved.best, searched.best, "{game:?}");
        assert_eq!(
            solved.principal_variation.len(),
            searched.principal_variation.len(),
            "{game:?}"
        );
        if let Some(plies) = solved.score.plies() {
            assert_eq!(solved.principal_variation.len() as u32, plies, "{game:?}");
        }
    }
    assert_eq!(unfinished, 4_520);
}

#[test]
fn a_game_too_large_to_solve_is_refused() {
    let error = solve(&TicTacToe::new(), &WinLoss, 5_477, &StopFlag::new()).unwrap_err();
    assert_eq!(error.to_string(), "the game has more than 5477 positions");
    assert!(solve(&TicTacToe::new(), &WinLoss, 5_478, &StopFlag::new()).is_ok());
}

/// Compares late positions with exact values from an exhaustive solver, confirmed by
/// a second one.
#[track_caller]
fn check_pegs(line_set: LineSet, table: &str) {
    let mut checked = 0;
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let columns: Vec<_> = row.split('\t').collect();
        let mut game = Pegs::with_lines(line_set);
        play_text(&mut game, columns[0]).unwrap();
        if game.plies() < 15 || game.outcome().is_some() {
            continue;
        }
        let result = best_only(&game, &Points, &Budget::UNLIMITED);
        assert!(result.proved);
        let margin: i32 = columns[1].parse().unwrap();
        let for_mover = match game.to_move() {
            Side::First => margin,
            Side::Second => -margin,
        };
        assert_eq!(result.score, Score::evaluation(for_mover), "{row}");
        let best: String = result.best.iter().map(|&m| game.move_text(m)).collect();
        assert_eq!(best, columns[2], "{row}");
        assert_eq!(
            result.principal_variation.len() as u32,
            24 - game.plies(),
            "{row}"
        );
        checked += 1;
    }
    assert!(checked > 100, "only {checked} positions were late enough");
}

#[test]
fn pegs_are_scored_by_the_difference_of_points() {
    check_pegs(
        LineSet::ThirtyFour,
        include_str!("../../../open_ttt_lib/tests/it/data/positions_34.tsv"),
    );
    check_pegs(
        LineSet::ThirtyEight,
        include_str!("../../../open_ttt_lib/tests/it/data/positions_38.tsv"),
    );
}

#[test]
fn known_results_of_small_boards_are_proved() {
    let proved = |columns, rows, in_a_row| {
        let game = Mnk::new(columns, rows, in_a_row).unwrap();
        let result = best_only(&game, &WinLoss, &Budget::UNLIMITED);
        assert!(result.proved);
        result.score.grade()
    };
    // Uiterwijk and van den Herik, "The advantage of the initiative", 2000.
    assert_eq!(proved(3, 3, 3), Grade::Evaluation(0));
    assert_eq!(proved(4, 3, 3), Grade::Win);
    assert_eq!(proved(3, 4, 3), Grade::Win);
    assert_eq!(proved(2, 2, 2), Grade::Win);
    assert_eq!(proved(1, 1, 1), Grade::Win);
    assert_eq!(proved(7, 1, 3), Grade::Evaluation(0));
}

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// A clock that advances a millisecond each time it is read.
fn ticking() -> Clock {
    Clock::new(|| {
        NOW.set(NOW.get() + 1);
        Duration::from_millis(NOW.get())
    })
}

#[test]
fn a_search_ends_when_its_time_is_up() {
    let game = ConnectFour::new();
    let budget = Budget::time(Duration::from_millis(50), ticking());
    let before = NOW.get();
    let result = best_only(&game, &HeuristicEvaluator, &budget);
    assert!(!result.proved);
    assert_eq!(result.best.len(), 1);
    assert!(
        (50..60).contains(&(NOW.get() - before)),
        "{}",
        NOW.get() - before
    );

    let before = NOW.get();
    let options = TreeOptions::default();
    let answer = monte_carlo(&game, options, &budget, &StopFlag::new(), &mut Rng::new(1));
    assert!(
        (40..60).contains(&answer.iterations),
        "{}",
        answer.iterations
    );
    assert!((50..60).contains(&(NOW.get() - before)));
}

#[test]
fn a_raised_flag_ends_a_search_with_a_result() {
    let game = ConnectFour::new();
    let stop = StopFlag::new();
    stop.raise();
    let result = deepen(
        &game,
        RootMoves::All,
        &HeuristicEvaluator,
        &Budget::UNLIMITED,
        &stop,
    );
    assert_eq!(result.depth, 1);
    assert_eq!(result.best.len(), 1);
    let answer = monte_carlo(
        &game,
        TreeOptions::default(),
        &Budget::UNLIMITED,
        &stop,
        &mut Rng::new(1),
    );
    assert_eq!(answer.iterations, 7, "one for each move");
}

/// The answer of a tree search that visits every move at least once.
fn monte_carlo<G: TwoPlayerGame>(
    game: &G,
    options: TreeOptions,
    budget: &Budget,
    stop: &StopFlag,
    rng: &mut Rng,
) -> TreeAnswer<G::Move> {
    let rng = Rng::new(rng.next_u64());
    TreeSearch::new(game, Playout, options, rng).answer_within(budget, stop)
}

/// The most visited move of a tree search, as text.
fn tree_move<G: Notation>(game: &G, iterations: u64, seed: u64) -> String {
    let answer = monte_carlo(
        game,
        TreeOptions::default(),
        &Budget::nodes(iterations),
        &StopFlag::new(),
        &mut Rng::new(seed),
    );
    assert!(answer.iterations == iterations || answer.proved.is_some());
    game.move_text(answer.moves[0].m)
}

#[test]
fn tree_search_sees_wins_and_threats() {
    for seed in 0..10 {
        let mut game = ConnectFour::new();
        play_text(&mut game, "434343").unwrap();
        assert_eq!(tree_move(&game, 2_000, seed), "4", "it wins");
        play_text(&mut game, "1").unwrap();
        assert_eq!(tree_move(&game, 2_000, seed), "3", "the other side wins");

        let mut game = TicTacToe::new();
        play_text(&mut game, "a1 b2 a2").unwrap();
        assert_eq!(tree_move(&game, 2_000, seed), "a3", "it blocks");
    }
}

#[test]
fn tree_search_plays_tic_tac_toe_perfectly() {
    let solution = solve(&TicTacToe::new(), &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
    for (seed, game) in positions(&TicTacToe::new(), 60, 6).into_iter().enumerate() {
        if game.outcome().is_some() {
            continue;
        }
        let m = game
            .parse_move(&tree_move(&game, 20_000, seed as u64))
            .unwrap();
        let played = -solution.score(&game.after(m)).unwrap();
        let best = solution.score(&game).unwrap();
        assert_eq!(played.grade(), best.grade(), "{game:?}");
    }
}

#[test]
fn tree_search_counts_visits_and_iterations() {
    let game = Pegs::new();
    let search = |max_nodes, seed| {
        monte_carlo(
            &game,
            TreeOptions {
                max_nodes,
                ..TreeOptions::default()
            },
            &Budget::nodes(3_000),
            &StopFlag::new(),
            &mut Rng::new(seed),
        )
    };
    let answer = search(1_000_000, 7);
    assert_eq!(
        answer,
        search(1_000_000, 7),
        "the same seed, the same answer"
    );
    assert_ne!(answer, search(1_000_000, 8));
    let visits: u64 = answer.moves.iter().map(|m| m.visits).sum();
    assert_eq!(visits, answer.iterations);
    assert!(answer.moves.iter().all(|m| (0.0..=1.0).contains(&m.value)));
    assert_eq!(answer.line[0], answer.moves[0].m);
    // With room for the first moves only, their line is all there is.
    assert_eq!(search(9, 7).line.len(), 1);
    assert!(answer.line.len() > 2);
}

#[test]
fn a_finished_game_has_a_result_without_moves() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1 b1 a2 b2 a3").unwrap();
    let stop = StopFlag::new();
    let result = deepen(&game, RootMoves::All, &WinLoss, &Budget::UNLIMITED, &stop);
    assert_eq!(result.score, Score::loss_in(0));
    assert!(result.proved && result.best.is_empty() && result.principal_variation.is_empty());
    let answer = monte_carlo(
        &game,
        TreeOptions::default(),
        &Budget::UNLIMITED,
        &stop,
        &mut Rng::new(1),
    );
    assert!(answer.moves.is_empty() && answer.iterations == 0);
}

#[test]
fn scores_are_ordered_and_bounded() {
    let rising = [
        Score::loss_in(0),
        Score::loss_in(1),
        Score::loss_in(9),
        Score::evaluation(i32::MIN),
        Score::evaluation(-1),
        Score::DRAW,
        Score::evaluation(1),
        Score::evaluation(i32::MAX),
        Score::win_in(u32::MAX),
        Score::win_in(9),
        Score::win_in(0),
    ];
    assert!(rising.is_sorted());
    let falling: Vec<_> = rising.iter().map(|&score| -score).collect();
    assert!(falling.iter().rev().is_sorted());
    assert_eq!(Score::win_in(9).plies(), Some(9));
    assert_eq!(Score::loss_in(9).plies(), Some(9));
    assert_eq!(Score::evaluation(9).plies(), None);
    assert_eq!(format!("{:?}", Score::loss_in(2)), "loss in 2");
    assert_eq!(format!("{:?}", Score::evaluation(-7)), "-7");
}
