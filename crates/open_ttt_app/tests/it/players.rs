//! Computer players for the tests.

use std::sync::mpsc::{Receiver, Sender, channel};

use open_ttt_app::Opponent;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use open_ttt_players::{Decision, Player, Turn};
use open_ttt_search::StopFlag;

/// Takes the first possible move.
pub(crate) struct Hasty;

impl<G: TwoPlayerGame> Player<G> for Hasty {
    fn player_name(&self) -> &'static str {
        "Hasty"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        first_move(turn.game)
    }
}

/// Ponders until it is told to stop, tells of it, and takes the first possible
/// move.
pub(crate) struct Ponderer<G>(pub(crate) Sender<G>);

impl<G: TwoPlayerGame> Player<G> for Ponderer<G> {
    fn player_name(&self) -> &'static str {
        "Ponderer"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        first_move(turn.game)
    }

    fn ponder(&mut self, game: &G, stop: &StopFlag) -> bool {
        self.0.send(game.clone()).expect("the test listens");
        while !stop.is_raised() {
            std::thread::yield_now();
        }
        self.0.send(game.clone()).expect("the test listens");
        true
    }
}

/// Gives up.
pub(crate) struct Timid;

impl<G: TwoPlayerGame> Player<G> for Timid {
    fn player_name(&self) -> &'static str {
        "Timid"
    }

    fn take_turn(&mut self, _: &Turn<'_, G>) -> Decision<G::Move> {
        Decision::Resign
    }
}

/// Plays the same move always, whether or not it is legal.
pub(crate) struct Stubborn(pub(crate) &'static str);

impl<G: Notation> Player<G> for Stubborn {
    fn player_name(&self) -> &'static str {
        "Stubborn"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        turn.game
            .parse_move(self.0)
            .map_or(Decision::Resign, Decision::Play)
    }
}

/// Panics.
pub(crate) struct Bomb;

impl<G: TwoPlayerGame> Player<G> for Bomb {
    fn player_name(&self) -> &'static str {
        "Bomb"
    }

    fn take_turn(&mut self, _: &Turn<'_, G>) -> Decision<G::Move> {
        panic!("boom\u{1b}[2J")
    }
}

/// Takes the first possible move, but answers only when the gate lets it, and
/// tells all that happens.
pub(crate) struct Gated<G> {
    gate: Receiver<()>,
    events: Sender<Event<G>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event<G> {
    /// The player is asked about this position.
    Asked(G),
    /// The gate has let it answer.
    Answered(G),
    /// It was told to stop.
    Stopped(G),
    /// The player is gone.
    Dropped,
}

impl<G> Gated<G> {
    pub(crate) fn new() -> (Self, Sender<()>, Receiver<Event<G>>) {
        let (open, gate) = channel();
        let (events, seen) = channel();
        (Self { gate, events }, open, seen)
    }

    fn tell(&self, event: Event<G>) {
        // The test may have seen enough.
        let _ = self.events.send(event);
    }
}

impl<G: TwoPlayerGame> Player<G> for Gated<G> {
    fn player_name(&self) -> &'static str {
        "Gated"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        self.tell(Event::Asked(turn.game.clone()));
        loop {
            if turn.stop.is_raised() {
                self.tell(Event::Stopped(turn.game.clone()));
                // A wrong answer, to see that it is thrown away.
                return Decision::Resign;
            }
            if self.gate.try_recv().is_ok() {
                self.tell(Event::Answered(turn.game.clone()));
                return first_move(turn.game);
            }
            std::thread::yield_now();
        }
    }
}

impl<G> Drop for Gated<G> {
    fn drop(&mut self) {
        self.tell(Event::Dropped);
    }
}

fn first_move<G: TwoPlayerGame>(game: &G) -> Decision<G::Move> {
    game.moves().next().map_or(Decision::Resign, Decision::Play)
}

pub(crate) fn hasty<G: TwoPlayerGame>() -> Opponent<G> {
    Opponent::new("hasty", || Box::new(Hasty))
}
