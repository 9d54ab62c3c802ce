#![doc = include_str!("../README.md")]

mod architecture;
#[expect(
    clippy::inline_always,
    reason = "only within the functions of an instruction set are its instructions used"
)]
mod correlate;
mod group;
mod json;
#[expect(
    clippy::inline_always,
    reason = "only within the functions of an instruction set are its instructions used"
)]
pub mod kernel;
pub mod math;
#[expect(
    clippy::module_inception,
    reason = "the room is named for what it holds"
)]
mod network;
mod parameters;
mod reach;
#[expect(
    clippy::inline_always,
    reason = "only within the functions of an instruction set are its instructions used"
)]
mod rows;
pub mod safetensors;
#[expect(
    unsafe_code,
    reason = "only by it are a processor's own instructions used"
)]
#[expect(
    clippy::inline_always,
    reason = "only within the functions of an instruction set are its instructions used"
)]
mod simd;
#[expect(
    clippy::inline_always,
    reason = "only within the functions of an instruction set are its instructions used"
)]
mod slopes;
#[expect(
    clippy::inline_always,
    reason = "only within the functions of an instruction set are its instructions used"
)]
mod winograd;
mod workspace;

pub use architecture::{Architecture, ArchitectureError, Step};
pub use group::{arrange, flatten, unflatten};
pub use network::{Card, Misfit, Network, ReadError};
pub use workspace::{Predictions, Workspace};
