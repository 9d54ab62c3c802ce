//! Games from other machines, over a broker of the tests' own.

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt;
use open_ttt_learn::workers::{
    BrokerOptions, ConnectError, Find, Hands, Share, Team, TeamOptions, Work, WorkError,
    WorkOptions, hands, work,
};
use open_ttt_learn::{End, Event, Help, Interrupted, Notice, Plan, Record, Run};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::Named;
use open_ttt_nn::{Misfit, Network};
use open_ttt_search::StopFlag;
use tokio::runtime::Runtime;
use tokio::time::sleep;

use crate::learner::{Folder, ONE, iterate, learner};
use crate::nats_server::Server;

const PLAN: Plan = Plan {
    threads: ONE,
    time: None,
    proof_every: 0,
    proof_games: 0,
    proof_simulations: 0,
    proof_lines: 0,
    save_every: Duration::from_hours(1),
};

/// Longer than any test.
const NEVER: Duration = Duration::from_hours(24);

fn options(server: &Server) -> TeamOptions {
    let mut options = TeamOptions::new(BrokerOptions::new(server.url()));
    options.dead_after = Duration::from_secs(1);
    options
}

/// Connects, as soon as the broker is there.
fn connect(options: &TeamOptions) -> Team {
    let mut tries = 0;
    loop {
        match Team::connect(options.clone()) {
            Ok(team) => return team,
            Err(ConnectError::Unreachable(_)) if tries < 300 => tries += 1,
            Err(error) => panic!("{error}"),
        }
        thread::sleep(Duration::from_millis(100));
    }
}

fn jetstream(runtime: &Runtime, server: &Server) -> Context {
    runtime.block_on(async {
        let client = async_nats::connect(server.url()).await.unwrap();
        jetstream::new(client)
    })
}

/// Who plays tic-tac-toe, rightly or not.
fn find(hands: &Arc<dyn Hands>) -> Arc<Find> {
    let hands = Arc::clone(hands);
    let name = TicTacToe::new().name();
    Arc::new(move |game| (game == name).then(|| Arc::clone(&hands)))
}

fn works(server: &Server, name: &str, hands: &Arc<dyn Hands>, stop: &StopFlag) -> Ended {
    works_at(BrokerOptions::new(server.url()), name, hands, stop)
}

fn works_at(broker: BrokerOptions, name: &str, hands: &Arc<dyn Hands>, stop: &StopFlag) -> Ended {
    let mut options = WorkOptions::new(broker);
    name.clone_into(&mut options.name);
    options.threads = NonZero::new(2).unwrap();
    let (find, stop) = (find(hands), stop.clone());
    Ended(thread::spawn(move || work(&options, find, &stop, |_| {})))
}

/// A worker on a thread of its own.
struct Ended(thread::JoinHandle<Result<Work, WorkError>>);

impl Ended {
    fn join(self) -> Result<Work, WorkError> {
        self.0.join().unwrap()
    }
}

/// Changes what is thought of one move, so little that it is still a game.
struct Liar(Arc<dyn Hands>);

impl Hands for Liar {
    fn suits(&self, network: &Network) -> Result<(), Misfit> {
        self.0.suits(network)
    }

    fn play(&self, share: &Share<'_>, stop: &StopFlag) -> Result<Vec<Record>, Interrupted> {
        let mut records = self.0.play(share, stop)?;
        let value = &mut records[7].thoughts[0].value;
        *value = 0.5 - *value / 2.0;
        Ok(records)
    }
}

/// The weights that come of it on one machine.
fn weights() -> String {
    let mut learner = learner(&TicTacToe::new(), 1);
    while !learner.is_done() {
        iterate(&mut learner, ONE);
    }
    learner.weights()
}

fn run(folder: &Folder, team: Team) -> Run<TicTacToe> {
    let run = Run::new(learner(&TicTacToe::new(), 1), folder.path()).unwrap();
    run.with_source(Box::new(team))
}

/// Takes tasks and does nothing, like somebody who is killed.
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

