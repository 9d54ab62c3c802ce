//! The full-screen view of a run: what is known of it, and one chart at a time.
//!
//! [`draw`] reads a [`State`] and writes into a buffer, nothing else. A [`Screen`]
//! has the terminal: it reads keys and draws again.

mod curves;
mod screen;
#[cfg(test)]
mod tests;

use open_ttt_learn::{Metrics, Phase, Proof, Speed, learning_share, seconds_left};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Borders, Chart as Plot, Dataset, Gauge, GraphType, Paragraph};

use curves::{Curve, curves, elo, number};
pub(super) use screen::Screen;

/// What is shown.
#[derive(Clone, Debug)]
struct State {
    /// The game, as it is asked for by name.
    game: String,
    /// How many iterations there will be.
    iterations: u32,
    /// The lines of the run, each of the iteration behind the one before.
    metrics: Vec<Metrics>,
    /// What it does at the moment; nothing once it is over.
    phase: Option<Phase>,
    /// Which chart is shown.
    chart: Chart,
    /// What was said last by those who play the games.
    remark: Option<String>,
    /// Whether somebody wants to leave.
    is_leaving: bool,
}

/// What can be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Chart {
    /// The errors of the network.
    #[default]
    Loss,
    /// The difference in Elo to each opponent.
    Strength,
    /// The share of moves that keep the result.
    BestMoves,
    /// Games for each second of playing.
    Speed,
}

/// The least that charts fit into.
const LEAST: (u16, u16) = (40, 12);

/// From here on, figures and a chart stand side by side.
const WIDE: (u16, u16) = (84, 18);

/// How wide the figures are beside a chart.
const FIGURES: u16 = 34;

/// The legend takes at most so many lines, so that a chart remains.
const LEGEND: usize = 2;

/// The colours of curves, in their order.
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

    const fn title(self) -> &'static str {
        match self {
            Self::Loss => "Loss",
            Self::Strength => "Strength",
            Self::BestMoves => "Best moves",
            Self::Speed => "Speed",
        }
    }

    /// What its numbers are.
    const fn unit(self) -> &'static str {
        match self {
            Self::Loss => "error",
            Self::Strength => "Elo",
            Self::BestMoves => "%",
            Self::Speed => "games/s",
        }
    }

    /// The chart so many places further on, in a ring.
    fn further(self, places: usize) -> Self {
        let place = Self::ALL.iter().position(|&chart| chart == self);
        Self::ALL[(place.unwrap_or(0) + places) % Self::ALL.len()]
    }
}

impl State {
    /// Does what a key is for: Tab shows the next chart, Shift and Tab the one
    /// before, `q` and Ctrl-C want to leave. Others are nothing.
    fn press(&mut self, key: KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        match key.code {
            KeyCode::Tab | KeyCode::Right => self.chart = self.chart.further(1),
            KeyCode::BackTab | KeyCode::Left => {
                self.chart = self.chart.further(Chart::ALL.len() - 1);
            }
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.is_leaving = true;
            }
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => self.is_leaving = true,
            _ => {}
        }
    }

    fn iteration(&self) -> u32 {
        self.metrics.last().map_or(0, |last| last.iteration)
    }

    /// What is going on, in a line.
    const fn doing(&self) -> &'static str {
        match self.phase {
            None => "done",
            Some(_) if self.is_leaving => "stopping",
            Some(Phase::Playing) => "playing",
            Some(Phase::Learning) => "learning",
            Some(Phase::Measuring) => "measuring",
        }
    }

    fn time_left(&self) -> String {
        match seconds_left(&self.metrics) {
            Some(seconds) => format!("{} left", time(seconds)),
            None => "time left unknown".to_owned(),
        }
    }

    /// The last that was found of its strength.
    fn proof(&self) -> Option<&Proof> {
        self.metrics
            .iter()
            .rev()
            .find_map(|metrics| metrics.proof.as_ref())
    }

    /// The last iteration's speed.
    fn speed(&self) -> Option<Speed> {
        let (last, before) = self.metrics.split_last()?;
        Speed::of(last, before.last())
    }

    /// How busy the learner was in the last iteration.
    fn learning_share(&self) -> Option<f64> {
        let (last, before) = self.metrics.split_last()?;
        learning_share(last, before.last())
    }

    /// All that is known, a line each: what it is and how much.
    fn figures(&self) -> Vec<(String, String)> {
        let mut figures = Vec::new();
        let mut tell = |name: &str, value: String| figures.push((name.to_owned(), value));
        if let Some(last) = self.metrics.last() {
            tell("games", last.games.to_string());
            if let Some(speed) = self.speed() {
                tell("games/s", number(speed.games));
                tell("positions/s", number(speed.positions));
            }
            if let Some(share) = self.learning_share() {
                tell("of it learning", format!("{:.0} %", 100.0 * share));
            }
            if let Some(help) = last.help {
                tell("workers", help.workers.to_string());
            }
            tell("steps", last.steps.to_string());
            tell("time", time(last.seconds));
        }
        tell(
            "left",
            seconds_left(&self.metrics).map_or_else(|| "unknown".to_owned(), time),
        );
        if let Some(losses) = self.metrics.last().and_then(|last| last.losses) {
            tell("policy error", format!("{:.4}", losses.policy));
            tell("value error", format!("{:.4}", losses.value));
        }
        if let Some(last) = self.metrics.last() {
            tell("weights", last.weights.clone());
        }
        if let Some(proof) = self.proof() {
            let lines = [
                ("policy loses", proof.policy_lines),
                ("search loses", proof.searching_lines),
            ];
            for (name, walk) in lines {
                if let Some(walk) = walk {
                    tell(name, format!("{} of {} lines", walk.lost, walk.lines));
                }
            }
            for strength in &proof.strength {
                tell(&strength.opponent, elo(strength));
            }
        }
        figures
    }
}

