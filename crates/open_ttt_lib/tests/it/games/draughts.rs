use std::collections::{BTreeSet, HashSet};

use open_ttt_lib::games::{Draughts, DraughtsMove};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    Drawing, Encode, Heuristic, History, IndexedMoves, Notation, Outcome, Reason, Shape, Side,
    Tint, TwoPlayerGame, perft, play_text,
};

/// Letters on all 64 squares, from the top: `b` and `w` are men, `B` and `W` kings.
#[derive(Clone)]
struct PlainDraughts {
    board: [[char; 8]; 8],
    black_to_move: bool,
}

/// A row and a column.
type At = (i32, i32);

/// The squares on which a piece stands, and those of the pieces that it captures.
type PlainMove = (Vec<At>, BTreeSet<At>);

/// The number of a dark square, counted from the top left.
fn number((row, column): At) -> u8 {
    let mut number = 0;
    for y in 0..8 {
        for x in 0..8 {
            if (x + y) % 2 == 1 {
                number += 1;
                if (y, x) == (row, column) {
                    return number;
                }
            }
        }
    }
    panic!("row {row}, column {column} is no dark square");
}

impl PlainDraughts {
    fn new() -> Self {
        let rows = [
            " b b b b", "b b b b ", " b b b b", "        ", "        ", "w w w w ", " w w w w",
            "w w w w ",
        ];
        Self {
            board: rows.map(|row| {
                let letters: Vec<_> = row.chars().collect();
                letters.try_into().expect("eight letters")
            }),
            black_to_move: true,
        }
    }

    /// A space is a free square; a question mark is off the board.
    fn at(&self, (row, column): At) -> char {
        if (0..8).contains(&row) && (0..8).contains(&column) {
            self.board[row as usize][column as usize]
        } else {
            '?'
        }
    }

    fn set(&mut self, (row, column): At, letter: char) {
        self.board[row as usize][column as usize] = letter;
    }

    fn is_own(&self, letter: char) -> bool {
        letter.eq_ignore_ascii_case(if self.black_to_move { &'b' } else { &'w' })
    }

    fn is_opponents(&self, letter: char) -> bool {
        letter.eq_ignore_ascii_case(if self.black_to_move { &'w' } else { &'b' })
    }

    fn directions(piece: char) -> Vec<At> {
        match piece {
            'b' => vec![(1, -1), (1, 1)],
            'w' => vec![(-1, -1), (-1, 1)],
            _ => vec![(1, -1), (1, 1), (-1, -1), (-1, 1)],
        }
    }

    /// Every chain from a square, complete ones and others.
    fn jumps(&self, piece: char, path: &[At], taken: &BTreeSet<At>, found: &mut Vec<PlainMove>) {
        let at @ (row, column) = *path.last().expect("a start");
        let mut goes_on = false;
        let is_crowned =
            taken.iter().next().is_some() && (piece == 'b' && row == 7 || piece == 'w' && row == 0);
        if !is_crowned {
            for (down, right) in Self::directions(piece) {
                let over = (row + down, column + right);
                let landing = (row + 2 * down, column + 2 * right);
                let is_free = self.at(landing) == ' ' || landing == path[0];
                if self.is_opponents(self.at(over)) && !taken.contains(&over) && is_free {
                    goes_on = true;
                    let mut path = path.to_vec();
                    path.push(landing);
                    let mut taken = taken.clone();
                    taken.insert(over);
                    self.jumps(piece, &path, &taken, found);
                }
            }
        }
        if !goes_on && path.len() > 1 {
            assert_eq!(Some(&at), path.last());
            found.push((path.to_vec(), taken.clone()));
        }
    }

