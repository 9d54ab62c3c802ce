//! Tests of the searches through their public interface.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot continue has failed, and says where"
)]

mod connect_four_book;
mod decisive;
mod gumbel;
mod layers;
mod line_search;
mod line_wins;
mod positions;
mod prove;
mod qubic_solution;
mod random_graph;
#[path = "../../src/threats/random_line_game.rs"]
mod random_line_game;
mod random_tree;
mod reference;
mod repetition;
mod search;
mod searcher;
mod solution_tree;
mod stepping_stones;
mod threats;
mod tic_tac_toe;
mod tree_search;
mod tree_together;
mod unfinished;
