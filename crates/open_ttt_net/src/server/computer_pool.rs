use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::{Notation, SpecError};
use open_ttt_players::request_move;
use open_ttt_search::{Clock, StopFlag};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::clock::thinking_clock;

type Job = Box<dyn FnOnce() + Send>;

/// A few threads on which computers think, apart from those that serve the
/// network.
#[derive(Debug)]
pub(super) struct ComputerPool {
    jobs: SyncSender<Job>,
    waiting: Arc<AtomicUsize>,
    threads: NonZero<usize>,
    think: Duration,
}

/// So much is waiting already that it would take too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueueFull;

/// What a computer does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ComputerMove {
    Play(String),
    Resign,
}

/// The least time a computer is given, however many wait.
const LEAST_THINK: Duration = Duration::from_millis(20);

impl ComputerPool {
    pub(super) fn new(threads: NonZero<usize>, most: usize, think: Duration) -> Self {
        let (jobs, orders) = sync_channel(most.max(1));
        let orders = Arc::new(Mutex::new(orders));
        for number in 0..threads.get() {
            let orders = Arc::clone(&orders);
            // Without a single thread the jobs wait; nothing else stops.
            let _ = std::thread::Builder::new()
                .name(format!("computer-{number}"))
                .spawn(move || work(&orders));
        }
        Self {
            jobs,
            waiting: Arc::default(),
            threads,
            think,
        }
    }

    /// How many jobs are waiting or being worked on.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Lets a job be done when it is its turn: with a flag that is raised when
    /// its time is up, which is shorter the more are waiting. What it returns
    /// comes through the channel; if it panics, the channel is closed.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        stop: StopFlag,
        job: impl FnOnce(&StopFlag) -> T + Send + 'static,
    ) -> Result<oneshot::Receiver<T>, QueueFull> {
        let (reply, answer) = oneshot::channel();
        let runtime = Handle::current();
        let (waiting, threads, think) = (Arc::clone(&self.waiting), self.threads, self.think);
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let job = Box::new(move || {
            let queued = waiting.load(Ordering::Relaxed);
            let share = 1 + queued.saturating_sub(1) / threads;
            let limit = think / u32::try_from(share).unwrap_or(u32::MAX);
            let end = stop.clone();
            let timer = runtime.spawn(async move {
                tokio::time::sleep(limit.max(LEAST_THINK)).await;
                end.raise();
            });
            let result = catch_unwind(AssertUnwindSafe(|| job(&stop)));
            timer.abort();
            waiting.fetch_sub(1, Ordering::Relaxed);
            if let Ok(result) = result {
                // Nobody may be waiting any more.
                let _ = reply.send(result);
            } else {
                tracing::error!("a computer panicked");
            }
        });
        self.jobs.try_send(job).map_err(|error| {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            match error {
                TrySendError::Full(_) | TrySendError::Disconnected(_) => QueueFull,
            }
        })?;
        Ok(answer)
    }
}

fn work(orders: &Mutex<Receiver<Job>>) {
    loop {
        let next = orders.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

/// The specification of a computer that may play here: it thinks on one
/// thread, whatever it was told.
///
/// # Errors
///
/// If there is no such player, it cannot play this game, or it plays by a file:
/// who writes specifications from outside opens none here.
pub(super) fn computer(game: &DynGame, text: &str) -> Result<PlayerSpec, SpecError> {
    let mut spec: PlayerSpec = text.parse()?;
    if spec.network_file().is_some() {
        return Err(SpecError::Unavailable {
            owner: "net:FILE".to_owned(),
            reason: "a server opens no files for its guests; net:pretrained plays by a network \
                     that comes with the game, where there is one"
                .to_owned(),
        });
    }
    spec.threads = Some(NonZero::<usize>::MIN);
    let _players = game.players(&spec, thinking_clock())?;
    Ok(spec)
}

/// What a computer does in a position that is not over. `nonce` differs from
/// move to move, so that one with a seed does not repeat its chances.
pub(super) fn think(
    game: &DynGame,
    spec: &PlayerSpec,
    nonce: u64,
    clock: Clock,
    stop: &StopFlag,
) -> Result<ComputerMove, SpecError> {
    let mut spec = spec.clone();
    spec.seed = spec
        .seed
        .map(|seed| seed ^ nonce.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut player = game.player(&spec, clock)?;
    Ok(match request_move(game, &mut player, stop) {
        Ok(m) => ComputerMove::Play(game.move_text(m)),
        Err(_) => ComputerMove::Resign,
    })
}