    /// The moves; a chain once for every order of its jumps.
    fn moves(&self) -> Vec<PlainMove> {
        let mut steps = Vec::new();
        let mut chains = Vec::new();
        for row in 0..8 {
            for column in 0..8 {
                let piece = self.at((row, column));
                if !self.is_own(piece) {
                    continue;
                }
                self.jumps(piece, &[(row, column)], &BTreeSet::new(), &mut chains);
                for (down, right) in Self::directions(piece) {
                    let to = (row + down, column + right);
                    if self.at(to) == ' ' {
                        steps.push((vec![(row, column), to], BTreeSet::new()));
                    }
                }
            }
        }
        if chains.is_empty() { steps } else { chains }
    }

    /// The moves; chains that capture the same pieces once.
    fn different_moves(&self) -> Vec<PlainMove> {
        let mut known = HashSet::new();
        let mut moves = self.moves();
        moves.retain(|(path, taken)| taken.is_empty() || known.insert((path[0], taken.clone())));
        moves
    }

    fn after(&self, (path, taken): &PlainMove) -> Self {
        let mut next = self.clone();
        let (from, to) = (path[0], path[path.len() - 1]);
        let piece = self.at(from);
        next.set(from, ' ');
        for &over in taken {
            next.set(over, ' ');
        }
        next.set(
            to,
            match (piece, to.0) {
                ('b', 7) => 'B',
                ('w', 0) => 'W',
                _ => piece,
            },
        );
        next.black_to_move = !self.black_to_move;
        next
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.different_moves();
        moves.iter().map(|m| self.after(m).perft(depth - 1)).sum()
    }
}

fn text((path, taken): &PlainMove) -> String {
    let numbers: Vec<_> = path.iter().map(|&at| number(at).to_string()).collect();
    numbers.join(if taken.is_empty() { "-" } else { "x" })
}

/// The moves of both boards, as moves of the game.
#[track_caller]
fn check_same(game: &Draughts, plain: &PlainDraughts) {
    for row in 0..8 {
        for column in 0..8 {
            if (row + column) % 2 == 1 {
                let shown = game.piece_on(number((row, column))).map(|piece| {
                    match (piece.side, piece.is_king) {
                        (Side::First, false) => 'b',
                        (Side::First, true) => 'B',
                        (Side::Second, false) => 'w',
                        (Side::Second, true) => 'W',
                    }
                });
                assert_eq!(shown.unwrap_or(' '), plain.at((row, column)), "{game:?}");
            }
        }
    }
    // Every order of the same jumps is the same move.
    let plain_moves = plain.moves();
    let read = plain_moves.iter().map(|plain| {
        let m = game.parse_move(&text(plain));
        let m = m.unwrap_or_else(|error| panic!("{error}"));
        let taken: BTreeSet<_> = plain.1.iter().map(|&at| number(at)).collect();
        assert_eq!(m.captured().collect::<BTreeSet<_>>(), taken, "{m}");
        m
    });
    let expected: HashSet<DraughtsMove> = read.collect();
    let moves: HashSet<_> = game.moves().collect();
    assert_eq!(moves, expected, "{game:?}");
    assert_eq!(game.moves().count(), moves.len(), "{game:?}");
    // A move is written as one of these orders.
    let texts: HashSet<_> = plain_moves.iter().map(text).collect();
    assert!(
        game.moves().all(|m| texts.contains(&m.to_string())),
        "{game:?}"
    );
    for &m in &moves {
        let path = m.path();
        let ends = [path[0], path[path.len() - 1]];
        assert_eq!([m.from(), m.to()], ends);
    }
    let loser = plain_moves.is_empty().then_some(game.to_move());
    assert_eq!(
        game.outcome(),
        loser.map(|side| Outcome::Win(!side)),
        "{game:?}"
    );
}

/// The picture has the dark squares with their numbers and pieces.
#[track_caller]
fn check_picture(game: &Draughts, plain: &PlainDraughts) {
    let picture = game.picture();
    assert_eq!(picture.cells.len(), 32);
    for cell in &picture.cells {
        let at = (7 - i32::from(cell.place.y), cell.place.x.into());
        let mark = cell.piece.as_ref().map_or(" ", |piece| piece.mark);
        assert_eq!(mark, plain.at(at).to_string(), "{game:?}");
        let is_king = cell.piece.is_some_and(|piece| piece.shape == Shape::King);
        assert_eq!(is_king, "BW".contains(mark), "{game:?}");
        assert_eq!(cell.label, Some(number(at).to_string()));
        assert_eq!(cell.tint, Some(Tint::Dark));
    }
}

