//! A game of one's own, Notakto, and two computer players for it.
//!
//! Both players put crosses on one board of three by three; who completes a
//! line of three loses. The rules' contract is all that is written here: the
//! rest of the library takes the game from there.
//!
//! ```text
//! cargo run --example own_game
//! ```

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, perft};
use open_ttt_players::{Decision, Player, Turn, play_game};

/// The crosses so far, square by square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Notakto {
    crosses: [bool; 9],
}

const LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];

impl TwoPlayerGame for Notakto {
    type Move = usize;

    fn to_move(&self) -> Side {
        Side::after(self.crosses.iter().filter(|&&cross| cross).count() as u32)
    }

    fn outcome(&self) -> Option<Outcome> {
        // The side that moved completed the line, so the other has won.
        let complete = |line: &[usize; 3]| line.iter().all(|&square| self.crosses[square]);
        let over = LINES.iter().any(complete);
        over.then(|| Outcome::Win(self.to_move()))
    }

    fn moves(&self) -> impl Iterator<Item = usize> {
        let over = self.outcome().is_some();
        (0..9).filter(move |&square| !over && !self.crosses[square])
    }

    fn play_unchecked(&mut self, square: usize) {
        self.crosses[square] = true;
    }
}

/// Plays so that the opponent's next move is not safe, if it can: it looks two
/// moves ahead, in any game.
struct Careful {
    rng: Rng,
}

impl<G: TwoPlayerGame> Player<G> for Careful {
    fn player_name(&self) -> &'static str {
        "Careful"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let wins = |game: &G, side| game.outcome() == Some(Outcome::Win(side));
        let safe = turn.game.moves().filter(|&m| {
            let next = turn.game.after(m);
            let answered = |answer| wins(&next.after(answer), !turn.side);
            !wins(&next, !turn.side) && !next.moves().any(answered)
        });
        let chosen = self.rng.pick(safe);
        let chosen = chosen.or_else(|| self.rng.pick(turn.game.moves()));
        chosen.map_or(Decision::Resign, Decision::Play)
    }
}

fn main() {
    let start = Notakto::default();
    println!("{} ways to make the first four moves", perft(&start, 4));

    let mut player1 = Careful { rng: Rng::new(1) };
    let mut player2 = Careful { rng: Rng::new(2) };
    for _ in 0..3 {
        let record = play_game(&start, &mut player1, &mut player2);
        println!("{:?}: {:?}", record.moves, record.end.outcome());
    }
}
