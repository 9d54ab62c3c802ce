//! Exact values of Connect Four positions on one thread, with an empty table for
//! each position: this library's prover and the crate `connect-four-ai`, in turns.
//!
//! Without arguments the positions are random, the same each time. With a folder as
//! the argument they are those of the six sets that Pascal Pons published with his solver
//! (`Test_L3_R1` and so on) that are there, or the first of a set of hard ones:
//!
//! ```text
//! cargo bench --manifest-path bench/Cargo.toml --bench connect_four -- FOLDER
//! ```
//!
//! Other solvers take part, in turns, with `--peer 'COMMAND ARGUMENTS'`: a program that
//! reads lines of moves and a value, and writes the microseconds and nodes of a position
//! on average. `bench/connect_four` has such programs for Pascal Pons' solver and for
//! `BitBully`, and how to build them from their sources.
//!
//! Times are CPU times, and reading the clock takes a part of the shortest.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use bench::median;
use connect_four_ai::{Position, Solver};
use cpu_time::ThreadTime;
use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame, play_text};
use open_ttt_search::{Budget, Grade, Prover, Score, StopFlag};

const ROUNDS: usize = 5;

/// The published sets, and how many of their positions are taken.
const PUBLISHED: [(&str, usize); 6] = [
    ("Test_L3_R1", 500),
    ("Test_L2_R1", 500),
    ("Test_L1_R1", 200),
    ("Test_L2_R2", 50),
    ("Test_L1_R2", 30),
    ("Test_L1_R3", 3),
];

/// The plies before random positions, and their number.
const RANDOM: [(usize, usize); 5] = [(28, 500), (20, 500), (14, 200), (11, 50), (9, 10)];

/// A position for both programs, and its value if it is known.
struct Task {
    moves: String,
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
    let (folder, peers) = arguments();
    let sets: Vec<_> = match &folder {
        Some(folder) => PUBLISHED
            .iter()
            .map(|&(name, count)| (name.to_owned(), Path::new(folder).join(name), count))
            .filter(|(_, file, _)| file.exists())
            .map(|(name, file, count)| (name, published(&file, count)))
            .collect(),
        None => RANDOM
            .iter()
            .map(|&(plies, count)| (format!("random, ply {plies}"), random(plies, count)))
            .collect(),
    };
    assert!(!sets.is_empty(), "none of the published sets is there");
    let mut prover = Prover::new(64 << 20);
    let mut solver = Solver::empty();
    println!("a position on average, medians of {ROUNDS} rounds; ratio of the CPU times to ours");
    for (name, tasks) in &sets {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let mut costs = vec![
                measure(tasks, |task| ours(&mut prover, task)),
                measure(tasks, |task| theirs(&mut solver, task)),
            ];
            costs.extend(peers.iter().map(|peer| measure_peer(peer, tasks)));
            rounds.push(costs);
        }
        println!("{name}");
        let solvers = ["this library", "connect-four-ai"].into_iter();
        for (index, solver) in solvers.chain(peers.iter().map(String::as_str)).enumerate() {
            let micros = rounds.iter().map(|costs| costs[index].micros);
            let ratios = rounds
                .iter()
                .map(|costs| costs[index].micros / costs[0].micros);
            println!(
                "{:>12.2} us {:>10.0} nodes {:>8.2}   {solver}",
                median(micros),
                rounds[0][index].nodes,
                median(ratios),
            );
        }
    }
}

/// The folder of the published sets and the commands of other solvers.
fn arguments() -> (Option<String>, Vec<String>) {
    let (mut folder, mut peers) = (None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--peer" {
            peers.push(arguments.next().expect("--peer needs a command"));
        } else if !argument.starts_with('-') {
            folder = Some(argument);
        }
    }
    (folder, peers)
}

/// Hands all tasks to another program and reads its means.
fn measure_peer(command: &str, tasks: &[Task]) -> Cost {
    let mut words = command.split_whitespace();
    let mut child = Command::new(words.next().unwrap_or_default())
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the peer runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    for task in tasks {
        let value = task.value.expect("each value is known");
        writeln!(stdin, "{} {value}", task.moves).expect("the peer runs");
    }
    drop(stdin);
    let output = child.wait_with_output().expect("the peer runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().flat_map(str::parse).collect();
    match numbers[..] {
        [micros, nodes] if output.status.success() => Cost { micros, nodes },
        _ => panic!("{command}: expected microseconds and nodes, found {text:?}"),
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
    let since = ThreadTime::now();
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
    let since = ThreadTime::now();
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
        moves: moves.to_owned(),
        ours,
        theirs,
        value,
    }
}
