use std::collections::{BTreeSet, HashMap};

use open_ttt_lib::games::{Hex, HexCell, HexMove};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    CompactKey, Dihedral, Drawing, Heuristic, IndexedMoves, Notation, Outcome, Reason, Side,
    Symmetry, TwoPlayerGame, perft, play_text,
};

use super::plain::{PlainMoves, plain_perft};

/// The cells as letters, `R`, `B` or `.`, `grid[row][column]` from the top left.
#[derive(Clone)]
struct NaiveHex {
    grid: Vec<Vec<char>>,
    turn: char,
    plies: usize,
    has_swap: bool,
}

/// A column and a row.
type At = (usize, usize);

fn opponent(colour: char) -> char {
    if colour == 'R' { 'B' } else { 'R' }
}

fn name((column, row): At) -> String {
    format!("{}{}", &"abcdefghijklm"[column..=column], row + 1)
}

fn touch(a: At, b: At) -> bool {
    let right = b.0 as i32 - a.0 as i32;
    let down = b.1 as i32 - a.1 as i32;
    [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)].contains(&(right, down))
}

impl NaiveHex {
    fn new(size: u8, has_swap: bool) -> Self {
        Self {
            grid: vec![vec!['.'; size.into()]; size.into()],
            turn: 'R',
            plies: 0,
            has_swap,
        }
    }

    fn all(&self) -> impl Iterator<Item = At> + use<> {
        let size = self.grid.len();
        (0..size).flat_map(move |row| (0..size).map(move |column| (column, row)))
    }

    fn at(&self, (column, row): At) -> char {
        self.grid[row][column]
    }

    /// Whether a colour connects its edges, by growing the set of its stones that are
    /// connected with the first one.
    fn connects(&self, colour: char) -> bool {
        let along = |at: At| if colour == 'R' { at.1 } else { at.0 };
        let mut open: Vec<_> = self.all().filter(|&at| self.at(at) == colour).collect();
        let mut grown: Vec<_> = open.extract_if(.., |at| along(*at) == 0).collect();
        let mut next = 0;
        while next < grown.len() {
            let from = grown[next];
            if along(from) == self.grid.len() - 1 {
                return true;
            }
            grown.extend(open.extract_if(.., |at| touch(from, *at)));
            next += 1;
        }
        false
    }

    fn winner(&self) -> Option<char> {
        "RB".chars().find(|&colour| self.connects(colour))
    }

    /// The board as a number with a digit to base three for each cell.
    fn number(&self) -> usize {
        let digits = self.grid.iter().flatten().map(|colour| match colour {
            'R' => 1,
            'B' => 2,
            _ => 0,
        });
        digits.fold(0, |number, digit| 3 * number + digit)
    }

    /// Whether the side to move wins, without the swap rule. `known` has what is known
    /// of each board.
    fn wins(&mut self, known: &mut [Option<bool>]) -> bool {
        if let Some(wins) = known[self.number()] {
            return wins;
        }
        // Only the opponent can have won.
        if self.connects(opponent(self.turn)) {
            return false;
        }
        let free: Vec<_> = self.all().filter(|&at| self.at(at) == '.').collect();
        let colour = self.turn;
        let wins = free.into_iter().any(|(column, row)| {
            self.grid[row][column] = colour;
            self.turn = opponent(colour);
            let wins = !self.wins(known);
            self.grid[row][column] = '.';
            self.turn = colour;
            wins
        });
        known[self.number()] = Some(wins);
        wins
    }
}

impl PlainMoves for NaiveHex {
    fn moves(&self) -> Vec<String> {
        if self.winner().is_some() {
            return Vec::new();
        }
        let free = self.all().filter(|&at| self.at(at) == '.').map(name);
        let swap = self.has_swap && self.plies == 1;
        free.chain(swap.then(|| "swap".to_owned())).collect()
    }

    fn play(&mut self, text: &str) {
        if text == "swap" {
            let stone = self.all().find(|&at| self.at(at) == 'R').expect("a stone");
            self.grid[stone.1][stone.0] = '.';
            self.grid[stone.0][stone.1] = 'B';
        } else {
            let at = self.all().find(|&at| name(at) == text).expect("a cell");
            self.grid[at.1][at.0] = self.turn;
        }
        self.turn = opponent(self.turn);
        self.plies += 1;
    }
}

fn hex(size: u8) -> Hex {
    Hex::new(size).expect("a size of the game")
}

fn cell(text: &str) -> HexCell {
    match hex(13).parse_move(text) {
        Ok(HexMove::Stone(cell)) => cell,
        other => panic!("{text}: {other:?}"),
    }
}

fn side(colour: char) -> Option<Side> {
    match colour {
        'R' => Some(Side::First),
        'B' => Some(Side::Second),
        _ => None,
    }
}

