//! The opening book of Connect Four.

use std::collections::HashSet;

use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    CompactKey, Dihedral, Notation, OpeningBook, Outcome, Symmetry, Tactics, TwoPlayerGame,
};
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

/// The positions of the first plies without mirror images, by plies.
fn layers() -> Vec<HashSet<ConnectFour>> {
    let mut layers = vec![HashSet::from([ConnectFour::new()])];
    for ply in 0..ConnectFour::BOOK_PLIES as usize {
        let unfinished = layers[ply].iter().filter(|game| game.outcome().is_none());
        layers.push(unfinished.flat_map(children).collect());
    }
    layers
}

/// The positions of the book that aren't won at once, with their scores.
fn openings() -> Vec<(ConnectFour, Score)> {
    let all = layers().into_iter().flatten();
    let mut openings: Vec<_> = all
        .filter(|game| game.outcome().is_none() && !game.wins_at_once())
        .filter_map(|game| Some((game, known(&game)?)))
        .collect();
    openings.sort_unstable_by_key(|(game, _)| game.key());
    openings
}

/// John Tromp's counts (OEIS A212693).
#[test]
fn the_positions_are_counted_as_published() {
    let with_images = |layer: &HashSet<ConnectFour>| {
        let images = |game: &ConnectFour| {
            let image = game.image(Dihedral::MirrorColumns);
            1 + usize::from(image != *game)
        };
        layer.iter().map(images).sum::<usize>()
    };
    let counts: Vec<_> = layers().iter().map(with_images).collect();
    let published = [
        1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275, 558_186,
    ];
    assert_eq!(counts, published);
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
    // Every position that isn't won at once, mirror images left out.
    assert_eq!(openings.len(), 353_893);
    for (game, score) in &openings {
        if game.plies() == ConnectFour::BOOK_PLIES {
            continue;
        }
        let worth = children(game).map(|child| known(&child).map(before));
        let worth: Option<Vec<_>> = worth.collect();
        let best = worth.and_then(|worth| worth.into_iter().max());
        assert_eq!(best, Some(*score), "{game:?}");
    }
}

#[test]
fn an_analysis_with_the_book_is_quick() {
    let mut game = ConnectFour::new();
    let mut prover = Prover::new(1 << 22).with_book();
    let result = prover.analyze(&game, &Budget::UNLIMITED, &StopFlag::new());
    let result = result.expect("no limit");
    assert_eq!((result.score, result.depth), (Score::win_in(41), 41));
    let [best] = result.best[..] else {
        panic!("one move wins: {:?}", result.best);
    };
    assert_eq!(game.move_text(best), "4");
    // Without a limit the principal variation takes ten million nodes.
    assert!(result.nodes < 300_000, "{}", result.nodes);
    assert!(result.principal_variation.len() >= 8);
    let mut plies = 41;
    for m in result.principal_variation {
        game.play(m).expect("a legal move");
        plies -= 1;
        let score = known(&game).and_then(Score::plies);
        assert!(score.is_none_or(|left| left == plies), "{game:?}");
    }
}

#[test]
fn late_positions_are_proved_again() {
    let mut late = openings();
    late.retain(|(game, _)| game.plies() == ConnectFour::BOOK_PLIES);
    let mut rng = Rng::new(1);
    let mut prover = Prover::new(1 << 26);
    for _ in 0..40 {
        let (game, score) = late[rng.below(late.len())];
        let proved = prover.score(&game, &Budget::UNLIMITED, &StopFlag::new());
        assert_eq!(proved.map(|(score, _)| score), Some(score), "{game:?}");
    }
}
