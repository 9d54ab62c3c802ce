//! A position with a network's policy and value, as SVG.

use core::fmt;

use open_ttt_lib::rules::{Choice, Layout, Picture, Place, Stack};

use super::PositionPrediction;
use super::format::{Text, percent, signed, write_row};

/// The size of a cell.
const CELL: f64 = 40.0;
/// The margins around the board, and those with labels on the left and below.
const EDGE: f64 = 6.0;
const LABELS: f64 = 26.0;
/// The gap between blocks, layers and stacks.
const GAP: f64 = 8.0;

/// The widest board with readable numbers in its cells.
const MAX_WIDTH_WITH_NUMBERS: f64 = 11.0 * CELL;

/// The number of moves listed below a board.
const LISTED: usize = 5;

/// The positions of the cells of a board, in SVG units.
struct Geometry {
    width: f64,
    height: f64,
    /// The upper left corner of a cell; `None` if it isn't on the board.
    corner: Box<dyn Fn(Place) -> Option<[f64; 2]>>,
    /// The labels and their centres.
    labels: Vec<(f64, f64, String)>,
}

/// Writes the board, the value and the most probable moves.
pub(super) fn write(f: &mut fmt::Formatter<'_>, prediction: &PositionPrediction) -> fmt::Result {
    let title = Text(&prediction.title);
    write!(f, "<figure>\n<figcaption><h3>{title}</h3></figcaption>\n")?;
    if let Some(geometry) = Geometry::of(&prediction.picture.layout) {
        write_board(f, prediction, &geometry)?;
    }
    write_value(f, prediction)?;
    write_moves(f, prediction)?;
    f.write_str("</figure>\n")
}

fn write_board(
    f: &mut fmt::Formatter<'_>,
    prediction: &PositionPrediction,
    geometry: &Geometry,
) -> fmt::Result {
    let Geometry { width, height, .. } = geometry;
    let picture = &prediction.picture;
    write!(
        f,
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" style=\"max-width:{:.1}rem\">\n\
         <title>{}</title>\n<desc>{}</desc>\n",
        (width / 14.0).clamp(9.0, 30.0),
        Text(&prediction.title),
        Text(&description(prediction))
    )?;
    for cell in &picture.cells {
        let Some([x, y]) = (geometry.corner)(cell.place) else {
            continue;
        };
        let (middle, base) = (x + CELL / 2.0, y + CELL / 2.0 + 5.0);
        writeln!(
            f,
            "<rect class=\"cell\" x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\"/>"
        )?;
        if let Some(piece) = cell.piece {
            let class = piece
                .side
                .map_or("neither", |side| ["first", "second"][side.index()]);
            let (y, mark) = (base + 3.0, Text(piece.mark));
            writeln!(
                f,
                "<text class=\"piece {class}\" x=\"{middle}\" y=\"{y}\">{mark}</text>"
            )?;
        } else if let Some(share) = share_of(picture, cell.place) {
            let share = f64::from(share).clamp(0.0, 1.0);
            writeln!(
                f,
                "<rect class=\"heat\" x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" \
                 fill-opacity=\"{:.3}\"><title>{}</title></rect>",
                // The root keeps small probabilities visible.
                0.8 * share.sqrt(),
                percent(share)
            )?;
            if *width <= MAX_WIDTH_WITH_NUMBERS && share >= 0.005 {
                let share = 100.0 * share;
                writeln!(
                    f,
                    "<text class=\"share\" x=\"{middle}\" y=\"{base}\">{share:.0}</text>"
                )?;
            }
        }
    }
    for (x, y, label) in &geometry.labels {
        let label = Text(label);
        writeln!(
            f,
            "<text class=\"label\" x=\"{x}\" y=\"{y}\">{label}</text>"
        )?;
    }
    f.write_str("</svg>\n")
}

/// The probability of the moves that end on a cell, if there are any.
fn share_of(picture: &Picture<f32>, place: Place) -> Option<f32> {
    let ends = |choice: &&Choice<f32>| choice.path.last() == Some(&place);
    let shares = picture.choices.iter().filter(ends).map(|choice| choice.m);
    let share = shares.reduce(|one, other| one + other)?;
    share.is_finite().then_some(share)
}

/// Writes the value as a bar from lost to won.
fn write_value(f: &mut fmt::Formatter<'_>, prediction: &PositionPrediction) -> fmt::Result {
    let mover = Text(&prediction.mover);
    let value = f64::from(prediction.value);
    if !value.is_finite() {
        return writeln!(f, "<p class=\"value\">{mover} to move: no value</p>");
    }
    let value = value.clamp(-1.0, 1.0);
    let (x, width) = (100.0 + 100.0 * value.min(0.0), 100.0 * value.abs());
    writeln!(
        f,
        "<p class=\"value\">{mover} to move: <strong>{}</strong></p>\n\
         <svg class=\"bar\" viewBox=\"0 0 200 10\" preserveAspectRatio=\"none\" \
         aria-hidden=\"true\"><rect class=\"cell\" width=\"200\" height=\"10\"/>\
         <rect class=\"{}\" x=\"{x:.1}\" width=\"{width:.1}\" height=\"10\"/>\
         <path class=\"middle\" d=\"M100 0V10\"/></svg>",
        signed(value, 2),
        if value < 0.0 { "loses" } else { "wins" }
    )
}

fn write_moves(f: &mut fmt::Formatter<'_>, prediction: &PositionPrediction) -> fmt::Result {
    f.write_str("<details>\n<summary>Moves</summary>\n<table>\n<tbody>\n")?;
    let (listed, others) = prediction
        .moves
        .split_at(LISTED.min(prediction.moves.len()));
    for (text, share) in listed {
        write_row(f, &[Text(text).to_string(), share_text(*share)])?;
    }
    if !others.is_empty() {
        let rest: f32 = others.iter().map(|(_, share)| share).sum();
        write_row(f, &[format!("{} more", others.len()), share_text(rest)])?;
    }
    f.write_str("</tbody>\n</table>\n</details>\n")
}

fn share_text(share: f32) -> String {
    if share.is_finite() {
        percent(f64::from(share))
    } else {
        "no value".to_owned()
    }
}

fn description(prediction: &PositionPrediction) -> String {
    let best = prediction.moves.iter().take(LISTED);
    let moves: Vec<_> = best
        .map(|(text, share)| format!("{text} {}", share_text(*share)))
        .collect();
    format!(
        "The most probable moves of {}: {}.",
        prediction.mover,
        moves.join(", ")
    )
}

impl Geometry {
    /// `None` for a layout that this version doesn't know.
    fn of(layout: &Layout) -> Option<Self> {
        match layout {
            Layout::Grid {
                columns,
                rows,
                block,
            } => Some(Self::grid(columns, rows, block.filter(|&block| block > 0))),
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
            corner: Box::new(move |place| {
                let (column, row) = (usize::from(place.x), usize::from(place.y));
                let fits = column < wide && row < high && place.z == 0;
                fits.then(|| [left + at(column), y(row)])
            }),
            labels,
        }
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
            corner: Box::new(move |place| {
                let layer = usize::from(place.z);
                let [x, y] = (one.corner)(Place { z: 0, ..place })?;
                let [left, top] = origin(layer);
                (layer < count).then_some([left + x, top + y])
            }),
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
            corner: Box::new(move |place| {
                let fits = known.contains(&(place.x, place.y)) && place.z < high;
                fits.then(|| [x(place.x), foot(place.y) - CELL * f64::from(place.z + 1)])
            }),
            labels,
        }
    }
}
