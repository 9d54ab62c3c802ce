#![doc = include_str!("../README.md")]
#![expect(
    unsafe_code,
    reason = "what C calls takes pointers and has names that aren't mangled"
)]

mod call;
mod error;
mod game;
mod games;
mod host;
#[cfg(not(open_ttt_without_networks))]
mod network;
mod player;
mod text;
mod value;

#[doc(hidden)]
pub use error::Failure;
pub use error::open_ttt_last_error;
pub use game::{
    OpenTttGame, OpenTttOutcome, OpenTttSide, open_ttt_game_board, open_ttt_game_copy,
    open_ttt_game_free, open_ttt_game_hint, open_ttt_game_history, open_ttt_game_legal_moves,
    open_ttt_game_new, open_ttt_game_outcome, open_ttt_game_play, open_ttt_game_side_name,
    open_ttt_game_to_move, open_ttt_game_undo, open_ttt_game_values,
};
pub use games::{open_ttt_games, open_ttt_rules, open_ttt_version};
#[cfg(not(open_ttt_without_networks))]
pub use network::open_ttt_network_add;
pub use player::{
    OpenTttPlayer, open_ttt_player_choose, open_ttt_player_free, open_ttt_player_new,
};
#[doc(hidden)]
pub use text::{answer_text, given_away, take_bytes};
pub use text::{open_ttt_text_free, open_ttt_text_new};
pub use value::{OPEN_TTT_MOVE_BYTES, OpenTttResult, OpenTttValue};
