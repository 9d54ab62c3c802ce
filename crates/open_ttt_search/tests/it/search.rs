//! Every searcher gives the answer of the one before it, down to plain
//! negamax, and that one agrees with values computed elsewhere.

use std::cell::Cell;
use std::time::Duration;

use crate::positions::positions;
use open_ttt_lib::games::{ConnectFour, LineSet, Mnk, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Heuristic, Margin, Notation, Outcome, Side, TwoPlayerGame, play_text};
use open_ttt_search::{
    Answer, Budget, Clock, Evaluator, Grade, HeuristicEvaluator, Points, RootMoves, Score,
    StopFlag, TreeOptions, WinLoss, alpha_beta, deepen, monte_carlo, negamax, solve,
};

/// A game that exists only as numbers: what follows a path of moves, and how
/// it ends, is drawn from the path's hash. It has forced moves, early ends,
/// heuristics that mislead, and no order to its values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RandomTree {
    hash: u64,
    plies: u32,
    deepest: u32,
}

impl RandomTree {
    fn new(seed: u64, deepest: u32) -> Self {
        Self {
            hash: Rng::new(seed).next_u64(),
            plies: 0,
            deepest,
        }
    }

    fn draw(&self, salt: u64, bound: usize) -> usize {
        Rng::new(self.hash ^ salt).below(bound)
    }
}

impl TwoPlayerGame for RandomTree {
    type Move = usize;

    fn to_move(&self) -> Side {
        Side::after(self.plies)
    }

    fn outcome(&self) -> Option<Outcome> {
        let ends = self.plies >= self.deepest || (self.plies > 1 && self.draw(1, 6) == 0);
        // As in a game of points, the margin decides.
        ends.then(|| Outcome::from_margin(self.margin()))
    }

    fn moves(&self) -> impl Iterator<Item = usize> {
        let count = match self.outcome() {
            Some(_) => 0,
            None => 1 + self.draw(2, 4),
        };
        0..count
    }

    fn play_unchecked(&mut self, m: usize) {
        self.hash = Rng::new(self.hash.wrapping_add(m as u64 + 1)).next_u64();
        self.plies += 1;
    }
}

impl Margin for RandomTree {
    fn margin(&self) -> i32 {
        self.draw(3, 7) as i32 - 3
    }
}

impl Heuristic for RandomTree {
    fn heuristic(&self) -> i32 {
        self.draw(4, 21) as i32 - 10
    }
}

/// Follows a principal variation and scores where it leads, from the view of
/// the side that was to move at its start.
fn score_at_end<G, E>(game: &G, line: &[G::Move], evaluator: &E) -> Score
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let mut at = game.clone();
    for &m in line {
        at.play(m).unwrap_or_else(|_| panic!("{m:?} is illegal"));
    }
    let score = match at.outcome() {
        Some(outcome) => evaluator.finished(&at, outcome, line.len() as u32),
        None => evaluator.unfinished(&at),
    };
    if line.len().is_multiple_of(2) {
        score
    } else {
        -score
    }
}

