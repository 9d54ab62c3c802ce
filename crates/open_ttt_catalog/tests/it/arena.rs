//! Matches of many games between two contestants.

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::Mutex;
use std::time::Duration;

use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::games::{ConnectFour, Mnk, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, Outcome, Reason, Side, TwoPlayerGame, play_text};
use open_ttt_players::{
    Decision, GameEnd, Human, Hypothesis, Match, MatchEnd, MatchGame, MatchReport, MatchScore,
    MatchStatistics, Openings, Participant, ParticipantId, PentanomialScore, Random, Sprt, Turn,
    WinStatus,
};
use open_ttt_search::{Clock, StopFlag};

fn threads(number: usize) -> NonZero<usize> {
    NonZero::new(number).unwrap()
}

/// A match of players of the catalog, with two random plies for an opening.
fn catalog_match(game: &str, [a, b]: [&str; 2], games: u32) -> Match<'static, DynGame> {
    let start = open_ttt_catalog::game(game).unwrap();
    let clock = Clock::new(|| Duration::ZERO);
    let contestant = |name: &str, seed| {
        let spec: PlayerSpec = name.parse().unwrap();
        Participant::new(seed, start.players(&spec, clock).unwrap())
    };
    Match {
        a: contestant(a, 1),
        b: contestant(b, 2),
        start,
        games,
        openings: Openings::random(2, 3),
        sprt: None,
    }
}

/// A match between players that play anything.
fn random_match<G: TwoPlayerGame + 'static>(start: G, games: u32) -> Match<'static, G> {
    Match {
        start,
        a: Participant::new(1, |seed| Box::new(Random::seeded(seed))),
        b: Participant::new(2, |seed| Box::new(Random::seeded(seed))),
        games,
        openings: Openings::random(1, 3),
        sprt: None,
    }
}

