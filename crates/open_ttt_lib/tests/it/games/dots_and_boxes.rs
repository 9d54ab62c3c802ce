use std::collections::BTreeSet;
use std::sync::OnceLock;

use open_ttt_lib::games::{DotsAndBoxes, Edge};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    CompactKey, Dihedral, Drawing, Heuristic, IndexedMoves, Margin, Notation, Outcome, Place,
    Reason, Shape, Side, Symmetry, Tint, TwoPlayerGame, perft, play_text,
};

use super::exact_margin::exact_margin;
use super::objective::check_objective;
use super::plain::{PlainMoves, plain_perft};

/// The edges by name, and the owner of each box.
#[derive(Clone)]
struct NaiveDots {
    free: BTreeSet<String>,
    owners: Vec<Vec<Option<Side>>>,
    to_move: Side,
}

fn dot((column, row): (usize, usize)) -> String {
    format!("{}{}", &"abcdefgh"[column..=column], row + 1)
}

/// The names of the edges around a box.
fn around(column: usize, row: usize) -> [String; 4] {
    let corner = |right, up| dot((column + right, row + up));
    [
        format!("{}-{}", corner(0, 0), corner(1, 0)),
        format!("{}-{}", corner(0, 0), corner(0, 1)),
        format!("{}-{}", corner(0, 1), corner(1, 1)),
        format!("{}-{}", corner(1, 0), corner(1, 1)),
    ]
}

impl NaiveDots {
    fn new(columns: usize, rows: usize) -> Self {
        let boxes = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        Self {
            free: boxes
                .flat_map(|(column, row)| around(column, row))
                .collect(),
            owners: vec![vec![None; columns]; rows],
            to_move: Side::First,
        }
    }

    fn points(&self, side: Side) -> u32 {
        let owned = |owner: &&Option<Side>| **owner == Some(side);
        self.owners.iter().flatten().filter(owned).count() as u32
    }
}

impl PlainMoves for NaiveDots {
    fn moves(&self) -> Vec<String> {
        self.free.iter().cloned().collect()
    }

    fn play(&mut self, text: &str) {
        assert!(self.free.remove(text), "{text} is free");
        let mut completed = false;
        for (row, owners) in self.owners.iter_mut().enumerate() {
            for (column, owner) in owners.iter_mut().enumerate() {
                let open = around(column, row)
                    .iter()
                    .any(|edge| self.free.contains(edge));
                if owner.is_none() && !open {
                    *owner = Some(self.to_move);
                    completed = true;
                }
            }
        }
        if !completed {
            self.to_move = !self.to_move;
        }
    }
}

fn dots(columns: u8, rows: u8) -> DotsAndBoxes {
    DotsAndBoxes::new(columns, rows).expect("a board of the game")
}

#[track_caller]
fn check_same(game: &DotsAndBoxes, naive: &NaiveDots) {
    let moves: BTreeSet<_> = game.moves().map(|m| game.move_text(m)).collect();
    assert_eq!(moves, naive.free, "{game:?}");
    assert_eq!(game.to_move(), naive.to_move, "{game:?}");
    let points = Side::BOTH.map(|side| naive.points(side));
    assert_eq!(Side::BOTH.map(|side| game.points(side)), points);
    let margin = points[0] as i32 - points[1] as i32;
    assert_eq!(game.margin(), margin, "{game:?}");
    let over = naive.free.is_empty();
    assert_eq!(game.outcome(), over.then(|| Outcome::from_margin(margin)));
    for (row, owners) in (0..).zip(&naive.owners) {
        for (column, &owner) in (0..).zip(owners) {
            assert_eq!(game.box_owner(column, row), owner, "{game:?}");
        }
    }
}

#[test]
fn plays_as_the_naive_board_does() {
    let mut doubles = 0;
    for (columns, rows) in [(1, 1), (2, 2), (3, 2), (2, 7), (5, 5), (7, 7)] {
        for seed in 0..50 {
            let mut rng = Rng::new(seed);
            let mut game = dots(columns, rows);
            let mut naive = NaiveDots::new(columns.into(), rows.into());
            check_same(&game, &naive);
            while let Some(text) = rng.pick(naive.free.clone()) {
                let before = naive.points(Side::First) + naive.points(Side::Second);
                play_text(&mut game, &text).unwrap();
                naive.play(&text);
                check_same(&game, &naive);
                let after = naive.points(Side::First) + naive.points(Side::Second);
                doubles += u32::from(after == before + 2);
            }
        }
    }
    assert!(doubles > 100, "{doubles} edges between two boxes");
}

