use core::num::NonZero;
use core::ops::Range;

use open_ttt_lib::random::Rng;
use open_ttt_nn::{Architecture, Network};
use open_ttt_search::StopFlag;

use super::answer::{
    self, AnswerError, AnswerPart, HEADER, IncompleteAnswers, MAX_BYTES, TaskAnswer, messages,
};
use super::registry::WorkerRegistry;
use super::task::{ContentHash, MAX_LENGTH, MessageError, RunSettings, Task, TaskId, VERSION};
use super::tracker::AnswerOutcome::{self, Ignored};
use super::tracker::{InvalidResult, TaskTracker};
use crate::strip::Strip;
use crate::{
    SearchTarget, SelfPlayConfig, SelfPlayGame, SelfPlayGameError, TaskSlice, WorkerStats,
};

const SELF_PLAY: SelfPlayConfig = SelfPlayConfig {
    simulations: 2,
    considered: NonZero::new(2).unwrap(),
    value_scale: 0.1,
    random_plies: 3,
    random_moves: 0.25,
};

const VERIFIED: AnswerOutcome = AnswerOutcome::Accepted { verify: true };
const TRUSTED: AnswerOutcome = AnswerOutcome::Accepted { verify: false };

/// The games of an untrained network.
fn games(numbers: Range<u64>) -> Vec<SelfPlayGame> {
    let start = Strip::new(9);
    let architecture = Architecture::Perceptron { hidden: vec![4] };
    let network = Network::new(&start, architecture, 1).unwrap();
    let slice = TaskSlice {
        network: &network,
        self_play: &SELF_PLAY,
        seed: 5,
        numbers,
    };
    let one = NonZero::<usize>::MIN;
    slice.play(&start, one, &StopFlag::new()).unwrap()
}

const fn id(index: u32, attempt: u32) -> TaskId {
    TaskId {
        run: 7,
        iteration: 3,
        index,
        attempt,
    }
}

fn read(bytes: &[u8], games: usize) -> Result<Vec<SelfPlayGame>, AnswerError> {
    answer::read(bytes, games, &Strip::new(9), SELF_PLAY.random_plies)
}

fn task() -> Task {
    Task {
        version: VERSION.to_owned(),
        id: id(0, 0),
        model: ContentHash::of(b"model"),
        settings: ContentHash::of(b"settings"),
        first: 100,
        games: 16,
    }
}

/// An iteration of 40 games in three tasks.
struct Iteration {
    tracker: TaskTracker,
    registry: WorkerRegistry,
}

impl Iteration {
    fn new() -> Self {
        Self {
            tracker: TaskTracker::new(7, 3, 100..140),
            registry: WorkerRegistry::default(),
        }
    }

    /// An answer that isn't sampled for verification.
    fn answer(&mut self, task: TaskId, worker: &str, games: &[SelfPlayGame]) -> AnswerOutcome {
        self.answer_bytes(task, worker, answer::bytes(games), || false)
    }

    fn answer_bytes(
        &mut self,
        task: TaskId,
        worker: &str,
        bytes: Vec<u8>,
        sample: fn() -> bool,
    ) -> AnswerOutcome {
        let answer = TaskAnswer {
            task,
            worker: worker.to_owned(),
            bytes,
        };
        self.tracker
            .handle_answer(answer, &mut self.registry, read, sample)
    }

    fn play_here(&mut self, index: usize) -> Option<InvalidResult> {
        let games = games(self.tracker.numbers(index));
        self.tracker
            .record_played_here(index, games, &mut self.registry)
    }
}

#[test]
fn an_iteration_is_split_into_tasks_that_cover_it() {
    let check = |numbers: Range<u64>, each: u64, last: u64| {
        let tasks = Task::split(numbers.clone());
        let (end, before) = tasks.split_last().unwrap();
        assert!(before.iter().all(|task| task.end - task.start == each));
        assert_eq!(end.end - end.start, last);
        let all: Vec<u64> = tasks.into_iter().flatten().collect();
        assert_eq!(all, numbers.collect::<Vec<_>>());
    };
    check(100..140, 16, 8);
    check(0..1, 16, 1);
    check(512..1024, 32, 32);
    check(5..10_005, 64, 16);
}