/// Every game of a match, and its report.
fn played<G>(of: &Match<'_, G>, by: usize) -> (Vec<MatchGame<G>>, MatchReport)
where
    G: TwoPlayerGame + Send + Sync,
    G::Move: Send + Sync,
{
    let mut games = Vec::new();
    let report = of.play(threads(by), &StopFlag::new(), |game, _| {
        games.push(game.clone());
    });
    (games, report)
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    for (game, players, games) in [
        ("ttt", ["perfect(mistakes=0.5)", "random"], 101),
        (
            "connect4",
            ["negamax(depth=2,mistakes=0.2)", "mcts(iterations=30)"],
            12,
        ),
        ("pegs", ["mcts(iterations=20)", "random"], 20),
        ("mnk(m=4,n=4,k=3)", ["random", "random"], 500),
    ] {
        let of = catalog_match(game, players, games);
        let (alone, report) = played(&of, 1);
        assert_eq!(report.statistics.score.games(), games);
        assert_eq!(report.end, MatchEnd::Played);
        for by in [2, 3, 8] {
            assert!(played(&of, by) == (alone.clone(), report), "{game} by {by}");
        }
    }
}

#[test]
fn seeds_make_games_differ_and_the_same_seeds_do_not() {
    let moves = |seed| {
        let mut of = random_match(ConnectFour::new(), 40);
        of.a = Participant::new(seed, |seed| Box::new(Random::seeded(seed)));
        let (games, _) = played(&of, 1);
        let lines = games.into_iter().map(|game| game.record.moves);
        lines.collect::<Vec<_>>()
    };
    assert_eq!(moves(1), moves(1));
    assert_ne!(moves(1), moves(2));
    let distinct: HashSet<_> = moves(1).iter().map(|line| format!("{line:?}")).collect();
    assert_eq!(distinct.len(), 40);
}

#[test]
fn both_games_of_a_pair_begin_alike_and_the_sides_change() {
    let of = Match {
        openings: Openings::random(4, 7),
        ..random_match(ConnectFour::new(), 61)
    };
    let (games, _) = played(&of, 2);
    assert_eq!(games.len(), 61);
    let mut openings = HashSet::new();
    for (number, game) in games.iter().enumerate() {
        assert_eq!(game.number as usize, number);
        let first = [ParticipantId::A, ParticipantId::B][number % 2];
        assert_eq!(game.first, first);
        assert_eq!(game.opening, 4);
        let opening = &game.record.moves[..4];
        assert_eq!(opening, &games[number - number % 2].record.moves[..4]);
        openings.insert(format!("{opening:?}"));

        let mut position = ConnectFour::new();
        for &m in &game.record.moves {
            position.play(m).unwrap();
        }
        assert_eq!(position, game.record.position);
        assert_eq!(
            game.record.end,
            GameEnd::Finished(position.outcome().unwrap())
        );
    }
    assert!(openings.len() > 25, "{}", openings.len());
}

/// The statistics, counted again from the games alone.
fn recount<G: TwoPlayerGame>(games: &[MatchGame<G>]) -> MatchStatistics {
    let points = |number: usize, game: &MatchGame<G>| match game.record.end.outcome() {
        Outcome::Draw => 1,
        Outcome::Win(Side::First) => [2, 0][number % 2],
        Outcome::Win(Side::Second) => [0, 2][number % 2],
    };
    let all: Vec<usize> = games
        .iter()
        .enumerate()
        .map(|(n, g)| points(n, g))
        .collect();
    let with = |wanted| all.iter().filter(|&&points| points == wanted).count() as u32;
    let mut counts = [0; 5];
    for pair in all.chunks_exact(2) {
        counts[pair[0] + pair[1]] += 1;
    }
    MatchStatistics {
        score: MatchScore {
            wins: with(2),
            draws: with(1),
            losses: with(0),
        },
        pairs: PentanomialScore { counts },
    }
}

#[test]
fn games_and_pairs_are_counted_as_they_end() {
    let of = random_match(TicTacToe::new(), 301);
    for by in [1, 4] {
        let mut games = Vec::new();
        let report = of.play(threads(by), &StopFlag::new(), |game, statistics| {
            games.push(game.clone());
            assert_eq!(*statistics, recount(&games));
        });
        assert_eq!(report.statistics, recount(&games));
        assert_eq!(report.statistics.pairs.pairs(), 150);
        assert!(
            report
                .statistics
                .pairs
                .counts
                .iter()
                .all(|&count| count > 0)
        );
    }
}

#[test]
fn a_single_move_game_is_won_by_who_begins() {
    use WinStatus::{Loser, Winner};

    let (games, report) = played(&random_match(Mnk::new(1, 1, 1).unwrap(), 5), 2);
    let statuses: Vec<_> = games.iter().map(MatchGame::status).collect();
    assert_eq!(statuses, [Winner, Loser, Winner, Loser, Winner]);
    assert!(games.iter().all(|game| game.opening == 0));
    assert_eq!(report.statistics.pairs.counts, [0, 0, 2, 0, 0]);
}

#[test]
fn a_match_of_no_games_is_played_at_once() {
    let (games, report) = played(&random_match(TicTacToe::new(), 0), 4);
    assert!(games.is_empty());
    assert_eq!(report.end, MatchEnd::Played);
    assert_eq!(report.statistics, MatchStatistics::default());
}

#[test]
fn a_start_that_is_over_is_counted_without_a_move() {
    let mut over = TicTacToe::new();
    play_text(&mut over, "a1 b1 a2 b2 a3").unwrap();
    let (games, report) = played(&random_match(over, 4), 1);
    assert!(games.iter().all(|game| game.record.moves.is_empty()));
    assert_eq!(report.statistics.pairs.counts, [0, 0, 2, 0, 0]);
}

#[test]
fn who_resigns_or_will_not_play_legally_has_lost() {
    let start = TicTacToe::new();
    let taken = start.parse_move("b2").unwrap();
    let of = Match {
        a: Participant::new(1, move |_| {
            Box::new(Human::new("stubborn", move |_: &Turn<'_, TicTacToe>| {
                Decision::Play(taken)
            }))
        }),
        b: Participant::new(2, |_| {
            Box::new(Human::new("meek", |_: &Turn<'_, TicTacToe>| {
                Decision::Resign
            }))
        }),
        openings: Openings::listed(&start, vec![vec![taken]]).unwrap(),
        ..random_match(start, 2)
    };
    let (games, report) = played(&of, 1);
    // After the opening the second side is asked: B resigns, then A forfeits.
    assert_eq!(games[0].record.end, GameEnd::Resigned(Side::Second));
    assert!(matches!(
        games[1].record.end,
        GameEnd::Forfeited { side: Side::Second, illegal } if illegal.reason == Reason::Occupied
    ));
    assert_eq!(games[1].record.moves, [taken]);
    assert_eq!(report.statistics.pairs.counts, [0, 0, 1, 0, 0]);
}

#[test]
fn other_seeds_give_other_openings() {
    let lines = |seed| {
        let openings = Openings::random(4, seed);
        (0..20)
            .map(|pair| openings.line(&ConnectFour::new(), pair))
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(1), lines(1));
    assert_ne!(lines(1), lines(2));
}

#[test]
fn random_openings_leave_something_to_play() {
    #[track_caller]
    fn check(name: &str, plies: u32, expected: impl Fn(usize) -> bool) {
        let start = open_ttt_catalog::game(name).unwrap();
        for seed in 0..50 {
            let line = Openings::random(plies, seed).line(&start, 9);
            let mut position = start.clone();
            for &m in &line {
                position.play(m).unwrap();
            }
            assert_eq!(position.outcome(), None, "{name}");
            assert!(expected(line.len()), "{name}: {}", line.len());
        }
    }
    check("connect4", 6, |plies| plies == 6);
    check("pegs", 23, |plies| plies == 23);
    check("pegs", 24, |plies| plies == 23);
    check("ttt", 8, |plies| plies >= 5);
    check("ttt", u32::MAX, |plies| plies >= 5);
    check("mnk(m=1,n=1,k=1)", 3, |plies| plies == 0);
    let none = Openings::none().line(&ConnectFour::new(), 0);
    assert!(none.is_empty());
}