#[test]
fn counts_as_the_naive_board_does() {
    for (columns, rows, depths) in [(1, 1, 4), (2, 1, 7), (2, 2, 5), (3, 3, 3)] {
        for depth in 0..=depths {
            let expected = plain_perft(&NaiveDots::new(columns.into(), rows.into()), depth);
            let counted = perft(&dots(columns, rows), depth);
            assert_eq!(counted, expected, "{columns}, {rows}, {depth}");
        }
    }
}

/// By how many boxes the side to move leads in the rest of the game under best play,
/// for each set of drawn edges: every set is computed from the larger ones.
fn brute_force(columns: usize, rows: usize) -> (Vec<String>, Vec<i8>) {
    let edges: Vec<_> = NaiveDots::new(columns, rows).free.into_iter().collect();
    let number = |edge: &String| edges.iter().position(|e| e == edge).expect("an edge");
    // The other edges of the boxes beside each edge, as bits.
    let mut others: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for row in 0..rows {
        for column in 0..columns {
            let numbers = around(column, row).map(|edge| number(&edge));
            let all = numbers.iter().fold(0, |all, n| all | 1 << n);
            for n in numbers {
                others[n].push(all & !(1 << n));
            }
        }
    }
    let mut values = vec![0; 1 << edges.len()];
    for drawn in (0..values.len() - 1).rev() {
        let mut best = i8::MIN;
        for (n, others) in others.iter().enumerate() {
            if drawn >> n & 1 == 0 {
                let completed = others.iter().filter(|&&all| drawn & all == all).count() as i8;
                let rest: i8 = values[drawn | 1 << n];
                best = best.max(if completed > 0 {
                    completed + rest
                } else {
                    -rest
                });
            }
        }
        values[drawn] = best;
    }
    (edges, values)
}

/// The numbers are those of the rules implemented, not of the brute force: each edge
/// is drawn on the game's board.
struct Solver {
    values: Vec<Option<i8>>,
}

impl Solver {
    fn value(&mut self, game: &DotsAndBoxes, drawn: usize) -> i8 {
        if let Some(value) = self.values[drawn] {
            return value;
        }
        let lead = |game: &DotsAndBoxes, side| game.points(side) as i8 - game.points(!side) as i8;
        let side = game.to_move();
        let mut best = None;
        for m in game.moves() {
            let next = game.after(m);
            let rest = self.value(&next, drawn | 1 << game.move_index(m));
            let rest = if next.to_move() == side { rest } else { -rest };
            best = best.max(Some(lead(&next, side) - lead(game, side) + rest));
        }
        let value = best.unwrap_or(0);
        self.values[drawn] = Some(value);
        value
    }
}

/// Checks that every set of edges has the value found by brute force; returns the
/// value of each opening for the first side.
#[track_caller]
fn check_values(columns: u8, rows: u8) -> Vec<i8> {
    let game = dots(columns, rows);
    let (edges, expected) = brute_force(columns.into(), rows.into());
    let mut solver = Solver {
        values: vec![None; 1 << game.move_count()],
    };
    solver.value(&game, 0);
    let numbers: Vec<_> = edges
        .iter()
        .map(|edge| game.move_index(game.parse_move(edge).unwrap()))
        .collect();
    for (drawn, &expected) in expected.iter().enumerate() {
        let moved = |(n, &number): (usize, &usize)| (drawn >> n & 1) << number;
        let set = numbers.iter().enumerate().map(moved).sum::<usize>();
        assert_eq!(solver.values[set], Some(expected), "{drawn:b}");
    }
    (0..edges.len()).map(|n| -expected[1 << n]).collect()
}

#[test]
fn small_boards_have_the_values_found_by_brute_force() {
    check_values(1, 1);
    check_values(3, 1);
    check_values(2, 3);
    // The inner edges tie, the outer ones win by two.
    let mut openings = check_values(2, 2);
    openings.sort_unstable();
    assert_eq!(openings, [0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2]);
}

/// The values of the board of nine boxes, which several tests use.
fn nine_boxes() -> &'static (Vec<String>, Vec<i8>) {
    static VALUES: OnceLock<(Vec<String>, Vec<i8>)> = OnceLock::new();
    VALUES.get_or_init(|| brute_force(3, 3))
}

/// David Wilson, "Dots-and-Boxes Analysis Results": every opening loses by three.
#[test]
fn the_board_of_nine_boxes_is_lost_by_three() {
    let (edges, values) = nine_boxes();
    let openings: Vec<_> = (0..edges.len()).map(|n| -values[1 << n]).collect();
    assert_eq!(openings, [-3; 24]);
}

