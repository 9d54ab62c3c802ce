use open_ttt_coach::{GameValue, MoveValue};

/// What a move is worth, short enough for the cell where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct CellValue {
    /// Up to three characters.
    pub(super) long: String,
    /// For a cell that is narrower than that.
    pub(super) short: char,
    pub(in super::super) favor: Favor,
}

/// For whom a move is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Favor {
    /// The side that plays it.
    Good,
    Even,
    /// The other side.
    Bad,
}

impl CellValue {
    /// The sign of the result and the moves to it, or the points in a game of points: `+5`,
    /// `=`, `-12`. An estimate is the points of 100 that can be expected, `48`, or in one
    /// character the tens of them.
    pub(in super::super) fn new<M>(value: &MoveValue<M>) -> Self {
        let solved = value.solved;
        let number = match solved.margin {
            Some(margin) => Some(margin.unsigned_abs()),
            None => solved.plies.filter(|_| solved.result != GameValue::Draw),
        };
        let number = number.filter(|number| (1..100).contains(number));
        let number = number.map_or_else(String::new, |number| number.to_string());
        let sign = match solved.result {
            GameValue::Win => '+',
            GameValue::Draw => '=',
            GameValue::Loss => '-',
            GameValue::Unknown if value.uncertainty >= 0.5 => '?',
            GameValue::Unknown => {
                let points = (100.0 * value.expected).round().min(99.0) as u8;
                return Self {
                    long: points.to_string(),
                    short: char::from(b'0' + points / 10),
                    favor: Favor::of(value.expected),
                };
            }
        };
        Self {
            long: format!("{sign}{number}"),
            short: sign,
            favor: Favor::of(value.expected),
        }
    }
}

impl Favor {
    fn of(expected: f64) -> Self {
        match expected {
            0.6.. => Self::Good,
            0.4.. => Self::Even,
            _ => Self::Bad,
        }
    }
}
