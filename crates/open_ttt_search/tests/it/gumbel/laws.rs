//! Laws that hold for every game and model.

use std::num::NonZero;

use open_ttt_lib::games::{ConnectFour, LineSet, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame, play_text};
use open_ttt_search::{
    Estimate, Estimates, GumbelMove, GumbelOptions, GumbelSearch, InvalidEstimate, PolicyValue,
    RandomPlayouts, StopFlag, UniformPolicy, WinLoss, solve,
};

use super::{Opinionated, answer, uniform_answer};
use crate::unfinished::unfinished;

const EXPLORING: GumbelOptions = GumbelOptions::exploring(40);

/// Checks answers with several options.
#[track_caller]
fn check<G: TwoPlayerGame>(start: &G, plies: usize) {
    for (seed, game) in (0..).zip(unfinished(start, plies, 5)) {
        for simulations in [0, 1, 3, 17, 40, 200] {
            for proves in [false, true] {
                let options = GumbelOptions {
                    simulations,
                    proves,
                    ..EXPLORING
                };
                check_answer(&game, options, seed, Opinionated);
                check_answer(&game, options, seed, UniformPolicy);
            }
        }
    }
}

#[track_caller]
fn check_answer<G: TwoPlayerGame>(
    game: &G,
    options: GumbelOptions,
    seed: u64,
    model: impl PolicyValue<G>,
) {
    let answer = answer(game, options, seed, model);
    let moves: Vec<_> = answer.moves.iter().map(|m| m.m).collect();
    assert_eq!(moves, game.moves().collect::<Vec<_>>());
    assert!(moves.contains(&answer.chosen.unwrap()));

    let visits: u32 = answer.moves.iter().map(|m| m.visits).sum();
    assert_eq!(visits, answer.simulations);
    if answer.proved.is_none() {
        assert_eq!(visits, options.simulations);
    } else {
        assert!(visits <= options.simulations && options.proves);
    }
    let tried = answer.moves.iter().filter(|m| m.visits > 0).count();
    assert!(tried <= options.considered.get());

    let sum = |share: fn(&GumbelMove<G::Move>) -> f32| answer.moves.iter().map(share).sum::<f32>();
    for sum in [sum(|m| m.policy), sum(|m| m.prior)] {
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    }
    for one in &answer.moves {
        assert!(one.policy >= 0.0 && one.value.abs() <= 1.0);
        // The policy depends on the prior and the value alone.
        for other in answer.moves.iter().filter(|other| other.value < one.value) {
            let (gain, other_gain) = (one.policy / one.prior, other.policy / other.prior);
            assert!(gain >= 0.999 * other_gain, "{gain}, {other_gain}");
        }
        let is_prior = (one.policy - one.prior).abs() < 1e-6;
        assert!(is_prior || options.simulations > 0);
    }
}

#[test]
fn answers_obey_the_laws() {
    check(&TicTacToe::new(), 0);
    check(&TicTacToe::new(), 5);
    check(&ConnectFour::new(), 8);
    check(&ConnectFour::new(), 33);
    check(&Pegs::with_lines(LineSet::ThirtyEight), 12);
    check(&Qubic::new(), 10);
    check(&Ultimate::new(), 20);
    check(&Mnk::new(9, 9, 5).unwrap(), 4);
}

#[test]
fn noise_samples_moves_from_the_policy() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1 b2 c3").unwrap();
    let mut search = GumbelSearch::new(&game, EXPLORING, &mut Rng::new(0));
    search.run(&mut Opinionated).unwrap();
    let mut counts = vec![0.0; search.answer().moves.len()];
    let bare = GumbelOptions::exploring(0);
    let mut rng = Rng::new(5);
    let mut expected = Vec::new();
    for _ in 0..20_000 {
        search = GumbelSearch::new(&game, bare, &mut rng);
        search.run(&mut Opinionated).unwrap();
        let answer = search.answer();
        let place = answer.moves.iter().position(|m| Some(m.m) == answer.chosen);
        counts[place.unwrap()] += 1.0;
        expected = answer.moves.iter().map(|m| m.prior).collect();
    }
    for (count, prior) in counts.iter().zip(expected) {
        // Four standard deviations at most.
        assert!(
            (count / 20_000.0 - prior).abs() < 0.015,
            "{count} of {prior}"
        );
    }
}

