//! A reference implementation from the paper, as plain as possible: boxed nodes,
//! sums in double precision, and the whole schedule computed in advance.

use std::num::NonZero;

use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Outcome, TwoPlayerGame};
use open_ttt_search::GumbelOptions;

use super::{Opinionated, answer};
use crate::random_tree::RandomTree;
use crate::unfinished::unfinished;

struct Node<G: TwoPlayerGame> {
    game: G,
    moves: Vec<G::Move>,
    estimate: f64,
    logits: Vec<f64>,
    visits: Vec<u32>,
    sums: Vec<f64>,
    children: Vec<Option<Box<Node<G>>>>,
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f64::MIN, f64::max);
    let weights: Vec<_> = logits.iter().map(|logit| (logit - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

fn greatest(scores: &[f64]) -> usize {
    let greater = |best, index| {
        if scores[index] > scores[best] {
            index
        } else {
            best
        }
    };
    (0..scores.len()).reduce(greater).unwrap()
}

impl<G: TwoPlayerGame> Node<G> {
    fn new(game: &G) -> Self {
        let (value, logits) = Opinionated::opinion(game);
        let moves: Vec<_> = game.moves().collect();
        Self {
            game: game.clone(),
            estimate: value.into(),
            logits: logits.into_iter().map(f64::from).collect(),
            visits: vec![0; moves.len()],
            sums: vec![0.0; moves.len()],
            children: moves.iter().map(|_| None).collect(),
            moves,
        }
    }

    fn completed_values(&self) -> Vec<f64> {
        let priors = softmax(&self.logits);
        let visited = || (0..self.moves.len()).filter(|&index| self.visits[index] > 0);
        let mean = |index: usize| self.sums[index] / f64::from(self.visits[index]);
        let visits = f64::from(self.visits.iter().sum::<u32>());
        let weight: f64 = visited().map(|index| priors[index]).sum();
        let weighted: f64 = visited().map(|index| priors[index] * mean(index)).sum();
        let mixed = match visits {
            0.0 => self.estimate,
            _ => (self.estimate + visits / weight * weighted) / (1.0 + visits),
        };
        let completed = |index| match self.visits[index] {
            0 => mixed,
            _ => mean(index),
        };
        (0..self.moves.len()).map(completed).collect()
    }

    fn improved_logits(&self, options: &GumbelOptions) -> Vec<f64> {
        let most = f64::from(self.visits.iter().copied().max().unwrap());
        let scale = (f64::from(options.visit_offset) + most) * f64::from(options.value_scale);
        let completed = self.completed_values();
        let improved = self.logits.iter().zip(completed);
        improved
            .map(|(logit, value)| logit + scale * value)
            .collect()
    }

    fn select_below(&self, options: &GumbelOptions) -> usize {
        let policy = softmax(&self.improved_logits(options));
        let all = f64::from(1 + self.visits.iter().sum::<u32>());
        let behind = policy.iter().zip(&self.visits);
        let behind: Vec<_> = behind.map(|(p, &n)| p - f64::from(n) / all).collect();
        greatest(&behind)
    }

    /// Visits a move. Returns the value for the side that makes it.
    fn visit(&mut self, index: usize, options: &GumbelOptions) -> f64 {
        let next = self.game.after(self.moves[index]);
        let sign = if next.to_move() == self.game.to_move() {
            1.0
        } else {
            -1.0
        };
        let value = if let Some(outcome) = next.outcome() {
            match outcome {
                Outcome::Win(side) if side == self.game.to_move() => 1.0,
                Outcome::Win(_) => -1.0,
                Outcome::Draw => 0.0,
            }
        } else if let Some(child) = &mut self.children[index] {
            let reply = child.select_below(options);
            let value = child.visit(reply, options);
            sign * value
        } else {
            let child = Node::new(&next);
            let estimate = child.estimate;
            self.children[index] = Some(Box::new(child));
            sign * estimate
        };
        self.visits[index] += 1;
        self.sums[index] += value;
        value
    }
}

/// The scheduled visits of the move to try, simulation by simulation.
fn schedule(considered: usize, simulations: usize) -> Vec<u32> {
    if considered == 1 {
        return (0..simulations as u32).collect();
    }
    let phases = (considered as f64).log2().ceil() as usize;
    let (mut schedule, mut visits, mut left) = (Vec::new(), 0, considered);
    while schedule.len() < simulations {
        for _ in 0..(simulations / (phases * left)).max(1) {
            schedule.extend(vec![visits; left]);
            visits += 1;
        }
        left = (left / 2).max(2);
    }
    schedule.truncate(simulations);
    schedule
}

struct Expected<M> {
    chosen: M,
    visits: Vec<u32>,
    policy: Vec<f64>,
    values: Vec<f64>,
}

fn expected<G: TwoPlayerGame>(game: &G, options: &GumbelOptions, seed: u64) -> Expected<G::Move> {
    let mut rng = Rng::new(seed);
    let mut root = Node::new(game);
    let noise: Vec<f64> = (root.moves.iter())
        .map(|_| {
            let unit = ((rng.next_u64() >> 12) as f64 + 0.5) / 4_503_599_627_370_496.0;
            -f64::from(options.noise) * (-unit.ln()).ln()
        })
        .collect();
    let best_with = |root: &Node<G>, visits: u32| {
        let scores = root.improved_logits(options);
        let score = |index: usize| match root.visits[index] {
            n if n == visits => scores[index] + noise[index],
            _ => f64::MIN,
        };
        greatest(&(0..root.moves.len()).map(score).collect::<Vec<_>>())
    };
    let considered = root.moves.len().min(options.considered.get());
    for visits in schedule(considered, options.simulations as usize) {
        let index = best_with(&root, visits);
        root.visit(index, options);
    }
    let most = root.visits.iter().copied().max().unwrap();
    Expected {
        chosen: root.moves[best_with(&root, most)],
        policy: softmax(&root.improved_logits(options)),
        values: root.completed_values(),
        visits: root.visits,
    }
}

#[track_caller]
fn check<G: TwoPlayerGame>(start: &G, plies: usize) {
    let options = |simulations, considered, noise, value_scale| GumbelOptions {
        considered: NonZero::new(considered).unwrap(),
        noise,
        value_scale,
        proves: false,
        ..GumbelOptions::exploring(simulations)
    };
    for (seed, game) in (1..).zip(unfinished(start, plies, 4)) {
        for simulations in [0, 1, 5, 16, 33, 100, 300] {
            for options in [
                options(simulations, 16, 1.0, 0.1),
                options(simulations, 4, 1.0, 0.3),
                options(simulations, 7, 0.0, 0.05),
                options(simulations, 1, 0.5, 0.1),
                options(simulations, 3, 0.0, 1.0),
            ] {
                let expected = expected(&game, &options, seed);
                let answer = answer(&game, options, seed, Opinionated);
                let visits: Vec<_> = answer.moves.iter().map(|m| m.visits).collect();
                assert_eq!(visits, expected.visits, "{options:?}");
                assert_eq!(answer.chosen, Some(expected.chosen), "{options:?}");
                for (index, m) in answer.moves.iter().enumerate() {
                    let policy = expected.policy[index];
                    assert!(
                        (f64::from(m.policy) - policy).abs() < 1e-4,
                        "{m:?}: {policy}"
                    );
                    let value = expected.values[index];
                    assert!((f64::from(m.value) - value).abs() < 1e-5, "{m:?}: {value}");
                }
                let expected = expected.policy.iter().zip(&expected.values);
                let expected: f64 = expected.map(|(policy, value)| policy * value).sum();
                assert!(
                    (f64::from(answer.value) - expected).abs() < 1e-4,
                    "{expected}"
                );
            }
        }
    }
}

#[test]
fn tic_tac_toe_matches_the_reference() {
    check(&TicTacToe::new(), 0);
    check(&TicTacToe::new(), 3);
    check(&TicTacToe::new(), 6);
}

#[test]
fn other_games_match_the_reference() {
    check(&ConnectFour::new(), 5);
    check(&ConnectFour::new(), 30);
    check(&Pegs::new(), 16);
    check(&Mnk::new(4, 4, 3).unwrap(), 2);
    check(&Ultimate::new(), 9);
}

#[test]
fn games_with_extra_turns_match_the_reference() {
    for seed in 0..20 {
        check(&RandomTree::<false>::new(seed, 12), 0);
    }
}
