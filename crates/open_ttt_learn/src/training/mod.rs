//! Training: a [`Batch`] of positions and their targets, the gradient of the [`Losses`],
//! and the optimizer, [`Adam`].
//!
//! A batch is split into shards of 32 positions. Their gradients are computed on any
//! number of threads and summed in the shards' order, so a [`Trainer`] produces the same
//! network to the bit on any number of threads, and on AVX2 as on AVX-512.

mod adam;
mod batch;
mod losses;
mod shard;
mod trainer;

pub use adam::Adam;
pub use batch::Batch;
pub use losses::Losses;
pub use trainer::{Diverged, Settings, Trainer};
