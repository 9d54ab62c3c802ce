use open_ttt_lib::games::{Quarto, QuartoPiece};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    Color, DecisiveMoves, Drawing, Encode, Heuristic, Notation, Outcome, Reason, Shape, Side,
    Tactics, TwoPlayerGame, perft, play_text,
};

use super::plain::{Plain, PlainMoves, check_plays, plain_perft};

/// Pieces are words on a table of cells.
#[derive(Clone, Default)]
struct PlainQuarto {
    board: [[Option<String>; 4]; 4],
    hand: Option<String>,
    plies: u32,
}

fn all_pieces() -> Vec<String> {
    let mut pieces = Vec::new();
    for colour in ["l", "d"] {
        for height in ["t", "s"] {
            for shape in ["r", "q"] {
                for top in ["f", "h"] {
                    pieces.push([colour, height, shape, top].concat());
                }
            }
        }
    }
    pieces
}

impl PlainQuarto {
    fn lines() -> Vec<[(usize, usize); 4]> {
        let mut lines = Vec::new();
        for i in 0..4 {
            lines.push([0, 1, 2, 3].map(|j| (i, j)));
            lines.push([0, 1, 2, 3].map(|j| (j, i)));
        }
        lines.push([0, 1, 2, 3].map(|j| (j, j)));
        lines.push([0, 1, 2, 3].map(|j| (j, 3 - j)));
        lines
    }

    fn is_won(&self) -> bool {
        Self::lines().into_iter().any(|line| {
            let pieces = self.pieces(line);
            pieces.len() == 4 && Self::have_in_common(&pieces)
        })
    }

    /// The pieces on a line.
    fn pieces(&self, line: [(usize, usize); 4]) -> Vec<&str> {
        let pieces = line.map(|(x, y)| self.board[y][x].as_deref());
        pieces.into_iter().flatten().collect()
    }

    /// Whether there is a property that all pieces have.
    fn have_in_common(pieces: &[&str]) -> bool {
        let shared = |letter: char| pieces.iter().all(|piece| piece.contains(letter));
        "ldtsrqfh".chars().any(shared)
    }

    fn remaining(&self) -> Vec<String> {
        let used: Vec<_> = self
            .board
            .iter()
            .flatten()
            .chain([&self.hand])
            .flatten()
            .collect();
        all_pieces()
            .into_iter()
            .filter(|piece| !used.contains(&piece))
            .collect()
    }

    fn free(&self) -> Vec<String> {
        let mut free = Vec::new();
        for (y, row) in self.board.iter().enumerate() {
            for (x, letter) in ["a", "b", "c", "d"].into_iter().enumerate() {
                if row[x].is_none() {
                    free.push(format!("{letter}{}", y + 1));
                }
            }
        }
        free
    }

    /// The position after a move, if it ends the game.
    fn after(&self, text: &str) -> Self {
        let mut next = self.clone();
        next.play(text);
        next
    }

    /// What the heuristic promises.
    fn heuristic(&self) -> i32 {
        if self.is_won() {
            return -100;
        }
        let wins_with = |piece: &String| {
            let with = Self {
                hand: Some(piece.clone()),
                ..self.clone()
            };
            with.free().iter().any(|cell| with.after(cell).is_won())
        };
        if self.hand.as_ref().is_some_and(wins_with) {
            return 100;
        }
        let safe = self
            .remaining()
            .iter()
            .filter(|piece| !wins_with(piece))
            .count() as i32;
        (16 - safe) * if safe % 2 == 1 { 1 } else { -1 }
    }
}

impl PlainMoves for PlainQuarto {
    fn moves(&self) -> Vec<String> {
        if self.outcome().is_some() {
            return Vec::new();
        }
        if self.hand.is_none() {
            return all_pieces();
        }
        let remaining = self.remaining();
        let mut moves = Vec::new();
        for cell in self.free() {
            if remaining.is_empty() || self.after(&cell).is_won() {
                moves.push(cell);
            } else {
                moves.extend(remaining.iter().map(|piece| format!("{cell}-{piece}")));
            }
        }
        moves
    }

    fn play(&mut self, text: &str) {
        let (cell, piece) = match text.split_once('-') {
            Some((cell, piece)) => (Some(cell), Some(piece)),
            None if text.len() == 2 => (Some(text), None),
            None => (None, Some(text)),
        };
        if let Some(cell) = cell {
            let x = "abcd".find(&cell[..1]).expect("a column");
            let y = "1234".find(&cell[1..]).expect("a row");
            self.board[y][x] = self.hand.take();
        }
        self.hand = piece.map(str::to_owned);
        self.plies += 1;
    }
}

