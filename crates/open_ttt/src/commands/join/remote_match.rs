//! A match on a server as the screen shows it.

use std::time::{Duration, Instant};

use open_ttt_app::{RemoteAction, RemoteClock, RemoteMatch, RemotePlayer, RemoteStatus};
use open_ttt_catalog::DynGame;
use open_ttt_lib::rules::Side;
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::client::Client;
use open_ttt_net::matches::{Act, Actor, Clock, DynMatch, Seat, Transition};

use super::narrator::Narrator;
use super::printable;
use super::ratings::Ratings;

/// What the server's state of a match doesn't tell.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) ratings: &'a Ratings,
    /// What is wrong with the connection.
    pub(super) problem: Option<&'a str>,
    /// Whether a person chooses the moves, and not a bot.
    pub(super) is_person: bool,
    /// What is said while the opponent isn't there.
    pub(super) waiting: &'a str,
    /// Whether the link is for the opponent.
    pub(super) invites: bool,
}

/// The match as the screen shows it; `None` until it is known.
pub(super) fn remote_match(
    client: &Client,
    around: Surroundings<'_>,
) -> Option<RemoteMatch<DynGame>> {
    let session = client.session();
    let (current, confirmed) = (session.optimistic()?, session.confirmed()?);
    let seat = session.seat();
    let settings = current.settings();
    let rated = if settings.rated { ", rated" } else { "" };
    let presence = session.presence();
    let score = current.score();
    let player = |side| {
        let seat = current.seat_of(side);
        let player = current.player(seat)?;
        Some(RemotePlayer {
            name: printable(&player.name),
            rating: around.ratings.of(seat),
            is_connected: presence.seats[seat.index()],
            wins: score.wins[seat.index()],
        })
    };
    let played = current.game().moves().len();
    let pending = if confirmed.number() == current.number() {
        played.saturating_sub(confirmed.game().moves().len())
    } else {
        played
    };
    let has_opponent_left = seat.is_some_and(|seat| !presence.seats[(!seat).index()]);
    let now = client.server_time().unwrap_or_else(|| current.at());
    Some(RemoteMatch {
        title: format!("{}{rated}", settings.game),
        number: current.number(),
        game: current.game().history().clone(),
        pending,
        players: Side::BOTH.map(player),
        own: seat.map(|seat| current.side_of(seat)),
        is_person: around.is_person,
        clock: current
            .clock()
            .map(|clock| remote_clock(clock, current, now)),
        draws: score.draws,
        spectators: presence.watchers,
        status: status(current, seat, around.waiting),
        request: seat.and_then(|seat| request(current, seat)),
        actions: match seat {
            Some(seat) if around.is_person => actions(current, seat, has_opponent_left),
            _ => Vec::new(),
        },
        problem: around.problem.map(str::to_owned),
        link: (around.invites && seat.is_some()).then(|| client.link().to_string()),
    })
}

fn remote_clock(clock: &Clock, current: &DynMatch, now: u64) -> RemoteClock {
    let left = |side| Duration::from_millis(clock.left_at(current.seat_of(side), now));
    RemoteClock {
        left: Side::BOTH.map(left),
        running: clock.running.map(|(seat, _)| current.side_of(seat)),
        at: Instant::now(),
    }
}

fn status(current: &DynMatch, seat: Option<Seat>, waiting: &str) -> RemoteStatus {
    match (current.verdict(), current.to_move()) {
        (Some(verdict), _) => {
            let narrator = Narrator { current, seat };
            RemoteStatus::Over(printable(&narrator.game_result(verdict)))
        }
        (None, Some(seat)) => RemoteStatus::Turn(current.side_of(seat)),
        (None, None) => RemoteStatus::Waiting(waiting.to_owned()),
    }
}

/// What the opponent of this seat asks.
fn request(current: &DynMatch, seat: Seat) -> Option<String> {
    let opponent = Some(!seat);
    let name = current.player(!seat).map(|player| printable(&player.name));
    let name = name.unwrap_or_default();
    if current.take_back() == opponent {
        Some(format!("{name} asks to undo the last move."))
    } else if current.draw_offer() == opponent {
        Some(format!("{name} offers a draw."))
    } else if current.wants_rematch(!seat) {
        Some(format!("{name} wants to play again."))
    } else {
        None
    }
}

/// What the player in this seat can do besides moving.
fn actions(current: &DynMatch, seat: Seat, has_opponent_left: bool) -> Vec<RemoteAction> {
    use RemoteAction::{Accept, Claim, Decline, OfferDraw, Rematch, Resign, TakeBack};

    let all = [Accept, Decline, Rematch, Claim, TakeBack, OfferDraw, Resign];
    let is_possible = |action: &RemoteAction| {
        let Some(act) = act(*action, current, seat) else {
            return false;
        };
        let is_useful = match action {
            Claim => has_opponent_left,
            // It would accept the opponent's.
            OfferDraw => current.draw_offer().is_none(),
            _ => true,
        };
        let (at, by) = (current.at(), Actor::Seat(seat));
        is_useful && current.apply(&Transition { at, by, act }).is_ok()
    };
    all.into_iter().filter(is_possible).collect()
}

/// The act of the player in this seat that an action is now; `None` if there is nothing to
/// answer.
pub(super) fn act(action: RemoteAction, current: &DynMatch, seat: Seat) -> Option<Act> {
    let opponent = Some(!seat);
    let asks_undo = current.take_back() == opponent;
    let offers_draw = current.draw_offer() == opponent;
    Some(match action {
        RemoteAction::Accept if asks_undo => Act::GrantTakeBack,
        RemoteAction::Accept if offers_draw => Act::AcceptDraw,
        RemoteAction::Decline if asks_undo => Act::RefuseTakeBack,
        RemoteAction::Decline if offers_draw => Act::RefuseDraw,
        RemoteAction::Accept | RemoteAction::Decline => return None,
        RemoteAction::Rematch => Act::Rematch,
        RemoteAction::OfferDraw => Act::OfferDraw,
        RemoteAction::TakeBack => Act::AskTakeBack,
        RemoteAction::Claim => Act::Claim,
        RemoteAction::Resign => Act::Resign,
    })
}
