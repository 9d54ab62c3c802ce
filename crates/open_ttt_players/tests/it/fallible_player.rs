//! A computer that errs as people do.

use open_ttt_lib::games::{ConnectFour, Mnk, TicTacToe};
use open_ttt_lib::rules::{History, Notation, Outcome, TwoPlayerGame};
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{
    Decision, FalliblePlayer, Human, Level, MatchScore, Negamax, Player, Random, Skill, Strength,
    Turn, play_game,
};
use open_ttt_search::{Budget, HeuristicEvaluator, WinLoss};

/// The share of seeds with which a computer of this skill finds a move.
fn share_that_plays<G>(game: &History<G>, skill: f64, m: G::Move) -> f64
where
    G: open_ttt_lib::rules::Drawing + TwoPlayerGame<Move: Send + Sync> + Send + Sync,
{
    const SEEDS: u64 = 200;
    let plays = |seed: &u64| {
        let skill = Skill::clamped(skill);
        let mut player = FalliblePlayer::new(skill, WinLoss, Random::seeded(*seed), *seed);
        player.take_turn(&Turn::of(game)) == Decision::Play(m)
    };
    (0..SEEDS).filter(plays).count() as f64 / SEEDS as f64
}

#[test]
fn what_is_far_from_the_last_move_is_overlooked_more_often() {
    let start = Mnk::new(9, 9, 4).unwrap();
    let win = start.parse_move("d1").unwrap();
    let found = |moves: &str| {
        let mut game = History::new(start);
        for m in moves.split(' ') {
            game.play(start.parse_move(m).unwrap()).unwrap();
        }
        share_that_plays(&game, 0.2, win)
    };
    // The same position: only the order of the moves differs.
    let near = found("a1 i9 b1 i5 c1 e2");
    let far = found("a1 e2 b1 i5 c1 i9");
    assert!(near > far + 0.2, "{near} near, {far} far");
}

/// Whether the side to move wins (1), draws or loses (-1), by looking at everything.
fn value(game: &TicTacToe) -> i32 {
    match game.outcome() {
        Some(Outcome::Draw) => 0,
        Some(Outcome::Win(side)) => {
            if side == game.to_move() {
                1
            } else {
                -1
            }
        }
        None => game.moves().map(|m| -value(&game.after(m))).max().unwrap(),
    }
}

/// Calls `visit` with every game of so many moves.
fn games_of(
    length: usize,
    game: &mut History<TicTacToe>,
    visit: &mut impl FnMut(&History<TicTacToe>),
) {
    if game.outcome().is_some() {
        return;
    }
    if game.moves().len() == length {
        visit(game);
        return;
    }
    let moves: Vec<_> = game.position().moves().collect();
    for m in moves {
        game.play_unchecked(m);
        games_of(length, game, visit);
        game.undo();
    }
}

#[test]
fn what_is_deep_is_overlooked_more_often_than_what_is_plain() {
    // Both kinds are positions with five moves of which one wins, at once or later.
    let mut shares = [Vec::new(), Vec::new()];
    let mut numbers = [0, 0];
    games_of(4, &mut History::new(TicTacToe::new()), &mut |game| {
        let position = game.position();
        let wins: Vec<_> = position
            .moves()
            .filter(|&m| value(&position.after(m)) < 0)
            .collect();
        let &[win] = wins.as_slice() else {
            return;
        };
        let kind = usize::from(position.after(win).outcome().is_none());
        // Some of them, for they are many.
        numbers[kind] += 1;
        if numbers[kind] % 11 == 0 {
            shares[kind].push(share_that_plays(game, 0.3, win));
        }
    });
    let [plain, deep] = shares.map(|shares| {
        assert!(shares.len() >= 5, "{} positions", shares.len());
        shares.iter().sum::<f64>() / shares.len() as f64
    });
    assert!(plain > deep + 0.03, "{plain} plain, {deep} deep");
}

#[test]
fn a_skilled_player_takes_every_win_in_one() {
    let mut wins = 0;
    for length in 4..=6 {
        let mut number = 0;
        games_of(length, &mut History::new(TicTacToe::new()), &mut |game| {
            let position = game.position();
            let winning = |&m: &_| matches!(position.after(m).outcome(), Some(Outcome::Win(_)));
            number += 1;
            if number % 17 != 0 || !position.moves().any(|m| winning(&m)) {
                return;
            }
            let skill = Skill::clamped(0.4);
            let mut player = FalliblePlayer::new(skill, WinLoss, Random::seeded(1), number);
            match player.take_turn(&Turn::of(game)) {
                Decision::Play(m) => assert!(winning(&m), "{position:?}"),
                Decision::Resign => panic!("it resigns a won game"),
            }
            wins += 1;
        });
    }
    assert!(wins > 500, "{wins}");
}

#[test]
fn the_highest_skill_is_attentive_on_every_turn() {
    let game = TicTacToe::new();
    let attentive = Human::new("attentive", |turn: &Turn<'_, TicTacToe>| {
        turn.game
            .moves()
            .last()
            .map_or(Decision::Resign, Decision::Play)
    });
    let mut player = FalliblePlayer::new(Skill::clamped(1.0), WinLoss, attentive, 1);
    let decision = player.take_turn(&Turn::new(&game));
    assert_eq!(decision, Decision::Play(game.moves().last().unwrap()));
}

#[test]
fn more_skill_wins() {
    let player = |skill: f64, seed| {
        // With its own seed, too: the games are the same in every run.
        let attentive = Negamax::new(HeuristicEvaluator, Budget::nodes(2_000))
            .with_difficulty(Difficulty::seeded(seed));
        FalliblePlayer::new(Skill::clamped(skill), HeuristicEvaluator, attentive, seed)
    };
    let start = ConnectFour::new();
    for [weak, strong] in [[0.0, 0.3], [0.3, 0.6], [0.6, 0.9]] {
        let mut score = MatchScore::default();
        for seed in 0..100 {
            let [mut a, mut b] = [player(strong, seed), player(weak, seed + 1_000)];
            if seed % 2 == 0 {
                score.count(play_game(&start, &mut a, &mut b).result().player1);
            } else {
                score.count(play_game(&start, &mut b, &mut a).result().player2);
            }
        }
        assert!(score.share() > 0.6, "{strong} against {weak}: {score:?}");
    }
}

#[test]
fn strengths_between_levels_have_skills_between_theirs() {
    let skills = [0.1, 0.2, 0.4, 0.6, 0.9];
    for (text, expected) in [
        ("1", 0.1),
        ("1.5", 0.15),
        ("3", 0.4),
        ("4.25", 0.675),
        ("5.5", 0.95),
    ] {
        let strength: Strength = text.parse().unwrap();
        let skill = strength.skill(&skills);
        let [low, high] = [-1e-9, 1e-9].map(|error| Skill::clamped(expected + error));
        assert!(low < skill && skill < high, "{text}: {skill:?}");
    }
    for nonsense in ["", "0.99", "6.01", "NaN", "-1", "one"] {
        assert!(nonsense.parse::<Strength>().is_err(), "{nonsense}");
    }
    for level in Level::ALL {
        assert_eq!(Level::named(level.name()), Some(level));
        assert_eq!(Strength::of(level).is_masters(), level == Level::Master);
    }
}
