use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_lib::rules::{Notation, Outcome, Side, TwoPlayerGame};
use open_ttt_lib::state_machine::GameMove;
use serde_json::Value;

use crate::matches::{Act, Actor, Ending, GameVerdict, Seat, Settings, Transition};
use crate::protocol::MatchView;

/// How long an opponent has to answer a claim, in milliseconds (docs/protocol.md).
pub(super) const CLAIM_MS: u64 = 20_000;

/// The delay of the network that a clock forgives, in milliseconds (docs/protocol.md).
pub(super) const MAX_LAG_MS: u64 = 500;

/// A match by docs/protocol.md and the rules of its game, implemented apart from the
/// server's state machine: moves are text, and the position is played anew from them.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) settings: Settings,
    start: DynGame,
    pub(super) face: Face,
}

/// What anybody can see of a match.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Face {
    pub(super) names: [Option<String>; 2],
    pub(super) number: u32,
    pub(super) moves: Vec<String>,
    pub(super) verdict: Option<GameVerdict>,
    pub(super) wins: [u32; 2],
    pub(super) draws: u32,
    /// The time left of each seat, and whose clock runs since when, in milliseconds.
    pub(super) left: Option<[u64; 2]>,
    pub(super) running: Option<(Seat, u64)>,
    pub(super) draw_offer: Option<Seat>,
    pub(super) take_back: Option<Seat>,
    pub(super) claim: Option<(Seat, u64)>,
    pub(super) rematch: [bool; 2],
}

type Refused = Result<(), &'static str>;

fn need(condition: bool, text: &'static str) -> Refused {
    condition.then_some(()).ok_or(text)
}

/// The moves with which each game begins.
fn given(settings: &Settings) -> Vec<String> {
    let moves = settings.moves.iter();
    moves.map(|GameMove(text)| text.clone()).collect()
}

impl Face {
    pub(super) fn of_view(view: &MatchView) -> Self {
        let names = view.seats.clone();
        Self {
            names: names.map(|seat| seat.map(|seat| seat.name)),
            number: view.number,
            moves: view.moves.clone(),
            verdict: view.verdict,
            wins: view.score.wins,
            draws: view.score.draws,
            left: view.clock.map(|clock| clock.left_ms),
            running: view.clock.and_then(|clock| clock.running),
            draw_offer: view.draw_offer,
            take_back: view.take_back,
            claim: view.claim,
            rematch: view.rematch,
        }
    }
}

impl Model {
    pub(super) fn new(catalog: &Catalog, settings: Settings) -> Self {
        let moves = given(&settings);
        let left = settings.clock.map(|control| [control.initial_ms; 2]);
        Self {
            start: catalog.game(&settings.game).expect("a game"),
            settings,
            face: Face {
                names: [None, None],
                number: 1,
                moves,
                verdict: None,
                wins: [0; 2],
                draws: 0,
                left,
                running: None,
                draw_offer: None,
                take_back: None,
                claim: None,
                rematch: [false; 2],
            },
        }
    }

    /// The match of a view, for who has not seen how it came about.
    pub(super) fn of_view(catalog: &Catalog, view: &MatchView) -> Self {
        Self {
            face: Face::of_view(view),
            ..Self::new(catalog, view.settings.clone())
        }
    }

    pub(super) fn has_started(&self) -> bool {
        self.face.names.iter().all(Option::is_some)
    }

    pub(super) fn is_running(&self) -> bool {
        self.has_started() && self.face.verdict.is_none()
    }

    /// Whether time counts: then an outage is given back.
    pub(super) fn is_timed(&self) -> bool {
        self.face.running.is_some() || self.face.claim.is_some()
    }

    /// The position, played from the start of the game.
    pub(super) fn position(&self) -> DynGame {
        self.position_after(self.face.moves.len())
    }

    fn position_after(&self, count: usize) -> DynGame {
        let mut position = self.start.clone();
        for text in &self.face.moves[..count] {
            let m = position.parse_move(text).expect("a move");
            position.play(m).expect("a legal move");
        }
        position
    }

