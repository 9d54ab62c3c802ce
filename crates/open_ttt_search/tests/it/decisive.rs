//! Decisive playouts against their exact distribution.

use open_ttt_lib::games::{ConnectFour, Mnk, Qubic, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{DecisiveMoves, Outcome, Side, TwoPlayerGame, play_text};

use crate::unfinished::unfinished;

/// The probabilities that the first side wins, that the second wins, and of a draw.
type Shares = [f64; 3];

fn certain(outcome: Outcome) -> Shares {
    match outcome {
        Outcome::Win(Side::First) => [1.0, 0.0, 0.0],
        Outcome::Win(Side::Second) => [0.0, 1.0, 0.0],
        Outcome::Draw => [0.0, 0.0, 1.0],
    }
}

fn wins<G: TwoPlayerGame>(game: &G) -> bool {
    let side = game.to_move();
    let mut nexts = game.moves().map(|m| game.after(m));
    nexts.any(|next| next.outcome() == Some(Outcome::Win(side)))
}

/// The exact probabilities: a side that can win wins; otherwise any move after
/// which the opponent cannot win, and if there is none, the opponent wins.
fn exact_shares<G: TwoPlayerGame>(game: &G) -> Shares {
    let side = game.to_move();
    if let Some(outcome) = game.outcome() {
        return certain(outcome);
    }
    if wins(game) {
        return certain(Outcome::Win(side));
    }
    let mut nexts: Vec<_> = game.moves().map(|m| game.after(m)).collect();
    nexts.retain(|next| !wins(next));
    if nexts.is_empty() {
        return certain(Outcome::Win(!side));
    }
    let all: Vec<_> = nexts.iter().map(exact_shares).collect();
    [0, 1, 2].map(|index| all.iter().map(|shares| shares[index]).sum::<f64>() / all.len() as f64)
}

fn counts<G>(game: &G, games: u32, mut play: impl FnMut(G) -> Outcome) -> Shares
where
    G: TwoPlayerGame,
{
    let mut counts = [0.0; 3];
    for _ in 0..games {
        let shares = certain(play(game.clone()));
        counts = [0, 1, 2].map(|index| counts[index] + shares[index]);
    }
    counts
}

#[track_caller]
fn check<G: DecisiveMoves>(game: &G) {
    const GAMES: u32 = 10_000;
    let mut rng = Rng::new(1);
    let played = counts(game, GAMES, |game| {
        game.play_out_decisively(&mut || rng.next_u64())
    });
    for (count, share) in played.into_iter().zip(exact_shares(game)) {
        let spread = (f64::from(GAMES) * share * (1.0 - share)).sqrt();
        let distance = count - f64::from(GAMES) * share;
        assert!(distance.abs() <= 4.5 * spread + 1e-6, "{count}, {share}");
    }
}

#[test]
fn decisive_playouts_have_the_exact_distribution() {
    check(&TicTacToe::new());
    for plies in 1..6 {
        check(&unfinished(&TicTacToe::new(), plies, 1)[0]);
    }
    for (m, n, k) in [(3, 3, 3), (5, 1, 2), (1, 1, 1), (4, 2, 3), (1, 6, 3)] {
        check(&Mnk::new(m, n, k).unwrap());
    }
    for plies in [12, 13, 14] {
        for game in unfinished(&Mnk::new(5, 4, 4).unwrap(), plies, 6) {
            check(&game);
        }
    }
    for game in unfinished(&ConnectFour::new(), 32, 24) {
        check(&game);
    }
    for game in unfinished(&Qubic::new(), 57, 12) {
        check(&game);
    }
}

/// A game that uses the default playout.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Plain<G>(G);

impl<G: TwoPlayerGame> TwoPlayerGame for Plain<G> {
    type Move = G::Move;
    const ALTERNATES: bool = G::ALTERNATES;

    fn to_move(&self) -> Side {
        self.0.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn moves(&self) -> impl Iterator<Item = G::Move> {
        self.0.moves()
    }

    fn play_unchecked(&mut self, m: G::Move) {
        self.0.play_unchecked(m);
    }
}

impl<G: TwoPlayerGame> DecisiveMoves for Plain<G> {}

/// Compares the distribution with that of the default playout where it cannot be
/// computed exactly.
#[track_caller]
fn check_early<G: DecisiveMoves>(game: &G, games: u32) {
    let mut rng = Rng::new(2);
    let quick = counts(game, games, |game| {
        game.play_out_decisively(&mut || rng.next_u64())
    });
    let plain = Plain(game.clone());
    let slow = counts(&plain, games, |game| {
        game.play_out_decisively(&mut || rng.next_u64())
    });
    for (quick, slow) in quick.into_iter().zip(slow) {
        let share = (quick + slow) / f64::from(2 * games);
        let spread = (2.0 * f64::from(games) * share * (1.0 - share)).sqrt();
        assert!((quick - slow).abs() <= 4.5 * spread, "{quick}, {slow}");
    }
}

#[test]
fn early_playouts_match_the_default_method() {
    check_early(&ConnectFour::new(), 2_000);
    for game in unfinished(&Mnk::new(7, 6, 4).unwrap(), 6, 3) {
        check_early(&game, 600);
    }
    for game in unfinished(&Qubic::new(), 24, 2) {
        check_early(&game, 300);
    }
}

#[test]
fn threats_at_the_edges_of_a_large_board_are_seen() {
    // Four in each direction that end at an edge or a corner, and the point that
    // completes them; White's pieces are elsewhere.
    for (moves, plies) in [
        ("a1 c10 b1 e10 c1 g10 d1", "e1"),
        ("s19 c10 s18 e10 s17 g10 s16", "s15"),
        ("a1 c10 b2 e10 c3 g10 d4", "e5"),
        ("s1 c10 r2 e10 q3 g10 p4", "o5"),
        ("a19 c10 b18 e10 c17 g10 d16", "e15"),
    ] {
        let mut game = Mnk::new(19, 19, 5).unwrap();
        play_text(&mut game, moves).unwrap();
        let mut rng = Rng::new(1);
        let mut play = |game: Mnk| game.play_out_decisively(&mut || rng.next_u64());
        // White blocks, and the game is open.
        assert!((0..200).any(|_| play(game) != Outcome::Win(Side::First)));
        // After another move, the game is lost.
        play_text(&mut game, "k10").unwrap();
        assert!((0..50).all(|_| play(game) == Outcome::Win(Side::First)));
        let mut stopped = Mnk::new(19, 19, 5).unwrap();
        play_text(&mut stopped, moves).unwrap();
        play_text(&mut stopped, plies).unwrap();
        assert!((0..200).any(|_| play(stopped) != Outcome::Win(Side::First)));
    }
}

#[test]
fn a_finished_game_has_no_playout() {
    fn check<G: DecisiveMoves>(start: &G) {
        let mut rng = Rng::new(5);
        let mut game = start.clone();
        while let Some(m) = rng.pick(game.moves()) {
            game.play_unchecked(m);
        }
        let outcome = game.outcome().unwrap();
        let mut draws = 0;
        let played = game.play_out_decisively(&mut || {
            draws += 1;
            0
        });
        assert_eq!((played, draws), (outcome, 0));
    }
    check(&TicTacToe::new());
    check(&ConnectFour::new());
    check(&Mnk::default());
    check(&Qubic::new());
}
