//! Players, and games between two of them.

use std::cell::{Cell, RefCell};
use std::num::NonZero;
use std::rc::Rc;

use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, Outcome, Reason, Side, TwoPlayerGame, play_text};
use open_ttt_players::{
    Decision, GameEnd, GameResult, Human, MAX_ILLEGAL_MOVES, MatchScore, MonteCarlo, Negamax,
    Perfect, PerfectProver, Player, Random, Turn, WinStatus, play_game, play_turn,
};
use open_ttt_search::{
    Budget, HeuristicEvaluator, LeafEvaluator, Playout, Points, SideValue, StopFlag, WinLoss, solve,
};

use crate::difficulty;

/// A player that plays these moves in any position, then resigns.
fn scripted<G: Notation>(
    moves: &str,
) -> Human<impl FnMut(&Turn<'_, G>) -> Decision<G::Move> + use<G>> {
    let mut words: Vec<_> = moves.split_whitespace().rev().map(str::to_owned).collect();
    Human::new("script", move |turn: &Turn<'_, G>| match words.pop() {
        Some(word) => Decision::Play(turn.game.parse_move(&word).unwrap()),
        None => Decision::Resign,
    })
}

#[test]
fn a_game_is_recorded_with_a_result_for_each_player() {
    let start = TicTacToe::new();
    let record = play_game(&start, &mut scripted("a1 a2 a3"), &mut scripted("b1 b2"));
    let texts: Vec<_> = record.moves.iter().map(|&m| start.move_text(m)).collect();
    assert_eq!(texts, ["a1", "b1", "a2", "b2", "a3"]);
    assert_eq!(record.start, start);
    assert_eq!(record.end, GameEnd::Finished(Outcome::Win(Side::First)));
    assert_eq!(record.position.outcome(), Some(Outcome::Win(Side::First)));
    let GameResult { player1, player2 } = record.result();
    assert_eq!((player1, player2), (WinStatus::Winner, WinStatus::Loser));

    let mut first = scripted("a3 c3 a2 b1 c1");
    let record = play_game(&start, &mut first, &mut scripted("b3 b2 c2 a1"));
    assert_eq!(record.moves.len(), 9);
    let GameResult { player1, player2 } = record.result();
    assert_eq!((player1, player2), (WinStatus::Draw, WinStatus::Draw));
}

#[test]
fn a_player_may_resign() {
    let record = play_game(&TicTacToe::new(), &mut scripted("a1"), &mut scripted("b1"));
    assert_eq!(record.end, GameEnd::Resigned(Side::First));
    assert_eq!(record.result().player2, WinStatus::Winner);
    assert_eq!(record.moves.len(), 2);
}

#[test]
fn illegal_moves_are_reported_to_the_player_and_lose_in_the_end() {
    let reported = RefCell::new(Vec::new());
    let game = TicTacToe::new();
    let taken = game.parse_move("a1").unwrap();
    let free = game.parse_move("b1").unwrap();
    // Plays a taken square until two refusals.
    let mut slow = Human::new("slow", |turn: &Turn<'_, TicTacToe>| {
        assert_eq!(turn.side, Side::Second);
        reported
            .borrow_mut()
            .push(turn.refused.map(|r| (r.attempted, r.reason)));
        Decision::Play(if reported.borrow().len() < 3 {
            taken
        } else {
            free
        })
    });
    let mut position = game.after(taken);
    assert_eq!(play_turn(&mut position, &mut slow), Ok(free));
    let refusal = Some((taken, Reason::Occupied));
    assert_eq!(*reported.borrow(), [None, refusal, refusal]);

    let requests = RefCell::new(0);
    let mut stubborn = Human::new("stubborn", |_: &Turn<'_, TicTacToe>| {
        *requests.borrow_mut() += 1;
        Decision::Play(taken)
    });
    let record = play_game(&game, &mut scripted("a1 a2 a3"), &mut stubborn);
    let GameEnd::Forfeited { side, illegal } = record.end else {
        panic!("{:?}", record.end);
    };
    assert_eq!((side, illegal.reason), (Side::Second, Reason::Occupied));
    assert_eq!(*requests.borrow(), MAX_ILLEGAL_MOVES);
    assert_eq!(record.result().player1, WinStatus::Winner);
    assert_eq!(record.moves, [taken], "refused moves are not in the record");
}