#[track_caller]
fn check_same(game: &Hex, naive: &NaiveHex) {
    assert_eq!(usize::from(game.size()), naive.grid.len());
    let moves: BTreeSet<_> = game.moves().map(|m| game.move_text(m)).collect();
    assert_eq!(moves, naive.moves().into_iter().collect(), "{game:?}");
    let number = moves.len();
    assert_eq!(game.moves().size_hint(), (number, Some(number)), "{game:?}");
    let winner = naive.winner().and_then(side);
    assert_eq!(game.outcome(), winner.map(Outcome::Win), "{game:?}");
    assert_eq!(side(naive.turn), Some(game.to_move()), "{game:?}");
    for at in naive.all() {
        let owner = game.owner(cell(&name(at)));
        assert_eq!(owner, side(naive.at(at)), "{} of {game:?}", name(at));
    }
}

/// Plays random games, every other one with a swap.
#[test]
fn plays_as_the_naive_board_does() {
    for size in [3, 4, 5, 8, 11, 13] {
        for seed in 0..30 {
            let mut rng = Rng::new(seed);
            let (mut game, mut naive) = (hex(size), NaiveHex::new(size, true));
            check_same(&game, &naive);
            while let Some(text) = rng.pick(naive.moves()) {
                let text = match naive.plies {
                    1 if seed % 2 == 0 => "swap".to_owned(),
                    _ => text,
                };
                play_text(&mut game, &text).unwrap();
                naive.play(&text);
                check_same(&game, &naive);
            }
        }
    }
}

#[test]
fn counts_as_the_naive_board_does() {
    for (size, depths) in [(3, 6), (4, 4), (13, 2)] {
        for depth in 0..=depths {
            for (game, has_swap) in [(Hex::without_swap(size), false), (Hex::new(size), true)] {
                let game = game.expect("a size of the game");
                let expected = plain_perft(&NaiveHex::new(size, has_swap), depth);
                assert_eq!(perft(&game, depth), expected, "{size}, {depth}");
            }
        }
    }
}

/// The cells of the openings that win without the swap rule, by brute force.
fn winning_openings(size: u8) -> String {
    let mut naive = NaiveHex::new(size, false);
    let mut known = vec![None; 3_usize.pow(naive.all().count() as u32)];
    let mut winning = Vec::new();
    for (column, row) in naive.all() {
        naive.grid[row][column] = 'R';
        naive.turn = 'B';
        if !naive.wins(&mut known) {
            winning.push(name((column, row)));
        }
        naive.grid[row][column] = '.';
    }
    winning.join(" ")
}

/// Plain search without a table of positions.
fn wins(game: &Hex) -> bool {
    game.moves().any(|m| {
        let next = game.after(m);
        next.outcome() == Some(Outcome::Win(game.to_move())) || !wins(&next)
    })
}

#[test]
fn openings_on_nine_cells_win_as_by_brute_force() {
    const WINNING: &str = "c1 a2 b2 c2 a3";
    assert_eq!(winning_openings(3), WINNING);
    let game = Hex::without_swap(3).expect("a small board");
    let won = game.moves().filter(|&m| !wins(&game.after(m)));
    let texts: Vec<_> = won.map(|m| game.move_text(m)).collect();
    assert_eq!(texts.join(" "), WINNING);
}

/// Of sixteen cells, those on the short diagonal.
#[test]
fn openings_on_sixteen_cells_win_on_the_short_diagonal() {
    assert_eq!(winning_openings(4), "d1 c2 b3 a4");
}

/// Whether the side to move wins, and the cells that its opponent, or it, needs for the
/// win: a move of the loser on any other cell changes nothing (the "must-play region" of
/// van Rijswijck and Hayward).
fn wins_on_cells(game: &Hex, known: &mut HashMap<u64, (bool, u64)>) -> (bool, u64) {
    if game.outcome().is_some() {
        return (false, 0);
    }
    if let Some(&known) = known.get(&game.key()) {
        return known;
    }
    let mut nexts: Vec<_> = game.moves().map(|m| (m, game.after(m))).collect();
    nexts.sort_by_cached_key(|(_, next)| match next.outcome() {
        Some(_) => i32::MIN,
        None => next.heuristic(),
    });
    let (mut must_play, mut needed) = (u64::MAX, 0);
    let mut result = None;
    for (m, next) in nexts {
        let cell = 1 << game.move_index(m);
        if must_play & cell != 0 {
            let (opponent_wins, cells) = wins_on_cells(&next, known);
            if !opponent_wins {
                result = Some((true, cells | cell));
                break;
            }
            must_play &= cells;
            needed |= cells;
        }
    }
    let result = result.unwrap_or((false, needed));
    known.insert(game.key(), result);
    result
}

