use open_ttt_learn::{
    Config, Preset, SearchTarget, SelfPlayConfig, SelfPlayGame, SelfPlayGameError, TaskSlice,
};
use open_ttt_lib::games::{Morris, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, History, IndexedMoves, Outcome, Side, TwoPlayerGame};
use open_ttt_search::StopFlag;

use crate::learner::{ONE, learner};

fn games() -> Vec<SelfPlayGame> {
    let learner = learner(&TicTacToe::new(), 1);
    learner.play(ONE, &StopFlag::new()).unwrap()
}

#[test]
fn games_survive_writing_and_reading() {
    let games = games();
    let mut bytes = Vec::new();
    for game in &games {
        game.write(&mut bytes);
    }
    let mut rest = &bytes[..];
    for game in &games {
        assert_eq!(SelfPlayGame::read(&mut rest).as_ref(), Ok(game));
    }
    assert!(rest.is_empty());
}

#[test]
fn games_are_complete_and_have_random_openings() {
    let games = games();
    let mut lengths = [0; 10];
    for game in &games {
        lengths[game.opening] += 1;
        let mut visited = 0;
        let end = game
            .replay(&TicTacToe::new(), |_, _, _| visited += 1)
            .map(|(end, _)| end);
        assert!(end.unwrap().outcome().is_some());
        assert_eq!(visited, game.moves.len() - game.opening);
    }
    // From 0 to 5 random plies, all equally likely.
    assert!(lengths[..6].iter().all(|&length| length > 5), "{lengths:?}");
    assert_eq!(lengths[..6].iter().sum::<u32>(), games.len() as u32);
}

/// The number of searched moves in games with even or odd numbers, and how many of these
/// were replaced by random moves.
fn count_random(random_moves: f64, remainder: usize) -> (usize, usize) {
    let game = TicTacToe::new();
    let self_play = SelfPlayConfig {
        random_moves,
        ..Config::preset(Preset::Fast, &game.encoding()).self_play
    };
    let learner = learner(&game, 1);
    let slice = TaskSlice {
        network: learner.network(),
        self_play: &self_play,
        seed: 7,
        numbers: 0..600,
    };
    let games = slice.play(&game, ONE, &StopFlag::new()).unwrap();
    let targets = games.iter().skip(remainder).step_by(2);
    let targets: Vec<_> = targets.flat_map(|game| &game.targets).collect();
    let random = targets.iter().filter(|target| !target.is_followed);
    (targets.len(), random.count())
}

#[test]
fn a_quarter_of_the_moves_of_every_other_game_is_random() {
    let (even, random) = count_random(0.25, 0);
    assert!(even > 1000 && random == 0, "{random} of {even}");
    let (odd, random) = count_random(0.25, 1);
    // Four standard deviations.
    let expected = odd as f64 / 4.0;
    let deviation = (odd as f64 * 0.25 * 0.75).sqrt();
    let off = random as f64 - expected;
    assert!(off.abs() < 4.0 * deviation, "{random} of {odd}");
    assert_eq!(count_random(0.0, 1).1, 0);
}

#[test]
fn mutated_games_are_refused_or_valid() {
    let mut bytes = Vec::new();
    games()[0].write(&mut bytes);
    let mut rng = Rng::new(1);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = bytes.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len());
            bytes[at] = rng.next_u64() as u8;
        }
        bytes.truncate(bytes.len() - rng.below(4));
        let read = SelfPlayGame::read(&mut &bytes[..]);
        let game = read.and_then(|game| game.replay(&TicTacToe::new(), |_, _, _| {}));
        match game {
            Ok(_) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 5_000 && accepted > 100, "{refused} {accepted}");
    for length in 0..bytes.len() {
        let cut = SelfPlayGame::read(&mut &bytes[..length]);
        assert_eq!(cut, Err(SelfPlayGameError::Truncated), "{length}");
    }
}

#[test]
fn each_kind_of_invalid_game_is_detected() {
    let game = TicTacToe::new();
    let target = |moves: &[u16]| SearchTarget {
        policy: moves
            .iter()
            .map(|&m| (m, 1.0 / moves.len() as f32))
            .collect(),
        value: 0.0,
        is_followed: true,
    };
    let check = |candidate: SelfPlayGame| {
        let (end, _) = candidate.replay(&game, |_, _, _| {})?;
        Ok(end.outcome())
    };
    // A column of three for the first player.
    let moves = vec![0, 1, 3, 4, 6];
    let random = SelfPlayGame {
        opening: 5,
        moves: moves.clone(),
        targets: vec![],
    };
    assert_eq!(check(random.clone()), Ok(Some(Outcome::Win(Side::First))));
    let last = SelfPlayGame {
        opening: 4,
        targets: vec![target(&[2, 5, 6, 7, 8])],
        ..random.clone()
    };
    assert_eq!(check(last.clone()), Ok(Some(Outcome::Win(Side::First))));
    let other = |target| SelfPlayGame {
        targets: vec![target],
        ..last.clone()
    };
    let bad = Err(SelfPlayGameError::InvalidTarget(5));
    assert_eq!(check(other(target(&[2, 5, 6, 7]))), bad);
    assert_eq!(check(other(target(&[1, 5, 6, 7, 8]))), bad);
    let out_of_bounds = SearchTarget {
        value: 1.5,
        ..target(&[2, 5, 6, 7, 8])
    };
    assert_eq!(check(other(out_of_bounds)), bad);
    let mut uneven = target(&[2, 5, 6, 7, 8]);
    uneven.policy[0].1 = f32::NAN;
    assert_eq!(check(other(uneven)), bad);
    let unfinished = SelfPlayGame {
        opening: 2,
        moves: vec![0, 1],
        targets: vec![],
    };
    assert_eq!(
        check(unfinished.clone()),
        Err(SelfPlayGameError::Unfinished)
    );
    let twice = SelfPlayGame {
        moves: vec![0, 0],
        ..unfinished.clone()
    };
    assert_eq!(check(twice), Err(SelfPlayGameError::IllegalMove(2)));
    let many = SelfPlayGame {
        opening: 1,
        ..unfinished
    };
    assert_eq!(check(many), Err(SelfPlayGameError::TargetCount));
}

/// Nobody who sends games is to make others check them for ever.
#[test]
fn a_game_goes_on_to_the_most_plies_and_no_further() {
    let start = Morris::default();
    let mut rng = Rng::new(1);
    let mut history = History::new(start);
    let mut moves = Vec::new();
    while moves.len() <= SelfPlayGame::MAX_PLIES {
        let position = *history.position();
        let goes_on = |&m: &_| {
            let mut next = history.clone();
            next.play_unchecked(m);
            next.outcome().is_none()
        };
        let m = rng.pick(position.moves().filter(goes_on)).unwrap();
        moves.push(u16::try_from(position.move_index(m)).unwrap());
        history.play_unchecked(m);
    }
    let replayed = |plies: usize| {
        let game = SelfPlayGame {
            opening: plies,
            moves: moves[..plies].to_vec(),
            targets: vec![],
        };
        let ended = game.replay(&start, |_, _, _| ());
        ended.map(|(_, outcome)| outcome)
    };
    let most = SelfPlayGame::MAX_PLIES;
    assert_eq!(replayed(most - 1), Err(SelfPlayGameError::Unfinished));
    assert_eq!(replayed(most), Ok(Outcome::Draw));
    let further = SelfPlayGameError::IllegalMove(most + 1);
    assert_eq!(replayed(most + 1), Err(further));
}
