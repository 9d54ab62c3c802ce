//! Checks that treat all games alike.

#[cfg(feature = "conformance")]
mod broken_filling;
#[cfg(feature = "conformance")]
mod broken_laws;
#[cfg(feature = "conformance")]
mod broken_lines;
mod encode;
#[cfg(feature = "conformance")]
mod laws;
mod named;
mod notation;
mod perft;
mod playthrough;
