#![doc = include_str!("../README.md")]

mod app;
mod clock;
mod console;
pub mod draw;
mod opponent;
mod series;
mod session;
pub mod thinker;

pub use app::{App, Games, Seat};
pub use clock::clock;
pub use console::{Console, Leave};
pub use opponent::{Computer, Opponent};
