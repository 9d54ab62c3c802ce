use open_ttt_lib::games::Lines;
use open_ttt_lib::rules::{Described, FromName, Named, Notation, Side};

use super::{NAMES, both};

#[test]
fn cells_have_the_names_of_their_boards() {
    for (name, text, error) in [
        ("lines", "c3", "1a1"),
        ("lines(layers=3)", "2c3", "c3"),
        ("lines(layers=3,blocks=2)", "2-3c1", "3-1a1"),
        ("lines(same=1,boards=3)", "3c1", "4c1"),
        ("lines(wild=1)", "c3o", "c3"),
        ("lines(m=19,n=19,wild=1,layers=1)", "o19o", "o19"),
        (
            "lines(m=2,n=2,k=2,layers=2,same=1,boards=3)",
            "3-2b1",
            "3b1",
        ),
    ] {
        let (game, _) = both(name);
        let m = game
            .parse_move(text)
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(game.move_text(m), text);
        assert!(game.parse_move(error).is_err(), "{name}: {error}");
    }
    for (name, expected) in [
        (
            "lines(layers=3,wild=1)",
            "a layer from 1 to 3, a column from a to c, a row from 1 to 3, x or o, as in 1a1x",
        ),
        (
            "lines(m=2,n=1,k=2,layers=2,blocks=3)",
            "a block from 1 to 3, a layer from 1 to 2, a column from a to b, a row from 1 to 1, \
             as in 1-1a1",
        ),
        (
            "lines(same=1,boards=2)",
            "a board from 1 to 2, a column from a to c, a row from 1 to 3, as in 1a1",
        ),
    ] {
        let error = both(name).0.parse_move("z").expect_err("not a move");
        assert_eq!(error.expected, expected, "{name}");
    }
}

#[test]
fn names_and_parameters_lead_back_to_the_game() {
    for name in NAMES {
        let (game, _) = both(name);
        assert_eq!(Lines::from_name(&game.name()), Ok(game), "{name}");
        assert_eq!(Lines::with_parameters(&game.parameters()), Ok(game));
    }
}

#[test]
fn sides_are_called_by_their_marks_if_they_have_some() {
    for (name, expected) in [
        ("lines", ["X", "O"]),
        ("lines(wild=1)", ["First", "Second"]),
        ("lines(same=1)", ["First", "Second"]),
    ] {
        let (game, _) = both(name);
        assert_eq!(Side::BOTH.map(|side| game.side_name(side)), expected);
    }
}

/// The number of cells that a walk meets before it leaves the board or comes back.
fn walk(start: [i32; 3], steps: [i32; 3], extents: [i32; 3], wraps: bool) -> usize {
    let mut at = start;
    for met in 1.. {
        for (axis, coordinate) in at.iter_mut().enumerate() {
            *coordinate += steps[axis];
            if wraps {
                *coordinate = coordinate.rem_euclid(extents[axis]);
            }
        }
        let is_inside = |(at, &extent): (&i32, &i32)| (0..extent).contains(at);
        if at == start || !at.iter().zip(&extents).all(is_inside) {
            return met;
        }
    }
    unreachable!("a walk ends or comes back")
}

fn longest_walk(extents: [i32; 3], wraps: bool) -> usize {
    let [columns, rows, layers] = extents;
    let all = |size: i32| (0..size).flat_map(move |x| (-1..=1).map(move |step| (x, step)));
    let mut longest = 1;
    for (x, right) in all(columns) {
        for (y, up) in all(rows) {
            for (z, on) in all(layers) {
                let steps = [right, up, on];
                // Along a single cell there is no line.
                let fits = |(&extent, step)| step == 0 || extent > 1;
                if steps != [0; 3] && extents.iter().zip(steps).all(fits) {
                    longest = longest.max(walk([x, y, z], steps, extents, wraps));
                }
            }
        }
    }
    longest
}

#[test]
fn a_line_is_at_most_as_long_as_the_longest_walk() {
    let shapes = [
        [3, 3, 1],
        [4, 6, 1],
        [5, 2, 1],
        [1, 4, 1],
        [6, 6, 1],
        [6, 9, 1],
        [2, 4, 6],
    ];
    for extents @ [columns, rows, layers] in shapes {
        for wraps in [false, true] {
            let longest = longest_walk(extents, wraps);
            let wrap = if wraps && layers > 1 {
                3
            } else {
                2 * i32::from(wraps)
            };
            let layers = if layers > 1 {
                format!(",layers={layers}")
            } else {
                String::new()
            };
            let name = |k| format!("lines(m={columns},n={rows},k={k}{layers},wrap={wrap})");
            assert!(
                Lines::from_name(&name(longest)).is_ok(),
                "{}",
                name(longest)
            );
            let error = Lines::from_name(&name(longest + 1)).expect_err("longer than any line");
            let expected = format!("k is at most {longest} on this board");
            assert!(error.to_string().contains(&expected), "{error}");
        }
    }
}
