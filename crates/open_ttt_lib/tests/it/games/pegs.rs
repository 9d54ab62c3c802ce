use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use open_ttt_lib::games::{LineSet, Peg, Pegs};
use open_ttt_lib::rules::{
    Drawing, Heuristic, Margin, Notation, OpeningBook, Outcome, Place, Reason, Side, Symmetry,
    TwoPlayerGame, perft, play_text,
};

use super::naive::{Naive, check_games, positions_by_ply};
use super::objective::check_objective;
use super::plain::{PlainMoves, plain_perft};

/// Where the pegs stand, read off the picture of the board.
const PLANE: [(char, u8, u8); 8] = [
    ('F', 0, 2),
    ('G', 2, 2),
    ('H', 4, 2),
    ('D', 1, 1),
    ('E', 3, 1),
    ('A', 0, 0),
    ('B', 2, 0),
    ('C', 4, 0),
];

const LINE_SETS: [LineSet; 2] = [LineSet::ThirtyFour, LineSet::ThirtyEight];

fn standing(peg: char, z: u8) -> Place {
    let (_, x, y) = PLANE[PLANE.iter().position(|p| p.0 == peg).expect("a peg")];
    Place { x, y, z }
}

fn letter(peg: Peg) -> char {
    char::from(b'A' + peg.index())
}

/// Three places of which one is the middle of the other two, by brute force.
fn straight_lines() -> Vec<[Place; 3]> {
    let every_place: Vec<_> = PLANE
        .iter()
        .flat_map(|&(_, x, y)| (0..3).map(move |z| Place { x, y, z }))
        .collect();
    let mut lines = Vec::new();
    for &a in &every_place {
        for &b in &every_place {
            for &c in every_place.iter().filter(|&&c| a < c) {
                if a.x + c.x == 2 * b.x && a.y + c.y == 2 * b.y && a.z + c.z == 2 * b.z {
                    lines.push([a, b, c]);
                }
            }
        }
    }
    lines
}

/// The 34 leave out the diagonals within the front and the back row.
fn scores(line: &[Place; 3], line_set: LineSet) -> bool {
    let [a, b, c] = line;
    let within_one_row = a.y == b.y && b.y == c.y && a.x != b.x;
    let diagonal = a.z != b.z;
    line_set == LineSet::ThirtyEight || !(within_one_row && diagonal)
}

#[derive(Clone)]
struct NaivePegs {
    stacks: BTreeMap<char, Vec<char>>,
    scoring: Vec<[Place; 3]>,
    plies: usize,
}

impl NaivePegs {
    fn new(line_set: LineSet) -> Self {
        let mut scoring = straight_lines();
        scoring.retain(|line| scores(line, line_set));
        Self {
            stacks: PLANE.iter().map(|&(peg, ..)| (peg, Vec::new())).collect(),
            scoring,
            plies: 0,
        }
    }
}

impl PlainMoves for NaivePegs {
    fn moves(&self) -> Vec<String> {
        self.stacks
            .iter()
            .filter(|(_, stack)| stack.len() < 3)
            .map(|(peg, _)| peg.to_string())
            .collect()
    }

    fn play(&mut self, text: &str) {
        let peg = text.chars().next().expect("a letter");
        let colour = if self.plies.is_multiple_of(2) {
            'R'
        } else {
            'W'
        };
        self.stacks.get_mut(&peg).expect("a peg").push(colour);
        self.plies += 1;
    }
}

impl Naive for NaivePegs {
    fn outcome(&self) -> Option<Outcome> {
        let [red, white] = self.points()?;
        (self.plies == 24).then(|| match red.cmp(&white) {
            std::cmp::Ordering::Less => Outcome::Win(Side::Second),
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Greater => Outcome::Win(Side::First),
        })
    }

    fn cells(&self) -> BTreeMap<Place, Option<Side>> {
        let mut cells = BTreeMap::new();
        for (&peg, stack) in &self.stacks {
            for z in 0..3 {
                let owner = stack.get(usize::from(z)).map(|&colour| match colour {
                    'R' => Side::First,
                    _ => Side::Second,
                });
                cells.insert(standing(peg, z), owner);
            }
        }
        cells
    }

    fn lines(&self) -> Vec<(Side, Vec<Place>)> {
        let cells = self.cells();
        let mut lines = Vec::new();
        for line in &self.scoring {
            if let Some(side) = cells[&line[0]]
                && line.iter().all(|place| cells[place] == Some(side))
            {
                let mut places = line.to_vec();
                places.sort();
                lines.push((side, places));
            }
        }
        lines
    }

