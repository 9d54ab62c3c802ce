use core::fmt;
use core::num::NonZero;
use core::ops::Range;
use core::time::Duration;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};
use std::time::Instant;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull::{MessagesError, Stream};
use async_nats::jetstream::consumer::{Consumer, pull};
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use open_ttt_lib::random::Rng;
use open_ttt_search::StopFlag;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::answer::{self, AnswerPart, IncompleteAnswers};
use super::broker::{Broker, TASK};
use super::options::{BrokerOptions, ConnectError};
use super::registry::WorkerRegistry;
use super::task::{ContentHash, MessageError, RunSettings, Task, TaskId, VERSION};
use super::tracker::{AnswerOutcome, InvalidResult, TaskTracker};
use crate::{
    GameBatch, GameRequest, GameSource, Interrupted, Learnable, SelfPlayGame, WorkerNotice,
};

/// How a [`Coordinator`] works.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CoordinatorOptions {
    /// The broker between coordinator and workers.
    pub broker: BrokerOptions,
    /// The learner plays games too once no answer has arrived for this long: first tasks
    /// that no worker has taken, then those under way. The first result counts.
    pub plays_after: Duration,
    /// Verifies one in this many answers, besides the first of each worker, as far as
    /// the learner keeps up.
    pub verifies_one_in: NonZero<u32>,
    /// A worker that is silent for this long is considered dead, and its task goes to
    /// another.
    pub dead_after: Duration,
    /// Sends [`WorkerNotice::NoAnswer`] once no answer has arrived for this long.
    pub silent_after: Duration,
}

/// A source of games that distributes them to workers.
///
/// It also plays games itself, on as many threads as it is given, so the run continues
/// without workers or broker.
pub struct Coordinator {
    options: CoordinatorOptions,
    runtime: Runtime,
    broker: Broker,
    /// The run's random ID.
    run: u64,
    /// `None` before the first iteration and after a failure of the broker.
    setup: Arc<Mutex<Option<RunSetup>>>,
    registry: WorkerRegistry,
    incomplete: IncompleteAnswers,
    /// Selects answers for verification, with a secret seed.
    sampler: Rng,
    /// The causes of rejected messages that were reported.
    reported: HashSet<String>,
    /// Deletes what the previous iteration left at the broker.
    cleanup: Option<JoinHandle<()>>,
    /// How long no answer has arrived, without the time between iterations; `None` once
    /// that is reported.
    silence: Option<Duration>,
}

/// How often the stop flag is polled.
const TICK: Duration = Duration::from_millis(50);

/// The maximum number of reports of rejected messages.
const MAX_REPORTS: usize = 100;

/// What the broker holds for the whole run.
struct RunSetup {
    answers: Consumer<pull::Config>,
    settings: RunSettings,
    settings_hash: ContentHash,
}

/// What the broker holds for an iteration.
struct PublishedTasks {
    answers: Stream,
    settings: ContentHash,
    model: ContentHash,
    /// The sequence number of each task.
    sequences: Vec<u64>,
}

/// The result of playing a task here.
type Played = (usize, Result<Vec<SelfPlayGame>, Interrupted>);

impl CoordinatorOptions {
    /// Default options with this broker.
    pub const fn new(broker: BrokerOptions) -> Self {
        Self {
            broker,
            plays_after: Duration::ZERO,
            verifies_one_in: NonZero::<u32>::MIN.saturating_add(15),
            dead_after: Duration::from_secs(30),
            silent_after: Duration::from_secs(10),
        }
    }
}

