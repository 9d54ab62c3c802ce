use core::fmt::Debug;
use core::mem;
#[cfg(feature = "answers")]
use std::borrow::Cow;
use std::sync::Arc;

use open_ttt_lib::rules::{Named, Notation, Outcome, Side, SpecError, TwoPlayerGame};
use open_ttt_lib::state_machine::{GameMachine, GameMove, SavedGame, StateMachine};
use serde::{Deserialize, Serialize};

use super::{Act, Actor, Clock, MatchConflict, Player, Seat, Settings, SettingsError, Transition};
#[cfg(feature = "answers")]
use crate::replication::Proposal;

/// The time the opponent has to answer a claim, in milliseconds.
pub const CLAIM_MS: u64 = 20_000;

/// A match: two seats and a series of games in which they alternate moving first.
///
/// Its JSON form has these fields in this order. It is read as a
/// [`SavedMatch`](super::SavedMatch), which is restored with a catalog in hand if the
/// game is chosen at run time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename = "match", bound = "G: Named + Notation")]
pub struct MatchMachine<G: TwoPlayerGame> {
    /// Shared by all states of a match, as the players are.
    pub(super) settings: Arc<Settings>,
    pub(super) seats: [Option<Arc<Player>>; 2],
    /// The number of the current game, from 1.
    pub(super) number: u32,
    /// Shared by all states up to the next move: its thousands of positions are not copied
    /// for other acts.
    pub(super) game: Arc<GameMachine<G>>,
    pub(super) verdict: Option<GameVerdict>,
    pub(super) score: Score,
    pub(super) clock: Option<Clock>,
    pub(super) draw_offer: Option<Seat>,
    pub(super) take_back: Option<Seat>,
    /// The seat that claims that the opponent has left, and since when.
    pub(super) claim: Option<(Seat, u64)>,
    pub(super) rematch: [bool; 2],
    /// When the last change happened.
    pub(super) at: u64,
}

/// The result of a game of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GameVerdict {
    /// The winner; `None` in a draw.
    pub winner: Option<Seat>,
    /// What ended the game.
    pub by: Ending,
}

/// What ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The rules of the game.
    Rules,
    /// A player resigned.
    Resignation,
    /// The players agreed on a draw.
    Agreement,
    /// A player ran out of time.
    Time,
    /// A player left.
    Abandonment,
}

/// The results of the finished games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// The games won by each seat.
    pub wins: [u32; 2],
    /// The drawn games.
    pub draws: u32,
}

impl<G: Named + Notation> MatchMachine<G> {
    /// A match with two empty seats. `find` returns the start position of the game
    /// with a name.
    ///
    /// # Errors
    ///
    /// If there is no such game, the time control is out of bounds, or no match can
    /// begin after these moves.
    pub fn new(
        mut settings: Settings,
        find: impl FnOnce(&str) -> Result<G, SpecError>,
    ) -> Result<Self, SettingsError> {
        let start = find(&settings.game).map_err(SettingsError::Game)?;
        if settings.clock.is_some_and(|control| !control.is_valid()) {
            return Err(SettingsError::Clock);
        }
        settings.game = start.name();
        let game = begin(start, &settings)?;
        settings.moves = game.saved().moves;
        Ok(Self::before_first_change(Arc::new(settings), game))
    }
}

/// The game after the moves that are given.
fn begin<G: Notation>(start: G, settings: &Settings) -> Result<GameMachine<G>, SettingsError> {
    if settings.moves.is_empty() {
        return Ok(GameMachine::from_start(start));
    }
    if settings.rated {
        return Err(SettingsError::Rated);
    }
    if settings.moves.len() > Settings::MAX_GIVEN {
        return Err(SettingsError::TooManyMoves);
    }
    let saved = SavedGame {
        game: settings.game.clone(),
        moves: settings.moves.clone(),
    };
    let game = GameMachine::restore(&saved, |_| Ok(start)).map_err(SettingsError::Moves)?;
    match game.outcome() {
        None => Ok(game),
        Some(_) => Err(SettingsError::Over),
    }
}

impl<G: TwoPlayerGame> MatchMachine<G> {
    /// The match before its first change.
    pub fn beginning(&self) -> Self {
        let settings = Arc::clone(&self.settings);
        let game = self.game.rewound(settings.moves.len());
        Self::before_first_change(settings, game)
    }

    fn before_first_change(settings: Arc<Settings>, game: GameMachine<G>) -> Self {
        Self {
            clock: settings.clock.map(Clock::new),
            settings,
            seats: [None, None],
            number: 1,
            game: Arc::new(game),
            verdict: None,
            score: Score::default(),
            draw_offer: None,
            take_back: None,
            claim: None,
            rematch: [false; 2],
            at: 0,
        }
    }

