use std::time::Instant;

use open_ttt_lib::rules::{Color, Drawing, Notation, Picture, Side};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};

use super::clock::is_short;
use super::command::Command;
use super::state::{Question, RemoteState};
use super::{RemoteMatch, RemotePlayer, RemoteStatus};
use crate::screen::board::Highlights;
use crate::screen::game_view::{
    Areas, Rows, draw_moves, has_list, is_turned_for, joined, last_move_places, position_after,
    side_spans,
};
use crate::screen::list::wrapped;
use crate::screen::theme::Theme;
use crate::screen::{HOW_TO_CHOOSE, draw_keys, key_name, keys_line};

/// The least height of a screen with a line for the title of the match.
const MIN_HEIGHT_WITH_TITLE: u16 = 12;
/// The least height of a screen that shows more than the latest news.
const MIN_HEIGHT_WITH_NEWS: u16 = 20;
/// The most lines of news on such a screen.
const MAX_NEWS_LINES: usize = 3;

impl<G: Notation + Drawing> RemoteState<G> {
    /// Draws the match as it is at this time, and notes where the places and buttons are.
    pub(in crate::screen) fn draw(&mut self, frame: &mut Frame<'_>, now: Instant) {
        self.times = self.times(now);
        let Some(current) = self.current.take() else {
            self.draw_unknown(frame);
            return;
        };
        self.draw_match(frame, &current, now);
        self.current = Some(current);
        let keys_area = Areas::new(frame.area(), Rows::default()).keys;
        frame.render_widget(self.keys(keys_area.width.into()), keys_area);
        if let Some(mut help) = self.help.take() {
            let introduction = if self.plays() { HOW_TO_CHOOSE } else { "" };
            let keys = self.help_keys();
            draw_keys(frame, &mut help, introduction, &keys, self.theme);
            self.help = Some(help);
        }
    }

    /// Draws what there is to see before the match is known.
    fn draw_unknown(&self, frame: &mut Frame<'_>) {
        let areas = Areas::new(frame.area(), Rows::default());
        let connecting = self.theme.choose("Connecting…", "Connecting...");
        let news = self.news.back().map(|text| self.theme.in_characters(text));
        let text = news.unwrap_or_else(|| connecting.to_owned());
        frame.render_widget(Line::styled(text, Modifier::BOLD), areas.status);
        frame.render_widget(self.keys(areas.keys.width.into()), areas.keys);
    }

    fn draw_match(&mut self, frame: &mut Frame<'_>, current: &RemoteMatch<G>, now: Instant) {
        let awaits_person = current.awaits_person(self.shown);
        let position = position_after(&current.game, self.shown);
        let picture = position.picture();
        let mut buttons = Vec::new();
        if awaits_person {
            buttons = self.input.labelled_moves(&position);
            self.input.place_cursor(&position);
        }
        let screen = frame.area();
        let note = self.note(current, screen);
        let has_title = screen.height >= MIN_HEIGHT_WITH_TITLE;
        let rows = Rows {
            head: 2 + u16::from(has_title),
            buttons: u16::from(!buttons.is_empty()),
            note: note.len() as u16,
            has_bar: false,
        };
        let areas = Areas::new(screen, rows);
        let mut head = areas.head.rows();
        if has_title && let Some(row) = head.next() {
            let title = Line::styled(title(current), self.theme.quiet());
            frame.render_widget(title, row);
        }
        for (side, row) in Side::BOTH.into_iter().zip(head) {
            self.draw_player(frame, row, current, &picture, side, now);
        }
        if has_list(screen) {
            let first_pending = current.game.moves().len() - current.pending;
            let dots = self.theme.choose("…", "~");
            let mark = |index| if index < first_pending { "" } else { dots };
            let (game, colors) = (&current.game, picture.colors);
            draw_moves(
                frame, areas.list, game, self.shown, mark, colors, self.theme,
            );
        }
        frame.render_widget(Text::from(note), areas.note);
        let mut highlights = Highlights {
            last_move: last_move_places(&current.game, self.shown),
            is_turned: current
                .own
                .is_some_and(|own| is_turned_for(current.game.start(), own)),
            ..Highlights::default()
        };
        if awaits_person {
            highlights = self.input.highlight(&position, highlights);
        }
        let on_board = [areas.board, areas.buttons];
        self.input
            .draw(frame, on_board, &picture, highlights, &buttons, self.theme);
        let status = self.status(current, &picture, awaits_person);
        frame.render_widget(status, areas.status);
    }

