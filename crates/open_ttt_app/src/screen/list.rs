use open_ttt_lib::rules::Picture;
use ratatui::Frame;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Position, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span, Text};

use super::Leave;
use super::board::{Board, Highlights};
use super::theme::Theme;

/// One of the options of a [list](super::Screen::choose).
#[derive(Clone, Debug)]
pub struct ListItem {
    /// What the list shows.
    pub name: String,
    /// A few sentences about it, shown beside the list.
    pub text: String,
    /// A board, drawn beside the list.
    pub picture: Option<Picture<()>>,
}

impl ListItem {
    /// An option that is only a name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            text: String::new(),
            picture: None,
        }
    }
}

/// A list on the screen from which one item is chosen.
#[derive(Debug)]
pub(super) struct List<'a> {
    title: &'a str,
    items: &'a [ListItem],
    selected: usize,
    pub(super) theme: Theme,
    /// Where each item is on the screen.
    areas: Vec<(usize, Rect)>,
}

/// What an event means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// Nothing that is drawn has changed.
    Nothing,
    Changed,
    Item(usize),
    Leave(Leave),
}

/// The least width of a screen with a text beside the list.
const MIN_WIDTH_WITH_TEXT: u16 = 60;
/// The lines for the text below the list on a narrow screen.
const TEXT_BELOW: u16 = 4;

impl<'a> List<'a> {
    pub(super) const fn new(
        title: &'a str,
        items: &'a [ListItem],
        selected: usize,
        theme: Theme,
    ) -> Self {
        Self {
            title,
            items,
            selected,
            theme,
            areas: Vec::new(),
        }
    }