#[test]
fn games_survive_any_number_of_messages() {
    let games = games(100..116);
    let all = answer::bytes(&games);
    for max in [HEADER + 50, HEADER + 1000, HEADER + all.len(), 1 << 20] {
        let messages = messages(id(0, 0), "bob", &games, max);
        assert_eq!(messages.len(), all.len().div_ceil(max - HEADER));
        let mut incomplete = IncompleteAnswers::default();
        let mut answer = None;
        for (number, (id, message)) in messages.iter().enumerate() {
            assert!(message.len() <= max, "{} of {max}", message.len());
            assert_eq!(*id, format!("0000000000000007.3.0.0.bob.{number}"));
            assert_eq!(answer, None);
            answer = incomplete.add(AnswerPart::read(message).unwrap());
        }
        let answer = answer.unwrap();
        assert_eq!((answer.task, &*answer.worker), (id(0, 0), "bob"));
        assert_eq!(read(&answer.bytes, 16), Ok(games.clone()));
    }
}

#[test]
fn parts_out_of_order_make_no_answer() {
    let games = games(100..116);
    let messages = messages(id(0, 0), "bob", &games, HEADER + 1000);
    assert!(messages.len() >= 3, "{}", messages.len());
    let part = |number: usize| AnswerPart::read(&messages[number].1).unwrap();
    let mut incomplete = IncompleteAnswers::default();
    assert_eq!(incomplete.add(part(1)), None);
    assert_eq!(incomplete.add(part(0)), None);
    // Part 1 is missing.
    for number in 2..messages.len() {
        assert_eq!(incomplete.add(part(number)), None);
    }
    // The first part starts again, as after a worker's crash.
    assert_eq!(incomplete.add(part(0)), None);
    assert_eq!(incomplete.add(part(0)), None);
    let last = messages.len() - 1;
    for number in 1..last {
        assert_eq!(incomplete.add(part(number)), None);
    }
    let answer = incomplete.add(part(last)).unwrap();
    assert_eq!(answer.bytes, answer::bytes(&games));
}

#[test]
fn incomplete_answers_take_bounded_memory() {
    let games = games(100..101);
    let (_, message) = &messages(id(0, 0), "bob", &games, HEADER + 100)[0];
    let line = message.iter().position(|&byte| byte == b'\n').unwrap();
    let header = String::from_utf8(message[..line].to_owned()).unwrap();
    let mut incomplete = IncompleteAnswers::default();
    let large = vec![0; MAX_BYTES / 2];
    for number in 0..20 {
        let name = format!("\"bob{number}\"");
        let mut message = header.replace("\"bob\"", &name).into_bytes();
        message.push(b'\n');
        message.extend(&large);
        assert_eq!(incomplete.add(AnswerPart::read(&message).unwrap()), None);
    }
    assert!(incomplete.bytes() <= 256 << 20, "{}", incomplete.bytes());
    // An answer that is too long.
    for number in 0..4 {
        let part = format!("\"part\":{number},\"parts\":9");
        let start = header.find("\"part\"").unwrap();
        let mut message = format!("{}{part}}}\n", &header[..start]).into_bytes();
        message.extend(&large);
        assert_eq!(incomplete.add(AnswerPart::read(&message).unwrap()), None);
    }
    assert!(incomplete.bytes() <= 256 << 20, "{}", incomplete.bytes());
    for number in 0..10_000 {
        let name = format!("\"bob{number}\"");
        let message = header.replace("\"bob\"", &name) + "\n";
        incomplete.add(AnswerPart::read(message.as_bytes()).unwrap());
    }
    assert!(incomplete.len() <= 4096, "{}", incomplete.len());
}

