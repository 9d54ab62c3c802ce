//! What happens in a match, in sentences.

use open_ttt_lib::rules::{Drawing, Notation, Side};
use open_ttt_net::matches::{Act, Actor, DynMatch, Ending, GameVerdict, Score, Seat, Transition};
use open_ttt_net::protocol::Presence;

use crate::commands::count;

/// A match and the seat it is told from.
#[derive(Clone, Copy)]
pub(super) struct Teller<'a> {
    pub(super) table: &'a DynMatch,
    pub(super) seat: Option<Seat>,
}

impl Teller<'_> {
    /// Who sits on a seat: `You`, or a name.
    pub(super) fn who(&self, seat: Seat) -> String {
        if self.seat == Some(seat) {
            "You".to_owned()
        } else {
            self.name(seat)
        }
    }

    fn name(&self, seat: Seat) -> String {
        let player = self.table.player(seat);
        player.map_or_else(|| "Nobody".to_owned(), |player| player.name.clone())
    }

    /// A verb for who sits on a seat: `play`, `plays`.
    fn verb(&self, seat: Seat, plain: &str) -> String {
        let s = if self.seat == Some(seat) { "" } else { "s" };
        format!("{} {plain}{s}", self.who(seat))
    }

    fn side(&self, seat: Seat) -> &'static str {
        let side = self.table.side_of(seat);
        self.table.game().position().side_name(side)
    }

    /// What somebody has done; nothing where the board says it.
    pub(super) fn tell(&self, transition: &Transition) -> Option<String> {
        let Transition { by, act, .. } = transition;
        let seat = match (by, act) {
            (Actor::Server, Act::Join { seat, .. }) => {
                return Some(self.verb(*seat, "sit") + " down");
            }
            (Actor::Server, _) => return None,
            (Actor::Seat(seat), _) => *seat,
        };
        let own = self.seat == Some(seat);
        let is_asked = !own && self.seat.is_some();
        let hint = |hint| if is_asked { hint } else { "" };
        Some(match act {
            Act::Move { text, .. } => format!("{} {}", self.verb(seat, "play"), text.0),
            Act::Resign => self.verb(seat, "resign"),
            Act::OfferDraw if self.table.verdict().is_some() => self.verb(seat, "agree"),
            Act::OfferDraw => {
                format!(
                    "{} a draw{}",
                    self.verb(seat, "offer"),
                    hint("; yes or no?")
                )
            }
            Act::AcceptDraw => self.verb(seat, "accept") + " the draw",
            Act::RefuseDraw => self.verb(seat, "refuse") + " the draw",
            Act::AskTakeBack => format!(
                "{} to have the last move back{}",
                self.verb(seat, "ask"),
                hint("; yes or no?")
            ),
            Act::GrantTakeBack => self.verb(seat, "give") + " the move back",
            Act::RefuseTakeBack => self.verb(seat, "refuse") + " to give the move back",
            Act::Rematch if self.table.verdict().is_none() => {
                let first = self.table.seat_of(Side::First);
                let (number, side) = (self.table.number(), self.side(first));
                format!("Game {number}: {} as {side}", self.verb(first, "begin"))
            }
            Act::Rematch => {
                format!("{} another game{}", self.verb(seat, "want"), hint("; yes?"))
            }
            Act::Claim => self.verb(seat, "claim") + " the win, because the other side has left",
            Act::Stay if own => "You are still there".to_owned(),
            Act::Stay => self.name(seat) + " is still there",
            Act::Join { .. } | Act::Forfeit | Act::TimeOut => return None,
        })
    }

    /// Who plays whom, and as what.
    pub(super) fn introduction(&self) -> String {
        let seats = Seat::ALL.map(|seat| match self.table.player(seat) {
            Some(_) => format!("{} ({})", self.name(seat), self.side(seat)),
            None => "an open seat".to_owned(),
        });
        let role = match self.seat {
            Some(seat) => format!("you are {}", self.side(seat)),
            None => "you watch".to_owned(),
        };
        format!(
            "{}: {} against {}; {role}",
            self.table.settings().game,
            seats[0],
            seats[1]
        )
    }

    /// Whose turn it is, and how much time is left.
    pub(super) fn turn(&self, now: Option<u64>) -> String {
        let Some(seat) = self.table.to_move() else {
            return String::new();
        };
        let turn = if self.seat == Some(seat) {
            format!("{} turn", self.side(seat))
        } else {
            format!("{} ({}) is to move", self.name(seat), self.side(seat))
        };
        let Some(clock) = self.table.clock() else {
            return turn;
        };
        let now = now.unwrap_or_else(|| self.table.at());
        let times = Seat::ALL.map(|seat| {
            let seconds = clock.left_at(seat, now).div_ceil(1_000);
            format!("{} {}:{:02}", self.who(seat), seconds / 60, seconds % 60)
        });
        format!("{turn} (time left: {})", times.join(", "))
    }

    /// How the game has ended, and how the match stands.
    pub(super) fn result(&self, verdict: GameVerdict) -> String {
        let by = match verdict.by {
            Ending::Rules => "",
            Ending::Resignation => " by resignation",
            Ending::Agreement => " by agreement",
            Ending::Time => " on time",
            Ending::Abandonment => ", as the other side has left",
        };
        let points = self.table.game().position().picture().points;
        let points = points.filter(|_| verdict.by == Ending::Rules);
        let of = |seat, points: [u32; 2]| points[self.table.side_of(seat).index()];
        let result = match (verdict.winner, points) {
            (Some(seat), Some(points)) => format!(
                "{} {} to {}",
                self.verb(seat, "win"),
                of(seat, points),
                of(!seat, points)
            ),
            (Some(seat), None) => self.verb(seat, "win"),
            (None, _) => "Draw".to_owned(),
        };
        let mut told = format!("{result}{by}");
        let Score { wins, draws } = self.table.score();
        if self.table.number() > 1 {
            let [a, b] = Seat::ALL.map(|seat| self.who(seat));
            let draws = count(draws, "draw", "draws");
            told = format!("{told}\nScore: {a} {}, {b} {}, {draws}", wins[0], wins[1]);
        }
        told
    }

    /// Who has come or gone since.
    pub(super) fn presence(&self, before: Presence, now: Presence) -> Vec<String> {
        let changed = |seat: &Seat| {
            let index = seat.index();
            before.seats[index] != now.seats[index] && self.seat != Some(*seat)
        };
        Seat::ALL
            .into_iter()
            .filter(changed)
            .filter(|&seat| self.table.player(seat).is_some())
            .map(|seat| {
                let name = self.name(seat);
                if now.seats[seat.index()] {
                    format!("{name} is here")
                } else {
                    format!("{name} has gone away; the seat is kept")
                }
            })
            .collect()
    }
}
