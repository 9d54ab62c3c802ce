use super::GumbelOptions;
use super::nodes::Seen;

/// How what was seen of a node improves its policy (Danihelka, Guez,
/// Schrittwieser and Silver, "Policy improvement by planning with Gumbel",
/// 2022).
///
/// The improved policy is softmax of logit + σ(value), where moves of which
/// nothing is known have the mixed value of the position, and
/// σ(value) = (`c_visit` + most visits) · `c_scale` · value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Improvement {
    visit_offset: f32,
    value_scale: f32,
}

impl Improvement {
    pub(super) const fn new(options: &GumbelOptions) -> Self {
        Self {
            visit_offset: options.visit_offset,
            value_scale: options.value_scale,
        }
    }

    /// The value of a position by its own estimate and what is known of its
    /// moves, each as much as the policy thinks of it: `v_mix` of the paper's
    /// appendix D.
    #[inline]
    pub(super) fn mixed_value(seen: &Seen<'_>) -> f32 {
        if seen.all_visits == 0 {
            return seen.estimate;
        }
        let (mut known, mut sum) = (0.0, 0.0);
        for (&value, &prior) in seen.values.iter().zip(seen.priors) {
            if !value.is_nan() {
                known += prior;
                sum += prior * value;
            }
        }
        let visits = seen.all_visits as f32;
        (seen.estimate + visits * (sum / known)) / (visits + 1.0)
    }

    /// Puts the logits of the improved policy in place of what was there.
    /// Returns the mixed value.
    #[inline]
    pub(super) fn logits(&self, seen: &Seen<'_>, improved: &mut Vec<f32>) -> f32 {
        let mixed = Self::mixed_value(seen);
        let scale = (self.visit_offset + seen.most_visits as f32) * self.value_scale;
        improved.clear();
        improved.extend(seen.logits.iter().zip(seen.values).map(|(&logit, &value)| {
            let completed = if value.is_nan() { mixed } else { value };
            logit + scale * completed
        }));
        mixed
    }
}