#[test]
fn malformed_answers_are_refused() {
    let games = games(100..116);
    let check = |change: &dyn Fn(&mut Vec<SelfPlayGame>), expected: AnswerError| {
        let mut changed = games.clone();
        change(&mut changed);
        assert_eq!(read(&answer::bytes(&changed), 16), Err(expected));
    };
    check(&|all| all.truncate(15), AnswerError::Count);
    check(&|all| all.push(all[0].clone()), AnswerError::Count);
    let first = games[1].opening;
    let check_target = |index: usize, change: &dyn Fn(&mut SearchTarget)| {
        let error = SelfPlayGameError::InvalidTarget(first + index + 1);
        let expected = AnswerError::Game(2, error);
        check(&|all| change(&mut all[1].targets[index]), expected);
    };
    check_target(0, &|target| target.value = f32::NAN);
    check_target(0, &|target| target.value = f32::INFINITY);
    check_target(1, &|target| target.policy[0].1 = f32::NAN);
    check_target(1, &|target| target.policy[0].1 = -0.5);
    check_target(0, &|target| target.policy.truncate(1));
    check(
        &|all| all[1].moves[first] = u16::MAX,
        AnswerError::Game(2, SelfPlayGameError::IllegalMove(first + 1)),
    );
    check(
        &|all| all[3].moves[1] = all[3].moves[0],
        AnswerError::Game(4, SelfPlayGameError::IllegalMove(2)),
    );
    check(
        &|all| {
            all[4].moves.pop();
            all[4].targets.pop();
        },
        AnswerError::Game(5, SelfPlayGameError::Unfinished),
    );
    check(
        &|all| {
            let drawn = all[0].moves.len() - 1;
            let more = drawn - all[0].opening;
            all[0].targets.drain(..more);
            all[0].opening = drawn;
        },
        AnswerError::Opening(1),
    );
}

#[test]
fn mutated_bytes_are_refused_or_valid() {
    let games = games(100..116);
    let whole = answer::bytes(&games);
    let (_, message) = &messages(id(0, 0), "bob", &games, 1 << 20)[0];
    let task = task();
    assert_eq!(Task::read(&task.to_bytes()), Ok(task.clone()));
    let mut rng = Rng::new(1);
    let mut accepted = 0;
    for _ in 0..5_000 {
        let mut change = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            for _ in 0..=rng.below(3) {
                let at = rng.below(bytes.len());
                bytes[at] = rng.below(256) as u8;
            }
            if rng.below(4) == 0 {
                bytes.truncate(rng.below(bytes.len()));
            }
            bytes
        };
        if let Ok(games) = read(&change(&whole), 16) {
            accepted += 1;
            for game in games {
                assert!(game.replay(&Strip::new(9), |_, _, _| {}).is_ok());
            }
        }
        if let Ok(part) = AnswerPart::read(&change(message)) {
            IncompleteAnswers::default().add(part);
        }
        if let Ok(task) = Task::read(&change(&task.to_bytes())) {
            assert!((1..=64).contains(&task.games) && task.numbers().end >= 1);
        }
    }
    // A changed probability may be valid.
    assert!(accepted < 1000, "{accepted}");
}

#[test]
fn malformed_tasks_and_settings_are_refused() {
    let task = task();
    let text = String::from_utf8(task.to_bytes()).unwrap();
    let reads = |text: String| Task::read(text.as_bytes());
    let other = text
        .replace(VERSION, "9.9.9")
        .replace("\"games\"", "\"what\"");
    assert_eq!(reads(other), Err(MessageError::Version("9.9.9".to_owned())));
    let sentence = MessageError::Version("9.9.9".to_owned()).to_string();
    assert!(sentence.contains("version 9.9.9") && sentence.contains(VERSION));
    let bad = [
        text.replace("\"games\":16", "\"games\":0"),
        text.replace("\"games\":16", "\"games\":65"),
        text.replace("\"first\":100", "\"first\":18446744073709551615"),
        text.replace("\"first\":100", "\"first\":-1"),
        text.replace(ContentHash::of(b"model").as_str(), "../../etc"),
        text.replace(ContentHash::of(b"model").as_str(), &"F".repeat(64)),
        text.replace("\"games\"", "\"more\":1,\"games\""),
        text.clone() + &" ".repeat(MAX_LENGTH),
        String::new(),
        "[".repeat(4000),
    ];
    for bad in bad {
        assert_ne!(bad, text);
        let read = reads(bad.clone());
        assert!(matches!(read, Err(MessageError::Malformed(_))), "{bad}");
    }
    let settings = RunSettings {
        game: "ttt".to_owned(),
        seed: 5,
        self_play: SELF_PLAY,
    };
    let read = RunSettings::read(&settings.to_bytes());
    assert_eq!(read, Ok(settings.clone()));
    let mut endless = settings;
    endless.self_play.simulations = u32::MAX;
    assert!(RunSettings::read(&endless.to_bytes()).is_err());
}

