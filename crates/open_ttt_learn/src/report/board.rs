//! A position with a network's policy and value, as SVG.

use core::fmt;

use open_ttt_lib::rules::{Choice, Color, Picture, Piece, Place};

use super::PositionPrediction;
use super::format::{Text, percent, signed, write_row};
use super::geometry::{CELL, Geometry};

/// The widest board with readable numbers in its cells.
const MAX_WIDTH_WITH_NUMBERS: f64 = 11.0 * CELL;

/// The number of moves listed below a board.
const LISTED: usize = 5;

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
    if !geometry.links.is_empty() {
        writeln!(f, "<path class=\"links\" d=\"{}\"/>", geometry.links)?;
    }
    for cell in &picture.cells {
        let Some(outline) = (geometry.outline)(cell.place) else {
            continue;
        };
        let (tag, shape) = (outline.tag(), &outline);
        let [middle, base] = outline.centre().map(|at| (10.0 * at).round() / 10.0);
        let base = base + 5.0;
        writeln!(f, "<{tag} class=\"cell\" {shape}/>")?;
        if let Some(piece) = cell.piece {
            let color = color_class(picture, piece);
            if geometry.is_edge(cell.place) {
                writeln!(f, "<{tag} class=\"edge {color}\" {shape}/>")?;
                continue;
            }
            let count = match piece.count {
                1 => String::new(),
                count => count.to_string(),
            };
            let (y, mark) = (base + 3.0, Text(piece.mark));
            writeln!(
                f,
                "<text class=\"piece {color}\" x=\"{middle}\" y=\"{y}\">{count}{mark}</text>"
            )?;
        } else if let Some(share) = share_of(picture, cell.place) {
            let share = f64::from(share).clamp(0.0, 1.0);
            writeln!(
                f,
                "<{tag} class=\"heat\" {shape} fill-opacity=\"{:.3}\"><title>{}</title></{tag}>",
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
        } else if let Some(label) = &cell.label {
            let label = Text(label);
            writeln!(
                f,
                "<text class=\"label\" x=\"{middle}\" y=\"{base}\">{label}</text>"
            )?;
        }
    }
    for (x, y, label) in &geometry.labels {
        let label = Text(label);
        writeln!(
            f,
            "<text class=\"label\" x=\"{x}\" y=\"{y}\">{label}</text>"
        )?;
    }
    f.write_str("</svg>\n")?;
    write_beside(f, picture)
}

/// Writes the trays and the status, each in a line.
fn write_beside(f: &mut fmt::Formatter<'_>, picture: &Picture<f32>) -> fmt::Result {
    for tray in &picture.trays {
        let pieces = tray.cells.iter().filter_map(|cell| cell.piece);
        let marks = pieces.map(|piece| match piece.count {
            1 => piece.mark.to_owned(),
            count => format!("{count}{}", piece.mark),
        });
        let marks = marks.collect::<Vec<_>>().join(" ");
        let (title, marks) = (Text(&tray.title), Text(&marks));
        writeln!(f, "<p class=\"beside\">{title}: {marks}</p>")?;
    }
    if let Some(status) = &picture.status {
        writeln!(f, "<p class=\"beside\">{}</p>", Text(status))?;
    }
    Ok(())
}

/// The class of a piece's colour.
fn color_class(picture: &Picture<f32>, piece: Piece) -> &'static str {
    let own = piece.side.map(|side| picture.colors[side.index()]);
    match piece.color.or(own).unwrap_or(Color::Gray) {
        Color::Red => "red",
        Color::Orange => "orange",
        Color::Yellow => "yellow",
        Color::Green => "green",
        Color::Teal => "teal",
        Color::Blue => "blue",
        Color::Purple => "purple",
        Color::Pink => "pink",
        Color::Brown => "brown",
        Color::Gray => "gray",
        Color::Black => "black",
        Color::White => "white",
    }
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
