//! Self-play on workers, over a NATS server of the test's own.

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt;
use open_ttt_learn::workers::{
    BrokerOptions, ConnectError, Coordinator, CoordinatorOptions, FindRunner, WorkerError,
    WorkerOptions, WorkerStatus, run_worker,
};
use open_ttt_learn::{
    GameRunner, Interrupted, Run, RunEnd, RunEvent, RunOptions, SelfPlayGame, TaskSlice,
    WorkerNotice, WorkerStats, game_runner,
};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::Named;
use open_ttt_nn::{IncompatibleNetwork, Network};
use open_ttt_search::StopFlag;
use tokio::runtime::Runtime;
use tokio::time::sleep;

use crate::learner::{Folder, ONE, iterate, learner};
use crate::nats_server::Server;

const OPTIONS: RunOptions = RunOptions {
    threads: ONE,
    time_limit: None,
    eval_every: 0,
    eval_games: 0,
    eval_simulations: 0,
    eval_max_lines: 0,
    save_every: Duration::from_hours(1),
};

/// Longer than any test.
const NEVER: Duration = Duration::from_hours(24);

/// A test that waits longer has failed.
const HANG: Duration = Duration::from_mins(5);

fn broker(server: &Server) -> BrokerOptions {
    let mut options = BrokerOptions::new(server.url());
    options.timeout = HANG;
    options
}

fn options(server: &Server) -> CoordinatorOptions {
    let mut options = CoordinatorOptions::new(broker(server));
    // No task of a slow worker is redelivered.
    options.dead_after = HANG;
    options
}

