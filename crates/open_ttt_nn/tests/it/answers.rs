//! Predictions of networks against a naive computation.

use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, Encoding, Named};
use open_ttt_nn::kernel::InstructionSet;
use open_ttt_nn::math::{exp, tanh};
use open_ttt_nn::{Architecture, ArchitectureError, Network, Predictions, Workspace};

use super::randomized::randomized;
use super::reference::{outputs, parameters};

/// The positions along random games, one after the other.
fn positions<G: Encode>(start: &G, count: usize) -> Vec<f32> {
    let mut rng = Rng::new(5);
    let mut game = start.clone();
    let mut planes = Vec::new();
    let inputs = start.encoding().inputs();
    for _ in 0..count {
        planes.resize(planes.len() + inputs, 0.0);
        let at = planes.len() - inputs;
        game.encode(&mut planes[at..]);
        match rng.pick(game.moves()) {
            Some(m) => game.play_unchecked(m),
            None => game = start.clone(),
        }
    }
    planes
}

fn available() -> impl Iterator<Item = InstructionSet> {
    let all = InstructionSet::ALL.into_iter();
    all.filter(|set| set.is_available())
}

#[track_caller]
fn check<G: Encode + Named>(game: &G, architecture: &str) {
    let network = Network::new(game, architecture.parse().unwrap(), 1).unwrap();
    let network = randomized(network, 2);
    let planes = positions(game, 37);
    let inputs = game.encoding().inputs();
    for set in available() {
        let mut workspace = Workspace::with(set);
        let predictions = network.evaluate(&planes, &mut workspace);
        assert_eq!(predictions.len(), 37);
        for (position, planes) in planes.chunks(inputs).enumerate() {
            let outputs = outputs(&network, &parameters(&network), planes);
            let [.., policy, outcome] = &outputs[..] else {
                panic!("a network has two answers");
            };
            let moves = game.move_count();
            let logits = &predictions.logits[position * moves..][..moves];
            let told = [
                predictions.values[position],
                predictions.auxiliaries[position],
            ];
            let expected = policy.iter().copied();
            let expected = expected.chain([outcome[0].tanh(), outcome[1]]);
            for (&told, expected) in logits.iter().chain(&told).zip(expected) {
                assert!(
                    (f64::from(told) - expected).abs() < 2e-5 * (1.0 + expected.abs()),
                    "{set:?}, position {position}: {told} is {expected}"
                );
            }
        }
    }
}

#[test]
fn a_perceptron() {
    check(&TicTacToe::new(), "perceptron(hidden=13+20)");
}

#[test]
fn a_perceptron_without_a_hidden_layer() {
    check(&Pegs::new(), "perceptron(hidden=)");
}

#[test]
fn a_tower_on_connect_four() {
    check(&ConnectFour::new(), "residual(blocks=2,filters=16)");
}

#[test]
fn a_tower_with_an_odd_number_of_filters() {
    check(&Pegs::new(), "residual(blocks=1,filters=11)");
}

#[test]
fn a_tower_without_blocks() {
    check(&Qubic::new(), "residual(blocks=0,filters=8)");
}

