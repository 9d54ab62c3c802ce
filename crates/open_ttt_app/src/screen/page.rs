use ratatui::Frame;
use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::Layout;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span, Text};

use super::Leave;
use super::list::wrapped;
use super::scroll::Scroll;
use super::theme::Theme;

/// A page of text on the screen.
#[derive(Debug)]
pub(super) struct Page<'a> {
    title: &'a str,
    text: &'a str,
    theme: Theme,
    scroll: Scroll,
}

/// What an event has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turned {
    Nothing,
    Changed,
    Leave(Leave),
}

impl<'a> Page<'a> {
    pub(super) fn new(title: &'a str, text: &'a str, theme: Theme) -> Self {
        Self {
            title,
            text,
            theme,
            scroll: Scroll::default(),
        }
    }

    pub(super) fn handle(&mut self, event: &Event) -> Turned {
        if self.scroll.handle(event) {
            return Turned::Changed;
        }
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
                match key.code {
                    KeyCode::Char('c') if has_control => Turned::Leave(Leave::Quit),
                    KeyCode::Esc
                    | KeyCode::Enter
                    | KeyCode::Backspace
                    | KeyCode::Left
                    | KeyCode::Char('q') => Turned::Leave(Leave::Back),
                    _ => Turned::Nothing,
                }
            }
            Event::Resize(..) => Turned::Changed,
            _ => Turned::Nothing,
        }
    }

    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let rows = [Length(1), Length(1), Min(0), Length(1)];
        let [head, _, body, keys] = Layout::vertical(rows).areas(frame.area());
        let title = Line::styled(format!(" {}", self.title), Modifier::BOLD);
        frame.render_widget(title, head);
        let lines = wrapped(self.text, usize::from(body.width).saturating_sub(2));
        let first = self.scroll.fit(lines.len(), body.height);
        let shown = lines.into_iter().skip(first);
        let shown: Vec<_> = shown.map(|line| Line::raw(format!(" {line}"))).collect();
        frame.render_widget(Text::from(shown), body);
        let mut line = Line::raw(" ");
        let arrows = (self.theme.choose("↑↓", "Up Down"), "scroll");
        let scroll = self.scroll.is_needed().then_some(arrows);
        for (key, text) in scroll.into_iter().chain([("Esc", "back")]) {
            line.push_span(Span::styled(key, Modifier::BOLD));
            line.push_span(Span::styled(format!(" {text}  "), self.theme.quiet()));
        }
        frame.render_widget(line, keys);
    }
}
