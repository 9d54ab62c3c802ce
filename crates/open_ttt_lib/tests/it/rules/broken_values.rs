//! The laws of playouts, evaluations and the mover's planes can fail: each game
//! with one fault at a time.

use std::cell::Cell;
use std::hash::{Hash, Hasher};

use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::conformance::Laws;
use open_ttt_lib::rules::{
    Encode, Encoding, Heuristic, IndexedMoves, Outcome, Side, Symmetry, TwoPlayerGame,
};

use super::panics::panic_of;

/// A violation of a law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    // Of playouts.
    AlwaysDraws,
    NamesTheLoser,
    LetsTheMoverWin,
    IgnoresTheBits,
    NeverPlaysTheLastMove,
    RemembersPlayouts,
    RemembersMoves,
    OverlooksTheEnd,
    // Of evaluations.
    ValuesForTheFirst,
    ValuesForTheSecond,
    ValuesForTheOpponent,
    ValuesTheLastMove,
    ValuesTooHighly,
    ValuesAMove,
    // Of planes.
    ShowsTheFirstFirst,
    ShowsTheSecondFirst,
    ShowsTheOpponentFirst,
}

/// A game with a fault.
#[derive(Clone, Debug)]
struct Faulty<G: TwoPlayerGame> {
    game: G,
    fault: Fault,
    last: Option<G::Move>,
    /// Which planes of the side to move and of its opponent belong together.
    planes: &'static [[usize; 2]],
}

impl<G: TwoPlayerGame> PartialEq for Faulty<G> {
    fn eq(&self, other: &Self) -> bool {
        self.game == other.game
    }
}

impl<G: TwoPlayerGame> Eq for Faulty<G> {}

impl<G: TwoPlayerGame> Hash for Faulty<G> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.game.hash(state);
    }
}

thread_local! {
    static PLAYOUTS: Cell<u64> = const { Cell::new(0) };
}

impl<G: TwoPlayerGame> TwoPlayerGame for Faulty<G> {
    type Move = G::Move;
    const ALTERNATES: bool = G::ALTERNATES;

    fn to_move(&self) -> Side {
        self.game.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn moves(&self) -> impl Iterator<Item = G::Move> {
        self.game.moves()
    }

    fn play_unchecked(&mut self, m: G::Move) {
        self.game.play_unchecked(m);
        self.last = Some(m);
    }

    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        let over = self.outcome();
        let mover = self.to_move();
        match (self.fault, over) {
            (Fault::OverlooksTheEnd, Some(_)) => Outcome::Win(mover),
            (_, Some(outcome)) => outcome,
            (Fault::AlwaysDraws, _) => Outcome::Draw,
            (Fault::LetsTheMoverWin, _) => Outcome::Win(mover),
            (Fault::NamesTheLoser, _) => match self.game.play_out(draw) {
                Outcome::Win(side) => Outcome::Win(!side),
                Outcome::Draw => Outcome::Draw,
            },
            (Fault::IgnoresTheBits, _) => {
                let mut rng = Rng::new(0);
                self.game.play_out(&mut || rng.next_u64())
            }
            (Fault::RemembersPlayouts, _) => {
                let count = PLAYOUTS.replace(PLAYOUTS.get() + 1);
                self.game
                    .play_out(&mut || draw().rotate_left(count as u32 % 64))
            }
            (Fault::RemembersMoves, _) => {
                let last = self.last.and_then(|last| {
                    let mut moves = self.game.moves();
                    moves.position(|m| format!("{m:?}") > format!("{last:?}"))
                });
                let last = last.unwrap_or(0) as u32;
                self.game.play_out(&mut || draw().rotate_left(last))
            }
            (Fault::NeverPlaysTheLastMove, _) => {
                while self.outcome().is_none() {
                    let count = self.moves().count().max(2) as u64 - 1;
                    let number = (draw() % count) as usize;
                    let m = self.moves().nth(number).expect("a move");
                    self.play_unchecked(m);
                }
                self.outcome().expect("the game is over")
            }
            _ => self.game.play_out(draw),
        }
    }
}

impl<G: Heuristic + IndexedMoves> Heuristic for Faulty<G> {
    fn heuristic(&self) -> i32 {
        let value = self.game.heuristic();
        let first = self.to_move() == Side::First;
        match self.fault {
            Fault::ValuesForTheFirst if !first => -value,
            Fault::ValuesForTheSecond if first => -value,
            Fault::ValuesForTheOpponent => -value,
            Fault::ValuesTheLastMove => {
                value
                    + self
                        .last
                        .map_or(0, |last| self.game.move_index(last) as i32)
            }
            Fault::ValuesTooHighly => value.saturating_mul(1_000_001),
            Fault::ValuesAMove => {
                value + i32::from(self.game.moves().any(|m| self.move_index(m) == 0))
            }
            _ => value,
        }
    }
}

impl<G: IndexedMoves> IndexedMoves for Faulty<G> {
    fn move_count(&self) -> usize {
        self.game.move_count()
    }

    fn move_index(&self, m: G::Move) -> usize {
        self.game.move_index(m)
    }

    fn indexed_move(&self, index: usize) -> Option<G::Move> {
        self.game.indexed_move(index)
    }
}

impl<G: Symmetry> Symmetry for Faulty<G> {
    type Transform = G::Transform;

    fn symmetries(&self) -> &'static [G::Transform] {
        self.game.symmetries()
    }

    fn image(&self, transform: G::Transform) -> Self {
        let mut image = self.clone();
        image.game = self.game.image(transform);
        image
    }

    fn move_image(&self, m: G::Move, transform: G::Transform) -> G::Move {
        self.game.move_image(m, transform)
    }
}

