use ratatui::Frame;
use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, MouseEventKind};
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::Layout;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span, Text};

use super::Leave;
use super::list::wrapped;
use super::theme::Theme;

/// A page of text on the screen.
#[derive(Debug)]
pub(super) struct Page<'a> {
    title: &'a str,
    text: &'a str,
    theme: Theme,
    /// The first line on the screen.
    first: u16,
    /// The largest first line, as drawn.
    last_first: u16,
}

/// What an event has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turned {
    Nothing,
    Changed,
    Leave(Leave),
}

impl<'a> Page<'a> {
    pub(super) const fn new(title: &'a str, text: &'a str, theme: Theme) -> Self {
        Self {
            title,
            text,
            theme,
            first: 0,
            last_first: 0,
        }
    }

    pub(super) fn handle(&mut self, event: &Event) -> Turned {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
                match key.code {
                    KeyCode::Char('c') if has_control => return Turned::Leave(Leave::Quit),
                    KeyCode::Up | KeyCode::Char('k') => self.first = self.first.saturating_sub(1),
                    KeyCode::Down | KeyCode::Char('j') => self.first += 1,
                    KeyCode::Esc
                    | KeyCode::Enter
                    | KeyCode::Backspace
                    | KeyCode::Left
                    | KeyCode::Char('q') => return Turned::Leave(Leave::Back),
                    _ => return Turned::Nothing,
                }
            }
            Event::Mouse(mouse) if mouse.kind == MouseEventKind::ScrollUp => {
                self.first = self.first.saturating_sub(1);
            }
            Event::Mouse(mouse) if mouse.kind == MouseEventKind::ScrollDown => self.first += 1,
            Event::Resize(..) => {}
            _ => return Turned::Nothing,
        }
        self.first = self.first.min(self.last_first);
        Turned::Changed
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let rows = [Length(1), Length(1), Min(0), Length(1)];
        let [head, _, body, keys] = Layout::vertical(rows).areas(frame.area());
        let title = Line::styled(format!(" {}", self.title), Modifier::BOLD);
        frame.render_widget(title, head);
        let lines = wrapped(self.text, usize::from(body.width).saturating_sub(2));
        self.last_first = (lines.len() as u16).saturating_sub(body.height);
        self.first = self.first.min(self.last_first);
        let shown = lines.into_iter().skip(self.first.into());
        let shown: Vec<_> = shown.map(|line| Line::raw(format!(" {line}"))).collect();
        frame.render_widget(Text::from(shown), body);
        let mut line = Line::raw(" ");
        let arrows = (self.theme.choose("↑↓", "Up Down"), "scroll");
        let scroll = (self.last_first > 0).then_some(arrows);
        for (key, text) in scroll.into_iter().chain([("Esc", "back")]) {
            line.push_span(Span::styled(key, Modifier::BOLD));
            line.push_span(Span::styled(format!(" {text}  "), self.theme.quiet()));
        }
        frame.render_widget(line, keys);
    }
}
