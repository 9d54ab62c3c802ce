//! The values of squares, compared with a plain search.

use std::collections::HashMap;

use open_ttt_lib::tic_tac_toe::{BestOutcome, Game, GameState};

use super::{every_position, played};

/// What a game is worth to the player to move, or who would be next: positive for
/// a win, and the larger the sooner.
///
/// A win after n moves is 100 - n, a loss n - 100, a cat's game 0.
fn score(game: &Game, known: &mut HashMap<Game, i32>) -> i32 {
    if let Some(&score) = known.get(game) {
        return score;
    }
    let found = match game.state() {
        GameState::CatsGame => 0,
        // The player who would be next has lost.
        GameState::PlayerXWin(_) | GameState::PlayerOWin(_) => -100,
        GameState::PlayerXMove | GameState::PlayerOMove => {
            let free = game.board().free_squares();
            let scores = free.map(|square| {
                let mut next = game.clone();
                next.do_move(square.position);
                later(-score(&next, known))
            });
            scores.max().expect("a free square")
        }
    };
    known.insert(game.clone(), found);
    found
}

/// A score one move earlier.
fn later(score: i32) -> i32 {
    score - score.signum()
}

#[test]
fn every_square_of_every_position() {
    let mut known = HashMap::new();
    let mut second = Game::new();
    second.start_next_game();
    let (mut squares, mut longest_win) = (0, 0);
    for start in [Game::new(), second] {
        for game in every_position(start) {
            let free = game.board().free_squares().map(|square| square.position);
            let expected = free
                .filter(|_| !game.state().is_game_over())
                .map(|position| {
                    let mut next = game.clone();
                    next.do_move(position);
                    let score = later(-score(&next, &mut known));
                    let left = game.board().free_squares().count() as u32;
                    match score {
                        1.. => (position, BestOutcome::Win, 100 - score as u32),
                        0 => (position, BestOutcome::CatsGame, left),
                        _ => (position, BestOutcome::Loss, (100 + score) as u32),
                    }
                });
            let expected: Vec<_> = expected.collect();
            let values = game.square_values();
            let found: Vec<_> = values
                .iter()
                .map(|value| (value.position, value.outcome, value.plies))
                .collect();
            assert_eq!(found, expected, "{}", game.board());
            squares += found.len();
            let wins = values
                .iter()
                .filter(|value| value.outcome == BestOutcome::Win);
            longest_win = longest_win.max(wins.map(|value| value.plies).max().unwrap_or(0));
        }
    }
    // The legal moves of the 4,520 unfinished positions, for either player to begin.
    assert_eq!(squares, 2 * 16_167);
    assert!(longest_win > 3, "{longest_win}");
}

#[test]
fn a_finished_game_has_no_values() {
    let won = played([(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]);
    assert_eq!(won.square_values(), []);
}

#[test]
fn outcomes_are_ordered_from_worst_to_best() {
    assert!(BestOutcome::Loss < BestOutcome::CatsGame);
    assert!(BestOutcome::CatsGame < BestOutcome::Win);
}
