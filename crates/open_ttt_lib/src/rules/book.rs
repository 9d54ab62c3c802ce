use super::{Margin, Outcome, TwoPlayerGame};

/// A game of points that knows some of its values by heart, such as those of
/// its opening, which take longest to compute.
pub trait MarginBook: Margin {
    /// The [`margin`](Margin::margin) the game ends with under best play, if it
    /// is known.
    fn known_margin(&self) -> Option<i32>;
}

/// A game of wins and losses that knows by heart how some of its positions end,
/// such as those of its opening, which take longest to prove.
pub trait OutcomeBook: TwoPlayerGame {
    /// How the game ends under best play, the fastest win and the slowest loss,
    /// and in how many plies; `None` if it is not known by heart.
    fn known_outcome(&self) -> Option<(Outcome, u32)>;
}
