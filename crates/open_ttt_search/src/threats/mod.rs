//! Searches of games that are won by completing a line
//! ([`LineGame`](open_ttt_lib::rules::LineGame)): forced wins by threats, a line
//! search for play, and proof-number search for the game-theoretic outcome.
//!
//! Threats are named as in gomoku, whatever the length of the lines: a *five*
//! completes a line, a *four* threatens to complete one with the next move, and a
//! *three* threatens to win by fours alone.

#[cfg(feature = "std")]
mod board_symmetries;
#[cfg(feature = "std")]
mod book_proof;
mod cell_set;
mod df_pn;
mod direct_mapped_table;
mod forced_win;
mod four_search;
mod line_board;
mod line_masks;
mod line_search;
mod line_wins;
mod lines;
mod mask_board;
mod pairing;
mod proof_number_search;
mod proof_table;
#[cfg(test)]
pub(crate) mod random_line_game;
#[cfg(feature = "std")]
mod solution_nodes;
#[cfg(feature = "std")]
mod solution_tree;
mod symmetric_images;
mod threat_search;
#[cfg(feature = "std")]
mod tree_reduction;

#[cfg(feature = "std")]
pub use book_proof::prove_by_book;
pub use forced_win::{ForcedWin, forced_win};
pub use line_search::{LineSearchResult, line_search};
pub use line_wins::{LineWins, fastest_line_wins, line_defences};
pub use proof_number_search::{ProofNumberSearch, ProvedOutcome};
#[cfg(feature = "std")]
pub use solution_tree::{SolutionTree, forced_move};
