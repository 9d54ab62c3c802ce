//! How much better the network that knows Connect Four plays when it trusts its values
//! more: matches against itself as it plays when it learns.
//!
//! `cargo run --profile dist -p open_ttt_catalog --features pretrained --example trust`

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use open_ttt_catalog::CatalogGame;
use open_ttt_lib::games::ConnectFour;
use open_ttt_nn::Network;
use open_ttt_players::{GumbelPlayer, Match, NetworkModel, Openings, Participant};
use open_ttt_search::{GumbelOptions, StopFlag};

/// What games to learn from are played with, and what to play with may be better.
const SCALES: [f32; 3] = [0.1, 0.25, 0.5];

fn main() -> Result<(), Box<dyn Error>> {
    let start = ConnectFour::new();
    let bytes = start.pretrained().ok_or("there is no network")?;
    let network = Arc::new(Network::from_bytes(bytes)?);
    let threads = available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let player = |value_scale, simulations| {
        let guide = NetworkModel::new(Arc::clone(&network));
        Participant::new(1, move |_| {
            let options = GumbelOptions {
                value_scale,
                ..GumbelOptions::playing(simulations)
            };
            Box::new(GumbelPlayer::with_options(guide.clone(), options))
        })
    };
    println!("value_scale, simulations, games: Elo against {}", SCALES[0]);
    for (simulations, games) in [(16, 1000), (64, 1000), (200, 400)] {
        for &value_scale in &SCALES[1..] {
            let report = Match {
                start,
                a: player(value_scale, simulations),
                b: player(SCALES[0], simulations),
                games,
                openings: Openings::random(6, 3),
                sprt: None,
            }
            .play(threads, &StopFlag::new(), |_, _| {});
            let elo = report.statistics.elo().ok_or("a side has won every game")?;
            let (difference, low, high) = (elo.difference, elo.low, elo.high);
            println!(
                "{value_scale}, {simulations}, {games}: {difference:+.0} ({low:+.0} to {high:+.0})"
            );
        }
    }
    Ok(())
}
