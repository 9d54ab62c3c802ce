use super::kernel::{InstructionSet, Lanes};
use super::simd::{Kernel, Simd};

/// Carries slopes back through rectifying: a number that came out as zero does not
/// change with what went in.
///
/// # Panics
///
/// Unless there are as many outputs as slopes.
pub fn unrectify(set: InstructionSet, outputs: &[Lanes], slopes: &mut [Lanes]) {
    assert_eq!(outputs.len(), slopes.len());
    set.run(Unrectify { outputs, slopes });
}

struct Unrectify<'a> {
    outputs: &'a [Lanes],
    slopes: &'a mut [Lanes],
}

impl Kernel for Unrectify<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for (slopes, outputs) in self.slopes.iter_mut().zip(self.outputs) {
            let kept = simd.where_positive(simd.load(outputs), simd.load(slopes));
            simd.store(slopes, kept);
        }
    }
}
