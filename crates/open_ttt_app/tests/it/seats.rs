//! Who plays: people, computers, and both in turn.

use std::cell::{Cell, RefCell};
use std::io::{self, BufReader, Read};
use std::rc::Rc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use open_ttt_app::{App, Games, Opponent, Seat};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{Side, play_text};

use crate::players::{
    Event, Failing, FirstMove, Gated, Panicker, Resigner, SameMove, first_move_opponent,
};
use crate::sessions::{INPUT_ENDED, app, check_contains, game, play_app};

#[test]
fn players_take_turns_having_the_first_move() {
    let app = app().seat(Side::Second, Seat::Computer(first_move_opponent()));
    let output = play_app(&app, "b1\nb2\nb3\ny\nb2\na3\ny\nb1\nquit\n");
    check_contains(
        &output,
        &[
            "X turn\nPossible moves",
            "> b1\n",
            "O turn\nO plays a1\n",
            "X wins\nPlay again? (y/n)\n> y\n\nComputer is X and goes first\n\n",
            "X turn\nX plays a1\n",
            "O turn\nPossible moves",
            "> b2\n",
            "X plays b1\n",
            "> a3\n",
            "X plays c1\n",
            "X wins\nScore: You 1, Computer 1, draws 0\n",
            "> y\n\nYou are X and go first\n\n",
            "> b1\n",
            "O plays a1\n",
        ],
    );
    let computers = app.seat(Side::First, Seat::Computer(first_move_opponent()));
    let output = play_app(&computers, "y\nn\n");
    check_contains(
        &output,
        &[
            "X wins\n",
            "Computer 2 is X and goes first\n",
            "X wins\nScore: Computer 1 1, Computer 2 1, draws 0\n",
        ],
    );
}

#[test]
fn players_are_chosen_at_the_start() {
    let asked = App::new(TicTacToe::new())
        .names(["White", "Black"])
        .opponent(first_move_opponent());
    let output = play_app(&asked, "human\n C \na1\nquit\n");
    check_contains(
        &output,
        &[
            "White: human or computer? (h/c)\n> human\n\n",
            "Black: human or computer? (h/c)\n> C\n\n",
            "White turn\n",
            "Black turn\nBlack plays b1\n",
            "White turn\n",
        ],
    );
    let asked = asked.opponent(Opponent::new("Resigner", || Box::new(Resigner)));
    let output = play_app(&asked, "c\n0\n3\nresigner\nc\n1\nn\n");
    check_contains(
        &output,
        &[
            "Which computer?\n1 first move\n2 Resigner\n> 0\n\"0\" isn't on the list. Type a number from 1 to 2.\n> 3\n",
            "> resigner\n",
            "White turn\nWhite resigns\nBlack wins\nPlay again?",
        ],
    );
    let seated = app()
        .opponent(first_move_opponent())
        .seat(Side::First, Seat::Computer(first_move_opponent()))
        .seat(Side::Second, Seat::Human);
    let output = play_app(&seated, "");
    assert!(!output.contains("human or computer"));
    check_contains(
        &output,
        &["X turn\nX plays a1\n", "O turn\nPossible", INPUT_ENDED],
    );
}

#[test]
fn every_game_has_a_default_computer() {
    let output = play_app(&App::new(game("pegs")), "h\nc\nA\nquit\n");
    check_contains(
        &output,
        &[
            "Red: human or computer? (h/c)",
            "White: human or computer? (h/c)",
            "White turn\nWhite plays ",
            "Red turn\n",
        ],
    );
}

#[test]
fn two_computers_play_alone() {
    let both = app()
        .greeting("")
        .games(Games::One)
        .seat(Side::First, Seat::Computer(first_move_opponent()))
        .seat(Side::Second, Seat::Computer(first_move_opponent()));
    let output = play_app(&both, "");
    assert!(output.starts_with("   +---+"), "{output}");
    check_contains(
        &output,
        &[
            "X plays a1",
            "O plays b1",
            "X plays a3\n",
            "X wins\nGoodbye\n",
        ],
    );
}

