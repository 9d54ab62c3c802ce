//! An independent implementation of the rules, as simple as possible, to test the
//! program against.

use std::collections::{BTreeMap, BTreeSet};

/// The mark with `k` in a row on a board of characters.
pub(crate) fn in_a_row(board: &BTreeMap<(i32, i32), char>, k: i32) -> Option<char> {
    board.iter().find_map(|(&(x, y), &mark)| {
        let line = |(dx, dy)| (1..k).all(|n| board.get(&(x + n * dx, y + n * dy)) == Some(&mark));
        [(1, 0), (0, 1), (1, 1), (1, -1)]
            .into_iter()
            .any(line)
            .then_some(mark)
    })
}

/// The rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// Tic-tac-toe.
    Three,
    ConnectFour,
    /// Eight pegs, with the number of scoring lines.
    Pegs(usize),
}

impl Rules {
    pub(crate) const fn sides(self) -> [&'static str; 2] {
        match self {
            Self::Three => ["X", "O"],
            Self::ConnectFour => ["Red", "Yellow"],
            Self::Pegs(_) => ["Red", "White"],
        }
    }

    /// The noun for a move.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Three => "Coordinates",
            Self::ConnectFour => "Column",
            Self::Pegs(_) => "Peg",
        }
    }

    /// The legal moves in order, empty after the end of the game.
    pub(crate) fn moves(self, played: &[String]) -> Vec<String> {
        if self.result(played).is_some() {
            return Vec::new();
        }
        let height = |m: &str| played.iter().filter(|&p| p == m).count();
        let (all, most): (Vec<String>, _) = match self {
            Self::Three => (cells(), 1),
            Self::ConnectFour => (('1'..='7').map(String::from).collect(), 6),
            Self::Pegs(_) => (('A'..='H').map(String::from).collect(), 3),
        };
        all.into_iter().filter(|m| height(m) < most).collect()
    }

    /// The result text after the end of the game.
    pub(crate) fn result(self, played: &[String]) -> Option<String> {
        let (k, full) = match self {
            Self::Three => (3, 9),
            Self::ConnectFour => (4, 42),
            Self::Pegs(lines) => {
                let points = pegs_points(&played.concat(), lines);
                return (played.len() == 24).then(|| match points {
                    [red, white] if red > white => format!("Red wins {red} to {white}"),
                    [red, white] if red < white => format!("White wins {white} to {red}"),
                    [red, white] => format!("Draw, {red} to {white}"),
                });
            }
        };
        match in_a_row(&self.board(played), k) {
            Some('1') => Some(format!("{} wins", self.sides()[0])),
            Some(_) => Some(format!("{} wins", self.sides()[1])),
            None => (played.len() == full).then(|| "Draw".to_owned()),
        }
    }

    /// The pieces of a flat board by column and row.
    fn board(self, played: &[String]) -> BTreeMap<(i32, i32), char> {
        let mut board = BTreeMap::new();
        for (number, m) in played.iter().enumerate() {
            let place = if self == Self::ConnectFour {
                let column = m.parse::<i32>().unwrap();
                let below = played[..number].iter().filter(|&p| p == m);
                (column, below.count() as i32)
            } else {
                place(m)
            };
            board.insert(place, ['1', '2'][number % 2]);
        }
        board
    }

    /// Checks the line that tells by which places a game is won.
    #[track_caller]
    pub(crate) fn check_winning_lines(self, text: &str, played: &[String]) {
        let (title, lines) = text.split_once(": ").unwrap();
        let (order, k) = match self {
            Self::ConnectFour => (" (column/row)", 4),
            _ => ("", 3),
        };
        let board = self.board(played);
        let winner = ['2', '1'][played.len() % 2];
        let lines: Vec<_> = lines.split("; ").collect();
        let plural = if lines.len() > 1 { "s" } else { "" };
        assert_eq!(title, format!("Winning line{plural}{order}"));
        for line in lines {
            let places: Vec<_> = line.split(' ').map(named).collect();
            assert_eq!(places.len(), k, "{text}");
            assert!(places.iter().all(|at| board[at] == winner), "{text}");
            let steps = places.windows(2).map(|pair| {
                let [(x, y), (next_x, next_y)] = [pair[0], pair[1]];
                (next_x - x, next_y - y)
            });
            let steps: BTreeSet<_> = steps.collect();
            let is_one = |&(x, y): &(i32, i32)| x.abs().max(y.abs()) == 1;
            assert!(steps.len() == 1 && steps.iter().all(is_one), "{text}");
        }
    }
}

