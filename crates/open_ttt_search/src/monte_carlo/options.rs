use core::f32::consts::SQRT_2;
use core::num::NonZero;

/// The options of a Monte-Carlo tree search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeOptions {
    /// The exploration constant `c` of UCT, which selects the move with the highest
    /// upper confidence bound: its mean value plus `c · √(ln N / n)` after `n` of
    /// its position's `N` visits (Kocsis and Szepesvári, "Bandit based Monte-Carlo
    /// planning", 2006). √2 is the theory's choice for rewards from 0 to 1.
    pub exploration: f32,
    /// The most nodes of all trees together; full trees are searched on without
    /// growing. A node takes 20 bytes if a move takes one. The root and its
    /// children are always kept, and no tree has more than 4,000 million nodes.
    /// A position with more than 65,535 moves has none.
    pub max_nodes: usize,
    /// The number of trees, each with random numbers of its own, whose visits are
    /// added up in the end: root parallelization (Chaslot, Winands and van den
    /// Herik, "Parallel Monte-Carlo tree search", 2008). One tree is best for one
    /// thread; see [`step_on_threads`](super::TreeSearch::step_on_threads).
    pub trees: NonZero<usize>,
}

impl Default for TreeOptions {
    /// An exploration constant of √2, and one tree of at most two million nodes,
    /// about 64 MB.
    fn default() -> Self {
        Self {
            exploration: SQRT_2,
            max_nodes: 2_000_000,
            trees: NonZero::<usize>::MIN,
        }
    }
}
