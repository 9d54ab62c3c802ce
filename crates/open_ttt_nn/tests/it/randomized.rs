//! Networks with random weights in every layer.

use open_ttt_lib::random::Rng;
use open_ttt_nn::Network;

/// A number from -1 to 1.
pub(super) fn unit(rng: &mut Rng) -> f32 {
    rng.below(2_000_001) as f32 / 1e6 - 1.0
}

/// The network with random weights in every layer, also in those initialized with
/// zeros, scaled so that outputs stay about as large as inputs.
pub(super) fn randomized(mut network: Network, seed: u64) -> Network {
    let mut rng = Rng::new(seed);
    let steps = network.layers().to_vec();
    network.update(|numbers| {
        let mut numbers = numbers.iter_mut();
        for step in &steps {
            let inputs = step.channels * step.weights() / (step.outputs * step.channels);
            let bound = (3.0 / inputs as f32).sqrt();
            for number in numbers.by_ref().take(step.parameters()) {
                *number = unit(&mut rng) * bound;
            }
        }
    });
    network
}
