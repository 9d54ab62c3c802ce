//! The screen at every size.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use open_ttt_learn::training::Losses;
use open_ttt_learn::{Accuracy, BaselineResult, Evaluation, PhaseTimes, WorkerStats};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;

use super::*;

fn metrics(iteration: u32) -> Metrics {
    let number = f64::from(iteration);
    Metrics {
        iteration,
        iterations: 40,
        games: 1000 * u64::from(iteration),
        positions: 7000,
        steps: 50 * u64::from(iteration),
        losses: Some(Losses {
            policy: 1.6 / number,
            value: 0.8 / number,
            auxiliary: 0.01,
        }),
        seconds: 6.0 * number,
        times: PhaseTimes {
            self_play: 4.0 * number,
            training: number,
            evaluation: number,
        },
        weights_hash: format!("{iteration:016x}"),
        ..Metrics::default()
    }
}

/// Twenty of forty iterations, with evaluations of the tenth and the last.
fn run() -> State {
    let mut metrics: Vec<_> = (1..=20).map(metrics).collect();
    for (index, wins) in [(9, 50), (19, 80)] {
        let result = |opponent: &str, losses, elo| BaselineResult {
            opponent: opponent.to_owned(),
            wins,
            draws: 0,
            losses,
            elo,
        };
        let accuracy = Accuracy {
            correct: 900 + wins,
            total: 1000,
            critical_correct: 700,
            critical_total: 800,
        };
        metrics[index].evaluation = Some(Evaluation {
            baselines: vec![
                result("random", 0, None),
                result("tree search 100", 20, Some([f64::from(wins), 12.0, 131.0])),
            ],
            policy: Some(accuracy),
            ..Evaluation::default()
        });
    }
    State {
        game: "ttt".to_owned(),
        iterations: 40,
        metrics,
        phase: Some(RunPhase::Training),
        ..State::default()
    }
}

/// The screen as lines of text.
fn screen(state: &State, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, state)).unwrap();
    let buffer = terminal.backend().buffer();
    let lines = buffer.content().chunks(usize::from(width));
    lines
        .map(|line| line.iter().map(Cell::symbol).collect())
        .collect()
}

#[track_caller]
fn check(state: &State, (width, height): (u16, u16), expected: &[&str]) {
    contains(&screen(state, width, height).join("\n"), expected);
}

#[track_caller]
fn contains(screen: &str, expected: &[&str]) {
    for text in expected {
        assert!(screen.contains(text), "{text} is not in\n{screen}");
    }
}

/// Whether a cell has a part of a curve.
fn is_dot(cell: char) -> bool {
    ('\u{2801}'..='\u{28ff}').contains(&cell)
}

/// The number of cells with a part of a curve.
fn dots(state: &State, width: u16, height: u16) -> usize {
    let screen = screen(state, width, height).concat();
    screen.chars().filter(|&cell| is_dot(cell)).count()
}

