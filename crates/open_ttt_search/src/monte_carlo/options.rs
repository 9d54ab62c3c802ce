use core::f32::consts::SQRT_2;
use core::num::NonZero;

/// How a Monte-Carlo tree search goes about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeOptions {
    /// How the next line to look at is chosen.
    pub selection: Selection,
    /// How many nodes the trees may have together; once they are full the
    /// search goes on in what it has. A node takes 32 bytes where a move takes
    /// no more than two, and four more where priors count. The position searched
    /// and its moves are always kept, and more than 4,000 million are not used.
    pub most_tree_nodes: usize,
    /// How many trees are grown, each from random numbers of its own, to be
    /// counted together at the end: root parallelization (Chaslot, Winands and
    /// van den Herik, "Parallel Monte-Carlo tree search", 2008). One is the
    /// best use of one thread; see
    /// [`step_on_threads`](super::TreeSearch::step_on_threads).
    pub trees: NonZero<usize>,
}

impl Default for TreeOptions {
    /// UCT in one tree of at most two million nodes, some 64 MB.
    fn default() -> Self {
        Self {
            selection: Selection::UCT,
            most_tree_nodes: 2_000_000,
            trees: NonZero::<usize>::MIN,
        }
    }
}

/// How a tree search weighs what looks good against what it knows little of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// Every move once, then the highest upper confidence bound: the mean and
    /// `exploration · √(ln N / n)` after `n` of `N` tries (Kocsis and
    /// Szepesvári, "Bandit based Monte-Carlo planning", 2006).
    Uct {
        /// How much a move that was tried rarely is preferred to one that did
        /// well. √2 is the theory's choice for rewards from 0 to 1.
        exploration: f32,
    },
    /// The mean and `exploration · prior · √N / (1 + n)`, where the evaluator
    /// says how likely a move is to be good before it is tried (Silver et al.,
    /// "Mastering the game of Go without human knowledge", 2017).
    Puct {
        /// How much the priors count.
        exploration: f32,
        /// How many points less than its position a move is thought to bring
        /// before it is tried, 0 to 1.
        first_play_reduction: f32,
    },
}

impl Selection {
    /// UCT with an exploration of √2.
    pub const UCT: Self = Self::Uct {
        exploration: SQRT_2,
    };

    /// PUCT with an exploration of 1.5 and a reduction of 0.1.
    pub const PUCT: Self = Self::Puct {
        exploration: 1.5,
        first_play_reduction: 0.1,
    };
}
