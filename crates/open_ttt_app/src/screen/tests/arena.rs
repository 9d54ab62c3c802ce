//! Matches between computers.

use std::time::{Duration, Instant};

use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use open_ttt_players::{MatchScore, MatchStatistics, PentanomialScore};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color as Ink;

use super::super::arena::{ArenaView, Watched};
use super::super::theme::Theme;
use super::{DARK, LIGHT, PLAIN, control, text};
use crate::{ArenaMatch, ArenaProgress};

fn progress() -> ArenaProgress<TicTacToe> {
    ArenaProgress::new(ArenaMatch {
        game: "ttt".to_owned(),
        a: "perfect".to_owned(),
        b: "random(seed=∞)".to_owned(),
        games: 200,
        is_tested: false,
    })
}

/// Counts games, of which A wins two, draws one and loses one in turn.
fn count(progress: &ArenaProgress<TicTacToe>, games: u32, test: Option<&str>) {
    let mut position = TicTacToe::new();
    let middle = position.parse_move("b2").expect("a move");
    position.play_unchecked(middle);
    for game in 1..=games {
        let score = MatchScore {
            wins: game.div_ceil(4) + (game + 2) / 4,
            draws: (game + 1) / 4,
            losses: game / 4,
        };
        assert_eq!(score.games(), game);
        let pairs = PentanomialScore::default();
        let statistics = MatchStatistics { score, pairs };
        progress.count(&statistics, &position, test.map(str::to_owned));
    }
}

fn drawn(
    progress: &ArenaProgress<TicTacToe>,
    theme: Theme,
    [width, height]: [u16; 2],
    now: Instant,
) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a buffer");
    let view = ArenaView::new(progress, theme);
    let frame = terminal.draw(|frame| view.draw(frame, now));
    frame.expect("a buffer").buffer.clone()
}

#[track_caller]
fn check_parts(shown: &str, parts: &[&str]) {
    for part in parts {
        assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
    }
}

#[test]
fn figures_chart_and_board() {
    let progress = progress();
    count(&progress, 100, None);
    let later = Instant::now() + Duration::from_secs(50);
    let shown = text(&drawn(&progress, DARK, [100, 30], later));
    check_parts(
        &shown,
        &[
            "ttt: perfect vs random(seed=∞)\n",
            " 100 of 200 games, ",
            "wins                          50",
            "draws                         25",
            "losses                        25",
            "score                     62.5 %",
            // 400 log10 (0.625 / 0.375), and by its standard error, 0.0415.
            "Elo difference               +89",
            "95 % interval        +30 to +152",
            "games/s                      2.0",
            "Elo difference and its 95 % interval\n",
            "100 games",
            "q stop and report  t light or dark",
            // The board, and the chart.
            "│  ███  │",
            "⠤",
        ],
    );
    assert!(
        shown.contains("49 s left") || shown.contains("50 s left"),
        "{shown}"
    );
}

#[test]
fn every_size_and_theme() {
    let now = Instant::now();
    for theme in [DARK, LIGHT, PLAIN] {
        for size in [[1, 1], [2, 3], [13, 9], [40, 15], [80, 24], [120, 40]] {
            for games in [0, 1, 3, 150] {
                let progress = progress();
                count(&progress, games, Some("LLR 0.5 (-2.9 to 2.9)"));
                let buffer = drawn(&progress, theme, size, now);
                let shown = text(&buffer);
                if theme == PLAIN {
                    let mut cells = buffer.content.iter();
                    let has_color = cells.any(|it| (it.fg, it.bg) != (Ink::Reset, Ink::Reset));
                    assert!(!has_color && shown.is_ascii(), "{size:?}\n{shown}");
                }
                if size >= [40, 15] {
                    check_parts(&shown, &["wins", "q stop"]);
                    assert_eq!(shown.contains("LLR 0.5 (-2.9 to 2.9)"), games > 0);
                }
                if size >= [80, 24] && games == 150 {
                    let is_braille = |it: char| ('\u{2801}'..='\u{28ff}').contains(&it);
                    let is_curve = |it: char| (theme.unicode && is_braille(it)) || it == '*';
                    assert!(shown.contains(is_curve), "{shown}");
                    check_parts(&shown, &["150 games"]);
                }
            }
        }
    }
}

#[test]
fn it_is_stopped_once_and_ended_the_second_time() {
    let progress = progress();
    let mut view = ArenaView::new(&progress, DARK);
    let key = |code| Event::Key(KeyEvent::new(code, KeyModifiers::NONE));
    assert_eq!(view.handle(&key(KeyCode::Char('x'))), Watched::Nothing);
    assert_eq!(view.handle(&key(KeyCode::Char('q'))), Watched::Stop);
    let shown = text(&drawn(&progress, DARK, [80, 24], Instant::now()));
    check_parts(&shown, &["0 of 200 games, stopping", "Ctrl-C end at once"]);
    // Who presses q twice may be impatient, but wants the report.
    assert_eq!(view.handle(&key(KeyCode::Char('q'))), Watched::Stop);
    assert_eq!(view.handle(&control('c')), Watched::Quit);
    assert!(!view.is_over() && !progress.finishes_within(Duration::ZERO));
    progress.finish();
    assert!(view.is_over() && progress.finishes_within(Duration::ZERO));
}
