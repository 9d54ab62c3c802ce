use std::future::pending;

use open_ttt_app::BoxedPlayer;
use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::Notation;
use open_ttt_net::client::Session;
use open_ttt_net::matches::{Act, DynMatch, Seat};
use open_ttt_players::{Turn, request_move};
use open_ttt_search::StopFlag;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::failure::Failure;

/// A computer that plays a seat, and searches on a thread of its own.
pub(super) struct Bot {
    /// `None` during a search.
    player: Option<BoxedPlayer<DynGame>>,
    search: Option<Search>,
    games: Option<u32>,
}

/// What a bot does about the state of a match, besides searching.
pub(super) enum Reaction {
    Nothing,
    Act(Act),
    /// It has played all its games.
    Leave,
}

/// A running search.
struct Search {
    position: DynGame,
    stop: StopFlag,
    thread: JoinHandle<(BoxedPlayer<DynGame>, Act)>,
}

impl Bot {
    /// A bot that leaves after this number of games, if any.
    pub(super) fn new(player: BoxedPlayer<DynGame>, games: Option<u32>) -> Self {
        Self {
            player: Some(player),
            search: None,
            games,
        }
    }

    /// Lets the bot react to the state of the match.
    pub(super) fn react(&mut self, session: &Session) -> Reaction {
        let (Some(seat), Some(current)) = (session.seat(), session.optimistic()) else {
            return Reaction::Nothing;
        };
        if session.has_pending() {
            return Reaction::Nothing;
        }
        if self.is_done(current) {
            return Reaction::Leave;
        }
        self.update(current, seat);
        let response = self.response(current, seat);
        response.map_or(Reaction::Nothing, Reaction::Act)
    }

    /// Stops a search of an earlier position, and starts one if the bot is to move.
    fn update(&mut self, current: &DynMatch, seat: Seat) {
        let position = current.game().position();
        if let Some(search) = &self.search
            && search.position != *position
        {
            search.stop.raise();
        }
        let Some(mut player) = self.player.take_if(|_| current.to_move() == Some(seat)) else {
            return;
        };
        let position = position.clone();
        let stop = StopFlag::new();
        let (game, flag) = (current.game().history().clone(), stop.clone());
        let thread = spawn_blocking(move || {
            let chosen = request_move(Turn::of(&game).with_stop(flag), &mut player);
            let act = chosen.map_or(Act::Resign, |m| Act::play(&game.position().move_text(m)));
            (player, act)
        });
        self.search = Some(Search {
            position,
            stop,
            thread,
        });
    }

    /// Waits for the result of the search, forever if there is no bot or search: the
    /// position and the bot's act in it. Cancel safe.
    pub(super) async fn choose_act(bot: &mut Option<Self>) -> Result<(DynGame, Act), Failure> {
        let Some(Self { player, search, .. }) = bot else {
            return pending().await;
        };
        let Some(running) = search else {
            return pending().await;
        };
        let joined = (&mut running.thread).await;
        let (searcher, act) = joined.map_err(|_| Failure::failed("the player panicked"))?;
        // A program that fails hasn't resigned.
        if let Some(failure) = searcher.failure() {
            return Err(Failure::failed(failure));
        }
        let position = running.position.clone();
        *player = Some(searcher);
        *search = None;
        Ok((position, act))
    }

    /// The response to the opponent: the bot declines draws, allows undo requests,
    /// and plays again if the opponent wants to or games are left.
    fn response(&self, current: &DynMatch, seat: Seat) -> Option<Act> {
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
    fn is_done(&self, current: &DynMatch) -> bool {
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
