//! The solution book of qubic.

use std::collections::HashSet;

use open_ttt_lib::games::{Cube, Qubic};
use open_ttt_lib::rules::{
    CompactKey, LineGame, Outcome, Side, SolutionBook, Symmetry, TwoPlayerGame, play_text,
};
use open_ttt_search::{Budget, StopFlag, forced_move, forced_win, prove_by_book};

/// The rules from scratch: lines as sets of cells, a bit for each.
struct Lines(Vec<u64>);

impl Lines {
    fn new() -> Self {
        let mut lines = HashSet::new();
        let inside = |at: i32| (0..4).contains(&at);
        for start in 0..64 {
            let start = [start % 4, start / 4 % 4, start / 16];
            for direction in 0..27 {
                let direction = [direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1];
                let at = |step: i32, axis: usize| start[axis] + step * direction[axis];
                let fits = (0..3).all(|axis| inside(at(0, axis)) && inside(at(3, axis)));
                if fits && direction != [0; 3] {
                    let cell = |step| at(step, 0) + 4 * at(step, 1) + 16 * at(step, 2);
                    lines.insert((0..4).fold(0_u64, |line, step| line | 1 << cell(step)));
                }
            }
        }
        assert_eq!(lines.len(), 76);
        let mut lines: Vec<_> = lines.into_iter().collect();
        lines.sort_unstable();
        Self(lines)
    }

    /// The cells that complete a line.
    fn completing(&self, own: u64, other: u64) -> u64 {
        let open = self.0.iter().filter(|&line| line & other == 0);
        let missing = open.map(|line| line & !own);
        missing
            .filter(|free| free.is_power_of_two())
            .fold(0, |cells, cell| cells | cell)
    }

    /// Whether the side to move wins by fours alone, as far as so many positions show it.
    fn wins_by_fours(&self, own: u64, other: u64, nodes: &mut u32) -> bool {
        if self.completing(own, other) != 0 {
            return true;
        }
        let must_block = self.completing(other, own);
        if must_block.count_ones() > 1 || *nodes == 0 {
            return false;
        }
        *nodes -= 1;
        let open = self.0.iter().filter(|&line| line & other == 0);
        let pairs = open.map(|line| line & !own);
        for pair in pairs.filter(|free| free.count_ones() == 2) {
            let low = pair & pair.wrapping_neg();
            for four in [low, pair ^ low] {
                if must_block & !four != 0 {
                    continue;
                }
                let completing = self.completing(own | four, other);
                if completing.count_ones() > 1
                    || self.wins_by_fours(own | four, other | completing, nodes)
                {
                    return true;
                }
            }
        }
        false
    }
}

fn bit(cube: Cube) -> u64 {
    1 << (cube.column() + 4 * cube.row() + 16 * cube.layer())
}

fn pieces(game: &Qubic, side: Side) -> u64 {
    let cubes = (0..64_u8).filter_map(|cell| Cube::new(cell % 4, cell / 4 % 4, cell / 16));
    let owned = cubes.filter(|&cube| game.owner_of(cube) == Some(side));
    owned.fold(0, |pieces, cube| pieces | bit(cube))
}

/// How often X knew its move, by how it knew it.
#[derive(Debug, Default)]
struct Counts {
    book: usize,
    forced: usize,
    fours: usize,
    threats: usize,
    late: usize,
}

/// X's move where it isn't clear at once that it wins.
fn next_move(game: &Qubic, lines: &Lines, counts: &mut Counts) -> Cube {
    if let Some(m) = game.book_move() {
        counts.book += 1;
        return m;
    }
    let [own, other] = Side::BOTH.map(|side| pieces(game, side));
    let must_block = lines.completing(other, own);
    if must_block != 0 {
        counts.forced += 1;
        let block = game.moves().find(|&m| bit(m) == must_block);
        return block.unwrap();
    }
    counts.threats += 1;
    let never = StopFlag::new();
    let forced = forced_move(game, &never).or_else(|| {
        // Seldom a win takes as much as the player's own search.
        counts.late += 1;
        let line = forced_win(game, &Budget::nodes(250_000), &never).line?;
        line.first().copied()
    });
    forced.unwrap_or_else(|| panic!("no win in {game:?}"))
}

/// X plays the book, O everything, until X wins by fours. Where X wins by a three as well,
/// one in so many wins is played.
#[test]
fn every_reply_loses() {
    const SAMPLE: u64 = 128;
    let lines = Lines::new();
    let mut counts = Counts::default();
    let mut seen = HashSet::new();
    let mut open = vec![Qubic::new()];
    while let Some(game) = open.pop() {
        let m = next_move(&game, &lines, &mut counts);
        let after = game.after(m);
        assert_eq!(after.outcome(), None);
        for reply in after.moves() {
            let later = after.after(reply);
            assert_eq!(later.outcome(), None, "{game:?}");
            let [own, other] = Side::BOTH.map(|side| pieces(&later, side));
            if lines.wins_by_fours(own, other, &mut 100) {
                counts.fours += 1;
            } else if seen.insert(later.canonical().key()) {
                let is_sampled = later.book_move().is_some()
                    || lines.completing(other, own) != 0
                    || later.key() % SAMPLE == 0;
                if is_sampled {
                    open.push(later);
                } else {
                    next_move(&later, &lines, &mut counts);
                }
            }
        }
    }
    assert!(counts.late < counts.threats / 100, "{counts:?}");
    assert!(counts.book > 1_000, "{counts:?}");
    assert!(counts.fours > 20 * counts.book, "{counts:?}");
    assert!(counts.forced > 500 && counts.threats > 1_000, "{counts:?}");
}

#[test]
fn a_position_and_its_images_have_images_of_one_move() {
    let mut game = Qubic::new();
    for moves in ["1a1", "2b2"] {
        play_text(&mut game, moves).unwrap();
    }
    let m = game.book_move().unwrap();
    for &automorphism in game.symmetries() {
        let image = game.image(automorphism);
        let of_image = image.book_move().unwrap();
        let same = image.after(of_image).canonical();
        assert_eq!(same, game.after(m).canonical(), "{automorphism:?}");
    }
}

#[track_caller]
fn check(moves: &str, winner: Option<Side>) {
    let mut game = Qubic::new();
    play_text(&mut game, moves).unwrap();
    let proved = prove_by_book(&game, &StopFlag::new());
    assert_eq!(
        proved.as_ref().map(|proved| proved.outcome),
        winner.map(Outcome::Win)
    );
    let winning_move = proved.and_then(|proved| proved.winning_move);
    assert_eq!(winning_move.is_some(), winner == Some(game.to_move()));
}

#[test]
fn the_book_proves_who_wins() {
    const X: Option<Side> = Some(Side::First);
    check("", X);
    for moves in ["1a1", "1a1 2b2", "1a1 4d4", "2b2", "3c3 1a1"] {
        check(moves, X);
    }
    // An edge isn't in the book, nor does it lose.
    check("1b1", None);
    check("1b1 1a1", None);
    // O has a line.
    check("1b1 1a1 1b2 2a1 1c1 3a1 2b1 4a1", None);
}
