//! How long exact answers on Connect Four positions take with the opening book: the value,
//! a best move, an analysis, and the values of all moves. One thread, CPU time, and an
//! empty table for each answer.
//!
//! ```text
//! cargo bench --manifest-path bench/Cargo.toml --bench at_once
//! ```

use std::hint::black_box;

use cpu_time::ThreadTime;
use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{OpeningBook, Tactics, TwoPlayerGame};
use open_ttt_search::{Budget, Prover, StopFlag};

/// The positions after each number of plies.
const POSITIONS: usize = 100;

const TABLE_BYTES: usize = 64 << 20;

fn main() {
    println!(
        "milliseconds for a random position: median, 99th percentile and longest of {POSITIONS}"
    );
    println!(
        "plies  in the book             value           best move            analysis           all moves"
    );
    for plies in (0..=16).rev() {
        let positions = random(plies);
        let known = positions.iter().filter(|game| game.book_value().is_some());
        print!("{plies:>5}  {:>11}", known.count());
        const ALL: Budget = Budget::UNLIMITED;
        let stop = StopFlag::new();
        print_times(&positions, |prover, game| {
            black_box(prover.score(game, &ALL, &stop));
        });
        print_times(&positions, |prover, game| {
            black_box(prover.best_move(game, &ALL, &stop));
        });
        print_times(&positions, |prover, game| {
            black_box(prover.analyze(game, &ALL, &stop));
        });
        print_times(&positions, |prover, game| {
            black_box(prover.moves(game, &ALL, &stop));
        });
        println!();
    }
}

fn print_times(positions: &[ConnectFour], answer: impl Fn(&mut Prover<ConnectFour>, &ConnectFour)) {
    let time = |game: &ConnectFour| {
        let since = ThreadTime::now();
        answer(&mut Prover::new(TABLE_BYTES).with_book(), game);
        since.elapsed().as_secs_f64() * 1e3
    };
    let mut times: Vec<_> = positions.iter().map(time).collect();
    times.sort_by(f64::total_cmp);
    let [median, most, longest] =
        [50, 99, 100].map(|percent| times[(POSITIONS * percent - 1) / 100]);
    print!("{median:>8.1}{most:>6.0}{longest:>6.0}");
}

/// Random positions after this many plies in which the side to move can't win at once.
fn random(plies: usize) -> Vec<ConnectFour> {
    let mut rng = Rng::new(plies as u64);
    let mut positions = Vec::new();
    while positions.len() < POSITIONS {
        let mut game = ConnectFour::new();
        for _ in 0..plies {
            if let Some(m) = rng.pick(game.moves()) {
                game.play_unchecked(m);
            }
        }
        if game.outcome().is_none() && !game.wins_at_once() {
            positions.push(game);
        }
    }
    positions
}