impl<G: Encode> Encode for Faulty<G> {
    fn encoding(&self) -> Encoding {
        self.game.encoding()
    }

    fn encode(&self, planes: &mut [f32]) {
        self.game.encode(planes);
        let exchanged = match self.fault {
            Fault::ShowsTheFirstFirst => self.to_move() == Side::Second,
            Fault::ShowsTheSecondFirst => self.to_move() == Side::First,
            Fault::ShowsTheOpponentFirst => true,
            _ => false,
        };
        if exchanged {
            let cells = self.encoding().cells();
            for [own, other] in self.planes {
                for cell in 0..cells {
                    planes.swap(own * cells + cell, other * cells + cell);
                }
            }
        }
    }
}

const fn faulty<G: TwoPlayerGame>(
    game: G,
    fault: Fault,
    planes: &'static [[usize; 2]],
) -> Faulty<G> {
    Faulty {
        game,
        fault,
        last: None,
        planes,
    }
}

#[track_caller]
fn check<G: TwoPlayerGame + std::fmt::Debug>(
    check: fn(Faulty<G>),
    game: &G,
    planes: &'static [[usize; 2]],
    faults: &[(Fault, &str)],
) {
    check(faulty(game.clone(), Fault::None, planes));
    for &(fault, expected) in faults {
        let faulty = faulty(game.clone(), fault, planes);
        let panic = panic_of(|| check(faulty));
        let panic = panic.unwrap_or_else(|| panic!("{fault:?} is seen: {game:?}"));
        assert!(
            panic.text.contains(expected),
            "{fault:?} of {game:?}: {panic:?}"
        );
        assert_eq!(panic.file, file!(), "a failure is where the law is called");
    }
}

#[track_caller]
fn check_playouts<G: TwoPlayerGame + std::fmt::Debug>(game: &G) {
    let check_rules = |faulty: Faulty<G>| drop(Laws::of(&faulty).rules());
    let faults = [
        (Fault::AlwaysDraws, "a playout"),
        (Fault::LetsTheMoverWin, "a playout"),
        (Fault::NamesTheLoser, "a playout"),
        (Fault::IgnoresTheBits, "a playout draws its moves uniformly"),
        (Fault::NeverPlaysTheLastMove, "playout"),
        (Fault::RemembersPlayouts, "equal playouts"),
        (Fault::RemembersMoves, "equal positions have equal playouts"),
        (Fault::OverlooksTheEnd, "a playout of a finished game"),
    ];
    check(check_rules, game, &[], &faults);
}

#[test]
fn playouts_of_each_game() {
    check_playouts(&TicTacToe::new());
    check_playouts(&ConnectFour::new());
}

#[track_caller]
fn check_evaluations<G>(game: &G)
where
    G: Heuristic + IndexedMoves + Symmetry + std::fmt::Debug,
{
    let check_values = |faulty: Faulty<G>| drop(Laws::of(&faulty).heuristic().heuristic_images());
    let faults = [
        (Fault::ValuesForTheFirst, "for the side to move: Second"),
        (Fault::ValuesForTheSecond, "for the side to move: First"),
        (Fault::ValuesForTheOpponent, "for the side to move: First"),
        (Fault::ValuesTooHighly, "is within ±1000000"),
        (Fault::ValuesAMove, "an image has the position's value"),
    ];
    check(check_values, game, &[], &faults);
}

#[test]
fn an_evaluation_that_remembers_moves() {
    let check_values = |faulty: Faulty<Pegs>| drop(Laws::of(&faulty).heuristic());
    let fault = (
        Fault::ValuesTheLastMove,
        "equal positions have equal values",
    );
    check(check_values, &Pegs::new(), &[], &[fault]);
}

#[test]
fn evaluations_of_each_game() {
    check_evaluations(&Pegs::new());
    check_evaluations(&ConnectFour::new());
    check_evaluations(&Qubic::new());
    check_evaluations(&Ultimate::new());
    check_evaluations(&Mnk::new(4, 4, 3).expect("a game"));
    check_evaluations(&Mnk::new(9, 9, 5).expect("a game"));
}

#[track_caller]
fn check_planes<G: Encode + std::fmt::Debug>(game: &G, planes: &'static [[usize; 2]]) {
    let check_encoding = |faulty: Faulty<G>| drop(Laws::of(&faulty).encode());
    let faults = [
        (Fault::ShowsTheFirstFirst, "as the side to move sees it"),
        (Fault::ShowsTheSecondFirst, "as the side to move sees it"),
        (
            Fault::ShowsTheOpponentFirst,
            "of the side to move come first",
        ),
    ];
    check(check_encoding, game, planes, &faults);
}

#[test]
fn planes_of_each_game() {
    check_planes(&TicTacToe::new(), &[[0, 1]]);
    check_planes(&Mnk::new(9, 9, 5).expect("a game"), &[[0, 1]]);
    check_planes(&Pegs::new(), &[[0, 3], [1, 4], [2, 5]]);
    check_planes(&ConnectFour::new(), &[[0, 1]]);
    check_planes(&Qubic::new(), &[[0, 4], [1, 5], [2, 6], [3, 7]]);
    check_planes(
        &Ultimate::new(),
        &[
            [0, 9],
            [1, 10],
            [2, 11],
            [3, 12],
            [4, 13],
            [5, 14],
            [6, 15],
            [7, 16],
            [8, 17],
            [18, 19],
        ],
    );
}