#[track_caller]
fn check_openings(size: u8, cells: &str, expected: bool) {
    let game = Hex::without_swap(size).expect("a small board");
    for text in cells.split(' ') {
        let next = game.after(HexMove::Stone(cell(text)));
        let (opponent_wins, _) = wins_on_cells(&next, &mut HashMap::new());
        assert_eq!(!opponent_wins, expected, "{text}");
    }
}

/// Those that are found soon of 25 cells. All 13 winning openings, found by the same
/// search within a minute, are e1, b2 to e2, b3 to d3, a4 to d4 and a5. Published: a1 and
/// b1 lose on every board; `HexWiki` asks whether c3 wins on all from this size on.
#[test]
fn openings_win_as_by_a_search_of_needed_cells() {
    check_openings(4, "d1 c2 b3 a4", true);
    check_openings(4, "a1 b1 c1 a2 b2 d2", false);
    check_openings(5, "c3 d2", true);
    check_openings(5, "b1 c1 d1", false);
}

/// With the swap rule the second side wins: it swaps a winning opening.
#[test]
fn the_second_side_wins_with_a_swap() {
    let game = hex(3);
    assert!(!wins(&game));
    for m in game.moves() {
        let next = game.after(m);
        let swapped = next.after(HexMove::Swap);
        let plain = Hex::without_swap(3).expect("a small board").after(m);
        assert_eq!(wins(&swapped), wins(&plain), "{m}");
    }
}

/// A reflection that exchanges the colours too.
#[test]
fn a_swap_reflects_the_stone() {
    let mut game = hex(5);
    play_text(&mut game, "d2 swap").unwrap();
    assert_eq!(game.owner(cell("d2")), None);
    assert_eq!(game.owner(cell("b4")), Some(Side::Second));
    assert_eq!(game.to_move(), Side::First);
    // On the long diagonal it stays where it is.
    let mut game = hex(5);
    play_text(&mut game, "c3 swap").unwrap();
    assert_eq!(game.owner(cell("c3")), Some(Side::Second));
}

#[test]
fn a_swap_is_only_the_answer_to_the_first_move() {
    let refused = |game: &Hex| game.check(HexMove::Swap).expect_err("too late").reason;
    let mut game = hex(4);
    assert_eq!(refused(&game), Reason::Forbidden);
    play_text(&mut game, "a1 b1").unwrap();
    assert_eq!(refused(&game), Reason::Forbidden);
    let mut game = hex(4);
    play_text(&mut game, "a1 swap").unwrap();
    assert_eq!(refused(&game), Reason::Forbidden);
    play_text(&mut game, "b2").unwrap();
    assert_eq!(refused(&game), Reason::Forbidden);
    let mut game = Hex::without_swap(4).expect("a small board");
    play_text(&mut game, "a1").unwrap();
    assert_eq!(refused(&game), Reason::Forbidden);
    assert_eq!((game.has_swap(), game.move_count()), (false, 16));
    assert_eq!((hex(4).has_swap(), hex(4).move_count()), (true, 17));
    let error = game.parse_move("e1").unwrap_err().to_string();
    assert!(error.ends_with("as in a1"), "{error}");
}

/// The game keeps its cells in three words; here a side has the same bits in two of them.
#[test]
fn stones_far_apart_are_stones() {
    for moves in ["b1 a1 c1 i5 d1", "b1 i5 c1 c10 d1"] {
        let mut game = hex(13);
        play_text(&mut game, moves).unwrap();
        assert_eq!(game.moves().count(), 13 * 13 - 5, "{moves}");
    }
}

#[test]
fn moves_are_refused_with_a_reason() {
    let mut game = hex(3);
    play_text(&mut game, "b2").unwrap();
    let refused = |game: &Hex, text| {
        let m = HexMove::Stone(cell(text));
        game.check(m).expect_err("illegal").reason
    };
    assert_eq!(refused(&game, "b2"), Reason::Occupied);
    assert_eq!(refused(&game, "d1"), Reason::OffBoard);
    assert_eq!(refused(&game, "a4"), Reason::OffBoard);
    play_text(&mut game, "a1 c1 a2 b3").unwrap();
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(refused(&game, "c3"), Reason::GameOver);
    for size in (0..=2).chain(14..=255) {
        assert_eq!(Hex::new(size), None);
        assert_eq!(Hex::without_swap(size), None);
    }
    for (column, row) in [(13, 0), (0, 13), (255, 255)] {
        assert_eq!(HexCell::new(column, row), None);
    }
}