#[test]
fn a_seed_reproduces_the_answer() {
    let game = ConnectFour::new();
    let one = answer(&game, EXPLORING, 7, Opinionated);
    assert_eq!(answer(&game, EXPLORING, 7, Opinionated), one);
    assert_ne!(answer(&game, EXPLORING, 8, Opinionated), one);
    let played = GumbelOptions {
        noise: 0.0,
        ..EXPLORING
    };
    let best = answer(&game, played, 7, Opinionated);
    assert_eq!(answer(&game, played, 8, Opinionated), best);
}

#[test]
fn a_restarted_search_equals_a_new_one() {
    let mut rng = Rng::new(3);
    let mut search = GumbelSearch::new(&Ultimate::new(), EXPLORING, &mut rng);
    search.run(&mut Opinionated).unwrap();
    for (seed, game) in (0..).zip(unfinished(&Ultimate::new(), 12, 5)) {
        search.restart(&game, &mut Rng::new(seed));
        search.run(&mut Opinionated).unwrap();
        assert_eq!(search.answer(), answer(&game, EXPLORING, seed, Opinionated));
    }
}

/// The positions of a game in which one move alone keeps the best result.
fn with_one_best<G: TwoPlayerGame>(start: &G) -> Vec<(G, G::Move)> {
    let solution = solve(start, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
    let mut found = Vec::new();
    let mut known = std::collections::HashSet::from([start.clone()]);
    let mut open = vec![start.clone()];
    while let Some(game) = open.pop() {
        let moves = solution.moves(&game).unwrap_or_default();
        if let [(best, score), (_, second), ..] = moves[..]
            && score.grade() != second.grade()
        {
            found.push((game.clone(), best));
        }
        let next = moves.iter().map(|&(m, _)| game.after(m));
        open.extend(next.filter(|next| known.insert(next.clone())));
    }
    found
}

#[test]
fn more_simulations_find_every_best_move_of_tic_tac_toe() {
    let positions = with_one_best(&TicTacToe::new());
    assert_eq!(positions.len(), POSITIONS);
    let random_games = RandomPlayouts {
        playouts: NonZero::<u32>::MIN,
        seed: 1,
    };
    let one_game_each = GumbelOptions::playing(1_600);
    for (game, best) in &positions {
        let answer = answer(game, one_game_each, 1, random_games);
        assert_eq!(answer.chosen, Some(*best), "with random playouts");
    }
    let missed = |simulations, proves| {
        let options = GumbelOptions {
            proves,
            ..GumbelOptions::playing(simulations)
        };
        let wrong = positions
            .iter()
            .filter(|(game, best)| answer(game, options, 1, UniformPolicy).chosen != Some(*best));
        wrong.count()
    };
    let proving: Vec<_> = [0, 16, 50, 100, 800].map(|n| missed(n, true)).into();
    let averaging: Vec<_> = [0, 16, 50, 100, 400].map(|n| missed(n, false)).into();
    for missed in [&proving, &averaging] {
        assert!(missed.is_sorted_by(|few, more| few > more), "{missed:?}");
        assert!(missed[0] > POSITIONS / 2, "{missed:?}");
    }
    assert_eq!(proving.last(), Some(&0));
    // Without proofs, means converge far more slowly.
    assert!(
        averaging
            .last()
            .is_some_and(|&missed| missed < POSITIONS / 100)
    );
}

/// Counted by solving the game.
const POSITIONS: usize = 2_184;

#[track_caller]
fn check_immediate_wins<G: TwoPlayerGame>(start: &G, plies: usize) {
    let wins = |game: &G, m| {
        let next = game.after(m);
        next.outcome()
            .is_some_and(|outcome| outcome.winner() == Some(game.to_move()))
    };
    let mut seen = 0;
    for (seed, game) in (0..).zip(unfinished(start, plies, 60)) {
        if game.moves().any(|m| wins(&game, m)) {
            let options = GumbelOptions {
                simulations: 1,
                considered: NonZero::<usize>::MIN,
                ..EXPLORING
            };
            let answer = answer(&game, options, seed, Opinionated);
            assert!(wins(&game, answer.chosen.unwrap()));
            assert!(answer.value > 0.999_999);
            assert_eq!(answer.simulations, 0, "the root is proved");
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen}");
}

#[test]
fn an_immediate_win_is_taken() {
    check_immediate_wins(&TicTacToe::new(), 5);
    check_immediate_wins(&ConnectFour::new(), 20);
    check_immediate_wins(&Mnk::new(6, 6, 4).unwrap(), 20);
    check_immediate_wins(&Qubic::new(), 34);
}

#[test]
fn the_subtree_of_a_move_is_kept() {
    for proves in [false, true] {
        let options = GumbelOptions {
            simulations: 300,
            proves,
            ..EXPLORING
        };
        let mut rng = Rng::new(2);
        let mut game = ConnectFour::new();
        let mut search = GumbelSearch::new(&game, options, &mut rng);
        while game.outcome().is_none() {
            search.run(&mut Opinionated).unwrap();
            let answer = search.answer();
            assert!(answer.simulations <= 2 * options.simulations);
            let chosen = answer.chosen.unwrap();
            let seen = answer.moves.iter().find(|m| m.m == chosen).unwrap();
            search.advance(chosen, &mut rng).unwrap();
            game.play(chosen).unwrap();
            assert_eq!(search.game(), &game);
            let kept = search.answer();
            // The first visit was the estimate of the position, if there was one.
            let expected = seen.visits.saturating_sub(1);
            assert!(kept.simulations == expected || seen.proved.is_some());
            if kept.simulations > 0 && kept.proved.is_none() {
                assert!((kept.value + seen.value).abs() < 1.0);
                search.run(&mut Opinionated).unwrap();
                let more = search.answer();
                assert!(more.simulations >= kept.simulations);
                let room = 2 * options.simulations - kept.simulations;
                let made = more.simulations - kept.simulations;
                assert!(more.proved.is_some() || made >= room.min(options.simulations) - 1);
                for (more, kept) in more.moves.iter().zip(&kept.moves) {
                    assert!(more.visits >= kept.visits);
                }
            }
        }
        assert_eq!(search.leaf(), None);
    }
}

/// A model that is certain of the first of all moves.
struct Certain;

impl<G: TwoPlayerGame> PolicyValue<G> for Certain {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        for position in positions {
            let logits = position.moves().enumerate();
            estimates.push(0.0, logits.map(|(index, _)| -30.0 * index as f32));
        }
    }
}

#[test]
fn a_kept_tree_is_limited() {
    // With one move considered, nearly the whole tree is kept from move to move.
    let options = GumbelOptions {
        considered: NonZero::<usize>::MIN,
        proves: false,
        ..GumbelOptions::playing(100)
    };
    let mut rng = Rng::new(1);
    let mut search = GumbelSearch::new(&ConnectFour::new(), options, &mut rng);
    let mut most = 0;
    for _ in 0..5 {
        search.run(&mut Certain).unwrap();
        let answer = search.answer();
        most = most.max(answer.simulations);
        search.advance(answer.chosen.unwrap(), &mut rng).unwrap();
    }
    assert!((150..=200).contains(&most), "{most}");
}

#[test]
fn an_illegal_move_changes_nothing() {
    let mut game = ConnectFour::new();
    play_text(&mut game, "111111").unwrap();
    let mut search = GumbelSearch::new(&game, EXPLORING, &mut Rng::new(1));
    search.run(&mut UniformPolicy).unwrap();
    let answer = search.answer();
    let full = game.parse_move("1").unwrap();
    assert!(search.advance(full, &mut Rng::new(1)).is_err());
    assert_eq!(search.answer(), answer);
}

#[test]
fn a_finished_game_needs_no_estimate() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1 b1 a2 b2 a3").unwrap();
    let mut search = GumbelSearch::new(&game, EXPLORING, &mut Rng::new(1));
    assert!(search.is_done());
    assert_eq!(search.leaf(), None);
    let answer = search.answer();
    assert_eq!(answer.chosen, None);
    assert!(answer.value < -0.999_999);
    assert_eq!(answer.proved, game.outcome());
}

