//! Each game compared with a naive implementation.

mod connect_four;
mod mnk;
mod naive;
mod pegs;
mod qubic;
mod tic_tac_toe;
mod ultimate;
