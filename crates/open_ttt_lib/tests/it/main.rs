//! Checks of the library from outside.

mod games;
mod rules;
