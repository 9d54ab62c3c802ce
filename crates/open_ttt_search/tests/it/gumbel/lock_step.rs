//! Searches in lock-step give the answers they give alone, with fewer estimates.

use std::collections::HashSet;
use std::num::NonZero;

use open_ttt_lib::games::{ConnectFour, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{
    Estimates, GumbelAnswer, GumbelOptions, GumbelSearch, InvalidEstimate, LockStep,
    LockStepOptions, PolicyValue,
};

use super::{Opinionated, answer};
use crate::unfinished::unfinished;

/// A model that records its batches.
#[derive(Clone, Debug, Default)]
struct Recorded {
    largest: usize,
    estimated: u64,
}

impl<G: TwoPlayerGame> PolicyValue<G> for Recorded {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        assert!(!positions.is_empty());
        let different: HashSet<_> = positions.iter().collect();
        assert_eq!(different.len(), positions.len(), "estimated twice");
        assert!(
            positions
                .iter()
                .all(|position| position.outcome().is_none())
        );
        self.largest = self.largest.max(positions.len());
        self.estimated += positions.len() as u64;
        Opinionated.estimate(positions, estimates);
    }
}

fn searches<G: TwoPlayerGame>(positions: &[G], options: GumbelOptions) -> Vec<GumbelSearch<G>> {
    let seeded = (0..).zip(positions);
    let search = |(seed, game)| GumbelSearch::new(game, options, &mut Rng::new(seed));
    seeded.map(search).collect()
}

fn lock_step(batch: usize, cache_bytes: usize) -> LockStep<Recorded> {
    let batch = NonZero::new(batch).unwrap();
    LockStep::new(Recorded::default(), LockStepOptions { batch, cache_bytes })
}

#[track_caller]
fn check<G: TwoPlayerGame>(positions: &[G], options: GumbelOptions) {
    let alone: Vec<_> = (0..)
        .zip(positions)
        .map(|(seed, game)| answer(game, options, seed, Opinionated))
        .collect();
    let mut least_estimated = u64::MAX;
    for cache_bytes in [0, 200, 3_000, 1 << 20] {
        for batch in [1, 2, 3, 7, 64, 1_000] {
            let mut searches = searches(positions, options);
            let mut lock_step = lock_step(batch, cache_bytes);
            lock_step.run(&mut searches).unwrap();
            let answers: Vec<GumbelAnswer<_>> = searches.iter().map(GumbelSearch::answer).collect();
            assert_eq!(answers, alone, "batches of {batch}, {cache_bytes} bytes");
            let model = lock_step.model();
            assert!(model.largest <= batch);
            assert!(positions.len() < 7 || model.largest > batch.min(4) / 2);
            assert_eq!(model.estimated, lock_step.estimated());
            least_estimated = least_estimated.min(model.estimated);
        }
    }
    // Every position was estimated once.
    let mut different = HashSet::new();
    let mut leaves = 0;
    for search in &mut searches(positions, options) {
        while let Some(leaf) = search.leaf() {
            leaves += 1;
            different.insert(leaf.clone());
            let mut estimates = Estimates::new();
            Opinionated.estimate(&[leaf], &mut estimates);
            search.submit(estimates.get(0).unwrap()).unwrap();
        }
    }
    assert!(different.len() < leaves);
    // Few estimates are lost to collisions of slots.
    let lost = least_estimated - different.len() as u64;
    assert!(lost <= leaves as u64 / 50, "{lost} of {leaves}");
}

#[test]
fn batches_and_the_cache_change_no_answer() {
    let mut starts = unfinished(&TicTacToe::new(), 2, 12);
    starts.extend(vec![TicTacToe::new(); 8]);
    check(&starts, GumbelOptions::exploring(30));
    let mut starts = unfinished(&ConnectFour::new(), 10, 3);
    starts.extend(vec![ConnectFour::new(); 8]);
    check(&starts, GumbelOptions::exploring(25));
    check(&vec![Ultimate::new(); 6], GumbelOptions::exploring(20));
}

