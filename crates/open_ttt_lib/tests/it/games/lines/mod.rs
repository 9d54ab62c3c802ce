mod drawing;
mod naming;

use std::collections::HashMap;

use open_ttt_lib::games::{Lines, LinesOptions, Mark, Marks};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    Encode, FromName, Heuristic, IndexedMoves, Named, Notation, Outcome, Reason, Side, Symmetry,
    TwoPlayerGame, perft, play_text,
};

use super::plain::{PlainMoves, check_plays, plain_perft, plain_value};
use super::plain_lines::PlainLines;

#[track_caller]
fn both(name: &str) -> (Lines, PlainLines) {
    let game = Lines::from_name(name).unwrap_or_else(|error| panic!("{error}"));
    (game, PlainLines::new(game.options()))
}

/// One game or more for every option and some combinations of them.
const NAMES: [&str; 32] = [
    "lines",
    "lines(m=1,n=1,k=1)",
    "lines(k=1,exact=1)",
    "lines(m=5,n=2,k=4)",
    "lines(m=4,n=5,k=4)",
    "lines(wrap=1)",
    "lines(wrap=2)",
    "lines(m=4,n=3,wrap=1,k=4)",
    "lines(m=4,n=2,wrap=2,k=4)",
    "lines(m=3,n=5,k=5,wrap=2)",
    "lines(m=5,n=5,k=4,wrap=2,exact=1)",
    "lines(m=2,n=3,k=6,wrap=2)",
    "lines(layers=3)",
    "lines(m=2,n=4,layers=3,k=3,wrap=3)",
    "lines(layers=3,blocks=3)",
    "lines(m=2,n=2,layers=2,blocks=3,k=2,wrap=4,misere=1)",
    "lines(m=7,n=6,k=4,gravity=1)",
    "lines(m=5,n=4,k=4,gravity=1,wrap=1)",
    "lines(m=4,n=4,layers=4,k=4,gravity=1)",
    "lines(m=3,n=3,layers=3,k=3,gravity=1,wrap=2,misere=1)",
    "lines(m=2,n=3,layers=3,blocks=2,k=3,gravity=1)",
    "lines(misere=1)",
    "lines(m=4,n=4,misere=1,exact=1)",
    "lines(wild=1)",
    "lines(wild=1,misere=1)",
    "lines(m=4,n=3,wild=1,gravity=1)",
    "lines(same=1,misere=1)",
    "lines(same=1,misere=1,boards=3)",
    "lines(m=2,n=2,layers=2,k=2,same=1,boards=2)",
    "lines(m=4,n=4,k=3,exact=1,same=1,boards=2,misere=1,gravity=1)",
    "lines(m=6,n=6,k=4,stones=2)",
    "lines(m=4,n=4,k=4,stones=3,wild=1,exact=1)",
];

#[test]
fn counts_as_the_plain_board_does() {
    for name in NAMES {
        let (game, plain) = both(name);
        let depth = match game.move_count() {
            ..10 => 4,
            10..20 => 3,
            20..60 => 2,
            _ => 1,
        };
        for depth in 0..=depth {
            let expected = plain_perft(&plain, depth);
            assert_eq!(perft(&game, depth), expected, "{name} to depth {depth}");
        }
    }
}

#[test]
fn plays_as_the_plain_board_does() {
    for name in NAMES {
        let (game, plain) = both(name);
        check_plays(&game, &plain, 12, 100);
    }
}