    /// Draws a player: the side, the name and rating, whether the player is there; and at the
    /// right the games won and the clock.
    fn draw_player(
        &self,
        frame: &mut Frame<'_>,
        row: Rect,
        current: &RemoteMatch<G>,
        picture: &Picture<G::Move>,
        side: Side,
        now: Instant,
    ) {
        let theme = self.theme;
        let is_to_move = matches!(current.status, RemoteStatus::Turn(turn) if turn == side);
        let player = current.players[side.index()].as_ref();
        let label = |side, is_to_move| {
            let name = current.game.position().side_name(side);
            Line::from(side_spans(picture, side, name, is_to_move, theme))
        };
        let mut left = label(side, is_to_move);
        // The names of both players stand below each other.
        let width = label(side.other(), false).width().max(left.width());
        left.push_span(" ".repeat(width + 2 - left.width()));
        left.extend(match player {
            Some(player) => player_spans(player, current.own == Some(side), theme),
            None => vec![Span::styled("open seat", theme.quiet())],
        });
        let mut right = Line::default();
        if let Some(RemotePlayer { wins, .. }) = player
            && current.number > 1
        {
            let noun = if *wins == 1 { "win" } else { "wins" };
            right.push_span(Span::styled(format!("{wins} {noun}"), theme.quiet()));
        }
        if let (Some(times), Some(clock)) = (&self.times, &current.clock) {
            let style = if is_short(clock.left(side, now)) && clock.running == Some(side) {
                theme.error()
            } else if is_to_move {
                Style::new().add_modifier(Modifier::BOLD)
            } else {
                theme.quiet()
            };
            let time = format!("  {:>7} ", times[side.index()]);
            right.push_span(Span::styled(time, style));
        }
        let width = (right.width() as u16).min(row.width);
        let at_right = Rect {
            x: row.right() - width,
            width,
            ..row
        };
        let at_left = Rect {
            width: row.width - width,
            ..row
        };
        frame.render_widget(left, at_left);
        frame.render_widget(right, at_right);
    }

