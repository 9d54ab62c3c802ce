use super::{Lines, LinesMove, LinesOptions, Mark, Marks};
use crate::rules::{
    AllowedValues, Described, Notation, Parameter, ParseMoveError, Side, SpecError, normalized,
    parse_grid_cell,
};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

impl Lines {
    /// The numbers before a cell's column and row: of the block or board and of the layer,
    /// as far as there are several.
    fn prefix_extents(&self) -> impl Iterator<Item = (usize, u8)> {
        let extents = self.shape().extents();
        [3, 2]
            .into_iter()
            .map(move |axis| (axis, extents[axis]))
            .filter(|&(_, extent)| extent > 1)
    }

    fn read_move(&self, text: &str) -> Option<LinesMove> {
        let text = normalized(text, 8)?;
        let (text, mark) = match self.options.marks {
            Marks::Own | Marks::Same => (&*text, None),
            Marks::Any => match text.strip_suffix('x') {
                Some(text) => (text, Some(Mark::X)),
                None => (text.strip_suffix('o')?, Some(Mark::O)),
            },
        };
        let (prefix, cell) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
        let [columns, rows, ..] = self.shape().extents();
        let (column, row) = parse_grid_cell(cell, columns, rows).ok()?;
        let mut at = [column, row, 0, 0];
        let mut numbers = prefix.split('-').filter(|number| !number.is_empty());
        for (axis, extent) in self.prefix_extents() {
            // The extents have one digit.
            let &[digit @ b'1'..=b'9'] = numbers.next()?.as_bytes() else {
                return None;
            };
            at[axis] = digit - b'1';
            if at[axis] >= extent {
                return None;
            }
        }
        let cell = self.shape().cell(at);
        numbers.next().is_none().then_some(LinesMove { cell, mark })
    }

    /// A text as an example of the notation.
    fn example(&self) -> String {
        let mark = self.choices()[0];
        self.move_text(LinesMove { cell: 0, mark })
    }
}

impl Notation for Lines {
    /// The numbers of the block or board and of the layer, as far as there are several,
    /// then the column's letter and the row's number; the mark follows if it is chosen.
    fn move_text(&self, m: LinesMove) -> String {
        let at @ [column, row, ..] = self.shape().coordinates(m.cell);
        let numbers: Vec<_> = self
            .prefix_extents()
            .map(|(axis, _)| (at[axis] + 1).to_string())
            .collect();
        let mark = match m.mark {
            Some(Mark::X) => "x",
            Some(Mark::O) => "o",
            None => "",
        };
        let letter = char::from(b'a' + column);
        format!("{}{letter}{}{mark}", numbers.join("-"), row + 1)
    }

    fn parse_move(&self, text: &str) -> Result<LinesMove, ParseMoveError> {
        self.read_move(text).ok_or_else(|| {
            let [columns, rows, layers, blocks] = self.shape().extents();
            let last = char::from(b'a' + columns - 1);
            let mut parts = vec![format!("a column from a to {last}, a row from 1 to {rows}")];
            if layers > 1 {
                parts.insert(0, format!("a layer from 1 to {layers}"));
            }
            if blocks > 1 {
                let name = if self.options.boards > 1 {
                    "board"
                } else {
                    "block"
                };
                parts.insert(0, format!("a {name} from 1 to {blocks}"));
            }
            if self.options.marks == Marks::Any {
                parts.push("x or o".to_owned());
            }
            let expected = format!("{}, as in {}", parts.join(", "), self.example());
            ParseMoveError::new(text, expected)
        })
    }

    fn side_name(&self, side: Side) -> &'static str {
        match self.options.marks {
            Marks::Own => ["X", "O"][side.index()],
            Marks::Any | Marks::Same => ["First", "Second"][side.index()],
        }
    }

    fn move_noun(&self) -> &'static str {
        "Coordinates"
    }
}

/// A parameter that is 0 or 1.
const fn flag(name: &'static str, meaning: &'static str) -> Parameter {
    Parameter {
        name,
        meaning,
        allowed: AllowedValues::OneOf(&[0, 1]),
        default: 0,
    }
}

/// A parameter from 1 to a maximum.
const fn number(name: &'static str, meaning: &'static str, most: u8, default: u32) -> Parameter {
    Parameter {
        name,
        meaning,
        allowed: AllowedValues::Range(1..=most as u32),
        default,
    }
}

impl Described for Lines {
    const KEY: &'static str = "lines";
    const TITLE: &'static str = "Lines of any kind";
    const RULES: &'static str = "\
X and O take turns marking a cell; the first to get k or more in a line wins.
The board has columns, rows, perhaps layers and blocks; its edges can meet.
Marks can fall, lines can lose or need exactly k, turns can have several marks,
and both sides can play X, or X and O as they like. With several boards, a line
closes its board, and the last one decides. A full board is a draw.";
    const PARAMETERS: &'static [Parameter] = &[
        number("m", "number of columns", Lines::MAX_SIDE, 3),
        number("n", "number of rows", Lines::MAX_SIDE, 3),
        number(
            "k",
            "number in a line, at most the longest line of the board",
            Lines::MAX_SIDE,
            3,
        ),
        number(
            "layers",
            "number of layers, for a third dimension",
            Lines::MAX_LAYERS,
            1,
        ),
        number(
            "blocks",
            "number of blocks of layers, for a fourth dimension",
            Lines::MAX_LAYERS,
            1,
        ),
        number(
            "boards",
            "number of boards; more than one need same=1",
            Lines::MAX_LAYERS,
            1,
        ),
        Parameter {
            name: "wrap",
            meaning: "number of dimensions whose edges meet: 1 for a cylinder, 2 for a torus",
            allowed: AllowedValues::Range(0..=4),
            default: 0,
        },
        flag("gravity", "1 if marks fall"),
        flag("misere", "1 if a line loses"),
        flag("wild", "1 if a side marks X or O as it likes"),
        flag("same", "1 if both sides mark X"),
        flag("exact", "1 if more than k in a line don't count"),
        number(
            "stones",
            "number of marks in a turn, except the first",
            Lines::MAX_STONES,
            1,
        ),
    ];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        let [
            columns,
            rows,
            in_a_row,
            layers,
            blocks,
            boards,
            wrap,
            gravity,
            misere,
            wild,
            same,
            exact,
            stones,
        ] = core::array::from_fn(|index| values[index] as u8);
        let marks = match (wild, same) {
            (0, 0) => Marks::Own,
            (1, 0) => Marks::Any,
            (0, _) => Marks::Same,
            _ => {
                return Err(SpecError::Unavailable {
                    owner: Self::KEY.to_owned(),
                    reason: "wild and same can't both be 1".to_owned(),
                });
            }
        };
        Self::new(LinesOptions {
            columns,
            rows,
            layers,
            blocks,
            in_a_row,
            gravity: gravity == 1,
            wrap,
            misere: misere == 1,
            marks,
            exact: exact == 1,
            stones,
            boards,
        })
    }

    fn parameters(&self) -> Vec<u32> {
        let LinesOptions {
            columns,
            rows,
            layers,
            blocks,
            in_a_row,
            gravity,
            wrap,
            misere,
            marks,
            exact,
            stones,
            boards,
        } = self.options;
        [
            columns,
            rows,
            in_a_row,
            layers,
            blocks,
            boards,
            wrap,
            gravity.into(),
            misere.into(),
            (marks == Marks::Any).into(),
            (marks == Marks::Same).into(),
            exact.into(),
            stones,
        ]
        .map(u32::from)
        .to_vec()
    }
}
