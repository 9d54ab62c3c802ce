//! The tests of `open_ttt_app`.

mod document_3;
mod draw;
mod players;
mod sessions;
mod thinker;
