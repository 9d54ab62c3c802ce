//! Tests for all games.

/// A test for each planted fault: the caller's `check` of its `Fault` panics so.
#[cfg(feature = "conformance")]
macro_rules! each_breaks_a_law {
    ($($test:ident: $fault:ident => $expected:literal;)*) => {$(
        #[test]
        #[should_panic(expected = $expected)]
        fn $test() {
            check(Fault::$fault);
        }
    )*};
}

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
mod decisive_moves;
mod encode;
mod history;
#[cfg(feature = "conformance")]
mod laws;
mod layout;
mod named;
mod notation;
#[cfg(feature = "conformance")]
mod panics;
mod perft;
mod piece;
mod playthrough;
mod symmetry;