    /// The settings of the match.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The player in a seat.
    pub fn player(&self, seat: Seat) -> Option<&Player> {
        self.seats[seat.index()].as_deref()
    }

    /// Whether a seat is taken by a computer player of the catalog.
    pub fn has_computer(&self, seat: Seat) -> bool {
        let player = self.player(seat);
        player.is_some_and(|player| player.computer.is_some())
    }

    /// The number of the current game, from 1.
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The current game.
    pub fn game(&self) -> &GameMachine<G> {
        &self.game
    }

    /// Whether a player has moved in the current game.
    pub fn has_moves(&self) -> bool {
        self.game.moves().len() > self.settings.moves.len()
    }

    /// The result of the current game, once it is over.
    pub const fn verdict(&self) -> Option<GameVerdict> {
        self.verdict
    }

    /// The score of the match.
    pub const fn score(&self) -> Score {
        self.score
    }

    /// The clocks, if the match has a time control.
    pub const fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// The seat that offers a draw.
    pub const fn draw_offer(&self) -> Option<Seat> {
        self.draw_offer
    }

    /// The seat that asks for a take-back.
    pub const fn take_back(&self) -> Option<Seat> {
        self.take_back
    }

    /// Whether time counts now: a clock is running, or a claim is open.
    pub fn is_timed(&self) -> bool {
        self.claim.is_some() || self.clock.is_some_and(|clock| clock.running.is_some())
    }

    /// The seat that claims that the opponent has left, and since when, in
    /// milliseconds since 1970.
    pub const fn claim(&self) -> Option<(Seat, u64)> {
        self.claim
    }

    /// Whether a seat asks for another game.
    pub const fn wants_rematch(&self, seat: Seat) -> bool {
        self.rematch[seat.index()]
    }

    /// When the last change happened, in milliseconds since 1970.
    pub const fn at(&self) -> u64 {
        self.at
    }

    /// Whether both seats are taken.
    pub const fn has_started(&self) -> bool {
        self.seats[0].is_some() && self.seats[1].is_some()
    }

    /// Whether a game is in progress.
    pub const fn is_running(&self) -> bool {
        self.has_started() && self.verdict.is_none()
    }

    /// The seat that plays a side in the current game.
    pub fn seat_of(&self, side: Side) -> Seat {
        let first = self.settings.first;
        let is_swapped = self.number.is_multiple_of(2) != (side == Side::Second);
        if is_swapped { !first } else { first }
    }

    /// The side that a seat plays in the current game.
    pub fn side_of(&self, seat: Seat) -> Side {
        if self.seat_of(Side::First) == seat {
            Side::First
        } else {
            Side::Second
        }
    }

    /// The seat to move, while a game is in progress.
    pub fn to_move(&self) -> Option<Seat> {
        self.is_running()
            .then(|| self.seat_of(self.game.position().to_move()))
    }

    fn check_running(&self) -> Result<(), MatchConflict> {
        if self.verdict.is_some() {
            Err(MatchConflict::GameOver)
        } else if self.has_started() {
            Ok(())
        } else {
            Err(MatchConflict::NotStarted)
        }
    }

    fn join(&mut self, seat: Seat, player: &Player) -> Result<(), MatchConflict> {
        if self.seats[seat.index()].is_some() {
            return Err(MatchConflict::SeatTaken);
        }
        if !player.has_valid_name() {
            return Err(MatchConflict::UnfitName);
        }
        if self.settings.rated && player.computer.is_some() {
            return Err(MatchConflict::Rated);
        }
        self.seats[seat.index()] = Some(Arc::new(player.clone()));
        Ok(())
    }

    fn end(&mut self, winner: Option<Seat>, by: Ending) {
        self.verdict = Some(GameVerdict { winner, by });
        match winner {
            Some(seat) => self.score.wins[seat.index()] += 1,
            None => self.score.draws += 1,
        }
        self.draw_offer = None;
        self.take_back = None;
        self.claim = None;
        if let Some(clock) = &mut self.clock {
            clock.stop(self.at);
        }
    }

    fn forfeit(&mut self) -> Result<(), MatchConflict> {
        self.check_running()?;
        let (seat, since) = self.claim.ok_or(MatchConflict::NotAsked)?;
        if self.at < since.saturating_add(CLAIM_MS) {
            return Err(MatchConflict::TimeLeft);
        }
        self.end(Some(seat), Ending::Abandonment);
        Ok(())
    }

    fn offer_draw(&mut self, seat: Seat) -> Result<(), MatchConflict> {
        match self.draw_offer {
            Some(offerer) if offerer == seat => return Err(MatchConflict::AlreadyAsked),
            Some(_) => self.end(None, Ending::Agreement),
            None => self.draw_offer = Some(seat),
        }
        Ok(())
    }

