use std::cell::{Cell, RefCell};
use std::io::{self, BufReader, Read, Write};
use std::rc::Rc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use open_ttt_app::draw::Size;
use open_ttt_app::{App, Games, Opponent, Seat};
use open_ttt_lib::games::{Mnk, Pegs, TicTacToe};
use open_ttt_lib::rules::{Drawing, Notation, Side, play_text};

use crate::players::{Bomb, Event, Gated, Hasty, Stubborn, Timid, hasty};

const GOODBYE: &str = "Goodbye\n";
const ENDED: &str = "> \nThe input has ended, and so does the game\n";

/// What a game's app writes when this is typed.
pub(crate) fn play<G>(game: G, script: impl AsRef<[u8]>) -> String
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    play_app(&people(game), script)
}

/// An app in which people play both sides.
pub(crate) fn people<G>(game: G) -> App<G>
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    App::new(game)
        .seat(Side::First, Seat::Human)
        .seat(Side::Second, Seat::Human)
}

pub(crate) fn play_app<G>(app: &App<G>, script: impl AsRef<[u8]>) -> String
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    let mut output = Vec::new();
    app.run_with(script.as_ref(), &mut output)
        .expect("nothing fails");
    String::from_utf8(output).expect("an app writes text")
}

fn app() -> App<TicTacToe> {
    people(TicTacToe::new())
}