/// The screen without repeated spaces.
fn squeezed(state: &State) -> String {
    let screen = screen(state, 120, 30).join(" ");
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

const SIZES: [(u16, u16); 3] = [(40, 12), (80, 24), (200, 60)];

#[test]
fn every_size_shows_progress_and_chart() {
    let expected = [
        "ttt training",
        "iteration 20 of 40",
        "[Loss]",
        "policy 0.0800",
        "value 0.0400",
        "loss",
        "Tab: next chart · q: stop and save",
    ];
    for size in SIZES {
        check(&run(), size, &expected);
        assert!(dots(&run(), size.0, size.1) > 10);
    }
}

#[test]
fn a_wide_screen_shows_figures_beside_the_chart() {
    let expected = [
        "games 20000",
        "games/s 250",
        "positions/s 1750",
        "time 2 min 0 s",
        "time left 2 min 0 s",
        "random won all",
        "tree search 100 +80 (+12..+131)",
    ];
    contains(&squeezed(&run()), &expected);
}

#[test]
fn each_chart_shows_its_axis_and_last_values() {
    let mut state = run();
    let charts = [
        "[Loss]|2.00|1.00|iteration 20",
        "[Strength]|Elo|random won all|+80 (+12..+131)|iteration 20",
        "[Best moves]|%|policy 98.0|policy, critical 87.5",
        "[Speed]|games/s 250",
    ];
    for size in SIZES {
        for expected in charts {
            check(&state, size, &expected.split('|').collect::<Vec<_>>());
            state.press(KeyEvent::from(KeyCode::Tab));
        }
    }
    state.press(KeyEvent::from(KeyCode::BackTab));
    assert_eq!(state.chart, Chart::Speed);
}

#[test]
fn a_curve_follows_its_values() {
    let screen = screen(&run(), 80, 24);
    let first_dot = |line: &String| line.chars().position(is_dot);
    let from_top: Vec<_> = screen.iter().filter_map(first_dot).collect();
    assert!(from_top.len() > 5);
    let (upper, lower) = from_top.split_at(from_top.len() / 2);
    assert!(upper.iter().max() <= lower.iter().max());
    // The first iteration's loss, 1.6 of 2, is a fifth of the way down.
    let first = screen
        .iter()
        .position(|line| line.contains(is_dot))
        .unwrap();
    assert!((4..=8).contains(&first), "{first}");
}

#[test]
fn small_screens_show_text() {
    let expected = ["ttt 20/40", "2 min 0 s left", "training", "games 20000"];
    check(&run(), (30, 5), &expected);
    assert_eq!(dots(&run(), 39, 30) + dots(&run(), 80, 11), 0);
    for size in [(1, 1), (3, 2), (39, 12), (40, 11)] {
        assert_eq!(screen(&run(), size.0, size.1).len(), usize::from(size.1));
    }
}

#[test]
fn missing_data_is_reported() {
    let mut state = run();
    state.metrics.clear();
    state.phase = Some(RunPhase::SelfPlay);
    for chart in Chart::ALL {
        state.chart = chart;
        let expected = ["iteration 0 of 40, time left unknown", "no data yet"];
        check(&state, (40, 12), &expected);
    }
    state.chart = Chart::Loss;
    state.metrics = vec![metrics(1)];
    let expected = ["iteration 1 of 40, 3 min 54 s left", "policy 1.6000"];
    check(&state, (80, 24), &expected);
    assert!(dots(&state, 80, 24) > 0);
}

#[test]
fn bad_numbers_draw_nothing() {
    let mut state = run();
    for (index, bad) in (16..).zip([f64::NAN, f64::INFINITY, -1.0, 1e300]) {
        let metrics = &mut state.metrics[index];
        metrics.losses = Some(Losses {
            policy: bad,
            value: bad,
            auxiliary: bad,
        });
        metrics.seconds = bad;
        metrics.times.self_play = bad;
        for chart in Chart::ALL {
            state.chart = chart;
            check(&state, (80, 24), &["iteration 20 of 40"]);
        }
    }
}

#[test]
fn keys_ask_to_leave() {
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    for key in [KeyCode::Char('q').into(), control_c] {
        let mut state = run();
        state.press(KeyEvent::from(KeyCode::Char('c')));
        assert!(!state.is_leaving);
        state.press(key);
        assert!(state.is_leaving);
        check(&state, (80, 24), &["ttt stopping"]);
    }
}

#[test]
fn workers_and_warnings_are_shown() {
    let mut state = run();
    state.warning = Some("worker \"ada\" is banned".to_owned());
    state.metrics[19].worker_stats = Some(WorkerStats {
        workers: 3,
        ..WorkerStats::default()
    });
    let warning = "worker \"ada\" is banned";
    let expected = ["training share 20 %", "workers 3", warning];
    contains(&squeezed(&state), &expected);
}

#[test]
fn a_finished_run_waits_for_a_key() {
    let mut state = run();
    state.phase = None;
    for size in SIZES {
        check(&state, size, &["ttt done", "Tab: next chart · q: quit"]);
    }
}
