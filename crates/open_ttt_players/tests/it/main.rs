//! The players as their users see them.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue has failed, and says where"
)]

mod connect_four_book;
mod gumbel_player;
mod gumbel_player_margin;
mod line_player;
mod negamax;
#[path = "../../../open_ttt_search/tests/it/gumbel/opinionated.rs"]
mod opinionated;
mod perfect_retrograde;
mod players;
mod sprt;
#[path = "../../../open_ttt_search/tests/it/unfinished.rs"]
mod unfinished;
