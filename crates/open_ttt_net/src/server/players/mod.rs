//! Players who are known by a key: their histories, their ratings, and their pairing.
//!
//! A player has a log in the store beside the logs of the matches. Its entries are what
//! happened in the player's matches, in the order in which the servers noted it. Each
//! carries the player's scores so far, so that the last entry tells them.

mod handlers;
mod history;
mod pairing;
mod rating;
mod record;

pub(super) use handlers::{find_player, history, profile};
pub(super) use history::check_history;
pub(super) use pairing::{cancel_pairing, pair};
pub(super) use record::{PlayedMatch, record};
