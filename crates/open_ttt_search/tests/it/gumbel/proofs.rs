//! Proofs match solved games.

use open_ttt_lib::games::{ConnectFour, LineSet, Mnk, Pegs, TicTacToe};
use open_ttt_lib::rules::{Outcome, TwoPlayerGame};
use open_ttt_search::{Grade, GumbelOptions, PolicyValue, StopFlag, UniformPolicy, WinLoss, solve};

use super::{Opinionated, answer};
use crate::random_tree::RandomTree;
use crate::stepping_stones::SteppingStones;
use crate::unfinished::unfinished;

#[track_caller]
fn check<G, P>(positions: Vec<G>, model: P)
where
    G: TwoPlayerGame,
    P: PolicyValue<G> + Copy,
{
    let mut proved = 0;
    for (seed, game) in (0..).zip(positions) {
        let solution = solve(&game, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
        let result = |game: &G| match solution.score(game).unwrap().grade() {
            Grade::Win => Outcome::Win(game.to_move()),
            Grade::Loss => Outcome::Win(!game.to_move()),
            Grade::Evaluation(_) => Outcome::Draw,
        };
        for simulations in [4, 30, 150, 3_000] {
            for options in [
                GumbelOptions::exploring(simulations),
                GumbelOptions::playing(simulations),
            ] {
                let answer = answer(&game, options, seed, model);
                if let Some(outcome) = answer.proved {
                    proved += 1;
                    assert_eq!(outcome, result(&game));
                    let chosen = game.after(answer.chosen.unwrap());
                    assert_eq!(outcome, result(&chosen), "the chosen move");
                    let value = match outcome {
                        Outcome::Draw => 0.0,
                        Outcome::Win(side) if side == game.to_move() => 1.0,
                        Outcome::Win(_) => -1.0,
                    };
                    assert!((answer.value - value).abs() < 1e-6);
                }
                for m in answer.moves {
                    if let Some(outcome) = m.proved {
                        assert_eq!(outcome, result(&game.after(m.m)), "{:?}", m.m);
                    }
                }
            }
        }
    }
    assert!(proved > 0);
}

#[test]
fn proofs_of_tic_tac_toe_match_the_solution() {
    for plies in 3..8 {
        check(unfinished(&TicTacToe::new(), plies, 5), UniformPolicy);
        check(unfinished(&TicTacToe::new(), plies, 5), Opinionated);
    }
}

#[test]
fn proofs_of_other_games_match_the_solution() {
    check(unfinished(&ConnectFour::new(), 32, 12), Opinionated);
    check(unfinished(&ConnectFour::new(), 34, 12), UniformPolicy);
    check(unfinished(&Mnk::new(4, 3, 3).unwrap(), 4, 6), Opinionated);
    let pegs = Pegs::with_lines(LineSet::ThirtyEight);
    check(unfinished(&pegs, 20, 12), Opinionated);
}

#[test]
fn proofs_follow_the_turns() {
    for seed in 0..30 {
        check(vec![RandomTree::<false>::new(seed, 8)], Opinionated);
        check(vec![SteppingStones::<false>::new(seed, 14)], UniformPolicy);
    }
}

/// Moves that are not proved to lose are chosen before those that are.
#[test]
fn proved_losses_are_chosen_last() {
    let mut seen = 0;
    for game in unfinished(&ConnectFour::new(), 24, 60) {
        let answer = answer(&game, GumbelOptions::playing(60), 1, Opinionated);
        let is_lost =
            |m: &open_ttt_search::GumbelMove<_>| m.proved == Some(Outcome::Win(!game.to_move()));
        let lost = answer.moves.iter().filter(|m| is_lost(m)).count();
        if lost > 0 && lost < answer.moves.len() {
            let chosen = answer.moves.iter().find(|m| Some(m.m) == answer.chosen);
            assert!(!is_lost(chosen.unwrap()));
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen}");
}

/// With a proved win, the policy target is on the winning moves; otherwise none of
/// it is on proved losses.
#[test]
fn proved_moves_shape_the_policy() {
    let (mut wins, mut losses) = (0, 0);
    for game in unfinished(&ConnectFour::new(), 24, 60) {
        let (own, other) = (game.to_move(), !game.to_move());
        let answer = answer(&game, GumbelOptions::exploring(60), 1, Opinionated);
        let is = |outcome| answer.moves.iter().filter(move |m| m.proved == outcome);
        let won = is(Some(Outcome::Win(own))).count();
        let lost = is(Some(Outcome::Win(other))).count();
        let share = |outcome| is(outcome).map(|m| m.policy).sum::<f32>();
        if won > 0 {
            assert!((share(Some(Outcome::Win(own))) - 1.0).abs() < 1e-5);
            wins += 1;
        } else if lost > 0 && lost < answer.moves.len() {
            assert!(share(Some(Outcome::Win(other))) < 1e-30);
            losses += 1;
        }
        let all: f32 = answer.moves.iter().map(|m| m.policy).sum();
        assert!((all - 1.0).abs() < 1e-5);
    }
    assert!(wins > 5 && losses > 5, "{wins} {losses}");
}
