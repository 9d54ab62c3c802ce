//! Each game compared with a naive implementation.

mod connect_four;
mod dots_and_boxes;
mod draughts;
mod exact_margin;
mod hex;
mod lines;
mod mnk;
mod morris;
mod naive;
mod objective;
mod pegs;
mod plain;
mod plain_lines;
mod quarto;
mod qubic;
mod reversi;
mod tic_tac_toe;
mod ultimate;
mod words;