/// Connects as soon as the server is ready.
fn connect(options: &CoordinatorOptions) -> Coordinator {
    let begun = Instant::now();
    loop {
        match Coordinator::connect(options.clone()) {
            Ok(coordinator) => return coordinator,
            Err(ConnectError::Unreachable(_) | ConnectError::Refused(_))
                if begun.elapsed() < HANG => {}
            Err(error) => panic!("{error}"),
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Waits for a condition.
#[track_caller]
fn wait_until(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < HANG, "the condition never holds");
        thread::sleep(Duration::from_millis(10));
    }
}

fn jetstream(runtime: &Runtime, server: &Server) -> Context {
    runtime.block_on(async {
        let client = async_nats::connect(server.url()).await.unwrap();
        jetstream::new(client)
    })
}

fn find_runner(runner: &Arc<dyn GameRunner>) -> Arc<FindRunner> {
    let runner = Arc::clone(runner);
    let name = TicTacToe::new().name();
    Arc::new(move |game| (game == name).then(|| Arc::clone(&runner)))
}

/// A worker on a thread of its own.
struct WorkerThread(thread::JoinHandle<Result<WorkerStatus, WorkerError>>);

impl WorkerThread {
    fn spawn(
        broker: BrokerOptions,
        name: &str,
        runner: &Arc<dyn GameRunner>,
        stop: &StopFlag,
    ) -> Self {
        let mut options = WorkerOptions::new(broker);
        name.clone_into(&mut options.name);
        options.threads = NonZero::new(2).unwrap();
        let (find, stop) = (find_runner(runner), stop.clone());
        Self(thread::spawn(move || {
            run_worker(&options, find, &stop, |_| {})
        }))
    }

    fn join(self) -> Result<WorkerStatus, WorkerError> {
        self.0.join().unwrap()
    }
}

/// Changes one value of the games; they stay legal.
#[derive(Debug)]
struct WrongRunner(Arc<dyn GameRunner>);

impl GameRunner for WrongRunner {
    fn suits(&self, network: &Network) -> Result<(), IncompatibleNetwork> {
        self.0.suits(network)
    }

    fn play(
        &self,
        slice: &TaskSlice<'_>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted> {
        let mut games = self.0.play(slice, threads, stop)?;
        let value = &mut games[7].targets[0].value;
        *value = 0.5 - *value / 2.0;
        Ok(games)
    }
}

/// Plays once the gate is open.
#[derive(Debug)]
struct GatedRunner {
    runner: Arc<dyn GameRunner>,
    is_open: Arc<AtomicBool>,
}

impl GameRunner for GatedRunner {
    fn suits(&self, network: &Network) -> Result<(), IncompatibleNetwork> {
        self.runner.suits(network)
    }

    fn play(
        &self,
        slice: &TaskSlice<'_>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted> {
        wait_until(|| self.is_open.load(Ordering::Relaxed) || stop.is_raised());
        self.runner.play(slice, threads, stop)
    }
}

/// The weights after training on one machine.
fn expected_weights() -> String {
    let mut learner = learner(&TicTacToe::new(), 1);
    while !learner.is_done() {
        iterate(&mut learner, ONE);
    }
    learner.weights_hash()
}

fn run(folder: &Folder, coordinator: Coordinator) -> Run<TicTacToe> {
    let run = Run::new(learner(&TicTacToe::new(), 1), folder.path()).unwrap();
    run.with_game_source(Box::new(coordinator))
}

/// Takes tasks and never answers, like a killed worker.
async fn take_and_die(context: &Context, tasks: usize) {
    let mut taken = 0;
    while taken < tasks {
        let consumer = context.get_consumer_from_stream("workers", "open_ttt_learn_tasks");
        let consumer: Consumer<pull::Config> = consumer.await.unwrap();
        let batch = consumer.fetch().max_messages(tasks - taken);
        taken += batch.messages().await.unwrap().count().await;
        sleep(Duration::from_millis(10)).await;
    }
}

/// Publishes every answer a second time, with the first answer, one of another version
/// and a malformed one.
async fn echo(context: Context, ready: mpsc::Sender<()>, echoed: Arc<AtomicUsize>) {
    let client = context.client();
    let mut answers = client.subscribe("open_ttt_learn.answer.*").await.unwrap();
    client.flush().await.unwrap();
    ready.send(()).unwrap();
    let mut first = None;
    while let Some(answer) = answers.next().await {
        let headers = answer.headers.as_ref();
        if headers.is_some_and(|headers| headers.get("Echo").is_some()) {
            continue;
        }
        let first = first.get_or_insert_with(|| answer.payload.clone()).clone();
        let version = first.windows(5).position(|word| word == b"\"0.3.").unwrap();
        let mut other = first.to_vec();
        other[version + 1] = b'9';
        let malformed = vec![b'{'; 3000];
        for payload in [answer.payload, first, other.into(), malformed.into()] {
            let mut headers = async_nats::HeaderMap::new();
            headers.insert("Echo", "yes");
            let sent = client.publish_with_headers(answer.subject.clone(), headers, payload);
            sent.await.unwrap();
        }
        echoed.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` starts"]
fn dead_wrong_and_repetitive_workers_change_nothing() {
    let server = Server::alone("");
    let mut options = options(&server);
    options.dead_after = Duration::from_secs(1);
    // The workers play all games.
    options.plays_after = NEVER;
    let coordinator = connect(&options);
    let runtime = Runtime::new().unwrap();
    let context = jetstream(&runtime, &server);
    let echoed = Arc::new(AtomicUsize::new(0));
    let (ready, is_ready) = mpsc::channel();
    runtime.spawn(echo(context.clone(), ready, Arc::clone(&echoed)));
    is_ready.recv().unwrap();

    let right = game_runner(TicTacToe::new());
    let wrong: Arc<dyn GameRunner> = Arc::new(WrongRunner(Arc::clone(&right)));
    // The right workers answer once the coordinator has rejected the echo of the wrong
    // worker's answer.
    let is_open = Arc::new(AtomicBool::new(false));
    let gated: Arc<dyn GameRunner> = Arc::new(GatedRunner {
        runner: right,
        is_open: Arc::clone(&is_open),
    });
    let stop = StopFlag::new();
    let folder = Folder::new();
    let mut run = run(&folder, coordinator);
    let mut rejected = Vec::new();
    let mut invalid = Vec::new();
    let (end, banned, answered) = thread::scope(|scope| {
        let workers = scope.spawn(|| {
            // Two of the five tasks go to a dead worker.
            runtime.block_on(take_and_die(&context, 2));
            let banned = WorkerThread::spawn(broker(&server), "wrong", &wrong, &stop).join();
            let right = ["ann", "bob", "cid"]
                .map(|name| WorkerThread::spawn(broker(&server), name, &gated, &stop));
            (banned, right.map(WorkerThread::join))
        });
        let end = run.train(&OPTIONS, &StopFlag::new(), |event| match event {
            RunEvent::Worker(WorkerNotice::Rejected { cause, .. }) => {
                rejected.push(cause.clone());
                is_open.store(rejected.len() >= 2, Ordering::Relaxed);
            }
            RunEvent::Worker(WorkerNotice::InvalidResult {
                worker, unverified, ..
            }) => invalid.push((worker.clone(), *unverified)),
            _ => {}
        });
        stop.raise();
        let (banned, answered) = workers.join().unwrap();
        (end, banned, answered)
    });
    assert_eq!(end.unwrap(), RunEnd::Done);
    assert_eq!(run.learner().weights_hash(), expected_weights());

    let Err(WorkerError::Banned(cause)) = banned else {
        panic!("{banned:?}");
    };
    assert!(cause.contains("don't match the network's"), "{cause}");
    assert_eq!(invalid, [("wrong".to_owned(), 0)]);
    assert_eq!(rejected.len(), 2, "{rejected:?}");
    assert!(rejected.iter().any(|cause| cause.contains("version 9.3.")));

    let answered: u64 = answered.map(|status| status.unwrap().games).iter().sum();
    let stats = run.history().iter().map(|one| one.worker_stats.unwrap());
    let stats: Vec<WorkerStats> = stats.collect();
    // The wrong worker's task was played here, to verify its answer.
    assert_eq!((stats[0].banned, stats[0].games), (1, 64));
    for stats in &stats[1..] {
        assert_eq!((stats.banned, stats.games), (0, 80));
        assert!((1..=3).contains(&stats.workers), "{stats:?}");
    }
    assert!(answered >= 64 + 3 * 80, "{answered}");
    assert!(stats.iter().map(|stats| stats.verified).sum::<u64>() >= 16);
    // The five tasks of each of the four iterations were answered, and echoed.
    wait_until(|| echoed.load(Ordering::Relaxed) >= 20);
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` starts"]
fn a_run_without_workers_or_broker_plays_alone() {
    let mut server = Server::alone("");
    let mut options = options(&server);
    // Dropping the run waits this long for the broker.
    options.broker.timeout = Duration::from_secs(2);
    options.silent_after = Duration::from_millis(1);
    let folder = Folder::new();
    let mut run = run(&folder, connect(&options));
    let mut notices = Vec::new();
    let mut iterations = 0;
    let end = run.train(&OPTIONS, &StopFlag::new(), |event| match event {
        RunEvent::Worker(notice) => notices.push(notice.clone()),
        RunEvent::Iteration(_) => {
            iterations += 1;
            if iterations == 2 {
                server.kill();
            }
        }
        _ => {}
    });
    assert_eq!((end.unwrap(), iterations), (RunEnd::Done, 4));
    assert_eq!(run.learner().weights_hash(), expected_weights());
    let silences = notices
        .iter()
        .filter(|notice| matches!(notice, WorkerNotice::NoAnswer(_)));
    assert_eq!(silences.count(), 1, "{notices:?}");
    for metrics in run.history() {
        assert_eq!(metrics.worker_stats, Some(WorkerStats::default()));
    }
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` starts"]
fn answers_are_split_into_short_messages() {
    let server = Server::alone("max_payload: 4096");
    let mut options = options(&server);
    options.plays_after = NEVER;
    let folder = Folder::new();
    let mut run = run(&folder, connect(&options));
    let stop = StopFlag::new();
    let worker = WorkerThread::spawn(
        broker(&server),
        "ann",
        &game_runner(TicTacToe::new()),
        &stop,
    );
    let end = run.train(&OPTIONS, &StopFlag::new(), |_| {});
    stop.raise();
    assert_eq!(end.unwrap(), RunEnd::Done);
    assert_eq!(run.learner().weights_hash(), expected_weights());
    let status = worker.join().unwrap();
    assert_eq!((status.games, status.tasks), (320, 20));
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` starts"]
fn credentials_admit_learner_and_worker() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../open_ttt_net/tests/it/log/data");
    let config = fs::read_to_string(data.join("operator.conf")).unwrap();
    let server = Server::alone(&config);
    let mut options = options(&server);
    options.plays_after = NEVER;
    options.broker.credentials = Some(data.join("user.creds"));
    let folder = Folder::new();
    let mut run = run(&folder, connect(&options));
    let stop = StopFlag::new();
    let runner = game_runner(TicTacToe::new());
    let worker = WorkerThread::spawn(options.broker.clone(), "ann", &runner, &stop);
    let end = run.train(&OPTIONS, &StopFlag::new(), |_| {});
    stop.raise();
    assert_eq!(end.unwrap(), RunEnd::Done);
    assert_eq!(run.learner().weights_hash(), expected_weights());
    assert_eq!(worker.join().unwrap().games, 320);

    options.broker.credentials = None;
    let refused = Coordinator::connect(options.clone()).unwrap_err();
    assert!(matches!(refused, ConnectError::Unreachable(_)), "{refused}");
    let refused = WorkerThread::spawn(options.broker, "bob", &runner, &StopFlag::new());
    let refused = refused.join().unwrap_err();
    assert!(
        matches!(refused, WorkerError::Connect(ConnectError::Unreachable(_))),
        "{refused}"
    );
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` starts"]
fn a_stopped_run_does_not_wait_for_workers() {
    let server = Server::alone("");
    let mut options = options(&server);
    options.plays_after = NEVER;
    options.silent_after = Duration::from_millis(100);
    let folder = Folder::new();
    let mut run = run(&folder, connect(&options));
    let stop = StopFlag::new();
    let end = run.train(&OPTIONS, &stop, |event| {
        if let RunEvent::Worker(WorkerNotice::NoAnswer(_)) = event {
            stop.raise();
        }
    });
    assert_eq!(end.unwrap(), RunEnd::Stopped);
}

/// Publishes a task, and returns the error with which a worker leaves it to others.
#[track_caller]
fn refused_task(server: &Server, task: &str) -> WorkerError {
    let runtime = Runtime::new().unwrap();
    let context = jetstream(&runtime, server);
    let published = runtime.block_on(async {
        let subject = "open_ttt_learn.task.0000000000000001";
        context
            .publish(subject, task.to_owned().into())
            .await?
            .await
    });
    published.unwrap();
    let stop = StopFlag::new();
    let runner = game_runner(TicTacToe::new());
    let error = WorkerThread::spawn(broker(server), "ann", &runner, &stop);
    let error = error.join().unwrap_err();
    let tasks = runtime.block_on(async {
        let stream = context.get_stream("open_ttt_learn_tasks").await.unwrap();
        let tasks = stream.cached_info().state.messages;
        stream.purge().await.unwrap();
        tasks
    });
    assert_eq!(tasks, 1, "the task stays");
    error
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` starts"]
fn a_worker_refuses_other_versions_and_games() {
    let server = Server::alone("");
    let options = options(&server);
    let _coordinator = connect(&options);
    let error = refused_task(&server, r#"{"version":"0.0.1","whatever":1}"#);
    let sentence = error.to_string();
    assert!(matches!(error, WorkerError::Version(_)), "{error:?}");
    assert!(
        sentence.contains("it comes from version 0.0.1 of the program"),
        "{sentence}"
    );

    let runtime = Runtime::new().unwrap();
    let context = jetstream(&runtime, &server);
    let settings = r#"{"game":"chess","seed":1,"self_play":{"simulations":1,"considered":1,"value_scale":0.1,"random_plies":0,"random_moves":0.0}}"#;
    let hash = sha256(settings.as_bytes());
    runtime.block_on(async {
        let bucket = context.get_object_store("open_ttt_learn_models").await;
        let put = bucket.unwrap().put(&*hash, &mut settings.as_bytes()).await;
        put.unwrap();
    });
    let version = env!("CARGO_PKG_VERSION");
    let id = r#"{"run":1,"iteration":0,"index":0,"attempt":0}"#;
    let task = format!(
        r#"{{"version":"{version}","id":{id},"model":"{hash}","terms":"{hash}","first":0,"games":16}}"#
    );
    let error = refused_task(&server, &task);
    assert_eq!(error, WorkerError::Game("chess".to_owned()));
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest(bytes);
    (hash.iter()).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[test]
fn unusable_brokers_are_refused() {
    let check = |url: &str, name: &str, expected: &str| {
        let mut options = BrokerOptions::new(url);
        name.clone_into(&mut options.name);
        options.timeout = Duration::from_millis(200);
        let error = Coordinator::connect(CoordinatorOptions::new(options.clone())).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        let options = WorkerOptions::new(options);
        let find = find_runner(&game_runner(TicTacToe::new()));
        let error = run_worker(&options, find, &StopFlag::new(), |_| {}).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    };
    let usual = "open_ttt_learn";
    check("http://host", usual, "invalid broker address");
    check("", usual, "invalid broker address");
    check("nats://localhost:1", "a.b", "a group's name has");
    check("nats://127.0.0.1:1", usual, "can't reach the broker");
    let mut options = WorkerOptions::new(BrokerOptions::new("nats://127.0.0.1:1"));
    options.name = "a b".to_owned();
    let find = find_runner(&game_runner(TicTacToe::new()));
    let error = run_worker(&options, find, &StopFlag::new(), |_| {}).unwrap_err();
    assert_eq!(error, WorkerError::Name("a b".to_owned()));
}
