//! Convolutions with fewer multiplications (Winograd 1980; for networks Lavin and
//! Gray 2016): three or four cells of the output along each side at once, from two
//! more of the input.
//!
//! Input, weights and output are carried to where the convolution is a product at
//! each point of a grid, and back. With the points 0, 1, -1, 2 and infinity three
//! cells take five products, and with -2 as well four cells take six; so a board of
//! six by seven takes 110 where its cells have 304 neighbours. Both lengths share
//! the weights. The matrices, by the method of Cook and Toom:
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
//! The gradient of the weights takes the same way: slopes are carried to the points by
//! the output's matrix transposed, multiplied there by what the input has, summed over
//! all tiles, and the sums are carried back by the weights' matrix transposed.

mod convolution;
mod correlation;
mod points;
mod tiling;
mod transforms;

pub(super) use convolution::Tiled;
pub(super) use correlation::correlate;
pub(super) use tiling::Tiling;
