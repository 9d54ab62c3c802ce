use open_ttt_learn::{BadRecord, Config, Preset, Record, SelfPlay, Thought};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, Outcome, Side, TwoPlayerGame};
use open_ttt_search::StopFlag;

use crate::learner::{ONE, learner};

fn records() -> Vec<Record> {
    let learner = learner(&TicTacToe::new(), 1);
    learner.play(ONE, &StopFlag::new()).unwrap()
}

#[test]
fn records_come_back_as_they_were() {
    let records = records();
    let mut bytes = Vec::new();
    for record in &records {
        record.write(&mut bytes);
    }
    let mut rest = &bytes[..];
    for record in &records {
        assert_eq!(Record::read(&mut rest).as_ref(), Ok(record));
    }
    assert!(rest.is_empty());
}

#[test]
fn games_are_whole_and_begin_differently() {
    let records = records();
    let mut lengths = [0; 10];
    for record in &records {
        lengths[record.opening] += 1;
        let mut seen = 0;
        let end = record.replay(&TicTacToe::new(), |_, _, _| seen += 1);
        assert!(end.unwrap().outcome().is_some());
        assert_eq!(seen, record.moves.len() - record.opening);
    }
    // From 0 to 5 moves by chance, each as likely.
    assert!(lengths[..6].iter().all(|&length| length > 5), "{lengths:?}");
    assert_eq!(lengths[..6].iter().sum::<u32>(), records.len() as u32);
}

/// How many thoughts there are in games with such numbers, and how many were not
/// followed, with such a share of moves drawn by chance.
fn by_chance(random_moves: f64, remainder: usize) -> (usize, usize) {
    let game = TicTacToe::new();
    let self_play = SelfPlay {
        random_moves,
        ..Config::preset(Preset::Fast, &game.encoding()).self_play
    };
    let network = learner(&game, 1).network().clone();
    let records = self_play.play(&game, &network, 7, 0..600, ONE, &StopFlag::new());
    let records = records.unwrap();
    let thoughts = (records.iter().skip(remainder).step_by(2))
        .flat_map(|record| &record.thoughts)
        .map(|thought| thought.is_followed);
    let (followed, strayed): (Vec<_>, Vec<_>) = thoughts.partition(|&followed| followed);
    (followed.len() + strayed.len(), strayed.len())
}

#[test]
fn chance_makes_a_quarter_of_the_moves_in_every_other_game() {
    let (even, strayed) = by_chance(0.25, 0);
    assert!(even > 1000 && strayed == 0, "{strayed} of {even}");
    let (odd, strayed) = by_chance(0.25, 1);
    // Four standard deviations.
    let expected = odd as f64 / 4.0;
    let deviation = (odd as f64 * 0.25 * 0.75).sqrt();
    let off = strayed as f64 - expected;
    assert!(off.abs() < 4.0 * deviation, "{strayed} of {odd}");
    assert_eq!(by_chance(0.0, 1).1, 0);
}

#[test]
fn whatever_is_read_is_refused_or_a_game() {
    let mut bytes = Vec::new();
    records()[0].write(&mut bytes);
    let mut rng = Rng::new(1);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = bytes.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len());
            bytes[at] = rng.next_u64() as u8;
        }
        bytes.truncate(bytes.len() - rng.below(4));
        let read = Record::read(&mut &bytes[..]);
        let game = read.and_then(|record| record.replay(&TicTacToe::new(), |_, _, _| {}));
        match game {
            Ok(_) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 5_000 && accepted > 100, "{refused} {accepted}");
    for length in 0..bytes.len() {
        let cut = Record::read(&mut &bytes[..length]);
        assert_eq!(cut, Err(BadRecord::Length), "{length}");
    }
}

#[test]
fn what_is_wrong_with_a_record_is_said() {
    let game = TicTacToe::new();
    let thought = |moves: &[u16]| Thought {
        policy: moves
            .iter()
            .map(|&m| (m, 1.0 / moves.len() as f32))
            .collect(),
        value: 0.0,
        is_followed: true,
    };
    let check = |record: Record| {
        let end = record.replay(&game, |_, _, _| {})?;
        Ok(end.outcome())
    };
    // A column of three for the side that begins.
    let moves = vec![0, 1, 3, 4, 6];
    let by_chance = Record {
        opening: 5,
        moves: moves.clone(),
        thoughts: vec![],
    };
    assert_eq!(
        check(by_chance.clone()),
        Ok(Some(Outcome::Win(Side::First)))
    );
    let last = Record {
        opening: 4,
        thoughts: vec![thought(&[2, 5, 6, 7, 8])],
        ..by_chance.clone()
    };
    assert_eq!(check(last.clone()), Ok(Some(Outcome::Win(Side::First))));
    let other = |thought| Record {
        thoughts: vec![thought],
        ..last.clone()
    };
    let bad = Err(BadRecord::Thought(5));
    assert_eq!(check(other(thought(&[2, 5, 6, 7]))), bad);
    assert_eq!(check(other(thought(&[1, 5, 6, 7, 8]))), bad);
    let too_good = Thought {
        value: 1.5,
        ..thought(&[2, 5, 6, 7, 8])
    };
    assert_eq!(check(other(too_good)), bad);
    let mut uneven = thought(&[2, 5, 6, 7, 8]);
    uneven.policy[0].1 = f32::NAN;
    assert_eq!(check(other(uneven)), bad);
    let unfinished = Record {
        opening: 2,
        moves: vec![0, 1],
        thoughts: vec![],
    };
    assert_eq!(check(unfinished.clone()), Err(BadRecord::Unfinished));
    let twice = Record {
        moves: vec![0, 0],
        ..unfinished.clone()
    };
    assert_eq!(check(twice), Err(BadRecord::Move(2)));
    let many = Record {
        opening: 1,
        ..unfinished
    };
    assert_eq!(check(many), Err(BadRecord::Thoughts));
}
