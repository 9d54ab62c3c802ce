use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::{History, Notation, SpecError};
use open_ttt_players::{Turn, request_move};
use open_ttt_search::{Clock, StopFlag};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::Config;
use super::clock::search_clock;
use crate::lock::lock;
use crate::matches::Act;

type Job = Box<dyn FnOnce() + Send>;

/// Threads on which computers choose moves, separate from the async threads.
#[derive(Debug)]
pub(super) struct ComputerPool {
    jobs: SyncSender<Job>,
    unfinished: Arc<AtomicUsize>,
    threads: NonZero<usize>,
    time_limit: Duration,
}

/// The least time for a job, however many others wait.
const MIN_TIME: Duration = Duration::from_millis(20);

impl ComputerPool {
    pub(super) fn new(config: &Config) -> Self {
        let threads = config.computer_threads;
        let (jobs, queue) = sync_channel(config.computer_queue.max(1));
        let queue = Arc::new(Mutex::new(queue));
        for number in 0..threads.get() {
            let queue = Arc::clone(&queue);
            // If no thread can be started, jobs wait; the rest of the server
            // works.
            let _ = std::thread::Builder::new()
                .name(format!("computer-{number}"))
                .spawn(move || run_jobs(&queue));
        }
        Self {
            jobs,
            unfinished: Arc::default(),
            threads,
            time_limit: config.computer_time,
        }
    }

    /// Number of queued and running jobs.
    pub(super) fn unfinished(&self) -> usize {
        self.unfinished.load(Ordering::Relaxed)
    }

    /// Queues a job; `None` if the queue is full. The flag is raised when its time
    /// is up, which is less the more jobs are queued. The result comes through the
    /// channel, which is closed if the job panics.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        stop: StopFlag,
        job: impl FnOnce(&StopFlag) -> T + Send + 'static,
    ) -> Option<oneshot::Receiver<T>> {
        let (reply, result) = oneshot::channel();
        let runtime = Handle::current();
        let unfinished = Arc::clone(&self.unfinished);
        let (threads, time_limit) = (self.threads, self.time_limit);
        self.unfinished.fetch_add(1, Ordering::Relaxed);
        let job = Box::new(move || {
            let others = unfinished.load(Ordering::Relaxed).saturating_sub(1);
            let share = u32::try_from(1 + others / threads).unwrap_or(u32::MAX);
            let time = (time_limit / share).max(MIN_TIME);
            let flag = stop.clone();
            let timer = runtime.spawn(async move {
                tokio::time::sleep(time).await;
                flag.raise();
            });
            let result = catch_unwind(AssertUnwindSafe(|| job(&stop)));
            timer.abort();
            unfinished.fetch_sub(1, Ordering::Relaxed);
            if let Ok(result) = result {
                // Fails if the receiver was dropped.
                let _ = reply.send(result);
            } else {
                tracing::error!("a computer has panicked");
            }
        });
        if self.jobs.try_send(job).is_err() {
            self.unfinished.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(result)
    }
}

fn run_jobs(queue: &Mutex<Receiver<Job>>) {
    loop {
        let next = lock(queue).recv();
        let Ok(job) = next else { return };
        job();
    }
}

/// Parses the specification of a computer for a game. On a server a computer
/// uses one thread, whatever its specification says, and no file: a client must not
/// make the server open files.
pub(super) fn parse_computer(game: &DynGame, text: &str) -> Result<PlayerSpec, SpecError> {
    let mut spec: PlayerSpec = text.parse()?;
    if spec.network_file().is_some() {
        return Err(SpecError::Unavailable {
            owner: "net:FILE".to_owned(),
            reason: "a server loads no files for its clients; use net:pretrained, if the game \
                     has a pretrained network"
                .to_owned(),
        });
    }
    spec.threads = Some(NonZero::<usize>::MIN);
    let _players = game.players(&spec, search_clock())?;
    Ok(spec)
}

/// Decides for a computer in a game that is not over. `nonce` differs from
/// move to move, so a seeded computer does not repeat its random choices.
pub(super) fn decide(
    game: &History<DynGame>,
    spec: &PlayerSpec,
    nonce: u64,
    clock: Clock,
    stop: &StopFlag,
) -> Result<Act, SpecError> {
    let mut spec = spec.clone();
    spec.seed = spec
        .seed
        .map(|seed| seed ^ nonce.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let position = game.position();
    let mut player = position.player(&spec, clock)?;
    let turn = Turn::of(game).with_stop(stop.clone());
    Ok(match request_move(turn, &mut player) {
        Ok(m) => Act::play(&position.move_text(m)),
        Err(_) => Act::Resign,
    })
}
