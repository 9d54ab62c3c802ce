/// What a stored score says about the true score of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The true score is at least the stored one (the search failed high).
    Lower,
    /// The true score is at most the stored one (the search failed low).
    Upper,
    /// The stored score is the true one.
    Exact,
}
