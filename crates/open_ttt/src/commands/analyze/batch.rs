//! Many positions, one a line of standard input, answered in their order.
//!
//! A thread reads lines and hands each on twice: to whichever worker takes it
//! first, and, as the place where its answer will come, to the one that writes.
//! So answers stay in order, and no more is read than is wanted.

use std::io::{self, BufWriter, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use open_ttt_catalog::DynGame;
use open_ttt_search::StopFlag;

use super::super::{Line, count, read_line};
use super::AnalyzeArgs;
use super::{Analyst, write_report};
use crate::failure::Failure;

/// How many lines are read before their answers are written: enough that easy
/// positions need not wait for a hard one.
const READ_AHEAD: usize = 1024;

/// How long answers are held back so that many are written at a time.
const PAUSE: Duration = Duration::from_millis(1);

/// How often a batch that waits looks whether it is interrupted.
const TICK: Duration = Duration::from_millis(100);

/// The line that answers a position, or what is wrong with it.
type Answer = Result<Vec<u8>, Failure>;

/// A position to be analyzed, and where its answer is awaited.
struct Job {
    line: Line,
    reply: Sender<Answer>,
}

/// How positions are answered.
#[derive(Clone)]
struct Worker {
    game: DynGame,
    analyst: Analyst,
    json: bool,
}

/// Answers each line of standard input; one that is no position is reported
/// and the others go on.
pub(super) fn run(args: &AnalyzeArgs, analyst: &Analyst) -> Result<(), Failure> {
    let stop = &analyst.stop;
    let worker = Worker {
        game: args.position.game.clone(),
        analyst: Analyst {
            threads: NonZero::<usize>::MIN,
            ..analyst.clone()
        },
        json: args.json,
    };
    let order = start(&worker, analyst.threads.get());
    let mut output = BufWriter::new(io::stdout().lock());
    let (mut answered, mut wrong) = (0_u32, 0_u32);
    while let Some(answer) = wait(&order, stop, &mut output)? {
        match wait(&answer?, stop, &mut output)? {
            Some(Ok(line)) => {
                answered += 1;
                output.write_all(&line)?;
            }
            Some(Err(failure)) => {
                wrong += 1;
                // What was answered before it is seen before it.
                output.flush()?;
                let number = answered + wrong;
                Failure::failed(format_args!("line {number}: {}", failure.message)).tell();
            }
            None if stop.is_raised() => break,
            None => return Err(Failure::failed("a position was too much for the analysis")),
        }
    }
    output.flush()?;
    if stop.is_raised() {
        return Err(Failure::failed(format_args!(
            "interrupted after {}",
            count(answered, "position", "positions")
        )));
    }
    match wrong {
        0 => Ok(()),
        1 => Err(Failure::failed("1 line was no position")),
        _ => Err(Failure::failed(format_args!(
            "{wrong} lines were no positions"
        ))),
    }
}

/// Where the answers to the lines of standard input will come, in order.
///
/// Reading and analyzing go on threads that nobody waits for: Ctrl-C is heard
/// while no line comes, and while a position is thought about.
fn start(worker: &Worker, threads: usize) -> Receiver<io::Result<Receiver<Answer>>> {
    let (awaited, order) = sync_channel(READ_AHEAD);
    let (jobs, desk) = channel();
    let desk = Arc::new(Mutex::new(desk));
    for _ in 0..threads {
        let (worker, desk) = (worker.clone(), Arc::clone(&desk));
        thread::spawn(move || worker.work(&desk));
    }
    thread::spawn(move || read(&jobs, &awaited));
    order
}

/// Reads lines until there are no more, or nobody wants them.
fn read(jobs: &Sender<Job>, awaited: &SyncSender<io::Result<Receiver<Answer>>>) {
    let mut input = io::stdin().lock();
    loop {
        let (reply, answer) = channel();
        match read_line(&mut input) {
            Ok(None) => break,
            Ok(Some(line)) => {
                if awaited.send(Ok(answer)).is_err() || jobs.send(Job { line, reply }).is_err() {
                    break;
                }
            }
            Err(error) => {
                // Nobody is left to tell where this fails.
                let _ = awaited.send(Err(error));
                break;
            }
        }
    }
}

impl Worker {
    /// Answers as long as there are lines.
    fn work(&self, desk: &Mutex<Receiver<Job>>) {
        while let Some(Job { line, reply }) = next_job(desk) {
            // Where nobody awaits it any more the program ends.
            let _ = reply.send(line.and_then(|moves| self.answer(&moves)));
        }
    }

    fn answer(&self, moves: &str) -> Answer {
        let report = self.analyst.analyze(&self.game, moves)?;
        let mut line = Vec::new();
        write_report(&mut line, self.json, &report)?;
        Ok(line)
    }
}

fn next_job(desk: &Mutex<Receiver<Job>>) -> Option<Job> {
    desk.lock().ok()?.recv().ok()
}

/// What comes next; `None` if nothing does, or when it comes too late. While
/// nothing comes, what was written before is shown.
fn wait<T>(
    from: &Receiver<T>,
    stop: &StopFlag,
    output: &mut impl Write,
) -> Result<Option<T>, Failure> {
    let mut patience = PAUSE;
    loop {
        let next = from.recv_timeout(patience);
        if stop.is_raised() {
            return Ok(None);
        }
        match next {
            Ok(next) => return Ok(Some(next)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                output.flush()?;
                patience = TICK;
            }
        }
    }
}
