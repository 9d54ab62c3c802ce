//! Where the cells of a board are in its SVG.

use core::fmt;

use open_ttt_lib::rules::{Layout, Place, Stack};

/// The size of a cell.
pub(super) const CELL: f64 = 40.0;
/// The margins around the board, and those with labels on the left and below.
const EDGE: f64 = 6.0;
const LABELS: f64 = 26.0;
/// The gap between blocks, layers and stacks.
const GAP: f64 = 8.0;
/// The radius of a point, and the width of a dot and of an edge.
const RADIUS: f64 = 15.0;
const DOT: f64 = 14.0;

/// The positions of the cells of a board, in SVG units.
pub(super) struct Geometry {
    pub(super) width: f64,
    pub(super) height: f64,
    /// The outline of a cell; `None` if it isn't on the board.
    pub(super) outline: Box<dyn Fn(Place) -> Option<Outline>>,
    /// The lines between cells, as the data of a path.
    pub(super) links: String,
    /// The labels and their centres.
    pub(super) labels: Vec<(f64, f64, String)>,
    /// Whether places with an odd and an even coordinate are edges.
    has_edges: bool,
}

/// The outline of a cell. It is displayed as the attributes of its element.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outline {
    /// Its upper left corner, width and height.
    Rectangle([f64; 2], [f64; 2]),
    /// The centre of a hexagon.
    Hexagon([f64; 2]),
    /// The centre of a point.
    Circle([f64; 2]),
}

impl Outline {
    const fn square(corner: [f64; 2]) -> Self {
        Self::Rectangle(corner, [CELL; 2])
    }

    pub(super) const fn tag(&self) -> &'static str {
        match self {
            Self::Rectangle(..) => "rect",
            Self::Hexagon(_) => "path",
            Self::Circle(_) => "circle",
        }
    }

    pub(super) fn centre(&self) -> [f64; 2] {
        match *self {
            Self::Rectangle([x, y], [width, height]) => [x + width / 2.0, y + height / 2.0],
            Self::Hexagon(centre) | Self::Circle(centre) => centre,
        }
    }
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Rectangle([x, y], [width, height]) => {
                write!(
                    f,
                    "x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""
                )
            }
            Self::Hexagon([x, y]) => {
                let (half, radius) = (CELL / 2.0, CELL / 3_f64.sqrt());
                write!(
                    f,
                    "d=\"M{x:.1} {:.1}l{half:.1} {:.1}v{radius:.1}l-{half:.1} {:.1}l-{half:.1} -{:.1}v-{radius:.1}z\"",
                    y - radius,
                    radius / 2.0,
                    radius / 2.0,
                    radius / 2.0
                )
            }
            Self::Circle([x, y]) => write!(f, "cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\""),
        }
    }
}

impl Geometry {
    /// `None` for a layout that this version doesn't know.
    pub(super) fn of(layout: &Layout) -> Option<Self> {
        match layout {
            Layout::Grid {
                columns,
                rows,
                block,
            } => Some(Self::grid(columns, rows, block.filter(|&block| block > 0))),
            Layout::Hexagons { columns, rows, .. } => Some(Self::hexagons(columns, rows)),
            Layout::Points {
                columns,
                rows,
                links,
            } => Some(Self::points(columns, rows, links)),
            Layout::Dots { columns, rows } => Some(Self::dots(columns, rows)),
            Layout::Layers {
                layers,
                columns,
                rows,
            } => Some(Self::layers(layers, columns, rows)),
            Layout::Stacks { stacks, height } => Some(Self::stacks(stacks, *height)),
            _ => None,
        }
    }

