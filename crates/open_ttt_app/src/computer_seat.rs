use core::cmp::Ordering;
use core::fmt::Display;

use open_ttt_lib::rules::{Drawing, Notation, Outcome, Side};

use crate::console::printable;
use crate::opponent::Opponent;
use crate::player_thread::PlayerThread;

/// The longest message of a player's error that is shown, in characters.
pub(crate) const MAX_ERROR: usize = 200;

/// A seat of a computer, and its thread while it plays.
#[derive(Debug)]
pub(crate) struct ComputerSeat<'a, G: Notation + Drawing> {
    opponent: &'a Opponent<G>,
    /// Created for the first game, and again after a failure.
    pub(crate) thread: Option<PlayerThread<G>>,
}

impl<'a, G> ComputerSeat<'a, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    pub(crate) const fn new(opponent: &'a Opponent<G>) -> Self {
        Self {
            opponent,
            thread: None,
        }
    }

    /// Lets an opponent that follows results know that of its game on this side.
    pub(crate) fn follow(&mut self, outcome: Outcome, side: Side) {
        let result = match outcome {
            Outcome::Draw => Ordering::Equal,
            Outcome::Win(winner) if winner == side => Ordering::Greater,
            Outcome::Win(_) => Ordering::Less,
        };
        if self.opponent.follow(result) {
            self.thread = None;
        }
    }

    /// The name by which the player was chosen.
    pub(crate) fn name(&self) -> &str {
        self.opponent.name()
    }

    /// The player's thread, which is created if necessary. The error is
    /// printable.
    pub(crate) fn thread(&mut self) -> Result<&mut PlayerThread<G>, String> {
        let text = |error: &dyn Display| printable(&error.to_string(), MAX_ERROR);
        let thread = if let Some(thread) = self.thread.take() {
            thread
        } else {
            let player = self.opponent.make().map_err(|error| text(&error))?;
            PlayerThread::new(player).map_err(|error| text(&error))?
        };
        Ok(self.thread.insert(thread))
    }
}
