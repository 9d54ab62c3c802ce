//! The JSON form of a match, and the checks of a match that is read.

use std::sync::Arc;

use open_ttt_lib::rules::{FromName, Named, Notation, Outcome, SpecError};
use open_ttt_lib::state_machine::{GameMachine, RestoreError, SavedGame};
use serde::{Deserialize, Deserializer, Serialize, de};

use super::{
    Clock, Ending, GameVerdict, MatchMachine, Player, Score, Seat, Settings, SettingsError,
};

/// The JSON of a [`MatchMachine`], not yet checked by the rules.
///
/// It is written with the same fields in the same order as the match itself, so it
/// has the same [digest](crate::replication::Digest).
///
/// ```
/// use open_ttt_catalog::Catalog;
/// use open_ttt_net::matches::{MatchMachine, SavedMatch, Settings};
///
/// let catalog = Catalog::bundled();
/// let find = |name: &str| catalog.game(name);
/// let state = MatchMachine::new(Settings::of_game("pegs"), find)?;
/// let saved: SavedMatch = serde_json::from_str(&serde_json::to_string(&state)?)?;
/// assert_eq!(saved, SavedMatch::of(&state));
/// assert_eq!(saved.restore(find)?, state);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SavedMatch"))]
#[serde(rename = "match", deny_unknown_fields)]
pub struct SavedMatch {
    settings: Settings,
    seats: [Option<Player>; 2],
    number: u32,
    #[cfg_attr(feature = "schema", schemars(with = "crate::protocol::GameMoves"))]
    game: SavedGame,
    verdict: Option<GameVerdict>,
    score: Score,
    clock: Option<Clock>,
    draw_offer: Option<Seat>,
    take_back: Option<Seat>,
    claim: Option<(Seat, u64)>,
    rematch: [bool; 2],
    at: u64,
}

/// Why a [`SavedMatch`] can't be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SavedMatchError {
    /// The settings are invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The rules of the game forbid its moves.
    #[error(transparent)]
    Game(#[from] RestoreError),
    /// No transitions lead to this state.
    #[error("{0}")]
    Impossible(&'static str),
}

impl SavedMatch {
    /// A match as its JSON has it.
    pub fn of<G: Named + Notation>(state: &MatchMachine<G>) -> Self {
        Self {
            settings: state.settings().clone(),
            seats: Seat::ALL.map(|seat| state.player(seat).cloned()),
            number: state.number,
            game: state.game.saved(),
            verdict: state.verdict,
            score: state.score,
            clock: state.clock,
            draw_offer: state.draw_offer,
            take_back: state.take_back,
            claim: state.claim,
            rematch: state.rematch,
            at: state.at,
        }
    }

    /// The match, with its settings normalized, if transitions can have led to it.
    /// `find` returns the start position of the game with a name.
    ///
    /// # Errors
    ///
    /// [`SavedMatchError`] if no transitions lead to it.
    pub fn restore<G: Named + Notation>(
        self,
        find: impl Fn(&str) -> Result<G, SpecError>,
    ) -> Result<MatchMachine<G>, SavedMatchError> {
        let fresh = MatchMachine::new(self.settings, &find)?;
        let game = GameMachine::restore(&self.game, &find)?;
        let given = fresh.game.moves();
        if game.start() != fresh.game.start() || !game.moves().starts_with(given) {
            let cause = "the game does not match the settings";
            return Err(SavedMatchError::Impossible(cause));
        }
        let restored = MatchMachine {
            settings: fresh.settings,
            seats: self.seats.map(|player| player.map(Arc::new)),
            number: self.number,
            game: Arc::new(game),
            verdict: self.verdict,
            score: self.score,
            clock: self.clock,
            draw_offer: self.draw_offer,
            take_back: self.take_back,
            claim: self.claim,
            rematch: self.rematch,
            at: self.at,
        };
        match restored.impossibility() {
            None => Ok(restored),
            Some(cause) => Err(SavedMatchError::Impossible(cause)),
        }
    }
}

impl<'de, G: FromName + Notation> Deserialize<'de> for MatchMachine<G> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = SavedMatch::deserialize(deserializer)?;
        saved.restore(G::from_name).map_err(de::Error::custom)
    }
}

impl<G: Named> MatchMachine<G> {
    /// Why no transitions can have led to this match; `None` if they can.
    fn impossibility(&self) -> Option<&'static str> {
        let mut players = self.seats.iter().flatten();
        if players.any(|player| !player.has_valid_name()) {
            return Some("a player has an invalid name");
        }
        let has_computer = Seat::ALL.into_iter().any(|seat| self.has_computer(seat));
        if self.settings.rated && (has_computer || self.take_back.is_some()) {
            return Some("a rated game has a computer player or a take-back");
        }
        let has_moves = self.has_moves();
        if !self.has_started() && (has_moves || self.verdict.is_some()) {
            return Some("a game has begun at an empty seat");
        }
        let ended = self.score.wins.into_iter().chain([self.score.draws]);
        let finished: u64 = ended.map(u64::from).sum();
        if u64::from(self.number) != finished + u64::from(self.verdict.is_none()) {
            return Some("the score does not match the number of games");
        }
        if !self.has_possible_verdict() {
            return Some("the verdict does not match the game");
        }
        let has_request =
            self.draw_offer.is_some() || self.take_back.is_some() || self.claim.is_some();
        if has_request && !self.is_running() {
            return Some("there is an offer or a claim, but no game in progress");
        }
        if self.rematch != [false; 2] && (self.verdict.is_none() || self.rematch == [true; 2]) {
            return Some("a rematch is requested while a game is in progress");
        }
        if self.clock.is_some() != self.settings.clock.is_some() {
            return Some("the clock does not match the settings");
        }
        let running = self.clock.and_then(|clock| clock.running);
        let expected = self.to_move().filter(|_| self.clock.is_some() && has_moves);
        if running.map(|(seat, _)| seat) != expected {
            return Some("the clock is not running for the side to move");
        }
        if running.is_some_and(|(_, since)| since > self.at) {
            return Some("the clock starts in the future");
        }
        None
    }

    fn has_possible_verdict(&self) -> bool {
        let by_rules = self.game.outcome().map(|outcome| GameVerdict {
            winner: match outcome {
                Outcome::Win(side) => Some(self.seat_of(side)),
                Outcome::Draw => None,
            },
            by: Ending::Rules,
        });
        match (by_rules, self.verdict) {
            (Some(_), verdict) => verdict == by_rules,
            (None, None) => true,
            (None, Some(GameVerdict { winner, by })) => match by {
                Ending::Rules => false,
                Ending::Agreement => winner.is_none(),
                Ending::Resignation | Ending::Time | Ending::Abandonment => winner.is_some(),
            },
        }
    }
}
