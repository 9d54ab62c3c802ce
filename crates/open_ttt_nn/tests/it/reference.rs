//! A reference implementation of networks in 64-bit numbers.

use open_ttt_nn::{Layer, Network};

/// The parameters of the network.
pub(super) fn parameters(network: &Network) -> Vec<f64> {
    network
        .parameters()
        .iter()
        .copied()
        .map(f64::from)
        .collect()
}

/// The outputs of every layer with these parameters, by cell and channel.
pub(super) fn outputs(network: &Network, mut parameters: &[f64], planes: &[f32]) -> Vec<Vec<f64>> {
    let encoding = network.encoding();
    let (rows, columns) = (encoding.rows, encoding.columns);
    let cells = rows * columns;
    let mut input = vec![0.0; planes.len()];
    for (at, &number) in planes.iter().enumerate() {
        input[at % cells * encoding.planes + at / cells] = f64::from(number);
    }
    let mut outputs: Vec<Vec<f64>> = Vec::new();
    for step in network.layers() {
        let (own, rest) = parameters.split_at(step.parameters());
        parameters = rest;
        let (weights, biases) = own.split_at(step.weights());
        let from = step.from.map_or(&input, |from| &outputs[from]);
        let mut output = Vec::new();
        let cells = from.len() / step.channels;
        for cell in 0..cells {
            for (at, &bias) in biases.iter().enumerate() {
                let mut sum = bias;
                for channel in 0..step.channels {
                    sum += taps(step, weights, at, channel, (cell, rows, columns), from);
                }
                let added = step.add.map_or(0.0, |add| outputs[add][output.len()]);
                sum += added;
                output.push(if step.relu { sum.max(0.0) } else { sum });
            }
        }
        outputs.push(output);
    }
    outputs
}

/// The contribution of an input channel to an output of a cell.
fn taps(
    step: &Layer,
    weights: &[f64],
    output: usize,
    channel: usize,
    (cell, rows, columns): (usize, usize, usize),
    from: &[f64],
) -> f64 {
    let pair = output * step.channels + channel;
    let number = |cell: usize| from[cell * step.channels + channel];
    if step.weights() == step.outputs * step.channels {
        return weights[pair] * number(cell);
    }
    let (row, column) = ((cell / columns) as i32, (cell % columns) as i32);
    let mut sum = 0.0;
    for tap in 0..9 {
        let (row, column) = (row + tap / 3 - 1, column + tap % 3 - 1);
        if (0..rows as i32).contains(&row) && (0..columns as i32).contains(&column) {
            let at = (row * columns as i32 + column) as usize;
            sum += weights[pair * 9 + tap as usize] * number(at);
        }
    }
    sum
}
