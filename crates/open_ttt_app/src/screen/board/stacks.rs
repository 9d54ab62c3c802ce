use open_ttt_lib::rules::{Picture, Place, Stack};
use ratatui::layout::Rect;

use super::looks::put_centred;
use super::{Board, Looks, Scale};

/// Draws stacks that stand on a plane, in perspective: the plane narrows to the back, and a
/// stack hides what is behind it. Each has its label at its foot.
///
/// ```text
///       |      |
///      (R)     |
///      (W)    (R)
///    /  F      G   \
///   /     |         \
/// ```
pub(super) fn draw<M>(
    picture: &Picture<M>,
    looks: &Looks<'_>,
    scale: Scale,
    stacks: &[Stack],
    height: u8,
) -> Board {
    let [width, lines] = match scale {
        Scale::Boxed(15, _) => [13, 5],
        Scale::Boxed(11, _) => [7, 3],
        Scale::Boxed(7 | 5, _) => [5, 2],
        Scale::Boxed(..) | Scale::Open => [3, 1],
        Scale::Compact => [1, 1],
    };
    let plane = Plane::new(stacks, height, [width, lines]);
    let mut board = Board::new(plane.width(), plane.height());
    let quiet = looks.theme.quiet();
    plane.put_ground(&mut board, looks);
    // The front covers what is behind it.
    let mut from_back: Vec<_> = stacks.iter().collect();
    from_back.sort_by_key(|stack| core::cmp::Reverse(stack.y));
    for stack in from_back {
        let foot = plane.foot([stack.x, stack.y]);
        put_centred(&mut board.buffer, foot, foot.y, &stack.label, quiet);
        let stands_there = |place: Place| (place.x, place.y) == (stack.x, stack.y);
        for cell in &picture.cells {
            let place = cell.place;
            if !stands_there(place) || place.z >= height {
                continue;
            }
            let top = foot.y - lines * (u16::from(place.z) + 1);
            let area = Rect::new(foot.x, top, width, lines);
            for at in area.positions() {
                board.buffer[at].reset();
            }
            let rod = looks.theme.choose("│", "|");
            if cell.piece.is_none() {
                for line in area.rows() {
                    put_centred(&mut board.buffer, line, line.y, rod, quiet);
                }
            }
            looks.put(&mut board.buffer, area, cell, rod);
            board.places.push((place, area));
        }
    }
    board
}

/// The ground on which the stacks stand.
struct Plane {
    /// The width and height of a cell.
    cell: [u16; 2],
    /// The number of cells in a stack.
    height: u16,
    /// The largest distance of a stack to the right and to the back.
    last: [u16; 2],
    /// The lines from one row of stacks to the next.
    line_step: u16,
}

impl Plane {
    fn new(stacks: &[Stack], height: u8, cell: [u16; 2]) -> Self {
        let last = |of: fn(&Stack) -> u8| stacks.iter().map(of).max().unwrap_or(0).into();
        let height = u16::from(height);
        let needed_for = |one: &Stack| {
            let behind = |other: &&Stack| other.x == one.x && other.y > one.y;
            let distances = stacks.iter().filter(behind).map(|other| other.y - one.y);
            let nearest = distances.min()?;
            // A stack must not hide the label behind it.
            Some((height * cell[1] + 1).div_ceil(nearest.into()))
        };
        Self {
            cell,
            height,
            last: [last(|stack| stack.x), last(|stack| stack.y)],
            line_step: stacks
                .iter()
                .filter_map(needed_for)
                .max()
                .unwrap_or(0)
                .max(2),
        }
    }

    /// The columns from one stack to the next, at the front.
    const fn step(&self) -> u16 {
        self.cell[0] + self.cell[0] / 3 + 2
    }

    const fn width(&self) -> u16 {
        self.step() * self.last[0] + self.cell[0] + 4
    }

    const fn height(&self) -> u16 {
        self.height * self.cell[1] + self.line_step * self.last[1] + 2
    }

    /// How much narrower the plane is at this line above its front, on each side.
    fn inset(&self, above: u16) -> u16 {
        above * self.step() / (6 * self.line_step).max(1)
    }

    /// The area of the label of a stack; its lowest cell is above it.
    fn foot(&self, [x, y]: [u8; 2]) -> Rect {
        let above = self.line_step * u16::from(y);
        let inset = self.inset(above);
        let narrowed = (self.step() * self.last[0]).saturating_sub(2 * inset);
        let across = (narrowed * u16::from(x) + self.last[0] / 2) / self.last[0].max(1);
        Rect::new(
            2 + inset + across,
            self.height() - 2 - above,
            self.cell[0],
            1,
        )
    }

    fn put_ground(&self, board: &mut Board, looks: &Looks<'_>) {
        let style = looks.theme.quiet();
        let front = self.height() - 1;
        let back = front - self.line_step * self.last[1] - 1;
        let (left, right) = (looks.theme.choose("╱", "/"), looks.theme.choose("╲", "\\"));
        let edge = looks.theme.choose("─", "-");
        for line in back..=front {
            let inset = self.inset(front - line);
            let end = self.width() - 1 - inset;
            if line == front || line == back {
                for column in inset + 1..end {
                    board.buffer.set_string(column, line, edge, style);
                }
            }
            board.buffer.set_string(inset, line, left, style);
            board.buffer.set_string(end, line, right, style);
        }
    }
}
