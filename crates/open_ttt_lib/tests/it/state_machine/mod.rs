//! Checks of the state machines and their JSON.

mod game_machine;
mod tic_tac_toe;
