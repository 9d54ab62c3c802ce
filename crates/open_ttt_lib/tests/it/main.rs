//! The library as its users see it.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

mod arena;
mod catalog;
mod decisive;
mod documents;
mod examples;
mod fight;
mod games;
mod gumbel;
mod layers;
mod network;
mod players;
mod positions;
mod prove;
mod rules;
mod search;
mod searcher;
mod sprt;
mod state_machine;
mod stones;
mod text_record;
mod threats;
mod tic_tac_toe;
mod tree_search;
mod tree_together;
