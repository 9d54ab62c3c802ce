//! The full-screen view of a run: its figures and one chart at a time.
//!
//! [`draw`] renders a [`State`] into a buffer. A [`Screen`] owns the terminal, reads keys
//! and redraws.

mod curves;
mod screen;
#[cfg(test)]
mod tests;

use std::time::Duration;
use std::{iter, mem};

use open_ttt_app::duration_text;
use open_ttt_learn::{Metrics, RunPhase, SelfPlaySpeed, seconds_left, training_share};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Borders, Chart as Plot, Dataset, Gauge, GraphType, Paragraph};

use curves::{Curve, curves, elo, number};
pub(super) use screen::Screen;

#[derive(Clone, Debug, Default)]
struct State {
    game: String,
    /// The number of iterations of the run.
    iterations: u32,
    /// The metrics of consecutive iterations.
    metrics: Vec<Metrics>,
    /// The current phase; `None` once the run is over.
    phase: Option<RunPhase>,
    chart: Chart,
    /// The latest warning about workers.
    warning: Option<String>,
    /// Whether a key asks to leave.
    is_leaving: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Chart {
    #[default]
    Loss,
    /// The Elo difference to each baseline opponent.
    Strength,
    /// The share of best moves.
    BestMoves,
    /// Games per second of self-play.
    Speed,
}

/// The smallest screen with a chart.
const MIN_SIZE: (u16, u16) = (40, 12);

/// The smallest screen with figures beside the chart.
const WIDE: (u16, u16) = (84, 18);

const FIGURES_WIDTH: u16 = 34;
const MAX_LEGEND_HEIGHT: usize = 2;

const COLOURS: [Color; 6] = [
    Color::Cyan,
    Color::Yellow,
    Color::Green,
    Color::Magenta,
    Color::LightRed,
    Color::LightBlue,
];

impl Chart {
    const ALL: [Self; 4] = [Self::Loss, Self::Strength, Self::BestMoves, Self::Speed];

    /// The title, and the unit of the values.
    const fn title_and_unit(self) -> (&'static str, &'static str) {
        match self {
            Self::Loss => ("Loss", "loss"),
            Self::Strength => ("Strength", "Elo"),
            Self::BestMoves => ("Best moves", "%"),
            Self::Speed => ("Speed", "games/s"),
        }
    }

    /// The chart this many tabs to the right, wrapping around.
    fn next(self, tabs: usize) -> Self {
        let index = Self::ALL.iter().position(|&chart| chart == self);
        Self::ALL[(index.unwrap_or(0) + tabs) % Self::ALL.len()]
    }
}

impl State {
    /// Handles a key: Tab and Shift-Tab change the chart, `q` and Ctrl-C ask to leave.
    fn press(&mut self, key: KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        match key.code {
            KeyCode::Tab | KeyCode::Right => self.chart = self.chart.next(1),
            KeyCode::BackTab | KeyCode::Left => {
                self.chart = self.chart.next(Chart::ALL.len() - 1);
            }
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => self.is_leaving = true,
            KeyCode::Char('c') => self.is_leaving |= key.modifiers.contains(KeyModifiers::CONTROL),
            _ => {}
        }
    }

    fn iteration(&self) -> u32 {
        self.metrics.last().map_or(0, |last| last.iteration)
    }

    const fn activity(&self) -> &'static str {
        match self.phase {
            None => "done",
            Some(_) if self.is_leaving => "stopping",
            Some(RunPhase::SelfPlay) => "self-play",
            Some(RunPhase::Training) => "training",
            Some(RunPhase::Evaluation) => "evaluation",
        }
    }

    fn time_left(&self) -> String {
        match seconds_left(&self.metrics) {
            Some(seconds) => format!("{} left", time(seconds)),
            None => "time left unknown".to_owned(),
        }
    }

