//! The tests of `open_ttt_app`.

mod document_3;
#[cfg(unix)]
mod full_screen;
mod moves_in_parts;
mod player_thread;
mod players;
mod seats;
mod sessions;
#[cfg(unix)]
mod terminal;
mod winning_lines;