impl Plain for PlainQuarto {
    fn to_move(&self) -> Side {
        Side::BOTH[self.plies as usize % 2]
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.is_won() {
            Some(Outcome::Win(!self.to_move()))
        } else {
            self.free().is_empty().then_some(Outcome::Draw)
        }
    }
}

/// Both boards after the same random moves, unless the game ends earlier.
fn both_after(seed: u64, plies: usize) -> (Quarto, PlainQuarto) {
    let mut rng = Rng::new(seed);
    let (mut game, mut plain) = (Quarto::new(), PlainQuarto::default());
    for _ in 0..plies {
        let Some(text) = rng.pick(plain.moves()) else {
            break;
        };
        play_text(&mut game, &text).unwrap_or_else(|error| panic!("{error}"));
        plain.play(&text);
    }
    (game, plain)
}

#[test]
fn counts_as_the_plain_board_does() {
    for depth in 0..=2 {
        let expected = plain_perft(&PlainQuarto::default(), depth);
        assert_eq!(perft(&Quarto::new(), depth), expected, "depth {depth}");
    }
    for seed in 0..4 {
        let (game, plain) = both_after(seed, 13);
        for depth in 0..=4 {
            let expected = plain_perft(&plain, depth);
            assert_eq!(perft(&game, depth), expected, "{game:?}");
        }
    }
}

#[test]
fn plays_as_the_plain_board_does() {
    check_plays(&Quarto::new(), &PlainQuarto::default(), 100, 17);
}

#[test]
fn the_heuristic_is_what_it_says() {
    for seed in 0..20 {
        for plies in 0..=17 {
            let (game, plain) = both_after(seed, plies);
            assert_eq!(game.heuristic(), plain.heuristic(), "{game:?}");
        }
    }
}

#[test]
fn every_property_wins() {
    for (moves, property) in [
        ("ltrf a1-lsqh b1-ltqh c1-lsrf d1", "light"),
        ("dtqh a1-ltrf a2-dtrf a3-ltqf a4", "tall"),
        ("dsrh a1-ltrf b2-dtrf c3-lsrf d4", "round"),
        ("dsqf a4-ltrf b3-dtrf c2-lsrf d1", "filled"),
        ("ltrf a1-lsqh a2-dtqh", "nothing"),
    ] {
        let mut game = Quarto::new();
        play_text(&mut game, moves).unwrap_or_else(|error| panic!("{property}: {error}"));
        let winner = game.outcome().and_then(Outcome::winner);
        let expected = (property != "nothing").then_some(Side::First);
        assert_eq!(winner, expected, "{property}");
    }
}

#[test]
fn a_move_gives_a_piece_unless_it_ends_the_game() {
    let mut game = Quarto::new();
    play_text(&mut game, "ltrf a1-lsqh b1-ltqh c1-lsrf").expect("the moves are legal");
    for (text, reason) in [
        ("d1-dtrf", Reason::Forbidden),
        ("d2", Reason::Forbidden),
        ("d2-ltrf", Reason::Forbidden),
        ("dtrf", Reason::Forbidden),
        ("a1-dtrf", Reason::Occupied),
    ] {
        let m = game.parse_move(text).expect("a move");
        assert_eq!(
            game.clone().play(m).map_err(|e| e.reason),
            Err(reason),
            "{text}"
        );
    }
    let safe: Vec<_> = game.moves().map(|m| game.move_text(m)).collect();
    assert!(safe.contains(&"d1".to_owned()) && safe.contains(&"d2-dtrf".to_owned()));
}

#[test]
fn letters_of_a_piece_stand_in_any_order() {
    let game = Quarto::new();
    for text in ["dtqh", "hqtd", "QDHT", " t h d q "] {
        let m = game.parse_move(text).expect("a piece");
        let piece = m.piece().expect("the move gives a piece");
        assert_eq!(piece.to_string(), "dtqh");
        assert!(piece.is_dark() && piece.is_square() && piece.is_hollow() && !piece.is_short());
    }
    for text in [
        "ltr", "ltrl", "llll", "ltrff", "a1-", "-ltrf", "a1ltrf", "a5-ltrf", "a1-a2",
    ] {
        assert!(game.parse_move(text).is_err(), "{text}");
    }
    let texts: Vec<_> = QuartoPiece::all().map(|piece| piece.to_string()).collect();
    let mut expected = all_pieces();
    expected.sort();
    let mut sorted = texts.clone();
    sorted.sort();
    assert_eq!(sorted, expected);
}

