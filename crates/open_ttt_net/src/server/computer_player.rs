use std::num::NonZero;

use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::{History, Notation, SpecError};
use open_ttt_players::{Turn, request_move};
use open_ttt_search::{Clock, StopFlag};

use super::clock::search_clock;
use crate::matches::Act;

/// Parses the specification of a computer for a game. On a server a computer
/// uses one thread, whatever its specification says, and no file: a client must not
/// make the server open files.
///
/// A perfect player may solve the game before it says that it is too large, so this
/// belongs into a [`WorkPool`](super::work_pool::WorkPool).
pub(super) fn parse_computer(game: &DynGame, text: &str) -> Result<PlayerSpec, SpecError> {
    let mut spec: PlayerSpec = text.parse()?;
    if spec.network_file().is_some() {
        return Err(SpecError::Unavailable {
            owner: "net:FILE".to_owned(),
            reason: "a server loads no files for its clients; use net:pretrained, if the game \
                     has a pretrained network"
                .to_owned(),
        });
    }
    spec.threads = Some(NonZero::<usize>::MIN);
    let _players = game.players(&spec, search_clock())?;
    Ok(spec)
}

/// Decides for a computer in a game that is not over. `nonce` differs from
/// move to move, so a seeded computer does not repeat its random choices.
pub(super) fn decide(
    game: &History<DynGame>,
    spec: &PlayerSpec,
    nonce: u64,
    clock: Clock,
    stop: &StopFlag,
) -> Result<Act, SpecError> {
    let mut spec = spec.clone();
    spec.seed = spec
        .seed
        .map(|seed| seed ^ nonce.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let position = game.position();
    let mut player = position.player(&spec, clock)?;
    let turn = Turn::of(game).with_stop(stop.clone());
    Ok(match request_move(turn, &mut player) {
        Ok(m) => Act::play(&position.move_text(m)),
        Err(_) => Act::Resign,
    })
}
