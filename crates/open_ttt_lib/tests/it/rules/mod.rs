//! Tests for all games.

#[cfg(feature = "conformance")]
mod broken_board_filling;
#[cfg(feature = "conformance")]
mod broken_drawing;
#[cfg(feature = "conformance")]
mod broken_laws;
#[cfg(feature = "conformance")]
mod broken_line_game;
#[cfg(feature = "conformance")]
mod broken_values;
mod encode;
mod history;
#[cfg(feature = "conformance")]
mod laws;
mod named;
mod notation;
#[cfg(feature = "conformance")]
mod panics;
mod perft;
mod playthrough;
