use std::collections::{BTreeMap, BTreeSet, HashSet};

use open_ttt_lib::games::{Column, ConnectFour};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    Heuristic, OpeningBook, Outcome, Place, Reason, Side, Tactics, TwoPlayerGame, perft, play_text,
};

use super::naive::{Grid, Naive, check_games, places, positions_by_ply, side};
use super::plain::{PlainMoves, plain_perft};

#[derive(Clone)]
struct NaiveFour {
    board: Grid,
}

impl NaiveFour {
    fn new() -> Self {
        Self {
            board: Grid::new(7, 6),
        }
    }

    /// Sixteen for each empty cell that would complete a four, two for a piece
    /// in the middle column, one for a piece beside it.
    fn heuristic(&self) -> i32 {
        let mut balance = 0;
        for letter in ['X', 'O'] {
            let sign = if letter == self.board.turn() { 1 } else { -1 };
            for (y, x) in (0..6).flat_map(|y| (0..7).map(move |x| (y, x))) {
                if self.board.grid[y][x] == letter {
                    balance += sign * [0, 0, 1, 2, 1, 0, 0][x];
                } else if self.board.grid[y][x] == '.' {
                    let mut filled = self.clone();
                    filled.board.grid[y][x] = letter;
                    if filled.lines().len() > self.lines().len() {
                        balance += sign * 16;
                    }
                }
            }
        }
        balance
    }
}

impl PlainMoves for NaiveFour {
    fn moves(&self) -> Vec<String> {
        let open = |x: &usize| self.outcome().is_none() && self.board.grid[5][*x] == '.';
        (0..7).filter(open).map(|x| (x + 1).to_string()).collect()
    }

    fn play(&mut self, text: &str) {
        let column: usize = text.parse().expect("a column");
        let turn = self.board.turn();
        let free = self
            .board
            .grid
            .iter_mut()
            .find(|row| row[column - 1] == '.');
        free.expect("the column has room")[column - 1] = turn;
    }
}

impl Naive for NaiveFour {
    fn outcome(&self) -> Option<Outcome> {
        match self.lines().first() {
            Some(&(winner, _)) => Some(Outcome::Win(winner)),
            None if self.board.count('.') == 0 => Some(Outcome::Draw),
            None => None,
        }
    }

    fn cells(&self) -> BTreeMap<Place, Option<Side>> {
        self.board.cells()
    }

    /// Every four cells in a row of one letter; a five has two of them.
    fn lines(&self) -> Vec<(Side, Vec<Place>)> {
        let fours = self.board.runs(4).into_iter().flat_map(|(letter, run)| {
            let piece = side(letter).expect("a piece");
            let fours: Vec<_> = run.windows(4).map(|four| (piece, places(four))).collect();
            fours
        });
        fours.collect()
    }

    fn points(&self) -> Option<[u32; 2]> {
        None
    }
}

#[test]
fn counts_as_the_naive_board_does() {
    for depth in 0..=5 {
        assert_eq!(
            perft(&ConnectFour::new(), depth),
            plain_perft(&NaiveFour::new(), depth),
            "depth {depth}"
        );
    }
}

/// The counts are those of John Tromp (OEIS A212693).
#[test]
fn positions_are_as_many_as_published() {
    let counts = positions_by_ply(&ConnectFour::new(), 8);
    assert_eq!(
        counts,
        [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275]
    );
}

#[test]
fn plays_as_the_naive_board_does() {
    check_games(&ConnectFour::new(), &NaiveFour::new(), 200);
}

