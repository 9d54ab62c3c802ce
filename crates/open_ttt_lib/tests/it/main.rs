//! Checks of the library from outside.

mod games;
mod rules;
#[cfg(feature = "serde")]
mod state_machine;
