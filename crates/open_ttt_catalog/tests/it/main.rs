//! The catalog as its users see it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue has failed, and says where"
)]

mod catalog;
mod examples;
mod network_players;
mod own_game;
mod own_rules;
mod players;
mod pretrained;
mod puzzles;
#[path = "../../../open_ttt_nn/tests/it/randomized.rs"]
mod randomized;
#[path = "../../../open_ttt_search/tests/it/unfinished.rs"]
mod unfinished;
