//! The player with a policy-value model.

use std::cell::Cell;
use std::num::NonZero;
use std::time::Duration;

use open_ttt_lib::games::{Column, ConnectFour, Pegs, TicTacToe, Ultimate};
use open_ttt_lib::rules::{TwoPlayerGame, play_text};
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{
    Decision, GumbelPlayer, Match, MonteCarlo, Openings, Participant, Perfect, Player, Random,
    Turn, WinStatus, play_game,
};
use open_ttt_search::{
    Budget, Clock, Estimates, Grade, GumbelOptions, PolicyValue, RandomPlayouts, StopFlag,
    TimeLimit, UniformPolicy, WinLoss, solve,
};

use crate::difficulty;
use crate::opinionated::Opinionated;
use crate::unfinished::unfinished;

fn decide<G: TwoPlayerGame>(player: &mut impl Player<G>, game: &G) -> G::Move {
    match player.take_turn(&Turn::new(game)) {
        Decision::Play(m) => m,
        Decision::Resign => panic!("resigned"),
    }
}

/// Counts the estimates.
#[derive(Clone)]
struct Counted<'a>(&'a Cell<usize>);

impl<G: TwoPlayerGame> PolicyValue<G> for Counted<'_> {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        self.0.set(self.0.get() + positions.len());
        Opinionated.estimate(positions, estimates);
    }
}

#[test]
fn without_simulations_the_policy_chooses() {
    for game in unfinished(&Ultimate::new(), 30, 20) {
        let (_, logits) = Opinionated::opinion(&game);
        let by_logit = logits.iter().zip(game.moves());
        let likeliest = by_logit.max_by(|(one, _), (other, _)| one.total_cmp(other));
        let expected = likeliest.map(|(_, m)| m);
        let mut player = GumbelPlayer::new(Opinionated, 0);
        assert_eq!(Some(decide(&mut player, &game)), expected);
    }
}

#[test]
fn a_search_never_loses_tic_tac_toe() {
    let start = TicTacToe::new();
    for seed in 0..20 {
        let perfect = Perfect::new(&start).unwrap();
        let mut perfect = perfect.with_difficulty(Difficulty::seeded(seed));
        let mut player = GumbelPlayer::new(UniformPolicy, 1_000);
        let record = play_game(&start, &mut player, &mut perfect);
        assert_eq!(record.result().player1, WinStatus::Draw);
        let record = play_game(&start, &mut perfect, &mut player);
        assert_eq!(record.result().player1, WinStatus::Draw);
    }
}

#[test]
fn the_search_tree_is_kept_between_turns() {
    let estimates = Cell::new(0);
    let options = GumbelOptions::playing(200);
    let mut player = GumbelPlayer::with_options(Counted(&estimates), options);
    let mut game = ConnectFour::new();
    let mut first = 0;
    for _ in 0..3 {
        let before = estimates.get();
        let m = decide(&mut player, &game);
        let now = estimates.get() - before;
        if first == 0 {
            first = now;
            // The root and each simulation, less transpositions.
            assert!((150..=201).contains(&first), "{first}");
        }
        assert!(now <= first);
        // The same turn again continues the tree.
        assert_eq!(decide(&mut player, &game), m);
        game.play(m).unwrap();
        let reply = game.moves().next().unwrap();
        game.play(reply).unwrap();
    }
    // An unrelated position.
    let before = estimates.get();
    let other = unfinished(&ConnectFour::new(), 12, 1).remove(0);
    decide(&mut player, &other);
    assert!(estimates.get() - before > 150);
}

#[test]
fn pondering_saves_estimates() {
    let game = ConnectFour::new();
    let estimates = Cell::new(0);
    let mut player = GumbelPlayer::new(Counted(&estimates), 300);
    assert!(player.ponder(&Turn::new(&game)));
    let before = estimates.get();
    let mut alone = GumbelPlayer::new(Counted(&estimates), 300);
    let next = game.after(game.moves().nth(3).unwrap());
    decide(&mut player, &next);
    let with = estimates.get() - before;
    decide(&mut alone, &next);
    let without = estimates.get() - before - with;
    assert!(with < without, "{with}, {without}");
}

