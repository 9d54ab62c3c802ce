//! Supervised training on all of tic-tac-toe.

use std::cmp::Ordering;
use std::collections::HashMap;

use open_ttt_learn::training::{Batch, Settings, Trainer};
use open_ttt_lib::games::{Cell, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, IndexedMoves, TwoPlayerGame};
use open_ttt_nn::{Network, Workspace};
use open_ttt_search::{Score, WinLoss, negamax};

/// Every unfinished position, its value compared with a draw for the side to move, and
/// the best moves.
fn solved() -> Vec<(TicTacToe, Ordering, Vec<Cell>)> {
    let mut solved = HashMap::new();
    let mut open = vec![TicTacToe::new()];
    while let Some(position) = open.pop() {
        if position.outcome().is_some() || solved.contains_key(&position) {
            continue;
        }
        let value = |position: &TicTacToe| negamax(position, 9, &WinLoss).cmp(&Score::DRAW);
        let own = value(&position);
        let best = position
            .moves()
            .filter(|&m| value(&position.after(m)).reverse() == own);
        solved.insert(position, (own, best.collect::<Vec<_>>()));
        open.extend(position.moves().map(|m| position.after(m)));
    }
    let solved = solved.into_iter();
    let mut solved: Vec<_> = solved
        .map(|(position, (value, best))| (position, value, best))
        .collect();
    // The order of a hash map is random.
    solved.sort_by_cached_key(|(position, ..)| format!("{position:?}"));
    solved
}

/// The value target.
fn target(value: Ordering) -> f32 {
    f32::from(value as i8)
}

#[test]
fn a_perceptron_learns_tic_tac_toe() {
    let solved = solved();
    assert_eq!(solved.len(), 4_520);
    let architecture = "perceptron(hidden=96+96)".parse().unwrap();
    let network = Network::new(&TicTacToe::new(), architecture, 1).unwrap();
    let settings = Settings {
        learning_rate: 4e-3,
        ..Settings::default()
    };
    let mut trainer = Trainer::new(network, settings);
    let mut rng = Rng::new(1);
    let mut batch = Batch::new(TicTacToe::new().encoding());
    let steps = 600;
    for step in 0..steps {
        batch.clear();
        for _ in 0..256 {
            let (position, value, best) = &solved[rng.below(solved.len())];
            let moves = position.moves();
            let moves = moves.map(|m| (m, f32::from(u8::from(best.contains(&m)))));
            batch.push(position, moves, target(*value), 0.0);
        }
        trainer.settings.learning_rate = 4e-3 * (1.0 - step as f32 / steps as f32);
        trainer.step(&batch).unwrap();
    }
    let network = trainer.into_network();
    let mut planes = vec![0.0; 18 * solved.len()];
    for (planes, (position, ..)) in planes.chunks_exact_mut(18).zip(&solved) {
        position.encode(planes);
    }
    let mut workspace = Workspace::new();
    let predictions = network.evaluate(&planes, &mut workspace);
    let (mut moves_correct, mut values_correct) = (0, 0);
    for (at, (position, value, best)) in solved.iter().enumerate() {
        let indices = position.moves().map(|m| position.move_index(m));
        let priors = predictions.priors(at, indices);
        let chosen = position
            .moves()
            .zip(priors)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        moves_correct += usize::from(chosen.is_some_and(|(m, _)| best.contains(&m)));
        values_correct += usize::from((predictions.values[at] - target(*value)).abs() < 0.5);
    }
    let percent = |correct: usize| 100.0 * correct as f64 / solved.len() as f64;
    let (moves, values) = (percent(moves_correct), percent(values_correct));
    assert!(moves > 99.0, "{moves:.2} % of the moves are best");
    assert!(values > 93.0, "{values:.2} % of the values are correct");
}
