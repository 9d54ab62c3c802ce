use std::collections::{HashMap, HashSet};

use open_ttt_lib::rules::{BoardCell, Color, Picture, Piece, Place, Shape, Side, Tint};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::super::theme::{Colors, Theme};
use super::{CellValue, shape};

/// The places of a board that stand out, and which way round it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Highlights {
    pub(in super::super) cursor: Option<Place>,
    /// Where the move can go on.
    pub(in super::super) targets: HashSet<Place>,
    /// The places of the move chosen so far.
    pub(in super::super) chosen: Vec<Place>,
    pub(in super::super) last_move: Vec<Place>,
    /// The places of the move that is hinted at.
    pub(in super::super) hint: Vec<Place>,
    /// What the moves are worth, by where they go.
    pub(in super::super) values: HashMap<Place, CellValue>,
    /// Whether the upper side of a flat board is shown at the bottom.
    pub(in super::super) is_turned: bool,
}

/// How the cells of a picture look.
pub(super) struct Looks<'a> {
    pub(super) theme: Theme,
    highlights: &'a Highlights,
    shows_targets: bool,
    in_line: HashSet<Place>,
    sides: [Piece; 2],
    colors: [Color; 2],
    on_felt: bool,
}

impl<'a> Looks<'a> {
    pub(super) fn new<M>(picture: &Picture<M>, highlights: &'a Highlights, theme: Theme) -> Self {
        let in_line = picture.lines.iter().flat_map(|line| &line.places);
        let is_target = |cell: &BoardCell| highlights.targets.contains(&cell.place);
        Self {
            theme,
            highlights,
            // Not where every empty cell is one.
            shows_targets: picture
                .all_cells()
                .any(|cell| cell.piece.is_some() == is_target(cell)),
            in_line: in_line.copied().collect(),
            sides: picture.sides,
            colors: picture.colors,
            on_felt: Theme::is_felt(picture.colors),
        }
    }

    /// A column or row of so many, counted the way round that the board is shown.
    pub(super) fn turned(&self, index: impl Into<u16>, count: usize) -> u16 {
        let index = index.into();
        if self.highlights.is_turned {
            count as u16 - 1 - index
        } else {
            index
        }
    }

    pub(super) fn ground(&self) -> Style {
        self.theme.ground(self.colors)
    }

    /// The colour of a piece.
    fn color(&self, piece: Piece) -> Color {
        let own = piece.side.map(|side| self.colors[side.index()]);
        piece.color.or(own).unwrap_or(Color::Gray)
    }

    pub(super) fn side_color(&self, side: Side) -> Color {
        self.colors[side.index()]
    }

    /// The mark of an empty cell or an edge that belongs to a side.
    pub(super) fn area_mark(&self, side: Side) -> String {
        let mark = self.theme.mark(self.sides[side.index()]);
        let small = mark.to_lowercase();
        if small == mark { "~".to_owned() } else { small }
    }

    /// What stands out at a place.
    pub(super) fn highlight(&self, place: Place) -> Option<Style> {
        let Highlights {
            cursor,
            chosen,
            last_move,
            hint,
            ..
        } = self.highlights;
        if *cursor == Some(place) {
            Some(self.theme.cursor())
        } else if chosen.contains(&place) {
            Some(self.theme.chosen())
        } else if hint.contains(&place) {
            Some(self.theme.hint())
        } else if self.in_line.contains(&place) {
            Some(self.theme.line())
        } else {
            last_move.contains(&place).then(|| self.theme.last_move())
        }
    }

    pub(super) fn is_shown_target(&self, place: Place) -> bool {
        self.shows_targets && self.highlights.targets.contains(&place)
    }

    /// Draws a cell into an area of the buffer, `empty` in the middle if nothing is on it.
    pub(super) fn put(&self, buffer: &mut Buffer, area: Rect, cell: &BoardCell, empty: &str) {
        let highlight = self.highlight(cell.place);
        if let Some(style) = highlight {
            buffer.set_style(area, style);
        }
        let middle = area.y + (area.height - 1) / 2;
        match cell.piece {
            Some(piece) => self.put_piece(buffer, area, piece, highlight),
            None => self.put_empty(buffer, area, cell, empty),
        }
        let is_at_cursor = self.highlights.cursor == Some(cell.place);
        if is_at_cursor && area.width >= 3 && !self.needs_edges(cell, area.width) {
            let style = self.theme.cursor().add_modifier(Modifier::BOLD);
            buffer.set_string(area.x, middle, "[", style);
            buffer.set_string(area.right() - 1, middle, "]", style);
        }
    }

    /// Whether what the cell shows leaves no room for the cursor's brackets; its colours show
    /// the cursor then.
    fn needs_edges(&self, cell: &BoardCell, width: u16) -> bool {
        let value = self.highlights.values.get(&cell.place);
        let is_shown = cell.piece.is_none() && !self.highlights.hint.contains(&cell.place);
        let needs = |value: &CellValue| value.long.chars().count() + 2 > usize::from(width);
        is_shown && value.is_some_and(needs)
    }

