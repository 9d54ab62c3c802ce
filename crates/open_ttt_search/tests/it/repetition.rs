//! Games in which positions come back.

use std::collections::HashMap;

use crate::gumbel::Opinionated;
use crate::positions::reachable;
use crate::random_graph::RandomGraph;
use crate::reference::{check_principal_variation, minimax_after};
use open_ttt_lib::games::{Morris, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Outcome, Repetition, Side, TwoPlayerGame};
use open_ttt_search::{
    Budget, Evaluator, Grade, GumbelOptions, GumbelSearch, HeuristicEvaluator, Playout, Points,
    RootMoves, Score, SearchOptions, Searcher, SolveError, StopFlag, TreeOptions, TreeSearch,
    WinLoss, alpha_beta, draws_if_repeated, negamax, solve, solve_with_draws,
};

const DRAW: Repetition = Repetition::Draw { occurrences: 3 };

/// The scores of all positions by value iteration: round after round, each position
/// takes the best score that its moves had in the round before; in the first round all
/// that do not end the game are draws. `rounds` is the number of positions or more.
fn iterated_scores<E: Evaluator<RandomGraph>>(
    start: &RandomGraph,
    evaluator: &E,
    rounds: u32,
) -> HashMap<RandomGraph, Score> {
    let for_first = |game: &RandomGraph, score: Score| match game.to_move() {
        Side::First => score,
        Side::Second => -score,
    };
    let later = |score: Score| match (score.grade(), score.plies()) {
        (Grade::Win, Some(plies)) => Score::win_in(plies + 1),
        (Grade::Loss, Some(plies)) => Score::loss_in(plies + 1),
        _ => score,
    };
    let positions: Vec<_> = reachable(start).into_iter().collect();
    let mut scores: HashMap<_, _> = positions.iter().map(|&game| (game, Score::DRAW)).collect();
    for _ in 0..=rounds {
        let score = |game: &RandomGraph| {
            if let Some(outcome) = game.outcome() {
                return for_first(game, evaluator.finished(game, outcome, 0));
            }
            let moves = game.moves().map(|m| later(scores[&game.after(m)]));
            match game.to_move() {
                Side::First => moves.max(),
                Side::Second => moves.min(),
            }
            .unwrap()
        };
        scores = positions.iter().map(|game| (*game, score(game))).collect();
    }
    let for_mover = |(game, score)| (game, for_first(&game, score));
    scores.into_iter().map(for_mover).collect()
}

