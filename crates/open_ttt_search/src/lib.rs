#![doc = include_str!("../README.md")]

mod alpha_beta;
mod bound;
mod budget;
mod crowd;
mod evaluator;
mod gumbel;
mod monte_carlo;
mod outcome_bounds;
mod pair_array;
mod position_key;
mod prover;
mod retrograde;
mod score;
mod threats;

pub use alpha_beta::{
    Answer, RootMoves, SearchOptions, Searcher, TranspositionTable, alpha_beta, deepen,
    deepen_together, negamax,
};
pub use budget::{Budget, Clock, StopFlag, TimeLimit};
pub use evaluator::{Evaluator, HeuristicEvaluator, Points, WinLoss};
pub use gumbel::{
    Estimate, Estimates, GumbelAnswer, GumbelMove, GumbelOptions, GumbelSearch, InvalidEstimate,
    LockStep, LockStepOptions, PolicyValue, RandomPlayouts, UniformPolicy,
};
pub use monte_carlo::{
    ByHeuristic, DecisivePlayout, Judgement, LeafEvaluator, MoveStatistics, Playout, Selection,
    SideValue, TreeAnswer, TreeOptions, TreeSearch, monte_carlo,
};
pub use prover::Prover;
pub use retrograde::{
    Layer, LayerOptions, LayerSolution, Solution, TooLarge, Unsolved, answer_by_layers, solve,
    solve_by_layers,
};
pub use score::{Grade, Score};
pub use threats::{
    ForcedWin, LineSearchResult, ProofNumberSearch, ProvedOutcome, forced_win, line_search,
};
