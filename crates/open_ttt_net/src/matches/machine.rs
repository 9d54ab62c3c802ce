use core::fmt::Debug;

use open_ttt_lib::rules::{Named, Notation, Outcome, Side, TwoPlayerGame};
use open_ttt_lib::state_machine::{GameMachine, GameMove, StateMachine};
use serde::{Deserialize, Serialize};

use super::{Act, Actor, Clock, MatchConflict, Player, Seat, Settings, SettingsError, Transition};

/// How long the other side has to answer a claim that it has left, in
/// milliseconds.
pub const CLAIM_MS: u64 = 20_000;

/// A match: two seats, and a series of games in which they take turns to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchMachine<G: TwoPlayerGame> {
    pub(super) settings: Settings,
    pub(super) seats: [Option<Player>; 2],
    /// The number of the game that is played, from 1.
    pub(super) number: u32,
    pub(super) game: GameMachine<G>,
    pub(super) verdict: Option<GameVerdict>,
    pub(super) score: Score,
    pub(super) clock: Option<Clock>,
    pub(super) draw_offer: Option<Seat>,
    pub(super) take_back: Option<Seat>,
    /// Who claims that the other side has left, and since when.
    pub(super) claim: Option<(Seat, u64)>,
    pub(super) rematch: [bool; 2],
    /// When the last thing happened.
    pub(super) at: u64,
}

/// How a game of a match has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameVerdict {
    /// Who has won; nobody in a draw.
    pub winner: Option<Seat>,
    /// By what.
    pub by: Ending,
}

/// What has ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The rules of the game.
    Rules,
    /// One side has given up.
    Resignation,
    /// Both sides agreed on a draw.
    Agreement,
    /// One side has used up its time.
    Time,
    /// One side has left.
    Abandonment,
}

/// What has come of the games played to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// How many each seat has won.
    pub wins: [u32; 2],
    /// How many were draws.
    pub draws: u32,
}

impl<G: Named> MatchMachine<G> {
    /// A match at which nobody sits yet.
    ///
    /// # Errors
    ///
    /// If there is no such game, or the clock is out of bounds.
    pub fn new(mut settings: Settings) -> Result<Self, SettingsError> {
        let game = GameMachine::<G>::from_name(&settings.game).map_err(SettingsError::Game)?;
        if settings.clock.is_some_and(|control| !control.is_valid()) {
            return Err(SettingsError::Clock);
        }
        settings.game = game.start().name();
        Ok(Self {
            clock: settings.clock.map(Clock::new),
            settings,
            seats: [None, None],
            number: 1,
            game,
            verdict: None,
            score: Score::default(),
            draw_offer: None,
            take_back: None,
            claim: None,
            rematch: [false; 2],
            at: 0,
        })
    }
}

impl<G: TwoPlayerGame> MatchMachine<G> {
    /// What was agreed on.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Who sits on a seat.
    pub const fn player(&self, seat: Seat) -> Option<&Player> {
        self.seats[seat.index()].as_ref()
    }

    /// Whether a computer of the catalog sits on a seat.
    pub fn has_computer(&self, seat: Seat) -> bool {
        let player = self.player(seat);
        player.is_some_and(|player| player.computer.is_some())
    }

    /// The number of the game that is played, from 1.
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The game that is played.
    pub const fn game(&self) -> &GameMachine<G> {
        &self.game
    }

    /// How the game has ended, if it has.
    pub const fn verdict(&self) -> Option<GameVerdict> {
        self.verdict
    }

    /// What has come of the games so far.
    pub const fn score(&self) -> Score {
        self.score
    }

    /// The time of both sides, if it is counted.
    pub const fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// Who offers a draw.
    pub const fn draw_offer(&self) -> Option<Seat> {
        self.draw_offer
    }

    /// Who asks to have their move back.
    pub const fn take_back(&self) -> Option<Seat> {
        self.take_back
    }

    /// Who claims that the other side has left, and since when, in milliseconds
    /// since 1970.
    pub const fn claim(&self) -> Option<(Seat, u64)> {
        self.claim
    }

    /// Whether the player on a seat wants another game.
    pub const fn wants_rematch(&self, seat: Seat) -> bool {
        self.rematch[seat.index()]
    }

    /// When the last thing happened, in milliseconds since 1970.
    pub const fn at(&self) -> u64 {
        self.at
    }

    /// Whether both seats are taken.
    pub const fn has_started(&self) -> bool {
        self.seats[0].is_some() && self.seats[1].is_some()
    }

    /// Whether moves can be made.
    pub const fn is_running(&self) -> bool {
        self.has_started() && self.verdict.is_none()
    }

    /// Which seat has a side in the game that is played.
    pub fn seat_of(&self, side: Side) -> Seat {
        let swapped = self.number.is_multiple_of(2);
        let first = if swapped {
            !self.settings.first
        } else {
            self.settings.first
        };
        match side {
            Side::First => first,
            Side::Second => !first,
        }
    }

    /// Which side a seat has in the game that is played.
    pub fn side_of(&self, seat: Seat) -> Side {
        if self.seat_of(Side::First) == seat {
            Side::First
        } else {
            Side::Second
        }
    }

    /// Whose turn it is, while the game runs.
    pub fn to_move(&self) -> Option<Seat> {
        self.is_running()
            .then(|| self.seat_of(self.game.position().to_move()))
    }