    /// Removes the opponent's offer or request, which is answered.
    fn take_request(request: &mut Option<Seat>, seat: Seat) -> Result<(), MatchConflict> {
        let answered = request.take_if(|asker| *asker != seat);
        answered.map(drop).ok_or(MatchConflict::NotAsked)
    }

    /// The number of moves that remain after a seat's last move is taken back.
    fn moves_before_last_of(&self, seat: Seat) -> Option<usize> {
        let kept = self.game.history().earlier();
        let replayed: Vec<G>;
        let positions = if kept.is_empty() {
            replayed = self.positions_before_moves();
            replayed.as_slice()
        } else {
            kept
        };
        let given = self.settings.moves.len();
        let is_of_seat = |position: &G| self.seat_of(position.to_move()) == seat;
        let after_given = positions.get(given..)?.iter().rposition(is_of_seat)?;
        Some(given + after_given)
    }

    fn positions_before_moves(&self) -> Vec<G> {
        let mut position = self.game.start().clone();
        let before = |&m: &G::Move| {
            let before = position.clone();
            position.play_unchecked(m);
            before
        };
        self.game.moves().iter().map(before).collect()
    }

    fn return_time(&mut self, ms: u64) -> Result<(), MatchConflict> {
        self.check_running()?;
        let at = self.at;
        let clock = self.clock.as_mut();
        let is_clock_running = clock.is_some_and(|clock| clock.give_back(ms, at));
        if let Some((_, since)) = &mut self.claim {
            *since = since.saturating_add(ms).min(at);
        } else if !is_clock_running {
            return Err(MatchConflict::NotYours);
        }
        Ok(())
    }

    fn time_out(&mut self) -> Result<(), MatchConflict> {
        self.check_running()?;
        let is_over = |clock: &Clock| clock.deadline().is_some_and(|at| self.at >= at);
        let running = self.clock.filter(is_over).and_then(|clock| clock.running);
        let (seat, _) = running.ok_or(MatchConflict::TimeLeft)?;
        self.end(Some(!seat), Ending::Time);
        Ok(())
    }
}

#[cfg(feature = "answers")]
impl<G: Notation> MatchMachine<G> {
    /// Whether the current game goes on, but has had the most moves that a game can have.
    pub(crate) fn is_out_of_moves(&self) -> bool {
        self.is_running() && self.game.moves().len() >= GameMachine::<G>::MAX_MOVES
    }

    /// The proposal with the game's own text of its move, if that is legal now. A client may
    /// have written it with spaces and capitals, which nobody else needs to keep.
    pub(crate) fn in_own_text<'a>(
        &self,
        proposal: &'a Proposal<Transition>,
    ) -> Cow<'a, Proposal<Transition>> {
        let Act::Move { text, lag_ms } = &proposal.transition.act else {
            return Cow::Borrowed(proposal);
        };
        let position = self.game.position();
        let m = position.parse_move(&text.0).ok();
        let own = m.filter(|&m| position.check(m).is_ok());
        let own = own.map(|m| GameMove(position.move_text(m)));
        let Some(own) = own.filter(|own| own != text) else {
            return Cow::Borrowed(proposal);
        };
        let mut proposal = proposal.clone();
        proposal.transition.act = Act::Move {
            text: own,
            lag_ms: *lag_ms,
        };
        Cow::Owned(proposal)
    }
}

