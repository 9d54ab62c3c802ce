use super::VictorySets;

/// The player to move, or the result of the game.
///
/// ```text
/// start --> X's move <--> O's move <-- start    (alternating between games)
///            |    |        |    |
///            v    |        |    v
///         X wins  v        v  O wins
///                 cat's game
/// ```
///
/// ```
/// use open_ttt_lib::tic_tac_toe::{Game, GameState};
///
/// let text = match Game::new().state() {
///     GameState::PlayerXMove => "X, please".to_owned(),
///     GameState::PlayerOMove => "O, please".to_owned(),
///     GameState::PlayerXWin(lines) => format!("X wins with {} line(s)", lines.len()),
///     GameState::PlayerOWin(lines) => format!("O wins with {} line(s)", lines.len()),
///     GameState::CatsGame => "a cat's game".to_owned(),
/// };
/// assert_eq!(text, "X, please");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameState {
    /// Player X is to move.
    PlayerXMove,
    /// Player O is to move.
    PlayerOMove,
    /// Player X has won, with these lines.
    PlayerXWin(VictorySets),
    /// Player O has won, with these lines.
    PlayerOWin(VictorySets),
    /// The board is full and no player has won.
    #[doc(alias = "Draw")]
    CatsGame,
}

impl GameState {
    /// Whether a player has won or it is a cat's game.
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::GameState;
    ///
    /// assert!(GameState::CatsGame.is_game_over());
    /// assert!(!GameState::PlayerOMove.is_game_over());
    /// ```
    pub const fn is_game_over(&self) -> bool {
        !matches!(self, Self::PlayerXMove | Self::PlayerOMove)
    }
}
