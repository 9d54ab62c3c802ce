#![doc = "stub"]
pub mod catalog;
pub mod games;
pub mod players;
pub mod random;
pub mod rules;
pub mod search;
pub mod tic_tac_toe {}