#[test]
fn a_finished_game_has_no_turns() {
    let mut over = TicTacToe::new();
    play_text(&mut over, "a1 b1 a2 b2 a3").unwrap();
    let mut nobody = Human::new("nobody", |_: &Turn<'_, TicTacToe>| -> Decision<_> {
        panic!("asked after the end")
    });
    let mut nobody_else = nobody.clone();
    let record = play_game(&over, &mut nobody, &mut nobody_else);
    assert_eq!(record.end.outcome(), Outcome::Win(Side::First));
    assert!(record.moves.is_empty());
}

#[test]
fn every_player_plays_legal_moves() {
    fn check<G>(start: &G, mut players: Vec<Box<dyn Player<G>>>)
    where
        G: TwoPlayerGame + std::fmt::Debug,
    {
        for one in 0..players.len() {
            for other in 0..players.len() {
                let mut position = start.clone();
                while position.outcome().is_none() {
                    let turn = match position.to_move() {
                        Side::First => one,
                        Side::Second => other,
                    };
                    let before = position.clone();
                    let m = play_turn(&mut position, &mut *players[turn]).unwrap();
                    assert!(before.moves().any(|legal| legal == m));
                }
            }
        }
    }
    let budget = Budget::nodes(200);
    check(
        &Pegs::new(),
        vec![
            Box::new(Random::seeded(1)),
            Box::new(Negamax::new(Points, budget)),
            Box::new(MonteCarlo::new(budget)),
        ],
    );
    check(
        &Mnk::new(6, 5, 4).unwrap(),
        vec![
            Box::new(Random::default()),
            Box::new(Negamax::new(HeuristicEvaluator, budget)),
            Box::new(MonteCarlo::new(budget).with_difficulty(difficulty(1.0, 1))),
        ],
    );
}

#[test]
fn the_perfect_player_never_loses_tic_tac_toe() {
    fn walk(game: &TicTacToe, perfect: &mut Perfect<TicTacToe>, side: Side) -> u32 {
        match game.outcome() {
            Some(outcome) => {
                assert_ne!(outcome, Outcome::Win(!side), "lost: {game:?}");
                1
            }
            None if game.to_move() == side => {
                let Decision::Play(m) = perfect.take_turn(&Turn::new(game)) else {
                    panic!("resigned {game:?}");
                };
                walk(&game.after(m), perfect, side)
            }
            None => game
                .moves()
                .map(|m| walk(&game.after(m), perfect, side))
                .sum(),
        }
    }
    let start = TicTacToe::new();
    for seed in 0..20 {
        let mut perfect = Perfect::new(&start)
            .unwrap()
            .with_difficulty(difficulty(0.0, seed));
        assert!(walk(&start, &mut perfect, Side::First) > 50);
        assert!(walk(&start, &mut perfect, Side::Second) > 300);
    }
}

#[test]
fn the_perfect_player_resigns_unsolved_positions() {
    let mut middle = TicTacToe::new();
    play_text(&mut middle, "b2 a1").unwrap();
    let mut perfect = Perfect::new(&middle).unwrap();
    let unknown = TicTacToe::new();
    assert_eq!(perfect.take_turn(&Turn::new(&unknown)), Decision::Resign);
    assert!(Perfect::new(&ConnectFour::new()).is_err());
}

/// The number of mistakes in `tries` moves at a position that allows one.
fn mistakes_made<P: Player<TicTacToe>>(player: &mut P, tries: u32) -> u32 {
    let mut game = TicTacToe::new();
    // X to move: a3 wins, b3 holds the draw, the rest lose.
    play_text(&mut game, "a1 b1 a2 b2").unwrap();
    let solution = solve(&game, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
    let best = solution.score(&game).unwrap().grade();
    (0..tries)
        .filter(|_| {
            let Decision::Play(m) = player.take_turn(&Turn::new(&game)) else {
                panic!("resigned");
            };
            (-solution.score(&game.after(m)).unwrap()).grade() != best
        })
        .count() as u32
}

#[test]
fn the_difficulty_is_the_frequency_of_mistakes() {
    let start = TicTacToe::new();
    for (probability, allowed) in [
        (0.0, 0..=0),
        // Within four standard deviations.
        (0.2, 150..=250),
        (0.5, 437..=563),
        (1.0, 1_000..=1_000),
    ] {
        let mut perfect = Perfect::new(&start)
            .unwrap()
            .with_difficulty(difficulty(probability, 3));
        let made = mistakes_made(&mut perfect, 1_000);
        assert!(allowed.contains(&made), "perfect({probability}): {made}");

        let mut negamax =
            Negamax::new(WinLoss, Budget::depth(9)).with_difficulty(difficulty(probability, 4));
        let made = mistakes_made(&mut negamax, 1_000);
        assert!(allowed.contains(&made), "negamax({probability}): {made}");

        let mut tree =
            MonteCarlo::new(Budget::nodes(300)).with_difficulty(difficulty(probability, 5));
        let made = mistakes_made(&mut tree, 1_000);
        assert!(allowed.contains(&made), "mcts({probability}): {made}");
    }
}

#[test]
fn a_mistake_plays_the_best_of_the_other_moves() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1 b1 a2 b2").unwrap();
    let mut perfect = Perfect::new(&game)
        .unwrap()
        .with_difficulty(difficulty(1.0, 6));
    for _ in 0..20 {
        let answer = perfect.take_turn(&Turn::new(&game));
        // Without a3 only b3 keeps O from completing its own column.
        assert_eq!(answer, Decision::Play(game.parse_move("b3").unwrap()));
    }
    // A position whose moves all draw allows no mistake.
    let empty = TicTacToe::new();
    let mut perfect = Perfect::new(&empty)
        .unwrap()
        .with_difficulty(difficulty(1.0, 7));
    assert!(matches!(
        perfect.take_turn(&Turn::new(&empty)),
        Decision::Play(_)
    ));
}

