//! What all views of a game have in common: where things are, the sides, the list of moves,
//! and stepping through the game.

use open_ttt_lib::rules::{Color, Drawing, History, Notation, Picture, Place, Side, TwoPlayerGame};
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};

use super::list::wrapped;
use super::path_of;
use super::theme::Theme;

/// The width of the list of moves.
const LIST_WIDTH: u16 = 26;
/// The width of the bar of what the sides can expect, and the space beside it.
const BAR_WIDTH: u16 = 3;
/// The least width of a screen with the list of moves.
const MIN_WIDTH_WITH_LIST: u16 = 76;

/// Where the parts of a game are on the screen. A part without room is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Areas {
    /// The players.
    pub(super) head: Rect,
    /// The bar of what the sides can expect.
    pub(super) bar: Rect,
    pub(super) board: Rect,
    /// The moves.
    pub(super) list: Rect,
    pub(super) buttons: Rect,
    /// What there is to say, between the board and the status.
    pub(super) note: Rect,
    pub(super) status: Rect,
    pub(super) keys: Rect,
}

/// How many rows the parts of a game have that don't always have the same, and whether there
/// is a bar.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rows {
    pub(super) head: u16,
    pub(super) buttons: u16,
    pub(super) note: u16,
    pub(super) has_bar: bool,
}

impl Areas {
    pub(super) fn new(screen: Rect, rows: Rows) -> Self {
        let heights = [
            Length(rows.head),
            Min(0),
            Length(rows.buttons),
            Length(rows.note),
            Length(1),
            Length(1),
        ];
        let [head, body, buttons, note, status, keys] = Layout::vertical(heights).areas(screen);
        let columns = [
            Length(if rows.has_bar { BAR_WIDTH } else { 0 }),
            Min(0),
            Length(if has_list(screen) { LIST_WIDTH } else { 0 }),
        ];
        let [bar, board, list] = Layout::horizontal(columns).areas(body);
        let bar = Rect {
            width: bar.width.saturating_sub(1),
            ..bar
        };
        Self {
            head,
            bar,
            board,
            list,
            buttons,
            note,
            status,
            keys,
        }
    }
}

/// Whether a screen has room for the list of moves.
pub(super) const fn has_list(screen: Rect) -> bool {
    screen.width >= MIN_WIDTH_WITH_LIST
}

/// A line that may be too long: what goes above it, and its last part.
pub(super) fn in_lines(line: Line<'static>, width: usize) -> (Vec<Line<'static>>, Line<'static>) {
    /// More would leave little of a board.
    const MAX: usize = 4;
    if line.width() <= width {
        return (Vec::new(), line);
    }
    let first = line.spans.first().map(|span| span.style);
    let style = line.style.patch(first.unwrap_or_default());
    let mut parts = wrapped(&line.to_string(), width);
    if parts.len() > MAX {
        parts.truncate(MAX);
        parts[MAX - 1] += " …";
    }
    let mut lines: Vec<_> = parts
        .into_iter()
        .map(|text| Line::styled(text, style))
        .collect();
    let last = lines.pop().unwrap_or(line);
    (lines, last)
}

/// The position after so many moves of a game.
pub(super) fn position_after<G: TwoPlayerGame>(game: &History<G>, count: usize) -> G {
    let mut position = game.start().clone();
    for &m in &game.moves()[..count] {
        position.play_unchecked(m);
    }
    position
}

/// The places of the last of so many moves of a game.
pub(super) fn last_move_places<G: Drawing>(game: &History<G>, count: usize) -> Vec<Place> {
    let Some(before) = count.checked_sub(1) else {
        return Vec::new();
    };
    let picture = position_after(game, before).picture();
    path_of(&picture, game.moves()[before])
}

/// Whether the board is turned for the player of a side: the pieces that the side begins with
/// are above the other's.
pub(super) fn is_turned_for<G: Drawing>(start: &G, own: Side) -> bool {
    let cells = start.picture().cells;
    let rows = |side| {
        let cells = cells.iter().filter(move |cell| cell.owner() == Some(side));
        cells.map(|cell| cell.place.y)
    };
    let (lowest, highest) = (rows(own).min(), rows(own.other()).max());
    lowest
        .zip(highest)
        .is_some_and(|(lowest, highest)| lowest > highest)
}