#[test]
fn invalid_estimates_are_refused() {
    let game = TicTacToe::new();
    let mut search = GumbelSearch::new(&game, EXPLORING, &mut Rng::new(1));
    let mut submit = |value: f32, logits: &[f32]| {
        let leaf = search.leaf().copied();
        assert_eq!(search.pending().copied(), leaf);
        let refused = search.submit(Estimate { value, logits });
        assert_eq!(search.pending().is_some(), refused.is_err());
        refused
    };
    let (logits, moves) = (8, 9);
    assert_eq!(
        submit(0.0, &[0.0; 8]),
        Err(InvalidEstimate::Logits { logits, moves })
    );
    assert_eq!(submit(f32::NAN, &[0.0; 9]), Err(InvalidEstimate::NotFinite));
    let mut odd = [0.0; 9];
    odd[4] = f32::INFINITY;
    assert_eq!(submit(0.0, &odd), Err(InvalidEstimate::NotFinite));
    odd[4] = f32::MAX;
    odd[5] = f32::MIN;
    assert_eq!(submit(7.0, &odd), Ok(()));
    let mut after = GumbelSearch::new(&game, EXPLORING, &mut Rng::new(1));
    let nothing = Estimate {
        value: 0.0,
        logits: &[0.0; 9],
    };
    assert_eq!(after.submit(nothing), Err(InvalidEstimate::NotPending));
    search.run(&mut UniformPolicy).unwrap();
    let answer = search.answer();
    assert!(
        answer
            .moves
            .iter()
            .all(|m| m.policy.is_finite() && m.value.abs() <= 1.0)
    );
    assert!(answer.moves[4].prior > 0.999_999);
}

