//! How long the computer blocks while it picks its move, at worst, and how
//! long crates do that search for it.
//!
//! Ours is measured in every unfinished position and on the empty board, where
//! the design document expects the worst case. There the others search the
//! whole game: `minimax` on our rules, in both ways it has, and `board-game` on
//! its own, asked for no more than the value. The crate published as ours
//! answers the empty board from memory, so its worst searches are those after
//! one mark. All are measured in turns, so that a busy machine slows all.

mod searching;

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench::median;
use open_ttt_lib::tic_tac_toe::{AiMove, Game, GameState};
use published::ai::{Difficulty, Opponent};
use published_oracle::{Beginner, Pair, positions, theirs};

/// Rounds of measuring one and the other.
const ROUNDS: usize = 101;
/// Moves that are timed together: a clock does not see a single one, and runs
/// about as long as those of the others are interrupted as often.
const BATCH: u32 = 10_000;
/// The others, in the order they are measured in.
const NAMES: [&str; 4] = [
    "open_ttt_lib 0.2.2, its worst search",
    "board-game 0.8.2, value by minimax",
    "minimax 0.6.0, negamax",
    "minimax 0.6.0, iterative with a table",
];
/// Moves timed together when each position is measured.
const SMALL_BATCH: u32 = 200;

fn main() {
    let pairs = positions(Beginner::PlayerX, 9);
    let unfinished: Vec<&Game> = pairs
        .iter()
        .map(|pair| &pair.ours)
        .filter(|game| !game.state().is_game_over())
        .collect();
    assert_eq!(unfinished.len(), 4_520);
    check_ours(&unfinished);

    let empty = Game::new();
    let opponent = Opponent::new(Difficulty::Unbeatable);
    let worst = worst_of_published(&opponent, &pairs);

    let mut ours = Vec::new();
    let mut others = [const { Vec::new() }; 4];
    let mut ratios = [const { Vec::new() }; 4];
    for _ in 0..ROUNDS {
        let our_time = time_ours(&empty, BATCH);
        ours.push(our_time);
        let times = [
            time_published(&opponent, worst),
            searching::time_board_game(),
            searching::time_minimax_negamax(),
            searching::time_minimax_iterative(),
        ];
        for (place, time) in times.into_iter().enumerate() {
            others[place].push(time);
            ratios[place].push(time / our_time);
        }
    }
    let (slowest, slowest_game) = unfinished
        .iter()
        .map(|game| (least_of_five(game), game))
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .expect("there are 4,520");

    println!("slowest of 4,520 positions, least of five: {slowest:>10.1} ns");
    println!();
    println!("a perfect answer to the empty board, least and median; times as long as ours,");
    println!("by the least and by the median of the ratios taken in turn:");
    let (least_of_ours, median_of_ours) = (least(&ours), median(ours));
    println!(
        "{:<40} {least_of_ours:>10.1} {median_of_ours:>10.1} ns",
        "AiMove::new"
    );
    for ((name, times), ratios) in NAMES.iter().zip(others).zip(ratios) {
        let (least, ratio) = (least(&times), median(ratios));
        println!(
            "{name:<40} {least:>10.0} {:>10.0} ns {:>8.0} {ratio:>8.0}",
            median(times),
            least / least_of_ours
        );
    }
    println!();
    println!("the slowest of ours:");
    println!("{}", slowest_game.board());
    println!("the worst of the published crate:");
    println!("{}", worst.ours.board());
}

/// Every result is a legal move, and self-play games from
/// the empty board are draws.
fn check_ours(unfinished: &[&Game]) {
    for game in unfinished {
        assert!(game.can_move(AiMove::new(game, 0.0).position()));
    }
    for _ in 0..1_000 {
        let mut game = Game::new();
        while !game.state().is_game_over() {
            game.do_move(AiMove::new(&game, 0.0).position());
        }
        assert_eq!(game.state(), GameState::CatsGame);
    }
}

/// The position of up to one mark that the published crate searches longest;
/// each further mark makes its search several times shorter.
fn worst_of_published<'a>(opponent: &Opponent, pairs: &'a [Pair]) -> &'a Pair {
    let early = pairs.iter().take_while(|pair| marks(&pair.ours) <= 1);
    early
        .map(|pair| {
            let times: Vec<_> = (0..3).map(|_| time_published(opponent, pair)).collect();
            (least(&times), pair)
        })
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, pair)| pair)
        .expect("there is the empty board")
}

fn marks(game: &Game) -> usize {
    9 - game.board().free_squares().count()
}

/// Nanoseconds for one of our moves.
fn time_ours(game: &Game, batch: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..batch {
        black_box(AiMove::new(black_box(game), black_box(0.0)));
    }
    nanoseconds(start.elapsed()) / f64::from(batch)
}

/// What the move takes when nothing interrupts it.
fn least_of_five(game: &Game) -> f64 {
    let times: Vec<_> = (0..5).map(|_| time_ours(game, SMALL_BATCH)).collect();
    least(&times)
}

/// Nanoseconds for one move of the published crate, whose answer must hold the
/// game as well.
fn time_published(opponent: &Opponent, pair: &Pair) -> f64 {
    let start = Instant::now();
    let answer = black_box(opponent.get_move(black_box(&pair.theirs)));
    let elapsed = start.elapsed();
    check_published(pair, answer);
    nanoseconds(elapsed)
}

/// The published crate must not lose either: these positions are not lost yet,
/// so its move has to keep the result.
fn check_published(pair: &Pair, answer: Option<published::board::Position>) {
    let mut free = pair.ours.board().free_squares();
    let square = free.find(|square| answer == Some(theirs(square.position)));
    let position = square.expect("it has a move").position;
    let player = pair.ours.state();
    let mut game = pair.after(position).ours;
    while !game.state().is_game_over() {
        game.do_move(AiMove::new(&game, 0.0).position());
    }
    let lost = match game.state() {
        GameState::PlayerXWin(_) => player == GameState::PlayerOMove,
        GameState::PlayerOWin(_) => player == GameState::PlayerXMove,
        _ => false,
    };
    assert!(!lost, "the published crate loses");
}

fn nanoseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}
