use crate::tree::non_negative;

/// Upper confidence bounds for trees, computed so that comparing moves takes no
/// logarithm, root or division.
///
/// The bound of a move is `value + spread · scale`; the scale is the same for all
/// moves of a position.
#[derive(Clone, Debug)]
pub(super) struct Uct {
    /// The scale by the leading bits of a position's visits.
    scales: Box<[f32; Uct::SCALES]>,
}

/// The parts of the upper confidence bound of a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Urgency {
    pub(super) value: f32,
    pub(super) spread: f32,
}

impl Urgency {
    /// The urgency of a move that is not to be tried, below every other.
    pub(super) const NEVER: Self = Self::fixed(-1.0);

    /// The urgency of a proved draw, which no visit changes.
    pub(super) const DRAWN: Self = Self::fixed(0.5);

    const fn fixed(value: f32) -> Self {
        Self { value, spread: 0.0 }
    }

    /// The urgency of a move with this mean value.
    pub(super) fn visited(value: f32, visits: u32) -> Self {
        let spread = 1.0 / (visits as f32).sqrt();
        Self { value, spread }
    }

    /// The urgency of a move without visits, above those of all visited ones. The
    /// random number orders such moves.
    pub(super) fn unvisited(random: u8) -> Self {
        Self::fixed(1e9 + f32::from(random) * 1e6)
    }
}

impl Uct {
    /// 32 powers of two with 16 steps each.
    const SCALES: usize = 512;
    /// The bits of a single-precision number below the 16 steps.
    const STEP_BITS: u32 = 19;

    pub(super) fn new(exploration: f32) -> Self {
        let mut scales = Box::new([0.0; Self::SCALES]);
        let one = 1.0_f32.to_bits();
        for (index, scale) in scales.iter_mut().enumerate() {
            let visits = f32::from_bits(one + ((index as u32) << Self::STEP_BITS));
            *scale = non_negative(exploration) * visits.ln().sqrt();
        }
        Self { scales }
    }

    /// The scale of a position with this many visits.
    pub(super) fn scale(&self, visits: u32) -> f32 {
        let steps = (visits.max(1) as f32).to_bits() - 1.0_f32.to_bits();
        self.scales[(steps >> Self::STEP_BITS) as usize % Self::SCALES]
    }
}