/// A network sees the board from the side to move, with its own side at the bottom.
#[track_caller]
fn check_planes(game: &Draughts, plain: &PlainDraughts) {
    let kinds = if plain.black_to_move {
        ['b', 'B', 'w', 'W']
    } else {
        ['w', 'W', 'b', 'B']
    };
    let mut planes = [0.5; 256];
    game.encode(&mut planes);
    let squares = (0..8).flat_map(|row| (0..8).map(move |column| (row, column)));
    for (plane, kind) in planes.chunks(64).zip(kinds) {
        let expected = squares.clone().map(|(row, column)| {
            let at = if plain.black_to_move {
                (row, 7 - column)
            } else {
                (7 - row, column)
            };
            f32::from(u8::from(plain.at(at) == kind))
        });
        assert_eq!(plane, expected.collect::<Vec<_>>(), "{game:?}");
    }
}

#[test]
fn plays_as_the_plain_board_does() {
    let mut kings = 0;
    let mut long_chains = 0;
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let (mut game, mut plain) = (Draughts::new(), PlainDraughts::new());
        for _ in 0..300 {
            check_same(&game, &plain);
            check_picture(&game, &plain);
            check_planes(&game, &plain);
            let Some(m) = rng.pick(plain.different_moves()) else {
                break;
            };
            play_text(&mut game, &text(&m)).unwrap_or_else(|error| panic!("{error}"));
            plain = plain.after(&m);
            kings += usize::from(plain.board.iter().flatten().any(|&c| c == 'B' || c == 'W'));
            long_chains += usize::from(m.1.len() > 1);
        }
    }
    assert!(kings > 1_000 && long_chains > 50, "{kings}, {long_chains}");
}

/// Boards full of kings, on which chains are long and run in circles.
fn crowded(seed: u64) -> Option<(Draughts, PlainDraughts)> {
    let mut rng = Rng::new(seed);
    let mut plain = PlainDraughts::new();
    plain.board = [[' '; 8]; 8];
    plain.black_to_move = rng.below(2) == 0;
    let (mut black, mut white, mut kings) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..8 {
        for column in 0..8 {
            if (row + column) % 2 == 0 {
                continue;
            }
            let crowd = rng.below(100);
            let letter = match crowd {
                0..5 => 'B',
                5..8 => 'b',
                8..35 => 'w',
                35..40 => 'W',
                _ => ' ',
            };
            let letter = match (letter, row) {
                ('b', 7) => 'B',
                ('w', 0) => 'W',
                _ => letter,
            };
            plain.set((row, column), letter);
            let number = number((row, column));
            match letter {
                'b' | 'B' => black.push(number),
                'w' | 'W' => white.push(number),
                _ => {}
            }
            if letter.is_ascii_uppercase() {
                kings.push(number);
            }
        }
    }
    let side = if plain.black_to_move {
        Side::First
    } else {
        Side::Second
    };
    Some((Draughts::study(&black, &white, &kings, side)?, plain))
}

#[test]
fn long_chains_are_those_of_the_plain_board() {
    let mut circles = 0;
    let mut longest = 0;
    for seed in 0..4_000 {
        let Some((game, plain)) = crowded(seed) else {
            continue;
        };
        check_same(&game, &plain);
        for depth in 1..=2 {
            assert_eq!(perft(&game, depth), plain.perft(depth), "{game:?}");
        }
        circles += plain.moves().len() - plain.different_moves().len();
        longest = longest.max(plain.moves().iter().map(|m| m.1.len()).max().unwrap_or(0));
    }
    assert!(circles > 5 && longest > 4, "{circles}, {longest}");
}