    /// Rows from the bottom up, with gaps between blocks.
    fn grid(columns: &[String], rows: &[String], block: Option<u8>) -> Self {
        let named = rows.iter().any(|row| !row.is_empty());
        let left = if named { LABELS } else { EDGE };
        let at = move |index: usize| {
            let gaps = block.map_or(0, |block| index / usize::from(block));
            CELL * index as f64 + GAP * gaps as f64
        };
        let (wide, high) = (columns.len(), rows.len());
        let end = move |count: usize| count.checked_sub(1).map_or(0.0, |last| at(last) + CELL);
        let y = move |row: usize| EDGE + end(high) - at(row) - CELL;
        let below = columns.iter().enumerate().map(|(column, label)| {
            let middle = left + at(column) + CELL / 2.0;
            (middle, EDGE + end(high) + 18.0, label.clone())
        });
        let beside = rows.iter().enumerate().map(|(row, label)| {
            let base = y(row) + CELL / 2.0 + 5.0;
            (LABELS / 2.0, base, label.clone())
        });
        let labels = below.chain(beside).collect();
        Self {
            width: left + end(wide) + EDGE,
            height: EDGE + end(high) + LABELS,
            outline: Box::new(move |place| {
                let (column, row) = (usize::from(place.x), usize::from(place.y));
                let fits = column < wide && row < high && place.z == 0;
                fits.then(|| Outline::square([left + at(column), y(row)]))
            }),
            links: String::new(),
            has_edges: false,
            labels,
        }
    }

    /// Rows from the bottom up, each shifted to the left by half a cell.
    fn hexagons(columns: &[String], rows: &[String]) -> Self {
        let (wide, high) = (columns.len(), rows.len());
        let radius = CELL / 3_f64.sqrt();
        let centre = move |x: usize, y: usize| {
            let above = (high - 1 - y) as f64;
            [
                LABELS + CELL * (0.5 + x as f64 + above / 2.0),
                EDGE + radius * (1.0 + 1.5 * above),
            ]
        };
        let below = columns.iter().enumerate().map(|(x, label)| {
            let [middle, y] = centre(x, 0);
            (middle + CELL / 4.0, y + radius + 14.0, label.clone())
        });
        let beside = rows.iter().enumerate().map(|(y, label)| {
            let [middle, y] = centre(0, y);
            (middle - CELL / 2.0 - LABELS / 2.0, y + 5.0, label.clone())
        });
        let labels = match high {
            0 => Vec::new(),
            _ => below.chain(beside).collect(),
        };
        Self {
            width: LABELS + CELL * (wide as f64 + high.saturating_sub(1) as f64 / 2.0) + EDGE,
            height: EDGE + radius * (0.5 + 1.5 * high as f64) + LABELS,
            outline: Box::new(move |place| {
                let (x, y) = (usize::from(place.x), usize::from(place.y));
                (x < wide && y < high && place.z == 0).then(|| Outline::Hexagon(centre(x, y)))
            }),
            links: String::new(),
            has_edges: false,
            labels,
        }
    }

    /// Rows of points from the bottom up, and the lines between them.
    fn points(columns: &[String], rows: &[String], links: &[[Place; 2]]) -> Self {
        let grid = Self::grid(columns, rows, None);
        let centre = |place| (grid.outline)(place).map(|outline| outline.centre());
        let links = links.iter().filter_map(|&[from, to]| {
            let ([x, y], [to_x, to_y]) = (centre(from)?, centre(to)?);
            Some(format!("M{x} {y}L{to_x} {to_y}"))
        });
        Self {
            links: links.collect(),
            outline: Box::new({
                let square = grid.outline;
                move |place| Some(Outline::Circle(square(place)?.centre()))
            }),
            ..grid
        }
    }

