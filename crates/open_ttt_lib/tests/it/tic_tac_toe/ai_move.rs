//! The computer: what it chooses, and how often it errs.

use std::collections::{HashMap, HashSet};
use std::error::Error;

use open_ttt_lib::random::{InvalidProbability, Probability, Rng};
use open_ttt_lib::tic_tac_toe::{AiMove, AiMoveError, Game, GameState, Position};

use super::{choices, drawn, every_position, unfinished};

fn probability(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

/// Whether a count of `draws` fits a probability: within five standard
/// deviations, which a right program leaves in one test of two million.
#[track_caller]
fn check_share(count: u32, draws: u32, probability: f64) {
    let expected = f64::from(draws) * probability;
    let deviation = (expected * (1.0 - probability)).sqrt();
    let off = (f64::from(count) - expected).abs();
    assert!(
        off <= 5.0 * deviation,
        "{count} of {draws} where {expected} were expected"
    );
}

/// The values of games for the player to move, by plain search: 1 for
/// a win, 0 for a cat's game, -1 for a loss.
#[derive(Default)]
struct Solver {
    known: HashMap<Game, i32>,
}

impl Solver {
    fn value(&mut self, game: &Game) -> i32 {
        if let Some(&value) = self.known.get(game) {
            return value;
        }
        let value = match game.state() {
            GameState::CatsGame => 0,
            GameState::PlayerXMove | GameState::PlayerOMove => self
                .worths(game)
                .into_iter()
                .map(|(_, worth)| worth)
                .max()
                .unwrap(),
            // The player who would move next is the one who lost.
            GameState::PlayerXWin(_) | GameState::PlayerOWin(_) => -1,
        };
        self.known.insert(game.clone(), value);
        value
    }

    fn worths(&mut self, game: &Game) -> Vec<(Position, i32)> {
        let free = game.board().free_squares();
        free.map(|square| {
            let mut next = game.clone();
            next.do_move(square.position);
            (square.position, -self.value(&next))
        })
        .collect()
    }

    /// The moves to each outcome that some move leads to, the best first. Of winning
    /// moves only those that win at once, if there are any.
    fn ranked(&mut self, game: &Game) -> Vec<HashSet<Position>> {
        let worths = self.worths(game);
        let to = |outcome: i32| {
            let moves = worths.iter().filter(move |&&(_, worth)| worth == outcome);
            moves.map(|&(position, _)| position).collect::<HashSet<_>>()
        };
        let mut winning = to(1);
        let wins_at_once = |position: &Position| {
            let mut next = game.clone();
            next.do_move(*position);
            next.state().is_game_over()
        };
        if winning.iter().any(wins_at_once) {
            winning.retain(wins_at_once);
        }
        [winning, to(0), to(-1)]
            .into_iter()
            .filter(|moves| !moves.is_empty())
            .collect()
    }
}

#[test]
fn it_chooses_among_all_best_moves_or_all_next_best_ones() {
    // 200 draws miss one of nine moves once in two thousand million times.
    const DRAWS: u32 = 200;
    let mut solver = Solver::default();
    let mut second = Game::new();
    second.start_next_game();
    for game in every_position(Game::new())
        .into_iter()
        .chain(every_position(second))
        .filter(unfinished)
    {
        let ranked = solver.ranked(&game);
        let chosen = |mistakes, seed| {
            choices(&game, mistakes, DRAWS, seed)
                .into_keys()
                .collect::<HashSet<_>>()
        };
        assert_eq!(chosen(0.0, 1), ranked[0], "{}", game.board());
        assert_eq!(
            chosen(1.0, 2),
            *ranked.get(1).unwrap_or(&ranked[0]),
            "{}",
            game.board()
        );
    }
}

#[test]
fn it_takes_a_win_on_the_board() {
    let mut with_a_slower_win = 0;
    for game in every_position(Game::new()).into_iter().filter(unfinished) {
        let after = |position| {
            let mut next = game.clone();
            next.do_move(position);
            next.state()
        };
        let free = game.board().free_squares();
        let at_once = free.filter(|square| after(square.position).is_game_over());
        let at_once = at_once.filter(|square| after(square.position) != GameState::CatsGame);
        let at_once: HashSet<_> = at_once.map(|square| square.position).collect();
        if at_once.is_empty() {
            continue;
        }
        let chosen: HashSet<_> = choices(&game, 0.0, 100, 3).into_keys().collect();
        assert_eq!(chosen, at_once, "{}", game.board());
        let wins = Solver::default().worths(&game);
        let wins = wins.iter().filter(|&&(_, worth)| worth == 1).count();
        with_a_slower_win += usize::from(wins > at_once.len());
    }
    assert!(with_a_slower_win > 100, "{with_a_slower_win} positions");
}

#[test]
fn without_mistakes_it_never_loses() {
    /// Plays every answer to every move the computer chooses.
    fn play(game: &Game, computer: &GameState, known: &mut HashSet<Game>) {
        if !known.insert(game.clone()) {
            return;
        }
        let state = game.state();
        let moves: Vec<Position> = match state {
            GameState::PlayerXWin(_) => return assert_eq!(*computer, GameState::PlayerXMove),
            GameState::PlayerOWin(_) => return assert_eq!(*computer, GameState::PlayerOMove),
            GameState::CatsGame => return,
            _ if state == *computer => choices(game, 0.0, 200, 7).into_keys().collect(),
            _ => game
                .board()
                .free_squares()
                .map(|square| square.position)
                .collect(),
        };
        for position in moves {
            let mut next = game.clone();
            next.do_move(position);
            play(&next, computer, known);
        }
    }
    let mut second = Game::new();
    second.start_next_game();
    for start in [Game::new(), second] {
        for computer in [GameState::PlayerXMove, GameState::PlayerOMove] {
            let mut known = HashSet::new();
            play(&start, &computer, &mut known);
            assert!(known.len() > 500, "only {} positions", known.len());
        }
    }
}

#[test]
fn mistakes_are_as_likely_as_asked_for() {
    const DRAWS: u32 = 40_000;
    let mut solver = Solver::default();
    let positions = [
        // The first move of all: whatever it is, a cat's game.
        ".../.../...",
        // Win, cat's game and loss: it goes from the win to the cat's game.
        "XOX/.O./X.O",
        // Cat's games and losses.
        "X../.../...",
        "X../.O./..X",
        // A win and losses, no cat's game between them.
        "XX./OO./...",
        // A win at once, a slower one and losses.
        "X.X/O.O/...",
        // Two wins at once.
        "XX./X.O/O..",
    ];
    for (seed, picture) in (10..).zip(positions) {
        let game = drawn(picture, None);
        let ranked = solver.ranked(&game);
        for p in [0.0, 0.25, 0.5, 1.0] {
            let counts = choices(&game, p, DRAWS, seed);
            let mistakes = if ranked.len() > 1 { p } else { 0.0 };
            let shares = [1.0 - mistakes, mistakes];
            for (moves, share) in ranked.iter().zip(shares) {
                let count = |position| counts.get(position).copied().unwrap_or(0);
                check_share(moves.iter().map(count).sum(), DRAWS, share);
                for position in moves {
                    check_share(count(position), DRAWS, share / moves.len() as f64);
                }
            }
        }
    }
}

#[test]
fn equal_sources_draw_equal_moves() {
    let game = Game::new();
    let draw = |seed| {
        let mut rng = Rng::new(seed);
        let next = || AiMove::with_rng(&game, probability(0.5), &mut rng).unwrap();
        std::iter::repeat_with(next).take(20).collect::<Vec<_>>()
    };
    assert_eq!(draw(3), draw(3));
    assert_ne!(draw(3), draw(4));
}

#[test]
fn the_threads_source_draws_different_moves() {
    let game = Game::new();
    let drawn: HashSet<_> = (0..200).map(|_| AiMove::new(&game, 0.0)).collect();
    assert_eq!(drawn.len(), 9);
}

#[test]
fn two_perfect_players_never_win() {
    let mut rng = Rng::new(1);
    let mut game = Game::new();
    for _ in 0..1_000 {
        while unfinished(&game) {
            let ai_move = AiMove::with_rng(&game, Probability::NEVER, &mut rng).unwrap();
            game.do_move(ai_move.position());
        }
        assert_eq!(game.state(), GameState::CatsGame);
        game.start_next_game();
    }
}

#[test]
#[should_panic(expected = "the game is over")]
fn an_ai_move_panics_when_the_game_is_over() {
    AiMove::new(&drawn("X.O/XO./X..", None), 0.0);
}

#[test]
#[should_panic(expected = "7 is not a probability from 0 to 1")]
fn an_ai_move_panics_on_a_number_above_one() {
    AiMove::new(&Game::new(), 7.0);
}

#[test]
#[should_panic(expected = "-0.1 is not a probability from 0 to 1")]
fn an_ai_move_panics_on_a_number_below_zero() {
    AiMove::new(&Game::new(), -0.1);
}

#[test]
#[should_panic(expected = "NaN is not a probability from 0 to 1")]
fn an_ai_move_panics_on_what_is_no_number() {
    AiMove::new(&Game::new(), f64::NAN);
}

#[test]
fn an_ai_move_can_be_an_error() {
    let over = drawn("XOX/XOO/OXX", None);
    assert_eq!(AiMove::try_new(&over, 0.5), Err(AiMoveError::GameOver));
    let drawn = AiMove::with_rng(&over, probability(0.5), &mut Rng::new(1));
    assert_eq!(drawn, Err(AiMoveError::GameOver));

    for value in [7.0, -0.1, f64::INFINITY] {
        let error = AiMoveError::InvalidProbability(InvalidProbability { value });
        assert_eq!(AiMove::try_new(&Game::new(), value), Err(error));
    }
    let not_a_number = AiMove::try_new(&Game::new(), f64::NAN);
    assert!(matches!(
        not_a_number,
        Err(AiMoveError::InvalidProbability(_))
    ));

    let error: Box<dyn Error> = Box::new(AiMoveError::from(InvalidProbability { value: 7.0 }));
    assert_eq!(error.to_string(), "7 is not a probability from 0 to 1");
    assert!(error.source().is_none(), "the text is there already");
    assert_eq!(AiMoveError::GameOver.to_string(), "the game is over");
}

#[test]
fn an_ai_move_has_a_debug_text() {
    let game = drawn("XOX/.O./X.O", None);
    let text = format!("{:?}", AiMove::new(&game, 0.0));
    assert_eq!(text, "AiMove { position: Position { row: 1, column: 0 } }");
}
