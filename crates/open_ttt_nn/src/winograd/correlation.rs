use super::super::correlate::{Blocks, MOST_CHANNELS};
use super::super::kernel::{InstructionSet, LANES, Lanes};
use super::super::reach::Run;
use super::super::simd::{Kernel, Simd};
use super::points::Points;
use super::tiling::{POINTS, Tiling};
use super::transforms::from_points;

/// So many tiles are looked at together at most, if they are those of more than one
/// position: enough that it pays to fetch the sums, few enough that all stay near.
const TOGETHER: usize = 32;

/// As [`correlate`](super::super::kernel::correlate), up to rounding, for weights of so
/// many channels and outputs.
pub(in super::super) fn correlate(
    set: InstructionSet,
    tiling: Tiling,
    (input, output_gradient): (&[Lanes], &[Lanes]),
    (channels, outputs): (usize, usize),
    weights: &mut [f32],
    scratch: &mut Vec<Lanes>,
) {
    let (input_vectors, vectors) = (channels.div_ceil(LANES), outputs.div_ceil(LANES));
    let positions = output_gradient.len() / (tiling.cells() * vectors);
    let points = Points::new(tiling, positions, TOGETHER);
    let (down, right) = (tiling.rows.points(), tiling.columns.points());
    let channels_there = channels.next_multiple_of(MOST_CHANNELS);
    let all_sums = vectors * down * right * channels_there;
    let length = points.stride * (input_vectors + vectors) + all_sums;
    if scratch.len() < length {
        scratch.resize(length, Lanes::ZERO);
    }
    let (sums, carried) = scratch[..length].split_at_mut(all_sums);
    let (carried_input, carried_slopes) = carried.split_at_mut(points.stride * input_vectors);
    sums.fill(Lanes::ZERO);
    set.run(Correlation {
        points,
        input,
        output_gradient,
        carried_input,
        carried_slopes,
        vectors,
        channels: channels_there,
        sums,
    });
    let sums = &*sums;
    for vector in 0..vectors {
        for channel in 0..channels {
            let taps = carry_back(|row, column| {
                let is_there = row < down && column < right;
                let point = vector * down * right + row * right + column;
                is_there.then(|| &sums[point * channels_there + channel])
            });
            let outputs = vector * LANES..outputs.min((vector + 1) * LANES);
            for (lane, output) in outputs.enumerate() {
                let weights = &mut weights[(output * channels + channel) * 9..][..9];
                for (weight, tap) in weights.iter_mut().zip(taps.as_flattened()) {
                    *weight += tap.0[lane];
                }
            }
        }
    }
}

/// What the points have, carried back to the three by three weights.
fn carry_back<'a>(at: impl Fn(usize, usize) -> Option<&'a Lanes>) -> [[Lanes; 3]; 3] {
    let columns: [[Lanes; 3]; POINTS] = core::array::from_fn(|column| {
        from_points(core::array::from_fn(|row| {
            at(row, column).unwrap_or(&Lanes::ZERO)
        }))
    });
    core::array::from_fn(|row| from_points(columns.each_ref().map(|column| &column[row])))
}

struct Correlation<'a> {
    points: Points,
    input: &'a [Lanes],
    output_gradient: &'a [Lanes],
    /// Both at the points.
    carried_input: &'a mut [Lanes],
    carried_slopes: &'a mut [Lanes],
    vectors: usize,
    channels: usize,
    /// For each sixteen outputs, each point and each channel, sixteen sums.
    sums: &'a mut [Lanes],
}

impl Kernel for Correlation<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Tiling { rows, columns } = self.points.tiling;
        let mut runs = Vec::with_capacity(rows.points() * columns.points());
        for part in self.points.parts() {
            part.carry_input(simd, self.input, self.carried_input);
            part.carry_slopes(simd, self.output_gradient, self.carried_slopes);
            runs.clear();
            for down in 0..rows.points() {
                for right in 0..columns.points() {
                    let (first, length) = part.rows(down, right);
                    runs.push([Run {
                        from: first,
                        to: first,
                        length,
                    }]);
                }
            }
            Blocks {
                runs: &runs,
                input: self.carried_input,
                output_gradient: self.carried_slopes,
                positions: 1,
                cells: part.stride,
                vectors: self.vectors,
                channels: self.channels,
                sums: self.sums,
            }
            .add_up(simd, 0..1);
        }
    }
}
