use open_ttt_nn::Layer;

use super::Settings;

/// The state of Adam (Kingma and Ba 2015) with decoupled weight decay (`AdamW`,
/// Loshchilov and Hutter 2019).
///
/// The fields are the whole state, so training can be interrupted and resumed.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Moving averages of each parameter's gradient.
    pub first_moments: Vec<f32>,
    /// Moving averages of its square.
    pub second_moments: Vec<f32>,
    /// The number of steps made.
    pub steps: u64,
}

impl Adam {
    /// The initial state for this many parameters.
    pub fn new(parameters: usize) -> Self {
        Self {
            first_moments: vec![0.0; parameters],
            second_moments: vec![0.0; parameters],
            steps: 0,
        }
    }

    /// Makes one step along the gradient.
    pub(super) fn step(
        &mut self,
        settings: &Settings,
        layers: &[Layer],
        parameters: &mut [f32],
        gradient: &[f32],
    ) {
        self.steps += 1;
        let (beta1, beta2) = (settings.beta1, settings.beta2);
        let (rate, epsilon) = (settings.learning_rate, settings.epsilon);
        // The correction of the moments' bias towards their initial 0.
        let correction = |beta: f32| (1.0 / (1.0 - power(f64::from(beta), self.steps))) as f32;
        let (correction1, correction2) = (correction(beta1), correction(beta2));
        let decay = 1.0 - rate * settings.weight_decay;
        let mut first = 0;
        for layer in layers {
            // Biases do not decay.
            for (length, decay) in [(layer.weights(), decay), (layer.outputs, 1.0)] {
                let own = first..first + length;
                first = own.end;
                let moments = self.first_moments[own.clone()]
                    .iter_mut()
                    .zip(&mut self.second_moments[own.clone()]);
                let gradient = &gradient[own.clone()];
                for ((parameter, &g), (m, v)) in
                    parameters[own].iter_mut().zip(gradient).zip(moments)
                {
                    *m += (1.0 - beta1) * (g - *m);
                    *v += (1.0 - beta2) * (g * g - *v);
                    let scale = (*v * correction2).sqrt() + epsilon;
                    *parameter = *parameter * decay - rate * (*m * correction1) / scale;
                }
            }
        }
    }
}

/// A power by squaring, with the same bits on every platform.
fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut result = 1.0;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result *= base;
        }
        base *= base;
        exponent /= 2;
    }
    result
}
