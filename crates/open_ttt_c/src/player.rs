use std::ffi::c_char;
use std::fmt;
use std::ptr;

use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::Notation;
use open_ttt_players::{Decision, Player, Turn};

use crate::call::call;
use crate::error::Failure;
use crate::game::OpenTttGame;
use crate::host::{clock, seed};
#[cfg(not(open_ttt_without_networks))]
use crate::network::with_network;
use crate::text::{given_away, taken};

/// A computer player of one game. One thread at a time may use it.
pub struct OpenTttPlayer(Box<dyn Player<DynGame> + Send>);

impl fmt::Debug for OpenTttPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenTttPlayer").finish_non_exhaustive()
    }
}

/// A computer player by its name, for games that begin like this one: `"perfect"`, `"hard"` and
/// the other levels, `"mcts(iterations=1000,seed=1)"`, `"negamax(ms=100)"`, `"random"`,
/// `"net:pretrained"`, `"net:NAME"` for a network that `open_ttt_network_add` was given. The
/// caller frees it with `open_ttt_player_free`; `NULL` is an error.
///
/// # Safety
///
/// `game` is a game and `name` a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_player_new(
    game: *const OpenTttGame,
    name: *const c_char,
) -> *mut OpenTttPlayer {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let (game, name) = unsafe { (game.as_ref(), taken(name, "the name")?) };
        let game = game.ok_or_else(|| Failure::new("the game is NULL"))?;
        let mut spec: PlayerSpec = name.parse().map_err(Failure::new)?;
        spec.seed.get_or_insert_with(seed);
        #[cfg(not(open_ttt_without_networks))]
        let spec = with_network(spec);
        let player = game.history.start().player(&spec, clock());
        let player = player.map_err(Failure::new)?;
        Ok(Box::into_raw(Box::new(OpenTttPlayer(player))))
    })
}

/// The move that the player chooses, in the game's notation; it isn't played. The caller frees
/// the text; `NULL` is an error, also when the game is over or the player resigns.
///
/// # Safety
///
/// `player` is a player, and `game` a game of the kind for which it was made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_player_choose(
    player: *mut OpenTttPlayer,
    game: *const OpenTttGame,
) -> *mut c_char {
    call(ptr::null_mut(), || {
        // SAFETY: the caller's promise.
        let (player, game) = unsafe { (player.as_mut(), game.as_ref()) };
        let player = player.ok_or_else(|| Failure::new("the player is NULL"))?;
        let game = game.ok_or_else(|| Failure::new("the game is NULL"))?;
        let history = &game.history;
        if history.outcome().is_some() {
            return Err(Failure::new("the game is over"));
        }
        match player.0.take_turn(&Turn::of(history)) {
            Decision::Play(m) => Ok(given_away(&history.position().move_text(m))),
            Decision::Resign => Err(Failure::new("the player resigns")),
        }
    })
}

/// Frees a player. `NULL` is allowed.
///
/// # Safety
///
/// `player` is a player that isn't used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open_ttt_player_free(player: *mut OpenTttPlayer) {
    if !player.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(player) });
    }
}