/// Holds alpha-beta and deepening to plain negamax at one depth.
#[track_caller]
fn check<G, E>(game: &G, depth: u32, evaluator: &E)
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let expected = negamax(game, depth, evaluator);
    assert_eq!(alpha_beta(game, depth, evaluator), expected, "alpha-beta");
    if depth == 0 || game.outcome().is_some() {
        return;
    }
    // A child's score counts its own plies; the root's counts one more.
    let scores: Vec<_> = game
        .moves()
        .map(|m| {
            let child = -negamax(&game.after(m), depth - 1, evaluator);
            let score = match (child.grade(), child.plies()) {
                (Grade::Win, Some(plies)) => Score::win_in(plies + 1),
                (Grade::Loss, Some(plies)) => Score::loss_in(plies + 1),
                _ => child,
            };
            (m, score)
        })
        .collect();
    let best: Vec<_> = scores
        .iter()
        .filter(|(_, score)| *score == expected)
        .map(|&(m, _)| m)
        .collect();
    for wanted in [RootMoves::BestOnly, RootMoves::All] {
        let answer = deepen(
            game,
            wanted,
            evaluator,
            &Budget::depth(depth),
            &StopFlag::new(),
        );
        if answer.depth < depth {
            // It proved its answer sooner: then a deeper search agrees.
            assert!(answer.proved);
        }
        assert_eq!(answer.score, expected, "{wanted:?} at depth {depth}");
        assert_eq!(
            score_at_end(game, &answer.line, evaluator),
            expected,
            "where the principal variation leads"
        );
        assert!(answer.best.contains(&answer.line[0]));
        assert_eq!(answer.best, best, "all best moves, {wanted:?}");
        if wanted == RootMoves::All {
            for pair in scores.iter().filter(|_| answer.depth == depth) {
                assert!(answer.moves.contains(pair), "{pair:?} in {answer:?}");
            }
        }
    }
}

#[test]
fn random_trees_are_searched_as_negamax_does() {
    for seed in 0..300 {
        let game = RandomTree::new(seed, 8);
        for depth in 0..=8 {
            check(&game, depth, &WinLoss);
            check(&game, depth, &HeuristicEvaluator);
            check(&game, depth, &Points);
        }
    }
}

#[test]
fn real_games_are_searched_as_negamax_does() {
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
}

#[test]
fn an_interrupted_search_answers_from_its_last_complete_depth() {
    for game in positions(&Pegs::new(), 10, 5) {
        for nodes in [1, 2, 10, 50, 100, 500, 2_000, 10_000] {
            let stop = StopFlag::new();
            let answer = deepen(
                &game,
                RootMoves::BestOnly,
                &Points,
                &Budget::nodes(nodes),
                &stop,
            );
            if game.outcome().is_some() {
                continue;
            }
            assert!(answer.depth >= 1, "depth 1 is always completed");
            let whole = deepen(
                &game,
                RootMoves::BestOnly,
                &Points,
                &Budget::depth(answer.depth),
                &stop,
            );
            let without_nodes = |answer: Answer<_>| Answer { nodes: 0, ..answer };
            assert_eq!(without_nodes(answer), without_nodes(whole), "{nodes} nodes");
        }
    }
}

#[test]
fn alpha_beta_looks_at_fewer_positions() {
    fn positions_seen<G: TwoPlayerGame>(game: &G, depth: u32, seen: &Cell<u64>) {
        seen.set(seen.get() + 1);
        if depth > 0 {
            for m in game.moves() {
                positions_seen(&game.after(m), depth - 1, seen);
            }
        }
    }
    let game = ConnectFour::new();
    let all = Cell::new(0);
    positions_seen(&game, 7, &all);
    let answer = deepen(
        &game,
        RootMoves::BestOnly,
        &HeuristicEvaluator,
        &Budget::depth(7),
        &StopFlag::new(),
    );
    // All depths from 1 to 7 together are below a tenth of depth 7 alone.
    assert!(
        answer.nodes * 10 < all.get(),
        "{} of {}",
        answer.nodes,
        all.get()
    );
}

#[test]
fn solving_agrees_with_searching_on_every_position_of_tic_tac_toe() {
    let start = TicTacToe::new();
    let solution = solve(&start, &WinLoss, usize::MAX).unwrap();
    assert_eq!(solution.positions(), 5_478);
    let mut unfinished = 0;
    let mut stack = vec![start];
    let mut seen = std::collections::HashSet::new();
    while let Some(game) = stack.pop() {
        if !seen.insert(game) {
            continue;
        }
        stack.extend(game.moves().map(|m| game.after(m)));
        unfinished += u32::from(game.outcome().is_none());
        let solved = solution.answer(&game).unwrap();
        let searched = deepen(
            &game,
            RootMoves::BestOnly,
            &WinLoss,
            &Budget::UNLIMITED,
            &StopFlag::new(),
        );
        assert!(searched.proved);
        assert_eq!(solved.score, searched.score, "{game:?}");
        assert_eq!(solved.best, searched.best, "{game:?}");
        assert_eq!(solved.line.len(), searched.line.len(), "{game:?}");
        if let Some(plies) = solved.score.plies() {
            assert_eq!(solved.line.len() as u32, plies, "{game:?}");
        }
    }
    assert_eq!(unfinished, 4_520);
}