/// A model with extreme numbers.
struct Extreme;

impl<G: TwoPlayerGame> PolicyValue<G> for Extreme {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        for position in positions {
            let logits = position
                .moves()
                .enumerate()
                .map(|(index, _)| match index % 3 {
                    0 => f32::MAX,
                    1 => f32::MIN,
                    _ => 1e-40,
                });
            estimates.push(-1e30, logits);
        }
    }
}

#[test]
fn odd_options_and_estimates_do_no_harm() {
    let game = TicTacToe::new();
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 0.0, 1e30] {
        for proves in [false, true] {
            let options = GumbelOptions {
                noise: number,
                visit_offset: number,
                value_scale: number,
                proves,
                ..EXPLORING
            };
            for answer in [
                answer(&game, options, 1, Extreme),
                answer(&game, options, 1, Opinionated),
            ] {
                assert!(answer.chosen.is_some() && answer.value.abs() <= 1.0 + 1e-5);
                let sum: f32 = answer.moves.iter().map(|m| m.policy).sum();
                assert!((sum - 1.0).abs() < 1e-5, "{sum}");
            }
        }
    }
    let endless = GumbelOptions::playing(u32::MAX);
    let mut late = game;
    play_text(&mut late, "a1 b2 c3 c1").unwrap();
    assert!(answer(&late, endless, 1, UniformPolicy).proved.is_some());
}

#[test]
fn random_playouts_estimate_the_mean_result() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1 b1 a2 b2").unwrap();
    let mut estimates = Estimates::new();
    let mut model = RandomPlayouts {
        playouts: NonZero::new(4_000).unwrap(),
        seed: 9,
    };
    model.estimate(&[&game, &game], &mut estimates);
    assert_eq!(estimates.get(0), estimates.get(1));
    // The exact mean over all continuations with uniformly random moves.
    let mean = mean_result(&game);
    let estimate = estimates.get(0).unwrap();
    assert!((f64::from(estimate.value) - mean).abs() < 0.05, "{mean}");
    assert_eq!(estimate.logits, [0.0; 5]);
    assert!((uniform_answer(&game, 0).moves[0].prior - 0.2).abs() < 1e-6);
}

/// The mean result for the side to move if all moves are uniformly random.
fn mean_result(game: &TicTacToe) -> f64 {
    if let Some(outcome) = game.outcome() {
        return match outcome.winner() {
            Some(side) if side == game.to_move() => 1.0,
            Some(_) => -1.0,
            None => 0.0,
        };
    }
    let results: Vec<_> = game.moves().map(|m| -mean_result(&game.after(m))).collect();
    results.iter().sum::<f64>() / results.len() as f64
}