#[test]
fn ties_are_broken_at_random_and_reproducibly() {
    let start = TicTacToe::new();
    let opening = |seed| {
        let mut perfect = Perfect::new(&start)
            .unwrap()
            .with_difficulty(difficulty(0.0, seed));
        match perfect.take_turn(&Turn::new(&start)) {
            Decision::Play(m) => start.move_text(m),
            Decision::Resign => panic!("resigned"),
        }
    };
    let mut openings: Vec<_> = (0..200).map(opening).collect();
    assert_eq!(openings, (0..200).map(opening).collect::<Vec<_>>());
    openings.sort();
    openings.dedup();
    assert_eq!(openings.len(), 9, "every first move draws and is played");
}

#[test]
fn searching_players_beat_the_random_one() {
    fn share<G: TwoPlayerGame>(start: &G, player: &mut dyn Player<G>, games: u64) -> f64 {
        let mut score = MatchScore::default();
        for seed in 0..games {
            let mut random = Random::seeded(seed);
            if seed % 2 == 0 {
                score.count(play_game(start, player, &mut random).result().player1);
            } else {
                score.count(play_game(start, &mut random, player).result().player2);
            }
        }
        score.share()
    }
    let budget = Budget::nodes(400);
    let mut tree = MonteCarlo::new(budget).with_difficulty(difficulty(0.0, 1));
    assert!(share(&ConnectFour::new(), &mut tree, 20) > 0.9);
    let mut tree = MonteCarlo::new(budget).with_difficulty(difficulty(0.0, 1));
    assert!(share(&Pegs::new(), &mut tree, 20) > 0.9);
    let mut negamax =
        Negamax::new(HeuristicEvaluator, Budget::depth(4)).with_difficulty(difficulty(0.0, 2));
    assert!(share(&ConnectFour::new(), &mut negamax, 20) > 0.9);
    let mut points = Negamax::new(Points, Budget::depth(4)).with_difficulty(difficulty(0.0, 3));
    assert!(share(&Pegs::new(), &mut points, 20) > 0.9);
    let mut gomoku =
        Negamax::new(HeuristicEvaluator, Budget::depth(1)).with_difficulty(difficulty(0.0, 4));
    assert!(share(&Mnk::new(9, 9, 5).unwrap(), &mut gomoku, 6) > 0.9);
}

#[test]
fn elo_difference_of_a_match_score() {
    let score = |wins, draws, losses| MatchScore {
        wins,
        draws,
        losses,
    };
    assert_eq!(score(0, 0, 0).elo(), None);
    assert_eq!(score(5, 0, 0).elo(), None);
    assert_eq!(score(0, 0, 5).elo(), None);
    assert_eq!(score(0, 5, 0).elo(), None);
    let even = score(10, 5, 10).elo().unwrap();
    assert!(even.difference.abs() < 1e-9);
    assert!((even.low + even.high).abs() < 1e-9 && even.high > 0.0);
    // Odds of ten to one are 400 Elo.
    let strong = score(1_000, 0, 100).elo().unwrap();
    assert!((strong.difference - 400.0).abs() < 1e-9);
    // By hand: variance 10/11 * 1/11, standard error 0.008668; the curve
    // at 0.909091 -+ 1.96 * 0.008668.
    assert!((strong.low - 366.96).abs() < 0.05, "{}", strong.low);
    assert!((strong.high - 439.15).abs() < 0.05, "{}", strong.high);
    let nearly = score(30, 0, 1).elo().unwrap();
    assert!(nearly.high.is_infinite());
}