#[test]
fn listed_openings_are_taken_in_turn_and_checked() {
    let start = TicTacToe::new();
    let line = |text: &str| {
        let words = text.split(' ').map(|word| start.parse_move(word).unwrap());
        words.collect::<Vec<_>>()
    };
    let lines = vec![line("a1"), line("b2 c3")];
    let openings = Openings::listed(&start, lines.clone()).unwrap();
    let taken: Vec<_> = (0..4).map(|pair| openings.line(&start, pair)).collect();
    assert_eq!(taken, [&lines[..], &lines[..]].concat());
    let nothing = Openings::listed(&start, Vec::new()).unwrap();
    assert!(nothing.line(&start, 5).is_empty());

    let refused = |text| {
        Openings::listed(&start, vec![line(text)])
            .unwrap_err()
            .reason
    };
    assert_eq!(refused("a1 a1"), Reason::Occupied);
    assert_eq!(refused("a1 b1 a2 b2 a3"), Reason::GameOver);

    // Of another start they are played as far as they are legal.
    let mut other = start;
    play_text(&mut other, "c3").unwrap();
    let of = Match {
        openings: Openings::listed(&start, vec![line("b2 c3")]).unwrap(),
        ..random_match(other, 2)
    };
    let (games, _) = played(&of, 1);
    assert!(games.iter().all(|game| game.opening == 1));
}

#[test]
fn a_raised_flag_ends_the_match_between_two_games() {
    for by in [1, 3] {
        let stop = StopFlag::new();
        let mut told = 0;
        let report = random_match(TicTacToe::new(), 10_000).play(threads(by), &stop, |_, _| {
            told += 1;
            if told == 7 {
                stop.raise();
            }
        });
        assert_eq!(report.end, MatchEnd::Stopped);
        assert_eq!((told, report.statistics.score.games()), (7, 7));
    }
}

#[test]
fn a_raised_flag_breaks_games_off_between_two_moves() {
    for by in [1, 3] {
        let stop = StopFlag::new();
        let flag = stop.clone();
        let of = Match {
            a: Participant::new(0, move |_| {
                let raised = flag.clone();
                Box::new(Human::new("hasty", move |turn: &Turn<'_, TicTacToe>| {
                    raised.raise();
                    assert!(turn.stop.is_raised(), "it is told");
                    turn.game
                        .moves()
                        .next()
                        .map_or(Decision::Resign, Decision::Play)
                }))
            }),
            ..random_match(TicTacToe::new(), 50)
        };
        let report = of.play(threads(by), &stop, |_, _| panic!("no game was ended"));
        assert_eq!(report.end, MatchEnd::Stopped);
        assert_eq!(report.statistics, MatchStatistics::default());
        let report = of.play(threads(by), &stop, |_, _| panic!("it is raised already"));
        assert_eq!(report.end, MatchEnd::Stopped);
    }
}

#[test]
fn a_test_ends_the_match_at_the_same_game_for_any_number_of_threads() {
    let with = |elo0, elo1| Match {
        sprt: Some(Sprt::new(elo0, elo1).unwrap()),
        ..catalog_match("ttt", ["perfect", "random"], 5_000)
    };
    for (of, accepted) in [
        (with(0.0, 50.0), Hypothesis::Elo1),
        (with(700.0, 900.0), Hypothesis::Elo0),
    ] {
        let (games, report) = played(&of, 1);
        assert_eq!(report.end, MatchEnd::Accepted(accepted));
        let count = games.len();
        assert!(count % 2 == 0 && (2..2_000).contains(&count), "{count}");
        // It has ended as soon as it could.
        let sprt = of.sprt.unwrap();
        assert_eq!(sprt.accepted(&recount(&games).pairs), Some(accepted));
        assert_eq!(sprt.accepted(&recount(&games[..count - 2]).pairs), None);
        for by in [2, 5] {
            assert!(played(&of, by) == (games.clone(), report));
        }
    }
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_player_that_panics_is_not_waited_for() {
    let of = Match {
        a: Participant::new(1, |seed| {
            Box::new(Human::new("frail", move |turn: &Turn<'_, TicTacToe>| {
                assert!(!seed.is_multiple_of(50), "on purpose");
                turn.game
                    .moves()
                    .next()
                    .map_or(Decision::Resign, Decision::Play)
            }))
        }),
        ..random_match(TicTacToe::new(), 10_000)
    };
    played(&of, 3);
}

