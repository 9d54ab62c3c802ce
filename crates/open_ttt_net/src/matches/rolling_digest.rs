use std::io;
use std::sync::Arc;

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
    seats: &'a [Option<Arc<Player>>; 2],
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

    /// Goes on to the state after a move. Everything before its game has to be as it was.
    pub(crate) fn play<G: Named + Notation>(&mut self, state: &MatchMachine<G>) {
        let game = &state.game;
        if let (Some(before), Some(&last)) = (game.history().before(), game.moves().last()) {
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
        let end = self.prefix.extended(b"]},");
        let mut behind = BehindBrace::of(end);
        let written = Behind {
            verdict: &state.verdict,
            score: &state.score,
            clock: &state.clock,
            draw_offer: state.draw_offer,
            take_back: state.take_back,
            claim: &state.claim,
            rematch: state.rematch,
            at: state.at,
        };
        // As for any digest, it covers what was written.
        let _ = serde_json::to_writer(&mut behind, &written);
        Digest(behind.hash)
    }
}

/// Hashes JSON as it is written, without the brace that it begins with.
struct BehindBrace {
    hash: Fnv1a,
    is_behind: bool,
}

impl BehindBrace {
    const fn of(hash: Fnv1a) -> Self {
        let is_behind = false;
        Self { hash, is_behind }
    }
}

impl io::Write for BehindBrace {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let skipped = usize::from(!self.is_behind).min(bytes.len());
        self.is_behind |= skipped > 0;
        self.hash = self.hash.extended(&bytes[skipped..]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