/// Draws the view on the whole of the screen; a few lines of text where it is too
/// small for charts.
fn draw(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        draw_plain(frame, area, state);
        return;
    }
    let rows = [
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
    ];
    let [head, progress, body, keys] = Layout::vertical(rows).areas(area);
    let title = Line::from(vec![
        Span::styled(format!("{} ", state.game), Modifier::BOLD),
        Span::from(state.doing()),
    ]);
    frame.render_widget(title, head);
    let share = f64::from(state.iteration()) / f64::from(state.iterations.max(1));
    let label = format!(
        "iteration {} of {}, {}",
        state.iteration(),
        state.iterations,
        match state.phase {
            Some(_) => state.time_left(),
            None => "over".to_owned(),
        }
    );
    let gauge = Gauge::default()
        .ratio(share.clamp(0.0, 1.0))
        .label(label)
        .gauge_style(Style::new().fg(Color::Cyan).bg(Color::DarkGray));
    frame.render_widget(gauge, progress);
    if area.width >= WIDE.0 && area.height >= WIDE.1 {
        let columns = [Constraint::Length(FIGURES), Constraint::Min(0)];
        let [left, right] = Layout::horizontal(columns).areas(body);
        draw_figures(frame, left, state);
        draw_chart(frame, right, state);
    } else {
        draw_chart(frame, body, state);
    }
    let help = match state.phase {
        Some(_) => "tab next chart · q stop and keep it",
        None => "tab next chart · q leave",
    };
    let mut help = Line::styled(help, Modifier::DIM);
    if let Some(remark) = &state.remark {
        help.push_span(Span::styled(format!(" · {remark}"), Color::Yellow));
    }
    frame.render_widget(help, keys);
}

/// The most important in a few lines, as many as there is room for.
fn draw_plain(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let mut lines = vec![
        format!("{} {}/{}", state.game, state.iteration(), state.iterations),
        state.time_left(),
        state.doing().to_owned(),
    ];
    let figures = state.figures().into_iter();
    lines.extend(figures.map(|(name, value)| format!("{name} {value}")));
    let lines: Vec<_> = lines.into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(lines), area);
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
    let rows = [
        Constraint::Length(1),
        Constraint::Length(legend.len().min(LEGEND) as u16),
        Constraint::Min(0),
    ];
    let [tabs, words, below] = Layout::vertical(rows).areas(area);
    frame.render_widget(tab_line(state.chart), tabs);
    if curves.is_empty() {
        let below = Rect {
            y: words.y,
            ..below
        };
        frame.render_widget(Paragraph::new("nothing was measured yet"), below);
        return;
    }
    frame.render_widget(Paragraph::new(legend), words);
    let all = || curves.iter().flat_map(|curve| &curve.points);
    if all().next().is_none() {
        // All that was measured is beyond any axis.
        return;
    }
    let [low, high] = bounds(all().map(|&(_, y)| y));
    // All charts reach as far, whatever was measured when.
    let first = state.metrics.first().map_or(1, |first| first.iteration);
    let last = state.iteration().max(first.saturating_add(1));
    let datasets = curves.iter().zip(COLOURS).map(|(curve, colour)| {
        let kind = match curve.points.len() {
            1 => GraphType::Scatter,
            _ => GraphType::Line,
        };
        Dataset::default()
            .marker(Marker::Braille)
            .graph_type(kind)
            .style(colour)
            .data(&curve.points)
    });
    let plot = Plot::new(datasets.collect())
        .legend_position(None)
        .x_axis(
            Axis::default()
                .style(Modifier::DIM)
                .bounds([f64::from(first), f64::from(last)])
                .labels([format!("{first}"), format!("iteration {last}")]),
        )
        .y_axis(
            Axis::default()
                .style(Modifier::DIM)
                .bounds([low, high])
                .labels([low, f64::midpoint(low, high), high].map(axis_number)),
        );
    frame.render_widget(plot, below);
}

/// The titles of all charts, the one that is shown in brackets.
fn tab_line(shown: Chart) -> Line<'static> {
    let spans = Chart::ALL.into_iter().map(|chart| {
        if chart == shown {
            Span::styled(format!("[{}]", chart.title()), Modifier::BOLD)
        } else {
            Span::styled(format!(" {} ", chart.title()), Modifier::DIM)
        }
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// What each colour means, on as many lines as that takes.
fn legend_lines(chart: Chart, curves: &[Curve], width: u16) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled(chart.unit(), Modifier::DIM)];
    for (curve, colour) in curves.iter().zip(COLOURS) {
        let text = format!("{} {}", curve.name, curve.last);
        let room = usize::from(width);
        let line = lines.last().map_or(0, Line::width);
        if line > 0 && line + 2 + text.chars().count() > room {
            lines.push(Line::default());
        }
        if let Some(line) = lines.last_mut() {
            if line.width() > 0 {
                line.push_span("  ");
            }
            line.push_span(Span::styled(text, Style::new().fg(colour)));
        }
    }
    lines
}

/// From a round number to a round number, with all of these between them, and
/// with 0 unless they are far from it.
fn bounds(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    let (low, high) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| {
        (y.min(low), y.max(high))
    });
    let low = if low > 0.0 && low < 0.6 * high {
        0.0
    } else {
        low
    };
    let step = 10_f64.powf(
        (high - low)
            .max(1e-3 * high.abs())
            .max(1e-9)
            .log10()
            .floor(),
    ) / 2.0;
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    [low, if high > low { high } else { low + step }]
}

/// A number beside an axis, in few letters.
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

/// A time in the two largest units there are of it.
fn time(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
