use super::architecture::Layer;
use super::kernel::PackedWeights;
use open_ttt_lib::random::Rng;

/// The parameters of a network, and the same packed for its kernels.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    /// For each layer its weights, by output, channel and tap, and then its biases.
    pub(super) numbers: Vec<f32>,
    pub(super) packed: Vec<PackedWeights>,
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.numbers == other.numbers
    }
}

impl Parameters {
    /// `numbers` has as many elements as the layers have parameters.
    pub(super) fn new(layers: &[Layer], numbers: Vec<f32>) -> Self {
        let packed =
            |layer: &Layer| PackedWeights::new(&layer.shape, layer.channels, layer.outputs);
        let packed = layers.iter().map(packed).collect();
        let mut parameters = Self { numbers, packed };
        parameters.pack(layers);
        parameters
    }

    /// Uniform random weights with the variance that suits `ReLU` (He, Zhang, Ren and
    /// Sun 2015).
    pub(super) fn random(layers: &[Layer], seed: u64) -> Vec<f32> {
        let mut rng = Rng::new(seed);
        let mut numbers = Vec::new();
        for layer in layers {
            let inputs = layer.channels * layer.shape.kernel();
            let bound = (6.0 / inputs as f32).sqrt();
            for _ in 0..layer.weights() {
                // 24 bits fill the significand; from -1 to 1.
                let unit = (rng.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0;
                numbers.push(if layer.zero_initialized {
                    0.0
                } else {
                    unit * bound
                });
            }
            numbers.resize(numbers.len() + layer.outputs, 0.0);
        }
        numbers
    }

    /// Packs the parameters again after a change.
    pub(super) fn pack(&mut self, layers: &[Layer]) {
        let mut rest = &self.numbers[..];
        for (layer, packed) in layers.iter().zip(&mut self.packed) {
            let (own, others) = rest.split_at(layer.parameters());
            let (weights, biases) = own.split_at(layer.weights());
            packed.set(weights, biases);
            rest = others;
        }
    }
}