/// The place with a name: `b2`, or `4/1` where only columns have names.
fn named(name: &str) -> (i32, i32) {
    match name.split_once('/') {
        Some((column, row)) => (column.parse().unwrap(), row.parse::<i32>().unwrap() - 1),
        None => place(name),
    }
}

/// `a1 b1 c1 a2 ...` of a board of three by three.
pub(crate) fn cells() -> Vec<String> {
    (1..=3)
        .flat_map(|row| ['a', 'b', 'c'].map(|column| format!("{column}{row}")))
        .collect()
}

fn place(cell: &str) -> (i32, i32) {
    let bytes = cell.as_bytes();
    ((bytes[0] - b'a').into(), (bytes[1] - b'1').into())
}

/// The coordinates of the pegs, as in design document 1.
const PEGS: [(char, i32, i32); 8] = [
    ('A', 0, 0),
    ('B', 2, 0),
    ('C', 4, 0),
    ('D', 1, 1),
    ('E', 3, 1),
    ('F', 0, 2),
    ('G', 2, 2),
    ('H', 4, 2),
];

/// The points of both sides after moves such as `ABCH`.
pub(crate) fn pegs_points(moves: &str, lines: usize) -> [usize; 2] {
    let mut pieces = [BTreeSet::new(), BTreeSet::new()];
    for (number, peg) in moves.char_indices() {
        let &(_, x, y) = PEGS.iter().find(|(name, _, _)| *name == peg).unwrap();
        let height = moves[..number].matches(peg).count() as i32;
        pieces[number % 2].insert((x, y, height));
    }
    pieces.map(|places| full_lines(&places, lines))
}

/// The number of straight lines of three among these places.
fn full_lines(places: &BTreeSet<(i32, i32, i32)>, lines: usize) -> usize {
    let pairs = places.iter().flat_map(|&first| {
        let later = places.range(first..).skip(1);
        later.map(move |&second| (first, second))
    });
    pairs
        .filter(|&((x, y, z), (x2, y2, z2))| {
            let climbs_in_a_straight_row = x != x2 && y == y2 && z != z2;
            let third = (2 * x2 - x, 2 * y2 - y, 2 * z2 - z);
            places.contains(&third) && !(lines == 34 && climbs_in_a_straight_row)
        })
        .count()
}

/// The board as design document 1 prints it.
pub(crate) fn pegs_board(moves: &str, lines: usize) -> String {
    const EMPTY: &str = "     |         |         |
 ----|---------|---------|----
|    |         |         |    |
|   (F)   |   (G)   |   (H)   |
|         |         |         |
|         |         |         |
|    |   (D)   |   (E)   |    |
|    |         |         |    |
|    |         |         |    |
|   (A)       (B)       (C)   |
|                             |
 -----------------------------
";
    let mut board: Vec<Vec<char>> = EMPTY.lines().map(|line| line.chars().collect()).collect();
    for (number, peg) in moves.char_indices() {
        let label = |line: &Vec<char>| line.iter().position(|&c| c == peg);
        let foot = board.iter().position(|line| label(line).is_some()).unwrap();
        let column = label(&board[foot]).unwrap();
        let height = moves[..number].matches(peg).count();
        board[foot - 1 - height][column] = ['R', 'W'][number % 2];
    }
    let [red, white] = pegs_points(moves, lines);
    let drawn: String = board
        .iter()
        .flat_map(|line| line.iter().chain(&['\n']))
        .collect();
    drawn + &format!("          R: {red:<11} W: {white}\n")
}

#[test]
fn a_full_board_has_every_line() {
    let places = PEGS
        .iter()
        .flat_map(|&(_, x, y)| (0..3).map(move |z| (x, y, z)))
        .collect();
    assert_eq!(full_lines(&places, 34), 34);
    assert_eq!(full_lines(&places, 38), 38);
    assert_eq!(pegs_points("ABADAC", 34), [1, 0]);
    assert_eq!(pegs_points("ABBCDCC", 34), [0, 0]);
    assert_eq!(pegs_points("ABBCDCC", 38), [1, 0]);
}
