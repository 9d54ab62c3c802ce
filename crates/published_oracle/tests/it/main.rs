//! The rules against those of the published crate, in all positions.

use std::collections::{HashMap, HashSet};

use open_ttt_lib::tic_tac_toe::{BestOutcome, Game, GameState, Owner, Position, VictorySets};
use published::ai::{Difficulty, Opponent, Outcome};
use published::game::State;
use published_oracle::{Beginner, Pair, positions, theirs};

/// The squares of all lines, as the published crate has them.
fn squares(sets: VictorySets) -> HashSet<published::board::Position> {
    sets.flatten()
        .map(|square| theirs(square.position))
        .collect()
}

fn same_state(ours: GameState, other: &State) -> bool {
    match (ours, other) {
        (GameState::PlayerXMove, State::PlayerXMove)
        | (GameState::PlayerOMove, State::PlayerOMove)
        | (GameState::CatsGame, State::CatsGame) => true,
        (GameState::PlayerXWin(sets), State::PlayerXWin(positions))
        | (GameState::PlayerOWin(sets), State::PlayerOWin(positions)) => {
            squares(sets) == *positions
        }
        _ => false,
    }
}

fn same_owner(ours: Owner, other: Option<published::board::Owner>) -> bool {
    use published::board::Owner as Other;
    matches!(
        (ours, other),
        (Owner::PlayerX, Some(Other::PlayerX))
            | (Owner::PlayerO, Some(Other::PlayerO))
            | (Owner::None, Some(Other::None))
    )
}

fn check(pair: &Pair) {
    let Pair {
        ours,
        theirs: other,
    } = pair;
    assert!(same_state(ours.state(), &other.state()), "{}", ours.board());
    assert_eq!(ours.state().is_game_over(), other.state().is_game_over());

    let free = ours.board().free_squares();
    let free: HashSet<_> = free.map(|square| theirs(square.position)).collect();
    let playable: HashSet<_> = other.free_positions().collect();
    if !ours.state().is_game_over() {
        assert_eq!(free, playable, "{}", ours.board());
    }
    for place in (-1..4).flat_map(|row| (-1..4).map(move |column| Position { row, column })) {
        assert_eq!(ours.can_move(place), other.can_move(theirs(place)));
        let owner = other.board().get(theirs(place));
        match ours.board().try_get(place) {
            Some(square) => assert!(same_owner(square.owner, owner), "{}", ours.board()),
            None => assert_eq!(owner, None),
        }
    }
}

#[test]
fn all_positions_are_judged_alike() {
    for begun_by in [Beginner::PlayerX, Beginner::PlayerO] {
        let pairs = positions(begun_by, 9);
        assert_eq!(pairs.len(), 5_478);
        for pair in &pairs {
            check(pair);
        }
    }
}

#[test]
fn the_next_game_begins_alike() {
    let mut pair = Pair::new(Beginner::PlayerX);
    for round in 0..4 {
        check(&pair);
        if round % 2 == 1 {
            pair = pair.after(Position { row: 1, column: 1 });
            check(&pair);
        }
        pair.ours.start_next_game();
        pair.theirs.start_next_game();
    }
}

/// The published opponent's judgement of each move, where its search is short.
#[test]
fn the_outcomes_are_judged_alike() {
    let opponent = Opponent::new(Difficulty::Unbeatable);
    let pairs = positions(Beginner::PlayerX, 9);
    let late = pairs.iter().filter(|pair| {
        let free = pair.ours.board().free_squares().count();
        free <= 6 && !pair.ours.state().is_game_over()
    });
    for pair in late {
        let outcomes = opponent.evaluate_game(&pair.theirs);
        let values = pair.ours.square_values();
        let found: HashMap<_, _> = values
            .iter()
            .map(|value| (theirs(value.position), value.outcome))
            .collect();
        let expected: HashMap<_, _> = outcomes
            .iter()
            .map(|(&position, outcome)| {
                let outcome = match outcome {
                    Outcome::Win => BestOutcome::Win,
                    Outcome::CatsGame => BestOutcome::CatsGame,
                    Outcome::Loss => BestOutcome::Loss,
                    Outcome::Unknown => panic!("an unbeatable opponent knows every outcome"),
                };
                (position, outcome)
            })
            .collect();
        assert_eq!(found, expected, "{}", pair.ours.board());
        let best = expected.values().max();
        for chosen in chosen_moves(&pair.ours) {
            assert_eq!(expected.get(&chosen), best, "{}", pair.ours.board());
        }
    }
}

/// The moves that the computer chooses.
fn chosen_moves(game: &Game) -> HashSet<published::board::Position> {
    use open_ttt_lib::random::{Probability, Rng};
    use open_ttt_lib::tic_tac_toe::AiMove;

    let mut rng = Rng::new(1);
    let draws = 0..200;
    draws
        .filter_map(|_| AiMove::with_rng(game, Probability::NEVER, &mut rng).ok())
        .map(|ai_move| theirs(ai_move.position()))
        .collect()
}