    /// All figures, with their names.
    fn figures(&self) -> Vec<(String, String)> {
        let mut figures = Vec::new();
        let mut add = |name: &str, value: String| figures.push((name.to_owned(), value));
        if let Some((last, before)) = self.metrics.split_last() {
            add("games", last.games.to_string());
            if let Some(speed) = SelfPlaySpeed::of(last, before.last()) {
                add("games/s", number(speed.games));
                add("positions/s", number(speed.positions));
            }
            if let Some(share) = training_share(last, before.last()) {
                add("training share", format!("{:.0} %", 100.0 * share));
            }
            if let Some(help) = last.worker_stats {
                add("workers", help.workers.to_string());
            }
            add("training steps", last.steps.to_string());
            add("time", time(last.seconds));
        }
        let left = seconds_left(&self.metrics);
        add("time left", left.map_or_else(|| "unknown".to_owned(), time));
        if let Some(last) = self.metrics.last() {
            if let Some(losses) = last.losses {
                add("policy loss", format!("{:.4}", losses.policy));
                add("value loss", format!("{:.4}", losses.value));
            }
            add("weights", last.weights_hash.clone());
        }
        let mut latest = self.metrics.iter().rev();
        if let Some(evaluation) = latest.find_map(|metrics| metrics.evaluation.as_ref()) {
            for (name, lines) in [
                ("policy lines lost", evaluation.policy_lines),
                ("search lines lost", evaluation.search_lines),
            ] {
                if let Some(lines) = lines {
                    add(name, format!("{} of {}", lines.lost, lines.lines));
                }
            }
            for result in &evaluation.baselines {
                add(&result.opponent, elo(result));
            }
        }
        figures
    }
}

/// Draws the view; only text on a screen too small for charts.
fn draw(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
        draw_plain(frame, area, state);
        return;
    }
    let rows = [Length(1), Length(1), Min(0), Length(1)];
    let [head, progress, body, keys] = Layout::vertical(rows).areas(area);
    let title = Line::from(vec![
        Span::styled(format!("{} ", state.game), Modifier::BOLD),
        Span::from(state.activity()),
    ]);
    frame.render_widget(title, head);
    let share = f64::from(state.iteration()) / f64::from(state.iterations.max(1));
    let mut label = format!("iteration {} of {}", state.iteration(), state.iterations);
    if state.phase.is_some() {
        label = format!("{label}, {}", state.time_left());
    }
    let gauge = Gauge::default()
        .ratio(share.clamp(0.0, 1.0))
        .label(label)
        .gauge_style(Style::new().fg(Color::Cyan).bg(Color::DarkGray));
    frame.render_widget(gauge, progress);
    if area.width >= WIDE.0 && area.height >= WIDE.1 {
        let columns = [Length(FIGURES_WIDTH), Min(0)];
        let [left, right] = Layout::horizontal(columns).areas(body);
        draw_figures(frame, left, state);
        draw_chart(frame, right, state);
    } else {
        draw_chart(frame, body, state);
    }
    let help = match state.phase {
        Some(_) => "Tab: next chart · q: stop and save",
        None => "Tab: next chart · q: quit",
    };
    let mut help = Line::styled(help, Modifier::DIM);
    if let Some(warning) = &state.warning {
        help.push_span(Span::styled(format!(" · {warning}"), Color::Yellow));
    }
    frame.render_widget(help, keys);
}

/// Draws the key figures as text.
fn draw_plain(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let (game, iteration, iterations) = (&state.game, state.iteration(), state.iterations);
    let (left, activity) = (state.time_left(), state.activity());
    let head = format!("{game} {iteration}/{iterations}\n{left}\n{activity}");
    let figures = state.figures().into_iter();
    let lines = figures.map(|(name, value)| format!("\n{name} {value}"));
    let text: String = iter::once(head).chain(lines).collect();
    frame.render_widget(Paragraph::new(text), area);
}

fn draw_figures(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let block = Block::new()
        .borders(Borders::RIGHT)
        .border_style(Modifier::DIM);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let width = usize::from(inner.width.saturating_sub(1));
    let lines = state.figures().into_iter().map(|(name, value)| {
        let gap = width.saturating_sub(name.chars().count() + value.chars().count());
        Line::from(vec![
            Span::styled(name, Modifier::DIM),
            Span::from(" ".repeat(gap.max(1))),
            Span::from(value),
        ])
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), inner);
}

