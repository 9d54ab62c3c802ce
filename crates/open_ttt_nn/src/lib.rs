#![doc = include_str!("../README.md")]
#![expect(
    clippy::inline_always,
    reason = "the compiler uses an instruction set only within functions that enable it"
)]
#![cfg_attr(
    not(feature = "training"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "only the feature exports the backward pass"
    )
)]

mod architecture;
mod conv_shape;
mod gemm;
mod half;
mod json;
#[cfg(feature = "training")]
pub mod kernel;
#[cfg(not(feature = "training"))]
mod kernel;
mod layout;
#[cfg(feature = "training")]
pub mod math;
#[cfg(not(feature = "training"))]
mod math;
mod network;
mod parameters;
mod relu;
pub mod safetensors;
mod simd;
mod weight_gradient;
mod winograd;
mod workspace;

pub use architecture::{Architecture, ArchitectureError, Layer};
pub use network::{IncompatibleNetwork, ModelCard, Network, ReadError};
pub use simd::InstructionSet;
pub use workspace::{Predictions, Workspace};
