//! The kernels of which all layers and their gradients are made: the forward pass of
//! a convolution, the gradient of its weights, and `ReLU`.
//!
//! The channels of a cell are stored in vectors of sixteen ([`Lanes`]). A *batch* of
//! positions is ordered by vector, position and cell:
//!
//! ```text
//!  channels 0 to 15                            channels 16 to 31
//!  position 0           position 1      ...    position 0 ...
//!  cell 0 cell 1 ...    cell 0 ...             cell 0 ...
//!  [16]   [16]          [16]                   [16]
//! ```
//!
//! Every number is computed in an order that does not depend on the other positions,
//! so a position's result is the same in any batch.

use std::sync::Arc;

pub use super::conv_shape::ConvShape;
use super::gemm::Gemm;
pub use super::layout::{flatten, pack, unflatten_add};
pub use super::relu::relu_backward;
pub use super::simd::{InstructionSet, LANES, Lanes};
use super::simd::{Kernel, Simd};
pub use super::weight_gradient::weight_gradient;
use super::winograd::{Tiling, WinogradWeights};

/// A layer's weights in the order in which the kernels read them.
#[derive(Clone, Debug)]
pub struct PackedWeights {
    shape: Arc<ConvShape>,
    outputs: usize,
    channels: usize,
    /// For each vector of outputs, each tap and each channel, the weights of these
    /// outputs; padded with zeros.
    weights: Vec<Lanes>,
    biases: Vec<Lanes>,
    /// The weights transformed for Winograd convolution, where that is faster.
    winograd: Option<WinogradWeights>,
}

impl PackedWeights {
    /// A layer of zeros.
    pub fn new(shape: &Arc<ConvShape>, channels: usize, outputs: usize) -> Self {
        let vectors = outputs.div_ceil(LANES);
        let tiling = Tiling::of(shape, channels);
        Self {
            shape: Arc::clone(shape),
            outputs,
            channels,
            weights: vec![Lanes::ZERO; vectors * shape.kernel() * channels],
            biases: vec![Lanes::ZERO; vectors],
            winograd: tiling.map(|tiling| WinogradWeights::new(tiling, channels, outputs)),
        }
    }

    /// Packs weights, ordered by output, channel and tap, and a bias for each output.
    ///
    /// # Panics
    ///
    /// If the numbers of weights or biases are not the layer's.
    pub fn set(&mut self, weights: &[f32], biases: &[f32]) {
        assert_eq!(biases.len(), self.outputs);
        for (output, &bias) in biases.iter().enumerate() {
            self.biases[output / LANES].0[output % LANES] = bias;
        }
        let (channels, kernel) = (self.channels, self.shape.kernel());
        self.set_weights(weights, |output, channel, tap| {
            (output * channels + channel) * kernel + tap
        });
    }

    /// Packs the weights of the layer whose backward pass this is: its outputs are the
    /// channels here. There are no biases.
    ///
    /// # Panics
    ///
    /// As [`set`](Self::set).
    pub fn set_transposed(&mut self, weights: &[f32]) {
        let (outputs, kernel) = (self.outputs, self.shape.kernel());
        // The backward pass flips the kernel.
        self.set_weights(weights, |output, channel, tap| {
            (channel * outputs + output + 1) * kernel - 1 - tap
        });
    }

    /// Packs weights; `place` tells where that of an output, a channel and a tap is.
    fn set_weights(&mut self, weights: &[f32], place: impl Fn(usize, usize, usize) -> usize) {
        let inner = self.shape.kernel() * self.channels;
        assert_eq!(weights.len(), self.outputs * inner);
        for output in 0..self.outputs {
            let (vector, lane) = (output / LANES, output % LANES);
            let to = &mut self.weights[vector * inner..][..inner];
            for (tap, to) in to.chunks_exact_mut(self.channels).enumerate() {
                for (channel, to) in to.iter_mut().enumerate() {
                    to.0[lane] = weights[place(output, channel, tap)];
                }
            }
        }
        if let Some(winograd) = &mut self.winograd {
            winograd.set(&self.weights);
        }
    }