/// How many moves of a game are on the board after a key that steps through it; `None` for
/// another key.
pub(super) fn step(key: KeyCode, shown: usize, last: usize) -> Option<usize> {
    match key {
        KeyCode::Left | KeyCode::Up | KeyCode::PageUp => Some(shown.saturating_sub(1)),
        KeyCode::Right | KeyCode::Down | KeyCode::PageDown => Some((shown + 1).min(last)),
        KeyCode::Home => Some(0),
        KeyCode::End => Some(last),
        _ => None,
    }
}

/// A side by its mark and name, with its points, and an arrow if it is to move.
pub(super) fn side_spans<M>(
    picture: &Picture<M>,
    side: Side,
    name: &str,
    is_to_move: bool,
    theme: Theme,
) -> Vec<Span<'static>> {
    let index = side.index();
    let arrow = if is_to_move {
        theme.choose("▶ ", "> ")
    } else {
        "  "
    };
    let color = theme
        .text(picture.colors[index])
        .add_modifier(Modifier::BOLD);
    let mark = theme.mark(picture.sides[index]);
    let text = if mark.eq_ignore_ascii_case(name) {
        name.to_owned()
    } else {
        format!("{mark} {name}")
    };
    let mut spans = vec![
        Span::styled(arrow, Modifier::BOLD),
        Span::styled(text, color),
    ];
    if let Some(points) = picture.points {
        let points = format!(" {}", points[index]);
        spans.push(Span::styled(points, Modifier::BOLD));
    }
    spans
}

/// Texts in a line, the first one bold.
pub(super) fn joined(texts: Vec<String>, theme: Theme) -> Line<'static> {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut texts = texts.into_iter();
    let first = Span::styled(texts.next().unwrap_or_default(), bold);
    let rest = texts.map(|text| Span::raw(format!(" {} {text}", theme.choose("·", "-"))));
    [first].into_iter().chain(rest).collect()
}

/// Draws the moves of a game in columns, the latest at the bottom, each in the colour of its
/// side and with its mark; the one whose position is on the board stays visible.
pub(super) fn draw_moves<G: Notation>(
    frame: &mut Frame<'_>,
    area: Rect,
    game: &History<G>,
    shown: usize,
    mark: impl Fn(usize) -> &'static str,
    colors: [Color; 2],
    theme: Theme,
) {
    let texts = game.move_texts().into_iter();
    let texts: Vec<_> = (0..)
        .zip(texts)
        .map(|(index, text)| text + mark(index))
        .collect();
    let mut position = game.start().clone();
    let moves = game.moves().iter();
    let sides: Vec<Side> = moves
        .map(|&m| {
            let side = position.to_move();
            position.play_unchecked(m);
            side
        })
        .collect();
    let widths = texts.iter().map(|text| text.chars().count());
    let width = widths.max().unwrap_or(0);
    let digits = texts.len().to_string().len();
    let entry = digits + 2 + width + 1;
    let per_row = (usize::from(area.width).saturating_sub(1) / entry).max(1);
    let rows = texts.len().div_ceil(per_row);
    let shown_row = shown.saturating_sub(1) / per_row;
    let height = usize::from(area.height);
    let first = (rows.saturating_sub(height)).min(shown_row);
    let mut lines = Vec::new();
    for row in first..rows.min(first + height) {
        let mut line = Line::raw(" ");
        for index in row * per_row..((row + 1) * per_row).min(texts.len()) {
            let style = theme.text(colors[sides[index].index()]);
            let number = Span::styled(format!("{:digits$}.", index + 1), theme.quiet());
            let is_shown = index + 1 == shown;
            let style = if is_shown { theme.cursor() } else { style };
            line.push_span(number);
            line.push_span(Span::styled(texts[index].clone(), style));
            let gap = width + 2 - texts[index].chars().count();
            line.push_span(Span::raw(" ".repeat(gap)));
        }
        lines.push(line);
    }
    frame.render_widget(Text::from(lines), area);
}
