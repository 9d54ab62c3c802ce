//! Networks: what they compute, and their files.

mod answers;
mod files;
mod hostile_files;
mod naive;
mod own_game;
mod players;
mod pretrained;
mod products;
