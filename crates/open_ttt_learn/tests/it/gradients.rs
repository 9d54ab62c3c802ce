//! Gradients, against differences of the loss as a naive computation in 64-bit
//! numbers has it.

use std::num::NonZero;

use open_ttt_learn::training::{Batch, Settings, Trainer};
use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, Named};
use open_ttt_nn::Network;
use open_ttt_nn::kernel::InstructionSet;

use crate::naive::{outputs, parameters};
use crate::shaken::{shaken, unit};

/// What is known about a position, in a shape of its own.
struct Known {
    planes: Vec<f32>,
    /// Each legal move's index and share.
    policy: Vec<(usize, f64)>,
    value: f32,
    auxiliary: f32,
}

/// Positions along random games with answers by chance, twice.
pub(crate) fn random_batch<G: Encode>(start: &G, count: usize) -> (Batch, Vec<G>) {
    let (batch, _, positions) = known_batch(start, count);
    (batch, positions)
}

fn known_batch<G: Encode>(start: &G, count: usize) -> (Batch, Vec<Known>, Vec<G>) {
    let mut rng = Rng::new(11);
    let mut batch = Batch::new(start.encoding());
    let (mut known, mut positions) = (Vec::new(), Vec::new());
    let mut position = start.clone();
    while known.len() < count {
        let Some(m) = rng.pick(position.moves()) else {
            position = start.clone();
            continue;
        };
        let moves: Vec<_> = position.moves().collect();
        // Some moves are worth nothing.
        let weights: Vec<_> = moves.iter().map(|_| rng.below(4) as f32).collect();
        let (value, auxiliary) = (unit(&mut rng), unit(&mut rng));
        let pairs = moves.iter().copied().zip(weights.iter().copied());
        batch.push(&position, pairs.clone(), value, auxiliary);
        let sum: f32 = weights.iter().sum();
        let mut planes = vec![0.0; start.encoding().inputs()];
        position.encode(&mut planes);
        let share = |weight: f32| {
            if sum == 0.0 {
                0.0
            } else {
                f64::from(weight) / f64::from(sum)
            }
        };
        known.push(Known {
            planes,
            policy: pairs
                .map(|(m, weight)| (position.move_index(m), share(weight)))
                .collect(),
            value,
            auxiliary,
        });
        positions.push(position.clone());
        position.play_unchecked(m);
    }
    (batch, known, positions)
}

/// The loss: the policy's, the value's and the auxiliary's, each on average.
fn losses(network: &Network, parameters: &[f64], known: &[Known]) -> [f64; 3] {
    let mut losses = [0.0; 3];
    for known in known {
        let outputs = outputs(network, parameters, &known.planes);
        let [.., policy, outcome] = &outputs[..] else {
            panic!("a network has two answers");
        };
        let powers = known.policy.iter().map(|&(index, _)| policy[index].exp());
        let sum: f64 = powers.sum();
        for &(index, share) in &known.policy {
            losses[0] -= share * (policy[index].exp() / sum).ln();
        }
        losses[1] += (outcome[0].tanh() - f64::from(known.value)).powi(2);
        losses[2] += (outcome[1] - f64::from(known.auxiliary)).powi(2);
    }
    losses.map(|loss| loss / known.len() as f64)
}

#[track_caller]
fn check<G: Encode + Named>(game: &G, architecture: &str, count: usize) {
    let network = Network::new(game, architecture.parse().unwrap(), 1).unwrap();
    let network = shaken(network, 2);
    let (batch, known, _) = known_batch(game, count);
    let settings = Settings {
        value_weight: 0.75,
        auxiliary_weight: 0.5,
        ..Settings::default()
    };
    let parameters = parameters(&network);
    let total = |parameters: &[f64]| {
        let [policy, value, auxiliary] = losses(&network, parameters, &known);
        policy + 0.75 * value + 0.5 * auxiliary
    };
    // Each layer's numbers, and more of the small layers'.
    let mut looked_at = Vec::new();
    let mut first = 0;
    for step in network.steps() {
        for (begin, length) in [(0, step.weights()), (step.weights(), step.outputs)] {
            let stride = 1 + length / 12;
            looked_at.extend((begin..begin + length).step_by(stride).map(|at| first + at));
        }
        first += step.parameters();
    }
    let slopes: Vec<_> = looked_at
        .iter()
        .map(|&at| {
            let [above, below] = [1e-6, -1e-6].map(|change| {
                let mut moved = parameters.clone();
                moved[at] += change;
                total(&moved)
            });
            (above - below) / 2e-6
        })
        .collect();
    let largest = slopes
        .iter()
        .fold(0.0_f64, |most, slope| most.max(slope.abs()));
    assert!(largest > 1e-3, "something changes: {largest}");
    for set in InstructionSet::ALL {
        let mut trainer = Trainer::new(network.clone(), settings.clone()).with_instruction_set(set);
        let (told, gradient) = trainer.gradient(&batch);
        let expected = losses(&network, &parameters, &known);
        for (told, expected) in [told.policy, told.value, told.auxiliary]
            .iter()
            .zip(expected)
        {
            assert!((told - expected).abs() < 1e-4, "{told} is {expected}");
        }
        assert_eq!(gradient.len(), network.parameters().len());
        for (&at, slope) in looked_at.iter().zip(&slopes) {
            let difference = (f64::from(gradient[at]) - slope).abs();
            assert!(
                difference < 2e-5 + 1e-3 * slope.abs(),
                "{set:?}, parameter {at}: {} is {slope}",
                gradient[at]
            );
        }
    }
}

#[test]
fn of_a_perceptron() {
    check(&TicTacToe::new(), "perceptron(hidden=9+7)", 5);
}

#[test]
fn of_no_layer_between() {
    check(&Pegs::new(), "perceptron(hidden=)", 40);
}

#[test]
fn of_a_tower() {
    check(
        &Mnk::new(4, 3, 3).unwrap(),
        "residual(blocks=2,filters=5)",
        6,
    );
}

#[test]
fn of_a_tower_on_many_positions() {
    check(&ConnectFour::new(), "residual(blocks=1,filters=3)", 45);
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let game = ConnectFour::new();
    let architecture = "residual(blocks=1,filters=20)".parse().unwrap();
    let network = shaken(Network::new(&game, architecture, 1).unwrap(), 2);
    let (batch, _) = random_batch(&game, 150);
    let mut trainer = Trainer::new(network, Settings::default());
    let alone = trainer.gradient(&batch);
    for threads in [2, 3, 64] {
        trainer.settings.threads = NonZero::new(threads).unwrap();
        assert!(trainer.gradient(&batch) == alone, "{threads} threads");
    }
}

#[test]
fn the_same_bits_with_fused_instruction_sets() {
    let game = ConnectFour::new();
    let architecture = "residual(blocks=2,filters=8)".parse().unwrap();
    let network = shaken(Network::new(&game, architecture, 1).unwrap(), 2);
    let (batch, _) = random_batch(&game, 70);
    let mut gradients = Vec::new();
    for set in [InstructionSet::Avx2, InstructionSet::Avx512] {
        if set.is_available() {
            let trainer = Trainer::new(network.clone(), Settings::default());
            gradients.push(trainer.with_instruction_set(set).gradient(&batch));
        }
    }
    assert!(gradients.windows(2).all(|pair| pair[0] == pair[1]));
}
