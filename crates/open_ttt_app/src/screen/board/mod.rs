//! A [`Picture`] as characters of a screen, as large as fits, and where each place is.

mod cell_value;
mod dots;
mod grid;
mod hexagons;
mod layers;
mod looks;
mod points;
mod shape;
mod stacks;
mod trays;

use open_ttt_lib::rules::{Layout, Picture, Place};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::theme::Theme;
pub(super) use cell_value::{CellValue, Favor};
pub(super) use looks::Highlights;
use looks::Looks;

/// A drawn board.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub(super) buffer: Buffer,
    /// Where each place is.
    pub(super) places: Vec<(Place, Rect)>,
    /// The columns at the left with labels, which stay visible while the rest scrolls.
    label_columns: u16,
    /// The rows at the bottom with labels, likewise.
    label_rows: u16,
}

/// The size of a cell, from large to small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// So many columns and rows of characters, with lines in between.
    Boxed(u16, u16),
    /// Three columns, without lines in between.
    Open,
    /// A single character, or as many as a piece needs.
    Compact,
}

impl Scale {
    /// All scales, the largest first. A character is about twice as high as wide.
    const ALL: [Self; 7] = [
        Self::Boxed(15, 7),
        Self::Boxed(11, 5),
        Self::Boxed(7, 3),
        Self::Boxed(5, 2),
        Self::Boxed(3, 1),
        Self::Open,
        Self::Compact,
    ];
}

impl Board {
    /// Draws a board as large as fits, or as small as possible if nothing does.
    pub(super) fn draw<M>(
        picture: &Picture<M>,
        highlights: &Highlights,
        theme: Theme,
        available: Size,
    ) -> Self {
        let looks = Looks::new(picture, highlights, theme);
        let trays = trays::draw(picture, &looks, available.width);
        let height = trays.as_ref().map_or(0, |trays| trays.height() + 1);
        let for_board = Size {
            height: available.height.saturating_sub(height),
            ..available
        };
        let fits =
            |board: &Self| board.width() <= for_board.width && board.height() <= for_board.height;
        let mut board = Self::new(1, 1);
        for scale in Scale::ALL {
            board = Self::at_scale(picture, &looks, scale, for_board);
            if fits(&board) {
                break;
            }
        }
        match trays {
            Some(trays) => board.above(&trays),
            None => board,
        }
    }

    fn at_scale<M>(picture: &Picture<M>, looks: &Looks<'_>, scale: Scale, available: Size) -> Self {
        if is_empty(&picture.layout) {
            return Self::new(1, 1);
        }
        match &picture.layout {
            Layout::Grid {
                columns,
                rows,
                block,
            } => grid::draw(picture, looks, scale, columns, rows, *block),
            Layout::Hexagons {
                columns,
                rows,
                bottom_and_top,
            } => hexagons::draw(picture, looks, scale, columns, rows, *bottom_and_top),
            Layout::Points {
                columns,
                rows,
                links,
            } => points::draw(picture, looks, scale, columns, rows, links),
            Layout::Dots { columns, rows } => dots::draw(picture, looks, scale, columns, rows),
            Layout::Layers {
                layers,
                columns,
                rows,
            } => layers::draw(picture, looks, scale, layers, columns, rows, available),
            Layout::Stacks { stacks, height } => {
                stacks::draw(picture, looks, scale, stacks, *height)
            }
            // `Layout` is non-exhaustive.
            _ => Self::new(1, 1),
        }
    }

    fn new(width: u16, height: u16) -> Self {
        Self {
            buffer: Buffer::empty(Rect::new(0, 0, width, height)),
            places: Vec::new(),
            label_columns: 0,
            label_rows: 0,
        }
    }

    pub(super) fn width(&self) -> u16 {
        self.buffer.area.width
    }

    pub(super) fn height(&self) -> u16 {
        self.buffer.area.height
    }

    /// This board with another one below it, and an empty line between.
    fn above(&self, below: &Self) -> Self {
        let top = self.height() + 1;
        let mut both = Self::new(self.width().max(below.width()), top + below.height());
        both.put(self, (both.width() - self.width()) / 2, 0);
        both.put(below, 0, top);
        both
    }

    /// Copies another board to this position.
    fn put(&mut self, other: &Self, left: u16, top: u16) {
        for at in other.buffer.area.positions() {
            self.buffer[(left + at.x, top + at.y)] = other.buffer[at].clone();
        }
        let moved = other.places.iter().map(|&(place, area)| {
            let (x, y) = (left + area.x, top + area.y);
            (place, Rect { x, y, ..area })
        });
        self.places.extend(moved);
    }

