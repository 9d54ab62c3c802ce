use std::time::Instant;

use open_ttt_lib::rules::{Color, Drawing};
use open_ttt_players::MatchStatistics;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Axis, Chart, Dataset, GraphType};

use super::ArenaProgress;
use super::progress::Progress;
use crate::screen::board::{Board, Highlights};
use crate::screen::keys_line;
use crate::screen::theme::Theme;
use crate::{duration_text, elo_text};

/// The least size of a screen with the figures beside the chart.
const WIDE: [u16; 2] = [76, 16];
/// The width of the figures.
const FIGURES_WIDTH: u16 = 32;
/// The least size of a chart.
const MIN_CHART: [u16; 2] = [24, 6];
/// The axis of differences ends at a multiple of so many Elo.
const ELO_STEP: f64 = 50.0;

/// What an event has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::screen) enum Watched {
    Nothing,
    /// The match is to be stopped.
    Stop,
    /// The program is to be ended at once.
    Quit,
}

/// A match between two computers on the screen.
pub(in crate::screen) struct ArenaView<'a, G: Drawing> {
    progress: &'a ArenaProgress<G>,
    pub(in crate::screen) theme: Theme,
}

impl<'a, G: Drawing> ArenaView<'a, G> {
    pub(in crate::screen) const fn new(progress: &'a ArenaProgress<G>, theme: Theme) -> Self {
        Self { progress, theme }
    }

    /// Whether the match is over.
    pub(in crate::screen) fn is_over(&self) -> bool {
        self.progress.lock().is_over
    }

    /// Handles an event of the terminal.
    pub(in crate::screen) fn handle(&mut self, event: &Event) -> Watched {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.press(*key),
            _ => Watched::Nothing,
        }
    }

    fn press(&mut self, key: KeyEvent) -> Watched {
        let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let is_interrupt = has_control && key.code == KeyCode::Char('c');
        if is_interrupt || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc) {
            let mut progress = self.progress.lock();
            return if core::mem::replace(&mut progress.is_stopping, true) && is_interrupt {
                Watched::Quit
            } else {
                Watched::Stop
            };
        }
        if key.code == KeyCode::Char('t') {
            self.theme = self.theme.toggled();
        }
        Watched::Nothing
    }

    /// Draws the match as it is at this time.
    pub(in crate::screen) fn draw(&self, frame: &mut Frame<'_>, now: Instant) {
        let progress = self.progress.lock();
        let progress = &*progress;
        let theme = self.theme;
        let rows = [Length(1), Length(1), Length(1), Min(0), Length(1)];
        let [head, bar, _, body, keys] = Layout::vertical(rows).areas(frame.area());
        let of = &progress.of;
        let title = format!("{}: {} vs {}", of.game, of.a, of.b);
        let title = theme.in_characters(&title);
        frame.render_widget(Line::styled(title, Modifier::BOLD), head);
        draw_progress(frame, bar, progress, now, theme);
        let figures = figures(progress, now);
        if body.width >= WIDE[0] && body.height + 4 >= WIDE[1] {
            let columns = [Length(FIGURES_WIDTH), Length(2), Min(0)];
            let [left, _, right] = Layout::horizontal(columns).areas(body);
            let height = figures.len() as u16 + 1;
            let [figures_area, board] = Layout::vertical([Length(height), Min(0)]).areas(left);
            draw_figures(frame, figures_area, &figures, theme);
            draw_board(frame, board, progress, theme);
            draw_chart(frame, right, progress, theme);
        } else {
            let height = figures.len() as u16;
            let [figures_area, chart] = Layout::vertical([Length(height), Min(0)]).areas(body);
            draw_figures(frame, figures_area, &figures, theme);
            draw_chart(frame, chart, progress, theme);
        }
        let stop = if progress.is_stopping {
            ("Ctrl-C".to_owned(), "end at once, without a report")
        } else {
            ("q".to_owned(), "stop and report")
        };
        let mut all = vec![stop];
        if theme.toggled() != theme {
            all.push(("t".to_owned(), "light or dark"));
        }
        frame.render_widget(keys_line(all, Vec::new(), keys.width.into(), theme), keys);
    }
}

/// Draws the number of games and the time left, on a bar as long as the share of the games
/// played.
fn draw_progress<G>(
    frame: &mut Frame<'_>,
    area: Rect,
    progress: &Progress<G>,
    now: Instant,
    theme: Theme,
) {
    let (played, games) = (progress.games(), progress.of.games);
    let of = if progress.of.is_tested {
        "of at most"
    } else {
        "of"
    };
    let left = match progress.time_left(now) {
        _ if progress.is_stopping => ", stopping".to_owned(),
        Some(left) => format!(", {} left", duration_text(left)),
        None => String::new(),
    };
    let label = format!("{played} {of} {games} games{left}");
    let width = usize::from(area.width);
    let text = format!(" {label:width$}");
    let share = f64::from(played) / f64::from(games.max(1));
    let filled = (share.clamp(0.0, 1.0) * f64::from(area.width)).round() as usize;
    let split = text
        .char_indices()
        .nth(filled)
        .map_or(text.len(), |it| it.0);
    let (done, rest) = text.split_at(split);
    let line = Line::from_iter([
        Span::styled(done.to_owned(), theme.cursor()),
        Span::styled(rest.to_owned(), theme.last_move()),
    ]);
    frame.render_widget(line, area);
}