#[test]
fn late_positions_of_nine_boxes_have_the_values_found_by_brute_force() {
    let (edges, values) = nine_boxes();
    for seed in 0..100 {
        let mut rng = Rng::new(seed);
        let mut game = dots(3, 3);
        let mut drawn = 0;
        for _ in 0..14 {
            let n = rng
                .pick((0..24).filter(|n| drawn >> n & 1 == 0))
                .expect("a free edge");
            play_text(&mut game, &edges[n]).unwrap();
            drawn |= 1 << n;
        }
        let rest = i32::from(values[drawn]);
        let rest = if game.to_move() == Side::First {
            rest
        } else {
            -rest
        };
        assert_eq!(exact_margin(&game), game.margin() + rest, "{game:?}");
    }
}

/// An estimate of the final margin is closer than the margin so far.
#[test]
fn the_heuristic_estimates_the_final_margin() {
    let (edges, values) = nine_boxes();
    let (mut error, mut error_without) = (0, 0);
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let mut game = dots(3, 3);
        let mut drawn = 0;
        for _ in 0..8 + seed % 12 {
            let n = rng
                .pick((0..24).filter(|n| drawn >> n & 1 == 0))
                .expect("a free edge");
            play_text(&mut game, &edges[n]).unwrap();
            drawn |= 1 << n;
        }
        let side = game.to_move();
        let lead = game.points(side) as i32 - game.points(!side) as i32;
        let exact = lead + i32::from(values[drawn]);
        error += game.heuristic().abs_diff(100 * exact);
        error_without += 100 * lead.abs_diff(exact);
    }
    assert!(2 * error < error_without, "{error}, {error_without}");
}

#[track_caller]
fn check_heuristic(columns: u8, rows: u8, moves: &str, expected: i32) {
    let mut game = dots(columns, rows);
    play_text(&mut game, moves).unwrap();
    assert_eq!(game.heuristic(), 100 * expected);
    assert_eq!(
        exact_margin(&game),
        match game.to_move() {
            Side::First => expected,
            Side::Second => -expected,
        }
    );
}

/// Who has to open the only chain or loop loses it.
#[test]
fn the_heuristic_knows_chains_and_loops() {
    // A chain of three, open at both ends, to be opened by the first side.
    check_heuristic(3, 1, "a1-b1 b1-c1 c1-d1 a2-b2 b2-c2 c2-d2", -3);
    // A loop of four, to be opened by the first side.
    check_heuristic(2, 2, "a1-b1 b1-c1 a3-b3 b3-c3 a1-a2 a2-a3 c1-c2 c2-c3", -4);
    // Two chains of three, to be opened by the second side: the opponent leaves two
    // boxes of the first one, and takes the other.
    check_heuristic(
        3,
        2,
        "a1-b1 b1-c1 c1-d1 a2-b2 b2-c2 c2-d2 a3-b3 b3-c3 c3-d3",
        -2,
    );
}

#[test]
fn edges_that_complete_boxes_come_first() {
    let mut game = dots(2, 2);
    play_text(&mut game, "a1-b1 a1-a2 b1-b2").unwrap();
    let texts: Vec<_> = game.moves().map(|m| game.move_text(m)).collect();
    assert_eq!(texts[0], "a2-b2");
    // The right boxes have one edge and none, the upper left one none.
    let after = |text: &String| {
        let mut next = game;
        play_text(&mut next, text).unwrap();
        next.moves()
            .next()
            .map(|m| next.after(m).to_move() == next.to_move())
    };
    let gives: Vec<_> = texts[1..].iter().map(after).collect();
    assert!(gives.iter().all(|&gives| gives == Some(true)), "{gives:?}");
}

#[test]
fn the_owners_of_boxes_make_no_other_position() {
    // Each side completes a box; the two games differ in which.
    let (mut one, mut other) = (dots(4, 1), dots(4, 1));
    play_text(&mut one, "a1-b1 a2-b2 a1-a2 b1-b2 d1-e1 d2-e2 d1-d2 e1-e2").unwrap();
    play_text(
        &mut other,
        "d1-e1 d2-e2 d1-d2 e1-e2 a1-b1 a2-b2 a1-a2 b1-b2",
    )
    .unwrap();
    let owners = |game: &DotsAndBoxes| [0, 3].map(|column| game.box_owner(column, 0));
    assert_eq!(owners(&one), [Some(Side::Second), Some(Side::First)]);
    assert_eq!(owners(&other), [Some(Side::First), Some(Side::Second)]);
    assert_eq!(one, other);
    assert_eq!(one.key(), other.key());
}

