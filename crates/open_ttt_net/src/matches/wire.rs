//! The JSON form of a match, and the checks of a match that is read.

use core::fmt::Debug;

use open_ttt_lib::rules::{Named, Notation, Outcome};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Ending, GameVerdict, MatchMachine};

// With `remote = "Self"` the derives make functions of these names, so that the
// checks can follow.
impl<G: Named + Notation> Serialize for MatchMachine<G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de, G: Named + Notation + Debug> Deserialize<'de> for MatchMachine<G> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)?
            .checked()
            .map_err(de::Error::custom)
    }
}

impl<G: Named> MatchMachine<G> {
    /// This match with its settings normalized, if transitions can have led to it.
    fn checked(self) -> Result<Self, &'static str> {
        let fresh = Self::new(self.settings).map_err(|_| "invalid settings")?;
        if self.game.start() != fresh.game.start() {
            return Err("the game does not match the settings");
        }
        let this = Self {
            settings: fresh.settings,
            ..self
        };
        let mut players = this.seats.iter().flatten();
        if players.any(|player| !player.has_valid_name()) {
            return Err("a player has an invalid name");
        }
        let has_moves = !this.game.moves().is_empty();
        if !this.has_started() && (has_moves || this.verdict.is_some()) {
            return Err("a game has begun at an empty seat");
        }
        let ended = this.score.wins.into_iter().chain([this.score.draws]);
        let finished: u64 = ended.map(u64::from).sum();
        if u64::from(this.number) != finished + u64::from(this.verdict.is_none()) {
            return Err("the score does not match the number of games");
        }
        if !this.has_possible_verdict() {
            return Err("the verdict does not match the game");
        }
        let has_request =
            this.draw_offer.is_some() || this.take_back.is_some() || this.claim.is_some();
        if has_request && !this.is_running() {
            return Err("there is an offer or a claim, but no game in progress");
        }
        if this.rematch != [false; 2] && (this.verdict.is_none() || this.rematch == [true; 2]) {
            return Err("a rematch is requested while a game is in progress");
        }
        if this.clock.is_some() != this.settings.clock.is_some() {
            return Err("the clock does not match the settings");
        }
        let running = this.clock.and_then(|clock| clock.running);
        let expected = this.to_move().filter(|_| this.clock.is_some() && has_moves);
        if running.map(|(seat, _)| seat) != expected {
            return Err("the clock is not running for the side to move");
        }
        if running.is_some_and(|(_, since)| since > this.at) {
            return Err("the clock starts in the future");
        }
        Ok(this)
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
