//! The opening book of Connect Four.

use std::collections::HashMap;

use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{OpeningBook, Outcome, Side, Symmetry, Tactics, TwoPlayerGame};
use open_ttt_search::{Budget, Prover, Score, StopFlag};

/// The score of a position in the book or with a win in one move.
fn known(game: &ConnectFour) -> Option<Score> {
    if game.wins_at_once() {
        return Some(Score::win_in(1));
    }
    let (outcome, plies) = game.book_value()?;
    Some(match outcome {
        Outcome::Draw => Score::DRAW,
        Outcome::Win(side) if side == game.to_move() => Score::win_in(plies),
        Outcome::Win(_) => Score::loss_in(plies),
    })
}

/// The score for the side that moved to this position.
fn before(score: Score) -> Score {
    match score.plies() {
        None => Score::DRAW,
        Some(plies) if score > Score::DRAW => Score::loss_in(plies + 1),
        Some(plies) => Score::win_in(plies + 1),
    }
}

fn children(game: &ConnectFour) -> impl Iterator<Item = ConnectFour> {
    game.moves().map(|m| game.after(m).canonical())
}

/// The positions of the book with their scores, in breadth-first order.
fn openings() -> Vec<(ConnectFour, Score)> {
    let mut found = HashMap::from([(ConnectFour::new(), known(&ConnectFour::new()).unwrap())]);
    let mut openings: Vec<_> = found.iter().map(|(&game, &score)| (game, score)).collect();
    let mut at = 0;
    while let Some(&(game, _)) = openings.get(at) {
        at += 1;
        for child in children(&game) {
            if let Some(score) = known(&child)
                && !child.wins_at_once()
                && found.insert(child, score).is_none()
            {
                openings.push((child, score));
            }
        }
    }
    openings
}

/// Victor Allis, "A knowledge-based approach of Connect-Four", 1988, and for
/// the number of plies John Tromp's solution of 1995.
#[test]
fn the_first_moves_have_the_published_values() {
    let worth: Vec<_> = ConnectFour::new()
        .moves()
        .map(|m| known(&ConnectFour::new().after(m)).map(before))
        .collect();
    let half = [Score::loss_in(40), Score::loss_in(42), Score::DRAW];
    let all = half
        .into_iter()
        .chain([Score::win_in(41)])
        .chain(half.into_iter().rev());
    assert_eq!(worth, all.map(Some).collect::<Vec<_>>());
}

#[test]
fn the_score_of_a_position_is_that_of_its_best_move() {
    let openings = openings();
    let mut complete = 0;
    for (game, score) in &openings {
        let worth: Vec<_> = children(game)
            .map(|child| known(&child).map(before))
            .collect();
        let best = worth.iter().copied().flatten().max();
        assert!(best <= Some(*score), "{game:?}");
        if worth.iter().all(Option::is_some) {
            assert_eq!(best, Some(*score), "{game:?}");
            complete += 1;
        }
    }
    assert!(complete > 400, "{complete} of {}", openings.len());
}

#[test]
fn a_perfect_player_stays_in_the_book() {
    for seat in Side::BOTH {
        let mut layer = vec![ConnectFour::new()];
        for ply in 0..8 {
            let mut next = Vec::new();
            for game in layer {
                let Some(worth) = known(&game) else {
                    panic!("{game:?}, after {ply} plies against the {seat:?} player");
                };
                if game.to_move() == seat {
                    let keeps = |child: &ConnectFour| known(child).map(before) == Some(worth);
                    next.extend(children(&game).find(keeps));
                } else {
                    next.extend(children(&game));
                }
            }
            next.sort_unstable_by_key(|game| format!("{game:?}"));
            next.dedup();
            layer = next;
            assert!(!layer.is_empty());
        }
    }
}

#[test]
fn late_positions_are_proved_again() {
    let mut late = openings();
    late.retain(|(game, _)| game.plies_left() <= 34);
    let mut rng = Rng::new(1);
    let mut prover = Prover::new(1 << 26);
    for _ in 0..5 {
        let (game, score) = late[rng.below(late.len())];
        let proved = prover.score(&game, &Budget::UNLIMITED, &StopFlag::new());
        assert_eq!(proved.map(|(score, _)| score), Some(score), "{game:?}");
    }
}
