use core::num::NonZero;
use core::time::Duration;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_nats::Subscriber;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use open_ttt_nn::Network;
use open_ttt_search::StopFlag;
use tokio::runtime::Builder;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{interval, sleep, timeout};

use super::answer::{self, is_name};
use super::broker::{ANSWER, Broker, MAX_MODEL};
use super::options::{BrokerOptions, ConnectError};
use super::task::{ContentHash, MAX_LENGTH, MessageError, RunSettings, Task};
use crate::{GameRunner, Interrupted, SelfPlayGame, TaskSlice};

/// The broker, name and threads of a worker.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkerOptions {
    /// The broker of the tasks.
    pub broker: BrokerOptions,
    /// The worker's unique name: 1 to 64 letters, digits, `_` and `-`.
    pub name: String,
    /// How many tasks run at the same time.
    pub threads: NonZero<usize>,
}

/// The progress of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerStatus {
    /// Games played and returned.
    pub games: u64,
    /// Tasks completed.
    pub tasks: u64,
    /// Tasks running.
    pub running: usize,
    /// Whether the broker has a run's tasks, or had when it was last asked.
    pub has_run: bool,
}

/// A worker can't continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// There is no usable broker.
    #[error(transparent)]
    Connect(ConnectError),
    /// The worker's name is invalid.
    #[error("a worker's name has 1 to 64 letters, digits, underscores and hyphens, not {0:?}")]
    Name(String),
    /// The run uses another version of the program.
    #[error("the run needs another version: {0}")]
    Version(String),
    /// The run's game is unknown.
    #[error("the run's game is unknown: {:?}", .0.chars().take(100).collect::<String>())]
    Game(String),
    /// The run has banned this worker.
    #[error("the run has banned this worker: {0}")]
    Banned(String),
    /// A thread can't be started, or has panicked.
    #[error("the worker can't continue: {0}")]
    System(String),
}

/// How often the stop flag is polled.
const TICK: Duration = Duration::from_millis(100);
/// The time between requests of tasks.
const PAUSE: Duration = Duration::from_secs(1);
/// The delay before another worker receives a task that this one can't do.
const REDELIVERY_DELAY: Duration = Duration::from_secs(2);

/// Finds the runner of the game with this [name](open_ttt_lib::rules::Named).
///
/// ```
/// use open_ttt_learn::game_runner;
/// use open_ttt_learn::workers::FindRunner;
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::Named;
///
/// let game = TicTacToe::new();
/// let find: Box<FindRunner> =
///     Box::new(move |name| (name == game.name()).then(|| game_runner(game)));
/// assert!(find("ttt").is_some() && find("chess").is_none());
/// ```
pub type FindRunner = dyn Fn(&str) -> Option<Arc<dyn GameRunner>> + Send + Sync;

/// How many networks and how many settings are cached.
const CACHED: usize = 4;

impl WorkerOptions {
    /// One thread and a random name.
    pub fn new(broker: BrokerOptions) -> Self {
        let mut number = [0; 4];
        // Without random numbers the process ID must do.
        let _ = getrandom::fill(&mut number);
        let number = u32::from_le_bytes(number) ^ std::process::id();
        Self {
            broker,
            name: format!("worker-{number:08x}"),
            threads: NonZero::<usize>::MIN,
        }
    }
}

