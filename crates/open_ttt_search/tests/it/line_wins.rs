//! Fastest wins and defences by threats, beside a search that tries everything.

use core::fmt::Debug;

use open_ttt_lib::games::Mnk;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{LineGame, Outcome, Side, TwoPlayerGame};
use open_ttt_search::{Budget, StopFlag, fastest_line_wins, line_defences};

use super::random_line_game::RandomLineGame;

/// Whether a side wins within so many plies, by trying everything.
fn wins_within<G: TwoPlayerGame>(game: &G, side: Side, plies: u32) -> bool {
    if let Some(outcome) = game.outcome() {
        return outcome == Outcome::Win(side);
    }
    let Some(left) = plies.checked_sub(1) else {
        return false;
    };
    let mut after = game.moves().map(|m| game.after(m));
    if game.to_move() == side {
        after.any(|next| wins_within(&next, side, left))
    } else {
        after.all(|next| wins_within(&next, side, left))
    }
}

/// The number of positions in which the fastest win, and the latest loss, took so many
/// plies, and those in which only one move did it.
#[derive(Debug, Default)]
struct Counts {
    wins: [u32; 8],
    losses: [u32; 8],
    only: u32,
}

fn sorted<M: Ord>(moves: impl IntoIterator<Item = M>) -> Vec<M> {
    let mut moves: Vec<_> = moves.into_iter().collect();
    moves.sort();
    moves
}

/// Compares both searches with a search that tries everything.
#[track_caller]
fn check<G: LineGame<Move: Ord> + Debug>(game: &G, max_plies: u32, counts: &mut Counts) {
    let (side, stop) = (game.to_move(), StopFlag::new());
    let found = fastest_line_wins(game, &Budget::depth(max_plies), &stop);
    let winning = |plies: u32| {
        let wins = |&m: &G::Move| wins_within(&game.after(m), side, plies - 1);
        sorted(game.moves().filter(wins))
    };
    let fastest = (1..=max_plies).map(|plies| (winning(plies), plies));
    let fastest = fastest.into_iter().find(|(moves, _)| !moves.is_empty());
    if let Some((moves, plies)) = fastest {
        assert_eq!(
            (sorted(found.moves), found.plies),
            (moves.clone(), plies),
            "{game:?}"
        );
        counts.wins[plies as usize] += 1;
        counts.only += u32::from(moves.len() == 1);
    } else {
        assert_eq!(found.moves, [], "{game:?}");
        let all = max_plies.min(game.moves().count() as u32);
        assert!(found.plies + 1 >= all, "{game:?}");
    }
    let defences = line_defences(game, &Budget::depth(max_plies - 1), &stop);
    if winning(1).is_empty() {
        let holds = |plies: u32| {
            let loses = |m: &G::Move| wins_within(&game.after(*m), !side, plies - 1);
            sorted(game.moves().filter(|m| !loses(m)))
        };
        let mut expected = sorted(game.moves());
        for plies in (2..=defences.plies).step_by(2) {
            let next = holds(plies);
            if next.is_empty() {
                assert_eq!(plies, defences.plies, "{game:?}");
                counts.losses[plies as usize] += 1;
                break;
            }
            expected = next;
        }
        assert_eq!(sorted(defences.moves), expected, "{game:?}");
    }
}

#[track_caller]
fn check_games<G: LineGame<Move: Ord> + Debug>(
    start: &G,
    games: u64,
    free: core::ops::RangeInclusive<usize>,
    max_plies: u32,
    counts: &mut Counts,
) {
    for seed in 0..games {
        let mut rng = Rng::new(seed);
        let mut game = start.clone();
        while let Some(m) = rng.pick(game.moves()) {
            if free.contains(&game.moves().count()) {
                check(&game, max_plies, counts);
            }
            game.play_unchecked(m);
        }
    }
}

#[test]
fn what_is_found_is_what_a_search_of_everything_finds() {
    let mut counts = Counts::default();
    for seed in 0..180 {
        let (places, lines, lengths) = [
            (10, 10, 3..=3),
            (11, 16, 3..=4),
            (12, 40, 4..=4),
            (9, 8, 2..=4),
        ][seed % 4]
            .clone();
        let start = RandomLineGame::new(seed as u64, places, lines, lengths);
        check_games(&start, 3, 1..=9, 7, &mut counts);
    }
    let board = Mnk::new(4, 4, 3).expect("a board");
    check_games(&board, 25, 1..=9, 7, &mut counts);
    let board = Mnk::new(5, 5, 4).expect("a board");
    check_games(&board, 30, 1..=9, 7, &mut counts);
    check_games(&board, 6, 10..=16, 5, &mut counts);
    let Counts { wins, losses, only } = &counts;
    assert!(
        [1, 3, 5, 7].iter().all(|&plies| wins[plies] > 30),
        "{counts:?}"
    );
    assert!(
        [2, 4, 6].iter().all(|&plies| losses[plies] > 15),
        "{counts:?}"
    );
    assert!(*only > 300, "{counts:?}");
}

#[test]
fn a_spent_budget_claims_nothing() {
    let mut game = Mnk::default();
    let mut rng = Rng::new(1);
    for _ in 0..6 {
        game.play_unchecked(rng.pick(game.moves()).expect("a move"));
    }
    let stop = StopFlag::new();
    stop.raise();
    let found = fastest_line_wins(&game, &Budget::depth(7), &stop);
    assert!(found.moves.is_empty() && found.plies <= 1, "{found:?}");
    let defences = line_defences(&game, &Budget::depth(6), &stop);
    assert_eq!(
        (defences.moves.len(), defences.plies),
        (game.moves().count(), 0)
    );
}

/// Nothing is known of a board that is too large: neither a win nor a loss.
#[test]
fn a_board_of_too_many_cells_is_not_searched() {
    let game = RandomLineGame::new(1, 400, 20, 3..=5);
    let (budget, stop) = (Budget::depth(7), StopFlag::new());
    let wins = fastest_line_wins(&game, &budget, &stop);
    assert_eq!((wins.moves.len(), wins.plies, wins.nodes), (0, 0, 0));
    let defences = line_defences(&game, &budget, &stop);
    assert_eq!((defences.moves.len(), defences.plies), (400, 0));
}