impl<G: Named + Notation + Debug + 'static> MatchMachine<G> {
    fn play(&mut self, seat: Seat, text: &GameMove, lag_ms: u64) -> Result<(), MatchConflict> {
        if self.to_move() != Some(seat) {
            return Err(MatchConflict::NotYourTurn);
        }
        let mut clock = self.clock;
        if let (Some(clock), Some(control)) = (&mut clock, self.settings.clock)
            && !clock.press(self.at, lag_ms, control)
        {
            return Err(MatchConflict::TimeUp);
        }
        Arc::make_mut(&mut self.game).advance(text)?;
        self.clock = clock;
        // A move answers the opponent's draw offer and any take-back request.
        self.draw_offer.take_if(|offerer| *offerer != seat);
        self.take_back = None;
        match self.game.outcome() {
            Some(Outcome::Win(side)) => self.end(Some(self.seat_of(side)), Ending::Rules),
            Some(Outcome::Draw) => self.end(None, Ending::Rules),
            None => self.start_clock(),
        }
        Ok(())
    }

    fn start_clock(&mut self) {
        let (to_move, at) = (self.to_move(), self.at);
        if let (Some(clock), Some(seat)) = (&mut self.clock, to_move) {
            clock.start(seat, at);
        }
    }

    fn grant_take_back(&mut self, seat: Seat) -> Result<(), MatchConflict> {
        let mut request = self.take_back;
        Self::take_request(&mut request, seat)?;
        let kept = self.moves_before_last_of(!seat);
        let kept = kept.ok_or(MatchConflict::NothingToTakeBack)?;
        self.take_back = request;
        self.game = Arc::new(self.game.rewound(kept));
        self.draw_offer = None;
        if let Some(clock) = &mut self.clock {
            clock.stop(self.at);
        }
        if self.has_moves() {
            self.start_clock();
        }
        Ok(())
    }

    fn rematch(&mut self, seat: Seat) -> Result<(), MatchConflict> {
        if self.verdict.is_none() {
            return Err(MatchConflict::GameRunning);
        }
        if self.rematch[seat.index()] {
            return Err(MatchConflict::AlreadyAsked);
        }
        let mut rematch = self.rematch;
        rematch[seat.index()] = true;
        if rematch == [true; 2] {
            // Only a deserialized state can have the last number.
            let number = self.number.checked_add(1);
            self.number = number.ok_or(MatchConflict::NotYours)?;
            let given = self.settings.moves.len();
            self.game = Arc::new(self.game.rewound(given));
            self.verdict = None;
            rematch = [false; 2];
            self.clock = self.settings.clock.map(Clock::new);
        }
        self.rematch = rematch;
        Ok(())
    }

    fn by_seat(&mut self, seat: Seat, act: &Act) -> Result<(), MatchConflict> {
        if let Act::Rematch = act {
            return self.rematch(seat);
        }
        self.check_running()?;
        let claim = self.claim;
        // Any act of the opponent rejects a claim.
        let claimed = self.claim.take_if(|(claimer, _)| *claimer != seat);
        let done = self.in_game(seat, act, claimed.is_some());
        if done.is_err() {
            self.claim = claim;
        }
        done
    }

    /// An act of a seat in a running game. `rejects` tells whether the opponent had
    /// claimed, which the act rejects.
    fn in_game(&mut self, seat: Seat, act: &Act, rejects: bool) -> Result<(), MatchConflict> {
        match act {
            Act::Move { text, lag_ms } => self.play(seat, text, *lag_ms)?,
            Act::Resign => self.end(Some(!seat), Ending::Resignation),
            Act::Claim => {
                if self.claim.is_some() {
                    return Err(MatchConflict::AlreadyAsked);
                }
                self.claim = Some((seat, self.at));
            }
            Act::Stay if rejects => {}
            Act::Stay => return Err(MatchConflict::NotAsked),
            Act::OfferDraw => self.offer_draw(seat)?,
            Act::AcceptDraw => {
                Self::take_request(&mut self.draw_offer, seat)?;
                self.end(None, Ending::Agreement);
            }
            Act::RefuseDraw => Self::take_request(&mut self.draw_offer, seat)?,
            Act::AskTakeBack => {
                if self.settings.rated {
                    return Err(MatchConflict::Rated);
                }
                if self.take_back.is_some() {
                    return Err(MatchConflict::AlreadyAsked);
                }
                if self.moves_before_last_of(seat).is_none() {
                    return Err(MatchConflict::NothingToTakeBack);
                }
                self.take_back = Some(seat);
            }
            Act::GrantTakeBack => self.grant_take_back(seat)?,
            Act::RefuseTakeBack => Self::take_request(&mut self.take_back, seat)?,
            Act::Join { .. }
            | Act::TimeOut
            | Act::Forfeit
            | Act::ReturnTime { .. }
            | Act::Rematch => {
                return Err(MatchConflict::NotYours);
            }
        }
        Ok(())
    }
}

impl<G: Named + Notation + Debug + 'static> StateMachine for MatchMachine<G> {
    type Transition = Transition;
    type Conflict = MatchConflict;

    fn apply(&self, transition: &Transition) -> Result<Self, MatchConflict> {
        let mut next = self.clone();
        next.advance(transition)?;
        Ok(next)
    }

    fn advance(&mut self, transition: &Transition) -> Result<(), MatchConflict> {
        let Transition { at, by, act } = transition;
        if *at < self.at {
            return Err(MatchConflict::BackInTime);
        }
        let before = mem::replace(&mut self.at, *at);
        // Each act checks that it is possible before it changes anything.
        let done = match (by, act) {
            (Actor::Seat(seat), act) => self.by_seat(*seat, act),
            (Actor::Server, Act::Join { seat, player }) => self.join(*seat, player),
            (Actor::Server, Act::TimeOut) => self.time_out(),
            (Actor::Server, Act::Forfeit) => self.forfeit(),
            (Actor::Server, Act::ReturnTime { ms }) => self.return_time(*ms),
            (Actor::Server, _) => Err(MatchConflict::NotYours),
        };
        if done.is_err() {
            self.at = before;
        }
        done
    }
}
