use std::collections::HashSet;

use open_ttt_lib::games::Lines;
use open_ttt_lib::rules::{Drawing, Layout, Outcome, Shape, Side, Tint, TwoPlayerGame, play_text};

use super::both;

#[test]
fn lines_across_edges_are_shown() {
    let (mut game, _) = both("lines(wrap=2)");
    play_text(&mut game, "a2 a1 b1 b2 c3").expect("the cells are free");
    let lines = game.picture().lines;
    assert_eq!(lines.len(), 1, "one broken diagonal: {lines:?}");
    assert_eq!(lines[0].places.len(), 3);

    let (mut row, _) = both("lines(m=9,n=2)");
    play_text(&mut row, "a1 a2 b1 b2 d1 d2 e1 e2 c1").expect("the cells are free");
    let lines = row.picture().lines;
    assert_eq!(lines.len(), 1, "one row of five: {lines:?}");
    assert_eq!(lines[0].places.len(), 5);
}

#[test]
fn a_line_in_two_directions_is_shown_once() {
    // On two columns and rows whose edges meet, both diagonals lead from a1 to b2.
    let (mut game, _) = both("lines(m=2,n=2,k=2,wrap=2)");
    play_text(&mut game, "a1 a2 b2").expect("the cells are free");
    let lines = game.picture().lines;
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn a_line_around_the_board_begins_at_its_lowest_cell() {
    let (mut game, _) = both("lines(wrap=1)");
    play_text(&mut game, "b1 a2 c1 b2 a1").expect("the cells are free");
    let lines = game.picture().lines;
    let columns = lines.iter().map(|line| line.places.iter().map(|at| at.x));
    let columns: Vec<Vec<_>> = columns.map(Iterator::collect).collect();
    assert_eq!(columns, [[0, 1, 2]]);
}

#[test]
fn only_lines_of_the_length_that_wins_are_shown() {
    let (mut game, _) = both("lines(m=6,n=3,k=3,exact=1)");
    // The second side has four in a row when the first completes three.
    play_text(&mut game, "a1 a2 b1 b2 f3 d2 e3 c2 c1").expect("the cells are free");
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)));
    let lines = game.picture().lines;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0].side, Some(Side::First));
    assert_eq!(lines[0].places.len(), 3);
}

#[test]
fn layers_blocks_and_boards_are_drawn_beside_each_other() {
    for (name, labels, last) in [
        ("lines(layers=3)", "1 2 3", "3a1"),
        ("lines(same=1,boards=2)", "1 2", "2a1"),
        ("lines(layers=2,blocks=2)", "1-1 1-2 2-1 2-2", "2-2a1"),
    ] {
        let (mut game, _) = both(name);
        play_text(&mut game, last).expect("the cell is free");
        let picture = game.picture();
        let Layout::Layers { layers, .. } = &picture.layout else {
            panic!("{name}: {:?}", picture.layout);
        };
        assert_eq!(layers.join(" "), labels, "{name}");
        let places = picture.cells.iter().map(|cell| cell.place);
        assert_eq!(places.collect::<HashSet<_>>().len(), game.cells(), "{name}");
        let mut taken = picture.cells.iter().filter(|cell| cell.piece.is_some());
        let z = taken.next().map(|cell| usize::from(cell.place.z));
        assert_eq!(z, Some(layers.len() - 1), "{name}");
    }
    let flat = both("lines(m=4)").0.picture().layout;
    assert!(
        matches!(&flat, Layout::Grid { columns, block: None, .. } if columns.len() == 4),
        "{flat:?}"
    );
}

#[test]
fn a_closed_board_is_marked() {
    let (mut game, _) = both("lines(same=1,misere=1,boards=2)");
    play_text(&mut game, "2a1 2a2 2a3 1b2").expect("the cells are free");
    for cell in game.picture().cells {
        let expected = (cell.place.z == 1).then_some(Tint::Marked);
        assert_eq!(cell.tint, expected, "{:?}", cell.place);
    }
}

#[test]
fn a_turn_of_several_marks_is_told() {
    let (mut game, _) = both("lines(m=4,n=1,k=3,stones=2)");
    let status = |game: &Lines| game.picture().status;
    assert_eq!(status(&game).as_deref(), Some("1 mark to play"));
    play_text(&mut game, "a1").expect("the cell is free");
    assert_eq!(status(&game).as_deref(), Some("2 marks to play"));
    play_text(&mut game, "b1 c1 d1").expect("the cells are free");
    assert_eq!((game.outcome(), status(&game)), (Some(Outcome::Draw), None));
    assert_eq!(status(&both("lines").0), None);
}

#[test]
fn sides_without_marks_of_their_own_are_numbers() {
    for (name, shapes) in [
        ("lines", [Shape::Cross, Shape::Ring]),
        ("lines(wild=1)", [Shape::Text; 2]),
        ("lines(same=1)", [Shape::Text; 2]),
    ] {
        let sides = both(name).0.picture().sides;
        assert_eq!(sides.map(|side| side.shape), shapes, "{name}");
    }
}