/// All figures, with their names.
fn figures<G>(progress: &Progress<G>, now: Instant) -> Vec<(&'static str, String)> {
    let MatchStatistics { score, .. } = progress.statistics;
    let mut figures = vec![
        ("wins", score.wins.to_string()),
        ("draws", score.draws.to_string()),
        ("losses", score.losses.to_string()),
    ];
    if score.games() > 0 {
        figures.push(("score", format!("{:.1} %", 100.0 * score.share())));
    }
    match progress.statistics.elo() {
        Some(elo) => {
            let [elo, low, high] = [elo.difference, elo.low, elo.high].map(elo_text);
            figures.push(("Elo difference", elo));
            figures.push(("95 % interval", format!("{low} to {high}")));
        }
        None => figures.push(("Elo difference", "not enough games".to_owned())),
    }
    figures.extend(progress.test.clone().map(|test| ("test", test)));
    if let Some(speed) = progress.speed(now) {
        let decimals = usize::from(speed < 10.0);
        figures.push(("games/s", format!("{speed:.decimals$}")));
    }
    figures
}

fn draw_figures(
    frame: &mut Frame<'_>,
    area: Rect,
    figures: &[(&'static str, String)],
    theme: Theme,
) {
    let width = usize::from(area.width.min(FIGURES_WIDTH));
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let line = |(name, value): &(&'static str, String)| {
        let value = theme.in_characters(value);
        let used = name.chars().count() + value.chars().count();
        Line::from_iter([
            Span::styled(*name, theme.quiet()),
            Span::raw(" ".repeat(width.saturating_sub(used).max(1))),
            Span::styled(value, bold),
        ])
    };
    frame.render_widget(figures.iter().map(line).collect::<Text<'_>>(), area);
}

/// Draws the final position of a game that has ended, if there is room for it.
fn draw_board<G: Drawing>(frame: &mut Frame<'_>, area: Rect, progress: &Progress<G>, theme: Theme) {
    let Some((position, _)) = &progress.last else {
        return;
    };
    let picture = position.picture();
    let board = Board::draw(&picture, &Highlights::default(), theme, area.as_size());
    if board.width() <= area.width && board.height() <= area.height {
        board.show(area, None, frame.buffer_mut());
    }
}

/// Draws the Elo difference by games, and its interval.
fn draw_chart<G>(frame: &mut Frame<'_>, area: Rect, progress: &Progress<G>, theme: Theme) {
    let differences = progress.curve.differences();
    if area.width < MIN_CHART[0] || area.height < MIN_CHART[1] || differences.is_empty() {
        return;
    }
    let [low, high] = progress.curve.bounds(ELO_STEP);
    let last = f64::from(progress.games().max(2));
    let [from, to] = progress.curve.interval();
    let zero = [(1.0, 0.0), (last, 0.0)];
    let (line, dots) = (
        theme.choose(Marker::Braille, Marker::Custom('*')),
        theme.choose(Marker::Dot, Marker::Custom('.')),
    );
    let level = theme.choose(Marker::Braille, Marker::Custom('-'));
    let curve = |points, marker, style| {
        let curve = Dataset::default().graph_type(GraphType::Line);
        curve.marker(marker).style(style).data(points)
    };
    // What is drawn later is in front.
    let curves = vec![
        curve(&zero, level, theme.quiet()),
        curve(&from, dots, theme.text(Color::Teal)),
        curve(&to, dots, theme.text(Color::Teal)),
        curve(&differences, line, theme.text(Color::Yellow)),
    ];
    let axis = Axis::default().style(theme.quiet());
    let games = axis.clone().bounds([1.0, last]);
    let games = games.labels(["1".to_owned(), format!("{last} games")]);
    let middle = f64::midpoint(low, high);
    let elo = axis.bounds([low, high]);
    let elo = elo.labels([low, middle, high].map(|elo| format!("{elo:+.0}")));
    let chart = Chart::new(curves)
        .legend_position(None)
        .x_axis(games)
        .y_axis(elo);
    let [title, below] = Layout::vertical([Length(1), Min(0)]).areas(area);
    let text = "Elo difference and its 95 % interval";
    frame.render_widget(Line::styled(text, theme.quiet()), title);
    frame.render_widget(chart, below);
    if !theme.unicode {
        make_ascii(frame.buffer_mut(), below);
    }
}

/// Replaces the lines of axes by characters that every terminal has.
fn make_ascii(buffer: &mut Buffer, area: Rect) {
    for at in area.positions() {
        let ascii = match buffer[at].symbol() {
            "│" => "|",
            "─" => "-",
            "└" => "+",
            symbol if symbol.is_ascii() => continue,
            _ => "*",
        };
        buffer[at].set_symbol(ascii);
    }
}