/// Shows every position of a random game, with the plain board.
fn along_random_game(name: &str, seed: u64, mut check: impl FnMut(&Lines, &PlainLines)) {
    let (mut game, mut plain) = both(name);
    let mut rng = Rng::new(seed);
    loop {
        check(&game, &plain);
        let Some(text) = rng.pick(plain.moves()) else {
            break;
        };
        plain.play(&text);
        play_text(&mut game, &text).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn the_heuristic_is_what_it_says() {
    for name in NAMES {
        for seed in 0..3 {
            along_random_game(name, seed, |game, plain| {
                assert_eq!(game.heuristic(), plain.heuristic(), "{game:?}");
            });
        }
    }
}

#[test]
fn plays_as_open_spiel_does() {
    let mut game = None;
    let mut played = 0;
    for line in include_str!("../../data/lines_openspiel.txt").lines() {
        if line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            game = Some(Lines::from_name(name).unwrap_or_else(|error| panic!("{error}")));
            continue;
        }
        let (winner, moves) = line.split_once(' ').expect("a winner and moves");
        let mut game = game.expect("a section");
        // The game ends with the last move and not earlier: no move is refused.
        play_text(&mut game, moves).unwrap_or_else(|error| panic!("{error}: {moves}"));
        let expected = match winner {
            "X" => Outcome::Win(Side::First),
            "O" => Outcome::Win(Side::Second),
            _ => Outcome::Draw,
        };
        assert_eq!(game.outcome(), Some(expected), "{}: {moves}", game.name());
        played += 1;
    }
    assert_eq!(played, 76);
}

/// The value under best play, with a table of positions.
fn value(game: &Lines, known: &mut HashMap<Lines, Outcome>) -> Outcome {
    if let Some(outcome) = game.outcome() {
        return outcome;
    }
    if let Some(&value) = known.get(game) {
        return value;
    }
    let side = game.to_move();
    let mut best = Outcome::Win(!side);
    for m in game.moves() {
        match value(&game.after(m), known) {
            Outcome::Win(winner) if winner == side => {
                best = Outcome::Win(side);
                break;
            }
            Outcome::Draw => best = Outcome::Draw,
            Outcome::Win(_) => {}
        }
    }
    known.insert(*game, best);
    best
}

#[track_caller]
fn check_value(name: &str, expected: Outcome) {
    let (game, _) = both(name);
    assert_eq!(value(&game, &mut HashMap::new()), expected, "{name}");
}

const FIRST_WINS: Outcome = Outcome::Win(Side::First);
const SECOND_WINS: Outcome = Outcome::Win(Side::Second);

/// Sources: "Wild tic-tac-toe" in Wikipedia, after Epstein, "The Theory of Gambling and
/// Statistical Logic"; misère tic-tac-toe: Gardner, "Mathematical Carnival", 1975;
/// Notakto: Plambeck and Whitehead, "The Secrets of Notakto", 2013, in whose quotient
/// one board is worth c, two c² and three c³ = ac²: of these only c² is a win for the
/// second side.
#[test]
fn published_values_of_small_games() {
    check_value("lines", Outcome::Draw);
    check_value("lines(misere=1)", Outcome::Draw);
    check_value("lines(wild=1)", FIRST_WINS);
    check_value("lines(wild=1,misere=1)", Outcome::Draw);
    check_value("lines(same=1,misere=1)", FIRST_WINS);
    check_value("lines(same=1,misere=1,boards=2)", SECOND_WINS);
    // The value in the state space of OpenSpiel's `gomoku`.
    check_value("lines(wrap=2)", FIRST_WINS);
}

#[test]
fn the_only_opening_that_wins_notakto_is_the_centre() {
    let (game, _) = both("lines(same=1,misere=1)");
    let mut known = HashMap::new();
    for m in game.moves() {
        let expected = if game.move_text(m) == "b2" {
            FIRST_WINS
        } else {
            SECOND_WINS
        };
        assert_eq!(value(&game.after(m), &mut known), expected, "{m:?}");
    }
}

#[test]
fn values_are_those_of_the_plain_board() {
    for name in [
        "lines(m=2,n=3,k=3,stones=2)",
        "lines(m=2,n=3,k=2,misere=1)",
        "lines(m=2,n=2,layers=2,k=2,same=1,misere=1)",
        "lines(m=3,n=2,k=3,wild=1)",
        "lines(m=2,n=3,k=3,exact=1,wrap=1)",
        "lines(m=3,n=2,k=2,gravity=1,misere=1)",
        "lines(m=2,n=2,k=2,same=1,misere=1,boards=2)",
    ] {
        let (game, plain) = both(name);
        assert_eq!(
            value(&game, &mut HashMap::new()),
            plain_value(&plain),
            "{name}"
        );
    }
}

#[track_caller]
fn check_refused(name: &str, sentence: &str) {
    let error = Lines::from_name(name).expect_err("the options contradict each other");
    assert_eq!(error.to_string(), sentence);
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    check_refused("lines(k=4)", "lines: k is at most 3 on this board, not 4");
    check_refused(
        "lines(m=2,n=4,k=5,wrap=1)",
        "lines: k is at most 4 on this board, not 5",
    );
    check_refused(
        "lines(m=2,n=3,k=7,wrap=2)",
        "lines: k is at most 6 on this board, not 7",
    );
    check_refused("lines(blocks=3)", "lines: blocks need layers, at least 2");
    check_refused("lines(boards=2)", "lines: several boards need same=1");
    check_refused(
        "lines(layers=2,blocks=2,boards=2,same=1)",
        "lines: several boards can't have blocks",
    );
    check_refused(
        "lines(wild=1,same=1)",
        "lines: wild and same can't both be 1",
    );
    check_refused(
        "lines(wrap=3)",
        "lines: wrap is at most 2 on this board, not 3",
    );
    check_refused(
        "lines(wrap=2,gravity=1)",
        "lines: wrap is at most 1 on this board, because marks fall in the next dimension, not 2",
    );
    check_refused(
        "lines(m=19,n=19,layers=2)",
        "lines: there is room for 361 cells, not for 722",
    );
    let zero = LinesOptions {
        rows: 0,
        ..LinesOptions::default()
    };
    assert!(Lines::new(zero).is_err());
    let huge = LinesOptions {
        blocks: 255,
        boards: 255,
        ..LinesOptions::default()
    };
    assert!(Lines::new(huge).is_err());
}

#[test]
fn boards_have_all_symmetries() {
    for (name, expected) in [
        ("lines", 8),
        ("lines(wrap=2)", 8),
        ("lines(m=4)", 4),
        // The edges that meet differ from those that don't.
        ("lines(wrap=1)", 4),
        ("lines(layers=3)", 16),
        ("lines(m=2,layers=3)", 8),
        ("lines(layers=3,blocks=3)", 32),
        // The dimension in which marks fall isn't mirrored.
        ("lines(gravity=1)", 2),
        ("lines(layers=3,gravity=1)", 8),
        ("lines(m=2,layers=3,gravity=1)", 4),
    ] {
        let (game, _) = both(name);
        let symmetries = game.symmetries();
        assert_eq!(symmetries.len(), expected, "{name}");
        let images = |m| symmetries.iter().map(move |&t| game.move_image(m, t));
        let seen = game.moves().map(|m| images(m).collect::<Vec<_>>());
        let seen = seen.collect::<Vec<_>>();
        for (one, other) in (0..expected).flat_map(|one| (0..one).map(move |other| (one, other))) {
            assert!(seen.iter().any(|m| m[one] != m[other]), "{name}");
        }
    }
}

#[test]
fn the_cells_of_all_boards_count() {
    for (name, cells) in [
        ("lines", 9),
        ("lines(m=7,n=6,k=4,gravity=1)", 42),
        ("lines(layers=3,blocks=3)", 81),
        ("lines(same=1,misere=1,boards=3)", 27),
    ] {
        assert_eq!(both(name).0.cells(), cells, "{name}");
    }
}

#[test]
fn moves_are_refused_with_a_reason() {
    let (mut game, _) = both("lines(m=4,n=4,k=4,gravity=1)");
    play_text(&mut game, "a1").expect("the bottom is free");
    for (text, reason) in [("a1", Reason::Occupied), ("b2", Reason::Forbidden)] {
        let m = game.parse_move(text).expect("a cell");
        assert_eq!(
            game.check(m).map_err(|error| error.reason),
            Err(reason),
            "{text}"
        );
    }
    let (large, _) = both("lines(m=9,n=9)");
    let far = large.parse_move("i9").expect("a cell");
    let (small, _) = both("lines");
    assert_eq!(
        small.check(far).map_err(|error| error.reason),
        Err(Reason::OffBoard)
    );
}

#[test]
fn a_turn_has_as_many_marks_as_the_options_say() {
    // The first or the second side, and how many marks it still plays.
    let expected = [
        "F1 S1 F1 S1 F1 S1 F1 S1 F1 S1",
        "F1 S2 S1 F2 F1 S2 S1 F2 F1 S2",
        "F1 S3 S2 S1 F3 F2 F1 S3 S2 S1",
        "F1 S4 S3 S2 S1 F4 F3 F2 F1 S4",
    ];
    for (stones, expected) in (1..).zip(expected) {
        let (mut game, _) = both(&format!("lines(m=19,n=19,k=6,stones={stones})"));
        let mut turns = Vec::new();
        for text in ["a1", "b2", "c3", "d4", "e5", "a9", "b9", "c9", "d9", "e9"] {
            let side = ["F", "S"][game.to_move().index()];
            turns.push(format!("{side}{}", game.stones_left()));
            play_text(&mut game, text).expect("the cell is free");
        }
        assert_eq!(turns.join(" "), expected);
    }
}

#[test]
fn cells_have_the_marks_that_are_put_on_them() {
    let (mut game, _) = both("lines(m=19,n=19,k=6)");
    play_text(&mut game, "a1 b1 a2").expect("the cells are free");
    assert_eq!(game.mark([0, 0, 0, 0]), Some(Mark::X));
    assert_eq!(game.mark([1, 0, 0, 0]), Some(Mark::O));
    assert_eq!(game.mark([0, 1, 0, 0]), Some(Mark::X));
    // Not what comes next in the order of cells.
    assert_eq!(game.mark([19, 0, 0, 0]), None);
    assert_eq!(game.mark([0, 0, 0, 1]), None);
    // A move tells its mark where a side chooses it.
    for (name, text, mark) in [
        ("lines", "b2", None),
        ("lines(same=1)", "b2", None),
        ("lines(wild=1)", "b2x", Some(Mark::X)),
        ("lines(wild=1)", "b2o", Some(Mark::O)),
    ] {
        let m = both(name).0.parse_move(text).expect("a move");
        assert_eq!(m.mark(), mark, "{name}: {text}");
    }
}

/// The planes are the layers of the blocks or boards with one kind of marks, then with the
/// other, where the first kind is that of the side to move if each side has its own.
#[test]
fn a_network_sees_the_marks_layer_by_layer() {
    for name in NAMES {
        along_random_game(name, 1, |game, plain| {
            let LinesOptions {
                columns,
                rows,
                stones,
                marks,
                ..
            } = game.options();
            let encoding = game.encoding();
            let size = [encoding.columns, encoding.rows];
            assert_eq!(size, [columns, rows].map(usize::from), "{name}");
            let mut kinds = ['x', 'o'];
            if marks == Marks::Own && game.to_move() == Side::Second {
                kinds.reverse();
            }
            let mut expected: Vec<_> = kinds
                .into_iter()
                .flat_map(|kind| {
                    let cells = plain.cells().into_iter();
                    cells.map(move |cell| f32::from(u8::from(plain.has(cell, kind))))
                })
                .collect();
            if stones > 1 {
                let share = game.stones_left() as f32 / f32::from(stones);
                expected.extend(vec![share; encoding.columns * encoding.rows]);
            }
            let mut planes = vec![0.5; encoding.planes * encoding.rows * encoding.columns];
            game.encode(&mut planes);
            assert_eq!(planes, expected, "{game:?}");
        });
    }
}

#[test]
fn moves_are_numbered_cell_by_cell_and_mark_by_mark() {
    for (name, count) in [
        ("lines(m=3,n=2)", 6),
        ("lines(m=3,n=2,layers=2)", 12),
        ("lines(m=3,n=2,wild=1)", 12),
    ] {
        let (game, _) = both(name);
        assert_eq!(game.move_count(), count, "{name}");
        let numbers: Vec<_> = game.moves().map(|m| game.move_index(m)).collect();
        assert_eq!(numbers, (0..count).collect::<Vec<_>>(), "{name}");
        let numbered = (0..count).map(|number| game.indexed_move(number));
        assert!(numbered.eq(game.moves().map(Some)), "{name}");
        assert_eq!(game.indexed_move(count), None, "{name}");
    }
}

/// Of two boards of three cells, the first is full and the second closed.
#[test]
fn boards_without_a_cell_to_play_are_a_draw() {
    let (mut game, _) = both("lines(m=3,n=1,k=2,exact=1,same=1,boards=2)");
    play_text(&mut game, "1a1 1c1 1b1 2a1").expect("the cells are free");
    assert_eq!(game.outcome(), None);
    play_text(&mut game, "2b1").expect("the cell is free");
    assert_eq!(
        (game.outcome(), game.moves().count()),
        (Some(Outcome::Draw), 0)
    );
}