    fn points(&self) -> Option<[u32; 2]> {
        let lines = self.lines();
        Some(Side::BOTH.map(|side| lines.iter().filter(|line| line.0 == side).count() as u32))
    }
}

#[test]
fn the_lines_are_the_straight_ones() {
    assert_eq!(straight_lines().len(), 38);
    for line_set in LINE_SETS {
        let ours: BTreeSet<Vec<Place>> = line_set
            .lines()
            .map(|line| {
                let place = |(peg, height)| standing(letter(peg), height);
                let mut places = line.map(place).to_vec();
                places.sort();
                places
            })
            .collect();
        let expected: BTreeSet<Vec<Place>> = straight_lines()
            .into_iter()
            .filter(|line| scores(line, line_set))
            .map(|mut line| {
                line.sort();
                line.to_vec()
            })
            .collect();
        assert_eq!(ours, expected, "{line_set:?}");
        assert_eq!(ours.len(), line_set.count() as usize);
        assert_eq!(line_set.lines().count(), line_set.count() as usize);
    }
}

#[test]
fn four_diagonals_are_left_out_of_the_34() {
    let text = |line: [(Peg, u8); 3]| {
        let places = line.map(|(peg, height)| format!("{peg}{}", height + 1));
        places.concat()
    };
    let few: BTreeSet<_> = LineSet::ThirtyFour.lines().map(text).collect();
    let all: BTreeSet<_> = LineSet::ThirtyEight.lines().map(text).collect();
    let left_out: Vec<_> = all.difference(&few).map(String::as_str).collect();
    assert_eq!(left_out, ["A1B2C3", "A3B2C1", "F1G2H3", "F3G2H1"]);
    assert!(few.is_subset(&all));
}

#[test]
fn each_place_has_its_number_of_lines() {
    #[track_caller]
    fn check(line_set: LineSet, pegs: &str, expected: [usize; 3]) {
        for peg in pegs.chars() {
            let through = [0, 1, 2].map(|height| {
                line_set
                    .lines()
                    .filter(|line| line.iter().any(|&(p, h)| (letter(p), h) == (peg, height)))
                    .count()
            });
            assert_eq!(through, expected, "{line_set:?}, peg {peg}");
        }
    }
    check(LineSet::ThirtyFour, "ACFH", [4, 3, 4]);
    check(LineSet::ThirtyFour, "BG", [6, 4, 6]);
    check(LineSet::ThirtyFour, "DE", [3, 7, 3]);
    check(LineSet::ThirtyEight, "ACFH", [5, 3, 5]);
    check(LineSet::ThirtyEight, "BG", [6, 6, 6]);
    check(LineSet::ThirtyEight, "DE", [3, 7, 3]);
}

#[test]
fn counts_as_the_naive_board_does() {
    for line_set in LINE_SETS {
        for depth in 0..=5 {
            assert_eq!(
                perft(&Pegs::with_lines(line_set), depth),
                plain_perft(&NaivePegs::new(line_set), depth),
                "depth {depth}"
            );
        }
    }
}

#[test]
fn positions_have_keys_of_their_own() {
    for line_set in LINE_SETS {
        let counts = positions_by_ply(&Pegs::with_lines(line_set), 6);
        assert_eq!(counts[..3], [1, 8, 64]);
    }
}

#[test]
fn plays_as_the_naive_board_does() {
    for line_set in LINE_SETS {
        check_games(&Pegs::with_lines(line_set), &NaivePegs::new(line_set), 300);
    }
}

#[test]
fn a_full_peg_is_refused_and_the_turn_is_kept() {
    let mut game = Pegs::new();
    play_text(&mut game, "DDD").expect("a peg holds three");
    let d = Peg::new(3).expect("D is a peg");
    for (peg, pieces) in [(0, 0), (2, 0), (3, 3), (4, 0), (7, 0)] {
        let peg = Peg::new(peg).expect("a peg");
        assert_eq!(game.pieces_on(peg), pieces, "{peg:?}");
    }
    let before = game;
    let refused = game.play(d).expect_err("the peg is full");
    assert_eq!(refused.reason, Reason::Full);
    assert_eq!(game, before);
    assert_eq!(game.to_move(), Side::Second);
    assert_eq!(game.owner(d, 3), None);
    assert_eq!(game.owner(d, 255), None);
}

/// One line of a file of positions.
struct Known {
    game: Pegs,
    /// Red minus white at the end, under best play.
    value: i32,
    best: String,
    points: [u32; 2],
}

