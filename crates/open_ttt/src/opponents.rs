//! Computer opponents for a person.

use std::num::NonZero;
use std::thread;

use open_ttt_app::{Opponent, clock};
use open_ttt_catalog::{DynGame, PlayerKind, PlayerSpec};
use open_ttt_players::Level;

use crate::computers;
use crate::failure::Failure;

/// The computers on offer, the strongest first.
pub(crate) fn all(game: &DynGame) -> Vec<Opponent<DynGame>> {
    let levels = Level::ALL.into_iter().rev().map(|level| {
        let game = game.clone();
        let spec = PlayerSpec::of_level(level);
        Opponent::fallible(level.name(), move || {
            game.player(&with_all_cores(spec.clone()), clock())
        })
    });
    let following = {
        let game = game.clone();
        Opponent::following("adaptive, follows your results", move |strength| {
            game.player(&PlayerSpec::of_strength(strength), clock())
        })
    };
    let game = game.clone();
    let random = move || game.player(&"random".parse()?, clock());
    levels
        .chain([following, Opponent::fallible("random moves", random)])
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
    let spec = with_all_cores(computers::load(flag, spec)?);
    // An error ends the command before the game starts.
    let player = computers::player(&spec, game);
    player.map_err(|error| Failure::usage(format_args!("{flag}: {error}")))?;
    let game = game.clone();
    Ok(Opponent::fallible(spec.to_string(), move || {
        computers::player(&spec, &game)
    }))
}
