//! Hints, values and reviews.

use std::time::Instant;

use open_ttt_catalog::DynGame;
use open_ttt_coach::{GameValue, Judge, MoveValue, PositionValues, SolvedJudge, SolvedValue};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{Drawing, Notation, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, WinLoss};
use ratatui::crossterm::event::KeyCode;

use super::super::match_state::MatchState;
use super::views::check_file;
use super::{DARK, LIGHT, PLAIN, drawn, game, people, press, text, write};
use crate::App;

type Move = <TicTacToe as TwoPlayerGame>::Move;

/// An app whose judge knows everything about tic-tac-toe.
pub(super) fn tic_tac_toe() -> App<TicTacToe> {
    App::new(TicTacToe::new()).judge(|| Box::new(SolvedJudge::new(WinLoss, 1.0)))
}

/// Waits until the judge has found everything about what is on the screen.
pub(super) fn settle<G>(state: &mut MatchState<'_, G>)
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    while state.coach.is_working() {
        state.tick(Instant::now());
        std::thread::yield_now();
    }
}

#[test]
fn a_hint_shows_the_move_and_why_and_then_the_line() {
    let app = tic_tac_toe();
    let mut state = people(&app, "a1 b2 a2", DARK);
    write(&mut state, "h");
    assert!(state.patience(Instant::now()).is_some());
    settle(&mut state);
    assert_eq!(state.patience(Instant::now()), None, "the judge sleeps");
    let shown = text(&drawn(&mut state, [80, 24]));
    let sentence = "a3 stops X from winning there, threatens to win with c1 and is the only move";
    assert!(shown.contains(sentence), "{shown}");
    assert!(!shown.contains("Line: "), "{shown}");
    let cell = shown.lines().find(|line| line.contains("3 │"));
    assert!(
        cell.is_some_and(|line| line.contains("│   !   │")),
        "{shown}"
    );
    write(&mut state, "h");
    let shown = text(&drawn(&mut state, [80, 24]));
    assert!(shown.contains("that doesn't lose. Line: a3 c1 "), "{shown}");
    write(&mut state, "h");
    assert!(!text(&drawn(&mut state, [80, 24])).contains("a3 stops"));
    // The next position has no hint until it is asked for.
    write(&mut state, "h");
    write(&mut state, "a3");
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.game.moves().len(), 4);
    assert!(!state.coach.is_working());
    assert!(!text(&drawn(&mut state, [80, 24])).contains("stops"));
}

#[test]
fn a_review_isnt_hidden_by_a_hint() {
    let app = tic_tac_toe();
    let mut state = people(&app, "a1 b2", DARK);
    write(&mut state, "h");
    settle(&mut state);
    write(&mut state, "Ryr");
    settle(&mut state);
    let shown = text(&drawn(&mut state, [80, 24]));
    assert!(shown.contains("Accuracy: "), "{shown}");
}

#[test]
fn a_letter_of_the_game_is_pressed_with_ctrl() {
    let app = App::new(game("hex"));
    let mut state = people(&app, "", DARK);
    write(&mut state, "h");
    assert_eq!(
        (&*state.input.typed, state.coach.is_working()),
        ("h", false)
    );
    press(&mut state, KeyCode::Esc);
    state.handle(&super::control('h'));
    assert!(state.coach.is_working());
    assert!(text(&drawn(&mut state, [80, 24])).contains("Looking for a hint…"));
}