#[test]
fn playouts_are_random_games() {
    for start in [hex(4), Hex::without_swap(3).expect("a small board")] {
        let mut rng = Rng::new(1);
        let mut wins = [0_u32; 2];
        for _ in 0..20_000 {
            let first = Outcome::Win(Side::First);
            wins[0] += u32::from(start.play_out(&mut || rng.next_u64()) == first);
            let mut game = start;
            while let Some(m) = rng.pick(game.moves()) {
                game.play_unchecked(m);
            }
            wins[1] += u32::from(game.outcome() == Some(first));
        }
        // Seven standard deviations of the difference.
        assert!(wins[0].abs_diff(wins[1]) < 700, "{wins:?}");
    }
}

/// The stones that a colour needs if the other doesn't interfere, where bridges count as
/// connections: the shortest path over single steps and bridges.
fn stones_needed(naive: &NaiveHex, colour: char) -> i32 {
    let last = naive.grid.len() - 1;
    let along = |at: At| if colour == 'R' { at.1 } else { at.0 };
    let free = |at: At| naive.at(at) == '.';
    let touching = |at: At| naive.all().filter(move |&other| touch(at, other));
    // A cell next to the edge is connected with it over two free cells.
    let near = |at: At, edge: usize| {
        let beside = touching(at).filter(|&other| along(other) == edge && free(other));
        along(at) == edge || along(at).abs_diff(edge) == 1 && beside.count() == 2
    };
    let linked = |a: At, b: At| {
        let both = touching(a).filter(|&other| touch(other, b) && free(other));
        touch(a, b) || both.count() == 2
    };
    let cost = |at: At| match naive.at(at) {
        '.' => Some(1),
        other => (other == colour).then_some(0),
    };
    // Bellman and Ford.
    let mut needed: HashMap<At, i32> = HashMap::new();
    loop {
        let mut changed = false;
        for at in naive.all() {
            let Some(cost) = cost(at) else { continue };
            let before = naive.all().filter(|&other| linked(other, at));
            let before = before.filter_map(|other| needed.get(&other).copied()).min();
            let before = if near(at, 0) { Some(0) } else { before };
            if let Some(before) = before
                && needed.get(&at).is_none_or(|&n| before + cost < n)
            {
                needed.insert(at, before + cost);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let ends = naive.all().filter(|&at| near(at, last));
    let least = ends.filter_map(|at| needed.get(&at)).min();
    least.copied().unwrap_or(2 * (last as i32 + 1))
}

#[test]
fn the_heuristic_is_what_it_says() {
    for (size, games) in [(3, 20), (5, 10), (7, 3)] {
        for seed in 0..games {
            let mut rng = Rng::new(seed);
            let (mut game, mut naive) = (hex(size), NaiveHex::new(size, true));
            while let Some(text) = rng.pick(naive.moves()) {
                let own = stones_needed(&naive, naive.turn);
                let other = stones_needed(&naive, opponent(naive.turn));
                assert_eq!(game.heuristic(), 100 * (other - own) + 50, "{game:?}");
                play_text(&mut game, &text).unwrap();
                naive.play(&text);
            }
        }
    }
}

/// The line of a picture is a connection from edge to edge, and a shortest one.
#[test]
fn the_line_is_a_shortest_connection() {
    let mut game = Hex::without_swap(4).expect("a small board");
    play_text(&mut game, "b1 a1 a2 a4 c2 d3 b2 d1 b3 d4 d2 c4 b4").unwrap();
    let [line] = &game.picture().lines[..] else {
        panic!("one line: {game:?}");
    };
    // From the top, whose row has the highest number, to the bottom.
    let places: Vec<_> = line.places.iter().map(|place| (place.x, place.y)).collect();
    assert_eq!(places, [(1, 3), (1, 2), (1, 1), (1, 0)]);
}

#[test]
fn images_have_one_canonical_position() {
    let mut rng = Rng::new(3);
    for size in [3, 6, 13] {
        let mut game = hex(size);
        while let Some(m) = rng.pick(game.moves()) {
            for &transform in game.symmetries() {
                assert_eq!(game.image(transform).canonical(), game.canonical());
            }
            game.play_unchecked(m);
        }
    }
    let game = hex(3).after(HexMove::Stone(cell("a2")));
    let turned = game.image(Dihedral::HalfTurn);
    assert_eq!(turned.owner(cell("c2")), Some(Side::First));
    assert_ne!(turned.key(), game.key());
}

#[test]
fn a_transform_that_exchanges_the_edges_changes_nothing() {
    let stone = HexMove::Stone(cell("a2"));
    let game = hex(3).after(stone);
    for &transform in Dihedral::SQUARE {
        let m = game.move_image(stone, transform);
        if game.symmetries().contains(&transform) {
            assert_eq!(game.image(transform), hex(3).after(m));
        } else {
            assert_eq!((game.image(transform), m), (game, stone));
        }
        for off_board in ["d1", "a4", "d4"] {
            let m = HexMove::Stone(cell(off_board));
            assert_eq!(game.move_image(m, transform), m);
        }
    }
}
