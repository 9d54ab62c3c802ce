//! Matches of many games between two participants.

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::Mutex;

use open_ttt_lib::games::{ConnectFour, Mnk, Morris, Pegs, TicTacToe};
use open_ttt_lib::rules::{History, Notation, Outcome, Reason, Side, TwoPlayerGame, play_text};
use open_ttt_players::{
    Decision, GameEnd, Human, Hypothesis, Match, MatchEnd, MatchGame, MatchReport, MatchScore,
    MatchStatistics, MonteCarlo, Negamax, Openings, Participant, ParticipantId, PentanomialScore,
    Perfect, Player, Random, Sprt, Turn, WinStatus,
};
use open_ttt_search::{Budget, HeuristicEvaluator, StopFlag};

use crate::difficulty;

fn threads(number: usize) -> NonZero<usize> {
    NonZero::new(number).unwrap()
}

/// A match between these players, with two random opening plies.
fn match_of<G, A, B>(
    start: G,
    a: impl Fn(u64) -> A + Send + Sync + 'static,
    b: impl Fn(u64) -> B + Send + Sync + 'static,
    games: u32,
) -> Match<'static, G>
where
    G: TwoPlayerGame,
    A: Player<G> + Send + 'static,
    B: Player<G> + Send + 'static,
{
    Match {
        start,
        a: Participant::new(1, move |seed| Box::new(a(seed))),
        b: Participant::new(2, move |seed| Box::new(b(seed))),
        games,
        openings: Openings::random(2, 3),
        sprt: None,
    }
}

fn perfect(mistakes: f64) -> impl Fn(u64) -> Perfect<TicTacToe> + Send + Sync + 'static {
    let solved = Perfect::new(&TicTacToe::new()).unwrap();
    move |seed| solved.clone().with_difficulty(difficulty(mistakes, seed))
}

fn mcts<G: TwoPlayerGame>(iterations: u64) -> impl Fn(u64) -> MonteCarlo<G> {
    move |seed| MonteCarlo::new(Budget::nodes(iterations)).with_difficulty(difficulty(0.0, seed))
}

/// A match between random players.
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

