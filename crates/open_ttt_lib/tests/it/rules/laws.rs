//! Every game, held to every law that concerns it.

use std::fmt::Debug;

use open_ttt_lib::games::{
    ConnectFour, DotsAndBoxes, Draughts, Hex, LineSet, Lines, Mnk, Morris, Pegs, Quarto, Qubic,
    Reversi, TicTacToe, Ultimate,
};
use open_ttt_lib::rules::conformance::Laws;
use open_ttt_lib::rules::{
    CompactKey, Described, Drawing, Encode, FromName, Heuristic, Notation, Symmetry,
};

/// The laws of the traits that every game here has. Returns the others to check.
#[track_caller]
fn check_without_heuristic<G>(start: &G) -> Laws<G>
where
    G: Notation + Drawing + CompactKey + Encode + Symmetry + Described + Debug,
{
    Laws::of(start)
        .rules()
        .notation()
        .drawing()
        .compact_key()
        .indexed_moves()
        .encode()
        .encode_images()
        .symmetry()
        .described()
}

/// The same with the laws of a heuristic.
#[track_caller]
fn check<G>(start: &G) -> Laws<G>
where
    G: Notation + Drawing + Heuristic + CompactKey + Encode + Symmetry + Described + Debug,
{
    check_without_heuristic(start)
        .heuristic()
        .heuristic_images()
}

#[test]
fn tic_tac_toe() {
    check_without_heuristic(&TicTacToe::new())
        .line_game()
        .tactics();
}

#[test]
fn pegs() {
    for line_set in [LineSet::ThirtyFour, LineSet::ThirtyEight] {
        check(&Pegs::with_lines(line_set)).margin().board_filling();
    }
}

#[test]
fn connect_four() {
    check(&ConnectFour::new()).tactics();
}

#[test]
fn qubic() {
    check(&Qubic::new()).line_game();
}

#[test]
fn ultimate() {
    check(&Ultimate::new());
}

#[test]
fn reversi() {
    for size in [4, 6, 8] {
        check(&Reversi::with_size(size).unwrap_or_default()).margin();
    }
}

#[test]
fn dots_and_boxes() {
    for (columns, rows) in [(1, 1), (2, 2), (1, 7), (4, 3), (5, 5), (7, 7)] {
        check(&DotsAndBoxes::new(columns, rows).unwrap_or_default()).margin();
    }
}

#[test]
fn hex() {
    for size in [3, 4, 7, 11, 13] {
        for start in [Hex::new(size), Hex::without_swap(size)] {
            check(&start.unwrap_or_default());
        }
    }
}

#[test]
fn quarto() {
    check(&Quarto::new()).tactics();
}

#[test]
fn draughts() {
    check(&Draughts::new());
}

#[test]
fn morris() {
    for start in [Morris::three(), Morris::six(), Morris::nine()] {
        check(&start);
    }
}

#[track_caller]
fn check_lines(name: &str) {
    check(&Lines::from_name(name).unwrap_or_else(|error| panic!("{error}")));
}

#[test]
fn lines_on_flat_boards() {
    check_lines("lines");
    check_lines("lines(m=1,n=1,k=1)");
    check_lines("lines(m=5,n=3,k=4)");
    check_lines("lines(m=7,n=6,k=4,gravity=1)");
    check_lines("lines(m=19,n=19,k=6,stones=2)");
    check_lines("lines(m=6,n=6,k=4,exact=1)");
}

#[test]
fn lines_where_edges_meet() {
    check_lines("lines(wrap=1)");
    check_lines("lines(m=4,n=4,k=4,wrap=2)");
    check_lines("lines(m=5,n=4,k=4,wrap=1,gravity=1)");
}

#[test]
fn lines_in_more_dimensions() {
    check_lines("lines(layers=3)");
    check_lines("lines(m=3,n=2,layers=2,k=3,wrap=3)");
    check_lines("lines(m=3,n=3,layers=2,k=3,gravity=1)");
    check_lines("lines(m=2,n=2,layers=2,blocks=3,k=3,misere=1)");
}

#[test]
fn lines_of_neutral_marks() {
    check_lines("lines(wild=1)");
    check_lines("lines(same=1,misere=1)");
    check_lines("lines(same=1,misere=1,boards=3)");
    check_lines("lines(m=2,n=3,layers=2,k=3,same=1,boards=2)");
    check_lines("lines(m=4,n=3,wild=1,stones=2)");
}

#[track_caller]
fn check_mnk(m: u8, n: u8, k: u8) {
    let start = Mnk::new(m, n, k).unwrap_or_else(|| panic!("{m},{n},{k} is a game"));
    check(&start).line_game();
}

#[test]
fn mnk_with_one_place() {
    check_mnk(1, 1, 1);
}

#[test]
fn mnk_in_a_column() {
    check_mnk(1, 19, 19);
    check_mnk(1, 19, 5);
}

#[test]
fn mnk_in_a_row() {
    check_mnk(19, 1, 3);
}

#[test]
fn mnk_where_one_wins() {
    check_mnk(4, 3, 1);
}

#[test]
fn mnk_on_small_boards() {
    check_mnk(3, 3, 3);
    check_mnk(4, 3, 3);
    check_mnk(2, 2, 2);
    check_mnk(3, 5, 5);
}

#[test]
fn mnk_on_middling_boards() {
    check_mnk(7, 5, 4);
    check_mnk(8, 8, 8);
}

#[test]
fn mnk_gomoku() {
    check_mnk(15, 15, 5);
}

#[test]
fn mnk_on_the_largest_board() {
    check_mnk(19, 19, 6);
}
