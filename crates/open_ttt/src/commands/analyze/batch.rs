//! Analysis of many positions, each a line of standard input, in order.
//!
//! One thread reads lines. It sends each line to the workers, and the receiver of
//! the line's result to the writer. The results are therefore written in order,
//! and the reader is at most [`READ_AHEAD`] lines ahead.

use std::io::{self, BufWriter, Write};
use std::mem;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use open_ttt_search::StopFlag;

use super::super::{count, read_line};
use super::Analyzer;
use crate::failure::Failure;

/// The most lines that are read before their results are written: enough for easy
/// positions to be analyzed while a hard one takes its time.
const READ_AHEAD: usize = 1024;

/// The longest line, in bytes.
const MAX_LINE: usize = 16 * 1024;

/// How long the writer waits for more results before it flushes.
const FLUSH_AFTER: Duration = Duration::from_millis(1);

/// How often a waiting writer checks the stop flag.
const TICK: Duration = Duration::from_millis(100);

/// The output for a line, or what is wrong with the line.
type LineResult = Result<String, Failure>;

struct Job {
    line: Result<String, Failure>,
    result: Sender<LineResult>,
}

/// Writes a report for each line of standard input, and an error for each invalid
/// line.
pub(super) fn run(analyzer: Analyzer) -> Result<(), Failure> {
    let stop = &analyzer.stop.clone();
    let results = start(analyzer);
    let mut output = BufWriter::new(io::stdout().lock());
    let (mut valid, mut invalid) = (0_u32, 0_u32);
    while let Some(result) = wait(&results, stop, &mut output)? {
        match wait(&result?, stop, &mut output)? {
            Some(Ok(line)) => {
                valid += 1;
                writeln!(output, "{line}")?;
            }
            Some(Err(failure)) => {
                invalid += 1;
                // The earlier results precede the error.
                output.flush()?;
                let number = valid + invalid;
                Failure::failed(format_args!("line {number}: {}", failure.message)).print();
            }
            None if stop.is_raised() => break,
            None => return Err(Failure::failed("the analysis of a position panicked")),
        }
    }
    output.flush()?;
    if stop.is_raised() {
        return Err(Failure::failed(format_args!(
            "interrupted after {}",
            count(valid, "position", "positions")
        )));
    }
    if invalid > 0 {
        let lines = count(invalid, "invalid line", "invalid lines");
        return Err(Failure::failed(lines));
    }
    Ok(())
}

/// Starts the reader and the workers; returns the receivers of the results, in the
/// order of the lines.
///
/// The threads are detached, so that Ctrl-C also ends the program while a line is
/// awaited or a position is searched.
fn start(mut analyzer: Analyzer) -> Receiver<io::Result<Receiver<LineResult>>> {
    let (result_sender, results) = sync_channel(READ_AHEAD);
    let (job_sender, jobs) = channel();
    let threads = mem::replace(&mut analyzer.threads, NonZero::<usize>::MIN);
    let shared = Arc::new((analyzer, Mutex::new(jobs)));
    for _ in 0..threads.get() {
        let shared = Arc::clone(&shared);
        thread::spawn(move || work(&shared.0, &shared.1));
    }
    thread::spawn(move || read(&job_sender, &result_sender));
    results
}

/// Reads lines until the input ends or the writer is gone.
fn read(jobs: &Sender<Job>, results: &SyncSender<io::Result<Receiver<LineResult>>>) {
    let mut input = io::stdin().lock();
    loop {
        let (result, receiver) = channel();
        match read_line(&mut input, MAX_LINE) {
            Ok(None) => break,
            Ok(Some(line)) => {
                let job = Job { line, result };
                if results.send(Ok(receiver)).is_err() || jobs.send(job).is_err() {
                    break;
                }
            }
            Err(error) => {
                // This fails only if the writer is gone.
                let _ = results.send(Err(error));
                break;
            }
        }
    }
}

/// Executes jobs until the reader is gone.
fn work(analyzer: &Analyzer, jobs: &Mutex<Receiver<Job>>) {
    let next = || jobs.lock().ok()?.recv().ok();
    while let Some(Job { line, result }) = next() {
        // This fails only if the writer is gone.
        let _ = result.send(line.and_then(|moves| analyzer.line(&moves)));
    }
}

/// Receives the next value; `None` if the sender is gone or the stop flag is
/// raised. Flushes the output before a longer wait.
fn wait<T>(
    receiver: &Receiver<T>,
    stop: &StopFlag,
    output: &mut impl Write,
) -> Result<Option<T>, Failure> {
    let mut timeout = FLUSH_AFTER;
    loop {
        let next = receiver.recv_timeout(timeout);
        if stop.is_raised() {
            return Ok(None);
        }
        match next {
            Ok(next) => return Ok(Some(next)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                output.flush()?;
                timeout = TICK;
            }
        }
    }
}