    /// The side that a seat plays in this game: the seats alternate.
    pub(super) fn side_of(&self, seat: Seat) -> Side {
        let begins = (seat == self.settings.first) == (self.face.number % 2 == 1);
        if begins { Side::First } else { Side::Second }
    }

    fn seat_of(&self, side: Side) -> Seat {
        if self.side_of(Seat::A) == side {
            Seat::A
        } else {
            Seat::B
        }
    }

    pub(super) fn to_move(&self) -> Option<Seat> {
        let position = self.is_running().then(|| self.position());
        position.map(|position| self.seat_of(position.to_move()))
    }

    /// The latest time at which the running clock may be pressed.
    pub(super) fn deadline(&self) -> Option<u64> {
        let ((seat, since), left) = (self.face.running?, self.face.left?);
        Some(since + left[seat.index()] + MAX_LAG_MS)
    }

    pub(super) fn apply(&mut self, transition: &Transition) -> Refused {
        let mut next = self.clone();
        let Transition { at, by, act } = transition;
        match (by, act) {
            (Actor::Seat(seat), act) => next.by_seat(*seat, act, *at)?,
            (Actor::Server, Act::Join { seat, player }) => {
                let name = &mut next.face.names[seat.index()];
                need(name.is_none(), "the seat is taken")?;
                *name = Some(player.name.clone());
            }
            (Actor::Server, Act::TimeOut) => {
                need(next.is_running(), "no game")?;
                let deadline = next.deadline().ok_or("no clock runs")?;
                need(*at >= deadline, "there is time left")?;
                let (loser, _) = next.face.running.ok_or("no clock runs")?;
                next.end(Some(!loser), Ending::Time, *at);
            }
            (Actor::Server, Act::Forfeit) => {
                let (winner, since) = next.face.claim.ok_or("no claim")?;
                need(*at >= since + CLAIM_MS, "there is time to answer")?;
                next.end(Some(winner), Ending::Abandonment, *at);
            }
            (Actor::Server, Act::ReturnTime { ms }) => {
                need(next.is_timed() && next.is_running(), "nothing runs")?;
                let counted = [&mut next.face.running, &mut next.face.claim];
                for (_, since) in counted.into_iter().flatten() {
                    *since = (*since + ms).min(*at);
                }
            }
            (Actor::Server, _) => return Err("not the server's"),
        }
        *self = next;
        Ok(())
    }

    fn by_seat(&mut self, seat: Seat, act: &Act, at: u64) -> Refused {
        if let Act::Rematch = act {
            need(self.face.verdict.is_some(), "the game goes on")?;
            need(!self.face.rematch[seat.index()], "asked already")?;
            self.face.rematch[seat.index()] = true;
            if self.face.rematch == [true; 2] {
                self.face.number += 1;
                self.face.moves = given(&self.settings);
                self.face.verdict = None;
                self.face.rematch = [false; 2];
                self.face.left = self.settings.clock.map(|control| [control.initial_ms; 2]);
            }
            return Ok(());
        }
        need(self.is_running(), "no game")?;
        let is_claimed = self
            .face
            .claim
            .is_some_and(|(claimant, _)| claimant != seat);
        if is_claimed {
            self.face.claim = None;
        }
        let asks = |asker: Option<Seat>| asker == Some(!seat);
        match act {
            Act::Move { text, lag_ms } => self.play(seat, &text.0, *lag_ms, at)?,
            Act::Resign => self.end(Some(!seat), Ending::Resignation, at),
            Act::Claim => {
                need(self.face.claim.is_none(), "claimed already")?;
                self.face.claim = Some((seat, at));
            }
            Act::Stay => need(is_claimed, "nobody claims")?,
            Act::OfferDraw if asks(self.face.draw_offer) => self.end(None, Ending::Agreement, at),
            Act::OfferDraw => {
                need(self.face.draw_offer.is_none(), "offered already")?;
                self.face.draw_offer = Some(seat);
            }
            Act::AcceptDraw => {
                need(asks(self.face.draw_offer), "no offer")?;
                self.end(None, Ending::Agreement, at);
            }
            Act::RefuseDraw => {
                need(asks(self.face.draw_offer), "no offer")?;
                self.face.draw_offer = None;
            }
            Act::AskTakeBack => {
                need(!self.settings.rated, "rated")?;
                need(self.face.take_back.is_none(), "asked already")?;
                self.last_move_of(seat).ok_or("no move")?;
                self.face.take_back = Some(seat);
            }
            Act::GrantTakeBack => {
                need(asks(self.face.take_back), "no request")?;
                let kept = self.last_move_of(!seat).ok_or("no move")?;
                self.stop_clock(at);
                self.face.moves.truncate(kept);
                self.face.take_back = None;
                self.face.draw_offer = None;
                if kept > self.settings.moves.len() {
                    self.start_clock(at);
                }
            }
            Act::RefuseTakeBack => {
                need(asks(self.face.take_back), "no request")?;
                self.face.take_back = None;
            }
            _ => return Err("not a player's"),
        }
        Ok(())
    }

