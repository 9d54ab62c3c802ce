//! Search that improves a policy with few simulations, from the parts up: what
//! is thought of a position ([`PolicyValue`]), the tree, how what was seen
//! improves a policy, how simulations are shared out among the moves, the
//! search, and many of them in lock-step ([`LockStep`]).

mod answer;
mod cache;
mod estimate;
mod functions;
mod halving;
mod improvement;
mod lock_step;
mod nodes;
mod options;
mod search;
mod uninformed;

pub use answer::{GumbelAnswer, GumbelMove};
pub use estimate::{Estimate, Estimates, InvalidEstimate, PolicyValue};
pub use lock_step::{LockStep, LockStepOptions};
pub use options::GumbelOptions;
pub use search::GumbelSearch;
pub use uninformed::{RandomPlayouts, UniformPolicy};
