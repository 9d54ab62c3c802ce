//! The events of a match as sentences.

use open_ttt_lib::rules::{Drawing, Notation, Side};
use open_ttt_net::matches::{
    Act, Actor, DynMatch, Ending, GameVerdict, MatchConflict, Score, Seat, Transition,
};
use open_ttt_net::protocol::Presence;

/// Narrates a match from the view of a seat, or of a watcher.
#[derive(Clone, Copy)]
pub(super) struct Narrator<'a> {
    pub(super) current: &'a DynMatch,
    pub(super) seat: Option<Seat>,
}

/// Tells that acts of the player were refused: `Your move b2 was rejected: ..`.
pub(super) fn rejection(acts: &[Act], conflict: Option<MatchConflict>) -> String {
    let act = match acts.first() {
        Some(Act::Move { text, .. }) => format!("Your move {}", text.0),
        _ => "Your request".to_owned(),
    };
    let reason = conflict.map_or_else(
        || "something else happened first".to_owned(),
        |conflict| conflict.to_string(),
    );
    format!("{act} was rejected: {reason}")
}

impl Narrator<'_> {
    /// `You`, or the name of a player.
    fn subject(&self, seat: Seat) -> String {
        match self.seat {
            Some(own) if own == seat => "You".to_owned(),
            _ => self.name(seat),
        }
    }

    fn name(&self, seat: Seat) -> String {
        let player = self.current.player(seat);
        player.map_or_else(|| "Nobody".to_owned(), |player| player.name.clone())
    }

    /// A subject with its verb: `You play`, `Ann plays`.
    fn clause(&self, seat: Seat, verb: &str) -> String {
        let s = if self.seat == Some(seat) { "" } else { "s" };
        format!("{} {verb}{s}", self.subject(seat))
    }

    fn side(&self, seat: Seat) -> &'static str {
        let side = self.current.side_of(seat);
        self.current.game().position().side_name(side)
    }

    /// Describes a transition, unless the board shows it.
    pub(super) fn transition(&self, transition: &Transition) -> Option<String> {
        let Transition { by, act, .. } = transition;
        let seat = match (by, act) {
            (Actor::Seat(seat), _) | (Actor::Server, Act::Join { seat, .. }) => *seat,
            (Actor::Server, Act::ReturnTime { ms }) => {
                let seconds = ms.saturating_add(500) / 1000;
                let text = format!("The server was interrupted: the clock gets {seconds} s back");
                return Some(text);
            }
            (Actor::Server, _) => return None,
        };
        let is_own = self.seat == Some(seat);
        // The question is for the player who can answer it.
        let ask = |question| match self.seat {
            Some(own) if own != seat => question,
            _ => "",
        };
        let does = |verb| self.clause(seat, verb);
        let is_over = self.current.verdict().is_some();
        Some(match act {
            Act::Move { text, .. } => does("play") + " " + &text.0,
            Act::Resign => does("resign"),
            Act::OfferDraw if is_over => does("agree") + " to a draw",
            Act::OfferDraw => does("offer") + " a draw" + ask(". Accept? (yes/no)"),
            Act::AcceptDraw => does("accept") + " the draw",
            Act::RefuseDraw => does("decline") + " the draw",
            Act::AskTakeBack => {
                does("ask") + " to undo the last move" + ask(". Allow it? (yes/no)")
            }
            Act::GrantTakeBack => does("allow") + " the undo",
            Act::RefuseTakeBack => does("decline") + " the undo",
            Act::Rematch if is_over => does("want") + " a rematch" + ask(". Accept? (yes)"),
            Act::Rematch => {
                let first = self.current.seat_of(Side::First);
                let (number, side) = (self.current.number(), self.side(first));
                let es = if self.seat == Some(first) { "" } else { "es" };
                let subject = self.subject(first);
                format!("Game {number}: {subject} go{es} first as {side}")
            }
            Act::Claim => does("claim") + " the win because the opponent has left",
            Act::Stay if is_own => "You are still here".to_owned(),
            Act::Stay => self.name(seat) + " is still here",
            Act::Join { .. } => does("join"),
            Act::Forfeit | Act::TimeOut | Act::ReturnTime { .. } => return None,
        })
    }

    /// The players and their sides.
    pub(super) fn introduction(&self) -> String {
        let [a, b] = Seat::ALL.map(|seat| match self.current.player(seat) {
            Some(_) => format!("{} ({})", self.name(seat), self.side(seat)),
            None => "an open seat".to_owned(),
        });
        let role = match self.seat {
            Some(seat) => format!("you're {}", self.side(seat)),
            None => "you're watching".to_owned(),
        };
        let settings = self.current.settings();
        let rated = if settings.rated { ", rated" } else { "" };
        format!("{}{rated}: {a} vs {b}; {role}", settings.game)
    }

    /// The side to move and the time left.
    pub(super) fn turn(&self, now: Option<u64>) -> String {
        let Some(seat) = self.current.to_move() else {
            return String::new();
        };
        let turn = if self.seat == Some(seat) {
            format!("{} turn", self.side(seat))
        } else {
            format!("{}'s turn ({})", self.name(seat), self.side(seat))
        };
        let Some(clock) = self.current.clock() else {
            return turn;
        };
        let now = now.unwrap_or_else(|| self.current.at());
        let times = Seat::ALL.map(|seat| {
            let seconds = clock.left_at(seat, now).div_ceil(1_000);
            let (minutes, seconds) = (seconds / 60, seconds % 60);
            format!("{} {minutes}:{seconds:02}", self.subject(seat))
        });
        format!("{turn} (time left: {})", times.join(", "))
    }

    /// The result of the game: `You win on time`.
    pub(super) fn game_result(&self, verdict: GameVerdict) -> String {
        let reason = match verdict.by {
            Ending::Rules => "",
            Ending::Resignation => " by resignation",
            Ending::Agreement => " by agreement",
            Ending::Time => " on time",
            Ending::Abandonment => " because the opponent left",
        };
        let mut result = match verdict.winner {
            Some(seat) => self.clause(seat, "win"),
            None => "Draw".to_owned(),
        };
        if let Some(seat) = verdict.winner
            && verdict.by == Ending::Rules
            && let Some(points) = self.current.game().position().picture().points
        {
            let [won, lost] = [seat, !seat].map(|seat| self.current.side_of(seat).index());
            result = format!("{result} {} to {}", points[won], points[lost]);
        }
        result + reason
    }

    /// The result of the game, and the score from the second game on.
    pub(super) fn result(&self, verdict: GameVerdict) -> String {
        let result = self.game_result(verdict);
        if self.current.number() == 1 {
            return result;
        }
        let Score { wins, draws } = self.current.score();
        let [a, b] = Seat::ALL.map(|seat| self.subject(seat));
        format!(
            "{result}\nScore: {a} {}, {b} {}, draws {draws}",
            wins[0], wins[1]
        )
    }

    /// Players who connected or disconnected.
    pub(super) fn presence(&self, before: Presence, now: Presence) -> Vec<String> {
        let changes = Seat::ALL.into_iter().filter_map(|seat| {
            let is_connected = now.seats[seat.index()];
            let player = self.current.player(seat)?;
            if is_connected == before.seats[seat.index()] || self.seat == Some(seat) {
                return None;
            }
            let dis = if is_connected { "" } else { "dis" };
            Some(format!("{} {dis}connected", player.name))
        });
        changes.collect()
    }
}
