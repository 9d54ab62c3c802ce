use super::architecture::Step;
use super::kernel::Packed;
use open_ttt_lib::random::Rng;

/// What a network has learned, and the same in the order of its products.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    /// Layer by layer its weights, output by output, channel by channel, tap by
    /// tap, and its biases.
    pub(super) numbers: Vec<f32>,
    pub(super) packed: Vec<Packed>,
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.numbers == other.numbers
    }
}

impl Parameters {
    /// There are as many numbers as the layers have.
    pub(super) fn new(steps: &[Step], numbers: Vec<f32>) -> Self {
        let packed = steps
            .iter()
            .map(|step| Packed::new(&step.reach, step.channels, step.outputs));
        let mut parameters = Self {
            numbers,
            packed: packed.collect(),
        };
        parameters.pack(steps);
        parameters
    }

    /// By chance, so that what a rectified layer gives varies as what it gets
    /// (He, Zhang, Ren and Sun 2015); uniform.
    pub(super) fn random(steps: &[Step], seed: u64) -> Vec<f32> {
        let mut rng = Rng::new(seed);
        let mut numbers = Vec::new();
        for step in steps {
            let inputs = step.channels * step.reach.kernel();
            let bound = (6.0 / inputs as f32).sqrt();
            for _ in 0..step.weights() {
                // 24 bits fill the significand; from -1 to 1.
                let unit = (rng.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0;
                numbers.push(if step.begins_with_zeros {
                    0.0
                } else {
                    unit * bound
                });
            }
            numbers.resize(numbers.len() + step.outputs, 0.0);
        }
        numbers
    }

    /// Puts the numbers in order after they have changed.
    pub(super) fn pack(&mut self, steps: &[Step]) {
        let mut rest = &self.numbers[..];
        for (step, packed) in steps.iter().zip(&mut self.packed) {
            let (own, others) = rest.split_at(step.parameters());
            let (weights, biases) = own.split_at(step.weights());
            packed.set(weights, biases);
            rest = others;
        }
    }
}
