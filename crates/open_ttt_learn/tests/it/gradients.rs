//! Gradients, compared with finite differences of a naive 64-bit computation.

use std::num::NonZero;

use open_ttt_learn::training::{Batch, Settings, Trainer};
use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, Named};
use open_ttt_nn::Network;
use open_ttt_nn::kernel::InstructionSet;

use crate::randomized::{randomized, unit};
use crate::reference::{outputs, parameters};

/// A position's input and targets.
struct Example {
    planes: Vec<f32>,
    /// Each legal move's index and probability.
    policy: Vec<(usize, f64)>,
    value: f32,
    auxiliary: f32,
}

/// Positions of random games with random targets.
pub(crate) fn random_batch<G: Encode>(start: &G, count: usize) -> (Batch, Vec<G>) {
    let (batch, _, positions) = random_examples(start, count);
    (batch, positions)
}

fn random_examples<G: Encode>(start: &G, count: usize) -> (Batch, Vec<Example>, Vec<G>) {
    let mut rng = Rng::new(11);
    let mut batch = Batch::new(start.encoding());
    let (mut examples, mut positions) = (Vec::new(), Vec::new());
    let mut position = start.clone();
    while examples.len() < count {
        let Some(m) = rng.pick(position.moves()) else {
            position = start.clone();
            continue;
        };
        let moves: Vec<_> = position.moves().collect();
        // Some weights are 0.
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
        examples.push(Example {
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
    (batch, examples, positions)
}

/// The mean policy, value and auxiliary losses.
fn losses(network: &Network, parameters: &[f64], examples: &[Example]) -> [f64; 3] {
    let mut losses = [0.0; 3];
    for example in examples {
        let outputs = outputs(network, parameters, &example.planes);
        let [.., policy, outcome] = &outputs[..] else {
            panic!("a network has two outputs");
        };
        let powers = example.policy.iter().map(|&(index, _)| policy[index].exp());
        let sum: f64 = powers.sum();
        for &(index, share) in &example.policy {
            losses[0] -= share * (policy[index].exp() / sum).ln();
        }
        losses[1] += (outcome[0].tanh() - f64::from(example.value)).powi(2);
        losses[2] += (outcome[1] - f64::from(example.auxiliary)).powi(2);
    }
    losses.map(|loss| loss / examples.len() as f64)
}

#[track_caller]
fn check<G: Encode + Named>(game: &G, architecture: &str, count: usize) {
    let network = Network::new(game, architecture.parse().unwrap(), 1).unwrap();
    let network = randomized(network, 2);
    let (batch, examples, _) = random_examples(game, count);
    let settings = Settings {
        value_weight: 0.75,
        auxiliary_weight: 0.5,
        ..Settings::default()
    };
    let parameters = parameters(&network);
    let total = |parameters: &[f64]| {
        let [policy, value, auxiliary] = losses(&network, parameters, &examples);
        policy + 0.75 * value + 0.5 * auxiliary
    };
    // Some parameters of each layer.
    let mut sampled = Vec::new();
    let mut first = 0;
    for step in network.layers() {
        for (begin, length) in [(0, step.weights()), (step.weights(), step.outputs)] {
            let stride = 1 + length / 12;
            sampled.extend((begin..begin + length).step_by(stride).map(|at| first + at));
        }
        first += step.parameters();
    }
    let derivatives: Vec<_> = sampled
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
    let largest = derivatives
        .iter()
        .fold(0.0_f64, |most, derivative| most.max(derivative.abs()));
    assert!(largest > 1e-3, "all derivatives are small: {largest}");
    for set in InstructionSet::ALL {
        let mut trainer = Trainer::new(network.clone(), settings.clone()).with_instruction_set(set);
        let (found, gradient) = trainer.gradient(&batch);
        let expected = losses(&network, &parameters, &examples);
        for (found, expected) in [found.policy, found.value, found.auxiliary]
            .iter()
            .zip(expected)
        {
            assert!((found - expected).abs() < 1e-4, "{found}, not {expected}");
        }
        assert_eq!(gradient.len(), network.parameters().len());
        for (&at, derivative) in sampled.iter().zip(&derivatives) {
            let difference = (f64::from(gradient[at]) - derivative).abs();
            assert!(
                difference < 2e-5 + 1e-3 * derivative.abs(),
                "{set:?}, parameter {at}: {}, not {derivative}",
                gradient[at]
            );
        }
    }
}

#[test]
fn perceptron() {
    check(&TicTacToe::new(), "perceptron(hidden=9+7)", 5);
}

#[test]
fn no_hidden_layer() {
    check(&Pegs::new(), "perceptron(hidden=)", 40);
}

#[test]
fn residual_tower() {
    check(
        &Mnk::new(4, 3, 3).unwrap(),
        "residual(blocks=2,filters=5)",
        6,
    );
}

#[test]
fn residual_tower_over_several_shards() {
    check(&ConnectFour::new(), "residual(blocks=1,filters=3)", 45);
}

#[test]
fn any_number_of_threads_computes_the_same_bits() {
    let game = ConnectFour::new();
    let architecture = "residual(blocks=1,filters=20)".parse().unwrap();
    let network = randomized(Network::new(&game, architecture, 1).unwrap(), 2);
    let (batch, _) = random_batch(&game, 150);
    let mut trainer = Trainer::new(network, Settings::default());
    let alone = trainer.gradient(&batch);
    for threads in [2, 3, 64] {
        trainer.settings.threads = NonZero::new(threads).unwrap();
        assert!(trainer.gradient(&batch) == alone, "{threads} threads");
    }
}

#[test]
fn fused_instruction_sets_compute_the_same_bits() {
    let game = ConnectFour::new();
    let architecture = "residual(blocks=2,filters=8)".parse().unwrap();
    let network = randomized(Network::new(&game, architecture, 1).unwrap(), 2);
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
