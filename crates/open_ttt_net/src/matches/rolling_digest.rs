use open_ttt_lib::rules::{Named, Notation};
use serde::Serialize;

use super::{Clock, GameVerdict, MatchMachine, Player, Score, Seat, Settings};
use crate::fnv::Fnv1a;
use crate::json::{fields, to_json};
use crate::replication::Digest;

/// The digest of a match that is kept up to date from move to move.
///
/// Writing the JSON of a match takes time proportional to its number of moves, and so
/// does hashing it. A move adds itself to the list of moves, and leaves what is before
/// it as it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RollingDigest {
    /// Of the JSON up to the last move.
    prefix: Fnv1a,
    /// Whether there is a move.
    has_moves: bool,
}

/// The fields of a match before its game.
#[derive(Serialize)]
struct Before<'a> {
    settings: &'a Settings,
    seats: &'a [Option<Player>; 2],
    number: u32,
}

/// The fields of a match behind its game.
#[derive(Serialize)]
struct Behind<'a> {
    verdict: &'a Option<GameVerdict>,
    score: &'a Score,
    clock: &'a Option<Clock>,
    draw_offer: Option<Seat>,
    take_back: Option<Seat>,
    claim: &'a Option<(Seat, u64)>,
    rematch: [bool; 2],
    at: u64,
}

impl RollingDigest {
    /// That of a match.
    pub(crate) fn of<G: Named + Notation>(state: &MatchMachine<G>) -> Self {
        let before = to_json(&Before {
            settings: &state.settings,
            seats: &state.seats,
            number: state.number,
        });
        let name = to_json(&state.game.start().name());
        let mut rolling = Self {
            prefix: Fnv1a::EMPTY
                .extended(b"{")
                .extended(fields(&before))
                .extended(br#","game":{"game":"#)
                .extended(&name)
                .extended(br#","moves":["#),
            has_moves: false,
        };
        for text in state.game.history().move_texts() {
            rolling.add(&text);
        }
        rolling
    }

    /// Goes on to the state after a move in this position. Everything before its game
    /// has to be as it was.
    pub(crate) fn play<G: Named + Notation>(&mut self, before: &G, state: &MatchMachine<G>) {
        if let Some(&last) = state.game.moves().last() {
            self.add(&before.move_text(last));
        }
    }

    fn add(&mut self, text: &str) {
        if self.has_moves {
            self.prefix = self.prefix.extended(b",");
        }
        self.prefix = self.prefix.extended(&to_json(&text));
        self.has_moves = true;
    }

    /// The digest of the match in this state.
    pub(crate) fn digest<G: Named + Notation>(&self, state: &MatchMachine<G>) -> Digest {
        let behind = to_json(&Behind {
            verdict: &state.verdict,
            score: &state.score,
            clock: &state.clock,
            draw_offer: state.draw_offer,
            take_back: state.take_back,
            claim: &state.claim,
            rematch: state.rematch,
            at: state.at,
        });
        let end = self.prefix.extended(b"]},").extended(fields(&behind));
        Digest(end.extended(b"}"))
    }
}
