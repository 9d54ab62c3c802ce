use ratatui::Frame;
use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::Layout;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span, Text};

use super::Leave;
use super::list::wrapped;
use super::theme::Theme;

/// The longest text that can be typed, in characters.
const MAX_TEXT: usize = 200;

/// A line of text to type on the screen.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    title: &'a str,
    help: &'a str,
    pub(super) text: String,
    pub(super) error: String,
    theme: Theme,
}

/// What an event has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Nothing,
    Changed,
    /// The text is complete.
    Text,
    Leave(Leave),
}

impl<'a> Entry<'a> {
    pub(super) const fn new(title: &'a str, help: &'a str, theme: Theme) -> Self {
        Self {
            title,
            help,
            text: String::new(),
            error: String::new(),
            theme,
        }
    }

    pub(super) fn handle(&mut self, event: &Event) -> Typed {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
                match key.code {
                    KeyCode::Char('c') if has_control => return Typed::Leave(Leave::Quit),
                    KeyCode::Char('u') if has_control => self.text.clear(),
                    KeyCode::Char(letter) if !has_control => {
                        if self.text.chars().count() < MAX_TEXT {
                            self.text.push(letter);
                        }
                    }
                    KeyCode::Backspace => {
                        self.text.pop();
                    }
                    KeyCode::Enter => return Typed::Text,
                    KeyCode::Esc => return Typed::Leave(Leave::Back),
                    _ => return Typed::Nothing,
                }
                self.error.clear();
                Typed::Changed
            }
            Event::Resize(..) => Typed::Changed,
            _ => Typed::Nothing,
        }
    }

    pub(super) fn draw(&self, frame: &mut Frame<'_>) {
        let width = usize::from(frame.area().width).saturating_sub(2);
        let help = wrapped(self.help, width);
        let height = help.len() as u16;
        let rows = [
            Length(1),
            Length(1),
            Length(height),
            Length(1),
            Length(1),
            Length(1),
            Min(0),
            Length(1),
        ];
        let [head, _, above, _, entry, _, below, keys] = Layout::vertical(rows).areas(frame.area());
        let title = Line::styled(format!(" {}", self.title), Modifier::BOLD);
        frame.render_widget(title, head);
        let indented = |lines: Vec<String>| {
            let lines = lines.into_iter().map(|line| Line::raw(format!(" {line}")));
            lines.collect::<Text<'_>>()
        };
        frame.render_widget(indented(help), above);
        // The end of the text stays visible.
        let hidden = self
            .text
            .chars()
            .count()
            .saturating_sub(width.saturating_sub(3));
        let shown: String = self.text.chars().skip(hidden).collect();
        frame.render_widget(Line::styled(format!(" > {shown}_"), Modifier::BOLD), entry);
        let error = indented(wrapped(&self.error, width)).style(self.theme.error());
        frame.render_widget(error, below);
        let mut line = Line::raw(" ");
        for (key, text) in [("Enter", "go on"), ("Esc", "back")] {
            line.push_span(Span::styled(key, Modifier::BOLD));
            line.push_span(Span::styled(format!(" {text}  "), self.theme.quiet()));
        }
        frame.render_widget(line, keys);
    }
}