#[test]
fn the_letters_of_a_piece_are_its_properties() {
    for piece in QuartoPiece::all() {
        let letters = [
            if piece.is_dark() { 'd' } else { 'l' },
            if piece.is_short() { 's' } else { 't' },
            if piece.is_square() { 'q' } else { 'r' },
            if piece.is_hollow() { 'h' } else { 'f' },
        ];
        assert_eq!(piece.to_string(), String::from_iter(letters));
    }
}

#[test]
fn pieces_are_where_they_were_placed() {
    let (game, plain) = both_after(3, 9);
    for (y, row) in plain.board.iter().enumerate() {
        for (x, piece) in row.iter().enumerate() {
            let shown = game
                .piece_on(x as u8, y as u8)
                .map(|piece| piece.to_string());
            assert_eq!(&shown, piece, "column {x}, row {y}");
        }
    }
    for (column, row) in [(4, 0), (0, 4), (0, 255), (255, 0)] {
        assert_eq!(
            game.piece_on(column, row),
            None,
            "column {column}, row {row}"
        );
    }
    let hand = game.hand().map(|piece| piece.to_string());
    assert!(hand.is_some() && hand == plain.hand, "{hand:?}");
    assert_eq!(Quarto::new().hand(), None);
    let remaining: Vec<_> = game.remaining().map(|piece| piece.to_string()).collect();
    assert_eq!(remaining.len(), plain.remaining().len());
    assert!(
        plain
            .remaining()
            .iter()
            .all(|piece| remaining.contains(piece))
    );
}

#[test]
fn pieces_look_like_their_properties() {
    let picture = Quarto::new().picture();
    // The sides have no pieces of their own, so they are numbers.
    assert_eq!(picture.sides.map(|side| side.shape), [Shape::Text; 2]);
    let pool = &picture.trays[1].cells;
    assert_eq!(pool.len(), 16);
    for (cell, piece) in pool.iter().zip(QuartoPiece::all()) {
        let shown = cell.piece.as_ref().expect("a piece in the pool");
        let color = if piece.is_dark() {
            Color::Purple
        } else {
            Color::Yellow
        };
        let shape = Shape::Figure {
            tall: !piece.is_short(),
            square: piece.is_square(),
            hollow: piece.is_hollow(),
        };
        assert_eq!((shown.color, shown.shape), (Some(color), shape), "{piece}");
        let letter = if piece.is_dark() { "d" } else { "l" };
        let letter = if piece.is_short() {
            letter.to_owned()
        } else {
            letter.to_uppercase()
        };
        let sign = match (piece.is_square(), piece.is_hollow()) {
            (false, false) => '●',
            (true, false) => '■',
            (false, true) => '○',
            (true, true) => '□',
        };
        assert_eq!(shown.mark, format!("{letter}{sign}"), "{piece}");
    }
}

/// A network has a plane for each value of each property: of the pieces on the board, and of
/// the one in hand, which fills it.
#[test]
fn a_network_sees_the_board_and_the_hand() {
    for plies in 0..17 {
        let (game, plain) = both_after(3, plies);
        let mut planes = [0.5; 256];
        game.encode(&mut planes);
        let (board, hand) = planes.split_at(128);
        for (n, letter) in "ldtsrqfh".chars().enumerate() {
            let has_value = |piece: &Option<String>| match piece {
                Some(piece) if piece.contains(letter) => 1.0,
                _ => 0.0,
            };
            let expected: Vec<f32> = plain.board.iter().flatten().map(has_value).collect();
            assert_eq!(board[16 * n..][..16], expected[..], "{letter}: {game:?}");
            let expected = [has_value(&plain.hand); 16];
            assert_eq!(hand[16 * n..][..16], expected, "{letter}: {game:?}");
        }
    }
}

/// The default methods, which try every move and reply.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Slow(Quarto);

impl TwoPlayerGame for Slow {
    type Move = open_ttt_lib::games::QuartoMove;

    fn to_move(&self) -> Side {
        self.0.to_move()
    }
    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }
    fn moves(&self) -> impl Iterator<Item = Self::Move> {
        self.0.moves()
    }
    fn play_unchecked(&mut self, m: Self::Move) {
        self.0.play_unchecked(m);
    }
}

impl DecisiveMoves for Slow {}

/// Where the share of an outcome is among those of all.
fn outcome_index(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win(side) => side.index(),
        Outcome::Draw => 2,
    }
}

