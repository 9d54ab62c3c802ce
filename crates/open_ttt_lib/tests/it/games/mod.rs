//! Checks of single games against boards that are written as plainly as can be.

mod connect_four;
mod mnk;
mod naive;
mod pegs;
mod qubic;
mod tic_tac_toe;
mod ultimate;