#[test]
fn nobody_owns_boxes_beside_the_board() {
    let mut game = dots(2, 2);
    for m in dots(2, 2).moves() {
        game.play_unchecked(m);
    }
    for (column, row) in [(2, 0), (0, 2), (8, 0), (255, 0), (0, 255)] {
        assert_eq!(game.box_owner(column, row), None, "{column}, {row}");
    }
}

/// A lead of half of the boxes is the most that a network is to tell apart.
#[test]
fn the_objective_is_the_lead_in_halves_of_the_board() {
    check_objective(&dots(4, 3), 6.0);
}

#[test]
fn boxes_show_their_owners() {
    // Red completes the left box, Blue the right one.
    let mut game = dots(3, 1);
    play_text(
        &mut game,
        "a1-b1 a2-b2 a1-a2 d1-d2 b1-b2 c1-d1 b1-c1 c2-d2 c1-c2",
    )
    .unwrap();
    let picture = game.picture();
    let shown = [1, 3, 5].map(|x| {
        let mut cells = picture.cells.iter();
        let cell = cells.find(|cell| cell.place == Place::flat(x, 1));
        let cell = cell.expect("a box");
        let piece = cell.piece.map(|piece| (piece.mark, piece.shape));
        (piece, cell.tint)
    });
    let owned = |side, mark| (Some((mark, Shape::Text)), Some(Tint::Side(side)));
    let (red, blue) = (owned(Side::First, "R"), owned(Side::Second, "B"));
    assert_eq!(shown, [red, (None, None), blue]);
}

#[test]
fn playouts_are_random_games() {
    let mut rng = Rng::new(1);
    let mut wins = [0_i32; 4];
    for _ in 0..20_000 {
        if let Outcome::Win(side) = dots(2, 2).play_out(&mut || rng.next_u64()) {
            wins[side.index()] += 1;
        }
        let mut game = dots(2, 2);
        while let Some(m) = rng.pick(game.moves()) {
            game.play_unchecked(m);
        }
        if let Some(Outcome::Win(side)) = game.outcome() {
            wins[2 + side.index()] += 1;
        }
    }
    // Seven standard deviations of the difference.
    for side in 0..2 {
        assert!(wins[side].abs_diff(wins[2 + side]) < 700, "{wins:?}");
    }
}

fn edge(text: &str) -> Edge {
    let board = dots(7, 7);
    board
        .parse_move(text)
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn dots_may_be_in_any_order() {
    let game = dots(3, 2);
    for text in ["b1-b2", "b2-b1", "B1B2", " b2 - b1 "] {
        assert_eq!(game.parse_move(text), Ok(edge("b1-b2")), "{text}");
    }
    for text in [
        "b1", "b1-b3", "b1-c2", "b1-b1", "d1-e1", "a3-a4", "b1--b2", "a1-b1-",
    ] {
        let error = game.parse_move(text).expect_err(text).to_string();
        assert!(
            error.ends_with("two neighbouring dots from a1 to d3, as in a1-b1"),
            "{error}"
        );
    }
}

#[test]
fn moves_are_refused_with_a_reason() {
    let mut game = dots(2, 3);
    play_text(&mut game, "a1-b1").unwrap();
    let refused = |text| game.check(edge(text)).expect_err("not there").reason;
    assert_eq!(refused("a1-b1"), Reason::Occupied);
    assert_eq!(refused("c1-d1"), Reason::OffBoard);
    assert_eq!(refused("a4-a5"), Reason::OffBoard);
    for (columns, rows) in [(0, 3), (3, 0), (8, 1), (1, 8), (255, 255)] {
        assert_eq!(DotsAndBoxes::new(columns, rows), None);
    }
    assert_eq!(Edge::horizontal(7, 0), None);
    assert_eq!(Edge::horizontal(0, 8), None);
    assert_eq!(Edge::vertical(8, 0), None);
    assert_eq!(Edge::vertical(0, 7), None);
}

#[test]
fn images_have_one_canonical_position() {
    let mut rng = Rng::new(3);
    for (columns, rows) in [(3, 3), (4, 2)] {
        let mut game = dots(columns, rows);
        while let Some(m) = rng.pick(game.moves()) {
            for &transform in game.symmetries() {
                assert_eq!(game.image(transform).canonical(), game.canonical());
            }
            game.play_unchecked(m);
        }
    }
    let mut turned = dots(4, 2);
    play_text(&mut turned, "a1-b1").unwrap();
    let turned = turned.image(Dihedral::Transpose);
    assert_eq!((turned.columns(), turned.rows()), (2, 4));
    assert!(turned.is_drawn(edge("a1-a2")));
}