/// How often each outcome occurs in this many playouts.
fn frequencies(
    playouts: u32,
    mut play: impl FnMut(&mut dyn FnMut() -> u64) -> Outcome,
) -> [f64; 3] {
    let mut rng = Rng::new(8);
    let mut counts = [0_u32; 3];
    for _ in 0..playouts {
        counts[outcome_index(play(&mut || rng.next_u64()))] += 1;
    }
    counts.map(|count| f64::from(count) / f64::from(playouts))
}

#[test]
fn fast_playouts_have_the_frequencies_of_slow_ones() {
    let (game, _) = both_after(7, 8);
    let slow = Slow(game);
    let decisive = frequencies(4_000, |mut draw| game.play_out_decisively(&mut draw));
    // Where one outcome is all but certain, any playouts would do.
    assert!(decisive.iter().all(|&share| share > 0.1), "{decisive:?}");
    for (fast, slow) in [
        (
            frequencies(4_000, |mut draw| game.play_out(&mut draw)),
            frequencies(4_000, |mut draw| slow.clone().play_out(&mut draw)),
        ),
        (
            decisive,
            frequencies(4_000, |mut draw| {
                slow.clone().play_out_decisively(&mut draw)
            }),
        ),
    ] {
        for (fast, slow) in fast.into_iter().zip(slow) {
            // Five standard deviations of the difference.
            assert!((fast - slow).abs() < 0.056, "{fast} and {slow}: {game:?}");
        }
    }
}

/// The probability of each outcome if every move is drawn from all moves, or only from those
/// that don't lose at once where none wins at once.
fn probabilities(game: &Quarto, decisive: bool) -> [f64; 3] {
    let certain = |outcome| [0, 1, 2].map(|one| f64::from(u8::from(one == outcome_index(outcome))));
    if let Some(outcome) = game.outcome() {
        return certain(outcome);
    }
    let side = game.to_move();
    let wins = |game: &Quarto| {
        let won = Some(Outcome::Win(game.to_move()));
        game.moves().any(|m| game.after(m).outcome() == won)
    };
    if decisive && wins(game) {
        return certain(Outcome::Win(side));
    }
    let mut nexts: Vec<_> = game.moves().map(|m| game.after(m)).collect();
    nexts.retain(|next| !decisive || !wins(next));
    if nexts.is_empty() {
        return certain(Outcome::Win(!side));
    }
    let mut sums = [0.0; 3];
    for next in &nexts {
        for (sum, one) in sums.iter_mut().zip(probabilities(next, decisive)) {
            *sum += one / nexts.len() as f64;
        }
    }
    sums
}

#[test]
fn late_playouts_have_the_probabilities_of_random_moves() {
    const PLAYOUTS: u32 = 1_000;
    let mut open = [0, 0];
    for seed in 0..60 {
        let (game, _) = both_after(seed, 12);
        for decisive in [false, true] {
            let frequencies = frequencies(PLAYOUTS, |mut draw| {
                if decisive {
                    game.play_out_decisively(&mut draw)
                } else {
                    game.play_out(&mut draw)
                }
            });
            let probabilities = probabilities(&game, decisive);
            for (is, expected) in frequencies.into_iter().zip(probabilities) {
                // Five standard deviations, and rounding errors where the outcome is certain.
                let variance = expected * (1.0 - expected) / f64::from(PLAYOUTS);
                let allowed = 5.0 * variance.max(0.0).sqrt() + 1e-9;
                assert!(
                    (is - expected).abs() < allowed,
                    "{is}, not {expected}: {game:?}"
                );
            }
            open[usize::from(decisive)] += usize::from(probabilities.iter().all(|&one| one < 0.9));
        }
    }
    assert!(open[0] > 20 && open[1] > 2, "{open:?}");
}

#[test]
fn a_line_can_be_won_while_its_pieces_share_a_property() {
    let mut seen = [0; 2];
    for seed in 0..1000 {
        for plies in 10..=17 {
            let (game, plain) = both_after(seed, plies);
            let can_be_won = PlainQuarto::lines().into_iter().any(|line| {
                let pieces = plain.pieces(line);
                pieces.len() < 4 && PlainQuarto::have_in_common(&pieces)
            });
            let expected = can_be_won || plain.is_won();
            assert_eq!(game.can_still_win(Side::First), expected, "{game:?}");
            assert_eq!(game.can_still_win(Side::Second), expected, "{game:?}");
            seen[usize::from(expected)] += 1;
        }
    }
    assert!(seen[0] > 10, "{seen:?}");
}

#[test]
fn each_move_leaves_a_ply_less() {
    for plies in 0..=17 {
        let (game, plain) = both_after(3, plies);
        assert_eq!(game.plies_left(), 17 - plain.plies);
    }
}
