use open_ttt_lib::rules::{Picture, Stack};

use super::canvas::{Canvas, Pieces};
use super::{Role, width};

/// Columns from the edge to the first stack, and from each to the next.
const STEP: usize = 5;

/// Draws stacks that stand in a plane, seen from the front and above.
///
/// The label of a stack stands where its foot is, its cells above. The frame
/// is the ground; it ends two lines above the feet of the back row, so that
/// higher cells of that row reach beyond it:
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
    let wall = column(right) + STEP;
    let edge = "-".repeat(wall - 1);
    canvas.put(1, top, &edge, Role::Frame);
    for line in top + 1..bottom {
        canvas.put(0, line, "|", Role::Frame);
        canvas.put(wall, line, "|", Role::Frame);
    }
    canvas.put(1, bottom, &edge, Role::Frame);

    for stack in stacks {
        let label = format!("({})", stack.label);
        let start = column(stack.x) - width(&label).div_ceil(2).saturating_sub(1).min(STEP);
        canvas.put(start, foot(stack.y), &label, Role::Frame);
    }
    let pieces = Pieces::of(picture);
    for cell in &picture.cells {
        let place = cell.place;
        let known = stacks
            .iter()
            .any(|stack| (stack.x, stack.y) == (place.x, place.y));
        if known && place.z < height {
            let (mark, role) = pieces.on(cell, "|");
            let line = foot(place.y) - 1 - place.z as usize;
            canvas.put(column(place.x), line, mark, role);
        }
    }
    let whole = wall + 1;
    canvas.put_points(picture, [whole / 3, whole * 5 / 6], bottom + 1);
    canvas
}

/// Lines from one row of stacks to the next: the height of a stack, or more
/// where one stands so close behind another that its label would be hidden.
fn line_step(stacks: &[Stack], height: u8) -> usize {
    let hidden_without = |one: &Stack| {
        stacks
            .iter()
            .filter(|other| other.x == one.x && other.y > one.y)
            .map(|other| (height as usize + 1).div_ceil((other.y - one.y) as usize))
            .max()
    };
    let needed = stacks.iter().filter_map(hidden_without).max().unwrap_or(0);
    needed.max(height as usize).max(1)
}
