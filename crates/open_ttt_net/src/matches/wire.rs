//! A match as it is written, and the one gate through which it is read.

use core::fmt::Debug;

use open_ttt_lib::rules::{Named, Notation, Outcome, TwoPlayerGame};
use open_ttt_lib::state_machine::GameMachine;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Clock, Ending, GameVerdict, MatchMachine, Player, Score, Seat, Settings};

#[derive(Serialize)]
#[serde(bound = "")]
struct Written<'a, G: Named + Notation> {
    settings: &'a Settings,
    seats: &'a [Option<Player>; 2],
    number: u32,
    game: &'a GameMachine<G>,
    verdict: Option<GameVerdict>,
    score: Score,
    clock: Option<Clock>,
    draw_offer: Option<Seat>,
    take_back: Option<Seat>,
    claim: Option<(Seat, u64)>,
    rematch: [bool; 2],
    at: u64,
}

#[derive(Deserialize)]
#[serde(rename = "match", deny_unknown_fields)]
#[serde(bound = "G: Named + Notation")]
struct Read<G: TwoPlayerGame> {
    settings: Settings,
    seats: [Option<Player>; 2],
    number: u32,
    game: GameMachine<G>,
    verdict: Option<GameVerdict>,
    score: Score,
    clock: Option<Clock>,
    draw_offer: Option<Seat>,
    take_back: Option<Seat>,
    claim: Option<(Seat, u64)>,
    rematch: [bool; 2],
    at: u64,
}

impl<G: Named + Notation> Serialize for MatchMachine<G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written {
            settings: &self.settings,
            seats: &self.seats,
            number: self.number,
            game: &self.game,
            verdict: self.verdict,
            score: self.score,
            clock: self.clock,
            draw_offer: self.draw_offer,
            take_back: self.take_back,
            claim: self.claim,
            rematch: self.rematch,
            at: self.at,
        }
        .serialize(serializer)
    }
}

impl<'de, G: Named + Notation + Debug> Deserialize<'de> for MatchMachine<G> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Read::<G>::deserialize(deserializer)?;
        check(read).map_err(de::Error::custom)
    }
}

/// Accepts what transitions can have led to.
fn check<G: Named>(read: Read<G>) -> Result<MatchMachine<G>, &'static str> {
    let fresh = MatchMachine::<G>::new(read.settings).map_err(|_| "unfit settings")?;
    if read.game.start() != fresh.game.start() {
        return Err("the game is not the one agreed on");
    }
    let table = MatchMachine {
        settings: fresh.settings,
        seats: read.seats,
        number: read.number,
        game: read.game,
        verdict: read.verdict,
        score: read.score,
        clock: read.clock,
        draw_offer: read.draw_offer,
        take_back: read.take_back,
        claim: read.claim,
        rematch: read.rematch,
        at: read.at,
    };
    if table
        .seats
        .iter()
        .flatten()
        .any(|player| !player.has_valid_name())
    {
        return Err("a player has an unfit name");
    }
    if !table.has_started() && (!table.game.moves().is_empty() || table.verdict.is_some()) {
        return Err("a game has begun at an empty seat");
    }
    let Score {
        wins: [a, b],
        draws,
    } = table.score;
    let finished = u64::from(a) + u64::from(b) + u64::from(draws);
    let begun = finished + u64::from(table.verdict.is_none());
    if u64::from(table.number) != begun {
        return Err("the score does not fit the number of games");
    }
    let by_rules = table.game.position().outcome().map(|outcome| GameVerdict {
        winner: match outcome {
            Outcome::Win(side) => Some(table.seat_of(side)),
            Outcome::Draw => None,
        },
        by: Ending::Rules,
    });
    let fits = match (by_rules, table.verdict) {
        (Some(_), verdict) => verdict == by_rules,
        (None, None) => true,
        (None, Some(GameVerdict { winner, by })) => match by {
            Ending::Rules => false,
            Ending::Agreement => winner.is_none(),
            Ending::Resignation | Ending::Time | Ending::Abandonment => winner.is_some(),
        },
    };
    if !fits {
        return Err("the verdict does not fit the game");
    }
    let open = table.is_running();
    if !open && (table.draw_offer.is_some() || table.take_back.is_some() || table.claim.is_some()) {
        return Err("something is offered in a game that does not run");
    }
    if table.rematch != [false; 2] && (table.verdict.is_none() || table.rematch == [true; 2]) {
        return Err("a rematch is asked for while the game runs");
    }
    if table.clock.is_some() != table.settings.clock.is_some() {
        return Err("the clock is not the one agreed on");
    }
    let running = table.clock.and_then(|clock| clock.running);
    let begun = !table.game.moves().is_empty();
    let expected = table.to_move().filter(|_| table.clock.is_some() && begun);
    if running.map(|(seat, _)| seat) != expected {
        return Err("the clock does not run for the side to move");
    }
    if running.is_some_and(|(_, since)| since > table.at) {
        return Err("the clock runs from a time to come");
    }
    Ok(table)
}
