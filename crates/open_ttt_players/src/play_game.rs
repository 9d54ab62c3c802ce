use super::{Decision, Player, Turn};
use open_ttt_lib::rules::{IllegalMove, Outcome, Side, TwoPlayerGame};
use open_ttt_search::StopFlag;

/// A game that was played: where it began, what was played and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord<G: TwoPlayerGame> {
    /// The position it began with.
    pub start: G,
    /// The moves, in order.
    pub moves: Vec<G::Move>,
    /// The last position.
    pub position: G,
    /// How it ended.
    pub end: GameEnd<G::Move>,
}

/// How a game between two players ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd<M> {
    /// By the rules.
    Finished(Outcome),
    /// This side gave up.
    Resigned(Side),
    /// This side lost because it kept on answering with illegal moves.
    Forfeited {
        /// The side that lost.
        side: Side,
        /// The last of its illegal moves.
        illegal: IllegalMove<M>,
    },
}

impl<M> GameEnd<M> {
    /// Who won, if anybody did, however the game ended.
    pub const fn outcome(&self) -> Outcome {
        match self {
            Self::Finished(outcome) => *outcome,
            Self::Resigned(side) | Self::Forfeited { side, .. } => Outcome::Win(side.other()),
        }
    }
}

impl<G: TwoPlayerGame> GameRecord<G> {
    /// What the game was for each of the two players.
    pub const fn result(&self) -> GameResult {
        GameResult::of(self.end.outcome())
    }
}

/// What a game was for each of its players.
///
/// Player 1 is the one that has the first move of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// What it was for the player of the first side.
    pub player1: WinStatus,
    /// What it was for the player of the second side.
    pub player2: WinStatus,
}

impl GameResult {
    /// What this outcome is for each player.
    pub const fn of(outcome: Outcome) -> Self {
        let (player1, player2) = match outcome {
            Outcome::Win(Side::First) => (WinStatus::Winner, WinStatus::Loser),
            Outcome::Win(Side::Second) => (WinStatus::Loser, WinStatus::Winner),
            Outcome::Draw => (WinStatus::Draw, WinStatus::Draw),
        };
        Self { player1, player2 }
    }
}

/// What a game was for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WinStatus {
    /// This player won.
    Winner,
    /// The other player won.
    Loser,
    /// Nobody won.
    Draw,
}

/// How often a player may answer one turn with an illegal move; with the last
/// of them it loses the game.
pub const MAX_ILLEGAL_MOVES: u32 = 3;

/// Plays a game from `start` to its end.
///
/// An illegal answer changes nothing: the player is asked again and told what
/// was wrong ([`Turn::refused`]). One that goes on with it,
/// [`MAX_ILLEGAL_MOVES`] times in one turn, loses.
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
/// # Ok::<(), open_ttt_search::TooLarge>(())
/// ```
pub fn play_game<G: TwoPlayerGame>(
    start: &G,
    player1: &mut dyn Player<G>,
    player2: &mut dyn Player<G>,
) -> GameRecord<G> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    let end = loop {
        if let Some(outcome) = position.outcome() {
            break GameEnd::Finished(outcome);
        }
        let turn = match position.to_move() {
            Side::First => play_turn(&mut position, player1),
            Side::Second => play_turn(&mut position, player2),
        };
        match turn {
            Ok(m) => moves.push(m),
            Err(end) => break end,
        }
    };
    GameRecord {
        start: start.clone(),
        moves,
        position,
        end,
    }
}

/// Lets a player make one move of a game that is not over.
///
/// # Errors
///
/// The end of the game, if the player resigns or loses by illegal moves; the
/// position is then unchanged.
pub fn play_turn<G: TwoPlayerGame>(
    position: &mut G,
    player: &mut (impl Player<G> + ?Sized),
) -> Result<G::Move, GameEnd<G::Move>> {
    let m = request_move(position, player, &StopFlag::new())?;
    position.play_unchecked(m);
    Ok(m)
}

/// The legal move that a player answers with, in a game that is not over. It
/// is asked again after an illegal one. The flag is the one of its
/// [`Turn`]: it is asked to come to an end when the flag is raised.
///
/// # Errors
///
/// The end of the game, if the player resigns or loses by illegal moves.
pub fn request_move<G: TwoPlayerGame>(
    position: &G,
    player: &mut (impl Player<G> + ?Sized),
    stop: &StopFlag,
) -> Result<G::Move, GameEnd<G::Move>> {
    let side = position.to_move();
    let mut turn = Turn::new(position).with_stop(stop.clone());
    for _ in 0..MAX_ILLEGAL_MOVES {
        match player.take_turn(&turn) {
            Decision::Resign => return Err(GameEnd::Resigned(side)),
            Decision::Play(m) => match position.check(m) {
                Ok(()) => return Ok(m),
                Err(illegal) => turn = turn.with_refused(illegal),
            },
        }
    }
    // The last one was refused, for the loop has run to its end.
    Err(turn
        .refused
        .map_or(GameEnd::Resigned(side), |illegal| GameEnd::Forfeited {
            side,
            illegal,
        }))
}
