use std::cell::RefCell;
use std::io::{self, BufReader, Read, Write};
use std::rc::Rc;

use open_ttt_app::draw::Size;
use open_ttt_app::{App, Games, Seat};
use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{Drawing, History, Notation, Outcome, Side};
use open_ttt_players::Termination;

use crate::players::first_move_opponent;

pub(crate) const GOODBYE: &str = "Goodbye\n";
pub(crate) const INPUT_ENDED: &str = "> \nInput ended. Goodbye\n";

/// The start of a game by its name in the catalog.
pub(crate) fn game(name: &str) -> DynGame {
    let start = Catalog::bundled().game(name);
    start.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The transcript of a game between people with these answers.
pub(crate) fn play<G>(game: G, script: impl AsRef<[u8]>) -> String
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    play_app(&people(game), script)
}

/// An app with people on both sides.
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
        .expect("a buffer can be written");
    String::from_utf8(output).expect("the transcript is UTF-8")
}

pub(crate) fn app() -> App<TicTacToe> {
    people(TicTacToe::new())
}

#[track_caller]
pub(crate) fn check_contains(output: &str, parts: &[&str]) {
    let mut rest = output;
    for part in parts {
        let Some(at) = rest.find(part) else {
            panic!("{part:?} is missing in the rest of\n{output}");
        };
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn a_position_that_comes_back_ends_the_game() {
    let placed = "a1\nb2\nc3\na3\nc1\nb1\n";
    let there_and_back = "c3-c2\na3-a2\nc2-c3\na2-a3\n";
    let once = play(game("morris(men=3)"), format!("{placed}{there_and_back}"));
    assert!(!once.contains("come back"), "{once}");
    let twice = play(
        game("morris(men=3)"),
        format!("{placed}{there_and_back}{there_and_back}"),
    );
    check_contains(&twice, &["The same position has come back.\nDraw\n"]);
}

#[test]
fn a_side_that_moves_again_is_asked_again() {
    let start = game("dots(m=2,n=1)");
    let [first, second] = Side::BOTH.map(|side| format!("{} turn", start.side_name(side)));
    let box_closed = "a1-b1\na2-b2\na1-a2\nb1-b2\n";
    let output = play(start, format!("{box_closed}undo\n"));
    let turns = [
        &first, &second, &first, &second, // The box gives the turn back.
        &second, // The last move is undone.
        &second,
    ];
    check_contains(&output, &turns.map(String::as_str));
    let shown = output.matches(" turn\n").count();
    assert_eq!(shown, turns.len(), "{output}");
}

#[test]
fn a_whole_session() {
    let expected = "Type help at any time

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

Winning line: a1 b2
X wins
Play again? (y/n)
> n
Goodbye
";
    assert_eq!(play(game("mnk(m=2,n=2,k=2)"), "a1\nA 2\nb2\nn\n"), expected);
}

#[test]
fn the_last_move_of_a_draw_is_played_automatically() {
    let output = play(TicTacToe::new(), "a1\nb2\nc3\nb1\nb3\na3\nc1\nc2\nno\n");
    check_contains(
        &output,
        &[
            "O turn\nPossible moves: a2 c2\n",
            "> c2\n",
            "X turn\nOnly a2 is left, so it's played automatically.\n\n",
            " 2 | X | O | O |",
            "Draw\nPlay again? (y/n)\n> no\nGoodbye\n",
        ],
    );
}

#[test]
fn a_single_move_that_does_not_end_the_game_is_not_automatic() {
    let one = play(game("mnk(m=1,n=1,k=1)"), "n\n");
    assert!(one.contains("Only a1 is left, so it's played automatically.\n"));
    // On the last peg, with two places left.
    let output = play(
        game("pegs"),
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
fn points_are_printed() {
    let moves = "A\nB\nC\nD\nE\nF\nG\nH\n".repeat(3);
    // Move 24 is automatic.
    let script = moves.strip_suffix("H\n").expect("the last move is H");
    let output = play(game("pegs"), script);
    check_contains(
        &output,
        &["          R: 9           W: 9\n\nDraw, 9 to 9\n"],
    );
    let script = "A\nB\nA\nB\nA\nB\nC\nD\nC\nD\nC\nE\nD\nE\nF\nE\nF\nG\nF\nG\nH\nG\nH\n";
    let output = play(game("pegs"), script);
    check_contains(&output, &["R: 3           W: 5\n\nWhite wins 5 to 3\n"]);
}

#[test]
fn invalid_and_illegal_moves_are_rejected() {
    let output = play(
        TicTacToe::new(),
        b"z\n1\n\n \t \n\0\x1b[2J\n\xff\xfe\nb2\nB2\nq\n",
    );
    check_contains(
        &output,
        &[
            "> z\n\"z\" isn't a move; expected a column from a to c and a row from 1 to 3, as in a1.\n> 1\n\"1\" isn't",
            "> \n\"\" isn't a move",
            "> \n\"\" isn't a move",
            "> \\0\\u{1b}[2J\n\"\\0\\u{1b}[2J\" isn't a move",
            "> ...\nThat line isn't valid UTF-8.\n",
            "> b2\n",
            "> B2\nImpossible move b2: that place is already taken.\n",
            "> q\nGoodbye\n",
        ],
    );
    assert!(!output.contains(|c: char| c.is_control() && c != '\n'));
}

#[test]
fn a_letter_that_is_a_move_is_not_a_command() {
    // H is a peg, neither help nor a human.
    let output = play(game("pegs"), "h\nq\n");
    check_contains(&output, &["> h\n\n", "White turn\n", "> q\nGoodbye\n"]);
}

#[test]
fn help_and_quit_work_at_every_prompt() {
    let two = || {
        App::new(TicTacToe::new())
            .opponent(first_move_opponent())
            .opponent(first_move_opponent())
    };
    let output = play_app(&two(), "help\nc\n?\nquit\n");
    check_contains(
        &output,
        &["Type h for", "Type a number", "> quit\nGoodbye\n"],
    );
    let output = play(TicTacToe::new(), " HELP \nboard\nExit\n");
    check_contains(
        &output,
        &[
            "> HELP\nType a move, such as a1, or one of",
            "> board\n\n   +---+",
            "> Exit\nGoodbye\n",
        ],
    );
    let output = play(TicTacToe::new(), "a1\nb1\na2\nb2\na3\nhelp\nmaybe\nquit\n");
    check_contains(
        &output,
        &[
            "Type y to",
            "\"maybe\" isn't yes or no.\n",
            "> quit\nGoodbye\n",
        ],
    );
}

#[test]
fn the_end_of_input_ends_the_session_at_every_prompt() {
    let with_computers = || {
        app()
            .opponent(first_move_opponent())
            .opponent(first_move_opponent())
    };
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
        assert!(output.ends_with(INPUT_ENDED), "{script:?}: {output}");
    }
    let output = play(TicTacToe::new(), "a1\nb1\na2\nb2\na3\n");
    check_contains(&output, &["X wins\nPlay again? (y/n)\n", INPUT_ENDED]);
    // The last line needs no line feed.
    assert!(play(TicTacToe::new(), "a1\nb1\na2\nb2\na3\nn").ends_with(GOODBYE));
}

#[test]
fn a_line_of_a_megabyte_is_skipped() {
    let mut script = vec![b'a'; 1 << 20];
    script.extend(b"\nquit\n");
    let output = play(TicTacToe::new(), &script);
    check_contains(
        &output,
        &["> ...\nThat line is longer than 4096 bytes.\n> quit\nGoodbye\n"],
    );
    let endless = vec![b'a'; 1 << 20];
    let output = play(TicTacToe::new(), endless);
    check_contains(&output, &["That line is longer", INPUT_ENDED]);
    assert!(output.len() < 1000);
    // The longest accepted line.
    let spaces = format!("{:>4096}\nquit\n", "a1");
    assert!(play(TicTacToe::new(), spaces).contains("O turn\n"));
}

#[test]
fn a_move_can_be_undone() {
    let output = play(TicTacToe::new(), "undo\na1\nundo\nb2\nUndo\nc3\nquit\n");
    check_contains(
        &output,
        &[
            "X turn\n",
            "> undo\nNothing to undo yet.\n> a1\n",
            "O turn\n",
            "> undo\nNothing to undo yet.\n> b2\n",
            "X turn\n",
            // X is to move again, before both moves.
            "> Undo\n\n   +---+---+---+\n 3 |   |   |   |\n   +---+---+---+\n 2 |   |   |   |\n",
            "X turn\nPossible moves: a1 b1 c1 a2 b2 c2 a3 b3 c3\n",
            "> c3\n",
            "O turn\nPossible moves: a1 b1 c1 a2 b2 c2 a3 b3\n",
        ],
    );
}

#[test]
fn a_move_against_the_computer_can_be_undone() {
    let app = app().seat(Side::Second, Seat::Computer(first_move_opponent()));
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
fn a_series_has_a_score() {
    let x_wins = "a1\nb1\na2\nb2\na3\n";
    let o_wins = "a1\nb1\na2\nb2\nc1\nb3\n";
    let script = format!("{x_wins}Y\n{x_wins}yes\n{o_wins}n\n");
    let output = play(TicTacToe::new(), script);
    check_contains(
        &output,
        &[
            "X wins\nPlay again? (y/n)\n> Y\n\nPlayer 2 is X and goes first\n\n",
            "X wins\nScore: Player 1 1, Player 2 1, draws 0\n",
            "Play again? (y/n)\n> yes\n\nPlayer 1 is X and goes first\n\n",
            "O wins\nScore: Player 1 1, Player 2 2, draws 0\nPlay again? (y/n)\n> n\n",
        ],
    );
    let once = app().games(Games::One);
    let output = play_app(&once, x_wins);
    assert!(output.ends_with("X wins\nGoodbye\n"), "{output}");
}

#[test]
fn long_lists_of_moves_are_shortened() {
    let board = |columns, rows| game(&format!("mnk(m={columns},n={rows},k=5)"));
    let output = play(board(15, 15), "quit\n");
    check_contains(
        &output,
        &[
            "    a b c",
            "Possible moves: a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 and 215 more (type moves to see all)\n",
        ],
    );
    let all = play(board(15, 15), "moves\nquit\n");
    let listed = all.split("> moves\n").nth(1).expect("the moves are listed");
    let listed = listed.split("Coordinates").next().unwrap_or_default();
    let lines: Vec<_> = listed
        .lines()
        .filter(|line| !line.contains("turn"))
        .collect();
    assert!(lines.iter().all(|line| line.len() <= 80), "{listed}");
    let moves = lines.join(" ");
    assert_eq!(moves.split(' ').take(225).last(), Some("o15"), "{listed}");
    let thirty = "a5 b5 c5 d5 e5 a6 b6 c6 d6 e6\n";
    check_contains(&play(board(5, 6), ""), &["Possible moves: a1 ", thirty]);
    let more =
        "Possible moves: a1 b1 c1 d1 e1 f1 a2 b2 c2 d2 and 26 more (type moves to see all)\n";
    check_contains(&play(board(6, 6), ""), &[more]);
}

#[test]
fn the_board_fits_the_terminal() {
    let app = |size| people(game("mnk(m=15,n=15,k=5)")).size(size);
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
        &["This board needs 33 columns; your terminal has 20.\n 15 ."],
    );
}

/// Fails with this kind of error after this number of bytes.
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
fn a_closed_pipe_is_not_an_error() {
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
        .expect_err("the disk is full");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    let input = BufReader::new(Failing(0, io::ErrorKind::PermissionDenied));
    let error = app()
        .run_with(input, io::sink())
        .expect_err("the input cannot be read");
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
}

#[test]
fn a_session_keeps_its_games_and_goes_on_with_the_first() {
    let kept = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&kept);
    let mut begun = History::new(TicTacToe::new());
    begun.play_text("a1 b1 a2 b2").expect("legal moves");
    let app = App::new(TicTacToe::new())
        .resume(begun.moves().to_vec())
        .keep(move |game| {
            log.borrow_mut()
                .push((game.history.moves().len(), game.end));
            Err("is ignored".to_owned())
        });
    let mut output = Vec::new();
    app.run_with("h\nh\na3\ny\nquit\n".as_bytes(), &mut output)
        .expect("a transcript");
    let end = (Outcome::Win(Side::First), Termination::Finished);
    assert_eq!(*kept.borrow(), [(4, None), (5, Some(end)), (0, None)]);
}
