use super::Selection;

/// The numbers that selection needs, made so that comparing moves takes no
/// logarithm, root or division.
///
/// A move's bound is its value and a factor of its own, the spread, times one
/// that all moves of a position share, the scale.
#[derive(Clone, Debug)]
pub(super) struct Policy {
    selection: Selection,
    /// The scale by the leading bits of a position's visits.
    scales: Box<[f32; Policy::SCALES]>,
}

/// How urgent it is to try a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Urgency {
    pub(super) value: f32,
    pub(super) spread: f32,
}

impl Urgency {
    /// Of a move that is not to be tried: below every other.
    pub(super) const NEVER: Self = Self {
        value: -1.0,
        spread: 0.0,
    };

    /// Of a draw that is certain: no try makes it better or worse.
    pub(super) const DRAWN: Self = Self {
        value: 0.5,
        spread: 0.0,
    };
}

impl Policy {
    /// 32 powers of two with 16 steps each.
    const SCALES: usize = 512;
    /// The bits of a single-precision number below the 16 steps.
    const STEP_BITS: u32 = 19;

    pub(super) fn new(selection: Selection) -> Self {
        let mut scales = Box::new([0.0; Self::SCALES]);
        let one = 1.0_f32.to_bits();
        for (index, scale) in scales.iter_mut().enumerate() {
            let visits = f32::from_bits(one + ((index as u32) << Self::STEP_BITS));
            *scale = match selection {
                Selection::Uct { exploration } => positive(exploration) * visits.ln().sqrt(),
                Selection::Puct { exploration, .. } => positive(exploration) * visits.sqrt(),
            };
        }
        Self { selection, scales }
    }

    /// Whether it matters how likely a move was thought to be good.
    pub(super) fn uses_priors(&self) -> bool {
        matches!(self.selection, Selection::Puct { .. })
    }

    /// The scale of a position that was visited so often.
    pub(super) fn scale(&self, visits: u32) -> f32 {
        let steps = (visits.max(1) as f32).to_bits() - 1.0_f32.to_bits();
        self.scales[(steps >> Self::STEP_BITS) as usize % Self::SCALES]
    }

    /// The urgency of a move that brought `value` on average of some visits.
    pub(super) fn visited(&self, value: f32, prior: f32, visits: u32) -> Urgency {
        let visits = visits as f32;
        let spread = match self.selection {
            Selection::Uct { .. } => 1.0 / visits.sqrt(),
            Selection::Puct { .. } => prior / (1.0 + visits),
        };
        Urgency { value, spread }
    }

    /// The urgency of a move not yet tried, in a position of this value to
    /// whom it belongs. `lot` orders moves that nothing else tells apart.
    pub(super) fn untried(&self, value: f32, prior: f32, lot: u8) -> Urgency {
        match self.selection {
            // Above every mean and bound, so that each is tried once.
            Selection::Uct { .. } => Urgency {
                value: 1e9 + f32::from(lot) * 1e6,
                spread: 0.0,
            },
            Selection::Puct {
                first_play_reduction,
                ..
            } => Urgency {
                value: (value - first_play_reduction).clamp(0.0, 1.0),
                spread: prior,
            },
        }
    }
}

/// The number, or nothing where it is negative or none.
fn positive(number: f32) -> f32 {
    if number > 0.0 { number.min(1e6) } else { 0.0 }
}
