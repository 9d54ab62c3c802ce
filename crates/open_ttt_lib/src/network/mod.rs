//! What a player that learned a game knows: small networks, computed fast on any
//! processor, without a framework.
//!
//! | file | what is in it |
//! |---|---|
//! | `architecture` | [`Architecture`]: perceptrons and residual towers as data; their layers, [`Step`] by step |
//! | `network` | [`Network`]: what was learned, with its [`Card`], from and to a file |
//! | `workspace` | [`Workspace`]: positions in batches; their [`Predictions`] |
//! | `group` | positions as the products read them |
//! | [`kernel`] | the two products of which all layers and gradients are made |
//! | `reach` | which cells a cell is made of |
//! | `rows` | rows of numbers times weights, where the time goes |
//! | `correlate` | the gradients of weights |
//! | `slopes` | the way back through rectifying |
//! | `winograd` | convolutions with fewer multiplications, where they pay |
//! | [`safetensors`] | the format of files |
//! | [`math`] | exponentials that are the same everywhere |
//! | `simd` | sixteen numbers at a time; the library's only `unsafe` |
//!
//! A game is written for a network by [`Encode`](crate::rules::Encode). Training
//! is another crate's, `open_ttt_learn`.

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
