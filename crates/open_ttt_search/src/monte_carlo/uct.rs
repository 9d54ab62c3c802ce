use crate::float::{ln, sqrt};
use crate::tree::non_negative;
use alloc::boxed::Box;

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
    /// The mean points of the visits. Without visits above any mean, in random order.
    pub(super) mean: f32,
    /// The upper half of a single-precision number, less than 0.8 % below the exact one.
    spread: u16,
}

/// The most visits that a mean is taken of. From there on the earlier ones count less and
/// less, because rounding would keep later ones from counting at all.
const MAX_MEAN_VISITS: u32 = 1 << 22;

/// The spread of a move that is not to be tried: no number.
const NEVER: u16 = 0x7FC0;

impl Urgency {
    /// The urgency of a proved draw, which no visit changes.
    pub(super) const DRAWN: Self = Self {
        mean: 0.5,
        spread: 0,
    };

    /// The urgency of a move without visits, above those of all visited ones. The
    /// random number orders such moves.
    pub(super) fn unvisited(random: u8) -> Self {
        Self {
            mean: 1e9 + f32::from(random) * 1e6,
            spread: 0,
        }
    }

    /// Adds visits that brought these points together; with them it is `visits`.
    #[inline]
    pub(super) fn add(&mut self, points: f32, added: u32, visits: u32) {
        let mean = if added == visits { 0.0 } else { self.mean };
        let of = visits.min(MAX_MEAN_VISITS) as f32;
        self.mean = mean + (points - mean * added as f32) / of;
        if self.spread != NEVER {
            self.spread = spread(visits);
        }
    }

    /// From now on the move is not to be tried.
    pub(super) fn forbid(&mut self) {
        self.spread = NEVER;
    }

    /// The move, which has so many visits, may be tried again.
    pub(super) fn allow(&mut self, visits: u32) {
        self.spread = if visits == 0 { 0 } else { spread(visits) };
    }

    /// The upper confidence bound; NaN for a move that is not to be tried.
    #[inline]
    pub(super) fn bound(self, scale: f32) -> f32 {
        self.mean + scale * f32::from_bits(u32::from(self.spread) << 16)
    }
}

fn spread(visits: u32) -> u16 {
    let spread = 1.0 / sqrt(visits as f32);
    (spread.to_bits() >> 16) as u16
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
            *scale = non_negative(exploration) * sqrt(ln(visits.into()) as f32);
        }
        Self { scales }
    }

    /// The scale of a position with this many visits.
    pub(super) fn scale(&self, visits: u32) -> f32 {
        let steps = (visits.max(1) as f32).to_bits() - 1.0_f32.to_bits();
        self.scales[(steps >> Self::STEP_BITS) as usize % Self::SCALES]
    }
}
