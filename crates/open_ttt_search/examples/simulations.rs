//! Simulations per second of a Gumbel search with free estimates, so that the
//! tree's own work is measured.
//!
//! `cargo run --profile dist -p open_ttt_search --example simulations`

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::time::Instant;

use open_ttt_lib::games::{ConnectFour, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{
    Estimates, GumbelOptions, GumbelSearch, LockStep, LockStepOptions, PolicyValue, UniformPolicy,
};

fn main() -> Result<(), Box<dyn Error>> {
    println!("game        simulations  proves   ns/simulation: alone  in lock-step  games/s");
    for proves in [false, true] {
        for simulations in [16, 64, 400] {
            measure("ttt", &TicTacToe::new(), simulations, proves)?;
        }
        for simulations in [16, 64, 800] {
            measure("connect4", &ConnectFour::new(), simulations, proves)?;
        }
        measure("ultimate", &Ultimate::new(), 64, proves)?;
    }
    Ok(())
}

/// Plays self-play games, by searches in sequence and then by many in lock-step.
fn measure<G: TwoPlayerGame>(
    name: &str,
    start: &G,
    simulations: u32,
    proves: bool,
) -> Result<(), Box<dyn Error>> {
    let options = GumbelOptions {
        proves,
        ..GumbelOptions::exploring(simulations)
    };
    let mut rng = Rng::new(1);
    let games = 400_000 / simulations / start.moves().count() as u32;

    let begin = Instant::now();
    let mut made = 0;
    let mut estimates = Estimates::new();
    let mut search = GumbelSearch::new(start, options, &mut rng);
    for _ in 0..games {
        let mut game = start.clone();
        while game.outcome().is_none() {
            search.restart(&game, &mut rng);
            while let Some(leaf) = search.leaf() {
                estimates.clear();
                UniformPolicy.estimate(&[leaf], &mut estimates);
                search.submit(estimates.get(0).ok_or("no estimate")?)?;
            }
            made += play_on(&search, &mut game);
        }
    }
    let alone = begin.elapsed().as_nanos() / u128::from(made);

    let begin = Instant::now();
    let mut made = 0;
    let mut left = games;
    let mut lock_step = LockStep::new(UniformPolicy, LockStepOptions::default());
    let mut positions = vec![start.clone(); 64];
    let mut searches: Vec<_> = positions
        .iter()
        .map(|game| GumbelSearch::new(game, options, &mut rng))
        .collect();
    while left > 0 {
        lock_step.step(&mut searches)?;
        for (search, game) in searches.iter_mut().zip(&mut positions) {
            if search.is_done() {
                made += play_on(search, game);
                if game.outcome().is_some() {
                    *game = start.clone();
                    left = left.saturating_sub(1);
                }
                search.restart(game, &mut rng);
            }
        }
    }
    let together = begin.elapsed();
    println!(
        "{name:12} {simulations:10}  {proves:6} {alone:22} {:13} {:8.0}",
        together.as_nanos() / u128::from(made),
        f64::from(games) / together.as_secs_f64(),
    );
    Ok(())
}

/// Plays the chosen move. Returns its number of simulations.
fn play_on<G: TwoPlayerGame>(search: &GumbelSearch<G>, game: &mut G) -> u32 {
    let answer = search.answer();
    if let Some(m) = answer.chosen {
        game.play_unchecked(m);
    }
    answer.simulations
}