    fn put_empty(&self, buffer: &mut Buffer, area: Rect, cell: &BoardCell, empty: &str) {
        let quiet = if self.on_felt {
            Style::new()
        } else {
            self.theme.quiet()
        };
        let has_ground = self.highlight(cell.place).is_some();
        let quiet = if has_ground { Style::new() } else { quiet };
        let middle = area.y + (area.height - 1) / 2;
        let bold = Style::new().add_modifier(Modifier::BOLD);
        if self.highlights.hint.contains(&cell.place) {
            put_centred(buffer, area, middle, "!", bold);
            return;
        }
        if let Some(value) = self.highlights.values.get(&cell.place) {
            let style = if has_ground || self.on_felt {
                bold
            } else {
                self.theme.value(value.favor)
            };
            let short = value.short.to_string();
            let text = if area.width >= 3 { &value.long } else { &short };
            put_centred(buffer, area, middle, text, style);
            return;
        }
        if self.is_shown_target(cell.place) {
            let dot = self.theme.choose("•", "+");
            put_centred(buffer, area, middle, dot, bold);
            return;
        }
        match (&cell.label, cell.tint) {
            (Some(label), _) if area.height > 1 => {
                buffer.set_stringn(area.x, area.y, label, area.width.into(), quiet);
            }
            (Some(label), _) => put_centred(buffer, area, middle, label, quiet),
            (None, Some(Tint::Side(side))) => {
                let style = if has_ground {
                    Style::new()
                } else {
                    self.theme.text(self.side_color(side))
                };
                put_centred(buffer, area, middle, &self.area_mark(side), style);
            }
            (None, Some(Tint::Marked)) => put_centred(buffer, area, middle, "*", quiet),
            (None, Some(Tint::Dark)) => put_centred(buffer, area, middle, ":", quiet),
            (None, _) => put_centred(buffer, area, middle, empty, quiet),
        }
    }

    fn put_piece(&self, buffer: &mut Buffer, area: Rect, piece: Piece, highlight: Option<Style>) {
        let color = self.color(piece);
        let text = self.theme.text(color).add_modifier(Modifier::BOLD);
        let [surface, on_surface] = self.theme.surface(color, self.on_felt);
        let has_colors = self.theme.colors != Colors::Without;
        let chip = if has_colors {
            Style::new().fg(on_surface).bg(surface)
        } else {
            Style::new()
        };
        let chip = chip.add_modifier(Modifier::BOLD);
        let is_open = matches!(piece.shape, Shape::Cross | Shape::Ring | Shape::Text);
        let mark = match piece.count {
            1 => self.theme.mark(piece),
            count => format!("{count}{}", self.theme.mark(piece)),
        };
        let middle = area.y + (area.height - 1) / 2;
        if area.height < 3 || area.width < 5 {
            let style = match (is_open, highlight) {
                // The highlight's own colours are legible.
                (true, Some(_)) if has_colors => Style::new().add_modifier(Modifier::BOLD),
                (true, _) => text,
                (false, _) => chip,
            };
            if !is_open && has_colors {
                buffer.set_style(area, chip);
            }
            let style = match highlight {
                Some(highlight) if !has_colors || !is_open => {
                    style.add_modifier(emphasis(highlight, self.theme.last_move()))
                }
                _ => style,
            };
            put_centred(buffer, area, middle, &mark, style);
            return;
        }
        if piece.shape == Shape::Text {
            put_centred(buffer, area, middle, &mark, text);
        } else if self.theme.unicode {
            let fill = match (is_open, has_colors) {
                (_, false) => Style::new(),
                (true, true) => text,
                (false, true) => Style::new().fg(surface),
            };
            put_pixels(buffer, area, piece.shape, fill);
            if !is_open {
                let on_disc = if has_colors {
                    chip
                } else {
                    Style::new().add_modifier(Modifier::REVERSED)
                };
                put_centred(buffer, area, middle, &mark, on_disc);
            }
        } else {
            let style = if is_open { text } else { chip };
            for (line, row) in (middle - 1..).zip(shape::ascii(piece.shape)) {
                put_centred(buffer, area, line, row, style);
            }
            if !is_open {
                put_centred(buffer, area, middle, &mark, style);
            }
        }
    }
}

/// How a mark shows a highlight that its own ground hides.
fn emphasis(highlight: Style, last_move: Style) -> Modifier {
    if highlight == last_move {
        Modifier::UNDERLINED
    } else {
        Modifier::REVERSED
    }
}

fn put_pixels(buffer: &mut Buffer, area: Rect, shape: Shape, style: Style) {
    let size = [area.width, area.height];
    for line in 0..area.height {
        for column in 0..area.width {
            let has = |row| shape::has_pixel(shape, size, [column, 2 * line + row]);
            let block = match (has(0), has(1)) {
                (true, true) => "█",
                (true, false) => "▀",
                (false, true) => "▄",
                (false, false) => continue,
            };
            buffer.set_string(area.x + column, area.y + line, block, style);
        }
    }
}

/// Writes text in the middle of a line of an area, and no further than the area.
pub(super) fn put_centred(buffer: &mut Buffer, area: Rect, line: u16, text: &str, style: Style) {
    let width = text.chars().count() as u16;
    let column = area.x + area.width.saturating_sub(width).div_ceil(2);
    buffer.set_stringn(column, line, text, area.width.into(), style);
}
