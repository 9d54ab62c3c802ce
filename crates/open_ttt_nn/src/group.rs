use super::kernel::{LANES, Lanes};
use open_ttt_lib::rules::Encoding;

/// Writes positions, each plane by plane and cell by cell, as a group; or, for a
/// layer of everything of everything, each as one cell of so many numbers: cell by
/// cell, plane by plane.
pub fn arrange(positions: &[f32], encoding: &Encoding, flat: bool, group: &mut Vec<Lanes>) {
    let (planes, cells) = (encoding.planes, encoding.cells());
    let count = positions.len() / encoding.inputs();
    let (cells_there, numbers) = if flat {
        (1, planes * cells)
    } else {
        (cells, planes)
    };
    group.clear();
    group.resize(numbers.div_ceil(LANES) * count * cells_there, Lanes::ZERO);
    for (position, numbers) in positions.chunks_exact(encoding.inputs()).enumerate() {
        for (plane, numbers) in numbers.chunks_exact(cells).enumerate() {
            for (cell, &number) in numbers.iter().enumerate() {
                let (at, cell) = if flat {
                    (cell * planes + plane, 0)
                } else {
                    (plane, cell)
                };
                let place = (at / LANES * count + position) * cells_there + cell;
                group[place].0[at % LANES] = number;
            }
        }
    }
}

/// Makes each position one cell, of the channels of one cell after those of
/// another.
pub fn flatten(group: &[Lanes], channels: usize, positions: usize, flat: &mut Vec<Lanes>) {
    let cells = group.len() / (positions * channels.div_ceil(LANES));
    flat.clear();
    flat.resize((cells * channels).div_ceil(LANES) * positions, Lanes::ZERO);
    for position in 0..positions {
        for cell in 0..cells {
            for first in (0..channels).step_by(LANES) {
                let from = (first / LANES * positions + position) * cells + cell;
                let mut numbers = &group[from].0[..LANES.min(channels - first)];
                let mut at = cell * channels + first;
                // They may end in another sixteen than they begin.
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

/// The way back: adds to each cell what stands in its place in the one.
pub fn unflatten(flat: &[Lanes], channels: usize, positions: usize, group: &mut [Lanes]) {
    let cells = group.len() / (positions * channels.div_ceil(LANES));
    for position in 0..positions {
        for cell in 0..cells {
            for channel in 0..channels {
                let at = cell * channels + channel;
                let number = flat[at / LANES * positions + position].0[at % LANES];
                let to = (channel / LANES * positions + position) * cells + cell;
                group[to].0[channel % LANES] += number;
            }
        }
    }
}
