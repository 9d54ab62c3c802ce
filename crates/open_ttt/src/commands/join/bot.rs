use std::fmt;

use open_ttt_catalog::{DynGame, DynMove};
use open_ttt_net::matches::{Act, DynMatch, Seat};
use open_ttt_players::{GameEnd, Player, request_move};
use open_ttt_search::StopFlag;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::failure::Failure;

type BoxedPlayer = Box<dyn Player<DynGame> + Send>;
pub(super) type TurnResult = Result<DynMove, GameEnd<DynMove>>;

/// A computer that plays a seat, and searches on a thread of its own.
pub(super) struct Bot {
    /// `None` during a search.
    player: Option<BoxedPlayer>,
    search: Option<Search>,
    games: Option<u32>,
}

/// A running search.
struct Search {
    position: DynGame,
    stop: StopFlag,
    thread: JoinHandle<(BoxedPlayer, TurnResult)>,
}

impl Bot {
    /// A bot that leaves after this number of games, if any.
    pub(super) fn new(player: BoxedPlayer, games: Option<u32>) -> Self {
        Self {
            player: Some(player),
            search: None,
            games,
        }
    }

    /// Stops a search of an earlier position, and starts one if the bot is to move.
    pub(super) fn update(&mut self, current: &DynMatch, seat: Seat) {
        let position = current.game().position();
        if let Some(search) = &self.search
            && search.position != *position
        {
            search.stop.raise();
        }
        if current.to_move() != Some(seat) {
            return;
        }
        let Some(mut player) = self.player.take() else {
            return;
        };
        let position = position.clone();
        let stop = StopFlag::new();
        let (game, flag) = (position.clone(), stop.clone());
        let thread = spawn_blocking(move || {
            let result = request_move(&game, &mut player, &flag);
            (player, result)
        });
        self.search = Some(Search {
            position,
            stop,
            thread,
        });
    }

    /// Waits for the result of the search, forever if there is none. Cancel safe.
    ///
    /// # Errors
    ///
    /// If the player panics.
    pub(super) async fn result(&mut self) -> Result<(DynGame, TurnResult), Failure> {
        let Some(search) = &mut self.search else {
            return std::future::pending().await;
        };
        let joined = (&mut search.thread).await;
        let (player, result) = joined.map_err(|_| Failure::failed("the player panicked"))?;
        let position = search.position.clone();
        self.player = Some(player);
        self.search = None;
        Ok((position, result))
    }

    /// The response to the opponent: the bot declines draws, allows undo requests,
    /// and plays again if the opponent wants to or games are left.
    pub(super) fn response(&self, current: &DynMatch, seat: Seat) -> Option<Act> {
        if current.draw_offer() == Some(!seat) {
            return Some(Act::RefuseDraw);
        }
        if current.take_back() == Some(!seat) {
            return Some(Act::GrantTakeBack);
        }
        let plays_again = match self.games {
            Some(games) => current.number() < games,
            None => current.wants_rematch(!seat),
        };
        let can_ask = current.verdict().is_some() && !current.wants_rematch(seat);
        (plays_again && can_ask).then_some(Act::Rematch)
    }

    /// Whether the bot has played all its games.
    pub(super) fn is_done(&self, current: &DynMatch) -> bool {
        let is_last = self.games.is_some_and(|games| current.number() >= games);
        is_last && current.verdict().is_some()
    }

    /// Stops the search.
    pub(super) fn stop(&self) {
        if let Some(search) = &self.search {
            search.stop.raise();
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
