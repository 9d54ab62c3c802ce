use super::{Morris, MorrisMove, Variant};
use crate::games::Point;
use crate::rules::{
    AllowedValues, Described, Notation, Parameter, ParseMoveError, Side, SpecError, normalized,
    parse_grid_cell,
};
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

impl Morris {
    fn read_point(&self, text: &str) -> Option<Point> {
        let size = self.board().size;
        let (column, row) = parse_grid_cell(text, size, size).ok()?;
        let at = Point { column, row };
        self.board().point(at).map(|_| at)
    }

    fn read_move(&self, text: &str) -> Option<MorrisMove> {
        const LONGEST: usize = 8;
        let text = normalized(text, LONGEST)?;
        let (moved, captured) = match text.split_once('x') {
            Some((moved, captured)) => (moved, Some(self.read_point(captured)?)),
            None => (&*text, None),
        };
        let (from, to) = match moved.split_once('-') {
            Some((from, to)) => (Some(self.read_point(from)?), to),
            None => (None, moved),
        };
        Some(MorrisMove {
            from,
            to: self.read_point(to)?,
            captured,
        })
    }
}

impl Notation for Morris {
    fn move_text(&self, m: MorrisMove) -> String {
        m.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<MorrisMove, ParseMoveError> {
        self.read_move(text).ok_or_else(|| {
            let expected = match self.variant {
                Variant::Three => "points of the board, as in a1 or a1-a2",
                Variant::Six => "points of the board, as in b2, a1-a3 or a1-a3xb2",
                Variant::Nine => "points of the board, as in d6, a1-a4 or a1-a4xd6",
            };
            ParseMoveError::new(text, expected)
        })
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["White", "Black"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Move"
    }
}

impl Described for Morris {
    const KEY: &'static str = "morris";
    const TITLE: &'static str = "Morris (mill)";
    const RULES: &'static str = "\
Place your men in turn, then move one along a line to the next point.
Three men in a line are a mill: closing one captures a man outside of mills.
With nine men, a side that has three left may move to any point. With fewer
than three, or without a move, you lose. With three men, the first mill wins.
The third occurrence of a position is a draw.";
    const PARAMETERS: &'static [Parameter] = &[Parameter {
        name: "men",
        meaning: "number of men of each side",
        allowed: AllowedValues::OneOf(&[3, 6, 9]),
        default: 9,
    }];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(match values[0] {
            3 => Self::three(),
            6 => Self::six(),
            _ => Self::nine(),
        })
    }

    fn parameters(&self) -> Vec<u32> {
        vec![self.men_each().into()]
    }
}
