//! Training steps.

use std::num::NonZero;

use open_ttt_learn::training::{Adam, Batch, Diverged, Settings, Trainer};
use open_ttt_lib::games::{ConnectFour, TicTacToe};
use open_ttt_lib::rules::{Encode, TwoPlayerGame};
use open_ttt_nn::Network;

use crate::gradients::random_batch;
use crate::randomized::randomized;

fn trainer(settings: Settings) -> Trainer {
    trainer_of("residual(blocks=1,filters=6)", settings)
}

fn trainer_of(architecture: &str, settings: Settings) -> Trainer {
    let architecture = architecture.parse().unwrap();
    let network = Network::new(&ConnectFour::new(), architecture, 1).unwrap();
    Trainer::new(randomized(network, 2), settings)
}

/// Three steps of `AdamW` as published, in 64-bit numbers (Kingma and Ba 2015, algorithm 1;
/// Loshchilov and Hutter 2019, algorithm 2).
#[test]
fn a_step_follows_adamw() {
    let settings = Settings {
        learning_rate: 0.01,
        weight_decay: 0.5,
        beta1: 0.8,
        beta2: 0.95,
        epsilon: 1e-3,
        ..Settings::default()
    };
    let (batch, _) = random_batch(&ConnectFour::new(), 20);
    let mut trainer = trainer(settings);
    let steps = trainer.network().layers().to_vec();
    let mut is_bias = Vec::new();
    for step in &steps {
        is_bias.resize(is_bias.len() + step.weights(), false);
        is_bias.resize(is_bias.len() + step.outputs, true);
    }
    let count = trainer.network().parameters().len();
    let (mut m, mut v) = (vec![0.0; count], vec![0.0; count]);
    for t in 1..=3 {
        let before = trainer.network().parameters().to_vec();
        let (_, gradient) = trainer.gradient(&batch);
        trainer.step(&batch).unwrap();
        for at in 0..count {
            let g = f64::from(gradient[at]);
            m[at] = 0.8 * m[at] + 0.2 * g;
            v[at] = 0.95 * v[at] + 0.05 * g * g;
            let average: f64 = m[at] / (1.0 - 0.8_f64.powi(t));
            let square: f64 = v[at] / (1.0 - 0.95_f64.powi(t));
            let decay = if is_bias[at] { 0.0 } else { 0.5 };
            let number = f64::from(before[at]);
            let expected = number - 0.01 * (average / (square.sqrt() + 1e-3) + decay * number);
            let found = f64::from(trainer.network().parameters()[at]);
            assert!(
                (found - expected).abs() < 1e-6,
                "{at}: {found}, not {expected}"
            );
        }
        assert_eq!(trainer.adam().steps, t as u64);
    }
}

#[test]
fn any_number_of_threads_trains_the_same_bits() {
    // Large enough for three threads.
    let (batch, _) = random_batch(&ConnectFour::new(), 100);
    let trainer = |threads| {
        let settings = Settings {
            threads: NonZero::new(threads).unwrap(),
            ..Settings::default()
        };
        trainer_of("residual(blocks=1,filters=20)", settings)
    };
    let mut networks = Vec::new();
    for threads in [1, 2, 3] {
        let mut trainer = trainer(threads);
        for _ in 0..4 {
            trainer.step(&batch).unwrap();
        }
        networks.push(trainer.into_network());
    }
    assert!(networks.windows(2).all(|pair| pair[0] == pair[1]));
    assert_ne!(networks[0], trainer(1).into_network());
}

#[test]
fn resumed_training_trains_the_same_bits() {
    let (batch, _) = random_batch(&ConnectFour::new(), 40);
    let mut through = trainer(Settings::default());
    for _ in 0..3 {
        through.step(&batch).unwrap();
    }
    let network = Network::from_bytes(&through.network().to_bytes()).unwrap();
    let adam = through.adam().clone();
    let mut resumed = Trainer::resume(network, adam, Settings::default());
    for _ in 0..3 {
        assert_eq!(through.step(&batch), resumed.step(&batch));
    }
    assert_eq!(through.network(), resumed.network());
    assert_eq!(through.adam(), resumed.adam());
}

#[test]
#[should_panic(expected = "Adam has the moments of each parameter")]
fn adam_of_another_network_is_refused() {
    let network = trainer(Settings::default()).into_network();
    Trainer::resume(network, Adam::new(3), Settings::default());
}

#[test]
fn non_finite_targets_leave_the_network_unchanged() {
    let game = ConnectFour::new();
    let mut trainer = trainer(Settings::default());
    let (good, _) = random_batch(&game, 10);
    trainer.step(&good).unwrap();
    let (network, adam) = (trainer.network().clone(), trainer.adam().clone());
    for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY] {
        for place in 0..3 {
            let mut numbers = [1.0, 0.0, 0.0];
            numbers[place] = bad;
            let [weight, value, auxiliary] = numbers;
            let (mut batch, _) = random_batch(&game, 40);
            batch.push(&game, game.moves().map(|m| (m, weight)), value, auxiliary);
            let stepped = trainer.step(&batch);
            assert_eq!(stepped, Err(Diverged { steps: 1 }), "{bad} at {place}");
            assert_eq!(trainer.network(), &network);
            assert_eq!(trainer.adam(), &adam);
        }
    }
    let empty = Batch::new(game.encoding());
    assert_eq!(
        trainer.step(&empty).unwrap_err().to_string(),
        "after 1 steps the gradient is NaN or too large; a lower learning rate may help"
    );
    trainer.step(&good).unwrap();
}

#[test]
fn a_finite_gradient_with_infinite_squares_leaves_the_network_unchanged() {
    let (batch, _) = random_batch(&ConnectFour::new(), 10);
    let mut trainer = trainer(Settings {
        value_weight: 1e25,
        ..Settings::default()
    });
    let (losses, gradient) = trainer.gradient(&batch);
    assert!(losses.total().is_finite() && gradient.iter().all(|number| number.is_finite()));
    assert!(gradient.iter().any(|number| number.abs() > 1e20));
    let (network, adam) = (trainer.network().clone(), trainer.adam().clone());
    assert_eq!(trainer.step(&batch), Err(Diverged { steps: 0 }));
    assert_eq!((trainer.network(), trainer.adam()), (&network, &adam));
}

#[test]
fn a_network_with_nan_is_detected() {
    let (good, _) = random_batch(&ConnectFour::new(), 10);
    let network = trainer(Settings::default()).into_network();
    for (place, _) in network.parameters().iter().enumerate().step_by(97) {
        let mut broken = network.clone();
        broken.update(|numbers| numbers[place] = f32::NAN);
        let mut trainer = Trainer::new(broken, Settings::default());
        assert_eq!(trainer.step(&good), Err(Diverged { steps: 0 }), "{place}");
    }
}

#[test]
#[should_panic(expected = "all positions have one encoding")]
fn a_position_of_another_game_is_refused() {
    let mut batch = Batch::new(ConnectFour::new().encoding());
    let game = TicTacToe::new();
    batch.push(&game, game.moves().map(|m| (m, 1.0)), 0.0, 0.0);
}
