use open_ttt_lib::random::Rng;
use open_ttt_nn::{Architecture, Network};
use open_ttt_search::StopFlag;

use super::answer::{self, Answer, BadAnswer, HEADER, MOST_BYTES, Part, Parts, messages};
use super::ledger::{Heard, Ledger, Lie};
use super::roster::Roster;
use super::task::{LONGEST, Sum, Task, TaskId, Terms, Unreadable, VERSION};
use crate::strip::Strip;
use crate::{BadRecord, Help, Record, SelfPlay};

const SELF_PLAY: SelfPlay = SelfPlay {
    simulations: 2,
    considered: core::num::NonZero::new(2).unwrap(),
    value_scale: 0.1,
    random_plies: 3,
    random_moves: 0.25,
};

/// The games that a network which knows nothing plays.
fn games(numbers: core::ops::Range<u64>) -> Vec<Record> {
    let start = Strip::new(9);
    let architecture = Architecture::Perceptron { hidden: vec![4] };
    let network = Network::new(&start, architecture, 1).unwrap();
    let one = core::num::NonZero::<usize>::MIN;
    let played = SELF_PLAY.play(&start, &network, 5, numbers, one, &StopFlag::new());
    played.unwrap()
}

const fn id(index: u32, attempt: u32) -> TaskId {
    TaskId {
        run: 7,
        iteration: 3,
        index,
        attempt,
    }
}

fn read(bytes: &[u8], games: usize) -> Result<Vec<Record>, BadAnswer> {
    answer::read(bytes, games, &Strip::new(9), SELF_PLAY.random_plies)
}

/// 40 games in three tasks.
fn ledger() -> Ledger {
    Ledger::new(7, 3, 100..140)
}

fn answer(task: TaskId, worker: &str, records: &[Record]) -> Answer {
    Answer {
        task,
        worker: worker.to_owned(),
        bytes: answer::bytes(records),
    }
}

