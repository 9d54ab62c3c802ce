use super::Margin;

/// A game of points that knows some of its values by heart, such as those of
/// its opening, which take longest to compute.
pub trait Book: Margin {
    /// The [`margin`](Margin::margin) the game ends with under best play, if it
    /// is known.
    fn known_margin(&self) -> Option<i32>;
}
