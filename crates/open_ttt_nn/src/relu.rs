use super::kernel::{InstructionSet, Lanes};
use super::simd::{Kernel, Simd};

/// `ReLU` backward pass: sets the gradient to zero where the output is zero.
///
/// # Panics
///
/// If the slices differ in length.
pub fn relu_backward(set: InstructionSet, outputs: &[Lanes], gradients: &mut [Lanes]) {
    assert_eq!(outputs.len(), gradients.len());
    set.run(ReluBackward { outputs, gradients });
}

struct ReluBackward<'a> {
    outputs: &'a [Lanes],
    gradients: &'a mut [Lanes],
}

impl Kernel for ReluBackward<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for (gradients, outputs) in self.gradients.iter_mut().zip(self.outputs) {
            let kept = simd.where_positive(simd.load(outputs), simd.load(gradients));
            simd.store(gradients, kept);
        }
    }
}