#[test]
fn a_raised_flag_ends_the_search() {
    let estimates = Cell::new(0);
    let stop = StopFlag::new();
    stop.raise();
    let game = ConnectFour::new();
    let mut player = GumbelPlayer::new(Counted(&estimates), 1_000_000);
    let answer = player.take_turn(&Turn::new(&game).with_stop(stop.clone()));
    assert!(matches!(answer, Decision::Play(m) if game.check(m).is_ok()));
    assert_eq!(estimates.get(), 1);
    assert!(player.ponder(&Turn::new(&game).with_stop(stop.clone())));
    assert!(estimates.get() < 4);

    // Also if no more estimates are needed.
    let mut late = TicTacToe::new();
    play_text(&mut late, "a1 b2 c3 c1 a3 a2 c2").unwrap();
    let options = GumbelOptions {
        proves: false,
        ..GumbelOptions::playing(1_000_000)
    };
    let mut player = GumbelPlayer::with_options(Counted(&estimates), options);
    let answer = player.take_turn(&Turn::new(&late).with_stop(stop));
    assert!(matches!(answer, Decision::Play(m) if late.check(m).is_ok()));
}

thread_local! {
    static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// A clock that advances by a millisecond each time it is read.
fn ticking() -> Clock {
    Clock::new(|| {
        NOW.set(NOW.get() + Duration::from_millis(1));
        NOW.get()
    })
}

/// The move of a player with this time limit in milliseconds, and the number of
/// its estimates.
fn timed(game: &ConnectFour, most: u32, milliseconds: u64) -> (Column, usize) {
    let estimates = Cell::new(0);
    let time = TimeLimit {
        limit: Duration::from_millis(milliseconds),
        clock: ticking(),
    };
    let mut player = GumbelPlayer::new(Counted(&estimates), most).with_time(time);
    (decide(&mut player, game), estimates.get())
}

#[test]
fn time_ends_the_search() {
    let game = ConnectFour::new();
    assert_eq!(timed(&game, 1_000_000, 0).1, 1);
    let estimates = [10, 100, 1_000].map(|time| timed(&game, 1_000_000, time).1);
    // The player reads the clock once per estimate.
    for (estimates, time) in estimates.into_iter().zip([10, 100, 1_000]) {
        assert!(
            (time / 2..=time + 1).contains(&estimates),
            "{estimates} in {time}"
        );
    }
    // With enough time it runs all simulations, in rounds of the same tree.
    let (_, untimed) = timed(&game, 300, 1_000_000);
    assert!((150..=601).contains(&untimed), "{untimed}");
    // Without simulations it evaluates the root only.
    assert_eq!(timed(&game, 0, 1_000_000).1, 1);
}

#[test]
fn rounds_find_a_win() {
    // Column 5 makes an open three.
    let mut game = ConnectFour::new();
    play_text(&mut game, "3141").unwrap();
    let (found, estimates) = timed(&game, 10_000, 1_000_000);
    assert_eq!(Some(found), game.moves().nth(4));
    // The proof ends the rounds.
    assert!(estimates < 1_000, "{estimates}");
}

#[test]
fn mistakes_with_a_time_limit() {
    let game = ConnectFour::new();
    let estimates = Cell::new(0);
    let time = TimeLimit {
        limit: Duration::from_millis(500),
        clock: ticking(),
    };
    let player = GumbelPlayer::new(Counted(&estimates), 10_000).with_time(time);
    let best = decide(&mut player.clone(), &game);
    assert_ne!(
        decide(&mut player.with_difficulty(difficulty(1.0, 1)), &game),
        best
    );
}

#[test]
fn mistakes_exclude_the_best_result() {
    let start = TicTacToe::new();
    let solution = solve(&start, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
    let erring = |share, seed| {
        GumbelPlayer::new(UniformPolicy, 800).with_difficulty(difficulty(share, seed))
    };
    let (mut mistakes, mut none_to_make, mut half) = (0, 0, 0);
    for (seed, game) in (0..).zip(unfinished(&start, 4, 60)) {
        let moves = solution.moves(&game).unwrap();
        let grade = |m| {
            moves
                .iter()
                .find(|&&(other, _)| other == m)
                .unwrap()
                .1
                .grade()
        };
        let best = moves[0].1.grade();
        assert_eq!(grade(decide(&mut erring(0.0, seed), &game)), best);
        let played = grade(decide(&mut erring(1.0, seed), &game));
        let second = moves
            .iter()
            .map(|&(_, score)| score.grade())
            .find(|&g| g != best);
        match second {
            // If the best is an unproved draw, a mistake excludes only one move.
            Some(second) if best == Grade::Win => {
                assert_eq!(played, second);
                mistakes += 1;
                half += usize::from(grade(decide(&mut erring(0.5, seed), &game)) != best);
            }
            Some(_) => {}
            None => none_to_make += 1,
        }
    }
    assert!(
        mistakes > 20 && none_to_make > 0,
        "{mistakes}, {none_to_make}"
    );
    assert!(
        half > mistakes / 4 && half < 3 * mistakes / 4,
        "{half} of {mistakes}"
    );
}

/// Estimates that are not numbers.
struct Broken;

impl<G: TwoPlayerGame> PolicyValue<G> for Broken {
    fn estimate(&mut self, positions: &[&G], estimates: &mut Estimates) {
        for position in positions {
            estimates.push(f32::NAN, position.moves().map(|_| f32::NAN));
        }
    }
}

/// No estimates.
struct Silent;

impl<G: TwoPlayerGame> PolicyValue<G> for Silent {
    fn estimate(&mut self, _: &[&G], _: &mut Estimates) {}
}

#[test]
fn invalid_estimates_count_as_uniform() {
    for game in unfinished(&TicTacToe::new(), 2, 6) {
        let expected = decide(&mut GumbelPlayer::new(UniformPolicy, 60), &game);
        assert_eq!(decide(&mut GumbelPlayer::new(Broken, 60), &game), expected);
        assert_eq!(decide(&mut GumbelPlayer::new(Silent, 60), &game), expected);
    }
}

#[test]
fn whole_games_are_played() {
    let mut player = GumbelPlayer::new(Opinionated, 20);
    for seed in 0..3 {
        play_game(&Pegs::new(), &mut player, &mut Random::seeded(seed));
    }
    let mut player = GumbelPlayer::with_options(Opinionated, GumbelOptions::exploring(20));
    let record = play_game(&Ultimate::new(), &mut Random::seeded(1), &mut player);
    assert!(!record.moves.is_empty());
}

/// A match against tree search, which evaluates by random playouts too.
///
/// `cargo test --profile dist -p open_ttt_players --test it -- --ignored --nocapture strength`
#[test]
#[ignore = "takes a minute"]
fn strength_with_random_playouts_is_that_of_tree_search() {
    strength(&ConnectFour::new(), 100, 400);
    strength(&TicTacToe::new(), 50, 400);
    strength(&Ultimate::new(), 200, 60);
}

#[expect(clippy::print_stderr, reason = "prints its results")]
fn strength<G>(start: &G, simulations: u32, games: u32)
where
    G: TwoPlayerGame<Move: Send + Sync> + Send + Sync + 'static,
{
    let play = |opponent: &str, b: Participant<'_, G>| {
        let report = Match {
            start: start.clone(),
            a: Participant::new(1, move |seed| {
                let model = RandomPlayouts {
                    playouts: NonZero::<u32>::MIN,
                    seed,
                };
                // A single random playout has little weight.
                let options = GumbelOptions {
                    value_scale: 0.03,
                    ..GumbelOptions::playing(simulations)
                };
                Box::new(GumbelPlayer::with_options(model, options))
            }),
            b,
            games,
            openings: Openings::random(2, 3),
            sprt: None,
        }
        .play(NonZero::<usize>::MIN, &StopFlag::new(), |_, _| {});
        let statistics = report.statistics;
        eprintln!(
            "{simulations} simulations, {opponent}: {statistics:?} {:?}",
            statistics.score.elo()
        );
        statistics.score.share()
    };
    let random = Participant::new(2, |seed| Box::new(Random::seeded(seed)));
    assert!(play("random", random) > 0.9);
    let tree = Participant::new(2, move |seed| {
        let budget = Budget::nodes(simulations.into());
        Box::new(MonteCarlo::new(budget).with_difficulty(Difficulty::seeded(seed)))
    });
    assert!(play("mcts", tree) > 0.4);
}