#[test]
fn counts_as_the_plain_board_does() {
    for depth in 0..=5 {
        let expected = PlainDraughts::new().perft(depth);
        assert_eq!(perft(&Draughts::new(), depth), expected, "depth {depth}");
    }
}

/// A side that captures nine pieces, the most there are within reach, by numbers.
#[test]
fn the_longest_chain_has_nine_jumps() {
    let white = [6, 7, 8, 14, 15, 16, 22, 23, 24];
    let game = Draughts::study(&[1], &white, &[1], Side::First).expect("a position");
    let longest = game.moves().max_by_key(|m| m.captured().count());
    let longest = longest.expect("a chain");
    assert!(longest.captured().count() >= 8, "{longest}");
    assert_eq!(game.parse_move(&longest.to_string()), Ok(longest));
    assert_eq!(longest.path().len(), longest.captured().count() + 1);
}

/// A number for every chain that the plain board can have: on every square alone a king,
/// and every set of opponents that can be jumped from there.
#[test]
fn every_move_has_a_number_of_its_own() {
    let game = Draughts::new();
    let all: HashSet<_> = (0..game.move_count())
        .filter_map(|n| game.indexed_move(n))
        .collect();
    assert_eq!(all.len(), game.move_count());
    let mut steps = 0;
    let mut chains = 0;
    for row in 0..8_i32 {
        for column in 0..8_i32 {
            if (row + column) % 2 == 0 {
                continue;
            }
            let mut plain = PlainDraughts::new();
            plain.board = [[' '; 8]; 8];
            plain.set((row, column), 'B');
            steps += plain.moves().len();
            // The squares that a piece there can jump over.
            let jumped: Vec<At> = (1..7)
                .flat_map(|y| (1..7).map(move |x| (y, x)))
                .filter(|&(y, x)| (y + x) % 2 == 1 && (y - row) % 2 != 0)
                .collect();
            assert_eq!(jumped.len(), 9);
            let mut found = HashSet::new();
            for set in 0..1_u32 << jumped.len() {
                for (index, &at) in jumped.iter().enumerate() {
                    plain.set(at, if set >> index & 1 == 1 { 'w' } else { ' ' });
                }
                found.extend(
                    plain
                        .different_moves()
                        .into_iter()
                        .filter_map(|(_, taken)| (!taken.is_empty()).then_some(taken)),
                );
            }
            assert!(found.len() <= 31, "{} chains", found.len());
            chains += found.len();
        }
    }
    assert_eq!((steps, chains), (98, 936));
    assert_eq!(steps + chains, game.move_count());
}

#[test]
fn a_chain_can_be_shortened_if_one_fits() {
    // 1x10x19 and 1x10x17 begin alike.
    let game = Draughts::study(&[1], &[6, 15, 14], &[1], Side::First).expect("a position");
    let read = |text: &str| game.parse_move(text).map(|m| m.to_string());
    assert_eq!(read("1x10x19").as_deref(), Ok("1x10x19"));
    assert_eq!(read("1x19").as_deref(), Ok("1x10x19"));
    assert_eq!(read(" 1 X 17 ").as_deref(), Ok("1x10x17"));
    let half = game.parse_move("1x10").expect("a jump");
    assert_eq!(
        game.check(half).map_err(|error| error.reason),
        Err(Reason::Forbidden)
    );

    let single = Draughts::study(&[1], &[6, 15], &[1], Side::First).expect("a position");
    let only = single.parse_move("1x10").expect("the only chain");
    assert_eq!(only.to_string(), "1x10x19");
    for nonsense in [
        "1", "1-", "1-33", "0-1", "1-1", "1x3", "1x2", "01-05", "1x10x1", "1--6",
    ] {
        assert!(single.parse_move(nonsense).is_err(), "{nonsense}");
    }
}