    /// What there is to say: how to invite the opponent, what the opponent asks, what is
    /// wrong with the connection, and the news.
    fn note(&self, current: &RemoteMatch<G>, screen: Rect) -> Vec<Line<'static>> {
        let width = usize::from(screen.width);
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let mut lines = Vec::new();
        let mut add = |text: &str, style: Style| {
            let text = self.theme.in_characters(text);
            let broken = wrapped(&text, width).into_iter().flat_map(|line| {
                // A link has to be whole.
                let letters: Vec<char> = line.chars().collect();
                let parts = letters.chunks(width.max(1));
                parts.map(String::from_iter).collect::<Vec<_>>()
            });
            lines.extend(broken.map(|line| Line::styled(line, style)));
        };
        let has_room = screen.height >= MIN_HEIGHT_WITH_NEWS;
        let count = if has_room { MAX_NEWS_LINES } else { 1 };
        let first = self.news.len().saturating_sub(count);
        for text in self.news.range(first..) {
            add(text, Style::new());
        }
        if let Some(problem) = &current.problem {
            add(problem, self.theme.error());
        }
        if let (RemoteStatus::Waiting(_), Some(link)) = (&current.status, &current.link) {
            add("Invite your opponent:", bold);
            add(link, bold);
        }
        if let Some(request) = &current.request {
            add(request, bold);
        }
        lines
    }

    /// What happens: a question, an error, what is typed, the result, or whose turn it is.
    fn status(
        &self,
        current: &RemoteMatch<G>,
        picture: &Picture<G::Move>,
        awaits_person: bool,
    ) -> Line<'static> {
        let name = |side| current.game.position().side_name(side);
        if let Some(question) = self.question {
            let text = match (question, current.own) {
                (Question::Resign, Some(side)) => format!("Resign as {}? (y/n)", name(side)),
                (Question::Resign, None) => "Resign? (y/n)".to_owned(),
                (Question::Leave, _) => "Leave? Your seat is kept. (y/n)".to_owned(),
            };
            return Line::styled(text, self.theme.error());
        }
        if let Some(message) = &self.message {
            return Line::styled(self.theme.in_characters(message), self.theme.error());
        }
        if awaits_person && let Some(typed) = self.input.typed_line(self.theme) {
            return typed;
        }
        let mut texts = match &current.status {
            RemoteStatus::Waiting(text) | RemoteStatus::Over(text) => {
                vec![self.theme.in_characters(text)]
            }
            RemoteStatus::Turn(side) => vec![turn_text(current, *side)],
        };
        let last = current.game.moves().len();
        if self.shown < last {
            texts.push(format!("move {} of {last}", self.shown));
            if matches!(current.status, RemoteStatus::Turn(_)) {
                texts.push("End goes back to the game".to_owned());
            }
        } else if let RemoteStatus::Turn(_) = current.status {
            texts.extend(self.input.chosen_text(picture).filter(|_| awaits_person));
            texts.extend(picture.status.clone());
            if let Some(text) = current.game.move_texts().pop()
                && self.input.chosen.is_empty()
            {
                texts.push(match current.pending {
                    0 => format!("last move {text}"),
                    _ => format!("sending {text}"),
                });
            }
        }
        joined(texts, self.theme)
    }

    /// The keys that do something now, as many as fit.
    fn keys(&self, width: usize) -> Line<'static> {
        let mut keys = Vec::new();
        let awaits_person = self.awaits_person();
        let has_moves = self.last() > 0;
        if awaits_person {
            keys.push((self.theme.choose("←↑↓→", "arrows").to_owned(), "move"));
            keys.push(("Enter".to_owned(), "choose"));
        } else if has_moves && self.arrows_step() {
            keys.push((self.theme.choose("←→", "arrows").to_owned(), "step"));
        }
        let mut commands = self.commands();
        // Help and the way out are always there.
        let last = commands.split_off(commands.len() - 2);
        commands
            .retain(|command| !matches!(command, Command::Link | Command::Turn | Command::Theme));
        let key = |command: Command| (self.key_text(command), command.text());
        let last = last.into_iter().map(key).collect();
        keys.extend(commands.into_iter().map(key));
        if has_moves && !self.arrows_step() {
            keys.push(("PgUp".to_owned(), "step back"));
        }
        keys_line(keys, last, width, self.theme)
    }

    fn key_text(&self, command: Command) -> String {
        key_name(command.key(), self.types(command.key()))
    }

    fn help_keys(&self) -> Vec<(String, &'static str)> {
        let commands = self.commands().into_iter();
        let commands = commands.map(|it| (self.key_text(it), it.text()));
        let others = [
            ("PgUp PgDn", "step through the game"),
            ("Home End", "the first and the last position"),
            ("Tab", "go to the buttons, if there are any"),
            ("Esc", "unchoose"),
            ("Ctrl-C", "leave at once; your seat is kept"),
        ];
        let others = others.map(|(key, text)| (key.to_owned(), text));
        commands.chain(others).collect()
    }
}

/// A player's name and rating, and whether the player is there.
fn player_spans(player: &RemotePlayer, is_own: bool, theme: Theme) -> Vec<Span<'static>> {
    let (mark, style) = if player.is_connected {
        (theme.choose("● ", ""), theme.text(Color::Green))
    } else {
        (theme.choose("○ ", ""), theme.quiet())
    };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let name = theme.in_characters(&player.name);
    let mut spans = vec![Span::styled(mark, style), Span::styled(name, bold)];
    let mut add = |text: String| spans.push(Span::styled(text, theme.quiet()));
    if is_own {
        add(" (you)".to_owned());
    }
    if let Some(rating) = player.rating {
        add(format!(" {rating}"));
    }
    if !player.is_connected && !is_own {
        add(" (away)".to_owned());
    }
    spans
}

/// The game, its number in the series, the draws and the spectators.
fn title<G: Notation>(current: &RemoteMatch<G>) -> String {
    let mut parts = vec![current.title.clone()];
    if current.number > 1 {
        parts.push(format!("game {}", current.number));
    }
    match current.draws {
        0 => {}
        1 => parts.push("1 draw".to_owned()),
        draws => parts.push(format!("{draws} draws")),
    }
    if current.spectators > 0 {
        parts.push(format!("{} watching", current.spectators));
    }
    parts.join(", ")
}

/// Whose turn it is.
fn turn_text<G: Notation>(current: &RemoteMatch<G>, side: Side) -> String {
    let side_name = current.game.position().side_name(side);
    let player = current.players[side.index()].as_ref();
    match player {
        _ if current.own == Some(side) && current.is_person => format!("Your turn ({side_name})"),
        Some(player) => format!("{}'s turn ({side_name})", player.name),
        None => format!("{side_name}'s turn"),
    }
}
