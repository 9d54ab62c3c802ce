//! Exact values of Connect Four positions on one thread, with an empty table for
//! each position: this library's prover and the crate `connect-four-ai`, in turns.
//!
//! Without arguments the positions are random, the same each time. With a folder as
//! the argument they are the three sets `Test_L3_R1`, `Test_L2_R1` and `Test_L1_R1`
//! that Pascal Pons published with his solver, the first 200 of the last:
//!
//! ```text
//! cargo bench --manifest-path bench/Cargo.toml --bench connect_four -- FOLDER
//! ```

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use bench::median;
use connect_four_ai::{Position, Solver};
use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame, play_text};
use open_ttt_search::{Budget, Grade, Prover, Score, StopFlag};

const ROUNDS: usize = 5;

/// A position for both programs, and its value if it is known.
struct Task {
    ours: ConnectFour,
    theirs: Position,
    value: Option<i32>,
}

/// The mean cost per position.
struct Cost {
    micros: f64,
    nodes: f64,
}

fn main() {
    let folder = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let sets = [
        ("Test_L3_R1", 28, 500),
        ("Test_L2_R1", 20, 500),
        ("Test_L1_R1", 14, 200),
    ];
    let sets = sets.map(|(name, plies, count)| match &folder {
        Some(folder) => (
            name.to_owned(),
            published(&Path::new(folder).join(name), count),
        ),
        None => (format!("random, ply {plies}"), random(plies, count)),
    });
    let mut prover = Prover::new(64 << 20);
    let mut solver = Solver::empty();
    println!("a position on average, medians of {ROUNDS} rounds");
    println!("                      this library         connect-four-ai      ratio");
    for (name, tasks) in &sets {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let ours = measure(tasks, |task| ours(&mut prover, task));
            let theirs = measure(tasks, |task| theirs(&mut solver, task));
            rounds.push((ours, theirs));
        }
        let median = |of: fn(&(Cost, Cost)) -> f64| median(rounds.iter().map(of));
        println!(
            "{name:<16} {:>9.2} us {:>6.0} nodes {:>9.2} us {:>6.0} nodes {:>6.1}",
            median(|(ours, _)| ours.micros),
            rounds[0].0.nodes,
            median(|(_, theirs)| theirs.micros),
            rounds[0].1.nodes,
            median(|(ours, theirs)| theirs.micros / ours.micros),
        );
    }
}

/// Runs every task; each returns its time and nodes.
fn measure(tasks: &[Task], mut run: impl FnMut(&Task) -> (Duration, u64)) -> Cost {
    let (mut time, mut nodes) = (Duration::ZERO, 0);
    for task in tasks {
        let (took, looked_at) = run(task);
        time += took;
        nodes += looked_at;
    }
    Cost {
        micros: time.as_secs_f64() * 1e6 / tasks.len() as f64,
        nodes: nodes as f64 / tasks.len() as f64,
    }
}

fn ours(prover: &mut Prover<ConnectFour>, task: &Task) -> (Duration, u64) {
    prover.clear();
    let since = Instant::now();
    let proof = prover.score(&task.ours, &Budget::UNLIMITED, &StopFlag::new());
    let took = since.elapsed();
    let (score, nodes) = proof.expect("nothing limits the proof");
    if let Some(value) = task.value {
        assert_eq!(winner_stones(score, task.ours), value);
    }
    (took, nodes)
}

fn theirs(solver: &mut Solver, task: &Task) -> (Duration, u64) {
    solver.reset();
    let since = Instant::now();
    let value = solver.solve(&task.theirs);
    let took = since.elapsed();
    if let Some(known) = task.value {
        assert_eq!(i32::from(value), known);
    }
    (took, solver.explored_positions as u64)
}

/// The value as Pons counts it: 22 minus the winner's moves in the whole game.
fn winner_stones(score: Score, game: ConnectFour) -> i32 {
    let last_ply = score.plies().unwrap_or_default() + game.plies();
    let value = 22 - last_ply.div_ceil(2) as i32;
    match score.grade() {
        Grade::Win => value,
        Grade::Loss => -value,
        Grade::Evaluation(_) => 0,
    }
}

fn published(file: &Path, count: usize) -> Vec<Task> {
    let text = fs::read_to_string(file)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", file.display()));
    let tasks = text.lines().take(count).map(|line| {
        let (moves, value) = line.split_once(' ').expect("moves and a value");
        task(moves, value.trim().parse().ok())
    });
    tasks.collect()
}

/// Random positions after this many plies without an immediate win.
fn random(plies: usize, count: usize) -> Vec<Task> {
    let mut rng = Rng::new(plies as u64);
    let mut tasks = Vec::new();
    while tasks.len() < count {
        let (mut game, mut moves) = (ConnectFour::new(), String::new());
        for _ in 0..plies {
            if let Some(m) = rng.pick(game.moves()) {
                moves.push_str(&game.move_text(m));
                game.play_unchecked(m);
            }
        }
        let quiet = game.moves().all(|m| game.after(m).outcome().is_none());
        if game.outcome().is_none() && quiet {
            tasks.push(task(&moves, None));
        }
    }
    // Both programs must agree on values that are not published.
    let (mut prover, mut solver) = (Prover::new(64 << 20), Solver::empty());
    for task in &mut tasks {
        let proof = prover.score(&task.ours, &Budget::UNLIMITED, &StopFlag::new());
        let (score, _) = proof.expect("nothing limits the proof");
        assert_eq!(
            winner_stones(score, task.ours),
            solver.solve(&task.theirs).into()
        );
        task.value = Some(winner_stones(score, task.ours));
    }
    tasks
}

fn task(moves: &str, value: Option<i32>) -> Task {
    let mut ours = ConnectFour::new();
    play_text(&mut ours, moves).unwrap_or_else(|error| panic!("{moves}: {error}"));
    let theirs = Position::from_moves(moves)
        .unwrap_or_else(|error| panic!("connect-four-ai refuses {moves}: {error:?}"));
    Task {
        ours,
        theirs,
        value,
    }
}
