//! A match between two computers while it is played: its figures, a chart of the Elo
//! difference, and the game that ended last.

mod curve;
mod progress;
mod view;

pub use progress::{ArenaMatch, ArenaProgress};
pub(super) use view::{ArenaView, Watched};
