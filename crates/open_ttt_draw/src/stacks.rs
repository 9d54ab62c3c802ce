use open_ttt_lib::rules::{Picture, Stack};

use super::canvas::{Canvas, CellTexts, Ink};
use super::width;

/// The columns from the edge to the first stack, and between stacks.
const STEP: usize = 5;

/// Draws stacks that stand on a plane, seen from the front and above.
///
/// Each stack has its label at the foot and its cells above. The frame is the
/// plane; its upper edge is two lines above the feet of the back row, so higher
/// cells of that row reach beyond it:
///
/// ```text
///           |
///  ---------|---------
/// |         |         |
/// |    |   (C)   |    |
/// |    |         |    |
/// |    |         |    |
/// |   (A)       (B)   |
/// |                   |
///  -------------------
///       R: 0      W: 0
/// ```
pub(super) fn draw<M>(picture: &Picture<M>, stacks: &[Stack], height: u8) -> Canvas {
    let mut canvas = Canvas::default();
    let right = stacks.iter().map(|stack| stack.x).max().unwrap_or(0);
    let back = stacks.iter().map(|stack| stack.y).max().unwrap_or(0);
    let step = line_step(stacks, height);
    let first_foot = (height as usize).max(2);
    let foot = |y: u8| first_foot + step * (back - y.min(back)) as usize;
    let column = |x: u8| STEP * (x as usize + 1);

    let (top, bottom) = (first_foot - 2, foot(0) + 2);
    let right_edge = column(right) + STEP;
    let edge = "-".repeat(right_edge - 1);
    canvas.put(1, top, &edge, Ink::FRAME);
    for line in top + 1..bottom {
        canvas.put(0, line, "|", Ink::FRAME);
        canvas.put(right_edge, line, "|", Ink::FRAME);
    }
    canvas.put(1, bottom, &edge, Ink::FRAME);

    for stack in stacks {
        let label = format!("({})", stack.label);
        let start = column(stack.x) - width(&label).div_ceil(2).saturating_sub(1).min(STEP);
        canvas.put(start, foot(stack.y), &label, Ink::FRAME);
    }
    let texts = CellTexts::new(picture);
    for cell in &picture.cells {
        let place = cell.place;
        let stands_there = |stack: &Stack| (stack.x, stack.y) == (place.x, place.y);
        if stacks.iter().any(stands_there) && place.z < height {
            let (text, ink) = texts.text(cell, "|");
            let line = foot(place.y) - 1 - place.z as usize;
            canvas.put(column(place.x), line, &text, ink);
        }
    }
    let width = right_edge + 1;
    canvas.put_points(picture, [width / 3, width * 5 / 6], bottom + 1);
    canvas
}

/// The lines from one row of stacks to the next: the height of a stack, or more
/// if a stack would hide the label of the one behind it.
fn line_step(stacks: &[Stack], height: u8) -> usize {
    let needed_for = |one: &Stack| {
        let behind = |other: &&Stack| other.x == one.x && other.y > one.y;
        let distances = stacks.iter().filter(behind).map(|other| other.y - one.y);
        let nearest = distances.min()?;
        Some((height as usize + 1).div_ceil(nearest as usize))
    };
    let needed = stacks.iter().filter_map(needed_for).max().unwrap_or(0);
    needed.max(height as usize).max(1)
}
