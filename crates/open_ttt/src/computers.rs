//! Computer players, with what the catalog doesn't open: networks in files, and programs.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use open_ttt_app::clock;
use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::SpecError;
use open_ttt_nn::Network;
use open_ttt_players::{Player, PlayerFactory};

use crate::engine;
use crate::failure::{Failure, path_text};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Makes the players of a specification. `flag` is the option with it.
pub(crate) fn players(
    flag: &str,
    spec: &PlayerSpec,
    game: &DynGame,
) -> Result<PlayerFactory<'static, DynGame>, Failure> {
    if let Some(players) = engine::players(spec) {
        return Ok(players);
    }
    let players = game.players(&load(flag, spec)?, clock());
    players.map_err(|error| Failure::usage(format_args!("{flag}: {error}")))
}

/// Makes one player of a specification that is [loaded](load).
pub(crate) fn player(
    spec: &PlayerSpec,
    game: &DynGame,
) -> Result<Box<dyn Player<DynGame> + Send>, SpecError> {
    match engine::players(spec) {
        // A program chooses for itself what is random.
        Some(players) => Ok(players(0)),
        None => game.player(spec, clock()),
    }
}

/// The player with its network, if its specification names a file.
pub(crate) fn load(flag: &str, spec: &PlayerSpec) -> Result<PlayerSpec, Failure> {
    let Some(file) = spec.network_file() else {
        return Ok(spec.clone());
    };
    let network = read(Path::new(file));
    let network = network.map_err(|error| Failure::failed(format_args!("{flag}: {error}")))?;
    Ok(spec.clone().with_network(Arc::new(network)))
}

fn read(path: &Path) -> Result<Network, String> {
    let name = path_text(path);
    let mut bytes = Vec::new();
    let file = File::open(path);
    file.and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| format!("can't read {name}: {error}"))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("{name} is larger than {} MiB", MAX_BYTES >> 20));
    }
    Network::from_bytes(&bytes).map_err(|error| format!("{name} isn't a network: {error}"))
}