    pub(super) fn handle(&mut self, event: &Event) -> Chosen {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.press(*key),
            Event::Mouse(MouseEvent {
                kind: MouseEventKind::Down(MouseButton::Left),
                column,
                row,
                ..
            }) => {
                let at = Position::new(*column, *row);
                let clicked = self.areas.iter().find(|(_, area)| area.contains(at));
                clicked.map_or(Chosen::Nothing, |&(index, _)| Chosen::Item(index))
            }
            Event::Mouse(mouse) if mouse.kind == MouseEventKind::ScrollUp => self.select(-1),
            Event::Mouse(mouse) if mouse.kind == MouseEventKind::ScrollDown => self.select(1),
            Event::Resize(..) => Chosen::Changed,
            _ => Chosen::Nothing,
        }
    }

    fn press(&mut self, key: KeyEvent) -> Chosen {
        let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if has_control => Chosen::Leave(Leave::Quit),
            KeyCode::Esc | KeyCode::Backspace | KeyCode::Left | KeyCode::Char('q') => {
                Chosen::Leave(Leave::Back)
            }
            KeyCode::Enter | KeyCode::Right | KeyCode::Char(' ') => Chosen::Item(self.selected),
            KeyCode::Up | KeyCode::Char('k') => self.select(-1),
            KeyCode::Down | KeyCode::Char('j') => self.select(1),
            KeyCode::PageUp => self.select(-10),
            KeyCode::PageDown => self.select(10),
            KeyCode::Home => self.select(isize::MIN),
            KeyCode::End => self.select(isize::MAX),
            KeyCode::Char('t') => {
                self.theme = self.theme.toggled();
                Chosen::Changed
            }
            KeyCode::Char(letter) => self.select_by_letter(letter),
            _ => Chosen::Nothing,
        }
    }

    fn select(&mut self, distance: isize) -> Chosen {
        let last = self.items.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(distance).min(last);
        Chosen::Changed
    }

    /// Selects the next item that begins with a letter, or the item with this number.
    fn select_by_letter(&mut self, letter: char) -> Chosen {
        if let Some(number) = letter.to_digit(10).filter(|&number| number > 0) {
            let index = number as usize - 1;
            return if index < self.items.len() {
                Chosen::Item(index)
            } else {
                Chosen::Nothing
            };
        }
        let count = self.items.len();
        let after = (1..=count).map(|distance| (self.selected + distance) % count);
        let letter = letter.to_lowercase().next();
        let begins =
            |&index: &usize| self.items[index].name.to_lowercase().chars().next() == letter;
        match after.into_iter().find(begins) {
            Some(index) => {
                self.selected = index;
                Chosen::Changed
            }
            None => Chosen::Nothing,
        }
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let rows = [Length(1), Length(1), Min(0), Length(1)];
        let [head, _, body, keys] = Layout::vertical(rows).areas(frame.area());
        let title = Line::styled(format!(" {}", self.title), Modifier::BOLD);
        frame.render_widget(title, head);
        let names = self
            .items
            .iter()
            .map(|item| item.name.chars().count() as u16);
        let list_width = names.max().unwrap_or(0) + 4;
        let has_text = self.items.iter().any(|item| !item.text.is_empty());
        let (list, text) = match (has_text, body.width >= MIN_WIDTH_WITH_TEXT) {
            (false, _) => (body, Rect::ZERO),
            (true, true) => {
                let [list, text] = Layout::horizontal([Length(list_width), Min(0)]).areas(body);
                (list, text)
            }
            (true, false) => {
                let [list, text] = Layout::vertical([Min(0), Length(TEXT_BELOW)]).areas(body);
                (list, text)
            }
        };
        self.draw_items(frame, list);
        if let Some(item) = self.items.get(self.selected) {
            self.draw_text(frame, text, item);
        }
        let mut line = Line::raw(" ");
        let keys_and_texts = [
            (self.theme.choose("↑↓", "Up Down"), "move"),
            ("Enter", "choose"),
            ("Esc", "back"),
        ];
        for (key, text) in keys_and_texts {
            line.push_span(Span::styled(key, Modifier::BOLD));
            line.push_span(Span::styled(format!(" {text}  "), self.theme.quiet()));
        }
        frame.render_widget(line, keys);
    }

    fn draw_items(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let height = usize::from(area.height);
        let last_first = self.items.len().saturating_sub(height);
        let first = self.selected.saturating_sub(height / 2).min(last_first);
        self.areas.clear();
        for (line, index) in area.rows().zip(first..self.items.len()) {
            let name = &self.items[index].name;
            let row = Rect {
                x: line.x + 1,
                width: (name.chars().count() as u16 + 2).min(line.width.saturating_sub(1)),
                ..line
            };
            let style = if index == self.selected {
                self.theme.cursor()
            } else {
                ratatui::style::Style::new()
            };
            frame.render_widget(Span::styled(format!(" {name} "), style), row);
            self.areas.push((index, row));
        }
    }

    /// Draws an item's picture, if there is room for it, and its text.
    fn draw_text(&self, frame: &mut Frame<'_>, area: Rect, item: &ListItem) {
        let area = Rect {
            x: area.x + u16::from(!area.is_empty()),
            width: area.width.saturating_sub(2),
            ..area
        };
        let lines = wrapped(&item.text, area.width.into());
        let mut below = area;
        if let Some(picture) = &item.picture {
            let above = Rect {
                height: area.height.saturating_sub(lines.len() as u16 + 1),
                ..area
            };
            let board = Board::draw(picture, &Highlights::default(), self.theme, above.as_size());
            if board.width() <= above.width && board.height() <= above.height {
                let shown = Rect {
                    height: board.height(),
                    ..above
                };
                board.show(shown, None, frame.buffer_mut());
                below.y += board.height() + 1;
                below.height -= board.height() + 1;
            }
        }
        let lines: Vec<_> = lines.into_iter().map(Line::raw).collect();
        frame.render_widget(Text::from(lines), below);
    }
}

/// A text in lines of at most so many characters, if its words allow it.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut wrapped = String::new();
        for word in line.split_whitespace() {
            let used = wrapped.chars().count();
            if used > 0 && used + 1 + word.chars().count() > width {
                lines.push(core::mem::take(&mut wrapped));
            }
            if !wrapped.is_empty() {
                wrapped.push(' ');
            }
            wrapped += word;
        }
        lines.push(wrapped);
    }
    lines
}