#[test]
fn a_game_too_large_to_solve_is_refused() {
    let error = solve(&TicTacToe::new(), &WinLoss, 5_477).unwrap_err();
    assert_eq!(error.to_string(), "the game has more than 5477 positions");
    assert!(solve(&TicTacToe::new(), &WinLoss, 5_478).is_ok());
}

/// The positions with exact values that stand beside this file, made by an
/// exhaustive solver and confirmed by a second one: here those near the end.
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
        let answer = deepen(
            &game,
            RootMoves::BestOnly,
            &Points,
            &Budget::UNLIMITED,
            &StopFlag::new(),
        );
        assert!(answer.proved);
        let margin: i32 = columns[1].parse().unwrap();
        let for_mover = match game.to_move() {
            Side::First => margin,
            Side::Second => -margin,
        };
        assert_eq!(answer.score, Score::evaluation(for_mover), "{row}");
        let best: String = answer.best.iter().map(|&m| game.move_text(m)).collect();
        assert_eq!(best, columns[2], "{row}");
        assert_eq!(answer.line.len() as u32, 24 - game.plies(), "{row}");
        checked += 1;
    }
    assert!(checked > 100, "only {checked} positions were late enough");
}

#[test]
fn pegs_are_judged_by_the_difference_of_points() {
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
        let answer = deepen(
            &game,
            RootMoves::BestOnly,
            &WinLoss,
            &Budget::UNLIMITED,
            &StopFlag::new(),
        );
        assert!(answer.proved);
        answer.score.grade()
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
    let answer = deepen(
        &game,
        RootMoves::BestOnly,
        &HeuristicEvaluator,
        &budget,
        &StopFlag::new(),
    );
    assert!(!answer.proved);
    assert_eq!(answer.best.len(), 1);
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
fn a_raised_flag_ends_a_search_with_an_answer() {
    let game = ConnectFour::new();
    let stop = StopFlag::new();
    stop.raise();
    let answer = deepen(
        &game,
        RootMoves::All,
        &HeuristicEvaluator,
        &Budget::UNLIMITED,
        &stop,
    );
    assert_eq!(answer.depth, 1);
    assert_eq!(answer.best.len(), 1);
    let answer = monte_carlo(
        &game,
        TreeOptions::default(),
        &Budget::UNLIMITED,
        &stop,
        &mut Rng::new(1),
    );
    assert_eq!(answer.iterations, 7, "one for each move");
}

/// The move a tree search tries most often, as text.
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
fn tree_search_plays_tic_tac_toe_as_well_as_it_can_be_played() {
    let solution = solve(&TicTacToe::new(), &WinLoss, usize::MAX).unwrap();
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
fn tree_search_counts_what_it_says_it_counts() {
    let game = Pegs::new();
    let search = |most_tree_nodes, seed| {
        monte_carlo(
            &game,
            TreeOptions {
                most_tree_nodes,
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
fn a_finished_game_is_answered_without_a_move() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1 b1 a2 b2 a3").unwrap();
    let stop = StopFlag::new();
    let answer = deepen(&game, RootMoves::All, &WinLoss, &Budget::UNLIMITED, &stop);
    assert_eq!(answer.score, Score::loss_in(0));
    assert!(answer.proved && answer.best.is_empty() && answer.line.is_empty());
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