/// Counts the random playouts.
#[derive(Clone)]
struct Counted(Rc<Cell<u32>>);

impl<G: TwoPlayerGame> LeafEvaluator<G> for Counted {
    fn evaluate(&mut self, leaf: &G, rng: &mut Rng) -> SideValue {
        self.0.set(self.0.get() + 1);
        Playout.evaluate(leaf, rng)
    }
}

#[test]
fn pondering_helps_after_any_reply() {
    let mut start = TicTacToe::new();
    play_text(&mut start, "b2 a1 c1").unwrap();
    let mut saved = 0;
    for reply in start.moves() {
        let game = start.after(reply);
        let [unprepared, prepared] = [false, true].map(|ponders| {
            let count = Rc::new(Cell::new(0));
            let mut player =
                MonteCarlo::with_evaluator(Counted(Rc::clone(&count)), Budget::nodes(2_000))
                    .with_difficulty(difficulty(0.0, 1));
            if ponders {
                assert!(player.ponder(&Turn::new(&start)));
            }
            let before = count.get();
            let decision = player.take_turn(&Turn::new(&game));
            assert!(matches!(decision, Decision::Play(m) if game.check(m).is_ok()));
            count.get() - before
        });
        // Pondering has proved the whole subtree.
        assert_eq!(prepared, 0, "{reply:?}");
        saved += unprepared;
    }
    assert!(saved > 20, "{saved}");
    // Other players don't support pondering.
    let stop = StopFlag::new();
    assert!(!Random::seeded(1).ponder(&Turn::new(&start).with_stop(stop.clone())));
    let raised = StopFlag::new();
    raised.raise();
    assert!(
        MonteCarlo::new(Budget::UNLIMITED).ponder(&Turn::new(&start).with_stop(raised.clone()))
    );
}

#[test]
fn perfect_play_is_the_same_on_any_number_of_threads() {
    let mut game = ConnectFour::new();
    // Not in the book, and hard enough for threads.
    play_text(&mut game, "44444325221").unwrap();
    for mistakes in [0.0, 1.0] {
        let [single, parallel] = [1, 3].map(|threads| {
            let player = || {
                PerfectProver::new(difficulty(mistakes, 1))
                    .with_threads(NonZero::new(threads).unwrap())
            };
            play_game(&game, &mut player(), &mut player())
        });
        assert_eq!(single, parallel, "{mistakes}");
    }
}

#[test]
fn tree_parallel_search_finds_a_win_and_a_threat() {
    for (moves, best) in [("a1 b1 a2 b2", "a3"), ("a1 b2 a2", "a3")] {
        let mut game = TicTacToe::new();
        play_text(&mut game, moves).unwrap();
        let best = game.parse_move(best).unwrap();
        for threads in [1, 2, 4] {
            let threads = NonZero::new(threads).unwrap();
            let mut player = MonteCarlo::new(Budget::nodes(5_000))
                .with_threads_together(threads)
                .with_difficulty(difficulty(0.0, 1));
            assert_eq!(player.take_turn(&Turn::new(&game)), Decision::Play(best));
            assert!(player.ponder(&Turn::new(&game)));
            assert_eq!(player.take_turn(&Turn::new(&game)), Decision::Play(best));
        }
    }
}

#[test]
fn every_tree_visits_every_move_whatever_the_budget() {
    let mut game = TicTacToe::new();
    play_text(&mut game, "a1 b1 a2 b2").unwrap();
    let winning = game.parse_move("a3").unwrap();
    for threads in [1, 2, 5] {
        let mut player = MonteCarlo::new(Budget::nodes(1))
            .with_threads(NonZero::new(threads).unwrap())
            .with_difficulty(difficulty(0.0, 1));
        // One of the moves wins at once.
        assert_eq!(player.take_turn(&Turn::new(&game)), Decision::Play(winning));
        let stopped = StopFlag::new();
        stopped.raise();
        let mut player =
            MonteCarlo::new(Budget::UNLIMITED).with_threads(NonZero::new(threads).unwrap());
        let turn = Turn::new(&game).with_stop(stopped);
        assert_eq!(player.take_turn(&turn), Decision::Play(winning));
    }
}