/// The games and the report are the same on any number of threads.
#[track_caller]
fn check_threads<G>(of: &Match<'_, G>)
where
    G: TwoPlayerGame<Move: Send + Sync> + Send + Sync,
{
    let (games, report) = played(of, 1);
    assert_eq!(report.statistics.score.games(), of.games);
    assert_eq!(report.end, MatchEnd::Played);
    for by in [2, 3, 8] {
        assert!(played(of, by) == (games.clone(), report), "{by} threads");
    }
}

#[test]
fn threads_do_not_change_a_match() {
    let start = TicTacToe::new();
    check_threads(&match_of(start, perfect(0.5), Random::seeded, 101));
    let negamax = |seed| {
        Negamax::new(HeuristicEvaluator, Budget::depth(2)).with_difficulty(difficulty(0.2, seed))
    };
    check_threads(&match_of(ConnectFour::new(), negamax, mcts(30), 12));
    check_threads(&match_of(Pegs::new(), mcts(20), Random::seeded, 20));
    check_threads(&random_match(Mnk::new(4, 4, 3).unwrap(), 500));
}

#[test]
fn the_seeds_determine_the_games() {
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
fn a_pair_of_games_has_one_opening_and_swapped_sides() {
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

/// Recounts the statistics from the games.
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
fn statistics_count_games_and_pairs() {
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
fn the_first_side_wins_a_game_of_one_move() {
    use WinStatus::{Loser, Winner};

    let (games, report) = played(&random_match(Mnk::new(1, 1, 1).unwrap(), 5), 2);
    let statuses: Vec<_> = games.iter().map(MatchGame::status).collect();
    assert_eq!(statuses, [Winner, Loser, Winner, Loser, Winner]);
    assert!(games.iter().all(|game| game.opening == 0));
    assert_eq!(report.statistics.pairs.counts, [0, 0, 2, 0, 0]);
}

#[test]
fn a_match_of_no_games() {
    let (games, report) = played(&random_match(TicTacToe::new(), 0), 4);
    assert!(games.is_empty());
    assert_eq!(report.end, MatchEnd::Played);
    assert_eq!(report.statistics, MatchStatistics::default());
}

#[test]
fn a_finished_start_position_is_counted_without_moves() {
    let mut over = TicTacToe::new();
    play_text(&mut over, "a1 b1 a2 b2 a3").unwrap();
    let (games, report) = played(&random_match(over, 4), 1);
    assert!(games.iter().all(|game| game.record.moves.is_empty()));
    assert_eq!(report.statistics.pairs.counts, [0, 0, 2, 0, 0]);
}

#[test]
fn resigning_and_illegal_moves_lose() {
    let start = TicTacToe::new();
    let taken = start.parse_move("b2").unwrap();
    let of = Match {
        a: Participant::new(1, move |_| {
            Box::new(Human::new("illegal", move |_: &Turn<'_, TicTacToe>| {
                Decision::Play(taken)
            }))
        }),
        b: Participant::new(2, |_| {
            Box::new(Human::new("resigns", |_: &Turn<'_, TicTacToe>| {
                Decision::Resign
            }))
        }),
        openings: Openings::listed(&start, vec![vec![taken]]).unwrap(),
        ..random_match(start, 2)
    };
    let (games, report) = played(&of, 1);
    // After the opening the second side is to move: B resigns, then A forfeits.
    assert_eq!(games[0].record.end, GameEnd::Resigned(Side::Second));
    assert!(matches!(
        games[1].record.end,
        GameEnd::Forfeited { side: Side::Second, illegal } if illegal.reason == Reason::Occupied
    ));
    assert_eq!(games[1].record.moves, [taken]);
    assert_eq!(report.statistics.pairs.counts, [0, 0, 1, 0, 0]);
}

#[test]
fn the_seed_determines_the_openings() {
    let lines = |seed| {
        let openings = Openings::random(4, seed);
        (0..20)
            .map(|pair| openings.moves(&ConnectFour::new(), pair))
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(1), lines(1));
    assert_ne!(lines(1), lines(2));
}

#[test]
fn random_openings_do_not_end_the_game() {
    #[track_caller]
    fn check<G: TwoPlayerGame>(start: &G, plies: u32, expected: impl Fn(usize) -> bool) {
        for seed in 0..50 {
            let opening = Openings::random(plies, seed).moves(start, 9);
            let mut game = History::new(start.clone());
            for &m in &opening {
                assert!(game.play(m).is_ok());
            }
            assert_eq!(game.outcome(), None);
            assert!(expected(opening.len()), "{} plies", opening.len());
        }
    }
    check(&ConnectFour::new(), 6, |plies| plies == 6);
    check(&Pegs::new(), 23, |plies| plies == 23);
    check(&Pegs::new(), 24, |plies| plies == 23);
    check(&TicTacToe::new(), 8, |plies| plies >= 5);
    check(&TicTacToe::new(), u32::MAX, |plies| plies >= 5);
    check(&Mnk::new(1, 1, 1).unwrap(), 3, |plies| plies == 0);
    // Positions come back, and some of them end the game.
    let morris = Morris::three();
    check(&morris, 60, |plies| plies > 8);
    assert!(Openings::none().moves(&ConnectFour::new(), 0).is_empty());
}

#[test]
fn listed_openings_are_used_in_turn_and_checked() {
    let start = TicTacToe::new();
    let line = |text: &str| {
        let words = text.split(' ').map(|word| start.parse_move(word).unwrap());
        words.collect::<Vec<_>>()
    };
    let lines = vec![line("a1"), line("b2 c3")];
    let openings = Openings::listed(&start, lines.clone()).unwrap();
    let taken: Vec<_> = (0..4).map(|pair| openings.moves(&start, pair)).collect();
    assert_eq!(taken, [&lines[..], &lines[..]].concat());
    let empty = Openings::listed(&start, Vec::new()).unwrap();
    assert!(empty.moves(&start, 5).is_empty());

    let rejected = |text| {
        Openings::listed(&start, vec![line(text)])
            .unwrap_err()
            .reason
    };
    assert_eq!(rejected("a1 a1"), Reason::Occupied);
    assert_eq!(rejected("a1 b1 a2 b2 a3"), Reason::GameOver);

    // From another start they are played up to the first illegal move.
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
        let mut reported = 0;
        let report = random_match(TicTacToe::new(), 10_000).play(threads(by), &stop, |_, _| {
            reported += 1;
            if reported == 7 {
                stop.raise();
            }
        });
        assert_eq!(report.end, MatchEnd::Stopped);
        assert_eq!((reported, report.statistics.score.games()), (7, 7));
    }
}

#[test]
fn a_raised_flag_abandons_a_game_between_two_moves() {
    for by in [1, 3] {
        let stop = StopFlag::new();
        let flag = stop.clone();
        let of = Match {
            a: Participant::new(0, move |_| {
                let raised = flag.clone();
                Box::new(Human::new("raises", move |turn: &Turn<'_, TicTacToe>| {
                    raised.raise();
                    assert!(turn.stop.is_raised(), "the turn has the flag of the match");
                    turn.game
                        .moves()
                        .next()
                        .map_or(Decision::Resign, Decision::Play)
                }))
            }),
            ..random_match(TicTacToe::new(), 50)
        };
        let report = of.play(threads(by), &stop, |_, _| panic!("no game ended"));
        assert_eq!(report.end, MatchEnd::Stopped);
        assert_eq!(report.statistics, MatchStatistics::default());
        let report = of.play(threads(by), &stop, |_, _| {
            panic!("the flag is already raised")
        });
        assert_eq!(report.end, MatchEnd::Stopped);
    }
}

