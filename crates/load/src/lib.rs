//! Plays many matches at once on a match server: to measure it
//! ([`measure`]), to see what doing nothing costs it ([`idle`]), and to kill it
//! over and over and see that nothing is lost ([`crash`]).

pub mod crash;
pub mod idle;
pub mod measure;
mod process;
mod seat;
mod served;
mod table;

pub use process::{Usage, usage};
pub use served::Served;
