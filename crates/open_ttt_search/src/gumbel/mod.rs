//! Gumbel `AlphaZero`, from the parts up: the estimate of a position
//! ([`PolicyValue`]), the tree, policy improvement, sequential halving, the search,
//! and many searches in lock-step ([`LockStep`]).

mod answer;
#[cfg(feature = "std")]
mod cache;
mod estimate;
mod functions;
mod halving;
mod improvement;
#[cfg(feature = "std")]
mod lock_step;
mod nodes;
mod options;
mod search;
mod uniform_policy;

pub use answer::{GumbelAnswer, GumbelMove};
pub use estimate::{Estimate, Estimates, InvalidEstimate, PolicyValue};
#[cfg(feature = "std")]
pub use lock_step::{LockStep, LockStepOptions};
pub use options::GumbelOptions;
pub use search::GumbelSearch;
pub use uniform_policy::{RandomPlayouts, UniformPolicy};
