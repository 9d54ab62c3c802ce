//! Every figure, every member and every promise of the design document.

mod ai_move;
mod board;
mod game;
mod restoring;
mod values;

use std::collections::{HashMap, HashSet};

use open_ttt_lib::random::{Probability, Rng};
use open_ttt_lib::tic_tac_toe::{AiMove, Board, Game, GameState, Owner, Position, VictorySets};

fn at(row: i32, column: i32) -> Position {
    Position { row, column }
}

/// The game after these moves.
fn played(moves: impl IntoIterator<Item = (i32, i32)>) -> Game {
    let mut game = Game::new();
    for position in moves {
        game.do_move(position.into());
    }
    game
}

/// A game begun by X that leads to a picture like `XO./.X./..O`, with `last`
/// as its last move.
fn drawn(picture: &str, last: Option<(i32, i32)>) -> Game {
    let squares = || {
        let rows = picture.split('/').zip(0..);
        rows.flat_map(|(text, row)| {
            text.chars()
                .zip(0..)
                .map(move |(c, column)| (c, (row, column)))
        })
    };
    let of = |mark| {
        squares()
            .filter(move |&(c, position)| c == mark && Some(position) != last)
            .map(|(_, position)| position)
    };
    let (mut xs, mut os) = (of('X'), of('O'));
    let mut game = Game::new();
    while let Some(position) = match game.state() {
        GameState::PlayerXMove => xs.next(),
        _ => os.next(),
    } {
        game.do_move(position.into());
    }
    if let Some(last) = last {
        game.do_move(last.into());
    }
    assert_eq!(picture_of(game.board()), picture);
    game
}

fn picture_of(board: &Board) -> String {
    let text: String = board
        .iter()
        .map(|square| match square.owner {
            Owner::PlayerX => 'X',
            Owner::PlayerO => 'O',
            Owner::None => '.',
        })
        .collect();
    format!("{}/{}/{}", &text[..3], &text[3..6], &text[6..])
}

/// The positions of each line, after a look at the squares' owners.
#[track_caller]
fn lines(sets: VictorySets, winner: Owner) -> Vec<[(i32, i32); 3]> {
    sets.map(|squares| {
        assert!(squares.iter().all(|square| square.owner == winner));
        squares.map(|square| square.position.into())
    })
    .collect()
}

/// Every position a game can reach from here, once.
fn every_position(start: Game) -> HashSet<Game> {
    let mut found = HashSet::new();
    let mut waiting = vec![start];
    while let Some(game) = waiting.pop() {
        if !found.insert(game.clone()) {
            continue;
        }
        for square in game.board().free_squares() {
            let mut next = game.clone();
            if next.try_move(square.position).is_ok() {
                waiting.push(next);
            }
        }
    }
    found
}

/// How often the computer chooses each square.
fn choices(game: &Game, mistakes: f64, draws: u32, seed: u64) -> HashMap<Position, u32> {
    let mistakes = Probability::new(mistakes).unwrap();
    let mut rng = Rng::new(seed);
    let mut counts = HashMap::new();
    for _ in 0..draws {
        let ai_move = AiMove::with_rng(game, mistakes, &mut rng).unwrap();
        assert!(game.can_move(ai_move.position()));
        *counts.entry(ai_move.position()).or_default() += 1;
    }
    counts
}

fn unfinished(game: &Game) -> bool {
    !game.state().is_game_over()
}