#[test]
fn the_heuristic_is_what_it_says() {
    for seed in 0..10 {
        let (mut game, mut naive) = (ConnectFour::new(), NaiveFour::new());
        let mut rng = Rng::new(seed);
        while let Some(text) = rng.pick(naive.moves()) {
            assert_eq!(game.heuristic(), naive.heuristic(), "{game:?}");
            naive.play(&text);
            play_text(&mut game, &text).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn every_four_wins() {
    let naive = NaiveFour::new();
    let fours: BTreeSet<_> = naive
        .board
        .all_lines()
        .iter()
        .flat_map(|line| line.windows(4).map(places).collect::<Vec<_>>())
        .collect();
    assert_eq!(fours.len(), 69, "the board has 69 fours");

    // Random games are kept until each four has won one.
    let mut seen = BTreeSet::new();
    let mut rng = Rng::new(4);
    while seen.len() < fours.len() {
        let mut game = ConnectFour::new();
        while let Some(column) = rng.pick(game.moves()) {
            game.play_unchecked(column);
        }
        for mut line in open_ttt_lib::rules::Drawing::picture(&game).lines {
            line.places.sort();
            assert!(fours.contains(&line.places), "{line:?}");
            seen.insert(line.places);
        }
    }
}

#[test]
fn a_full_column_is_refused() {
    let mut game = ConnectFour::new();
    play_text(&mut game, "444444").expect("six pieces fit");
    let refused = game
        .play(Column::new(3).expect("the fourth column"))
        .expect_err("the column is full");
    assert_eq!(refused.reason, Reason::Full);
    assert_eq!(game.owner(refused.attempted, 5), Some(Side::Second));
    assert_eq!(game.owner(refused.attempted, 6), None);
    assert_eq!(game.owner(refused.attempted, 255), None);
}

#[test]
fn a_full_board_is_a_draw() {
    let mut game = ConnectFour::new();
    let moves = "111111 222222 333333 7 444444 555555 666666 77777";
    play_text(&mut game, moves).expect("nobody has four before the end");
    assert_eq!(game.outcome(), Some(Outcome::Draw));
}

/// Random unfinished positions without a win at once, some at each ply.
fn quiet_positions(games: u64) -> impl Iterator<Item = ConnectFour> {
    (0..games).flat_map(|seed| {
        let mut rng = Rng::new(seed);
        let mut game = ConnectFour::new();
        let positions = core::iter::from_fn(move || {
            game.play_unchecked(rng.pick(game.moves())?);
            Some(game)
        });
        positions.filter(|game| game.outcome().is_none() && !game.wins_at_once())
    })
}

#[test]
fn non_losing_moves_come_in_the_order_of_their_threats() {
    let (mut ordered, mut below) = (0, 0);
    for game in quiet_positions(300) {
        let before = naive_threats(&game, game.to_move());
        let rank = |m: Column| {
            let height = (0..6).find(|&height| game.owner(m, height).is_none());
            let height = height.expect("a legal move has a free cell");
            let threats = naive_threats(&game.after(m), game.to_move());
            let is_below = before.contains(&(m.index(), height + 1));
            let new = threats.difference(&before).count().min(7);
            (is_below, core::cmp::Reverse(new), m.index().abs_diff(3))
        };
        let ranks: Vec<_> = game.non_losing_moves().map(rank).collect();
        assert!(ranks.is_sorted(), "{ranks:?}: {game:?}");
        ordered += usize::from(ranks.first() < ranks.last());
        below += usize::from(ranks.len() > 1 && ranks.last().is_some_and(|rank| rank.0));
    }
    assert!(ordered > 1_000 && below > 100, "{ordered} {below}");
}

/// The free cells, by column and height, that would complete a four of this side.
fn naive_threats(game: &ConnectFour, side: Side) -> BTreeSet<(u8, u8)> {
    let owner = |x: i8, y: i8| {
        let column = Column::new(u8::try_from(x).ok()?)?;
        game.owner(column, u8::try_from(y).ok()?)
    };
    let completes = |x: i8, y: i8| {
        [(0, 1), (1, 0), (1, 1), (1, -1)]
            .into_iter()
            .any(|(dx, dy)| {
                let run = |sign: i8| {
                    let own = |&n: &i8| owner(x + sign * n * dx, y + sign * n * dy) == Some(side);
                    (1..4).take_while(own).count()
                };
                run(1) + run(-1) >= 3
            })
    };
    let cells = (0..7).flat_map(|x| (0..6).map(move |y| (x, y)));
    cells
        .filter(|&(x, y)| owner(x, y).is_none() && completes(x, y))
        .map(|(x, y)| (x as u8, y as u8))
        .collect()
}

/// Zugzwang is rare: some of its kinds come once in ten thousand games.
#[test]
fn a_win_with_the_second_move_is_seen() {
    let (mut won, mut all) = (0, 0);
    for game in quiet_positions(20_000) {
        let mut next = game.non_losing_moves().map(|m| game.after(m));
        let wins =
            next.any(|next| next.outcome().is_none() && next.non_losing_moves().next().is_none());
        assert_eq!(game.wins_with_second_move(), Some(wins), "{game:?}");
        won += usize::from(wins);
        all += 1;
    }
    assert!(won > 10_000, "{won} of {all}");
}

/// Whether there are four cells in a row without a piece of the other side.
fn has_open_line(game: &ConnectFour, side: Side) -> bool {
    let is_open = |x: i8, y: i8| {
        let column = u8::try_from(x).ok().and_then(Column::new);
        let height = u8::try_from(y).ok().filter(|&height| height < 6);
        let owner = |(column, height)| game.owner(column, height);
        column
            .zip(height)
            .is_some_and(|cell| owner(cell) != Some(!side))
    };
    let starts = (0..7).flat_map(|x| (0..6).map(move |y| (x, y)));
    let ways = [(0, 1), (1, 0), (1, 1), (1, -1)];
    let mut lines = starts.flat_map(|start| ways.map(|way| (start, way)));
    lines.any(|((x, y), (dx, dy))| (0..4).all(|n| is_open(x + n * dx, y + n * dy)))
}

#[test]
fn who_has_no_line_left_cannot_win() {
    let mut counts = [0; 2];
    for game in quiet_positions(4_000) {
        for side in Side::BOTH {
            let can = has_open_line(&game, side);
            assert_eq!(game.can_still_win(side), can, "{side:?}: {game:?}");
            counts[usize::from(can)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn who_cannot_force_a_win_does_not_win() {
    let mut denied = [0; 2];
    let late = quiet_positions(20_000).filter(|game| game.plies_left() <= 10);
    for game in late {
        for side in Side::BOTH {
            if game.can_still_win(side) && !game.can_force_win(side) {
                let plies = plies_to_forced_win(&game, side, &mut BTreeMap::new());
                assert_eq!(plies, None, "{game:?}");
                denied[game.to_move().index()] += 1;
            }
        }
    }
    assert!(denied.iter().all(|&count| count > 20), "{denied:?}");
}

#[test]
fn who_wins_within_some_plies_does() {
    // By the side to move and the side that wins.
    let mut won = [[0; 2]; 2];
    let late = quiet_positions(40_000).filter(|game| game.plies_left() <= 12);
    for game in late {
        for side in Side::BOTH {
            let mut plies = 0..=game.plies_left();
            let Some(promised) = plies.find(|&plies| game.wins_within(side, plies)) else {
                continue;
            };
            assert!(plies.all(|plies| game.wins_within(side, plies)), "{game:?}");
            let fastest = plies_to_forced_win(&game, side, &mut BTreeMap::new());
            assert!(
                fastest.is_some_and(|fastest| fastest <= promised),
                "{fastest:?}, not {promised}: {game:?}"
            );
            won[game.to_move().index()][side.index()] += 1;
        }
    }
    assert!(
        won.as_flattened().iter().all(|&count| count > 20),
        "{won:?}"
    );
}

/// In how many plies a side wins against best defence, by exhaustive search.
fn plies_to_forced_win(
    game: &ConnectFour,
    side: Side,
    known: &mut BTreeMap<String, Option<u32>>,
) -> Option<u32> {
    if let Some(outcome) = game.outcome() {
        return (outcome == Outcome::Win(side)).then_some(0);
    }
    let key = format!("{game:?}");
    if let Some(&plies) = known.get(&key) {
        return plies;
    }
    let next = game.moves().map(|m| game.after(m));
    let plies = next.map(|next| plies_to_forced_win(&next, side, known));
    let plies = if game.to_move() == side {
        plies.flatten().min()
    } else {
        plies
            .collect::<Option<Vec<_>>>()
            .and_then(|plies| plies.into_iter().max())
    };
    let plies = plies.map(|plies| plies + 1);
    known.insert(key, plies);
    plies
}

/// Victor Allis, "A knowledge-based approach of Connect-Four", 1988, and for the number of
/// plies John Tromp's solution of 1995.
#[test]
fn the_first_moves_have_the_published_values() {
    let half = [
        (Outcome::Win(Side::Second), 39),
        (Outcome::Win(Side::Second), 41),
        (Outcome::Draw, 41),
    ];
    let middle = (Outcome::Win(Side::First), 40);
    let all = half
        .into_iter()
        .chain([middle])
        .chain(half.into_iter().rev());
    let start = ConnectFour::new();
    let values = start.moves().map(|m| start.after(m).book_value());
    assert!(values.eq(all.map(Some)));
}

/// How much the side to move likes a value: fast wins, then draws, then slow losses.
fn rank(game: &ConnectFour, (outcome, plies): (Outcome, u32)) -> i32 {
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(side) if side == game.to_move() => 100 - plies as i32,
        Outcome::Win(_) => plies as i32 - 100,
    }
}

#[test]
fn a_value_in_the_book_is_that_of_the_best_move() {
    let mut by_plies = [0; ConnectFour::BOOK_PLIES as usize];
    let mut outcomes = HashSet::new();
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let mut game = ConnectFour::new();
        while game.outcome().is_none() && game.plies() < ConnectFour::BOOK_PLIES {
            let value = game.book_value().expect("a position of the book");
            let next = game.moves().map(|m| {
                let next = game.after(m);
                if let Some(outcome) = next.outcome() {
                    assert_eq!(next.book_value(), None, "{next:?}");
                    (outcome, 1)
                } else {
                    let (outcome, plies) = next.book_value().expect("a position of the book");
                    (outcome, plies + 1)
                }
            });
            let best = next.max_by_key(|&value| rank(&game, value));
            assert_eq!(Some(value), best, "{game:?}");
            outcomes.insert(value.0);
            by_plies[game.plies() as usize] += u32::from(!game.wins_at_once());
            game.play_unchecked(rng.pick(game.moves()).expect("a legal move"));
        }
        // The last positions that the book has, and the first that it hasn't.
        if game.outcome().is_none() {
            assert!(game.book_value().is_some(), "{game:?}");
            let next = game.after(rng.pick(game.moves()).expect("a legal move"));
            assert_eq!(next.book_value(), None, "{next:?}");
        }
    }
    assert_eq!(outcomes.len(), 3);
    assert!(by_plies.iter().all(|&count| count > 100), "{by_plies:?}");
}
