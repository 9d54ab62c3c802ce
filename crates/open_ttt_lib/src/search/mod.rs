//! Looking ahead: algorithms that know the contract of
//! [`rules`](crate::rules) and no game by name.
//!
//! In reading order, each giving the answer of the one before:
//!
//! 1. [`negamax`]: every line to a depth, the yardstick of all others.
//! 2. [`alpha_beta`]: the same answer from fewer positions.
//! 3. Principal variation search, with a table of positions (inside: `window`,
//!    `transposition`, `history`, `principal_variation`, and `iteration` for all
//!    moves of a position): the same again, from fewer still.
//! 4. [`deepen`]: that, one ply deeper each time until the [`Budget`] is spent or
//!    the answer is proved; gives an [`Answer`].
//! 5. [`Searcher`]: the same step by step, from one position to the next, and
//!    [on several threads](Searcher::step_together).
//! 6. [`solve`]: every position of a small game, each looked at once.
//! 7. [`solve_by_layers`]: every position of a large game that fills a board,
//!    from the end, with nothing held but two layers; [`answer_by_layers`] gives
//!    an [`Answer`] by it.
//! 8. [`Prover`]: the exact score of a position of a game with
//!    [`Tactics`](crate::rules::Tactics), by questions and a table.
//!
//! Games that are won by completing lines
//! ([`Completing`](crate::rules::Completing)) have searches of their own:
//! [`forced_win`] finds wins by threats, [`fight`] chooses a move, [`Decider`]
//! proves who wins at all.
//!
//! [`TreeSearch`] looks along promising lines and judges by random games, by a
//! heuristic or a network ([`LeafEvaluator`]); [`monte_carlo`] is the same in
//! one call and needs nothing but the rules.
//!
//! [`GumbelSearch`] makes the policy of a network better with few simulations,
//! and [`LockStep`] drives many of them at once, so that a network
//! ([`PolicyValue`]) estimates many positions together.
//!
//! What a position is worth is said by an [`Evaluator`], as a [`Score`] for
//! the side to move.

mod alpha_beta;
mod answer_by_layers;
mod bounds;
mod budget;
mod crowd;
mod deepen;
mod evaluator;
mod gumbel;
mod history;
mod iteration;
mod layers;
mod lines;
mod monte_carlo;
mod negamax;
mod pair_array;
mod parallel;
mod position_key;
mod principal_variation;
mod prove;
mod question;
mod retrograde;
mod score;
mod searcher;
mod solve;
mod table;
mod transposition;
mod window;

pub use alpha_beta::alpha_beta;
pub use answer_by_layers::answer_by_layers;
pub use budget::{Budget, Clock, StopFlag, TimeLimit};
pub(crate) use deepen::deepen_together;
pub use deepen::{Answer, RootMoves, deepen};
pub use evaluator::{Evaluator, Judged, Points, WinLoss};
pub use gumbel::{
    BadEstimate, Estimate, Estimates, GumbelAnswer, GumbelMove, GumbelOptions, GumbelSearch,
    LockStep, LockStepOptions, PolicyValue, RandomGames, Uninformed,
};
pub use lines::{Decided, Decider, Fight, ForcedWin, fight, forced_win};
pub use monte_carlo::{
    ByHeuristic, DecisivePlayout, Expectation, Judgement, LeafEvaluator, MoveStatistics, Playout,
    Selection, TreeAnswer, TreeOptions, TreeSearch, monte_carlo,
};
pub use negamax::negamax;
pub use prove::Prover;
pub use retrograde::{Layer, LayerOptions, LayerSolution, Unsolved, solve_by_layers};
pub use score::{Grade, Score};
pub use searcher::{SearchOptions, Searcher};
pub use solve::{Solution, TooLarge, solve};
pub(crate) use transposition::TranspositionTable;
