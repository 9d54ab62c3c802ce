use core::error::Error;
use core::fmt;
use core::num::NonZero;
use core::time::Duration;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use open_ttt_nn::Network;
use open_ttt_search::StopFlag;
use tokio::runtime::Builder;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{interval, sleep};

use super::answer::{self, is_name};
use super::broker::{Broker, MOST_MODEL};
use super::hands::{Find, Hands, Share};
use super::options::{BrokerOptions, ConnectError};
use super::task::{LONGEST, Sum, Task, Terms, Unreadable};
use crate::{Interrupted, Record};

/// Who works, where and how much.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkOptions {
    /// Where tasks come from.
    pub broker: BrokerOptions,
    /// What the worker calls itself: 1 to 64 letters, digits, `_` and `-`. No two may
    /// have the same name.
    pub name: String,
    /// How many tasks are done at the same time.
    pub threads: NonZero<usize>,
}

/// How a worker gets on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// How many games were played and given.
    pub games: u64,
    /// How many tasks these were.
    pub tasks: u64,
    /// How many it is at.
    pub at: usize,
    /// Whether there is, or was, a run to work for.
    pub has_run: bool,
}

/// A worker cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkError {
    /// There is no broker.
    Connect(ConnectError),
    /// It cannot call itself so.
    Name(String),
    /// The run is another version's.
    Version(String),
    /// The run is of a game that it does not know.
    Game(String),
    /// The run takes no more from it.
    Refused(String),
    /// The system gives no threads.
    System(String),
}

/// How often it is looked whether it is to end.
const TICK: Duration = Duration::from_millis(100);
/// How long it waits before it asks again.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a task that it cannot do is left to others.
const ASIDE: Duration = Duration::from_secs(2);

/// So many networks are kept, and so many terms: a run needs one of each.
const KEPT: usize = 4;

impl WorkOptions {
    /// One thread, and a name that nobody else has.
    pub fn new(broker: BrokerOptions) -> Self {
        let mut number = [0; 4];
        // Without chance, the process tells it from others on this machine.
        let _ = getrandom::fill(&mut number);
        let number = u32::from_le_bytes(number) ^ std::process::id();
        Self {
            broker,
            name: format!("worker-{number:08x}"),
            threads: NonZero::<usize>::MIN,
        }
    }
}

