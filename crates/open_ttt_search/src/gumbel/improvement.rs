use super::GumbelOptions;
use super::nodes::NodeView;
use alloc::vec::Vec;

/// Replaces `improved` with the logits of the improved policy, with completed Q-values
/// (Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with
/// Gumbel", 2022). Returns the mixed value.
///
/// The improved policy is the softmax of logit + σ(value), with σ(value) =
/// (`c_visit` + most visits) · `c_scale` · value. Moves without a value get the
/// mixed value of the position.
#[inline]
pub(super) fn improved_logits(
    options: &GumbelOptions,
    node: &NodeView<'_>,
    improved: &mut Vec<f32>,
) -> f32 {
    let mixed = mixed_value(node);
    let scale = (options.visit_offset + node.most_visits as f32) * options.value_scale;
    improved.clear();
    improved.extend(node.logits.iter().zip(node.values).map(|(&logit, &value)| {
        let completed = if value.is_nan() { mixed } else { value };
        logit + scale * completed
    }));
    mixed
}

/// The mixed value of a position, `v_mix` of the paper's appendix D: its estimate and
/// the values of its moves, weighted by the policy.
#[inline]
fn mixed_value(node: &NodeView<'_>) -> f32 {
    if node.all_visits == 0 {
        return node.estimate;
    }
    let (mut known, mut sum) = (0.0, 0.0);
    for (&value, &prior) in node.values.iter().zip(node.priors) {
        if !value.is_nan() {
            known += prior;
            sum += prior * value;
        }
    }
    let visits = node.all_visits as f32;
    (node.estimate + visits * (sum / known)) / (visits + 1.0)
}
