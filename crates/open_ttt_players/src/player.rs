use open_ttt_lib::rules::{IllegalMove, Side, TwoPlayerGame};
use open_ttt_search::StopFlag;

/// One who plays a game: a person, a computer, a program far away.
///
/// A player may keep what it likes between turns, and is told with every turn
/// which side it is.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_players::{Decision, Player, Turn};
/// use open_ttt_lib::rules::TwoPlayerGame;
///
/// /// Takes the first free cell, always.
/// struct Hasty;
///
/// impl<G: TwoPlayerGame> Player<G> for Hasty {
///     fn player_name(&self) -> &str {
///         "Hasty"
///     }
///     fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
///         turn.game.moves().next().map_or(Decision::Resign, Decision::Play)
///     }
/// }
///
/// let game = TicTacToe::new();
/// let answer = Hasty.take_turn(&Turn::new(&game));
/// assert_eq!(answer, Decision::Play(game.moves().next().unwrap()));
/// ```
pub trait Player<G: TwoPlayerGame> {
    /// What the player is called.
    fn player_name(&self) -> &str;

    /// Decides on a move. The game is not over.
    ///
    /// A computer gives its best answer so far soon after `turn.stop` is
    /// raised.
    #[doc(alias = "getMove")]
    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move>;

    /// Thinks while the opponent is to move, about whatever the opponent may
    /// play, until the flag is raised or it has thought enough; then says true.
    ///
    /// A player that has no such way, as here, says false at once. It can be
    /// asked about the positions after the replies instead.
    #[doc(alias = "think_ahead")]
    fn ponder(&mut self, game: &G, stop: &StopFlag) -> bool {
        let _ = (game, stop);
        false
    }
}

impl<G: TwoPlayerGame, P: Player<G> + ?Sized> Player<G> for Box<P> {
    fn player_name(&self) -> &str {
        (**self).player_name()
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        (**self).take_turn(turn)
    }

    fn ponder(&mut self, game: &G, stop: &StopFlag) -> bool {
        (**self).ponder(game, stop)
    }
}

/// What a player is told when it is its turn.
#[derive(Debug)]
#[non_exhaustive]
pub struct Turn<'a, G: TwoPlayerGame> {
    /// The position.
    pub game: &'a G,
    /// The side the player is.
    #[doc(alias = "getColour")]
    pub side: Side,
    /// The player's last answer to this very turn, if it was no legal move.
    pub refused: Option<IllegalMove<G::Move>>,
    /// Raised when the answer is wanted at once, or no longer.
    pub stop: StopFlag,
}

impl<'a, G: TwoPlayerGame> Turn<'a, G> {
    /// A first try at this position, with all the time in the world.
    pub fn new(game: &'a G) -> Self {
        Self {
            game,
            side: game.to_move(),
            refused: None,
            stop: StopFlag::new(),
        }
    }

    /// The same turn, to be ended by this flag.
    pub fn with_stop(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// The same turn, after an answer was refused.
    pub fn with_refused(self, refused: IllegalMove<G::Move>) -> Self {
        Self {
            refused: Some(refused),
            ..self
        }
    }
}

/// A player's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision<M> {
    /// To play this move.
    Play(M),
    /// To give the game up.
    Resign,
}
