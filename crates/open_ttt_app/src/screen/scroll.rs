use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, MouseEventKind};

/// Which lines of a text are on the screen, if it hasn't room for all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scroll {
    /// The first line on the screen.
    first: u16,
    /// The largest first line, as drawn.
    last_first: u16,
}

impl Scroll {
    /// Handles an event. Returns whether it scrolls a text that has more lines than the screen
    /// has room for.
    pub(super) fn handle(&mut self, event: &Event) -> bool {
        let is_up = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
                KeyCode::Up | KeyCode::Char('k') => true,
                KeyCode::Down | KeyCode::Char('j') => false,
                _ => return false,
            },
            Event::Mouse(mouse) if mouse.kind == MouseEventKind::ScrollUp => true,
            Event::Mouse(mouse) if mouse.kind == MouseEventKind::ScrollDown => false,
            _ => return false,
        };
        self.first = if is_up {
            self.first.saturating_sub(1)
        } else {
            (self.first + 1).min(self.last_first)
        };
        self.is_needed()
    }

    /// Takes the number of lines and for how many there is room. Returns the first line to draw.
    pub(super) fn fit(&mut self, lines: usize, height: u16) -> usize {
        self.last_first = (lines as u16).saturating_sub(height);
        self.first = self.first.min(self.last_first);
        self.first.into()
    }

    /// Whether there are more lines than there is room for, as drawn.
    pub(super) const fn is_needed(&self) -> bool {
        self.last_first > 0
    }
}
