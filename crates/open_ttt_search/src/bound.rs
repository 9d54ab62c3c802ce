/// What a stored score says about the true score of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The true score is at least the stored one (the search failed high).
    Lower = 1,
    /// The true score is at most the stored one (the search failed low).
    Upper = 2,
    /// The stored score is the true one.
    Exact = 3,
}
