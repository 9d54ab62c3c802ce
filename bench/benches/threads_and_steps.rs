//! The speedup by a second thread, and how well a step keeps to its time.
//!
//! ```text
//! cargo bench --manifest-path bench/Cargo.toml --bench threads_and_steps
//! ```
//!
//! Both need an idle machine.

use std::num::NonZero;
use std::time::{Duration, Instant};

use bench::{clock, median};
use open_ttt_lib::games::{ConnectFour, Mnk, Ultimate};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Heuristic, TwoPlayerGame, play_text};
use open_ttt_search::{
    Budget, HeuristicEvaluator, Playout, Prover, SearchOptions, Searcher, StopFlag, TreeOptions,
    TreeSearch,
};

const ROUNDS: usize = 3;
const SLICE: Duration = Duration::from_millis(1);
const SLICES: usize = 3_000;

fn main() {
    let hard = hard_positions();
    println!(
        "two threads, times as fast as one: medians of {ROUNDS} rounds\n\
         exact values, {} random positions after 8 plies   {:.2}\n\
         alpha-beta, Connect Four to depth 16              {:.2}",
        hard.len(),
        ratio(|threads| prove(&hard, threads)),
        ratio(search),
    );
    println!("steps of 1 ms: median, 99.9th percentile and longest of {SLICES}, in ms");
    let gomoku = Mnk::default();
    steps_of_alpha_beta("alpha-beta, Connect Four", &ConnectFour::new());
    steps_of_alpha_beta("alpha-beta, 15x15", &gomoku);
    steps_of_tree("tree search, Connect Four", &ConnectFour::new());
    steps_of_tree("tree search, 15x15", &gomoku);
    steps_of_tree("tree search, ultimate", &Ultimate::default());
}

/// The speedup by a second thread.
fn ratio(run: impl Fn(NonZero<usize>)) -> f64 {
    let time = |threads| {
        let since = Instant::now();
        run(NonZero::new(threads).expect("at least one"));
        since.elapsed().as_secs_f64()
    };
    median((0..ROUNDS).map(|_| time(1) / time(2)))
}

/// Random positions whose proof takes more than a million nodes.
fn hard_positions() -> Vec<ConnectFour> {
    let mut rng = Rng::new(8);
    let mut positions = Vec::new();
    let mut prover = Prover::new(1 << 26);
    while positions.len() < 3 {
        let mut game = ConnectFour::new();
        for _ in 0..8 {
            if let Some(m) = rng.pick(game.moves()) {
                game.play_unchecked(m);
            }
        }
        prover.clear();
        let few = Budget::nodes(1_000_000);
        if game.outcome().is_none() && prover.score(&game, &few, &StopFlag::new()).is_none() {
            positions.push(game);
        }
    }
    positions
}

fn prove(positions: &[ConnectFour], threads: NonZero<usize>) {
    let mut prover = Prover::new(1 << 26).with_threads(threads);
    for game in positions {
        prover.clear();
        let proof = prover.score(game, &Budget::UNLIMITED, &StopFlag::new());
        assert!(proof.is_some());
    }
}

fn search(threads: NonZero<usize>) {
    let mut game = ConnectFour::new();
    play_text(&mut game, "44352").expect("the moves are legal");
    let mut searcher = Searcher::new(&game, HeuristicEvaluator, SearchOptions::default());
    assert!(searcher.step_parallel(threads, &Budget::depth(16), &StopFlag::new()));
}

fn slice() -> Budget {
    Budget::time(SLICE, clock())
}

fn steps_of_alpha_beta<G: Heuristic>(name: &str, game: &G) {
    let mut searcher = Searcher::new(game, HeuristicEvaluator, SearchOptions::default());
    report(name, || {
        searcher.step(&slice(), &StopFlag::new());
    });
}

fn steps_of_tree<G: TwoPlayerGame>(name: &str, game: &G) {
    let mut search = TreeSearch::new(game, Playout, TreeOptions::default(), Rng::new(1));
    report(name, || search.step(&slice(), &StopFlag::new()));
}

fn report(name: &str, mut step: impl FnMut()) {
    let mut times = Vec::with_capacity(SLICES);
    for _ in 0..SLICES {
        let since = Instant::now();
        step();
        times.push(since.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{name:<28} {:>6.3} {:>6.3} {:>6.3}",
        times[SLICES / 2],
        times[SLICES * 999 / 1000],
        times[SLICES - 1]
    );
}