#[test]
fn towers_on_many_planes_and_long_boards() {
    check(&Ultimate::new(), "residual(blocks=3,filters=9)");
    check(&Mnk::new(11, 1, 3).unwrap(), "residual(blocks=2,filters=5)");
    check(&Mnk::new(1, 7, 3).unwrap(), "residual(blocks=2,filters=5)");
    check(&Mnk::new(9, 8, 5).unwrap(), "residual(blocks=1,filters=8)");
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// The bits of all predictions for a position.
fn prediction_bits(predictions: &Predictions, position: usize, moves: usize) -> Vec<u32> {
    let mut numbers = predictions.logits[position * moves..][..moves].to_vec();
    numbers.push(predictions.values[position]);
    numbers.push(predictions.auxiliaries[position]);
    bits(&numbers)
}

#[test]
fn a_position_gets_the_same_bits_in_any_batch() {
    let game = ConnectFour::new();
    let (inputs, moves) = (game.encoding().inputs(), 7);
    for architecture in ["residual(blocks=2,filters=19)", "perceptron(hidden=33)"] {
        let network = Network::new(&game, architecture.parse().unwrap(), 1).unwrap();
        let network = randomized(network, 2);
        let planes = positions(&game, 83);
        for set in available() {
            let mut workspace = Workspace::with(set);
            let together = network.evaluate(&planes, &mut workspace).clone();
            for size in [1, 2, 15, 16, 17, 31, 32, 33, 64] {
                for (batch, planes) in planes.chunks(size * inputs).enumerate() {
                    let alone = network.evaluate(planes, &mut workspace);
                    for position in 0..alone.len() {
                        assert_eq!(
                            prediction_bits(alone, position, moves),
                            prediction_bits(&together, batch * size + position, moves),
                            "{set:?}, {size} at a time"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn fused_instruction_sets_give_the_same_bits() {
    let game = ConnectFour::new();
    let architecture = "residual(blocks=3,filters=20)".parse().unwrap();
    let network = randomized(Network::new(&game, architecture, 1).unwrap(), 2);
    let planes = positions(&game, 50);
    let all: Vec<_> = available()
        .filter(|&set| set != InstructionSet::Plain)
        .map(|set| network.evaluate(&planes, &mut Workspace::with(set)).clone())
        .collect();
    for pair in all.windows(2) {
        assert_eq!(bits(&pair[0].logits), bits(&pair[1].logits));
        assert_eq!(bits(&pair[0].values), bits(&pair[1].values));
        assert_eq!(bits(&pair[0].auxiliaries), bits(&pair[1].auxiliaries));
    }
    if let Some(one) = all.first() {
        // On every platform: those of AVX2 and NEON can't be computed on one machine.
        let numbers = one.logits.iter().chain(&one.values).chain(&one.auxiliaries);
        let digest = numbers.fold(0_u64, |digest, number| {
            Rng::new(digest ^ u64::from(number.to_bits())).next_u64()
        });
        assert_eq!(format!("{digest:x}"), "2d64cbd26adaaef0");
    }
}

#[test]
fn a_workspace_serves_networks_of_any_size_one_after_the_other() {
    let (small, large) = (TicTacToe::new(), Ultimate::new());
    let architecture: Architecture = "residual(blocks=1,filters=8)".parse().unwrap();
    let one = randomized(Network::new(&small, architecture.clone(), 1).unwrap(), 2);
    let other = randomized(Network::new(&large, architecture, 1).unwrap(), 2);
    let (few, many) = (positions(&small, 3), positions(&large, 70));
    let mut workspace = Workspace::new();
    let first = one.evaluate(&few, &mut workspace).clone();
    other.evaluate(&many, &mut workspace);
    assert_eq!(one.evaluate(&few, &mut workspace), &first);
    assert!(one.evaluate(&[], &mut workspace).is_empty());
}

#[test]
#[should_panic(expected = "the last position is incomplete")]
fn an_incomplete_position_panics() {
    let game = TicTacToe::new();
    let architecture = Architecture::Perceptron { hidden: vec![4] };
    let network = Network::new(&game, architecture, 1).unwrap();
    network.evaluate(&[0.0; 9], &mut Workspace::new());
}

#[test]
fn priors_are_a_softmax_over_the_legal_moves() {
    let game = TicTacToe::new();
    let architecture = "perceptron(hidden=16)".parse().unwrap();
    let network = randomized(Network::new(&game, architecture, 1).unwrap(), 3);
    let planes = positions(&game, 5);
    let mut workspace = Workspace::new();
    let predictions = network.evaluate(&planes, &mut workspace);
    let legal = [0, 3, 4, 8];
    let priors = predictions.priors(2, legal.into_iter());
    let powers = legal.map(|index| f64::from(predictions.logits[2 * 9 + index]).exp());
    let sum: f64 = powers.iter().sum();
    assert_eq!(priors.len(), 4);
    for (prior, power) in priors.iter().zip(powers) {
        assert!((f64::from(*prior) - power / sum).abs() < 1e-6, "{priors:?}");
    }
}

#[test]
fn exponentials_agree_with_the_standard_library() {
    let mut rng = Rng::new(8);
    for _ in 0..200_000 {
        let x = (rng.below(2_000_001) as f32 / 1e6 - 1.0) * 88.0;
        let expected = f64::from(x).exp();
        let relative = (f64::from(exp(x)) - expected).abs() / expected;
        assert!(relative < 3e-7 || x < -87.0, "exp({x}) is {expected}");
        let x = x / 8.0;
        let difference = (f64::from(tanh(x)) - f64::from(x).tanh()).abs();
        assert!(difference < 2e-7, "tanh({x})");
    }
    assert_eq!(bits(&[exp(0.0), exp(-1e30)]), bits(&[1.0, 0.0]));
    assert!(exp(1e30).is_finite());
    assert!(exp(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
    let limits = [tanh(1e30), tanh(-1e30), tanh(0.0)];
    assert_eq!(bits(&limits), bits(&[1.0, -1.0, 0.0]));
}

#[test]
fn malformed_architectures() {
    for text in [
        "",
        "residual",
        "residual()",
        "residual(blocks=4)",
        "residual(filters=4,blocks=4)",
        "residual(blocks=4,filters=032)",
        "residual(blocks=4,filters=-1)",
        "residual(blocks=4,filters=99999999999999999999999)",
        "perceptron(hidden=64+)",
        "perceptron(hidden=64,64)",
        "perceptron(hidden=64) ",
        &"perceptron(hidden=".repeat(1000),
    ] {
        let read: Result<Architecture, _> = text.parse();
        assert_eq!(read, Err(ArchitectureError::Text), "{text:.40}");
    }
}

/// Nine men's morris has 15,000 moves.
#[test]
fn boards_planes_and_moves_have_limits() {
    let architecture: Architecture = "perceptron(hidden=8)".parse().unwrap();
    let largest = Encoding {
        version: 1,
        planes: 4096,
        rows: 64,
        columns: 64,
        moves: 16_384,
    };
    let check = |planes, rows, columns, moves| {
        let encoding = Encoding {
            planes,
            rows,
            columns,
            moves,
            ..largest
        };
        architecture.layers(&encoding).err()
    };
    // The layers are within their limits, their parameters aren't.
    assert_eq!(check(4096, 64, 64, 16_384), Some(ArchitectureError::Size));
    assert_eq!(check(1, 64, 64, 16_384), None);
    assert_eq!(check(4096, 1, 1, 16_384), None);
    for (planes, rows, columns, moves) in [
        (4097, 1, 1, 1),
        (1, 65, 1, 1),
        (1, 1, 65, 1),
        (1, 1, 1, 16_385),
        (0, 1, 1, 1),
        (1, 0, 1, 1),
        (1, 1, 0, 1),
        (1, 1, 1, 0),
    ] {
        let refused = check(planes, rows, columns, moves);
        let numbers = format!("{planes} {rows} {columns} {moves}");
        assert_eq!(refused, Some(ArchitectureError::Encoding), "{numbers}");
    }
}

#[test]
fn architectures_that_are_too_large() {
    let game = Mnk::default();
    for text in [
        "residual(blocks=65,filters=8)",
        "residual(blocks=1,filters=0)",
        "residual(blocks=1,filters=4097)",
        "residual(blocks=64,filters=4096)",
        "perceptron(hidden=0)",
        "perceptron(hidden=4096+4096+4096+4096+4096+4096)",
    ] {
        let network = Network::new(&game, text.parse().unwrap(), 1);
        assert_eq!(network.err(), Some(ArchitectureError::Size), "{text}");
    }
}
