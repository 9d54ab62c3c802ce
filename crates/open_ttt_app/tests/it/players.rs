//! Computer players for the tests.

use std::sync::mpsc::{Receiver, Sender, channel};

use open_ttt_app::Opponent;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use open_ttt_players::{Decision, Player, Turn};

/// Plays the first possible move.
pub(crate) struct FirstMove;

impl<G: TwoPlayerGame> Player<G> for FirstMove {
    fn player_name(&self) -> &'static str {
        "First move"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        first_move(turn.game)
    }
}

/// Plays the first possible move. Ponders until it is stopped, and reports the
/// start and the end of it.
pub(crate) struct Ponderer<G>(pub(crate) Sender<G>);

impl<G: TwoPlayerGame> Player<G> for Ponderer<G> {
    fn player_name(&self) -> &'static str {
        "Ponderer"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        first_move(turn.game)
    }

    fn ponder(&mut self, turn: &Turn<'_, G>) -> bool {
        self.0
            .send(turn.game.clone())
            .expect("the test holds the receiver");
        while !turn.stop.is_raised() {
            std::thread::yield_now();
        }
        self.0
            .send(turn.game.clone())
            .expect("the test holds the receiver");
        true
    }
}

/// Resigns.
pub(crate) struct Resigner;

impl<G: TwoPlayerGame> Player<G> for Resigner {
    fn player_name(&self) -> &'static str {
        "Resigner"
    }

    fn take_turn(&mut self, _: &Turn<'_, G>) -> Decision<G::Move> {
        Decision::Resign
    }
}

/// Always plays the same move, legal or not.
pub(crate) struct SameMove(pub(crate) &'static str);

impl<G: Notation> Player<G> for SameMove {
    fn player_name(&self) -> &'static str {
        "Same move"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        turn.game
            .parse_move(self.0)
            .map_or(Decision::Resign, Decision::Play)
    }
}

/// Fails at its first turn.
#[derive(Default)]
pub(crate) struct Failing {
    has_failed: bool,
}

impl<G: TwoPlayerGame> Player<G> for Failing {
    fn player_name(&self) -> &'static str {
        "Failing"
    }

    fn take_turn(&mut self, _: &Turn<'_, G>) -> Decision<G::Move> {
        self.has_failed = true;
        Decision::Resign
    }

    fn failure(&self) -> Option<&str> {
        self.has_failed.then_some("connection lost\u{7}")
    }
}

/// Panics.
pub(crate) struct Panicker;

impl<G: TwoPlayerGame> Player<G> for Panicker {
    fn player_name(&self) -> &'static str {
        "Panicker"
    }

    fn take_turn(&mut self, _: &Turn<'_, G>) -> Decision<G::Move> {
        panic!("boom\u{1b}[2J")
    }
}

/// Plays the first possible move when the gate opens, and reports every event.
pub(crate) struct Gated<G> {
    gate: Receiver<()>,
    events: Sender<Event<G>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event<G> {
    /// The player starts to search this position.
    Started(G),
    /// The gate opens, and the player returns a move.
    Finished(G),
    /// The stop flag is raised.
    Stopped(G),
    /// The player is dropped.
    Dropped,
}

impl<G> Gated<G> {
    pub(crate) fn new() -> (Self, Sender<()>, Receiver<Event<G>>) {
        let (open, gate) = channel();
        let (events, seen) = channel();
        (Self { gate, events }, open, seen)
    }

    fn report(&self, event: Event<G>) {
        // The test may have dropped the receiver.
        let _ = self.events.send(event);
    }
}

impl<G: TwoPlayerGame> Player<G> for Gated<G> {
    fn player_name(&self) -> &'static str {
        "Gated"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        self.report(Event::Started(turn.game.clone()));
        loop {
            if turn.stop.is_raised() {
                self.report(Event::Stopped(turn.game.clone()));
                // A wrong result, which must be discarded.
                return Decision::Resign;
            }
            if self.gate.try_recv().is_ok() {
                self.report(Event::Finished(turn.game.clone()));
                return first_move(turn.game);
            }
            std::thread::yield_now();
        }
    }
}

impl<G> Drop for Gated<G> {
    fn drop(&mut self) {
        self.report(Event::Dropped);
    }
}

fn first_move<G: TwoPlayerGame>(game: &G) -> Decision<G::Move> {
    game.moves().next().map_or(Decision::Resign, Decision::Play)
}

pub(crate) fn first_move_opponent<G: TwoPlayerGame>() -> Opponent<G> {
    Opponent::new("first move", || Box::new(FirstMove))
}
