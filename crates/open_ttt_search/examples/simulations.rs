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
use open_ttt_search::{GumbelOptions, GumbelSearch, LockStep, LockStepOptions, UniformPolicy};

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

/// Plays self-play games, one after the other and then 64 in lock-step.
fn measure<G: TwoPlayerGame>(
    name: &str,
    start: &G,
    simulations: u32,
    proves: bool,
) -> Result<(), Box<dyn Error>> {
    let games = 400_000 / simulations / start.moves().count() as u32;
    let options = GumbelOptions {
        proves,
        ..GumbelOptions::exploring(simulations)
    };
    let (_, alone) = play(start, options, games, 1)?;
    let (seconds, together) = play(start, options, games, 64)?;
    println!(
        "{name:12} {simulations:10}  {proves:6} {alone:22.0} {together:13.0} {:8.0}",
        f64::from(games) / seconds,
    );
    Ok(())
}

/// Plays games, so many at a time. Returns the seconds it took, and the nanoseconds per
/// simulation.
fn play<G: TwoPlayerGame>(
    start: &G,
    options: GumbelOptions,
    mut games: u32,
    at_a_time: usize,
) -> Result<(f64, f64), Box<dyn Error>> {
    let begin = Instant::now();
    let (mut made, mut rng) = (0, Rng::new(1));
    let mut lock_step = LockStep::new(UniformPolicy, LockStepOptions::default());
    let mut positions = vec![start.clone(); at_a_time];
    let new_search = |game| GumbelSearch::new(game, options, &mut rng);
    let mut searches: Vec<_> = positions.iter().map(new_search).collect();
    while games > 0 {
        lock_step.step(&mut searches)?;
        for (search, game) in searches.iter_mut().zip(&mut positions) {
            if search.is_done() {
                let answer = search.answer();
                made += answer.simulations;
                if let Some(m) = answer.chosen {
                    game.play_unchecked(m);
                }
                if game.outcome().is_some() {
                    *game = start.clone();
                    games = games.saturating_sub(1);
                }
                search.restart(game, &mut rng);
            }
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    Ok((seconds, 1e9 * seconds / f64::from(made)))
}