#[track_caller]
fn check_contains(output: &str, parts: &[&str]) {
    let mut rest = output;
    for part in parts {
        let Some(at) = rest.find(part) else {
            panic!("{part:?} is not in the rest of\n{output}");
        };
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn a_whole_session() {
    let expected = "Write help wherever you do not know what to write

   +---+---+
 2 |   |   |
   +---+---+
 1 |   |   |
   +---+---+
     a   b

X turn
Possible moves: a1 b1 a2 b2
Coordinates to play? (e.g., a1)
> a1

   +---+---+
 2 |   |   |
   +---+---+
 1 | X |   |
   +---+---+
     a   b

O turn
Possible moves: b1 a2 b2
Coordinates to play? (e.g., b1)
> A 2

   +---+---+
 2 | O |   |
   +---+---+
 1 | X |   |
   +---+---+
     a   b

X turn
Possible moves: b1 b2
Coordinates to play? (e.g., b1)
> b2

   +---+---+
 2 | O | X |
   +---+---+
 1 | X |   |
   +---+---+
     a   b

X wins
Another game? (y/n)
> n
Goodbye
";
    let game = Mnk::new(2, 2, 2).expect("there is such a board");
    assert_eq!(play(game, "a1\nA 2\nb2\nn\n"), expected);
}

#[test]
fn a_draw_ends_with_the_last_move_played_by_itself() {
    let output = play(TicTacToe::new(), "a1\nb2\nc3\nb1\nb3\na3\nc1\nc2\nno\n");
    check_contains(
        &output,
        &[
            "O turn\nPossible moves: a2 c2\n",
            "> c2\n",
            "X turn\nOnly a2 is left, and it is played by itself\n\n",
            " 2 | X | O | O |",
            "Draw\nAnother game? (y/n)\n> no\nGoodbye\n",
        ],
    );
}

#[test]
fn a_single_move_that_does_not_end_the_game_is_asked_for() {
    let game = Mnk::new(1, 1, 1).expect("there is such a board");
    assert!(play(game, "n\n").contains("Only a1 is left, and it is played by itself\n"));
    // On the last peg but with two places left.
    let output = play(
        Pegs::new(),
        "A\nA\nA\nB\nB\nB\nC\nC\nC\nD\nD\nD\nE\nE\nE\nF\nF\nF\nG\nG\nG\nH\nH\nn\n",
    );
    check_contains(
        &output,
        &[
            "Possible moves: H\n",
            "Possible moves: H\n",
            "Only H is left",
        ],
    );
}

#[test]
fn points_are_told() {
    let moves = "A\nB\nC\nD\nE\nF\nG\nH\n".repeat(3);
    // The last of the 24 is played by itself.
    let script = moves.strip_suffix("H\n").expect("the last move is H");
    let output = play(Pegs::new(), script);
    check_contains(
        &output,
        &["          R: 9           W: 9\n\nDraw, 9 to 9\n"],
    );
    let script = "A\nB\nA\nB\nA\nB\nC\nD\nC\nD\nC\nE\nD\nE\nF\nE\nF\nG\nF\nG\nH\nG\nH\n";
    let output = play(Pegs::new(), script);
    check_contains(&output, &["R: 3           W: 5\n\nWhite wins 5 to 3\n"]);
}

#[test]
fn nonsense_and_impossible_moves_are_told_and_asked_again() {
    let output = play(
        TicTacToe::new(),
        b"z\n1\n\n \t \n\0\x1b[2J\n\xff\xfe\nb2\nB2\nq\n",
    );
    check_contains(
        &output,
        &[
            "> z\n\"z\" is not a move; write a column from a to c and a row from 1 to 3, as in a1\n> 1\n\"1\" is not",
            "> \n\"\" is not a move",
            "> \n\"\" is not a move",
            "> \\0\\u{1b}[2J\n\"\\0\\u{1b}[2J\" is not a move",
            "> ...\nThat line is not text in UTF-8\n",
            "> b2\n",
            "> B2\nImpossible move b2: that place is already taken\n",
            "> q\nGoodbye\n",
        ],
    );
    assert!(!output.contains(|c: char| c.is_control() && c != '\n'));
}

#[test]
fn a_letter_that_is_a_move_is_no_command() {
    // Peg H is neither help nor a human.
    let output = play(Pegs::new(), "h\nq\n");
    check_contains(&output, &["> h\n\n", "White turn\n", "> q\nGoodbye\n"]);
}

#[test]
fn words_are_understood_at_every_prompt() {
    let two = || {
        App::new(TicTacToe::new())
            .opponent(hasty())
            .opponent(hasty())
    };
    let output = play_app(&two(), "help\nc\n?\nquit\n");
    check_contains(
        &output,
        &["Write h if", "Write the number", "> quit\nGoodbye\n"],
    );
    let output = play(TicTacToe::new(), " HELP \nboard\nExit\n");
    check_contains(
        &output,
        &[
            "> HELP\nWrite a move, such as a1, or one of",
            "> board\n\n   +---+",
            "> Exit\nGoodbye\n",
        ],
    );
    let output = play(TicTacToe::new(), "a1\nb1\na2\nb2\na3\nhelp\nmaybe\nquit\n");
    check_contains(
        &output,
        &[
            "Write y for",
            "\"maybe\" is neither y nor n\n",
            "> quit\nGoodbye\n",
        ],
    );
}

#[test]
fn the_end_of_the_input_ends_the_session_anywhere() {
    let with_computers = || app().opponent(hasty()).opponent(hasty());
    for script in [
        "",
        "h\n",
        "c\n",
        "c\n1\n",
        "x\n",
        "h\nh\n",
        "h\nh\na1\n",
        "h\nc\n2\na1\n",
    ] {
        let output = play_app(&with_computers(), script);
        assert!(output.ends_with(ENDED), "{script:?}: {output}");
    }
    let output = play(TicTacToe::new(), "a1\nb1\na2\nb2\na3\n");
    check_contains(&output, &["X wins\nAnother game? (y/n)\n", ENDED]);
    // A last line need not be ended.
    assert!(play(TicTacToe::new(), "a1\nb1\na2\nb2\na3\nn").ends_with(GOODBYE));
}

#[test]
fn a_line_of_a_megabyte_is_passed_over() {
    let mut script = vec![b'a'; 1 << 20];
    script.extend(b"\nquit\n");
    let output = play(TicTacToe::new(), &script);
    check_contains(
        &output,
        &["> ...\nThat line is longer than 4096 bytes\n> quit\nGoodbye\n"],
    );
    let endless = vec![b'a'; 1 << 20];
    let output = play(TicTacToe::new(), endless);
    check_contains(&output, &["That line is longer", ENDED]);
    assert!(output.len() < 1000);
    // The longest line that is read is answered like any other.
    let spaces = format!("{:>4096}\nquit\n", "a1");
    assert!(play(TicTacToe::new(), spaces).contains("O turn\n"));
}

#[test]
fn a_move_can_be_taken_back() {
    let output = play(TicTacToe::new(), "undo\na1\nundo\nb2\nUndo\nc3\nquit\n");
    check_contains(
        &output,
        &[
            "X turn\n",
            "> undo\nThere is no move of yours to take back\n> a1\n",
            "O turn\n",
            "> undo\nThere is no move of yours to take back\n> b2\n",
            "X turn\n",
            // Back to X's own turn, before both moves.
            "> Undo\n\n   +---+---+---+\n 3 |   |   |   |\n   +---+---+---+\n 2 |   |   |   |\n",
            "X turn\nPossible moves: a1 b1 c1 a2 b2 c2 a3 b3 c3\n",
            "> c3\n",
            "O turn\nPossible moves: a1 b1 c1 a2 b2 c2 a3 b3\n",
        ],
    );
}

#[test]
fn a_move_against_the_computer_can_be_taken_back() {
    let app = app().seat(Side::Second, Seat::Computer(hasty()));
    let output = play_app(&app, "b1\nundo\na1\nquit\n");
    check_contains(
        &output,
        &[
            "O plays a1\n",
            "> undo\n",
            " 1 |   |   |   |",
            "> a1\n",
            "O plays b1\n",
        ],
    );
}

#[test]
fn a_series_is_counted() {
    let x_wins = "a1\nb1\na2\nb2\na3\n";
    let o_wins = "a1\nb1\na2\nb2\nc1\nb3\n";
    let script = format!("{x_wins}Y\n{x_wins}yes\n{o_wins}n\n");
    let output = play(TicTacToe::new(), script);
    check_contains(
        &output,
        &[
            "X wins\nAnother game? (y/n)\n> Y\n\n",
            "X wins\nSeries: X 2, O 0, draws 0\nAnother game? (y/n)\n> yes\n\n",
            "O wins\nSeries: X 2, O 1, draws 0\nAnother game? (y/n)\n> n\n",
        ],
    );
    let once = app().games(Games::One);
    let output = play_app(&once, x_wins);
    assert!(output.ends_with("X wins\nGoodbye\n"), "{output}");
}

#[test]
fn players_are_asked_for() {
    let asked = App::new(TicTacToe::new())
        .names(["White", "Black"])
        .opponent(hasty());
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
    let asked = asked.opponent(Opponent::new("Timid", || Box::new(Timid)));
    let output = play_app(&asked, "c\n0\n3\ntimid\nc\n1\nn\n");
    check_contains(
        &output,
        &[
            "Which computer?\n1 hasty\n2 Timid\n> 0\n\"0\" is no computer; write a number from 1 to 2\n> 3\n",
            "> timid\n",
            "White turn\nWhite resigns\nBlack wins\nAnother game?",
        ],
    );
    let seated = app()
        .opponent(hasty())
        .seat(Side::First, Seat::Computer(hasty()))
        .seat(Side::Second, Seat::Human);
    let output = play_app(&seated, "");
    assert!(!output.contains("human or computer"));
    check_contains(
        &output,
        &["X turn\nX plays a1\n", "O turn\nPossible", ENDED],
    );
}

#[test]
fn there_is_a_computer_for_any_game() {
    let output = play_app(&App::new(Pegs::new()), "h\nc\nA\nquit\n");
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
        .seat(Side::First, Seat::Computer(hasty()))
        .seat(Side::Second, Seat::Computer(hasty()));
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
fn check_failing(opponent: Opponent<TicTacToe>, parts: &[&str]) {
    let app = app().seat(Side::Second, Seat::Computer(opponent));
    let output = play_app(&app, "a1\ny\na1\nn\n");
    check_contains(&output, parts);
    check_contains(&output, parts);
    assert!(output.ends_with("> n\nGoodbye\n"), "{output}");
    assert!(!output.contains('\u{1b}'));
}

#[test]
fn computers_that_fail_end_the_game() {
    let broken_off = "The game is broken off and does not count\nAnother game?";
    check_failing(
        Opponent::new("bomb", || Box::new(Bomb)),
        &[
            "O has broken down: the player panicked: boom\\u{1b}[2J\n",
            broken_off,
            "> y\n",
            broken_off,
        ],
    );
    check_failing(
        Opponent::new("stubborn", || Box::new(Stubborn("a1"))),
        &[
            "O has answered 3 times with an illegal move, at last a1 (that place is already taken)\n\
             X wins\nAnother game?",
            "Series: X 2, O 0, draws 0\n",
        ],
    );
    check_failing(
        Opponent::new("timid", || Box::new(Timid)),
        &["O resigns\nX wins\n", "Series: X 2, O 0, draws 0\n"],
    );
}

#[test]
fn a_computer_that_cannot_be_made_ends_the_game_and_is_tried_again() {
    let made = Rc::new(Cell::new(0));
    let counter = Rc::clone(&made);
    let opponent = Opponent::fallible("late", move || {
        counter.set(counter.get() + 1);
        match counter.get() {
            1 => Err("no such file\u{7}"),
            _ => Ok(Box::new(Hasty) as _),
        }
    });
    let app = app().seat(Side::Second, Seat::Computer(opponent));
    let output = play_app(&app, "y\na1\nquit\n");
    check_contains(
        &output,
        &[
            "O cannot play: no such file\\u{7}\nThe game is broken off",
            "> y\n",
            "O plays b1\n",
        ],
    );
    assert_eq!(made.get(), 2);
}

#[test]
fn long_lists_of_moves_are_shortened() {
    let board = |columns, rows| Mnk::new(columns, rows, 5).expect("there is such a board");
    let output = play(board(15, 15), "quit\n");
    check_contains(
        &output,
        &[
            "    a b c",
            "Possible moves: a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 and 215 more\n",
        ],
    );
    let thirty = "a5 b5 c5 d5 e5 a6 b6 c6 d6 e6\n";
    check_contains(&play(board(5, 6), ""), &["Possible moves: a1 ", thirty]);
    let more = "Possible moves: a1 b1 c1 d1 e1 f1 a2 b2 c2 d2 and 26 more\n";
    check_contains(&play(board(6, 6), ""), &[more]);
}

#[test]
fn the_board_suits_the_terminal() {
    let app = |size| people(Mnk::new(15, 15, 5).expect("there is such a board")).size(size);
    let large = Size {
        columns: 100,
        rows: 50,
    };
    assert!(play_app(&app(large), "").contains("    +---+"));
    let narrow = Size {
        columns: 20,
        rows: 50,
    };
    let output = play_app(&app(narrow), "");
    check_contains(
        &output,
        &["This board is 33 columns wide, more than the 20 of the terminal\n 15 ."],
    );
}

/// A person who plays a1 once the computer has found its answer to that, and
/// then leaves.
struct Patient(Receiver<Event<TicTacToe>>);

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const HANGING: Duration = Duration::from_mins(1);
        let mut after_a1 = TicTacToe::new();
        play_text(&mut after_a1, "a1").expect("a1 is legal");
        loop {
            match self.0.recv_timeout(HANGING) {
                Ok(event) if event == Event::Answered(after_a1) => break,
                Ok(Event::Asked(game)) if game.plies() > 1 => return Ok(0),
                Ok(_) => {}
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        buffer[..3].copy_from_slice(b"a1\n");
        Ok(3)
    }
}

#[test]
fn the_computer_thinks_while_a_person_does() {
    let (player, open, events) = Gated::new();
    // It may answer once, and does so before a1 is played.
    open.send(()).expect("the player lives");
    let player = RefCell::new(Some(player));
    let opponent = Opponent::fallible("gated", move || match player.take() {
        Some(player) => Ok(Box::new(player) as _),
        None => Err("there is only one"),
    });
    let app = app().seat(Side::Second, Seat::Computer(opponent));
    let mut output = Vec::new();
    app.run_with(BufReader::new(Patient(events)), &mut output)
        .expect("the computer has answered in time");
    let output = String::from_utf8(output).expect("an app writes text");
    check_contains(&output, &["> a1\n", "O plays b1\n", "X turn\n", ENDED]);
}

/// Fails with this kind of error after so many bytes.
struct Failing(usize, io::ErrorKind);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(self.1.into());
        }
        let written = bytes.len().min(self.0);
        self.0 -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.1.into())
    }
}

#[test]
fn a_reader_that_has_gone_away_is_no_failure() {
    let script = "a1\nb1\na2\nb2\na3\nn\n";
    let whole = play(TicTacToe::new(), script).len();
    for room in 0..whole {
        let pipe = Failing(room, io::ErrorKind::BrokenPipe);
        let ended = app().run_with(script.as_bytes(), pipe);
        assert!(ended.is_ok(), "after {room} bytes: {ended:?}");
    }
    let full = Failing(10, io::ErrorKind::StorageFull);
    let error = app()
        .run_with(script.as_bytes(), full)
        .expect_err("it is full");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    let input = BufReader::new(Failing(0, io::ErrorKind::PermissionDenied));
    let error = app().run_with(input, io::sink()).expect_err("it is locked");
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
}
