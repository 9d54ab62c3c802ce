//! Winograd convolution, with fewer multiplications (Winograd 1980; for networks Lavin
//! and Gray 2016): tiles of three or four output cells along each side, computed from
//! two more input cells.
//!
//! Input and weights are transformed to a domain in which the convolution is a product
//! at each point of a grid; the products are transformed back. With the points 0, 1, -1,
//! 2 and infinity three cells need five products, and with -2 as well four cells need
//! six, so a board of six by seven needs 110 where direct convolution needs 304. Both
//! tile sizes share the transformed weights. The matrices, by the method of Cook and
//! Toom:
//!
//! ```text
//!       weights              input, of three cells    of four
//!   0    1/4    0    0        4 -2 -4  2  0           4  0 -5  0  1  0
//!   1   -1/6 -1/6 -1/6        0 -6 -3  3  0           0 -4 -4  1  1  0
//!  -1   -1/6  1/6 -1/6        0  2 -3  1  0           0  4 -4 -1  1  0
//!   2   1/24 1/12  1/6        0 -4  0  4  0           0 -2 -1  2  1  0
//!  inf     0    0    1        0  2 -1 -2  1           0  4  0 -5  0  1
//!  -2   1/24 -1/12 1/6                                0  2 -1 -2  1  0
//!
//!       output, of three cells and of four
//!         0  1 -1  2 inf        0  1 -1  2 inf -2
//!         1  1  1  1  0         1  1  1  1  0  1
//!         0  1 -1  2  0         0  1 -1  2  0 -2
//!         0  1  1  4  1         0  1  1  4  0  4
//!                               0  1 -1  8  1 -8
//! ```
//!
//! The gradient of the weights is computed in the same domain: the output gradient is
//! transformed by the transposed output matrix, multiplied by the transformed input and
//! summed over all tiles; the sums are transformed back by the transposed weight matrix.

mod convolution;
mod matrices;
mod points;
mod tiling;
mod weight_gradient;

pub(super) use convolution::WinogradWeights;
pub(super) use tiling::Tiling;
pub(super) use weight_gradient::weight_gradient;