fn draw_chart(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let curves = curves(state);
    let legend = legend_lines(state.chart, &curves, area.width);
    let legend_height = legend.len().min(MAX_LEGEND_HEIGHT) as u16;
    let rows = [Length(1), Length(legend_height), Min(0)];
    let [tabs, legend_area, below] = Layout::vertical(rows).areas(area);
    frame.render_widget(tab_line(state.chart), tabs);
    if curves.is_empty() {
        let below = Rect {
            y: legend_area.y,
            ..below
        };
        frame.render_widget(Paragraph::new("no data yet"), below);
        return;
    }
    frame.render_widget(Paragraph::new(legend), legend_area);
    let all = || curves.iter().flat_map(|curve| &curve.points);
    if all().next().is_none() {
        // No value is finite.
        return;
    }
    let [low, high] = bounds(all().map(|&(_, y)| y));
    // All charts span the same iterations.
    let first = state.metrics.first().map_or(1, |first| first.iteration);
    let last = state.iteration().max(first.saturating_add(1));
    let datasets = curves.iter().zip(COLOURS).map(|(curve, colour)| {
        let kind = match curve.points.len() {
            1 => GraphType::Scatter,
            _ => GraphType::Line,
        };
        let dataset = Dataset::default().marker(Marker::Braille).graph_type(kind);
        dataset.style(colour).data(&curve.points)
    });
    let axis = Axis::default().style(Modifier::DIM);
    let iterations = axis
        .clone()
        .bounds([first, last].map(f64::from))
        .labels([format!("{first}"), format!("iteration {last}")]);
    let values = axis
        .bounds([low, high])
        .labels([low, f64::midpoint(low, high), high].map(axis_number));
    let plot = Plot::new(datasets.collect())
        .legend_position(None)
        .x_axis(iterations)
        .y_axis(values);
    frame.render_widget(plot, below);
}

/// The titles of all charts, the current one in brackets.
fn tab_line(shown: Chart) -> Line<'static> {
    Line::from_iter(Chart::ALL.map(|chart| {
        let (title, _) = chart.title_and_unit();
        if chart == shown {
            Span::styled(format!("[{title}]"), Modifier::BOLD)
        } else {
            Span::styled(format!(" {title} "), Modifier::DIM)
        }
    }))
}

/// The name, colour and last value of each curve.
fn legend_lines(chart: Chart, curves: &[Curve], width: u16) -> Vec<Line<'static>> {
    let (_, unit) = chart.title_and_unit();
    let mut lines = Vec::new();
    let mut line = Line::styled(unit, Modifier::DIM);
    for (curve, colour) in curves.iter().zip(COLOURS) {
        let text = format!("{} {}", curve.name, curve.last);
        if line.width() + 2 + text.chars().count() > usize::from(width) {
            lines.push(mem::take(&mut line));
        } else {
            line.push_span("  ");
        }
        line.push_span(Span::styled(text, colour));
    }
    lines.push(line);
    lines
}

/// The range of an axis: round numbers around all values, and 0 unless it is far away.
fn bounds(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| {
        (y.min(low), y.max(high))
    });
    let is_near = low > 0.0 && low < 0.6 * high;
    let low = if is_near { 0.0 } else { low };
    let span = (high - low).max(1e-3 * high.abs()).max(1e-9);
    let step = 10_f64.powf(span.log10().floor()) / 2.0;
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    [low, if high > low { high } else { low + step }]
}

/// A short axis label.
fn axis_number(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        1e6.. => format!("{number:.1e}"),
        1e4.. => format!("{:.0}k", number / 1e3),
        10.0.. => format!("{number:.0}"),
        0.1.. => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}

/// A number of seconds as text.
fn time(seconds: f64) -> String {
    let time = Duration::try_from_secs_f64(seconds.max(0.0).round());
    duration_text(time.unwrap_or(Duration::MAX))
}
