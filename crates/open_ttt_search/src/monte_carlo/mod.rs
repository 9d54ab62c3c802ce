//! Monte-Carlo tree search, from the parts up: the value of a leaf
//! ([`SideValue`]), its evaluation ([`LeafEvaluator`]), selection by UCT, the tree,
//! and the search.

mod answer;
mod leaf_evaluator;
mod nodes;
mod options;
mod search;
mod side_value;
mod tree;
mod tree_parallel;
mod uct;

pub use answer::{MoveStatistics, TreeAnswer};
pub use leaf_evaluator::{DecisivePlayout, LeafEvaluator, Playout};
pub use options::TreeOptions;
pub use search::TreeSearch;
pub use side_value::SideValue;
