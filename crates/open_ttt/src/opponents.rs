//! Computer opponents for a person.

use std::error::Error;
use std::num::NonZero;
use std::thread;

use open_ttt_app::{Opponent, clock};
use open_ttt_catalog::{DynGame, PlayerKind, PlayerSpec};
use open_ttt_lib::random::Probability;
use open_ttt_players::difficulty::LEVELS;

use crate::failure::Failure;
use crate::networks;

/// The computers on offer, the strongest first.
pub(crate) fn all(game: &DynGame) -> Vec<Opponent<DynGame>> {
    let levels = LEVELS.iter().rev().map(|&(level, mistakes)| {
        let game = game.clone();
        let name = match mistakes {
            0.0 => format!("{level}, no mistakes"),
            _ => format!("{level}, {:.0}% mistakes", 100.0 * mistakes),
        };
        let make = move || -> Result<_, Box<dyn Error + Send + Sync>> {
            let mut spec: PlayerSpec = game.strongest().parse()?;
            spec.mistakes = Probability::new(mistakes)?;
            Ok(game.player(&with_all_cores(spec), clock())?)
        };
        Opponent::fallible(name, make)
    });
    let game = game.clone();
    let random = move || game.player(&"random".parse()?, clock());
    levels
        .chain([Opponent::fallible("random moves", random)])
        .collect()
}

/// The player with a thread per core, unless its threads are set or its moves
/// are to be reproducible.
pub(crate) fn with_all_cores(mut spec: PlayerSpec) -> PlayerSpec {
    let counts_nodes = match spec.kind {
        PlayerKind::Negamax(effort) | PlayerKind::MonteCarlo(effort) => effort.nodes.is_some(),
        _ => false,
    };
    if spec.threads.is_none() && spec.seed.is_none() && !counts_nodes {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        spec.threads = NonZero::new(cores.min(PlayerSpec::MAX_THREADS));
    }
    spec
}

/// The computer with this specification. `flag` is the option with it.
pub(crate) fn named(
    flag: &str,
    spec: &PlayerSpec,
    game: &DynGame,
) -> Result<Opponent<DynGame>, Failure> {
    let spec = with_all_cores(networks::load(flag, spec)?);
    // An error ends the command before the game starts.
    let player = game.player(&spec, clock());
    player.map_err(|error| Failure::usage(format_args!("{flag}: {error}")))?;
    let game = game.clone();
    Ok(Opponent::fallible(spec.to_string(), move || {
        game.player(&spec, clock())
    }))
}