    /// The vectors of each output cell.
    pub const fn vectors(&self) -> usize {
        self.biases.len()
    }
}

/// What a convolution applies to its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Epilogue {
    /// Adds the previous contents of the output (a residual connection).
    pub accumulate: bool,
    /// Applies `ReLU`; NaN stays NaN.
    pub relu: bool,
}

impl Epilogue {
    /// Applies it to a result and stores that.
    #[inline(always)]
    pub(super) fn store<S: Simd>(self, simd: S, mut sum: S::V, to: &mut Lanes) {
        if self.accumulate {
            sum = simd.add(sum, simd.load(to));
        }
        if self.relu {
            sum = simd.max(simd.zero(), sum);
        }
        simd.store(to, sum);
    }
}

/// The forward pass of a layer, and, with transposed weights, the backward pass of its
/// input. `scratch` is reusable memory.
///
/// # Panics
///
/// If input and output are not batches of equally many positions in the weights' shape.
pub fn conv_forward(
    set: InstructionSet,
    weights: &PackedWeights,
    input: &[Lanes],
    output: &mut [Lanes],
    epilogue: Epilogue,
    scratch: &mut Vec<Lanes>,
) {
    let cells = weights.shape.cells();
    let input_vectors = weights.channels.div_ceil(LANES);
    let positions = output.len() / (cells * weights.biases.len());
    assert_eq!(output.len(), positions * cells * weights.biases.len());
    assert_eq!(input.len(), positions * cells * input_vectors);
    if let Some(winograd) = &weights.winograd {
        winograd.convolve(set, (input, output), &weights.biases, epilogue, scratch);
        return;
    }
    let gathers = weights.shape.kernel() > 1;
    let block = usize::from(gathers) * cells * weights.shape.kernel() * input_vectors;
    let gathered = sized(scratch, block);
    gathered.fill(Lanes::ZERO);
    set.run(ConvForward {
        weights,
        input,
        output,
        epilogue,
        positions,
        gathered,
    });
}

/// So many lanes of reusable memory, with any contents.
pub(super) fn sized(scratch: &mut Vec<Lanes>, length: usize) -> &mut [Lanes] {
    if scratch.len() < length {
        scratch.resize(length, Lanes::ZERO);
    }
    &mut scratch[..length]
}

struct ConvForward<'a> {
    weights: &'a PackedWeights,
    input: &'a [Lanes],
    output: &'a mut [Lanes],
    epilogue: Epilogue,
    positions: usize,
    /// For each tap and vector of channels, the input of each cell of a position (im2col);
    /// zeros beyond the edge.
    gathered: &'a mut [Lanes],
}

impl Kernel for ConvForward<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let PackedWeights {
            shape,
            channels,
            weights,
            biases,
            ..
        } = self.weights;
        let (cells, taps) = (shape.cells(), shape.kernel());
        let all = self.positions * cells;
        // Without gathering, all positions are one block.
        let blocks = if taps == 1 { 1 } else { self.positions };
        for block in 0..blocks {
            if taps > 1 {
                let vectors = channels.div_ceil(LANES);
                for (tap, spans) in shape.spans().iter().enumerate() {
                    for vector in 0..vectors {
                        let from = &self.input[vector * all + block * cells..][..cells];
                        let to = &mut self.gathered[(tap * vectors + vector) * cells..][..cells];
                        for span in spans {
                            let from = &from[span.from..][..span.length];
                            for (to, from) in to[span.to..].iter_mut().zip(from) {
                                simd.store(to, simd.load(from));
                            }
                        }
                    }
                }
            }
            let rows = all / blocks;
            Gemm {
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
                epilogue: self.epilogue,
            }
            .multiply(simd);
        }
    }
}