#[test]
fn an_iteration_is_split_into_tasks_that_cover_it() {
    let check = |numbers: core::ops::Range<u64>, each: u64, last: u64| {
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
fn games_come_through_in_any_number_of_messages() {
    let records = games(100..116);
    let all = answer::bytes(&records);
    for longest in [HEADER + 50, HEADER + 1000, HEADER + all.len(), 1 << 20] {
        let messages = messages(id(0, 0), "bob", &records, longest);
        let room = longest - HEADER;
        assert_eq!(messages.len(), all.len().div_ceil(room));
        let mut parts = Parts::default();
        let mut whole = None;
        for (number, (word, message)) in messages.iter().enumerate() {
            assert!(message.len() <= longest, "{} of {longest}", message.len());
            assert_eq!(*word, format!("0000000000000007.3.0.0.bob.{number}"));
            assert_eq!(whole, None);
            whole = parts.add(Part::read(message).unwrap());
        }
        let whole = whole.unwrap();
        assert_eq!((whole.task, &*whole.worker), (id(0, 0), "bob"));
        assert_eq!(read(&whole.bytes, 16), Ok(records.clone()));
    }
}

#[test]
fn parts_that_do_not_follow_each_other_are_no_answer() {
    let records = games(100..116);
    let messages = messages(id(0, 0), "bob", &records, HEADER + 1000);
    assert!(messages.len() >= 3, "{}", messages.len());
    let part = |number: usize| Part::read(&messages[number].1).unwrap();
    let mut parts = Parts::default();
    assert_eq!(parts.add(part(1)), None);
    assert_eq!(parts.add(part(0)), None);
    // One is missing: what follows is for nothing.
    for number in 2..messages.len() {
        assert_eq!(parts.add(part(number)), None);
    }
    // It begins anew, and once more, as when a worker dies and comes back.
    assert_eq!(parts.add(part(0)), None);
    assert_eq!(parts.add(part(0)), None);
    let last = messages.len() - 1;
    for number in 1..last {
        assert_eq!(parts.add(part(number)), None);
    }
    let whole = parts.add(part(last)).unwrap();
    assert_eq!(whole.bytes, answer::bytes(&records));
}

#[test]
fn unfinished_answers_take_no_end_of_memory() {
    let records = games(100..101);
    let (_, message) = &messages(id(0, 0), "bob", &records, HEADER + 100)[0];
    let line = message.iter().position(|&byte| byte == b'\n').unwrap();
    let header = String::from_utf8(message[..line].to_owned()).unwrap();
    let mut parts = Parts::default();
    let large = vec![0; MOST_BYTES / 2];
    for number in 0..20 {
        let name = format!("\"bob{number}\"");
        let mut message = header.replace("\"bob\"", &name).into_bytes();
        message.push(b'\n');
        message.extend(&large);
        assert_eq!(parts.add(Part::read(&message).unwrap()), None);
    }
    assert!(parts.held() <= 256 << 20, "{}", parts.held());
    // One that goes on and on.
    for number in 0..4 {
        let part = format!("\"part\":{number},\"parts\":9");
        let start = header.find("\"part\"").unwrap();
        let mut message = format!("{}{part}}}\n", &header[..start]).into_bytes();
        message.extend(&large);
        assert_eq!(parts.add(Part::read(&message).unwrap()), None);
    }
    assert!(parts.held() <= 256 << 20, "{}", parts.held());
    for number in 0..10_000 {
        let name = format!("\"bob{number}\"");
        let message = header.replace("\"bob\"", &name) + "\n";
        parts.add(Part::read(message.as_bytes()).unwrap());
    }
    assert!(parts.begun() <= 4096, "{}", parts.begun());
}

#[test]
fn answers_that_are_no_games_are_refused() {
    let records = games(100..116);
    let check = |change: &dyn Fn(&mut Vec<Record>), expected: BadAnswer| {
        let mut changed = records.clone();
        change(&mut changed);
        assert_eq!(read(&answer::bytes(&changed), 16), Err(expected));
    };
    check(&|all| all.truncate(15), BadAnswer::Count);
    check(&|all| all.push(all[0].clone()), BadAnswer::Count);
    let thought = |ply| BadAnswer::Game(2, BadRecord::Thought(ply));
    let first = records[1].opening;
    check(
        &|all| all[1].thoughts[0].value = f32::NAN,
        thought(first + 1),
    );
    check(
        &|all| all[1].thoughts[0].value = f32::INFINITY,
        thought(first + 1),
    );
    check(
        &|all| all[1].thoughts[1].policy[0].1 = f32::NAN,
        thought(first + 2),
    );
    check(
        &|all| all[1].thoughts[1].policy[0].1 = -0.5,
        thought(first + 2),
    );
    check(
        &|all| all[1].thoughts[0].policy.truncate(1),
        thought(first + 1),
    );
    check(
        &|all| all[1].moves[first] = u16::MAX,
        BadAnswer::Game(2, BadRecord::Move(first + 1)),
    );
    check(
        &|all| all[3].moves[1] = all[3].moves[0],
        BadAnswer::Game(4, BadRecord::Move(2)),
    );
    check(
        &|all| {
            all[4].moves.pop();
            all[4].thoughts.pop();
        },
        BadAnswer::Game(5, BadRecord::Unfinished),
    );
    check(
        &|all| {
            let drawn = all[0].moves.len() - 1;
            let more = drawn - all[0].opening;
            all[0].thoughts.drain(..more);
            all[0].opening = drawn;
        },
        BadAnswer::Opening(1),
    );
}

#[test]
fn hostile_bytes_are_answered() {
    let records = games(100..116);
    let whole = answer::bytes(&records);
    let (_, message) = &messages(id(0, 0), "bob", &records, 1 << 20)[0];
    let task = Task {
        version: VERSION.to_owned(),
        id: id(0, 0),
        model: Sum::of(b"model"),
        terms: Sum::of(b"terms"),
        first: 100,
        games: 16,
    };
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
            let length = rng.below(4);
            bytes.truncate(if length == 0 {
                rng.below(bytes.len())
            } else {
                bytes.len()
            });
            bytes
        };
        if let Ok(records) = read(&change(&whole), 16) {
            accepted += 1;
            for record in records {
                assert!(record.replay(&Strip::new(9), |_, _, _| {}).is_ok());
            }
        }
        if let Ok(part) = Part::read(&change(message)) {
            Parts::default().add(part);
        }
        if let Ok(task) = Task::read(&change(&task.to_bytes())) {
            assert!((1..=64).contains(&task.games) && task.numbers().end >= 1);
        }
    }
    // A probability may be another without anybody seeing it.
    assert!(accepted < 1000, "{accepted}");
}

#[test]
fn what_is_written_in_another_way_is_refused() {
    let task = Task {
        version: VERSION.to_owned(),
        id: id(0, 0),
        model: Sum::of(b"model"),
        terms: Sum::of(b"terms"),
        first: 100,
        games: 16,
    };
    let text = String::from_utf8(task.to_bytes()).unwrap();
    let reads = |text: String| Task::read(text.as_bytes());
    let other = text
        .replace(VERSION, "9.9.9")
        .replace("\"games\"", "\"what\"");
    assert_eq!(reads(other), Err(Unreadable::Version("9.9.9".to_owned())));
    let sentence = Unreadable::Version("9.9.9".to_owned()).to_string();
    assert!(sentence.contains("version 9.9.9") && sentence.contains(VERSION));
    let bad = [
        text.replace("\"games\":16", "\"games\":0"),
        text.replace("\"games\":16", "\"games\":65"),
        text.replace("\"first\":100", "\"first\":18446744073709551615"),
        text.replace("\"first\":100", "\"first\":-1"),
        text.replace(Sum::of(b"model").as_str(), "../../etc"),
        text.replace(Sum::of(b"model").as_str(), &"F".repeat(64)),
        text.replace("\"games\"", "\"more\":1,\"games\""),
        text.clone() + &" ".repeat(LONGEST),
        String::new(),
        "[".repeat(4000),
    ];
    for bad in bad {
        assert_ne!(bad, text);
        let read = reads(bad.clone());
        assert!(matches!(read, Err(Unreadable::Garbage(_))), "{bad}");
    }
    let terms = Terms {
        game: "ttt".to_owned(),
        seed: 5,
        self_play: SELF_PLAY,
    };
    assert_eq!(Terms::read(&terms.to_bytes()), Ok(terms.clone()));
    let mut endless = terms;
    endless.self_play.simulations = u32::MAX;
    assert!(Terms::read(&endless.to_bytes()).is_err());
}

