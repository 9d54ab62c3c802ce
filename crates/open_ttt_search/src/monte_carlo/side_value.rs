use open_ttt_lib::rules::{Outcome, Side};

/// The expected result of a game, in points: 1 for a win, half for a draw. The
/// points of the two sides add up to 1.
///
/// It is written and read for a named side, so it cannot be taken for the other
/// side's.
///
/// ```
/// use open_ttt_lib::rules::{Outcome, Side};
/// use open_ttt_search::SideValue;
///
/// let value = SideValue::for_side(Side::Second, 0.75);
/// assert_eq!(value.points(Side::Second), 0.75);
/// assert_eq!(value.points(Side::First), 0.25);
/// assert_eq!(SideValue::from(Outcome::Draw), SideValue::EVEN);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct SideValue {
    /// The points of the first side, 0 to 1.
    first: f32,
}

impl SideValue {
    /// Half a point for both sides.
    pub const EVEN: Self = Self { first: 0.5 };

    /// The value with these points for this side, clamped to 0 to 1; NaN counts as
    /// half a point.
    pub const fn for_side(side: Side, points: f32) -> Self {
        let points = if points.is_nan() {
            0.5
        } else {
            points.clamp(0.0, 1.0)
        };
        Self {
            first: match side {
                Side::First => points,
                Side::Second => 1.0 - points,
            },
        }
    }

    /// The points of this side, 0 to 1.
    pub const fn points(self, side: Side) -> f32 {
        match side {
            Side::First => self.first,
            Side::Second => 1.0 - self.first,
        }
    }
}

impl From<Outcome> for SideValue {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Win(side) => Self::for_side(side, 1.0),
            Outcome::Draw => Self::EVEN,
        }
    }
}
