//! Line search and threat search: puzzles with known answers.

use open_ttt_lib::games::{Mnk, Qubic};
use open_ttt_lib::rules::{LineGame, Notation, Outcome, TwoPlayerGame, play_text};
use open_ttt_search::{Budget, Grade, RootMoves, Score, StopFlag, forced_win, line_search};

#[track_caller]
fn after<G: TwoPlayerGame + Notation>(start: &G, moves: &str) -> G {
    let mut game = start.clone();
    play_text(&mut game, moves).unwrap_or_else(|error| panic!("{error}"));
    game
}

/// Checks that the win is found with this many threes and not with fewer, and that
/// it begins with one of these moves.
#[track_caller]
fn check_win<G: LineGame + Notation>(game: &G, threes: u32, firsts: &str) {
    if threes > 0 {
        let fewer = Budget::depth(threes - 1);
        assert_eq!(forced_win(game, &fewer, &StopFlag::new()).line, None);
    }
    let win = forced_win(game, &Budget::depth(threes), &StopFlag::new());
    let line = win.line.expect("there is a win");
    let first = game.move_text(line[0]);
    assert!(firsts.split(' ').any(|m| m == first), "{first}");
    let mut at = game.clone();
    for &m in &line {
        at.play(m).unwrap_or_else(|_| panic!("{m:?} is illegal"));
    }
    assert_eq!(at.outcome(), Some(Outcome::Win(game.to_move())));
    let found = line_search(
        game,
        RootMoves::BestOnly,
        &Budget::depth(1),
        &StopFlag::new(),
    )
    .unwrap();
    assert_eq!(found.moves[0].1.grade(), Grade::Win);
}

/// An open three becomes an open four.
#[test]
fn an_open_three_wins() {
    let game = after(&Mnk::default(), "f8 a1 g8 c1 h8 e1");
    check_win(&game, 0, "e8 i8");
}

/// f8 g8 h8 with e8 taken, and i6 i5 i4 with i3 taken: i8 makes a four, and
/// i7 another one.
#[test]
fn two_closed_threes_make_two_fours() {
    let game = after(&Mnk::default(), "f8 e8 g8 o1 h8 i3 i6 o3 i5 o5 i4 o7");
    check_win(&game, 0, "i8 i7");
}

/// A closed three and an open two that cross in j8: the four comes with a three
/// that wins by itself.
#[test]
fn a_four_with_a_three_wins() {
    let game = after(&Mnk::default(), "g8 f8 h8 o1 i8 o3 j9 o5 j10 o7");
    check_win(&game, 0, "j8 k8");
}

/// Two open twos that cross in h8: the cell where they cross makes two open
/// threes, and one of them is not met. O can put it off with a four in the
/// first row.
#[test]
fn two_open_threes_win() {
    let game = after(&Mnk::default(), "f8 a1 g8 c1 h6 e1 h7 a4");
    check_win(&game, 1, "h8 e8 i8 h5 h9 i5 e9 d8 h4 d10 j4");
}

/// A five comes before a block, and the only threat left is blocked.
#[test]
fn a_five_comes_before_a_block() {
    let finishes = after(&Mnk::default(), "a1 a3 b1 b3 c1 c3 d1 d3");
    check_win(&finishes, 0, "e1");
    let must = after(&Mnk::default(), "a1 a3 b1 b3 c1 c3 o9 d3");
    let found = line_search(
        &must,
        RootMoves::BestOnly,
        &Budget::depth(2),
        &StopFlag::new(),
    )
    .unwrap();
    let moves: Vec<_> = found
        .moves
        .iter()
        .map(|&(m, _)| must.move_text(m))
        .collect();
    assert_eq!(moves, ["e3"]);
    let lost = after(&Mnk::default(), "o1 b3 o3 c3 o5 d3 o7 e3");
    let found = line_search(
        &lost,
        RootMoves::BestOnly,
        &Budget::depth(2),
        &StopFlag::new(),
    )
    .unwrap();
    assert_eq!(found.moves.len(), 2);
    assert!(
        found
            .moves
            .iter()
            .all(|&(_, score)| score == Score::loss_in(2))
    );
}

/// Three cubes of each of two lines that cross: the fourth line is not needed.
#[test]
fn qubic_is_won_by_two_lines_that_cross() {
    // 1a1 1b1 and 1d2 1d3 leave 1d1 between them: 1c1 is answered by 1d1.
    let game = after(&Qubic::new(), "1a1 2b3 1b1 3c2 1d2 4a2 1d3 2a4");
    check_win(&game, 0, "1c1 1d1 1d4");
}

#[test]
fn finished_games_and_a_raised_flag_are_handled() {
    let over = after(&Mnk::new(3, 3, 3).unwrap(), "a1 a2 b1 b2 c1");
    assert_eq!(
        line_search(&over, RootMoves::All, &Budget::depth(1), &StopFlag::new()),
        None
    );
    assert_eq!(
        forced_win(&over, &Budget::UNLIMITED, &StopFlag::new()).line,
        None
    );
    let stop = StopFlag::new();
    stop.raise();
    for budget in [Budget::UNLIMITED, Budget::nodes(0), Budget::nodes(1)] {
        for wanted in [RootMoves::All, RootMoves::BestOnly] {
            let found = line_search(&Mnk::default(), wanted, &budget, &stop).unwrap();
            assert!(!found.moves.is_empty());
            assert!(found.nodes < 1_000, "{}", found.nodes);
        }
    }
}
