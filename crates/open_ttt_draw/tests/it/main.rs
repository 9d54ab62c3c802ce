//! The tests of `open_ttt_draw`.

mod layouts;
mod pictures;
