use super::kernel::{LANES, Lanes};
use open_ttt_lib::rules::Encoding;

/// Converts encoded positions, each plane by plane and cell by cell, to a batch; or,
/// flattened for a fully connected layer, each to one cell of all numbers, cell by
/// cell and plane by plane.
pub fn pack(positions: &[f32], encoding: &Encoding, flat: bool, batch: &mut Vec<Lanes>) {
    let (planes, cells) = (encoding.planes, encoding.cells());
    let count = positions.len() / encoding.inputs();
    let (cells_out, numbers) = if flat {
        (1, planes * cells)
    } else {
        (cells, planes)
    };
    batch.clear();
    batch.resize(numbers.div_ceil(LANES) * count * cells_out, Lanes::ZERO);
    for (position, numbers) in positions.chunks_exact(encoding.inputs()).enumerate() {
        for (plane, numbers) in numbers.chunks_exact(cells).enumerate() {
            for (cell, &number) in numbers.iter().enumerate() {
                let (at, cell) = if flat {
                    (cell * planes + plane, 0)
                } else {
                    (plane, cell)
                };
                let place = (at / LANES * count + position) * cells_out + cell;
                batch[place].0[at % LANES] = number;
            }
        }
    }
}

/// Flattens each position to one cell: the channels of one cell after those of
/// another.
pub fn flatten(batch: &[Lanes], channels: usize, positions: usize, flat: &mut Vec<Lanes>) {
    let cells = batch.len() / (positions * channels.div_ceil(LANES));
    flat.clear();
    flat.resize((cells * channels).div_ceil(LANES) * positions, Lanes::ZERO);
    for position in 0..positions {
        for cell in 0..cells {
            for first in (0..channels).step_by(LANES) {
                let from = (first / LANES * positions + position) * cells + cell;
                let mut numbers = &batch[from].0[..LANES.min(channels - first)];
                let mut at = cell * channels + first;
                // The numbers may straddle two groups of lanes.
                while !numbers.is_empty() {
                    let to = &mut flat[at / LANES * positions + position].0[at % LANES..];
                    let (here, rest) = numbers.split_at(to.len().min(numbers.len()));
                    to[..here.len()].copy_from_slice(here);
                    at += here.len();
                    numbers = rest;
                }
            }
        }
    }
}

/// The backward pass of [`flatten`]: adds the gradients to those of the cells.
pub fn unflatten_add(flat: &[Lanes], channels: usize, positions: usize, batch: &mut [Lanes]) {
    let cells = batch.len() / (positions * channels.div_ceil(LANES));
    for position in 0..positions {
        for cell in 0..cells {
            for channel in 0..channels {
                let at = cell * channels + channel;
                let number = flat[at / LANES * positions + position].0[at % LANES];
                let to = (channel / LANES * positions + position) * cells + cell;
                batch[to].0[channel % LANES] += number;
            }
        }
    }
}
