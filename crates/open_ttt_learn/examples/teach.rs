//! A network learns a custom game, Notakto: both players place crosses on a board of three
//! by three squares, and whoever completes a line of three loses.
//!
//! ```text
//! cargo run --release -p open_ttt_learn --example teach
//! ```

#![allow(dead_code, reason = "the tests use the game without `main`")]
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::path::Path;

use open_ttt_learn::{Symmetries, teach};
use open_ttt_lib::rules::{Encode, Encoding, IndexedMoves, Named, Outcome, Side, TwoPlayerGame};
use open_ttt_nn::Network;
use open_ttt_players::{Decision, GumbelPlayer, NetworkModel, Player, Random, Turn, play_game};

/// The board, square by square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Notakto {
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

// The rules.
impl TwoPlayerGame for Notakto {
    type Move = usize;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.crosses.iter().filter(|&&cross| cross).count() as u32)
    }

    fn outcome(&self) -> Option<Outcome> {
        // Whoever has completed the line loses, so the side to move has won.
        let complete = |line: &[usize; 3]| line.iter().all(|&square| self.crosses[square]);
        LINES
            .iter()
            .any(complete)
            .then(|| Outcome::Win(self.to_move()))
    }

    fn moves(&self) -> impl Iterator<Item = usize> {
        let over = self.outcome().is_some();
        (0..9).filter(move |&square| !over && !self.crosses[square])
    }

    fn play_unchecked(&mut self, square: usize) {
        self.crosses[square] = true;
    }
}

// The moves by index: the network has an output for each.
impl IndexedMoves for Notakto {
    fn move_count(&self) -> usize {
        9
    }

    fn move_index(&self, square: usize) -> usize {
        square
    }

    fn indexed_move(&self, index: usize) -> Option<usize> {
        (index < 9).then_some(index)
    }
}

// The encoding: crosses have no owner, so one plane is enough.
impl Encode for Notakto {
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 1,
            rows: 3,
            columns: 3,
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        for (number, cross) in planes.iter_mut().zip(self.crosses) {
            *number = f32::from(cross);
        }
    }
}

// The name, stored with the network, which other games refuse.
impl Named for Notakto {
    fn name(&self) -> String {
        "notakto".to_owned()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = Notakto::default();
    let folder = Path::new("learned-notakto");
    let network = teach(&start, Symmetries::none(), folder, |metrics| {
        if let Some(last) = metrics.last() {
            let losses = last.losses.unwrap_or_default();
            println!(
                "iteration {:2} of {}: {:5} games, loss {:.3} + {:.3}",
                last.iteration, last.iterations, last.games, losses.policy, losses.value
            );
        }
    })?;

    let mut computer = GumbelPlayer::new(NetworkModel::new(&*network), 16);
    let mut won = 0;
    for seed in 0..100 {
        let record = play_game(&start, &mut computer, &mut Random::seeded(seed));
        won += u32::from(record.end.outcome() == Outcome::Win(Side::First));
    }
    println!("wins {won} of 100 games against random moves as the first player");
    println!("lines of play lost: {}", lines_lost(&network));
    println!("report: {}", folder.join("report.html").display());
    Ok(())
}

/// The number of lines of play that the policy alone loses as the first player, who can
/// always win.
pub(crate) fn lines_lost(network: &Network) -> u32 {
    let mut lost = 0;
    let mut open = vec![Notakto::default()];
    while let Some(game) = open.pop() {
        let mut computer = GumbelPlayer::new(NetworkModel::new(network), 0);
        let Decision::Play(m) = computer.take_turn(&Turn::new(&game)) else {
            continue;
        };
        let next = game.after(m);
        if next.outcome().is_some() {
            lost += 1;
            continue;
        }
        let replies = next.moves().map(|reply| next.after(reply));
        open.extend(replies.filter(|game| game.outcome().is_none()));
    }
    lost
}