    fn running(&self) -> Result<(), MatchConflict> {
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
        self.seats[seat.index()] = Some(player.clone());
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

    /// Answers what the other side has asked.
    fn answer(asked: &mut Option<Seat>, seat: Seat) -> Result<(), MatchConflict> {
        asked
            .take_if(|asker| *asker != seat)
            .map(|_| ())
            .ok_or(MatchConflict::NotAsked)
    }

    /// How many moves are left when a seat has its last one back.
    fn moves_before_last_of(&self, seat: Seat) -> Option<usize> {
        let mut position = self.game.start().clone();
        let mut last = None;
        for (index, &m) in self.game.moves().iter().enumerate() {
            if self.seat_of(position.to_move()) == seat {
                last = Some(index);
            }
            position.play_unchecked(m);
        }
        last
    }

    fn time_out(&mut self) -> Result<(), MatchConflict> {
        let running = self.clock.and_then(|clock| clock.running);
        let deadline = self.clock.and_then(|clock| clock.deadline());
        match (running, deadline) {
            (Some((seat, _)), Some(deadline)) if self.at >= deadline => {
                self.end(Some(!seat), Ending::Time);
                Ok(())
            }
            _ => Err(MatchConflict::TimeLeft),
        }
    }
}

impl<G: Named + Notation + Debug + 'static> MatchMachine<G> {
    fn play(&mut self, seat: Seat, text: &GameMove, lag_ms: u64) -> Result<(), MatchConflict> {
        if self.to_move() != Some(seat) {
            return Err(MatchConflict::NotYourTurn);
        }
        let game = self.game.apply(text)?;
        let control = self.settings.clock;
        if let (Some(clock), Some(control)) = (&mut self.clock, control)
            && !clock.press(self.at, lag_ms, control)
        {
            return Err(MatchConflict::TimeUp);
        }
        self.game = game;
        // Who moves has made up their mind.
        self.draw_offer.take_if(|offerer| *offerer != seat);
        self.take_back = None;
        match self.game.position().outcome() {
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
        Self::answer(&mut self.take_back, seat)?;
        let kept = self
            .moves_before_last_of(!seat)
            .ok_or(MatchConflict::NothingToTakeBack)?;
        let mut game = self.fresh_game()?;
        for &m in &self.game.moves()[..kept] {
            game = game.apply(&game.transition(m))?;
        }
        self.game = game;
        self.draw_offer = None;
        if let Some(clock) = &mut self.clock {
            clock.stop(self.at);
        }
        if kept > 0 {
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
        self.rematch[seat.index()] = true;
        if self.rematch == [true; 2] {
            // Only a state from outside counts so far.
            let number = self.number.checked_add(1);
            self.number = number.ok_or(MatchConflict::NotYours)?;
            self.game = self.fresh_game()?;
            self.verdict = None;
            self.rematch = [false; 2];
            self.clock = self.settings.clock.map(Clock::new);
        }
        Ok(())
    }

    /// The game before its first move. Its name has led to it once, so it does.
    fn fresh_game(&self) -> Result<GameMachine<G>, MatchConflict> {
        GameMachine::new(self.game.start().clone()).map_err(|_| MatchConflict::NotYours)
    }

    fn by_seat(&mut self, seat: Seat, act: &Act) -> Result<(), MatchConflict> {
        if let Act::Rematch = act {
            return self.rematch(seat);
        }
        self.running()?;
        // Whoever does something is there.
        let claimed = self.claim.take_if(|(claimer, _)| *claimer != seat);
        match act {
            Act::Move { text, lag_ms } => self.play(seat, text, *lag_ms)?,
            Act::Resign => self.end(Some(!seat), Ending::Resignation),
            Act::Claim => {
                if self.claim.is_some() {
                    return Err(MatchConflict::AlreadyAsked);
                }
                self.claim = Some((seat, self.at));
            }
            Act::Stay => {
                claimed.ok_or(MatchConflict::NotAsked)?;
            }
            Act::OfferDraw => self.offer_draw(seat)?,
            Act::AcceptDraw => {
                Self::answer(&mut self.draw_offer, seat)?;
                self.end(None, Ending::Agreement);
            }
            Act::RefuseDraw => Self::answer(&mut self.draw_offer, seat)?,
            Act::AskTakeBack => {
                if self.take_back.is_some() {
                    return Err(MatchConflict::AlreadyAsked);
                }
                if self.moves_before_last_of(seat).is_none() {
                    return Err(MatchConflict::NothingToTakeBack);
                }
                self.take_back = Some(seat);
            }
            Act::GrantTakeBack => self.grant_take_back(seat)?,
            Act::RefuseTakeBack => Self::answer(&mut self.take_back, seat)?,
            Act::Join { .. } | Act::TimeOut | Act::Forfeit | Act::Rematch => {
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
        let Transition { at, by, act } = transition;
        if *at < self.at {
            return Err(MatchConflict::BackInTime);
        }
        let mut next = self.clone();
        next.at = *at;
        match (by, act) {
            (Actor::Seat(seat), act) => next.by_seat(*seat, act)?,
            (Actor::Server, Act::Join { seat, player }) => next.join(*seat, player)?,
            (Actor::Server, Act::TimeOut) => {
                next.running()?;
                next.time_out()?;
            }
            (Actor::Server, Act::Forfeit) => {
                next.running()?;
                next.forfeit()?;
            }
            (Actor::Server, _) => return Err(MatchConflict::NotYours),
        }
        Ok(next)
    }
}