#[test]
fn small_cyclic_games_are_solved_exactly() {
    #[track_caller]
    fn check<E: Evaluator<RandomGraph>>(start: &RandomGraph, evaluator: &E) -> [usize; 3] {
        let solution = solve(start, evaluator, usize::MAX, &StopFlag::new()).unwrap();
        let expected = iterated_scores(start, evaluator, 200);
        assert_eq!(solution.positions(), expected.len());
        let mut counts = [0; 3];
        for (game, &score) in &expected {
            assert_eq!(solution.score(game), Some(score), "{game:?}");
            let result = solution.analyze(game).unwrap();
            if let Some(plies) = score.plies() {
                assert_eq!(result.principal_variation.len() as u32, plies);
                check_principal_variation(game, &result, evaluator);
            }
            counts[match score.grade() {
                Grade::Win => 0,
                Grade::Loss => 1,
                Grade::Evaluation(_) => 2,
            }] += 1;
        }
        counts
    }
    let mut counts = [0; 3];
    for seed in 0..200 {
        for nodes in [2, 5, 12, 40] {
            let start = RandomGraph::new(seed, nodes, DRAW);
            check(&start, &Points);
            for (all, count) in counts.iter_mut().zip(check(&start, &WinLoss)) {
                *all += count;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

#[test]
fn limits_and_rules_of_solving_are_respected() {
    let start = RandomGraph::new(1, 40, DRAW);
    let positions = reachable(&start).len();
    assert!(solve(&start, &WinLoss, positions, &StopFlag::new()).is_ok());
    assert!(solve(&start, &WinLoss, positions - 1, &StopFlag::new()).is_err());
    let raised = StopFlag::new();
    raised.raise();
    for stopped in [
        solve(&start, &WinLoss, usize::MAX, &raised).err(),
        solve(&TicTacToe::new(), &WinLoss, usize::MAX, &raised).err(),
        solve_with_draws(&start, &[], &WinLoss, usize::MAX, &raised).err(),
    ] {
        assert_eq!(stopped, Some(SolveError::Stopped));
    }
    let start = RandomGraph::new(1, 40, Repetition::MoverLoses);
    let error = solve(&start, &WinLoss, usize::MAX, &StopFlag::new()).unwrap_err();
    assert_eq!(error, SolveError::HistoryDependent);
}

/// Every search has the scores of minimax with the rule, to every depth.
#[test]
fn simple_searches_follow_the_path() {
    #[track_caller]
    fn check<E: Evaluator<RandomGraph>>(game: &RandomGraph, depth: u32, evaluator: &E) {
        let expected = minimax_after(&[], game, depth, evaluator);
        assert_eq!(negamax(game, depth, evaluator), expected);
        assert_eq!(alpha_beta(game, depth, evaluator), expected);
    }
    for seed in 0..100 {
        for rule in [
            Repetition::Draw { occurrences: 2 },
            DRAW,
            Repetition::MoverLoses,
        ] {
            let game = RandomGraph::new(seed, 8, rule);
            for depth in 0..9 {
                check(&game, depth, &WinLoss);
                check(&game, depth, &HeuristicEvaluator);
                check(&game, depth, &Points);
            }
        }
    }
}

/// The first move that neither ends the game nor repeats a position.
fn quiet_move(game: &RandomGraph, earlier: &[RandomGraph]) -> Option<u32> {
    game.moves().find(|&m| {
        let next = game.after(m);
        next.outcome().is_none() && !earlier.contains(&next)
    })
}

/// Where a repetition loses, the table is of no use, so a search is plain minimax also
/// to a limited depth and after other positions.
#[test]
fn a_searcher_knows_what_a_repetition_costs() {
    let mut moved = 0;
    for seed in 0..300 {
        let start = RandomGraph::new(seed, 7, Repetition::MoverLoses);
        let mut searcher = Searcher::new(&start, WinLoss, SearchOptions::default());
        let (mut earlier, mut game) = (Vec::new(), start);
        // The first moves, as long as none repeats a position.
        loop {
            for depth in 1..=8 {
                let expected = minimax_after(&earlier, &game, depth, &WinLoss);
                searcher.set_history(&earlier, &game);
                assert!(searcher.step(&Budget::depth(depth), &StopFlag::new()));
                let result = searcher.result();
                assert_eq!(result.score, expected, "{game:?} after {earlier:?}");
            }
            earlier.push(game);
            let Some(m) = quiet_move(&game, &earlier) else {
                break;
            };
            game.play_unchecked(m);
            moved += 1;
        }
    }
    assert!(moved > 100, "{moved}");
}

/// A result that is called proved is that of the solution.
#[test]
fn proved_scores_of_cyclic_games_are_exact() {
    let mut proved = [0; 3];
    for root_moves in [RootMoves::BestOnly, RootMoves::All] {
        let options = SearchOptions {
            root_moves,
            ..SearchOptions::default()
        };
        for seed in 0..400 {
            let start = RandomGraph::new(seed, 14, DRAW);
            let expected = iterated_scores(&start, &WinLoss, 20);
            let mut searcher = Searcher::new(&start, WinLoss, options);
            for game in expected.keys().filter(|game| game.outcome().is_none()) {
                searcher.set_position(game);
                searcher.step(&Budget::depth(16), &StopFlag::new());
                let result = searcher.result();
                let exact = expected[game];
                if exact.plies().is_some_and(|plies| plies <= result.depth) {
                    assert_eq!(result.score, exact, "{game:?}");
                }
                if !result.proved {
                    continue;
                }
                assert_eq!(result.score, exact, "{game:?}");
                let value = |m| {
                    let next = game.after(m);
                    let keeps = next.to_move() == game.to_move();
                    let score = expected[&next];
                    let score = if keeps { score } else { -score };
                    match (score.grade(), score.plies()) {
                        (Grade::Win, Some(plies)) => Score::win_in(plies + 1),
                        (Grade::Loss, Some(plies)) => Score::loss_in(plies + 1),
                        _ => score,
                    }
                };
                let best: Vec<_> = game.moves().filter(|&m| value(m) == exact).collect();
                assert_eq!(result.best, best, "{game:?}");
                if root_moves == RootMoves::All {
                    for &(m, score) in &result.moves {
                        assert_eq!(score, value(m), "{m} in {game:?}");
                    }
                }
                proved[match exact.grade() {
                    Grade::Win => 0,
                    Grade::Loss => 1,
                    Grade::Evaluation(_) => 2,
                }] += 1;
            }
        }
    }
    assert!(proved.iter().all(|&count| count > 100), "{proved:?}");
}

/// The outcome of each side's best play.
fn outcome_of(game: &RandomGraph, score: Score) -> Outcome {
    match score.grade() {
        Grade::Win => Outcome::Win(game.to_move()),
        Grade::Loss => Outcome::Win(!game.to_move()),
        Grade::Evaluation(_) => Outcome::Draw,
    }
}

#[test]
fn proofs_of_tree_searches_hold_in_cyclic_games() {
    let (mut proved, mut draws) = (0, 0);
    for seed in 0..150 {
        let start = RandomGraph::new(seed, 14, DRAW);
        let expected = iterated_scores(&start, &WinLoss, 20);
        let result = |game: &RandomGraph| outcome_of(game, expected[game]);
        for game in expected.keys().filter(|game| game.outcome().is_none()) {
            let mut tree = TreeSearch::new(game, Playout, TreeOptions::default(), Rng::new(seed));
            tree.step(&Budget::nodes(300), &StopFlag::new());
            let answer = tree.answer();
            let mut check = |found: Option<Outcome>, exact: Outcome| {
                if let Some(found) = found {
                    assert_eq!(found, exact, "{game:?}");
                    proved += 1;
                    draws += u32::from(found == Outcome::Draw);
                }
            };
            check(answer.proved, result(game));
            for m in answer.moves {
                check(m.proved, result(&game.after(m.m)));
            }
            let options = GumbelOptions::playing(100);
            let mut search = GumbelSearch::new(game, options, &mut Rng::new(seed));
            search.run(&mut Opinionated).unwrap();
            let answer = search.answer();
            check(answer.proved, result(game));
            for m in answer.moves {
                check(m.proved, result(&game.after(m.m)));
            }
        }
    }
    assert!(proved > 1_000 && draws > 10, "{proved}, {draws}");
}

/// Where a repetition loses, the outcome depends on the path to the root.
#[test]
fn proofs_of_tree_searches_know_the_history() {
    let mut proved = 0;
    for seed in 0..300 {
        let start = RandomGraph::new(seed, 7, Repetition::MoverLoses);
        let mut tree = TreeSearch::new(&start, Playout, TreeOptions::default(), Rng::new(seed));
        let options = GumbelOptions::playing(200);
        let mut search = GumbelSearch::new(&start, options, &mut Rng::new(seed));
        let (mut earlier, mut game) = (Vec::new(), start);
        loop {
            let exact = outcome_of(&game, minimax_after(&earlier, &game, 8, &WinLoss));
            tree.step(&Budget::nodes(2_000), &StopFlag::new());
            search.run(&mut Opinionated).unwrap();
            let found = [tree.answer().proved, search.answer().proved];
            for found in found.into_iter().flatten() {
                assert_eq!(found, exact, "{game:?} after {earlier:?}");
                proved += 1;
            }
            earlier.push(game);
            let Some(m) = quiet_move(&game, &earlier) else {
                break;
            };
            tree.advance(m).unwrap();
            search.advance(m, &mut Rng::new(seed)).unwrap();
            game.play_unchecked(m);
        }
    }
    assert!(proved > 300, "{proved}");
}

/// A position of the game's history counts as often as it occurred.
#[test]
fn earlier_occurrences_count_exactly() {
    let mut differ = 0;
    for seed in 0..1_000 {
        let start = RandomGraph::new(seed, 7, Repetition::Draw { occurrences: 2 });
        for m in start.moves() {
            let game = start.after(m);
            if game.outcome().is_some() {
                continue;
            }
            let expected = minimax_after(&[start], &game, 8, &WinLoss);
            let mut searcher = Searcher::new(&game, WinLoss, SearchOptions::default());
            searcher.set_history(&[start], &game);
            searcher.step(&Budget::depth(8), &StopFlag::new());
            assert_eq!(searcher.result().score, expected, "{game:?}");
            differ += u32::from(expected != minimax_after(&[], &game, 8, &WinLoss));
            // With a third occurrence to come, the first return isn't the end.
            let rule = RandomGraph::new(seed, 7, DRAW);
            let (before, after) = (rule, rule.after(m));
            searcher.set_history(&[before], &after);
            searcher.step(&Budget::depth(10), &StopFlag::new());
            if searcher.result().proved {
                let solution = solve(&rule, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
                let without = solution.score(&after).unwrap().grade();
                assert_eq!(searcher.result().score.grade(), without, "{after:?}");
            }
        }
    }
    assert!(differ > 10, "{differ}");
}

/// Outcomes under the rule itself: a position is worth what it is after all that has
/// happened, so each is looked at once for each count of all positions.
struct WholeHistory {
    positions: Vec<RandomGraph>,
    known: HashMap<(RandomGraph, Vec<u32>), Outcome>,
}

impl WholeHistory {
    fn of(start: &RandomGraph) -> Self {
        Self {
            positions: reachable(start).into_iter().collect(),
            known: HashMap::new(),
        }
    }

    fn place(&self, game: &RandomGraph) -> usize {
        let place = self.positions.iter().position(|one| one == game);
        place.expect("it can be reached")
    }

    /// How often each position has occurred.
    fn counts(&self, earlier: &[RandomGraph], game: &RandomGraph) -> Vec<u32> {
        let mut counts = vec![0; self.positions.len()];
        for position in earlier.iter().chain([game]) {
            counts[self.place(position)] += 1;
        }
        counts
    }

    /// The outcome of a move to this position.
    fn after(&mut self, next: RandomGraph, mut counts: Vec<u32>) -> Outcome {
        if let Some(outcome) = next.outcome() {
            return outcome;
        }
        let place = self.place(&next);
        counts[place] += 1;
        if counts[place] == 3 {
            return Outcome::Draw;
        }
        let key = (next, counts);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let moves = next.moves().map(|m| next.after(m));
        let outcomes = moves.map(|after| self.after(after, key.1.clone()));
        let rank = |outcome: &Outcome| match outcome {
            Outcome::Win(side) if *side == next.to_move() => 2,
            Outcome::Draw => 1,
            Outcome::Win(_) => 0,
        };
        let best = outcomes.max_by_key(rank).expect("a move");
        self.known.insert(key, best);
        best
    }
}

/// Positions after random moves, in which others and themselves have come back.
fn after_repetitions(start: RandomGraph, seed: u64) -> Vec<(Vec<RandomGraph>, RandomGraph)> {
    let mut rng = Rng::new(seed);
    let (mut earlier, mut game) = (Vec::new(), start);
    let mut found = Vec::new();
    for _ in 0..12 {
        found.push((earlier.clone(), game));
        earlier.push(game);
        let goes_on = |next: &RandomGraph| {
            let before = earlier.iter().filter(|one| *one == next).count();
            next.outcome().is_none() && before < 2
        };
        let next: Vec<_> = game
            .moves()
            .map(|m| game.after(m))
            .filter(goes_on)
            .collect();
        if next.is_empty() {
            break;
        }
        game = next[rng.below(next.len())];
    }
    found
}

/// What a solution with the repeated positions as draws says, and every proof of a search
/// that has followed the game, is so by the rule.
#[test]
fn nothing_false_is_proved_after_repetitions() {
    let (mut with_draws, mut differ, mut proved) = (0, 0, 0);
    for seed in 0..400 {
        let start = RandomGraph::new(seed, 6, DRAW);
        let solution = solve(&start, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
        let mut searcher = Searcher::new(&start, WinLoss, SearchOptions::default());
        let mut exact = WholeHistory::of(&start);
        for (earlier, game) in after_repetitions(start, seed) {
            let counts = exact.counts(&earlier, &game);
            let mut outcome = |m| exact.after(game.after(m), counts.clone());
            let draws = draws_if_repeated(&game, &earlier);
            let result =
                solve_with_draws(&game, &draws, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
            for &(m, score) in &result.moves {
                let found = outcome_of(&game, score);
                assert_eq!(found, outcome(m), "{m} in {game:?} after {earlier:?}");
            }
            let best = result.moves[0].1;
            assert_eq!(result.score, best);
            let plain = solution.moves(&game).unwrap();
            if draws.is_empty() {
                assert_eq!(result.moves, plain);
            } else {
                with_draws += 1;
                differ += u32::from(result.moves != plain);
            }
            searcher.set_history(&earlier, &game);
            searcher.step(&Budget::depth(14), &StopFlag::new());
            if searcher.result().proved {
                let found = outcome_of(&game, searcher.result().score);
                assert_eq!(found, outcome_of(&game, best), "{game:?} after {earlier:?}");
                proved += 1;
            }
        }
    }
    assert!(
        with_draws > 500 && differ > 50 && proved > 500,
        "{with_draws}, {differ}, {proved}"
    );
}

/// A plain board of the library's tests has the same values.
#[test]
fn three_mens_morris_is_won_from_the_centre() {
    let start = Morris::three();
    let solution = solve(&start, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
    let analysis = solution.analyze(&start).unwrap();
    assert_eq!(analysis.score.grade(), Grade::Win);
    let best: Vec<_> = analysis.best.iter().map(ToString::to_string).collect();
    assert_eq!(best, ["b2"]);
}

#[test]
fn without_repetition_other_positions_are_no_draws() {
    let game = TicTacToe::new();
    let solution = solve(&game, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
    let next = game.after(game.moves().next().unwrap());
    let result = solve_with_draws(&game, &[next], &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
    assert_eq!(result.score, Score::DRAW);
    assert_eq!(Some(result.moves), solution.moves(&game));
}
