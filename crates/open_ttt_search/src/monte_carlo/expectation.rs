use open_ttt_lib::rules::{Outcome, Side};

/// How a game is expected to end: a win is worth one point, a draw half a
/// point, and what one side can expect the other cannot.
///
/// It is told for a side and read for a side, so that nobody takes one side's
/// hope for the other's.
///
/// ```
/// use open_ttt_lib::rules::{Outcome, Side};
/// use open_ttt_search::SideValue;
///
/// let expectation = SideValue::for_side(Side::Second, 0.75);
/// assert_eq!(expectation.points(Side::Second), 0.75);
/// assert_eq!(expectation.points(Side::First), 0.25);
/// assert_eq!(SideValue::from(Outcome::Draw), SideValue::EVEN);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct SideValue {
    /// For the first side, 0 to 1.
    first: f32,
}

impl SideValue {
    /// Both sides may expect the same.
    pub const EVEN: Self = Self { first: 0.5 };

    /// This side may expect so many points, brought within 0 to 1; what is no
    /// number counts as half a point.
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

    /// The points that this side may expect, 0 to 1.
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
