//! Comparison of a game with a naive implementation of its rules alone.

use std::fmt::Debug;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, Outcome, Side};

/// A slow and simple implementation of the moves of a game.
pub(super) trait PlainMoves: Clone {
    /// The legal moves as text, in any order; none if the game is over.
    fn moves(&self) -> Vec<String>;
    /// Plays one of the moves.
    fn play(&mut self, text: &str);
}

/// A slow and simple implementation of the rules of a game.
pub(super) trait Plain: PlainMoves {
    fn to_move(&self) -> Side;
    fn outcome(&self) -> Option<Outcome>;
}

pub(super) fn plain_perft<P: PlainMoves>(game: &P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let after = |text: &String| {
        let mut next = game.clone();
        next.play(text);
        plain_perft(&next, depth - 1)
    };
    game.moves().iter().map(after).sum()
}

/// The outcome under best play, without a limit of depth.
pub(super) fn plain_value<P: Plain>(game: &P) -> Outcome {
    if let Some(outcome) = game.outcome() {
        return outcome;
    }
    let side = game.to_move();
    let mut best = Outcome::Win(!side);
    for text in game.moves() {
        let mut next = game.clone();
        next.play(&text);
        match plain_value(&next) {
            Outcome::Win(winner) if winner == side => return Outcome::Win(side),
            Outcome::Draw => best = Outcome::Draw,
            Outcome::Win(_) => {}
        }
    }
    best
}

/// Plays random games of at most `plies` moves on both boards and compares the
/// moves, the side to move and the outcome after every move.
#[track_caller]
pub(super) fn check_plays<G, P>(start: &G, plain: &P, games: u64, plies: usize)
where
    G: Notation + Debug,
    P: Plain,
{
    for seed in 0..games {
        let mut rng = Rng::new(seed);
        let (mut game, mut plain) = (start.clone(), plain.clone());
        for _ in 0..=plies {
            assert_eq!(game.outcome(), plain.outcome(), "{game:?}");
            let mut moves: Vec<_> = game.moves().map(|m| game.move_text(m)).collect();
            let mut expected = plain.moves();
            moves.sort();
            expected.sort();
            assert_eq!(moves, expected, "{game:?}");
            let Some(text) = rng.pick(expected) else {
                break;
            };
            assert_eq!(game.to_move(), plain.to_move(), "{game:?}");
            let m = game.parse_move(&text);
            let m = m.unwrap_or_else(|error| panic!("{error}"));
            game.play(m).unwrap();
            plain.play(&text);
        }
    }
}