#[test]
fn a_man_that_is_crowned_ends_its_move() {
    let game = Draughts::study(&[22], &[25, 26, 18], &[], Side::First).expect("a position");
    let texts: BTreeSet<_> = game.moves().map(|m| m.to_string()).collect();
    assert_eq!(
        texts,
        BTreeSet::from(["22x29".to_owned(), "22x31".to_owned()])
    );
    let mut next = game;
    play_text(&mut next, "22x31").expect("a jump");
    assert!(next.piece_on(31).is_some_and(|piece| piece.is_king));
    assert_eq!(next.piece_on(26), None);
}

#[test]
fn the_third_occurrence_of_a_position_is_a_draw() {
    let start = Draughts::study(&[1], &[32], &[1, 32], Side::First).expect("a position");
    let mut game = History::new(start);
    let mut plies = 0;
    for text in ["1-5", "32-27", "5-1", "27-32"].into_iter().cycle() {
        if game.outcome().is_some() {
            break;
        }
        let m = game.position().parse_move(text).expect("a step");
        game.play(m).expect("a legal move");
        plies += 1;
    }
    assert_eq!((plies, game.outcome()), (8, Some(Outcome::Draw)));
}

#[test]
fn impossible_studies_are_refused() {
    let first = Side::First;
    assert!(Draughts::study(&[0], &[], &[], first).is_none());
    assert!(Draughts::study(&[33], &[], &[], first).is_none());
    assert!(Draughts::study(&[255], &[], &[], first).is_none());
    assert!(Draughts::study(&[1, 1], &[], &[], first).is_none());
    assert!(Draughts::study(&[1], &[1], &[], first).is_none());
    assert!(Draughts::study(&[1], &[], &[2], first).is_none());
    assert!(Draughts::study(&[29], &[], &[], first).is_none());
    assert!(Draughts::study(&[], &[4], &[], first).is_none());
    let thirteen: Vec<u8> = (1..=13).collect();
    assert!(Draughts::study(&thirteen, &[], &[], first).is_none());
    let twelve: Vec<u8> = (1..=12).collect();
    let white: Vec<u8> = (21..=32).collect();
    assert_eq!(
        Draughts::study(&twelve, &white, &[], first),
        Some(Draughts::new())
    );
}

/// The board upside down, with the colours exchanged.
fn turned(game: &Draughts) -> Draughts {
    let (mut black, mut white, mut kings) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1..=32 {
        if let Some(piece) = game.piece_on(number) {
            match piece.side {
                Side::First => white.push(33 - number),
                Side::Second => black.push(33 - number),
            }
            if piece.is_king {
                kings.push(33 - number);
            }
        }
    }
    Draughts::study(&black, &white, &kings, !game.to_move()).expect("a position")
}

#[test]
fn the_heuristic_is_fair_and_looks_through_exchanges() {
    assert_eq!(Draughts::new().heuristic(), 0);
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let mut game = Draughts::new();
        while let Some(m) = rng.pick(game.moves()) {
            assert_eq!(game.heuristic(), turned(&game).heuristic(), "{game:?}");
            game.play_unchecked(m);
            if rng.below(80) == 0 {
                break;
            }
        }
    }
    // An exchange of one man for one: nobody is a man ahead in the middle of it.
    let mut game = Draughts::new();
    play_text(&mut game, "11-15 22-18").expect("legal moves");
    assert!(game.heuristic().abs() < 50, "{}", game.heuristic());
    play_text(&mut game, "15x22").expect("a jump");
    assert!(game.heuristic().abs() < 50, "{}", game.heuristic());
    // A man can be captured for nothing.
    let loses = Draughts::study(&[15, 1], &[18, 32], &[], Side::Second).expect("a position");
    assert!(loses.heuristic() > 50, "{}", loses.heuristic());
    // No move is left.
    let stuck = Draughts::study(&[], &[32], &[], Side::First).expect("a position");
    assert_eq!(
        (stuck.heuristic(), stuck.outcome()),
        (-10_000, Some(Outcome::Win(Side::Second)))
    );
}
