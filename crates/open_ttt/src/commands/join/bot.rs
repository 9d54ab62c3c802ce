use std::fmt;

use open_ttt_catalog::{DynGame, DynMove};
use open_ttt_net::matches::{Act, DynMatch, Seat};
use open_ttt_players::{GameEnd, Player, legal_answer};
use open_ttt_search::StopFlag;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::failure::Failure;

type Computer = Box<dyn Player<DynGame> + Send>;
type Answer = Result<DynMove, GameEnd<DynMove>>;

/// A computer that plays for somebody, thinking on a thread of its own.
pub(super) struct Bot {
    /// Away while it thinks.
    player: Option<Computer>,
    thought: Option<Thought>,
    games: Option<u32>,
}

/// A position that is thought about.
struct Thought {
    position: DynGame,
    stop: StopFlag,
    thread: JoinHandle<(Computer, Answer)>,
}

impl Bot {
    pub(super) fn new(player: Computer, games: Option<u32>) -> Self {
        Self {
            player: Some(player),
            thought: None,
            games,
        }
    }

    /// Lets it think, if it is its turn, and not about what is past.
    pub(super) fn look(&mut self, table: &DynMatch, seat: Seat) {
        let position = table.game().position();
        if let Some(thought) = &self.thought
            && thought.position != *position
        {
            thought.stop.raise();
        }
        if table.to_move() != Some(seat) {
            return;
        }
        let Some(mut player) = self.player.take() else {
            return;
        };
        let position = position.clone();
        let stop = StopFlag::new();
        let (about, until) = (position.clone(), stop.clone());
        let thread = spawn_blocking(move || {
            let answer = legal_answer(&about, &mut player, &until);
            (player, answer)
        });
        self.thought = Some(Thought {
            position,
            stop,
            thread,
        });
    }

    /// Waits for what it is thinking, for ever if it is not. It may be dropped
    /// before it is there, without a loss.
    ///
    /// # Errors
    ///
    /// If the player broke down.
    pub(super) async fn answer(&mut self) -> Result<(DynGame, Answer), Failure> {
        let Some(thought) = &mut self.thought else {
            return std::future::pending().await;
        };
        let ended = (&mut thought.thread).await;
        let (player, answer) =
            ended.map_err(|_| Failure::failed("the player has broken down in its thoughts"))?;
        self.player = Some(player);
        let about = self.thought.take();
        about
            .map(|thought| (thought.position, answer))
            .ok_or_else(|| Failure::failed("the player has lost its thought"))
    }

    /// What else it has to say: it takes no draws, gives moves back, and plays
    /// another game if that is wanted.
    pub(super) fn reaction(&self, table: &DynMatch, seat: Seat) -> Option<Act> {
        if table.draw_offer() == Some(!seat) {
            return Some(Act::RefuseDraw);
        }
        if table.take_back() == Some(!seat) {
            return Some(Act::GrantTakeBack);
        }
        let wanted = match self.games {
            Some(games) => table.number() < games,
            None => table.wants_rematch(!seat),
        };
        let asks = table.verdict().is_some() && wanted && !table.wants_rematch(seat);
        asks.then_some(Act::Rematch)
    }

    /// Whether it has played all the games it was to play.
    pub(super) fn has_had_enough(&self, table: &DynMatch) -> bool {
        table.verdict().is_some() && self.games.is_some_and(|games| table.number() >= games)
    }

    /// Ends its thoughts.
    pub(super) fn stop(&self) {
        if let Some(thought) = &self.thought {
            thought.stop.raise();
        }
    }
}

impl fmt::Debug for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bot")
            .field("games", &self.games)
            .finish_non_exhaustive()
    }
}
