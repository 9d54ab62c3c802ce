use open_ttt_lib::rules::{Drawing, Notation, Picture, Place, Side};
use ratatui::Frame;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::Layout;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};

use super::board::Highlights;
use super::command::Command;
use super::game_view::{
    Areas, Rows, draw_moves, has_list, in_lines, is_turned_for, joined, side_spans,
};
use super::match_state::{MatchState, Question};
use super::{HOW_TO_CHOOSE, draw_keys, key_name, keys_line};

impl<G> MatchState<'_, G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    /// Draws the match, and notes where the places and buttons are.
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>) {
        let (picture, last_move) = self.shown_picture();
        let mut buttons = Vec::new();
        if self.awaits_person() {
            buttons = self.input.labelled_moves(self.game.position());
            self.input.place_cursor(self.game.position());
        }
        let has_list = has_list(frame.area());
        let width = frame.area().width;
        let note = self.note(width, has_list);
        let mut note: Vec<_> = note.into_iter().map(Line::raw).collect();
        // What changes with every key stays on its line.
        let status = self.status(&picture);
        let (above, status) = if self.message.is_some() || self.end.is_some() {
            in_lines(status, width.into())
        } else {
            (Vec::new(), status)
        };
        note.extend(above);
        let has_values = self.coach.shows_values();
        let rows = Rows {
            head: 1,
            buttons: u16::from(!buttons.is_empty()),
            note: note.len() as u16,
            has_bar: has_values,
        };
        let areas = Areas::new(frame.area(), rows);
        frame.render_widget(self.head(&picture, areas.head.width), areas.head);
        if has_list {
            let value_rows = if has_values {
                areas.list.height * 2 / 3
            } else {
                0
            };
            let [moves, values] = Layout::vertical([Min(0), Length(value_rows)]).areas(areas.list);
            let mark = |index| self.move_mark(index);
            let colors = picture.colors;
            draw_moves(
                frame, moves, &self.game, self.shown, mark, colors, self.theme,
            );
            if has_values {
                self.draw_values(frame, values);
            }
        }
        self.draw_bar(frame, areas.bar, &picture);
        frame.render_widget(Text::from(note), areas.note);
        let highlights = self.highlights(&picture, last_move);
        let on_board = [areas.board, areas.buttons];
        self.input
            .draw(frame, on_board, &picture, highlights, &buttons, self.theme);
        frame.render_widget(status, areas.status);
        frame.render_widget(self.keys(areas.keys.width.into()), areas.keys);
        if let Some(mut help) = self.help.take() {
            let keys = self.help_keys();
            draw_keys(frame, &mut help, HOW_TO_CHOOSE, &keys, self.theme);
            self.help = Some(help);
        }
    }

    fn highlights(&self, picture: &Picture<G::Move>, last_move: Vec<Place>) -> Highlights {
        let highlights = Highlights {
            last_move,
            hint: self.hint_places(picture),
            values: self.place_values(picture),
            is_turned: self.is_turned(),
            ..Highlights::default()
        };
        if self.awaits_person() {
            self.input.highlight(self.game.position(), highlights)
        } else {
            highlights
        }
    }

    /// Whether the board is turned for the only person who plays.
    fn is_turned(&self) -> bool {
        let mut people = Side::BOTH.into_iter().filter(|&side| self.is_person(side));
        match (people.next(), people.next()) {
            (Some(side), None) => is_turned_for(self.game.start(), side),
            _ => false,
        }
    }

    /// The sides with their points, players and wins, and which is to move: in short if the
    /// names of the players don't fit.
    fn head(&self, picture: &Picture<G::Move>, width: u16) -> Line<'static> {
        let long = self.sides(picture, |player, wins| match wins {
            None => format!(" ({player})"),
            Some(1) => format!(" ({player}, 1 win)"),
            Some(wins) => format!(" ({player}, {wins} wins)"),
        });
        if long.width() <= usize::from(width) {
            return long;
        }
        self.sides(picture, |_, wins| {
            wins.map_or_else(String::new, |wins| format!(" ({wins})"))
        })
    }

    /// The sides, each with what `describe` makes of the player and the number of wins.
    fn sides(
        &self,
        picture: &Picture<G::Move>,
        describe: impl Fn(&str, Option<u32>) -> String,
    ) -> Line<'static> {
        let mut line = Line::default();
        let score = self.series.score();
        for side in Side::BOTH {
            if side == Side::Second {
                line.push_span(Span::raw("   "));
            }
            let is_to_move = self.end.is_none() && self.side_to_move() == side;
            let name = self.app.name(side);
            line.extend(side_spans(picture, side, name, is_to_move, self.theme));
            let wins = score.wins[self.series.player(side)];
            let wins = (score.games() > 0).then_some(wins);
            let text = describe(self.player_name(side), wins);
            line.push_span(Span::styled(text, self.theme.quiet()));
        }
        match score.draws {
            0 => {}
            1 => line.push_span(Span::styled("   1 draw", self.theme.quiet())),
            draws => line.push_span(Span::styled(
                format!("   {draws} draws"),
                self.theme.quiet(),
            )),
        }
        line
    }

    /// What happens: a question, an error, the result, or whose turn it is.
    fn status(&self, picture: &Picture<G::Move>) -> Line<'static> {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        if let Some(question) = self.question {
            let text = match question {
                Question::Leave => "Leave this game? (y/n)".to_owned(),
                Question::NewGame => "New game? This one won't count. (y/n)".to_owned(),
                Question::Resign(side) => format!("Resign as {}? (y/n)", self.app.name(side)),
            };
            return Line::styled(text, self.theme.error());
        }
        if let Some(message) = &self.message {
            return Line::styled(message.clone(), self.theme.error());
        }
        if let Some(end) = self.end_text() {
            let (shown, last) = (self.shown, self.game.moves().len());
            let step = if shown < last {
                format!("   move {shown} of {last}")
            } else {
                String::new()
            };
            return Line::from_iter([Span::styled(end.to_owned(), bold), Span::raw(step)]);
        }
        let side = self.app.name(self.side_to_move());
        if !self.awaits_person() {
            let text = match self.thinking_time() {
                _ if self.only_watches() && self.pace.paused => "Paused".to_owned(),
                Some(time) if !self.only_watches() || time.as_millis() >= 300 => {
                    let dots = self.theme.choose("…", "...");
                    format!("{side} is thinking{dots} {:.1} s", time.as_secs_f32())
                }
                _ => format!("{side} turn, {}", self.pace.text()),
            };
            return Line::raw(text);
        }
        if let Some(typed) = self.input.typed_line(self.theme) {
            return typed;
        }
        let mut texts = vec![format!("{side} turn")];
        texts.extend(self.input.chosen_text(picture));
        texts.extend(picture.status.clone());
        if let (true, Some(last)) = (self.input.chosen.is_empty(), self.last_move_text()) {
            texts.push(format!("last move {last}"));
        }
        joined(texts, self.theme)
    }

    fn last_move_text(&self) -> Option<String> {
        self.game.move_texts().pop()
    }

    /// The keys that do something now, as many as fit.
    fn keys(&self, width: usize) -> Line<'static> {
        let mut keys = Vec::new();
        let arrows = self.theme.choose("←↑↓→", "arrows");
        if self.end.is_some() {
            keys.push((self.theme.choose("←→", "arrows").to_owned(), "step"));
        } else if self.awaits_person() {
            keys.push((arrows.to_owned(), "move"));
            keys.push(("Enter".to_owned(), "choose"));
        }
        let is_over = self.end.is_some();
        let mut commands = self.commands();
        // What is asked for most is first, and help and the way out are always there.
        let last = commands.split_off(commands.len() - 2);
        commands.retain(|&command| !matches!(command, Command::Turn | Command::Theme));
        let key = |command: Command| (self.key_text(command), command.text(is_over));
        let last: Vec<_> = last.into_iter().map(key).collect();
        keys.extend(commands.into_iter().map(key));
        keys_line(keys, last, width, self.theme)
    }

    fn key_text(&self, command: Command) -> String {
        let key = command.key();
        key_name(key, self.awaits_person() && self.types(key))
    }

    fn help_keys(&self) -> Vec<(String, &'static str)> {
        let is_over = self.end.is_some();
        let commands = self.commands().into_iter();
        let mut keys: Vec<_> = commands
            .map(|command| (self.key_text(command), command.text(is_over)))
            .collect();
        keys.push(("Tab".to_owned(), "go to the buttons, if there are any"));
        keys.push(("Esc".to_owned(), "unchoose"));
        if is_over {
            keys.push(("Home End".to_owned(), "the first and the last position"));
        }
        keys.push(("Ctrl-C".to_owned(), "end the program"));
        keys
    }
}