#[test]
fn a_search_can_restart_between_two_steps() {
    let options = GumbelOptions::exploring(24);
    let positions = unfinished(&ConnectFour::new(), 6, 9);
    let mut searches = searches(&positions[..3], options);
    let mut at = vec![0, 1, 2];
    let mut next = 3;
    let mut answers = vec![None; positions.len()];
    let mut lock_step = lock_step(2, 1 << 16);
    while answers.contains(&None) {
        lock_step.step(&mut searches).unwrap();
        for (search, at) in searches.iter_mut().zip(&mut at) {
            if search.is_done() && *at < positions.len() {
                answers[*at] = Some(search.answer());
                *at = next;
                if let Some(game) = positions.get(next) {
                    search.restart(game, &mut Rng::new(next as u64));
                }
                next += 1;
            }
        }
    }
    for (seed, (game, found)) in (0..).zip(positions.iter().zip(answers)) {
        assert_eq!(found, Some(answer(game, options, seed, Opinionated)));
    }
}

/// A model that fails once.
struct Failing {
    fault: Option<InvalidEstimate>,
    after: usize,
}

impl<G: TwoPlayerGame> PolicyValue<G> for Failing {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        let fails = self.after == 0;
        self.after = self.after.saturating_sub(1);
        for (index, &position) in positions.iter().enumerate() {
            let (value, mut logits) = Opinionated::opinion(position);
            match self
                .fault
                .take_if(|_| fails && index == positions.len() / 2)
            {
                None | Some(InvalidEstimate::NotPending) => {}
                Some(InvalidEstimate::Missing) => return,
                Some(InvalidEstimate::NotFinite) => logits[0] = f32::NAN,
                Some(_) => logits.push(0.0),
            }
            estimates.push(value, logits);
        }
    }
}

#[test]
fn an_invalid_estimate_is_reported_and_the_search_continues() {
    let options = GumbelOptions::exploring(20);
    let positions = unfinished(&TicTacToe::new(), 1, 6);
    let too_many = InvalidEstimate::Logits {
        logits: 9,
        moves: 8,
    };
    for (fault, after) in [
        (InvalidEstimate::Missing, 0),
        (InvalidEstimate::NotFinite, 3),
        (too_many, 0),
    ] {
        let mut searches = searches(&positions, options);
        let model = Failing {
            fault: Some(fault),
            after,
        };
        let mut lock_step = LockStep::new(model, LockStepOptions::default());
        assert_eq!(lock_step.run(&mut searches), Err(fault));
        lock_step.run(&mut searches).unwrap();
        for (seed, (game, search)) in (0..).zip(positions.iter().zip(searches)) {
            assert_eq!(search.answer(), answer(game, options, seed, Opinionated));
        }
    }
}

/// A model whose value can be changed.
struct Adjustable(f32);

impl<G: TwoPlayerGame> PolicyValue<G> for Adjustable {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        for position in positions {
            estimates.push(self.0, position.moves().map(|_| 0.0));
        }
    }
}

#[test]
fn a_changed_model_is_called_again() {
    let value = |lock_step: &mut LockStep<Adjustable>| {
        let options = GumbelOptions::playing(0);
        let mut search = [GumbelSearch::new(
            &TicTacToe::new(),
            options,
            &mut Rng::new(1),
        )];
        lock_step.run(&mut search).unwrap();
        search[0].answer().value.to_bits()
    };
    let mut lock_step = LockStep::new(Adjustable(0.5), LockStepOptions::default());
    assert_eq!(value(&mut lock_step), 0.5_f32.to_bits());
    assert_eq!(value(&mut lock_step), 0.5_f32.to_bits());
    assert_eq!(lock_step.estimated(), 1);
    lock_step.model_mut().0 = -0.25;
    assert_eq!(value(&mut lock_step), (-0.25_f32).to_bits());
    assert_eq!(lock_step.estimated(), 2);
}
