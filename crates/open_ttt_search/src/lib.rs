#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "std"), no_std)]
#![warn(
    clippy::alloc_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core
)]

extern crate alloc;

mod abdada;
mod alpha_beta;
mod bound;
mod budget;
mod evaluator;
mod float;
mod gumbel;
mod monte_carlo;
mod outcome_bounds;
mod position_key;
mod prover;
mod repetition;
mod retrograde;
mod score;
mod search_result;
mod sorting;
mod threads;
mod threats;
mod tree;
mod turns;

// The terms of all searches.
pub use budget::{Budget, Clock, StopFlag, TimeLimit};
pub use evaluator::{EstimatedPoints, Evaluator, HeuristicEvaluator, Points, WinLoss};
pub use score::{Grade, Score};
pub use search_result::{RootMoves, SearchResult};
pub use sorting::sort_moves;

// The searches, in reading order.
pub use alpha_beta::{IterativeDeepening, SearchOptions, Searcher, alpha_beta, deepen, negamax};

pub use prover::Prover;

pub use retrograde::{
    Layer, LayerOptions, LayerSolution, SolveError, TooLarge, analyze_by_layers, solve_by_layers,
};
#[cfg(feature = "std")]
pub use retrograde::{Solution, draws_if_repeated, solve, solve_with_draws};

pub use threats::{
    ForcedWin, LineSearchResult, LineWins, ProofNumberSearch, ProvedOutcome, fastest_line_wins,
    forced_win, line_defences, line_search,
};
#[cfg(feature = "std")]
pub use threats::{SolutionTree, forced_move, prove_by_book};

pub use monte_carlo::{
    DecisivePlayout, LeafEvaluator, MoveStatistics, Playout, SideValue, TreeAnswer, TreeOptions,
    TreeSearch,
};

pub use gumbel::{
    Estimate, Estimates, GumbelAnswer, GumbelMove, GumbelOptions, GumbelSearch, InvalidEstimate,
    PolicyValue, RandomPlayouts, UniformPolicy,
};
#[cfg(feature = "std")]
pub use gumbel::{LockStep, LockStepOptions};
