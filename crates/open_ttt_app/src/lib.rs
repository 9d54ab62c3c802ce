#![doc = include_str!("../README.md")]

mod app;
mod clock;
mod console;
pub mod draw;
mod opponent;
mod question;
mod series;
mod session;
pub mod thinker;
mod typed;

pub use app::{App, Games, Seat};
pub use clock::clock;
pub use console::{Console, Leave};
pub use opponent::{Computer, Opponent};
pub use question::{question, read_move};
pub use typed::Typed;