impl Coordinator {
    /// Connects to the broker and creates streams and bucket there.
    ///
    /// # Errors
    ///
    /// [`ConnectError`].
    ///
    /// # Panics
    ///
    /// In an asynchronous function, since it blocks, as all methods do.
    pub fn connect(options: CoordinatorOptions) -> Result<Self, ConnectError> {
        let failed = |error: &dyn fmt::Display| ConnectError::Options(error.to_string());
        let mut random = [[0; 8]; 2];
        getrandom::fill(random.as_flattened_mut()).map_err(|error| failed(&error))?;
        let [run, seed] = random.map(u64::from_le_bytes);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| failed(&error))?;
        let broker = runtime.block_on(async {
            let broker = Broker::connect(&options.broker).await?;
            let created = broker.create(options.dead_after).await;
            created.map_err(ConnectError::Refused)?;
            Ok(broker)
        })?;
        Ok(Self {
            options,
            runtime,
            broker,
            run,
            setup: Arc::default(),
            registry: WorkerRegistry::default(),
            incomplete: IncompleteAnswers::default(),
            sampler: Rng::new(seed),
            reported: HashSet::new(),
            cleanup: None,
            silence: Some(Duration::ZERO),
        })
    }

    /// Publishes network and tasks, after the cleanup of the previous iteration.
    fn publish(
        &mut self,
        model: Vec<u8>,
        settings: RunSettings,
        tasks: Vec<(TaskId, Range<u64>)>,
    ) -> JoinHandle<Result<PublishedTasks, String>> {
        let cleanup = self.cleanup.take();
        let (broker, run) = (self.broker.clone(), self.run);
        let dead_after = self.options.dead_after;
        let shared = Arc::clone(&self.setup);
        self.runtime.spawn(async move {
            if let Some(cleanup) = cleanup {
                let _ = cleanup.await;
            }
            // On failure the setup stays `None` and is repeated.
            let setup = lock(&shared).take();
            let setup = if let Some(setup) = setup.filter(|setup| setup.settings == settings) {
                // The broker forgets what is a day old, and workers come at any time.
                broker.store(&settings.to_bytes()).await?;
                setup
            } else {
                broker.create(dead_after).await?;
                let settings_hash = broker.store(&settings.to_bytes()).await?;
                RunSetup {
                    answers: broker.answers(run).await?,
                    settings,
                    settings_hash,
                }
            };
            let answers = setup.answers.stream().messages().await;
            let answers =
                answers.map_err(|error| format!("the broker doesn't deliver answers: {error}"))?;
            let model = broker.store(&model).await?;
            let published = tasks.into_iter().map(|(id, numbers)| {
                let task = task(id, &numbers, &model, &setup.settings_hash);
                broker.publish(TASK, run, id.to_string(), task.to_bytes())
            });
            let sequences = try_join_all(published).await?;
            let settings = setup.settings_hash.clone();
            *lock(&shared) = Some(setup);
            Ok(PublishedTasks {
                answers,
                settings,
                model,
                sequences,
            })
        })
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn task(id: TaskId, numbers: &Range<u64>, model: &ContentHash, settings: &ContentHash) -> Task {
    Task {
        version: VERSION.to_owned(),
        id,
        model: model.clone(),
        settings: settings.clone(),
        first: numbers.start,
        games: (numbers.end - numbers.start) as u32,
    }
}

/// Sends the games of a task when it is dropped, also by a panic.
struct Answer {
    index: usize,
    games: Option<Result<Vec<SelfPlayGame>, Interrupted>>,
    sender: UnboundedSender<Played>,
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(games) = self.games.take() {
            // Fails when the iteration has ended.
            let _ = self.sender.send((self.index, games));
        }
    }
}

impl<G: Learnable> GameSource<G> for Coordinator {
    fn play(
        &mut self,
        request: &GameRequest<'_, G>,
        threads: NonZero<usize>,
        stop: &StopFlag,
        notify: &mut dyn FnMut(WorkerNotice),
    ) -> Result<GameBatch, Interrupted> {
        let begun = Instant::now();
        let slice = &request.slice;
        let model = slice.network.to_bytes();
        let model_hash = ContentHash::of(&model);
        let settings = RunSettings {
            game: request.start.name(),
            seed: slice.seed,
            self_play: slice.self_play.clone(),
        };
        let tracker = TaskTracker::new(self.run, request.iteration, slice.numbers.clone());
        let numbers = |id: TaskId| (id, tracker.numbers(id.index as usize));
        let tasks = tracker.ids().into_iter().map(numbers).collect();
        let mut publishing = self.publish(model, settings, tasks);
        self.incomplete.clear();
        let runtime = self.runtime.handle().clone();
        let mut collector = Collector {
            coordinator: self,
            request,
            tracker,
            published: None,
            is_publishing: true,
            is_alone: false,
            running: HashMap::new(),
            answered_at: begun,
            checked_at: begun,
            notify,
        };
        let ended = thread::scope(|scope| {
            runtime.block_on(collector.collect(scope, &mut publishing, threads.get(), stop))
        });
        let Collector {
            tracker,
            is_publishing,
            ..
        } = collector;
        let batch = tracker.into_batch(&mut self.registry);
        let (broker, run) = (self.broker.clone(), self.run);
        self.cleanup = Some(runtime.spawn(async move {
            if is_publishing {
                let _ = publishing.await;
            }
            // The broker drops leftovers after a while.
            let _ = broker.purge_run(run).await;
            broker.delete(&model_hash).await;
        }));
        ended.map(|()| batch)
    }
}