/// Says everything twice that anybody says, and what was said first again and again.
async fn echo(context: Context, ready: mpsc::Sender<()>, echoed: Arc<AtomicUsize>) {
    let client = context.client();
    let mut answers = client.subscribe("open_ttt_learn.answer.*").await.unwrap();
    client.flush().await.unwrap();
    ready.send(()).unwrap();
    let mut first = None;
    while let Some(answer) = answers.next().await {
        let is_echo = answer.headers.as_ref();
        if is_echo.is_some_and(|headers| headers.get("Echo").is_some()) {
            continue;
        }
        let first = first.get_or_insert_with(|| answer.payload.clone()).clone();
        let version = first.windows(5).position(|word| word == b"\"0.3.").unwrap();
        let mut other = first.to_vec();
        other[version + 1] = b'9';
        let garbage = vec![b'{'; 3000];
        let all = [answer.payload, first, other.into(), garbage.into()];
        for payload in all {
            let mut headers = async_nats::HeaderMap::new();
            headers.insert("Echo", "yes");
            let sent = client.publish_with_headers(answer.subject.clone(), headers, payload);
            sent.await.unwrap();
            echoed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
fn the_dead_the_liars_and_the_garrulous_change_nothing() {
    let server = Server::alone("");
    let mut options = options(&server);
    // So that the others have to do everything.
    options.plays_after = NEVER;
    let team = connect(&options);
    let runtime = Runtime::new().unwrap();
    let context = jetstream(&runtime, &server);
    let echoed = Arc::new(AtomicUsize::new(0));
    let (ready, is_ready) = mpsc::channel();
    runtime.spawn(echo(context.clone(), ready, Arc::clone(&echoed)));
    is_ready.recv().unwrap();

    let honest = hands(TicTacToe::new());
    let liar: Arc<dyn Hands> = Arc::new(Liar(Arc::clone(&honest)));
    let stop = StopFlag::new();
    let folder = Folder::new();
    let mut run = run(&folder, team);
    let mut notices = Vec::new();
    let (end, lied, worked) = thread::scope(|scope| {
        let others = scope.spawn(|| {
            // Two of the five tasks are gone with somebody who dies.
            runtime.block_on(take_and_die(&context, 2));
            let lied = works(&server, "liar", &liar, &stop).join();
            let honest = ["ann", "bob", "cid"].map(|name| works(&server, name, &honest, &stop));
            (lied, honest.map(Ended::join))
        });
        let end = run.go_on(&PLAN, &StopFlag::new(), |event| {
            if let Event::Notice(notice) = event {
                notices.push(notice.clone());
            }
        });
        stop.raise();
        let (lied, worked) = others.join().unwrap();
        (end, lied, worked)
    });
    assert_eq!(end.unwrap(), End::Done);
    assert_eq!(run.learner().weights(), weights());

    let Err(WorkError::Refused(cause)) = lied else {
        panic!("{lied:?}");
    };
    assert!(
        cause.contains("not those that the network plays"),
        "{cause}"
    );
    let liars = notices.iter().filter_map(|notice| match notice {
        Notice::Liar {
            worker, unchecked, ..
        } => Some((&**worker, *unchecked)),
        _ => None,
    });
    assert_eq!(liars.collect::<Vec<_>>(), [("liar", 0)]);
    let refused = notices.iter().filter_map(|notice| match notice {
        Notice::Refused { cause, .. } => Some(cause),
        _ => None,
    });
    let refused: Vec<_> = refused.collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused.iter().any(|cause| cause.contains("version 9.3.")));

    let given: u64 = worked.map(|one| one.unwrap().games).iter().sum();
    let help: Vec<Help> = run.history().iter().map(|one| one.help.unwrap()).collect();
    // What the liar had first is known from finding it out.
    assert_eq!((help[0].liars, help[0].games), (1, 64));
    for help in &help[1..] {
        assert_eq!((help.liars, help.games), (0, 80));
        assert!((1..=3).contains(&help.workers), "{help:?}");
    }
    assert!(given >= 64 + 3 * 80, "{given}");
    assert!(help.iter().map(|help| help.checked).sum::<u64>() >= 16);
    assert!(echoed.load(Ordering::Relaxed) >= 4 * 20);
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
fn a_run_without_workers_or_broker_goes_on_alone() {
    let mut server = Server::alone("");
    let mut options = options(&server);
    options.broker.patience = Duration::from_millis(500);
    options.silent_after = Duration::from_millis(1);
    let folder = Folder::new();
    let mut run = run(&folder, connect(&options));
    let mut notices = Vec::new();
    let mut iterations = 0;
    let end = run.go_on(&PLAN, &StopFlag::new(), |event| match event {
        Event::Notice(notice) => notices.push(notice.clone()),
        Event::Iteration(_) => {
            iterations += 1;
            if iterations == 2 {
                server.kill();
            }
        }
        _ => {}
    });
    assert_eq!((end.unwrap(), iterations), (End::Done, 4));
    assert_eq!(run.learner().weights(), weights());
    let silences = notices
        .iter()
        .filter(|notice| matches!(notice, Notice::Silence(_)));
    assert_eq!(silences.count(), 1, "{notices:?}");
    for metrics in run.history() {
        assert_eq!(metrics.help, Some(Help::default()));
    }
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
fn answers_come_through_a_broker_of_short_messages() {
    let server = Server::alone("max_payload: 4096");
    let mut options = options(&server);
    options.plays_after = NEVER;
    let folder = Folder::new();
    let mut run = run(&folder, connect(&options));
    let stop = StopFlag::new();
    let worker = works(&server, "ann", &hands(TicTacToe::new()), &stop);
    let end = run.go_on(&PLAN, &StopFlag::new(), |_| {});
    stop.raise();
    assert_eq!(end.unwrap(), End::Done);
    assert_eq!(run.learner().weights(), weights());
    let worked = worker.join().unwrap();
    assert_eq!((worked.games, worked.tasks), (320, 20));
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
fn credentials_let_learner_and_worker_in() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../open_ttt_net/tests/it/log/data");
    let config = fs::read_to_string(data.join("operator.conf")).unwrap();
    let server = Server::alone(&config);
    let mut options = options(&server);
    options.plays_after = NEVER;
    options.broker.credentials = Some(data.join("user.creds"));
    let folder = Folder::new();
    let mut run = run(&folder, connect(&options));
    let stop = StopFlag::new();
    let hands = hands(TicTacToe::new());
    let worker = works_at(options.broker.clone(), "ann", &hands, &stop);
    let end = run.go_on(&PLAN, &StopFlag::new(), |_| {});
    stop.raise();
    assert_eq!(end.unwrap(), End::Done);
    assert_eq!(run.learner().weights(), weights());
    assert_eq!(worker.join().unwrap().games, 320);

    options.broker.credentials = None;
    let refused = Team::connect(options.clone()).unwrap_err();
    assert!(matches!(refused, ConnectError::Unreachable(_)), "{refused}");
    let refused = works_at(options.broker, "bob", &hands, &StopFlag::new());
    let refused = refused.join().unwrap_err();
    assert!(
        matches!(refused, WorkError::Connect(ConnectError::Unreachable(_))),
        "{refused}"
    );
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
fn a_run_that_is_stopped_waits_for_nobody() {
    let server = Server::alone("");
    let mut options = options(&server);
    options.plays_after = NEVER;
    options.silent_after = Duration::from_millis(100);
    let folder = Folder::new();
    let mut run = run(&folder, connect(&options));
    let stop = StopFlag::new();
    let end = run.go_on(&PLAN, &stop, |event| {
        if let Event::Notice(Notice::Silence(_)) = event {
            stop.raise();
        }
    });
    assert_eq!(end.unwrap(), End::Stopped);
}

#[track_caller]
fn check_task(server: &Server, task: &str) -> WorkError {
    let runtime = Runtime::new().unwrap();
    let context = jetstream(&runtime, server);
    let given = runtime.block_on(async {
        let subject = "open_ttt_learn.task.0000000000000001";
        context
            .publish(subject, task.to_owned().into())
            .await?
            .await
    });
    given.unwrap();
    let stop = StopFlag::new();
    let error = works(server, "ann", &hands(TicTacToe::new()), &stop);
    let error = error.join().unwrap_err();
    let tasks = runtime.block_on(async {
        let stream = context.get_stream("open_ttt_learn_tasks").await.unwrap();
        let left = stream.cached_info().state.messages;
        stream.purge().await.unwrap();
        left
    });
    assert_eq!(tasks, 1, "it is left to others");
    error
}

#[test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
fn a_worker_for_something_else_says_so() {
    let server = Server::alone("");
    let options = options(&server);
    let _team = connect(&options);
    let error = check_task(&server, r#"{"version":"0.0.1","whatever":1}"#);
    let sentence = error.to_string();
    assert!(matches!(error, WorkError::Version(_)), "{error:?}");
    assert!(
        sentence.contains("it is version 0.0.1 of the program"),
        "{sentence}"
    );

    let runtime = Runtime::new().unwrap();
    let context = jetstream(&runtime, &server);
    let terms = r#"{"game":"chess","seed":1,"self_play":{"simulations":1,"considered":1,"value_scale":0.1,"random_plies":0,"random_moves":0.0}}"#;
    let sum: String = sha256(terms.as_bytes());
    runtime.block_on(async {
        let bucket = context.get_object_store("open_ttt_learn_models").await;
        let put = bucket.unwrap().put(&*sum, &mut terms.as_bytes()).await;
        put.unwrap();
    });
    let version = env!("CARGO_PKG_VERSION");
    let id = r#"{"run":1,"iteration":0,"index":0,"attempt":0}"#;
    let task = format!(
        r#"{{"version":"{version}","id":{id},"model":"{sum}","terms":"{sum}","first":0,"games":16}}"#
    );
    let error = check_task(&server, &task);
    assert_eq!(error, WorkError::Game("chess".to_owned()));
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    let sum = Sha256::digest(bytes);
    (sum.iter()).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[test]
fn what_is_no_broker_is_refused() {
    let check = |url: &str, name: &str, expected: &str| {
        let mut options = BrokerOptions::new(url);
        name.clone_into(&mut options.name);
        options.patience = Duration::from_millis(200);
        let error = Team::connect(TeamOptions::new(options.clone())).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        let options = WorkOptions::new(options);
        let find = find(&hands(TicTacToe::new()));
        let error = work(&options, find, &StopFlag::new(), |_| {}).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    };
    let usual = "open_ttt_learn";
    check("http://host", usual, "the address of the broker is wrong");
    check("", usual, "the address of the broker is wrong");
    check("nats://localhost:1", "a.b", "the name of a group is");
    check("nats://127.0.0.1:1", usual, "the broker cannot be reached");
    let mut options = WorkOptions::new(BrokerOptions::new("nats://127.0.0.1:1"));
    options.name = "a b".to_owned();
    let find = find(&hands(TicTacToe::new()));
    let error = work(&options, find, &StopFlag::new(), |_| {}).unwrap_err();
    assert_eq!(error, WorkError::Name("a b".to_owned()));
}