fn known(line_set: LineSet) -> Vec<Known> {
    let text = match line_set {
        LineSet::ThirtyFour => include_str!("../data/positions_34.tsv"),
        LineSet::ThirtyEight => include_str!("../data/positions_38.tsv"),
    };
    let positions: Vec<_> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<_> = line.split('\t').collect();
            let &[moves, value, best, red, white] = fields.as_slice() else {
                panic!("five columns: {line}");
            };
            let mut game = Pegs::with_lines(line_set);
            play_text(&mut game, moves).unwrap_or_else(|error| panic!("{line}: {error}"));
            let number = |text: &str| text.parse().expect("a number");
            Known {
                game,
                value: value.parse().expect("a number"),
                best: best.to_owned(),
                points: [number(red), number(white)],
            }
        })
        .collect();
    assert_eq!(positions.len(), 500);
    positions
}

#[test]
fn the_points_of_known_positions() {
    for line_set in LINE_SETS {
        for position in known(line_set) {
            let [red, white] = position.points;
            let game = position.game;
            assert_eq!(Side::BOTH.map(|side| game.points(side)), [red, white]);
            assert_eq!(game.margin(), red as i32 - white as i32);
            let sign = [1, -1][game.to_move().index()];
            assert_eq!(game.heuristic(), sign * game.margin());
        }
    }
}

/// Red minus white at the end, when both play as well as can be.
fn minimax(game: &Pegs, known: &mut HashMap<Pegs, i32>) -> i32 {
    if game.outcome().is_some() {
        return game.margin();
    }
    if let Some(&value) = known.get(game) {
        return value;
    }
    let values = game.moves().map(|m| minimax(&game.after(m), known));
    let value = match game.to_move() {
        Side::First => values.max(),
        Side::Second => values.min(),
    };
    let value = value.expect("a game that goes on has moves");
    known.insert(*game, value);
    value
}

#[test]
fn the_values_of_known_late_positions() {
    for line_set in LINE_SETS {
        let mut late = 0;
        let mut table = HashMap::new();
        for position in known(line_set) {
            let game = position.game;
            if game.plies() < 14 {
                continue;
            }
            late += 1;
            assert_eq!(minimax(&game, &mut table), position.value, "{game:?}");
            let best: String = game
                .moves()
                .filter(|&m| minimax(&game.after(m), &mut table) == position.value)
                .map(|m| game.move_text(m))
                .collect();
            assert_eq!(best, position.best, "{game:?}");
        }
        assert!(late > 150, "{late} late positions");
    }
}

#[test]
fn each_piece_is_the_one_that_stands_for_its_side() {
    let mut game = Pegs::default();
    play_text(&mut game, "A B A D").expect("legal moves");
    let picture = game.picture();
    assert_eq!(picture.sides.map(|piece| piece.mark), ["R", "W"]);
    let pieces: Vec<_> = picture.cells.iter().filter_map(|cell| cell.piece).collect();
    assert_eq!(pieces.len(), 4);
    assert!(pieces.iter().all(|piece| picture.sides.contains(piece)));
}

/// Eight lines more than the other side are the most that a network is to tell apart.
#[test]
fn the_objective_is_the_lead_in_eighths() {
    check_objective(&Pegs::new(), 8.0);
}

/// The margin of each position is the best that the side to move can reach.
#[track_caller]
fn check_book(line_set: LineSet, start: i32) {
    let mut positions = HashSet::from([Pegs::with_lines(line_set)]);
    assert_eq!(Pegs::with_lines(line_set).book_value(), Some(start));
    for _ in 0..Pegs::BOOK_PLIES {
        let mut later = HashSet::new();
        for game in &positions {
            let next: Vec<_> = game.moves().map(|m| game.after(m)).collect();
            let margins = next.iter().map(|next| next.book_value().expect("a margin"));
            let best = match game.to_move() {
                Side::First => margins.max(),
                Side::Second => margins.min(),
            };
            assert_eq!(game.book_value(), best, "{game:?}");
            later.extend(next.iter().map(Symmetry::canonical));
        }
        positions = later;
    }
    for game in positions {
        let mut next = game.moves().map(|m| game.after(m).book_value());
        assert!(next.all(|value| value.is_none()), "{game:?}");
    }
}

#[test]
fn a_value_in_the_book_is_that_of_the_best_move() {
    check_book(LineSet::ThirtyFour, -1);
    check_book(LineSet::ThirtyEight, -2);
}