/// Collects the games of an iteration.
struct Collector<'a, G> {
    coordinator: &'a mut Coordinator,
    request: &'a GameRequest<'a, G>,
    tracker: TaskTracker,
    published: Option<PublishedTasks>,
    is_publishing: bool,
    /// The broker has failed.
    is_alone: bool,
    /// The tasks that are played here.
    running: HashMap<usize, StopFlag>,
    /// When the last answer arrived.
    answered_at: Instant,
    /// When the silence was last updated.
    checked_at: Instant,
    notify: &'a mut dyn FnMut(WorkerNotice),
}

impl<'a, G: Learnable> Collector<'a, G> {
    async fn collect<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        publishing: &mut JoinHandle<Result<PublishedTasks, String>>,
        threads: usize,
        stop: &StopFlag,
    ) -> Result<(), Interrupted>
    where
        'a: 'scope,
    {
        let (sender, mut played) = unbounded_channel();
        let ended = loop {
            if stop.is_raised() {
                break Err(Interrupted::Stopped);
            }
            while self.running.len() < threads
                && let Some(index) = self.next_here()
            {
                self.play_here(index, scope, sender.clone());
            }
            if self.tracker.is_done() {
                break Ok(());
            }
            self.report_silence();
            let answers = self.published.as_mut().map(|tasks| &mut tasks.answers);
            tokio::select! {
                published = &mut *publishing, if self.is_publishing => {
                    self.is_publishing = false;
                    let failed = |error: tokio::task::JoinError| error.to_string();
                    self.on_published(published.map_err(failed).flatten());
                }
                Some((index, games)) = played.recv() => {
                    let flag = self.running.remove(&index);
                    let is_wanted = flag.is_some_and(|flag| !flag.is_raised());
                    match games {
                        Ok(games) => self.on_played(index, games),
                        // The thread has panicked: the end of the scope says so.
                        Err(Interrupted::Stopped) if is_wanted => break Err(Interrupted::Stopped),
                        Err(Interrupted::Stopped) => {}
                        Err(error) => break Err(error),
                    }
                }
                message = next(answers) => self.on_message(message),
                () = sleep(TICK) => {}
            }
        };
        for flag in self.running.values() {
            flag.raise();
        }
        ended
    }

    /// The next task to play here: one to verify or, when permitted, the last open one,
    /// since workers begin with the first.
    fn next_here(&self) -> Option<usize> {
        let is_free = |index: &usize| !self.running.contains_key(index);
        let to_verify = self.tracker.to_verify().find(is_free);
        let plays_after = self.coordinator.options.plays_after;
        let may_play = self.is_alone || self.answered_at.elapsed() >= plays_after;
        let open = || self.tracker.open().rev().find(is_free);
        to_verify.or_else(|| may_play.then(open).flatten())
    }

    fn play_here<'scope>(
        &mut self,
        index: usize,
        scope: &'scope Scope<'scope, '_>,
        sender: UnboundedSender<Played>,
    ) where
        'a: 'scope,
    {
        let flag = StopFlag::new();
        self.running.insert(index, flag.clone());
        self.unpublish(index);
        let (request, numbers) = (self.request, self.tracker.numbers(index));
        scope.spawn(move || {
            let mut answer = Answer {
                index,
                games: Some(Err(Interrupted::Stopped)),
                sender,
            };
            answer.games = Some(request.play(numbers, NonZero::<usize>::MIN, &flag));
        });
    }

    fn spawn(&self, call: impl Future<Output = ()> + Send + 'static) {
        self.coordinator.runtime.spawn(call);
    }

    /// Deletes a task at the broker, before a worker takes it.
    fn unpublish(&self, index: usize) {
        let sequences = self.published.as_ref().map(|tasks| &tasks.sequences);
        if let Some(&sequence) = sequences.and_then(|sequences| sequences.get(index)) {
            let broker = self.coordinator.broker.clone();
            self.spawn(async move { broker.delete_task(sequence).await });
        }
    }

    fn on_played(&mut self, index: usize, games: Vec<SelfPlayGame>) {
        let registry = &mut self.coordinator.registry;
        let invalid = self.tracker.record_played_here(index, games, registry);
        if let Some(invalid) = invalid {
            self.on_invalid(invalid);
        }
    }

    fn on_published(&mut self, published: Result<PublishedTasks, String>) {
        match published {
            Ok(published) => {
                self.published = Some(published);
                let open: HashSet<_> = self.tracker.open().collect();
                for index in 0..self.tracker.ids().len() {
                    if self.running.contains_key(&index) || !open.contains(&index) {
                        self.unpublish(index);
                    }
                }
            }
            Err(cause) => self.on_broker_lost(cause),
        }
    }

    fn on_broker_lost(&mut self, cause: String) {
        self.published = None;
        self.is_alone = true;
        *lock(&self.coordinator.setup) = None;
        (self.notify)(WorkerNotice::BrokerLost(cause));
    }

    fn on_message(&mut self, message: Option<Result<Message, MessagesError>>) {
        match message {
            Some(Ok(message)) => self.on_answer(&message.payload),
            // The stream requests messages again by itself.
            Some(Err(error)) if error.kind() == pull::MessagesErrorKind::MissingHeartbeat => {}
            Some(Err(error)) => {
                self.on_broker_lost(format!("the broker doesn't deliver answers: {error}"));
            }
            None => self.on_broker_lost("the broker doesn't deliver answers".to_owned()),
        }
    }

    fn on_answer(&mut self, message: &[u8]) {
        let part = match AnswerPart::read(message) {
            Ok(part) => part,
            Err(error) => return self.reject(&error),
        };
        if !self.tracker.is_open(part.header.task) {
            return;
        }
        let coordinator = &mut *self.coordinator;
        if !coordinator.registry.admits(&part.header.worker) {
            let again = self.tracker.retry(part.header.task);
            self.publish_again(again);
            return;
        }
        let Some(answer) = coordinator.incomplete.add(part) else {
            return;
        };
        let index = answer.task.index as usize;
        let start = self.request.start;
        let plies = self.request.slice.self_play.random_plies;
        let read = |bytes: &[u8], games| answer::read(bytes, games, start, plies);
        // Verification must not hold up the iteration.
        let is_behind = self.tracker.to_verify().count() > self.running.len();
        let one_in = coordinator.options.verifies_one_in.get() as usize;
        let sample = || !is_behind && coordinator.sampler.below(one_in) == 0;
        let registry = &mut coordinator.registry;
        match self.tracker.handle_answer(answer, registry, read, sample) {
            AnswerOutcome::Ignored => {}
            AnswerOutcome::Accepted { verify } => {
                self.answered_at = Instant::now();
                coordinator.silence = Some(Duration::ZERO);
                if !verify && let Some(flag) = self.running.get(&index) {
                    flag.raise();
                }
                (self.notify)(WorkerNotice::Progress(self.tracker.stats()));
            }
            AnswerOutcome::Invalid(invalid) => self.on_invalid(invalid),
        }
    }

    /// Reports each cause once.
    fn reject(&mut self, error: &MessageError) {
        let reported = &mut self.coordinator.reported;
        let cause = error.to_string();
        if reported.len() < MAX_REPORTS && reported.insert(cause.clone()) {
            let worker = "unknown".to_owned();
            (self.notify)(WorkerNotice::Rejected { worker, cause });
        }
    }

    fn on_invalid(&mut self, invalid: InvalidResult) {
        let broker = self.coordinator.broker.clone();
        let (worker, cause) = (invalid.worker.clone(), invalid.cause.clone());
        self.spawn(async move { broker.notify_ban(&worker, &cause).await });
        self.publish_again(invalid.reopened);
        (self.notify)(WorkerNotice::InvalidResult {
            worker: invalid.worker,
            cause: invalid.cause,
            unverified: invalid.unverified,
        });
    }

    fn publish_again(&self, reopened: impl IntoIterator<Item = TaskId>) {
        let Some(published) = &self.published else {
            return;
        };
        for id in reopened {
            let numbers = self.tracker.numbers(id.index as usize);
            let task = task(id, &numbers, &published.model, &published.settings);
            let (broker, run) = (self.coordinator.broker.clone(), self.coordinator.run);
            self.spawn(async move {
                // On failure the task is played here.
                let _ = broker
                    .publish(TASK, run, id.to_string(), task.to_bytes())
                    .await;
            });
        }
    }

    /// Reports once when no answer has arrived for long.
    fn report_silence(&mut self) {
        let passed = self.checked_at.elapsed();
        self.checked_at = Instant::now();
        if let Some(silence) = &mut self.coordinator.silence {
            *silence += passed;
            let silence = *silence;
            if silence >= self.coordinator.options.silent_after && !self.is_alone {
                self.coordinator.silence = None;
                (self.notify)(WorkerNotice::NoAnswer(silence));
            }
        }
    }
}

/// The next answer; pending without a stream.
async fn next(stream: Option<&mut Stream>) -> Option<Result<Message, MessagesError>> {
    match stream {
        Some(stream) => stream.next().await,
        None => core::future::pending().await,
    }
}

impl Drop for Coordinator {
    /// Gives the cleanup at the broker some time.
    fn drop(&mut self) {
        if Handle::try_current().is_err()
            && let Some(cleanup) = self.cleanup.take()
        {
            let limit = self.options.broker.timeout;
            let cleanup = async { timeout(limit, cleanup).await };
            let _ = self.runtime.block_on(cleanup);
        }
    }
}

impl fmt::Debug for Coordinator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coordinator")
            .field("run", &self.run)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
