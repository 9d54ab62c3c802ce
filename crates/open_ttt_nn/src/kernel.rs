//! The two products that all layers and their gradients are made of.
//!
//! Of each position and cell sixteen numbers stand side by side ([`Lanes`]). A
//! *group* of positions holds, sixteen numbers by sixteen, position by position,
//! the cells:
//!
//! ```text
//!  channels 0 to 15                            channels 16 to 31
//!  position 0           position 1      ...    position 0 ...
//!  cell 0 cell 1 ...    cell 0 ...             cell 0 ...
//!  [16]   [16]          [16]                   [16]
//! ```
//!
//! Every number of a position is computed by itself, in an order that depends on
//! nothing else: a position's results are the same in any group.

use std::sync::Arc;

pub use super::correlate::correlate;
pub use super::reach::Reach;
use super::rows::Rows;
pub use super::simd::{InstructionSet, LANES, Lanes};
use super::simd::{Kernel, Simd};
pub use super::slopes::unrectify;
use super::winograd::{Tiled, Tiling};

/// A layer's weights in the order in which its product reads them.
#[derive(Clone, Debug)]
pub struct Packed {
    reach: Arc<Reach>,
    outputs: usize,
    channels: usize,
    /// For each sixteen outputs, each tap and each channel, one number for each of
    /// the outputs; zeros for those beyond the last.
    weights: Vec<Lanes>,
    biases: Vec<Lanes>,
    /// The same for tiles, where they are the quicker way.
    tiled: Option<Tiled>,
}

impl Packed {
    /// A layer of zeros.
    pub fn new(reach: &Arc<Reach>, channels: usize, outputs: usize) -> Self {
        let vectors = outputs.div_ceil(LANES);
        let tiling = Tiling::of(reach, channels);
        Self {
            reach: Arc::clone(reach),
            outputs,
            channels,
            weights: vec![Lanes::ZERO; vectors * reach.kernel() * channels],
            biases: vec![Lanes::ZERO; vectors],
            tiled: tiling.map(|tiling| Tiled::new(tiling, channels, outputs)),
        }
    }

    /// Takes weights that stand output by output, channel by channel, tap by tap,
    /// and a bias for each output.
    ///
    /// # Panics
    ///
    /// Unless there are as many as the layer has.
    pub fn set(&mut self, weights: &[f32], biases: &[f32]) {
        let kernel = self.reach.kernel();
        assert_eq!(biases.len(), self.outputs);
        assert_eq!(weights.len(), self.outputs * self.channels * kernel);
        let inner = kernel * self.channels;
        for (output, (weights, &bias)) in weights.chunks_exact(inner).zip(biases).enumerate() {
            let (vector, lane) = (output / LANES, output % LANES);
            self.biases[vector].0[lane] = bias;
            let to = &mut self.weights[vector * inner..][..inner];
            for (channel, weights) in weights.chunks_exact(kernel).enumerate() {
                for (tap, &weight) in weights.iter().enumerate() {
                    to[tap * self.channels + channel].0[lane] = weight;
                }
            }
        }
        self.set_tiled();
    }

    /// Takes the weights of the layer whose way back this is: what is a channel
    /// there is an output here. There are no biases.
    ///
    /// # Panics
    ///
    /// As [`set`](Self::set).
    pub fn set_back(&mut self, weights: &[f32]) {
        let kernel = self.reach.kernel();
        assert_eq!(weights.len(), self.outputs * self.channels * kernel);
        let inner = kernel * self.channels;
        for (channel, weights) in weights.chunks_exact(kernel * self.outputs).enumerate() {
            for (output, weights) in weights.chunks_exact(kernel).enumerate() {
                let (vector, lane) = (output / LANES, output % LANES);
                let to = &mut self.weights[vector * inner..][..inner];
                // What a cell got from one side, it gives back to the other.
                for (tap, &weight) in weights.iter().rev().enumerate() {
                    to[tap * self.channels + channel].0[lane] = weight;
                }
            }
        }
        self.set_tiled();
    }

    /// How many times sixteen outputs each cell has.
    pub const fn vectors(&self) -> usize {
        self.biases.len()
    }

    fn set_tiled(&mut self) {
        if let Some(tiled) = &mut self.tiled {
            tiled.set(&self.weights);
        }
    }
}

/// What a product does besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    /// Adds to what the output held before.
    pub add: bool,
    /// Replaces what is negative by zero (rectified linear unit). What is no number
    /// stays so.
    pub rectify: bool,
}

/// Multiplies a group by weights: every layer of a network, and the way of a
/// gradient back through it. `scratch` is memory to be used again.
///
/// # Panics
///
/// Unless input and output are groups of as many positions, of the weights' shape.
pub fn product(
    set: InstructionSet,
    weights: &Packed,
    input: &[Lanes],
    output: &mut [Lanes],
    finish: Finish,
    scratch: &mut Vec<Lanes>,
) {
    let cells = weights.reach.cells();
    let input_vectors = weights.channels.div_ceil(LANES);
    let positions = output.len() / (cells * weights.biases.len());
    assert_eq!(output.len(), positions * cells * weights.biases.len());
    assert_eq!(input.len(), positions * cells * input_vectors);
    if let Some(tiled) = &weights.tiled {
        tiled.convolve(set, (input, output), &weights.biases, finish, scratch);
        return;
    }
    let block = if weights.reach.kernel() == 1 {
        0
    } else {
        cells * weights.reach.kernel() * input_vectors
    };
    if scratch.len() < block {
        scratch.resize(block, Lanes::ZERO);
    }
    let gathered = &mut scratch[..block];
    gathered.fill(Lanes::ZERO);
    set.run(Product {
        weights,
        input,
        output,
        finish,
        positions,
        gathered,
    });
}

struct Product<'a> {
    weights: &'a Packed,
    input: &'a [Lanes],
    output: &'a mut [Lanes],
    finish: Finish,
    positions: usize,
    /// For each tap and each sixteen channels what each cell of a position reads;
    /// zeros where that is beyond the edge.
    gathered: &'a mut [Lanes],
}

impl Kernel for Product<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Packed {
            reach,
            channels,
            weights,
            biases,
            ..
        } = self.weights;
        let (cells, taps) = (reach.cells(), reach.kernel());
        let all = self.positions * cells;
        // Where nothing is gathered, the positions are one.
        let blocks = if taps == 1 { 1 } else { self.positions };
        for block in 0..blocks {
            if taps > 1 {
                let vectors = channels.div_ceil(LANES);
                for (tap, runs) in reach.runs().iter().enumerate() {
                    for vector in 0..vectors {
                        let from = &self.input[vector * all + block * cells..][..cells];
                        let to = &mut self.gathered[(tap * vectors + vector) * cells..][..cells];
                        for run in runs {
                            let from = &from[run.from..][..run.length];
                            for (to, from) in to[run.to..].iter_mut().zip(from) {
                                simd.store(to, simd.load(from));
                            }
                        }
                    }
                }
            }
            let rows = all / blocks;
            Rows {
                input: if taps == 1 {
                    self.input
                } else {
                    &*self.gathered
                },
                stride: rows,
                taps,
                channels: *channels,
                weights,
                biases,
                output: &mut *self.output,
                output_stride: all,
                first: block * rows,
                count: rows,
                finish: self.finish,
            }
            .multiply(simd);
        }
    }
}
