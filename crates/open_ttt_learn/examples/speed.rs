//! Measures inference and training of a residual tower of 4 blocks of 32 filters on the
//! encoding of Connect Four: positions per second and milliseconds per training step, for
//! each instruction set that the processor has.
//!
//! With one thread it measures the thread's CPU time where the system reports it (Linux);
//! otherwise elapsed time.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::num::NonZero;
use std::sync::LazyLock;
use std::time::Instant;

use open_ttt_learn::training::{Batch, Settings, Trainer};
use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, TwoPlayerGame};
use open_ttt_nn::kernel::InstructionSet;
use open_ttt_nn::{Architecture, Network, Workspace};

/// The number of measurements, of which the median counts.
const TIMES: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = ConnectFour::new();
    let architecture = Architecture::Residual {
        blocks: 4,
        filters: 32,
    };
    let network = Network::new(&start, architecture, 1)?;
    let (tower, parameters) = (network.architecture(), network.parameters().len());
    println!("{tower} on connect4, {parameters} parameters");
    let positions = positions(&start, 256);
    let is_available = |set: &InstructionSet| set.is_available();
    let available = || InstructionSet::ALL.into_iter().filter(is_available);
    for set in available() {
        let mut workspace = Workspace::with(set);
        for size in [1, 16, 64] {
            let mut planes = vec![0.0; size * start.encoding().inputs()];
            let each = planes.chunks_exact_mut(start.encoding().inputs());
            for (planes, position) in each.zip(&positions) {
                position.encode(planes);
            }
            let seconds = median(cpu_seconds, || {
                network.evaluate(&planes, &mut workspace);
            });
            let speed = size as f64 / seconds;
            println!("{set:?}, {size} at a time: {speed:.0} positions/s");
        }
    }
    let mut rng = Rng::new(1);
    let mut batch = Batch::new(start.encoding());
    for position in &positions {
        let moves = position.moves().map(|m| (m, 1.0 + rng.below(4) as f32));
        batch.push(position, moves, 0.5, 0.25);
    }
    for set in available() {
        for (threads, clock) in [(1, cpu_seconds as fn() -> f64), (2, elapsed_seconds)] {
            let settings = Settings {
                threads: NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN),
                learning_rate: 1e-4,
                ..Settings::default()
            };
            let mut trainer = Trainer::new(network.clone(), settings).with_instruction_set(set);
            let mut result = Ok(());
            let seconds = median(clock, || {
                if let Err(error) = trainer.step(&batch) {
                    result = Err(error);
                }
            });
            result?;
            let (size, ms) = (batch.len(), 1e3 * seconds);
            println!("{set:?}, training step of {size}, {threads} threads: {ms:.1} ms");
        }
    }
    Ok(())
}

/// Positions of random games.
fn positions(start: &ConnectFour, count: usize) -> Vec<ConnectFour> {
    let mut rng = Rng::new(7);
    let mut position = *start;
    let mut positions = Vec::new();
    while positions.len() < count {
        match rng.pick(position.moves()) {
            Some(m) => {
                positions.push(position);
                position.play_unchecked(m);
            }
            None => position = *start,
        }
    }
    positions
}

/// The median time of some work by this clock, in seconds.
fn median(clock: fn() -> f64, mut work: impl FnMut()) -> f64 {
    // Repeats it, since the CPU clock may tick in milliseconds.
    let begin = Instant::now();
    work();
    let once = begin.elapsed().as_secs_f64().max(1e-6);
    let repeat = (0.2 / once).ceil() as usize;
    let times = (0..TIMES).map(|_| {
        let begin = clock();
        for _ in 0..repeat {
            work();
        }
        (clock() - begin) / repeat as f64
    });
    let mut times: Vec<_> = times.collect();
    times.sort_by(f64::total_cmp);
    times[TIMES / 2]
}

fn elapsed_seconds() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed().as_secs_f64()
}

/// The CPU time of this thread, or else elapsed time.
fn cpu_seconds() -> f64 {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = used.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    used.map_or_else(elapsed_seconds, |nanoseconds| nanoseconds as f64 / 1e9)
}