#[track_caller]
fn check_failing(opponent: Opponent<TicTacToe>, script: &str, parts: &[&str]) {
    let app = app().seat(Side::Second, Seat::Computer(opponent));
    let output = play_app(&app, script);
    check_contains(&output, parts);
    assert!(output.ends_with("> n\nGoodbye\n"), "{output}");
    assert!(!output.contains('\u{1b}'));
}

#[test]
fn computers_that_fail_end_the_game() {
    let abandoned = "The game is abandoned and doesn't count.\nPlay again?";
    check_failing(
        Opponent::new("panicker", || Box::new(Panicker)),
        "a1\ny\nn\n",
        &[
            "O can't continue: the player panicked: boom\\u{1b}[2J.\n",
            abandoned,
            "> y\n",
            "X can't continue: the player panicked: boom\\u{1b}[2J.\n",
            abandoned,
        ],
    );
    check_failing(
        Opponent::new("failing", || Box::new(Failing::default())),
        "a1\ny\nn\n",
        &[
            "O can't continue: connection lost\\u{7}.\n",
            abandoned,
            "> y\n",
            "X can't continue: connection lost\\u{7}.\n",
            abandoned,
        ],
    );
    check_failing(
        Opponent::new("same move", || Box::new(SameMove("a1"))),
        "a1\ny\nb1\nn\n",
        &[
            "O forfeits after 3 illegal moves, the last one a1: that place is already taken\n\
             X wins\nPlay again?",
            "X forfeits after 3 illegal moves, the last one a1: that place is already taken\n\
             O wins\nScore: You 2, Computer 0, draws 0\n",
        ],
    );
    check_failing(
        Opponent::new("resigner", || Box::new(Resigner)),
        "a1\ny\nn\n",
        &[
            "O resigns\nX wins\n",
            "X resigns\nO wins\n",
            "Score: You 2, Computer 0, draws 0\n",
        ],
    );
}

#[test]
fn a_computer_that_cannot_be_created_is_created_for_the_next_game() {
    let attempts = Rc::new(Cell::new(0));
    let counter = Rc::clone(&attempts);
    let opponent = Opponent::fallible("late", move || {
        counter.set(counter.get() + 1);
        match counter.get() {
            1 => Err("no such file\u{7}"),
            _ => Ok(Box::new(FirstMove) as _),
        }
    });
    let app = app().seat(Side::Second, Seat::Computer(opponent));
    let output = play_app(&app, "y\nquit\n");
    check_contains(
        &output,
        &[
            "O can't play: no such file\\u{7}.\nThe game is abandoned",
            "> y\n",
            "X plays a1\n",
        ],
    );
    assert_eq!(attempts.get(), 2);
}

/// Types a1 after the computer has finished its search of the position after it,
/// and then ends the input.
struct WaitForPondering(Receiver<Event<TicTacToe>>);

impl Read for WaitForPondering {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const HANG_GUARD: Duration = Duration::from_mins(10);
        let mut after_a1 = TicTacToe::new();
        play_text(&mut after_a1, "a1").expect("a1 is legal");
        loop {
            match self.0.recv_timeout(HANG_GUARD) {
                Ok(event) if event == Event::Finished(after_a1) => break,
                Ok(Event::Started(game)) if game.plies() > 1 => return Ok(0),
                Ok(_) => {}
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        buffer[..3].copy_from_slice(b"a1\n");
        Ok(3)
    }
}

#[test]
fn the_computer_ponders_while_a_person_is_to_move() {
    let (player, open, events) = Gated::new();
    // It can finish one search, which is the one of a1.
    open.send(()).expect("the player exists");
    let player = RefCell::new(Some(player));
    let opponent = Opponent::fallible("gated", move || match player.take() {
        Some(player) => Ok(Box::new(player) as _),
        None => Err("the player has been taken"),
    });
    let app = app().seat(Side::Second, Seat::Computer(opponent));
    let mut output = Vec::new();
    app.run_with(BufReader::new(WaitForPondering(events)), &mut output)
        .expect("the computer finishes its search");
    let output = String::from_utf8(output).expect("the transcript is UTF-8");
    check_contains(
        &output,
        &["> a1\n", "O plays b1\n", "X turn\n", INPUT_ENDED],
    );
}