#[test]
fn values_are_on_the_board_and_in_the_list() {
    let app = tic_tac_toe();
    // X wins with a3 at once, and b3 stops O.
    let mut state = people(&app, "a1 b1 a2 b2", DARK);
    write(&mut state, "v");
    settle(&mut state);
    let shown = text(&drawn(&mut state, [80, 24]));
    for part in [
        "X's moves\n",
        "a3  wins in 1",
        "b3  draws",
        "c2  loses in 2",
        "│     +1    │",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
    // They follow the position, and end with a key.
    press(&mut state, KeyCode::Char('u'));
    settle(&mut state);
    let shown = text(&drawn(&mut state, [80, 24]));
    assert!(shown.contains("O's moves"), "{shown}");
    write(&mut state, "v");
    assert!(!text(&drawn(&mut state, [80, 24])).contains("O's moves"));
}

#[test]
fn the_bar_is_filled_as_much_as_the_first_side_can_expect() {
    let app = tic_tac_toe();
    // Without colours the parts are the sides' marks.
    for (moves, x, o) in [("", 10, 10), ("a1 b1 a2 b2", 20, 0), ("a1 b2 b1 c3", 20, 0)] {
        let mut state = people(&app, moves, PLAIN);
        write(&mut state, "v");
        settle(&mut state);
        let shown = text(&drawn(&mut state, [60, 24]));
        let count = |mark: &str| {
            let lines = shown.lines();
            lines
                .filter(|line| line.starts_with(&mark.repeat(2)))
                .count()
        };
        // A line of the note takes the place of one of the bar.
        let (x_lines, o_lines) = (count("X"), count("O"));
        assert_eq!(
            (x_lines > o_lines, x_lines == o_lines),
            (x > o, x == o),
            "{shown}"
        );
        assert!(x_lines + o_lines >= 19, "{shown}");
    }
}

#[test]
fn a_review_marks_moves_and_says_what_was_better() {
    let app = tic_tac_toe();
    let mut state = people(&app, "a1 b1 b2 c3 a3 c1 a2", DARK);
    assert_eq!(state.end_text(), Some("X wins"));
    write(&mut state, "r");
    assert!(state.coach.is_reviewing());
    assert!(text(&drawn(&mut state, [80, 24])).contains("Reviewing ░░"));
    settle(&mut state);
    let shown = text(&drawn(&mut state, [80, 24]));
    let shown = shown.replace('\n', " ");
    for part in [
        "2.b1?",
        "Accuracy: X 100 %, O ",
        "The game turned with move 2, O's b1.",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
    for _ in 0..5 {
        press(&mut state, KeyCode::Left);
    }
    let shown = text(&drawn(&mut state, [80, 24]));
    let remark = "b1 is a mistake: O loses in 6. Better: b2 ";
    assert!(shown.contains(remark), "{shown}");
    assert!(!shown.contains("Accuracy"), "{shown}");
    // Another game has no review.
    write(&mut state, "n");
    assert!(!text(&drawn(&mut state, [80, 24])).contains("mistake"));
    assert!(state.coach.review().is_none());
}

#[test]
fn a_review_goes_on_while_values_are_shown_and_hidden() {
    let app = tic_tac_toe();
    for keys in ["vrv", "rvv"] {
        let mut state = people(&app, "a1 b1 a2 b2 a3", DARK);
        write(&mut state, keys);
        press(&mut state, KeyCode::Left);
        assert!(state.coach.is_reviewing() && state.coach.is_working());
        settle(&mut state);
        let shown = text(&drawn(&mut state, [80, 24]));
        assert!(shown.contains("b2 is a good move"), "{shown}");
        // After it, values follow again.
        write(&mut state, "v");
        settle(&mut state);
        let shown = text(&drawn(&mut state, [80, 24]));
        assert!(shown.contains("a3  wins in 1"), "{keys}\n{shown}");
    }
}

#[test]
fn values_of_a_new_game_are_shown_when_a_review_is_given_up() {
    let app = tic_tac_toe();
    let mut state = people(&app, "a1 b1 a2 b2 a3", DARK);
    write(&mut state, "vr");
    // The position is the one that the new game begins with.
    press(&mut state, KeyCode::Home);
    write(&mut state, "n");
    settle(&mut state);
    let shown = text(&drawn(&mut state, [80, 24]));
    assert!(shown.contains("b2  draws"), "{shown}");
}

#[test]
fn values_of_a_game_that_is_over_follow_the_steps() {
    let app = tic_tac_toe();
    let mut state = people(&app, "a1 b1 a2 b2 a3", DARK);
    write(&mut state, "v");
    assert!(!state.coach.is_working(), "nothing is left to judge");
    press(&mut state, KeyCode::Left);
    assert!(state.coach.is_working());
    settle(&mut state);
    let shown = text(&drawn(&mut state, [80, 24]));
    assert!(shown.contains("a3  wins in 1"), "{shown}");
}

#[test]
fn estimates_fit_into_cells_of_every_size() {
    // Without a judge of its own a game has the tree search.
    let app = App::new(game("connect4"));
    for (size, theme) in [([80, 24], DARK), ([40, 15], LIGHT), ([120, 40], PLAIN)] {
        let mut state = people(&app, "4 4 3", theme);
        write(&mut state, "v");
        settle(&mut state);
        let shown = text(&drawn(&mut state, size));
        // O has to answer the two in a row: every other move loses soon.
        assert!(shown.contains('-'), "{shown}");
        assert_eq!(theme == PLAIN, shown.is_ascii(), "{shown}");
    }
}

/// Gives each move a value by its place in the list of moves: wins, draws, losses, estimates.
pub(super) struct ByNumber;

impl<G: TwoPlayerGame> Judge<G> for ByNumber {
    fn judge(
        &mut self,
        turn: &Turn<'_, G>,
        _: &Budget,
        _: &mut dyn FnMut(&PositionValues<G::Move>),
    ) -> PositionValues<G::Move> {
        let solved = |result, plies| SolvedValue::only(result).with_plies(Some(plies));
        let values = turn.game.moves().zip(0_u32..).map(|(m, number)| {
            let plies = 2 * number;
            match number % 5 {
                0 => MoveValue::proved(m, solved(GameValue::Win, plies + 1)),
                1 => MoveValue::proved(m, solved(GameValue::Draw, plies)),
                2 => MoveValue::proved(m, solved(GameValue::Loss, plies)),
                _ => MoveValue::estimated(m, 1.0 / f64::from(number), 0.02),
            }
        });
        let line = turn.game.moves().take(1).collect();
        PositionValues::new(values.collect(), line, 0)
    }
}

#[test]
fn screens_of_the_coach() {
    let values = |state: &mut MatchState<'_, DynGame>| {
        write(state, "v");
        settle(state);
    };
    let app = App::new(game("connect4")).judge(|| Box::new(ByNumber));
    check_file("coach_values", &app, "4 4 3 5 2 1", values);
    // Many small cells, and moves that go on from a piece.
    let app = App::new(game("mnk(m=15,n=15,k=5)")).judge(|| Box::new(ByNumber));
    check_file("coach_values_small", &app, "h8 i9", |state| {
        write(state, "v");
        settle(state);
    });
    let app = App::new(game("draughts")).judge(|| Box::new(ByNumber));
    check_file("coach_values_from", &app, "11-15 22-18", |state| {
        write(state, "v");
        settle(state);
    });
    let app = tic_tac_toe();
    check_file("coach_hint", &app, "a1 b2 a2", |state| {
        write(state, "hh");
        settle(state);
    });
    check_file("coach_review", &app, "a1 b1 b2 c3 a3 c1 a2", |state| {
        write(state, "r");
        settle(state);
        for _ in 0..5 {
            press(state, KeyCode::Left);
        }
    });
}

/// Reports once and then searches until it is stopped.
struct Patient;

impl Judge<TicTacToe> for Patient {
    fn judge(
        &mut self,
        turn: &Turn<'_, TicTacToe>,
        _: &Budget,
        report: &mut dyn FnMut(&PositionValues<Move>),
    ) -> PositionValues<Move> {
        let unknown = turn.game.moves();
        let unknown = unknown.map(|m| MoveValue::proved(m, SolvedValue::default()));
        let values = PositionValues::new(unknown.collect(), Vec::new(), 0);
        report(&values);
        while !turn.stop.is_raised() {
            std::thread::yield_now();
        }
        values
    }
}

#[test]
fn a_change_of_the_position_stops_the_search() {
    let app = App::new(TicTacToe::new()).judge(|| Box::new(Patient));
    let mut state = people(&app, "", DARK);
    write(&mut state, "v");
    while state.coach.values().is_none() {
        state.tick(Instant::now());
        std::thread::yield_now();
    }
    let shown = text(&drawn(&mut state, [80, 24]));
    assert!(shown.contains("X's moves …"), "{shown}");
    write(&mut state, "a1");
    press(&mut state, KeyCode::Enter);
    assert!(state.coach.values().is_none());
    // Dropping the state ends the search, too.
}

/// A judge that panics.
struct Broken;

impl Judge<TicTacToe> for Broken {
    fn judge(
        &mut self,
        _: &Turn<'_, TicTacToe>,
        _: &Budget,
        _: &mut dyn FnMut(&PositionValues<Move>),
    ) -> PositionValues<Move> {
        panic!("no idea");
    }
}

#[test]
fn a_judge_that_panics_is_reported_and_the_game_goes_on() {
    let app = App::new(TicTacToe::new()).judge(|| Box::new(Broken));
    let mut state = people(&app, "a1", DARK);
    write(&mut state, "v");
    settle(&mut state);
    let shown = text(&drawn(&mut state, [80, 24]));
    assert!(
        shown.contains("The moves can't be judged: no idea."),
        "{shown}"
    );
    write(&mut state, "b1");
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.game.moves().len(), 2);
}
