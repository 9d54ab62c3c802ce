use core::fmt;

/// The owner of a square, if any.
///
/// Displayed as the mark on the square: `X`, `O` or a space.
///
/// ```
/// use open_ttt_lib::tic_tac_toe::Owner;
///
/// assert_eq!(Owner::PlayerX.to_string(), "X");
/// assert_eq!(Owner::default(), Owner::None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Player X owns the square.
    PlayerX,
    /// Player O owns the square.
    PlayerO,
    /// No player owns the square.
    #[default]
    None,
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::PlayerX => "X",
            Self::PlayerO => "O",
            Self::None => " ",
        })
    }
}
