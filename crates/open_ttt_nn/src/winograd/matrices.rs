use super::super::kernel::{LANES, Lanes};
use super::super::simd::Simd;
use super::tiling::{POINTS_OF_FOUR, POINTS_OF_THREE};

/// The weight matrix times three weights.
pub(super) fn transform_weights([a, b, c]: [&Lanes; 3]) -> [Lanes; POINTS_OF_FOUR] {
    let mut points = [Lanes::ZERO; POINTS_OF_FOUR];
    for lane in 0..LANES {
        let (a, b, c) = (a.0[lane], b.0[lane], c.0[lane]);
        let (outer, far) = ((a + c) * (-1.0 / 6.0), (a + 4.0 * c) * (1.0 / 24.0));
        let (middle, near) = (b * (1.0 / 6.0), b * (1.0 / 12.0));
        points[0].0[lane] = 0.25 * a;
        points[1].0[lane] = outer - middle;
        points[2].0[lane] = outer + middle;
        points[3].0[lane] = far + near;
        points[4].0[lane] = c;
        points[5].0[lane] = far - near;
    }
    points
}

/// The transposed weight matrix times the sums at the points.
pub(super) fn inverse_transform_weights(x: [&Lanes; POINTS_OF_FOUR]) -> [Lanes; 3] {
    let mut taps = [Lanes::ZERO; 3];
    for lane in 0..LANES {
        let x = x.map(|x| x.0[lane]);
        let (middle, outer) = ((x[2] - x[1]) * (1.0 / 6.0), (x[1] + x[2]) * (1.0 / 6.0));
        let (near, far) = ((x[3] - x[5]) * (1.0 / 12.0), x[3] + x[5]);
        taps[0].0[lane] = 0.25 * x[0] - outer + far * (1.0 / 24.0);
        taps[1].0[lane] = middle + near;
        taps[2].0[lane] = far * (1.0 / 6.0) - outer + x[4];
    }
    taps
}

/// A transform of cells to points, along one side.
pub(super) trait Transform {
    /// The margin of cells around a tile that it reads.
    const AROUND: usize;

    /// The matrix times three to six numbers; gives five or six.
    fn transform<S: Simd, const FROM: usize, const TO: usize>(
        simd: S,
        x: [S::V; FROM],
    ) -> [S::V; TO];
}

/// The input matrix.
pub(super) struct InputTransform;

impl Transform for InputTransform {
    const AROUND: usize = 1;

    #[inline(always)]
    fn transform<S: Simd, const FROM: usize, const TO: usize>(
        simd: S,
        x: [S::V; FROM],
    ) -> [S::V; TO] {
        let (two, four) = (simd.splat(2.0), simd.splat(4.0));
        let mut to = [simd.zero(); TO];
        if TO == POINTS_OF_THREE {
            let odd = simd.sub(x[3], x[1]);
            let twice = simd.add(odd, odd);
            let three = simd.splat(3.0);
            let even = simd.sub(odd, simd.add(x[1], x[2]));
            to[0] = simd.mul_add(four, simd.sub(x[0], x[2]), twice);
            to[1] = simd.mul(three, even);
            to[2] = simd.mul_add(two, x[1], simd.sub(x[3], simd.mul(three, x[2])));
            to[3] = simd.add(twice, twice);
            to[4] = simd.sub(simd.sub(x[4], x[2]), twice);
        } else {
            let minus_four = simd.splat(-4.0);
            let minus_five = simd.splat(-5.0);
            let (even, odd) = (
                simd.mul_add(minus_four, x[2], x[4]),
                simd.mul_add(minus_four, x[1], x[3]),
            );
            let (far, near) = (simd.sub(x[4], x[2]), simd.sub(x[3], x[1]));
            to[0] = simd.mul_add(four, x[0], simd.mul_add(minus_five, x[2], x[4]));
            to[1] = simd.add(even, odd);
            to[2] = simd.sub(even, odd);
            to[3] = simd.mul_add(two, near, far);
            to[4] = simd.mul_add(four, x[1], simd.mul_add(minus_five, x[3], x[5]));
            to[5] = simd.sub(far, simd.add(near, near));
        }
        to
    }
}

/// The transposed output matrix.
pub(super) struct OutputGradientTransform;

impl Transform for OutputGradientTransform {
    const AROUND: usize = 0;

    #[inline(always)]
    fn transform<S: Simd, const FROM: usize, const TO: usize>(
        simd: S,
        x: [S::V; FROM],
    ) -> [S::V; TO] {
        let (two, four) = (simd.splat(2.0), simd.splat(4.0));
        let mut to = [simd.zero(); TO];
        let (even, far) = (simd.add(x[0], x[2]), simd.mul_add(four, x[2], x[0]));
        to[0] = x[0];
        if TO == POINTS_OF_THREE {
            to[1] = simd.add(even, x[1]);
            to[2] = simd.sub(even, x[1]);
            to[3] = simd.mul_add(two, x[1], far);
            to[4] = x[2];
        } else {
            let odd = simd.add(x[1], x[3]);
            let near = simd.mul_add(four, x[3], x[1]);
            let near = simd.add(near, near);
            to[1] = simd.add(even, odd);
            to[2] = simd.sub(even, odd);
            to[3] = simd.add(far, near);
            to[4] = x[3];
            to[5] = simd.sub(far, near);
        }
        to
    }
}

/// The output matrix times five or six numbers.
#[inline(always)]
pub(super) fn inverse_transform_output<S: Simd, const N: usize, const CELLS: usize>(
    simd: S,
    x: [S::V; N],
) -> [S::V; CELLS] {
    let (two, four) = (simd.splat(2.0), simd.splat(4.0));
    let (even, odd) = (simd.add(x[1], x[2]), simd.sub(x[1], x[2]));
    let mut to = [simd.zero(); CELLS];
    let first = simd.add(x[0], even);
    if N == POINTS_OF_THREE {
        to[0] = simd.add(first, x[3]);
        to[1] = simd.mul_add(two, x[3], odd);
        to[2] = simd.add(simd.mul_add(four, x[3], even), x[4]);
    } else {
        let (far, near) = (simd.add(x[3], x[5]), simd.sub(x[3], x[5]));
        let eight = simd.splat(8.0);
        to[0] = simd.add(first, far);
        to[1] = simd.mul_add(two, near, odd);
        to[2] = simd.mul_add(four, far, even);
        to[3] = simd.add(simd.mul_add(eight, near, odd), x[4]);
    }
    to
}
