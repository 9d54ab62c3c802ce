use open_ttt_nn::Step;

use super::Settings;

/// Adam (Kingma and Ba 2015), with weights that decay by themselves (Loshchilov
/// and Hutter 2019): what it remembers of the gradients.
///
/// The fields are all there is, so that training can be interrupted and go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// The gradient of each parameter, averaged over the last steps.
    pub averages: Vec<f32>,
    /// Its square, averaged over more of them.
    pub squares: Vec<f32>,
    /// How many steps have been made.
    pub steps: u64,
}

impl Adam {
    /// Nothing to remember yet about so many parameters.
    pub fn new(parameters: usize) -> Self {
        Self {
            averages: vec![0.0; parameters],
            squares: vec![0.0; parameters],
            steps: 0,
        }
    }

    /// Follows the gradient by one step.
    pub(super) fn step(
        &mut self,
        settings: &Settings,
        layers: &[Step],
        parameters: &mut [f32],
        gradient: &[f32],
    ) {
        self.steps += 1;
        // The averages begin at zero and are that much too small.
        let lack = |decay: f32| 1.0 - power(f64::from(decay), self.steps);
        let average_scale = (1.0 / lack(settings.average_decay)) as f32;
        let square_scale = (1.0 / lack(settings.square_decay)) as f32;
        let rate = settings.learning_rate;
        let mut first = 0;
        for layer in layers {
            let kept = 1.0 - rate * settings.weight_decay;
            // Biases do not decay.
            for (length, kept) in [(layer.weights(), kept), (layer.outputs, 1.0)] {
                let own = first..first + length;
                first = own.end;
                let moments = self.averages[own.clone()]
                    .iter_mut()
                    .zip(&mut self.squares[own.clone()]);
                let gradient = &gradient[own.clone()];
                for ((parameter, &slope), (average, square)) in
                    parameters[own].iter_mut().zip(gradient).zip(moments)
                {
                    *average += (1.0 - settings.average_decay) * (slope - *average);
                    *square += (1.0 - settings.square_decay) * (slope * slope - *square);
                    let scale = (*square * square_scale).sqrt() + settings.epsilon;
                    *parameter = *parameter * kept - rate * (*average * average_scale) / scale;
                }
            }
        }
    }
}

/// A number multiplied by itself so many times, by squaring: the same everywhere.
fn power(mut base: f64, mut times: u64) -> f64 {
    let mut result = 1.0;
    while times > 0 {
        if times % 2 == 1 {
            result *= base;
        }
        base *= base;
        times /= 2;
    }
    result
}
