use core::convert::Infallible;

use super::{Decision, Player, Turn};
use open_ttt_lib::rules::{History, IllegalMove, Outcome, Side, TwoPlayerGame};

/// A played game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord<G: TwoPlayerGame> {
    /// The start position.
    pub start: G,
    /// The moves, in order.
    pub moves: Vec<G::Move>,
    /// The final position.
    pub position: G,
    /// How it ended.
    pub end: GameEnd<G::Move>,
}

/// How a game between two players ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd<M> {
    /// By the rules.
    Finished(Outcome),
    /// This side resigned.
    Resigned(Side),
    /// This side lost by repeated illegal moves.
    Forfeited {
        /// The side that lost.
        side: Side,
        /// The last of its illegal moves.
        illegal: IllegalMove<M>,
    },
}

impl<M> GameEnd<M> {
    /// The outcome, however the game ended.
    pub const fn outcome(&self) -> Outcome {
        match self {
            Self::Finished(outcome) => *outcome,
            Self::Resigned(side) | Self::Forfeited { side, .. } => Outcome::Win(side.other()),
        }
    }
}

impl<G: TwoPlayerGame> GameRecord<G> {
    /// The result for each of the two players.
    pub const fn result(&self) -> GameResult {
        GameResult::of(self.end.outcome())
    }
}

/// The result of a game for each of its players.
///
/// Player 1 has the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The result of the first side.
    pub player1: WinStatus,
    /// The result of the second side.
    pub player2: WinStatus,
}

impl GameResult {
    /// The result for each player of a game with this outcome.
    pub const fn of(outcome: Outcome) -> Self {
        let (player1, player2) = match outcome {
            Outcome::Win(Side::First) => (WinStatus::Winner, WinStatus::Loser),
            Outcome::Win(Side::Second) => (WinStatus::Loser, WinStatus::Winner),
            Outcome::Draw => (WinStatus::Draw, WinStatus::Draw),
        };
        Self { player1, player2 }
    }
}

/// The result of a game for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WinStatus {
    /// This player won.
    Winner,
    /// The other player won.
    Loser,
    /// The game was drawn.
    Draw,
}

/// The number of illegal moves in one turn that loses the game.
pub const MAX_ILLEGAL_MOVES: u32 = 3;

/// Plays a game from `start` to its end.
///
/// A player that answers with an illegal move gets the turn again, with the
/// reason in [`Turn::refused`]. [`MAX_ILLEGAL_MOVES`] illegal moves in one turn
/// lose the game.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_players::{Perfect, WinStatus, play_game};
///
/// let game = TicTacToe::new();
/// let mut player1 = Perfect::new(&game)?;
/// let mut player2 = player1.clone();
/// let record = play_game(&game, &mut player1, &mut player2);
/// assert_eq!(record.result().player1, WinStatus::Draw);
/// # Ok::<(), open_ttt_search::SolveError>(())
/// ```
pub fn play_game<G: TwoPlayerGame>(
    start: &G,
    player1: &mut dyn Player<G>,
    player2: &mut dyn Player<G>,
) -> GameRecord<G> {
    let mut players: [&mut dyn Player<G>; 2] = [player1, player2];
    let game = History::new(start.clone());
    let Ok(record) = play_on(game, |game| {
        let turn = Turn::of(game);
        let player = &mut *players[turn.side.index()];
        Ok::<_, Infallible>(request_move(turn, player))
    });
    record
}

/// Plays a game to its end; `request` is asked for each move and may abandon the game
/// with an error.
pub(super) fn play_on<G: TwoPlayerGame, E>(
    mut game: History<G>,
    mut request: impl FnMut(&History<G>) -> Result<Result<G::Move, GameEnd<G::Move>>, E>,
) -> Result<GameRecord<G>, E> {
    let end = loop {
        if let Some(outcome) = game.outcome() {
            break GameEnd::Finished(outcome);
        }
        match request(&game)? {
            Ok(m) => game.play_unchecked(m),
            Err(end) => break end,
        }
    };
    let (start, moves, position) = game.into_parts();
    Ok(GameRecord {
        start,
        moves,
        position,
        end,
    })
}

/// Plays one move of a game that isn't over.
///
/// # Errors
///
/// The end of the game if the player resigns or loses by illegal moves. The
/// position is then unchanged.
pub fn play_turn<G: TwoPlayerGame>(
    position: &mut G,
    player: &mut (impl Player<G> + ?Sized),
) -> Result<G::Move, GameEnd<G::Move>> {
    let m = request_move(Turn::new(position), player)?;
    position.play_unchecked(m);
    Ok(m)
}

/// Requests a legal move from a player, in a game that isn't over, repeating the
/// request after an illegal one. Raising the turn's flag makes the player answer soon.
///
/// # Errors
///
/// The end of the game if the player resigns or loses by illegal moves.
pub fn request_move<G: TwoPlayerGame>(
    mut turn: Turn<'_, G>,
    player: &mut (impl Player<G> + ?Sized),
) -> Result<G::Move, GameEnd<G::Move>> {
    let side = turn.side;
    for _ in 0..MAX_ILLEGAL_MOVES {
        match player.take_turn(&turn) {
            Decision::Resign => return Err(GameEnd::Resigned(side)),
            Decision::Play(m) => match turn.game.check(m) {
                Ok(()) => return Ok(m),
                Err(illegal) => turn = turn.with_refused(illegal),
            },
        }
    }
    // The loop has run to its end, so the last move was refused.
    Err(turn
        .refused
        .map_or(GameEnd::Resigned(side), |illegal| GameEnd::Forfeited {
            side,
            illegal,
        }))
}