    /// Rows of dots, edges and boxes from the bottom up.
    fn dots(columns: &[String], rows: &[String]) -> Self {
        // A column or row of dots is narrow, one of boxes wide.
        let at = |index: usize| {
            let boxes = (index / 2) as f64;
            DOT * (index.div_ceil(2)) as f64 + CELL * boxes
        };
        let size = |index: usize| if index.is_multiple_of(2) { DOT } else { CELL };
        let (wide, high) = (columns.len(), rows.len());
        let top = move |row: usize| EDGE + at(high) - at(row) - size(row);
        let below = columns.iter().enumerate().map(|(column, label)| {
            let middle = LABELS + at(column) + size(column) / 2.0;
            (middle, EDGE + at(high) + 18.0, label.clone())
        });
        let beside = rows.iter().enumerate().map(|(row, label)| {
            let base = top(row) + size(row) / 2.0 + 5.0;
            (LABELS / 2.0, base, label.clone())
        });
        Self {
            width: LABELS + at(wide) + EDGE,
            height: EDGE + at(high) + LABELS,
            labels: below.chain(beside).collect(),
            outline: Box::new(move |place| {
                let (x, y) = (usize::from(place.x), usize::from(place.y));
                let corner = [LABELS + at(x), top(y.min(high.saturating_sub(1)))];
                let fits = x < wide && y < high && place.z == 0;
                fits.then(|| Outline::Rectangle(corner, [size(x), size(y)]))
            }),
            links: String::new(),
            has_edges: true,
        }
    }

    /// Whether a place is an edge between two dots.
    pub(super) fn is_edge(&self, place: Place) -> bool {
        self.has_edges && place.x % 2 != place.y % 2
    }

    /// Layers in reading order, in about as many columns as rows.
    fn layers(layers: &[String], columns: &[String], rows: &[String]) -> Self {
        let is_enough = |on_shelf: &usize| on_shelf * on_shelf >= layers.len();
        let on_shelf = (1..=layers.len()).find(is_enough).unwrap_or(1);
        let one = Self::grid(columns, rows, None);
        let (wide, high) = (one.width + GAP, one.height + LABELS);
        let origin = move |layer: usize| {
            let (shelf, place) = (layer / on_shelf, layer % on_shelf);
            [wide * place as f64, high * shelf as f64 + LABELS]
        };
        let mut labels = Vec::new();
        for (layer, title) in layers.iter().enumerate() {
            let [x, y] = origin(layer);
            labels.push((x + one.width / 2.0, y - 6.0, title.clone()));
            for (left, top, label) in &one.labels {
                labels.push((x + left, y + top, label.clone()));
            }
        }
        let count = layers.len();
        Self {
            width: wide * on_shelf as f64,
            height: high * count.div_ceil(on_shelf) as f64,
            outline: Box::new(move |place| {
                let layer = usize::from(place.z);
                let [x, y] = (one.outline)(Place { z: 0, ..place })?.centre();
                let [left, top] = origin(layer);
                let corner = [left + x - CELL / 2.0, top + y - CELL / 2.0];
                (layer < count).then(|| Outline::square(corner))
            }),
            links: String::new(),
            has_edges: false,
            labels,
        }
    }

    /// Each stack above its label; stacks at the back come first.
    fn stacks(stacks: &[Stack], high: u8) -> Self {
        let right = stacks.iter().map(|stack| stack.x).max().unwrap_or(0);
        let back = stacks.iter().map(|stack| stack.y).max().unwrap_or(0);
        let tall = CELL * f64::from(high);
        let x = |at: u8| EDGE + (CELL + GAP) * f64::from(at);
        let foot = move |at: u8| EDGE + (tall + LABELS) * f64::from(back - at.min(back)) + tall;
        let labels = stacks.iter().map(|stack| {
            let middle = x(stack.x) + CELL / 2.0;
            (middle, foot(stack.y) + 18.0, stack.label.clone())
        });
        let labels = labels.collect();
        let known: Vec<_> = stacks.iter().map(|stack| (stack.x, stack.y)).collect();
        Self {
            width: x(right) + CELL + EDGE,
            height: foot(0) + LABELS,
            outline: Box::new(move |place| {
                let fits = known.contains(&(place.x, place.y)) && place.z < high;
                let corner = || [x(place.x), foot(place.y) - CELL * f64::from(place.z + 1)];
                fits.then(|| Outline::square(corner()))
            }),
            links: String::new(),
            has_edges: false,
            labels,
        }
    }
}