#[test]
fn late_and_duplicate_answers_are_ignored() {
    let mut iteration = Iteration::new();
    let right = games(100..116);
    for late in [
        TaskId {
            iteration: 2,
            ..id(0, 0)
        },
        TaskId { run: 8, ..id(0, 0) },
        id(0, 1),
        id(3, 0),
        id(u32::MAX, 0),
    ] {
        assert_eq!(iteration.answer(late, "ann", &right), Ignored);
    }
    // The first answer of each worker is verified.
    assert_eq!(iteration.answer(id(0, 0), "ann", &right), VERIFIED);
    for worker in ["ann", "bob"] {
        assert_eq!(iteration.answer(id(0, 0), worker, &right), Ignored);
    }
    assert_eq!(iteration.tracker.stats().games, 16);
    assert_eq!(iteration.play_here(1), None);
    assert_eq!(iteration.play_here(2), None);
    assert!(!iteration.tracker.is_done());
    assert_eq!(iteration.tracker.to_verify().collect::<Vec<_>>(), [0]);
    assert_eq!(iteration.play_here(0), None);
    assert!(iteration.tracker.is_done());
    let batch = iteration.tracker.into_batch(&mut iteration.registry);
    assert_eq!(batch.games, games(100..140));
    let stats = WorkerStats {
        workers: 1,
        games: 16,
        verified: 16,
        banned: 0,
    };
    assert_eq!(batch.worker_stats, Some(stats));
}

#[test]
fn a_worker_with_a_wrong_answer_is_banned_and_its_tasks_reopened() {
    let mut iteration = Iteration::new();
    // Bob's earlier answers: a verified one, and 32 unverified games.
    assert!(iteration.registry.is_first_answer("bob"));
    iteration.registry.add_unverified("bob", 32);
    let mut wrong = games(132..140);
    wrong[5].targets[0].value = -wrong[5].targets[0].value + 0.001;
    assert_eq!(iteration.answer(id(0, 0), "bob", &games(100..116)), TRUSTED);
    let first = iteration.answer(id(1, 0), "ann", &games(116..132));
    let sampled = iteration.answer_bytes(id(2, 0), "bob", answer::bytes(&wrong), || true);
    assert_eq!([first, sampled], [VERIFIED, VERIFIED]);
    let invalid = iteration.play_here(2).unwrap();
    assert_eq!((&*invalid.worker, invalid.unverified), ("bob", 32));
    assert!(invalid.cause.contains("task 3 of iteration 4"));
    assert_eq!(invalid.reopened, [id(0, 1)]);
    let tracker = &iteration.tracker;
    assert_eq!(tracker.open().collect::<Vec<_>>(), [0]);
    assert!(!tracker.is_open(id(0, 0)) && tracker.is_open(id(0, 1)));
    assert_eq!(iteration.answer(id(0, 1), "bob", &games(100..116)), Ignored);
    assert_eq!(iteration.answer(id(0, 1), "ann", &games(100..116)), TRUSTED);
    assert_eq!(iteration.play_here(1), None);
    assert!(iteration.tracker.is_done());
    let batch = iteration.tracker.into_batch(&mut iteration.registry);
    assert_eq!(batch.games, games(100..140));
    let stats = WorkerStats {
        workers: 1,
        games: 32,
        verified: 16,
        banned: 1,
    };
    assert_eq!(batch.worker_stats, Some(stats));
    assert_eq!(iteration.registry.ban("ann"), Some(16));
    assert_eq!(iteration.registry.ban("ann"), None);
}

#[test]
fn a_worker_with_a_malformed_answer_is_banned() {
    let mut iteration = Iteration::new();
    let outcome = iteration.answer_bytes(id(1, 0), "bob", vec![255; 100], || false);
    let AnswerOutcome::Invalid(invalid) = outcome else {
        panic!("it was accepted");
    };
    assert_eq!(
        (&*invalid.worker, invalid.reopened),
        ("bob", vec![id(1, 1)])
    );
    let (mut tracker, registry) = (iteration.tracker, iteration.registry);
    // The broker delivers each attempt to one worker only.
    assert_eq!(tracker.retry(id(1, 0)), None);
    assert_eq!(tracker.retry(id(1, 1)), Some(id(1, 2)));
    assert!(!registry.admits("bob") && registry.admits("ann"));
    assert_eq!(tracker.open().count(), 3);
}

#[test]
fn the_number_of_workers_is_bounded() {
    let mut registry = WorkerRegistry::default();
    for number in 0..4096 {
        assert!(registry.is_first_answer(&format!("worker-{number}")));
    }
    assert!(!registry.admits("another") && registry.admits("worker-7"));
}