/// Takes tasks and plays their games, until the flag is raised. `tell` is told how it
/// gets on, several times a second.
///
/// What is begun then is left to others at once; if the process dies, it is left to
/// them after a while.
///
/// # Errors
///
/// [`WorkError`] if there is no broker, or a run that it cannot work for.
///
/// # Panics
///
/// In an asynchronous function: it waits.
pub fn work(
    options: &WorkOptions,
    find: Arc<Find>,
    stop: &StopFlag,
    mut tell: impl FnMut(&Work),
) -> Result<Work, WorkError> {
    if !is_name(&options.name) {
        return Err(WorkError::Name(options.name.clone()));
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(options.threads.get() + 4)
        .enable_all()
        .build()
        .map_err(|error: io::Error| WorkError::System(error.to_string()))?;
    let worked = runtime.block_on(async {
        let broker = Broker::connect(&options.broker).await;
        let broker = broker.map_err(WorkError::Connect)?;
        let bench = Arc::new(Bench {
            broker,
            find,
            name: options.name.clone(),
            end: StopFlag::new(),
            kept: tokio::sync::Mutex::default(),
            games: AtomicU64::new(0),
            tasks: AtomicU64::new(0),
            at: AtomicUsize::new(0),
            has_run: AtomicUsize::new(0),
            failure: Mutex::new(None),
        });
        let mut seats = JoinSet::new();
        seats.spawn(Arc::clone(&bench).listen());
        for _ in 0..options.threads.get() {
            seats.spawn(Arc::clone(&bench).sit());
        }
        let mut ticks = interval(TICK);
        while !seats.is_empty() {
            tokio::select! {
                left = seats.join_next() => if let Some(Err(error)) = left {
                    bench.fail(WorkError::System(error.to_string()));
                },
                _ = ticks.tick() => {
                    if stop.is_raised() {
                        bench.end.raise();
                    }
                    tell(&bench.so_far());
                }
            }
        }
        // What was said last is to be heard.
        let _ = bench.broker.client().flush().await;
        let failure = bench.failure.lock();
        let failure = failure.unwrap_or_else(PoisonError::into_inner).take();
        failure.map_or_else(|| Ok(bench.so_far()), Err)
    });
    // A game that does not end with the flag is not waited for.
    runtime.shutdown_background();
    worked
}

/// What all threads of a worker share.
struct Bench {
    broker: Broker,
    find: Arc<Find>,
    name: String,
    end: StopFlag,
    kept: tokio::sync::Mutex<Kept>,
    games: AtomicU64,
    tasks: AtomicU64,
    at: AtomicUsize,
    has_run: AtomicUsize,
    failure: Mutex<Option<WorkError>>,
}

/// What was fetched, the latest last.
#[derive(Default)]
struct Kept {
    terms: Vec<(Sum, Arc<Known>)>,
    models: Vec<(Sum, Arc<Network>)>,
}

/// The terms of a run, and who can play by them.
struct Known {
    terms: Terms,
    hands: Arc<dyn Hands>,
}

/// Why a task is not done.
enum Undone {
    /// It is of no use to anybody: out of date, or no task.
    Useless,
    /// Others may do it: it is to end, or the broker is out of sorts.
    Later,
    /// It can do no more.
    Never(WorkError),
}

impl Bench {
    fn so_far(&self) -> Work {
        Work {
            games: self.games.load(Ordering::Relaxed),
            tasks: self.tasks.load(Ordering::Relaxed),
            at: self.at.load(Ordering::Relaxed),
            has_run: self.has_run.load(Ordering::Relaxed) > 0,
        }
    }

    fn fail(&self, error: WorkError) {
        let failure = self.failure.lock();
        let mut failure = failure.unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        self.end.raise();
    }

    /// Hears why it is refused, if it is.
    async fn listen(self: Arc<Self>) {
        let subject = self.broker.word(&self.name);
        let Ok(mut words) = self.broker.client().subscribe(subject).await else {
            return;
        };
        while !self.end.is_raised() {
            tokio::select! {
                word = words.next() => {
                    let Some(word) = word else { return };
                    let text = String::from_utf8_lossy(&word.payload);
                    let cause = text.chars().take(500).filter(|c| !c.is_control());
                    self.fail(WorkError::Refused(cause.collect()));
                }
                () = sleep(TICK) => {}
            }
        }
    }

    /// Does one task after another.
    async fn sit(self: Arc<Self>) {
        while !self.end.is_raised() {
            let Ok((consumer, dead_after)) = self.broker.tasks().await else {
                // Nobody has begun a run, or the broker is gone for a while.
                self.has_run.store(0, Ordering::Relaxed);
                self.rest().await;
                continue;
            };
            self.has_run.store(1, Ordering::Relaxed);
            while !self.end.is_raised() {
                match next(&consumer).await {
                    Ok(Some(message)) => {
                        self.at.fetch_add(1, Ordering::Relaxed);
                        self.take(&message, dead_after).await;
                        self.at.fetch_sub(1, Ordering::Relaxed);
                    }
                    Ok(None) => {}
                    Err(()) => {
                        self.rest().await;
                        break;
                    }
                }
            }
        }
    }

    async fn rest(&self) {
        for _ in 0..10 {
            if !self.end.is_raised() {
                sleep(PAUSE / 10).await;
            }
        }
    }

    /// Does a task, and says what has become of it.
    async fn take(&self, message: &Message, dead_after: Duration) {
        let said = match self.task(message, dead_after).await {
            Ok(()) => message.ack().await,
            Err(Undone::Useless) => message.ack_with(AckKind::Term).await,
            // At once by others, if it is only this one that ends.
            Err(Undone::Later) if self.end.is_raised() => {
                message.ack_with(AckKind::Nak(None)).await
            }
            Err(Undone::Later) => message.ack_with(AckKind::Nak(Some(ASIDE))).await,
            Err(Undone::Never(error)) => {
                self.fail(error);
                message.ack_with(AckKind::Nak(Some(ASIDE))).await
            }
        };
        // If it is not heard, the task comes again to somebody.
        drop(said);
    }

    async fn task(&self, message: &Message, dead_after: Duration) -> Result<(), Undone> {
        let task = Task::read(&message.payload).map_err(|error| match error {
            Unreadable::Version(_) => Undone::Never(WorkError::Version(error.to_string())),
            Unreadable::Garbage(_) => Undone::Useless,
        })?;
        let (known, network) = self.fetch(&task).await?;
        let (end, numbers) = (self.end.clone(), task.numbers());
        let mut playing = spawn_blocking(move || {
            let share = Share {
                network: &network,
                self_play: &known.terms.self_play,
                seed: known.terms.seed,
                numbers,
            };
            known.hands.play(&share, &end)
        });
        let mut signs = interval((dead_after / 3).max(TICK));
        let records = loop {
            tokio::select! {
                played = &mut playing => break match played {
                    Ok(Ok(records)) => records,
                    Ok(Err(Interrupted::Stopped)) => return Err(Undone::Later),
                    // That the network has gone bad the learner finds out itself.
                    Ok(Err(_)) => return Err(Undone::Useless),
                    Err(error) => {
                        return Err(Undone::Never(WorkError::System(error.to_string())));
                    }
                },
                _ = signs.tick() => {
                    let _ = message.ack_with(AckKind::Progress).await;
                }
            }
        };
        self.give(&task, &records).await
    }

    async fn give(&self, task: &Task, records: &[Record]) -> Result<(), Undone> {
        let longest = self.broker.longest();
        for (id, part) in answer::messages(task.id, &self.name, records, longest) {
            let given = self.broker.answer(task.id.run, id, part).await;
            given.map_err(|_| Undone::Later)?;
        }
        self.games.fetch_add(task.games.into(), Ordering::Relaxed);
        self.tasks.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// What is needed for a task. One thread fetches it for all.
    async fn fetch(&self, task: &Task) -> Result<(Arc<Known>, Arc<Network>), Undone> {
        let mut kept = self.kept.lock().await;
        let known = if let Some(known) = find(&kept.terms, &task.terms) {
            known
        } else {
            let bytes = self.broker.get(&task.terms, LONGEST).await;
            let bytes = bytes.map_err(|_| Undone::Later)?;
            let terms = Terms::read(&bytes).map_err(|_| Undone::Useless)?;
            let hands = (self.find)(&terms.game);
            let game = || Undone::Never(WorkError::Game(terms.game.clone()));
            let hands = hands.ok_or_else(game)?;
            let known = Arc::new(Known { terms, hands });
            keep(&mut kept.terms, &task.terms, &known);
            known
        };
        let network = if let Some(network) = find(&kept.models, &task.model) {
            network
        } else {
            let bytes = self.broker.get(&task.model, MOST_MODEL).await;
            let bytes = bytes.map_err(|_| Undone::Later)?;
            let network = Network::from_bytes(&bytes).map_err(|_| Undone::Useless)?;
            let network = Arc::new(network);
            keep(&mut kept.models, &task.model, &network);
            network
        };
        known.hands.suits(&network).map_err(|_| Undone::Useless)?;
        Ok((known, network))
    }
}

/// The next task; none if there is none for a while.
async fn next(consumer: &Consumer<pull::Config>) -> Result<Option<Message>, ()> {
    let asked = consumer.batch().max_messages(1).expires(PAUSE);
    let mut batch = asked.messages().await.map_err(drop)?;
    match batch.next().await {
        Some(Ok(message)) => Ok(Some(message)),
        Some(Err(_)) => Err(()),
        None => Ok(None),
    }
}

fn find<T>(kept: &[(Sum, Arc<T>)], sum: &Sum) -> Option<Arc<T>> {
    let found = kept.iter().find(|(other, _)| other == sum);
    found.map(|(_, thing)| Arc::clone(thing))
}

fn keep<T>(kept: &mut Vec<(Sum, Arc<T>)>, sum: &Sum, thing: &Arc<T>) {
    if kept.len() >= KEPT {
        kept.remove(0);
    }
    kept.push((sum.clone(), Arc::clone(thing)));
}

impl fmt::Display for WorkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => error.fmt(f),
            Self::Name(name) => write!(
                f,
                "a worker's name is 1 to 64 letters, digits, underscores and hyphens, not {name:?}"
            ),
            Self::Version(cause) => write!(f, "this worker cannot work for the run: {cause}"),
            Self::Game(game) => {
                let game: String = game.chars().take(100).collect();
                write!(
                    f,
                    "the run is of {game:?}, which this program does not know"
                )
            }
            Self::Refused(cause) => write!(f, "the run takes no more from this worker: {cause}"),
            Self::System(cause) => write!(f, "the worker cannot go on: {cause}"),
        }
    }
}

impl Error for WorkError {}
