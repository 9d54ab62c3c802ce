use open_ttt_lib::rules::{Drawing, Notation};
use ratatui::Frame;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::Layout;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Text};

use super::board::Highlights;
use super::game_view::is_turned_for;
use super::list::wrapped;
use super::puzzle_state::{PuzzleCommand, PuzzleState};
use super::{HOW_TO_CHOOSE, draw_keys, key_name, keys_line};

impl<G> PuzzleState<'_, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    /// Draws the puzzle, and notes where the places and buttons are.
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let (position, last_move) = self.shown();
        let picture = self.app.picture(&position);
        let mut buttons = Vec::new();
        if self.awaits_person() {
            buttons = self.input.labelled_moves(&position);
            self.input.place_cursor(&position);
        }
        let width = usize::from(frame.area().width);
        let [task, news] = [&self.task(), &self.news].map(|text| wrapped(text, width));
        let rows = [
            Length(1),
            Length(task.len() as u16),
            Min(0),
            Length(u16::from(!buttons.is_empty())),
            Length(news.len().max(1) as u16),
            Length(1),
            Length(1),
        ];
        let [head, task_area, board, button_row, news_area, status, keys] =
            Layout::vertical(rows).areas(frame.area());
        let bold = Style::new().add_modifier(Modifier::BOLD);
        frame.render_widget(Line::styled(self.title, self.theme.quiet()), head);
        let lines = |texts: Vec<String>, style| {
            let lines = texts.into_iter().map(|text| Line::styled(text, style));
            lines.collect::<Text<'static>>()
        };
        frame.render_widget(lines(task, bold), task_area);
        frame.render_widget(lines(news, Style::new()), news_area);
        let mut highlights = Highlights {
            last_move,
            hint: self.hint_places(),
            is_turned: is_turned_for(&self.app.game, self.solver()),
            ..Highlights::default()
        };
        if self.awaits_person() {
            highlights = self.input.highlight(&position, highlights);
        }
        let areas = [board, button_row];
        self.input
            .draw(frame, areas, &picture, highlights, &buttons, self.theme);
        let typed = self.input.typed_line(self.theme);
        let typed = typed.or_else(|| self.input.chosen_text(&picture).map(Line::raw));
        frame.render_widget(typed.unwrap_or_default(), status);
        frame.render_widget(self.keys(width), keys);
        if let Some(mut help) = self.help.take() {
            let keys = self.help_keys();
            draw_keys(frame, &mut help, HOW_TO_CHOOSE, &keys, self.theme);
            self.help = Some(help);
        }
    }

    /// The keys that do something now, as many as fit.
    fn keys(&self, width: usize) -> Line<'static> {
        let mut keys = Vec::new();
        if self.awaits_person() {
            let arrows = self.theme.choose("←↑↓→", "arrows");
            keys.push((arrows.to_owned(), "move"));
            keys.push(("Enter".to_owned(), "choose"));
        } else if self.is_solved() {
            keys.push(("Enter".to_owned(), "next"));
        }
        let mut commands = self.commands();
        // Help and the way out are always there.
        let last = commands.split_off(commands.len() - 2);
        commands.retain(|&command| !matches!(command, PuzzleCommand::Turn | PuzzleCommand::Theme));
        let key = |command: PuzzleCommand| (self.key_text(command), command.text());
        keys.extend(commands.into_iter().map(key));
        let last = last.into_iter().map(key).collect();
        keys_line(keys, last, width, self.theme)
    }

    fn key_text(&self, command: PuzzleCommand) -> String {
        key_name(command.key(), self.types(command.key()))
    }

    fn help_keys(&self) -> Vec<(String, &'static str)> {
        let commands = self.commands().into_iter();
        let commands = commands.map(|it| (self.key_text(it), it.text()));
        let end = ("Ctrl-C".to_owned(), "end the program");
        commands.chain([end]).collect()
    }
}