/// Fails at its second turn.
struct Failing {
    turns: u32,
}

impl<G: TwoPlayerGame> Player<G> for Failing {
    fn player_name(&self) -> &'static str {
        "failing"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        self.turns += 1;
        match turn.game.moves().next() {
            Some(m) if self.turns < 2 => Decision::Play(m),
            _ => Decision::Resign,
        }
    }

    fn failure(&self) -> Option<&str> {
        (self.turns > 1).then_some("the connection is lost")
    }
}

/// Not a resignation, which would be a game lost.
#[test]
fn a_player_that_fails_ends_the_match() {
    for by in [1, 3] {
        let of = match_of(
            TicTacToe::new(),
            Random::seeded,
            |_| Failing { turns: 0 },
            50,
        );
        let stop = StopFlag::new();
        let report = of.play(threads(by), &stop, |_, _| panic!("no game ended"));
        assert_eq!(report.end, MatchEnd::Stopped);
        assert_eq!(report.statistics, MatchStatistics::default());
        assert!(!stop.is_raised());
    }
}

#[test]
fn a_sequential_test_ends_the_match_at_the_same_game_on_any_number_of_threads() {
    let with = |elo0, elo1| Match {
        sprt: Some(Sprt::new(elo0, elo1).unwrap()),
        ..match_of(TicTacToe::new(), perfect(0.0), Random::seeded, 5_000)
    };
    for (of, accepted) in [
        (with(0.0, 50.0), Hypothesis::Elo1),
        (with(700.0, 900.0), Hypothesis::Elo0),
    ] {
        let (games, report) = played(&of, 1);
        assert_eq!(report.end, MatchEnd::Accepted(accepted));
        let count = games.len();
        assert!(count % 2 == 0 && (2..2_000).contains(&count), "{count}");
        // The match ends with the first pair that decides the test.
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
fn a_panicking_player_ends_the_match() {
    let of = Match {
        a: Participant::new(1, |seed| {
            Box::new(Human::new("panics", move |turn: &Turn<'_, TicTacToe>| {
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
fn the_elo_interval_follows_from_the_variance_of_the_pairs() {
    let statistics = |[wins, draws, losses]: [u32; 3], counts| MatchStatistics {
        score: MatchScore {
            wins,
            draws,
            losses,
        },
        pairs: PentanomialScore { counts },
    };
    // By hand: of 100 pairs 40 have a share of 1/2, 40 of 3/4, 20 of 1: the
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

    // Equal pairs have no variance; the interval follows from the games.
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
fn every_player_has_its_own_seed() {
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

#[test]
fn sides_belong_to_participants_whichever_is_to_move_first() {
    let mut start = TicTacToe::new();
    play_text(&mut start, "a1").unwrap();
    let of = Match {
        a: Participant::new(1, |_| {
            Box::new(Human::new("resigns", |_: &Turn<'_, TicTacToe>| {
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