    /// The part of the board that an area of the screen shows: all of it in the middle, or
    /// as much as fits around the place with the cursor. Returns where each place is on the
    /// screen.
    pub(super) fn show(
        &self,
        area: Rect,
        cursor: Option<Place>,
        screen: &mut Buffer,
    ) -> Vec<(Place, Rect)> {
        let at_cursor = self
            .places
            .iter()
            .find(|&&(place, _)| Some(place) == cursor);
        let focus = at_cursor.map_or(self.buffer.area, |&(_, area)| area);
        let labels = |labels: u16, length: u16, available: u16| {
            let scrolls = length > available;
            if scrolls {
                labels.min(available / 2)
            } else {
                0
            }
        };
        let left = labels(self.label_columns, self.width(), area.width);
        let bottom = labels(self.label_rows, self.height(), area.height);
        let across = Window::new(
            self.width() - left,
            area.width - left,
            (focus.x + focus.width / 2).saturating_sub(left),
        );
        let height = self.height() - bottom;
        let down = Window::new(height, area.height - bottom, focus.y + focus.height / 2);
        for y in 0..down.shown + bottom {
            let from_y = if y < down.shown {
                down.first + y
            } else {
                height + y - down.shown
            };
            for x in 0..left + across.shown {
                let from_x = if x < left { x } else { across.first + x };
                let to = (area.x + across.margin + x, area.y + down.margin + y);
                screen[to] = self.buffer[(from_x, from_y)].clone();
            }
        }
        let window = Rect::new(left + across.first, down.first, across.shown, down.shown);
        let visible = self.places.iter().filter_map(|&(place, at)| {
            let part = at.intersection(window);
            let x = area.x + across.margin + left + part.x.checked_sub(window.x)?;
            let y = area.y + down.margin + part.y.checked_sub(window.y)?;
            (!part.is_empty()).then_some((place, Rect { x, y, ..part }))
        });
        visible.collect()
    }
}

/// Whether a layout has room for no cell at all.
fn is_empty(layout: &Layout) -> bool {
    match layout {
        Layout::Grid { columns, rows, .. }
        | Layout::Hexagons { columns, rows, .. }
        | Layout::Points { columns, rows, .. }
        | Layout::Dots { columns, rows } => columns.is_empty() || rows.is_empty(),
        Layout::Layers {
            layers,
            columns,
            rows,
        } => layers.is_empty() || columns.is_empty() || rows.is_empty(),
        Layout::Stacks { stacks, height } => stacks.is_empty() || *height == 0,
        // `Layout` is non-exhaustive.
        _ => true,
    }
}

/// Whether pieces fall down the columns of a board: these have names, but the rows have none.
pub(super) fn pieces_fall(layout: &Layout) -> bool {
    let is_unnamed = |labels: &[String]| labels.iter().all(String::is_empty);
    match layout {
        Layout::Grid { columns, rows, .. } => is_unnamed(rows) && !is_unnamed(columns),
        _ => false,
    }
}

/// Whether a board can be turned around: one of squares or points, on which no piece falls.
pub(super) fn can_turn(layout: &Layout) -> bool {
    match layout {
        Layout::Grid { .. } => !pieces_fall(layout),
        Layout::Points { .. } => true,
        _ => false,
    }
}

/// The place at a position of the screen, or the nearest one beside it.
pub(super) fn place_at(places: &[(Place, Rect)], position: Position) -> Option<Place> {
    let distance = |area: Rect| {
        let beside = |at: u16, start: u16, end: u16| {
            start.saturating_sub(at).max((at + 1).saturating_sub(end))
        };
        let across = beside(position.x, area.x, area.right());
        across.max(2 * beside(position.y, area.y, area.bottom()))
    };
    // What is drawn later is in front.
    let near = places
        .iter()
        .rev()
        .map(|&(place, area)| (distance(area), place));
    let near = near.filter(|&(distance, _)| distance <= 2);
    near.min_by_key(|&(distance, _)| distance)
        .map(|(_, place)| place)
}

/// The part of a board's width or height that is shown.
struct Window {
    /// The first column or row of the board.
    first: u16,
    /// How many of them.
    shown: u16,
    /// The empty ones of the screen before.
    margin: u16,
}

impl Window {
    fn new(length: u16, available: u16, focus: u16) -> Self {
        let shown = length.min(available);
        Self {
            first: focus.saturating_sub(shown / 2).min(length - shown),
            shown,
            margin: (available - shown) / 2,
        }
    }
}
