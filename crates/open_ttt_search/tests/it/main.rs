//! The searches as their users see them.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue has failed, and says where"
)]

mod decisive;
mod gumbel;
mod layers;
mod line_search;
mod positions;
mod prove;
mod search;
mod searcher;
mod stones;
mod threats;
mod tic_tac_toe;
mod tree_search;
mod tree_together;
mod unfinished;