    fn play(&mut self, seat: Seat, text: &str, lag_ms: u64, at: u64) -> Refused {
        let mut position = self.position();
        need(self.seat_of(position.to_move()) == seat, "not the turn")?;
        let m = position.parse_move(text).map_err(|_| "not a move")?;
        position.play(m).map_err(|_| "not legal")?;
        if let (Some((runner, since)), Some(left), Some(control)) =
            (self.face.running, &mut self.face.left, self.settings.clock)
        {
            let used = (at - since).saturating_sub(lag_ms.min(MAX_LAG_MS));
            let own = &mut left[runner.index()];
            need(used <= *own, "no time left")?;
            *own = *own - used + control.increment_ms;
        }
        self.face.running = None;
        self.face.moves.push(text.to_owned());
        if self.face.draw_offer == Some(!seat) {
            self.face.draw_offer = None;
        }
        self.face.take_back = None;
        match position.outcome() {
            Some(Outcome::Win(side)) => self.end(Some(self.seat_of(side)), Ending::Rules, at),
            Some(Outcome::Draw) => self.end(None, Ending::Rules, at),
            None => self.start_clock(at),
        }
        Ok(())
    }

    /// The number of moves before the last one of a seat.
    fn last_move_of(&self, seat: Seat) -> Option<usize> {
        let count = self.face.moves.len();
        (self.settings.moves.len()..count)
            .rfind(|&count| self.seat_of(self.position_after(count).to_move()) == seat)
    }

    fn start_clock(&mut self, at: u64) {
        if self.face.left.is_some() {
            self.face.running = self.to_move().map(|seat| (seat, at));
        }
    }

    fn stop_clock(&mut self, at: u64) {
        if let (Some((seat, since)), Some(left)) = (self.face.running.take(), &mut self.face.left) {
            let own = &mut left[seat.index()];
            *own = own.saturating_sub(at.saturating_sub(since));
        }
    }

    fn end(&mut self, winner: Option<Seat>, by: Ending, at: u64) {
        self.stop_clock(at);
        let face = &mut self.face;
        face.verdict = Some(GameVerdict { winner, by });
        match winner {
            Some(seat) => face.wins[seat.index()] += 1,
            None => face.draws += 1,
        }
        (face.draw_offer, face.take_back, face.claim) = (None, None, None);
    }
}

/// The transition of a stored entry, with the player id of a join, read as JSON.
pub(super) fn stored_transition(entry: &[u8]) -> (Value, Transition) {
    // The checksum follows the JSON.
    let mut values = serde_json::Deserializer::from_slice(entry).into_iter::<Value>();
    let value = values.next().expect("an entry").expect("JSON");
    let transition = serde_json::from_value(value["transition"].clone());
    (value, transition.expect("a transition"))
}