#[test]
fn players_made_together_play_like_players_made_apart() {
    let clock = Clock::new(|| Duration::ZERO);
    for name in [
        "perfect",
        "random",
        "negamax(depth=3)",
        "mcts(iterations=40)",
    ] {
        let start = open_ttt_catalog::game("ttt").unwrap();
        let make = start.players(&name.parse().unwrap(), clock).unwrap();
        let mut rng = Rng::new(5);
        for seed in 0..30 {
            let joiner = if name.contains('(') { "," } else { "(" };
            let seeded = format!("{}{joiner}seed={seed})", name.trim_end_matches(')'));
            let mut apart = start.player(&seeded.parse().unwrap(), clock).unwrap();
            let mut together = make(seed);
            let mut position = start.clone();
            while position.outcome().is_none() {
                let turn = Turn::new(&position);
                assert_eq!(apart.take_turn(&turn), together.take_turn(&turn));
                let m = rng.pick(position.moves()).unwrap();
                position.play_unchecked(m);
            }
        }
    }
}

#[test]
fn an_elo_difference_is_as_sure_as_the_pairs_make_it() {
    let statistics = |[wins, draws, losses]: [u32; 3], counts| MatchStatistics {
        score: MatchScore {
            wins,
            draws,
            losses,
        },
        pairs: PentanomialScore { counts },
    };
    // By hand: of 100 pairs 40 come to a share of 1/2, 40 to 3/4, 20 to 1: the
    // mean is 0.7, the variance 0.4 * 0.04 + 0.4 * 0.0025 + 0.2 * 0.09 = 0.035,
    // the standard error 0.0187083, the interval 0.6633317 to 0.7366683.
    let elo = statistics([120, 40, 40], [0, 0, 40, 40, 20]).elo().unwrap();
    let close = |one: f64, other: f64| (one - other).abs() < 0.005;
    assert!(close(elo.difference, 400.0 * (0.7_f64 / 0.3).log10()));
    assert!(close(
        elo.low,
        400.0 * (0.663_331_7_f64 / 0.336_668_3).log10()
    ));
    assert!(close(
        elo.high,
        400.0 * (0.736_668_3_f64 / 0.263_331_7).log10()
    ));

    // Pairs that are all alike do not tell; the games do.
    let alike = statistics([50, 0, 50], [0, 0, 50, 0, 0]);
    assert_eq!(alike.elo(), alike.score.elo());
    assert_eq!(statistics([9, 0, 0], [0, 0, 0, 0, 4]).elo(), None);
    assert_eq!(MatchStatistics::default().elo(), None);

    let pairs = PentanomialScore {
        counts: [1, 2, 3, 4, 10],
    };
    assert_eq!(pairs.pairs(), 20);
    // (1 * 0 + 2 * 1 + 3 * 2 + 4 * 3 + 10 * 4) / 80
    assert!((pairs.share() - 0.75).abs() < 1e-12);
    assert!((PentanomialScore::default().share() - 0.5).abs() < 1e-12);
    assert_eq!(PentanomialScore::default().deviation(), None);
}

#[test]
fn every_player_is_made_from_a_seed_of_its_own() {
    let seeds = Mutex::new(Vec::new());
    let player = |seed| {
        seeds.lock().unwrap().push(seed);
        Box::new(Random::seeded(seed)) as _
    };
    let of = Match {
        start: TicTacToe::new(),
        a: Participant::new(1, player),
        b: Participant::new(2, player),
        games: 50,
        openings: Openings::none(),
        sprt: None,
    };
    played(&of, 2);
    let seeds = seeds.lock().unwrap();
    let distinct: HashSet<_> = seeds.iter().collect();
    assert_eq!((seeds.len(), distinct.len()), (100, 100));
}

/// Who has a side has it wherever the game begins.
#[test]
fn a_start_with_the_second_side_to_move_is_played_by_the_second_seat() {
    let mut start = TicTacToe::new();
    play_text(&mut start, "a1").unwrap();
    let of = Match {
        a: Participant::new(1, |_| {
            Box::new(Human::new("meek", |_: &Turn<'_, TicTacToe>| {
                Decision::Resign
            }))
        }),
        openings: Openings::none(),
        ..random_match(start, 2)
    };
    let (games, report) = played(&of, 1);
    // A has the first side and B moves; then A has the second and is to move.
    let [one, other] = [0, 1].map(|number: usize| &games[number]);
    assert_eq!((one.first, one.record.moves.len()), (ParticipantId::A, 1));
    assert_eq!(one.record.end, GameEnd::Resigned(Side::First));
    assert_eq!(
        (other.first, other.record.moves.len()),
        (ParticipantId::B, 0)
    );
    assert_eq!(other.record.end, GameEnd::Resigned(Side::Second));
    assert_eq!(report.statistics.score.losses, 2);
}