/// Takes tasks and plays their games until the flag is raised. `notify` receives the
/// status several times a second.
///
/// Tasks under way then go to other workers at once; if the process dies, after a while.
///
/// # Errors
///
/// [`WorkerError`] if there is no broker, or a run that this worker can't serve.
///
/// # Panics
///
/// In an asynchronous function, since it blocks.
pub fn run_worker(
    options: &WorkerOptions,
    find_runner: Arc<FindRunner>,
    stop: &StopFlag,
    mut notify: impl FnMut(&WorkerStatus),
) -> Result<WorkerStatus, WorkerError> {
    if !is_name(&options.name) {
        return Err(WorkerError::Name(options.name.clone()));
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(options.threads.get() + 4)
        .enable_all()
        .build()
        .map_err(|error: io::Error| WorkerError::System(error.to_string()))?;
    let result = runtime.block_on(async {
        let broker = Broker::connect(&options.broker).await;
        let broker = broker.map_err(WorkerError::Connect)?;
        let worker = Arc::new(Worker {
            broker,
            find_runner,
            name: options.name.clone(),
            end: StopFlag::new(),
            cache: tokio::sync::Mutex::default(),
            state: Mutex::default(),
        });
        let mut loops = JoinSet::new();
        // Subscribes before the first answer, which may lead to a ban.
        let subject = worker.broker.ban_subject(&worker.name);
        if let Ok(bans) = worker.broker.client().subscribe(subject).await {
            loops.spawn(Arc::clone(&worker).await_ban(bans));
        }
        for _ in 0..options.threads.get() {
            loops.spawn(Arc::clone(&worker).run_tasks());
        }
        let mut ticks = interval(TICK);
        while !loops.is_empty() {
            tokio::select! {
                ended = loops.join_next() => if let Some(Err(error)) = ended {
                    worker.fail(WorkerError::System(error.to_string()));
                },
                _ = ticks.tick() => {
                    if stop.is_raised() {
                        worker.end.raise();
                    }
                    let status = worker.state().status.clone();
                    notify(&status);
                }
            }
        }
        // Sends the last acknowledgements.
        let _ = timeout(FLUSH_LIMIT, worker.broker.client().flush()).await;
        let State { status, failure } = core::mem::take(&mut *worker.state());
        failure.map_or(Ok(status), Err)
    });
    // Doesn't wait for games that ignore the flag.
    runtime.shutdown_background();
    result
}

/// How long a broker that may be gone is waited for at the end.
const FLUSH_LIMIT: Duration = Duration::from_secs(5);

/// The state that all loops of a worker share.
struct Worker {
    broker: Broker,
    find_runner: Arc<FindRunner>,
    name: String,
    /// Ends all loops.
    end: StopFlag,
    cache: tokio::sync::Mutex<Cache>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    status: WorkerStatus,
    failure: Option<WorkerError>,
}

/// Objects from the broker, the latest last.
#[derive(Default)]
struct Cache {
    runs: Cached<RunInfo>,
    models: Cached<Network>,
}

type Cached<T> = Vec<(ContentHash, Arc<T>)>;

struct RunInfo {
    settings: RunSettings,
    runner: Arc<dyn GameRunner>,
}

/// Why a task isn't done.
enum TaskFailure {
    /// No worker can do it: it is malformed or outdated.
    Invalid,
    /// Another worker may do it: this one ends, or the broker has failed.
    Retry,
    /// This worker can't continue.
    Fatal(WorkerError),
}

impl Worker {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, error: WorkerError) {
        self.state().failure.get_or_insert(error);
        self.end.raise();
    }

    async fn await_ban(self: Arc<Self>, mut bans: Subscriber) {
        while !self.end.is_raised() {
            tokio::select! {
                message = bans.next() => {
                    let Some(message) = message else { return };
                    let text = String::from_utf8_lossy(&message.payload);
                    let cause = text.chars().take(500).filter(|c| !c.is_control());
                    self.fail(WorkerError::Banned(cause.collect()));
                }
                () = sleep(TICK) => {}
            }
        }
    }

    async fn run_tasks(self: Arc<Self>) {
        while !self.end.is_raised() {
            let Ok((consumer, dead_after)) = self.broker.tasks().await else {
                // No run has begun, or the broker is unreachable for now.
                self.state().status.has_run = false;
                self.pause().await;
                continue;
            };
            self.state().status.has_run = true;
            while !self.end.is_raised() {
                match next(&consumer).await {
                    Ok(Some(message)) => {
                        self.state().status.running += 1;
                        self.handle(&message, dead_after).await;
                        self.state().status.running -= 1;
                    }
                    Ok(None) => {}
                    Err(()) => {
                        self.pause().await;
                        break;
                    }
                }
            }
        }
    }

    async fn pause(&self) {
        for _ in 0..10 {
            if !self.end.is_raised() {
                sleep(PAUSE / 10).await;
            }
        }
    }

    /// Runs a task and acknowledges it.
    async fn handle(&self, message: &Message, dead_after: Duration) {
        let later = AckKind::Nak(Some(REDELIVERY_DELAY));
        let ack = match self.run_task(message, dead_after).await {
            Ok(()) => AckKind::Ack,
            Err(TaskFailure::Invalid) => AckKind::Term,
            Err(TaskFailure::Retry) if self.end.is_raised() => AckKind::Nak(None),
            Err(TaskFailure::Retry) => later,
            Err(TaskFailure::Fatal(error)) => {
                self.fail(error);
                later
            }
        };
        // If the acknowledgement is lost, the task is redelivered.
        let _ = message.ack_with(ack).await;
    }

    async fn run_task(&self, message: &Message, dead_after: Duration) -> Result<(), TaskFailure> {
        let task = Task::read(&message.payload).map_err(|error| match error {
            MessageError::Version(_) => TaskFailure::Fatal(WorkerError::Version(error.to_string())),
            MessageError::Malformed(_) => TaskFailure::Invalid,
        })?;
        let (run, network) = self.fetch(&task).await?;
        let (end, numbers) = (self.end.clone(), task.numbers());
        let mut playing = spawn_blocking(move || {
            let slice = TaskSlice {
                network: &network,
                self_play: &run.settings.self_play,
                seed: run.settings.seed,
                numbers,
            };
            run.runner.play(&slice, NonZero::<usize>::MIN, &end)
        });
        let mut heartbeat = interval((dead_after / 3).max(TICK));
        let games = loop {
            tokio::select! {
                played = &mut playing => break match played {
                    Ok(Ok(games)) => games,
                    Ok(Err(Interrupted::Stopped)) => return Err(TaskFailure::Retry),
                    // The learner finds a diverged network itself.
                    Ok(Err(_)) => return Err(TaskFailure::Invalid),
                    Err(error) => {
                        let error = WorkerError::System(error.to_string());
                        return Err(TaskFailure::Fatal(error));
                    }
                },
                _ = heartbeat.tick() => {
                    let _ = message.ack_with(AckKind::Progress).await;
                }
            }
        };
        self.publish(&task, &games).await
    }

    async fn publish(&self, task: &Task, games: &[SelfPlayGame]) -> Result<(), TaskFailure> {
        let max_message = self.broker.max_message();
        for (id, part) in answer::messages(task.id, &self.name, games, max_message) {
            let published = self.broker.publish(ANSWER, task.id.run, id, part).await;
            published.map_err(|_| TaskFailure::Retry)?;
        }
        let status = &mut self.state().status;
        status.games += u64::from(task.games);
        status.tasks += 1;
        Ok(())
    }

    /// Fetches a task's settings and network, one thread at a time.
    async fn fetch(&self, task: &Task) -> Result<(Arc<RunInfo>, Arc<Network>), TaskFailure> {
        let mut cache = self.cache.lock().await;
        let run = self.cached(&mut cache.runs, &task.settings, MAX_LENGTH, |bytes| {
            let settings = RunSettings::read(bytes).map_err(|_| TaskFailure::Invalid)?;
            let unknown = || TaskFailure::Fatal(WorkerError::Game(settings.game.clone()));
            let runner = (self.find_runner)(&settings.game).ok_or_else(unknown)?;
            Ok(RunInfo { settings, runner })
        });
        let run = run.await?;
        let read = |bytes: &[u8]| Network::from_bytes(bytes).map_err(|_| TaskFailure::Invalid);
        let network = self.cached(&mut cache.models, &task.model, MAX_MODEL, read);
        let network = network.await?;
        let suits = run.runner.suits(&network);
        suits.map_err(|_| TaskFailure::Invalid)?;
        Ok((run, network))
    }

    /// An object with this hash, which takes the place of the oldest one in a full cache.
    async fn cached<T>(
        &self,
        cache: &mut Cached<T>,
        hash: &ContentHash,
        max: usize,
        read: impl FnOnce(&[u8]) -> Result<T, TaskFailure>,
    ) -> Result<Arc<T>, TaskFailure> {
        if let Some((_, object)) = cache.iter().find(|(other, _)| other == hash) {
            return Ok(Arc::clone(object));
        }
        let bytes = self.broker.fetch(hash, max).await;
        let object = Arc::new(read(&bytes.map_err(|_| TaskFailure::Retry)?)?);
        if cache.len() >= CACHED {
            cache.remove(0);
        }
        cache.push((hash.clone(), Arc::clone(&object)));
        Ok(object)
    }
}

/// The next task; `None` if none arrives for a while.
async fn next(consumer: &Consumer<pull::Config>) -> Result<Option<Message>, ()> {
    let batch = consumer.batch().max_messages(1).expires(PAUSE);
    let mut batch = batch.messages().await.map_err(drop)?;
    batch.next().await.transpose().map_err(drop)
}
