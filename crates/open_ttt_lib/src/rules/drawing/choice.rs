use super::Place;
use alloc::string::String;
use alloc::vec::Vec;

/// How a person chooses a legal move: by clicking places one after the other, or by a
/// button.
///
/// A user interface keeps the choices whose path starts with the places chosen so far. If
/// one is left and its path is complete, it is played. Otherwise the interface offers the
/// next places, and a button with the label of each choice whose path is complete.
///
/// ```
/// use open_ttt_lib::rules::{Choice, Place};
///
/// let [a1, b2, c3] = [0, 1, 2].map(|n| Place::flat(n, n));
/// // A piece captures one that stands beside it, and may capture another.
/// let choices = [
///     Choice::path("a1xb2", [a1, b2]).labelled("Stop here"),
///     Choice::path("a1xb2xc3", [a1, b2, c3]),
///     Choice::button("pass", "Pass"),
/// ];
/// let continues = |choice: &&Choice<_>| choice.path.starts_with(&[a1, b2]);
/// assert_eq!(choices.iter().filter(continues).count(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move.
    pub m: M,
    /// The places to choose in this order: the cell of a new piece; where a piece stands
    /// and where it goes; then the pieces it captures. Empty for a move that is only a
    /// button.
    pub path: Vec<Place>,
    /// The button's text: `Pass`, `Swap`. It tells choices with the same path apart, and
    /// is needed where the path is the start of another's.
    pub label: Option<String>,
}

impl<M> Choice<M> {
    /// A move chosen by these places, at least one, in this order.
    pub fn path(m: M, path: impl Into<Vec<Place>>) -> Self {
        Self {
            m,
            path: path.into(),
            label: None,
        }
    }

    /// A move that is a button with this text.
    pub fn button(m: M, label: impl Into<String>) -> Self {
        Self::path(m, []).labelled(label)
    }

    /// The same choice with a button that completes it.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
}