#[test]
fn late_and_double_answers_are_ignored() {
    let (mut ledger, mut roster) = (ledger(), Roster::default());
    let records = games(100..116);
    let mut hear = |task, worker: &str| {
        ledger.hear(answer(task, worker, &records), &mut roster, read, || false)
    };
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
        assert_eq!(hear(late, "ann"), Heard::Ignored);
    }
    // The first of each is played again.
    assert_eq!(hear(id(0, 0), "ann"), Heard::Taken { check: true });
    assert_eq!(hear(id(0, 0), "ann"), Heard::Ignored);
    assert_eq!(hear(id(0, 0), "bob"), Heard::Ignored);
    assert_eq!(ledger.help().games, 16);
    assert_eq!(ledger.know(1, games(116..132), &mut roster), None);
    assert_eq!(ledger.know(2, games(132..140), &mut roster), None);
    assert!(!ledger.is_done());
    assert_eq!(ledger.to_check().collect::<Vec<_>>(), [0]);
    assert_eq!(ledger.know(0, records.clone(), &mut roster), None);
    assert!(ledger.is_done());
    let harvest = ledger.harvest(&mut roster);
    assert_eq!(harvest.records, games(100..140));
    let help = Help {
        workers: 1,
        games: 16,
        checked: 16,
        liars: 0,
    };
    assert_eq!(harvest.help, Some(help));
}

#[test]
fn a_liar_gives_no_more_and_its_games_are_asked_for_again() {
    let (mut ledger, mut roster) = (ledger(), Roster::default());
    // It was right before, and something was not looked at.
    assert!(roster.greet("bob"));
    roster.believe("bob", 32);
    let mut lie = games(132..140);
    lie[5].thoughts[0].value = -lie[5].thoughts[0].value + 0.001;
    let given = [
        ledger.hear(
            answer(id(0, 0), "bob", &games(100..116)),
            &mut roster,
            read,
            || false,
        ),
        ledger.hear(
            answer(id(1, 0), "ann", &games(116..132)),
            &mut roster,
            read,
            || false,
        ),
        ledger.hear(answer(id(2, 0), "bob", &lie), &mut roster, read, || true),
    ];
    let [spared, first, drawn] = given;
    assert_eq!(spared, Heard::Taken { check: false });
    assert_eq!(first, Heard::Taken { check: true });
    assert_eq!(drawn, Heard::Taken { check: true });
    let found = ledger.know(2, games(132..140), &mut roster).unwrap();
    assert_eq!((&*found.worker, found.unchecked), ("bob", 32));
    assert!(found.cause.contains("task 3 of iteration 4"));
    // What it gave beside is asked for again, under another name.
    assert_eq!(found.again, [id(0, 1)]);
    assert_eq!(ledger.open().collect::<Vec<_>>(), [0]);
    assert!(!ledger.expects(id(0, 0)) && ledger.expects(id(0, 1)));
    let right = answer(id(0, 1), "bob", &games(100..116));
    let heard = ledger.hear(right, &mut roster, read, || false);
    assert_eq!(heard, Heard::Ignored);
    let right = answer(id(0, 1), "ann", &games(100..116));
    let heard = ledger.hear(right, &mut roster, read, || false);
    assert_eq!(heard, Heard::Taken { check: false });
    assert_eq!(ledger.know(1, games(116..132), &mut roster), None);
    assert!(ledger.is_done());
    let harvest = ledger.harvest(&mut roster);
    assert_eq!(harvest.records, games(100..140));
    let help = Help {
        workers: 1,
        games: 32,
        checked: 16,
        liars: 1,
    };
    assert_eq!(harvest.help, Some(help));
    assert_eq!(roster.refuse("ann"), Some(16));
    assert_eq!(roster.refuse("ann"), None);
}

#[test]
fn no_games_at_all_are_a_lie() {
    let (mut ledger, mut roster) = (ledger(), Roster::default());
    let none = Answer {
        task: id(1, 0),
        worker: "bob".to_owned(),
        bytes: vec![255; 100],
    };
    let Heard::Lie(Lie { worker, again, .. }) = ledger.hear(none, &mut roster, read, || false)
    else {
        panic!("it was taken");
    };
    // Who has taken it gives it to nobody else.
    assert_eq!((&*worker, again), ("bob", vec![id(1, 1)]));
    assert_eq!(ledger.renew(id(1, 0)), None);
    assert_eq!(ledger.renew(id(1, 1)), Some(id(1, 2)));
    assert!(!roster.admits("bob") && roster.admits("ann"));
    assert_eq!(ledger.open().count(), 3);
}

#[test]
fn so_many_workers_are_known_and_no_more() {
    let mut roster = Roster::default();
    for number in 0..4096 {
        assert!(roster.greet(&format!("worker-{number}")));
    }
    assert!(!roster.admits("another") && roster.admits("worker-7"));
}
