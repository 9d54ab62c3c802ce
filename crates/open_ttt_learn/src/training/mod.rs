//! The arithmetic of training: a [`Batch`] of positions with what is known about
//! them, the gradient of the [`Losses`], and [`Adam`], which follows it.
//!
//! A batch is divided into shards of 32 positions. Their gradients are computed on
//! any number of threads and added up in the order of the shards, so a
//! [`Trainer`] comes to the same network, to the bit, on any number of threads;
//! and on AVX2 as on AVX-512.

mod adam;
mod batch;
mod losses;
mod shard;
mod trainer;

pub use adam::Adam;
pub use batch::Batch;
pub use losses::Losses;
pub use trainer::{Diverged, Settings, Trainer};
