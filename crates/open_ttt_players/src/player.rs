use open_ttt_lib::rules::{History, IllegalMove, Side, TwoPlayerGame};
use open_ttt_search::StopFlag;

/// A player of a game: a person, a computer, a remote program.
///
/// A player may keep state between turns. Every turn says which side it plays.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::TwoPlayerGame;
/// use open_ttt_players::{Decision, Player, Turn};
///
/// /// Plays the first legal move.
/// struct First;
///
/// impl<G: TwoPlayerGame> Player<G> for First {
///     fn player_name(&self) -> &str {
///         "First"
///     }
///     fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
///         turn.game.moves().next().map_or(Decision::Resign, Decision::Play)
///     }
/// }
///
/// let game = TicTacToe::new();
/// let decision = First.take_turn(&Turn::new(&game));
/// assert_eq!(decision, Decision::Play(game.moves().next().unwrap()));
/// ```
pub trait Player<G: TwoPlayerGame> {
    /// The name of the player.
    fn player_name(&self) -> &str;

    /// Chooses a move. The game isn't over.
    ///
    /// A computer returns its best move so far soon after `turn.stop` is raised.
    #[doc(alias = "getMove")]
    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move>;

    /// Searches during the opponent's turn, until its flag is raised or more search
    /// is of no use, and returns true.
    ///
    /// A player that doesn't support this, the default, returns false at once;
    /// the caller can let it search the positions after the likely replies instead.
    #[doc(alias = "think_ahead")]
    fn ponder(&mut self, turn: &Turn<'_, G>) -> bool {
        let _ = turn;
        false
    }

    /// Why the player can't go on, once it can't: a program that has ended, a connection that
    /// is lost. What it has decided last isn't its decision then.
    ///
    /// A player that can always choose, the default, has none. [`play_game`](crate::play_game)
    /// and [`request_move`](crate::request_move) don't ask, so there a failure is a resignation
    /// if [`take_turn`](Self::take_turn) has returned one; a [`Match`](crate::Match) ends.
    fn failure(&self) -> Option<&str> {
        None
    }
}

impl<G: TwoPlayerGame, P: Player<G> + ?Sized> Player<G> for Box<P> {
    fn player_name(&self) -> &str {
        (**self).player_name()
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        (**self).take_turn(turn)
    }

    fn ponder(&mut self, turn: &Turn<'_, G>) -> bool {
        (**self).ponder(turn)
    }

    fn failure(&self) -> Option<&str> {
        (**self).failure()
    }
}

/// A request for a move.
#[derive(Debug)]
#[non_exhaustive]
pub struct Turn<'a, G: TwoPlayerGame> {
    /// The position.
    pub game: &'a G,
    /// The positions before it, the oldest first; none in a game in which no position
    /// comes back.
    pub earlier: &'a [G],
    /// The position before the last move, if known.
    pub before: Option<&'a G>,
    /// The side to move.
    #[doc(alias = "getColour")]
    pub side: Side,
    /// The player's previous answer to this turn, which was illegal.
    pub refused: Option<IllegalMove<G::Move>>,
    /// Raised when the move is needed at once, or no longer needed.
    pub stop: StopFlag,
    /// The game up to here, for players who must know its moves; `None` if only the
    /// position is known.
    pub history: Option<&'a History<G>>,
}

impl<'a, G: TwoPlayerGame> Turn<'a, G> {
    /// The first request at this position, as if nothing came before it.
    pub fn new(game: &'a G) -> Self {
        Self {
            game,
            earlier: &[],
            before: None,
            side: game.to_move(),
            refused: None,
            stop: StopFlag::new(),
            history: None,
        }
    }

    /// The first request at the current position of a game.
    pub fn of(game: &'a History<G>) -> Self {
        Self {
            earlier: game.earlier(),
            before: game.before(),
            history: Some(game),
            ..Self::new(game.position())
        }
    }

    /// Sets the positions before this one, the oldest first.
    pub fn with_earlier(self, earlier: &'a [G]) -> Self {
        Self { earlier, ..self }
    }

    /// Sets the position before the last move.
    pub fn with_before(self, before: Option<&'a G>) -> Self {
        Self { before, ..self }
    }

    /// Sets the flag that ends the turn.
    pub fn with_stop(self, stop: StopFlag) -> Self {
        Self { stop, ..self }
    }

    /// Repeats the request after an illegal answer.
    pub fn with_refused(self, refused: IllegalMove<G::Move>) -> Self {
        Self {
            refused: Some(refused),
            ..self
        }
    }
}

/// What a player does on its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision<M> {
    /// Plays this move.
    Play(M),
    /// Gives the game up.
    Resign,
}

impl<M> Decision<M> {
    pub(super) fn play_or_resign(m: Option<M>) -> Self {
        m.map_or(Self::Resign, Self::Play)
    }
}
