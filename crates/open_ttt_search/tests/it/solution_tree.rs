//! Solution trees, played to the end of the game against every reply.

use std::collections::{HashMap, HashSet};

use open_ttt_lib::games::Mnk;
use open_ttt_lib::rules::{LineGame, Outcome, Side, Symmetry, TwoPlayerGame};
use open_ttt_search::{Budget, ProofNumberSearch, SolutionTree, StopFlag, forced_move};

/// Plays the moves of a tree and everything against them, until X has won.
#[track_caller]
fn check(start: &Mnk, tree: &SolutionTree<Mnk>) {
    let mut moves = HashMap::new();
    for (game, m) in tree.moves() {
        for &symmetry in game.symmetries() {
            moves.insert(game.image(symmetry), game.move_image(m, symmetry));
        }
    }
    let mut seen = HashSet::new();
    let mut open = vec![*start];
    while let Some(game) = open.pop() {
        assert_eq!(game.to_move(), Side::First);
        let forced = || forced_move(&game, &StopFlag::new());
        let known = moves.get(&game).copied().or_else(forced);
        let after = game.after(known.unwrap_or_else(|| must_block(&game)));
        if after.outcome() == Some(Outcome::Win(Side::First)) {
            continue;
        }
        for reply in after.moves() {
            let later = after.after(reply);
            assert_eq!(later.outcome(), None, "{later:?}");
            if seen.insert(later) {
                open.push(later);
            }
        }
    }
    assert!(seen.len() > 100, "{}", seen.len());
}

/// The move without which the opponent wins with its next one.
fn must_block(game: &Mnk) -> <Mnk as TwoPlayerGame>::Move {
    let lines = game.winning_lines();
    let is_five = |line: &&Vec<_>| {
        let owners = line.iter().map(|&cell| game.owner_of(cell));
        let owned = owners.filter(|&owner| owner == Some(Side::Second));
        owned.count() + 1 == line.len() && line.iter().any(|&m| game.check(m).is_ok())
    };
    let five = lines.iter().find(is_five).expect("a five to block");
    five.iter()
        .copied()
        .find(|&m| game.check(m).is_ok())
        .unwrap()
}

#[test]
fn every_reply_to_a_tree_loses() {
    for (columns, rows, length) in [(4, 3, 3), (6, 5, 4), (6, 6, 4)] {
        let start = Mnk::new(columns, rows, length).unwrap();
        let mut tree = SolutionTree::new(start).unwrap();
        let mut proofs = ProofNumberSearch::new(1 << 24);
        let never = StopFlag::new();
        let solved = tree.solve(&start, &mut proofs, &never, |_| {});
        assert_eq!(solved, Some(true));
        check(&start, &tree);
        let size = tree.moves().len();
        assert!(tree.reduce(&start, 20, &never, |_, _| {}));
        check(&start, &tree);
        assert!(tree.moves().len() <= size);
        assert_eq!(size > 0, length == 4, "{size}");
    }
}

#[test]
fn a_chosen_move_is_played_if_it_wins() {
    let start = Mnk::new(6, 5, 4).unwrap();
    let mut proofs = ProofNumberSearch::new(1 << 24);
    let never = StopFlag::new();
    let wins = proofs.wins_by_move(&start, Side::First, &Budget::default(), &never, |_| {});
    for (m, wins) in wins {
        let mut tree = SolutionTree::new(start).unwrap();
        tree.set_move(&start, m);
        assert_eq!(tree.solve(&start, &mut proofs, &never, |_| {}), wins);
        if wins == Some(true) {
            let moves = tree.moves();
            let chosen = moves.iter().find(|(game, _)| *game == start);
            assert_eq!(chosen.map(|&(_, m)| m), Some(m));
        }
    }
}

#[test]
fn draws_and_raised_flags_have_no_tree() {
    let draw = Mnk::new(3, 3, 3).unwrap();
    let mut tree = SolutionTree::new(draw).unwrap();
    let mut proofs = ProofNumberSearch::new(1 << 16);
    let flag = StopFlag::new();
    assert_eq!(tree.solve(&draw, &mut proofs, &flag, |_| {}), Some(false));
    assert!(tree.moves().is_empty());
    flag.raise();
    let mut tree = SolutionTree::new(Mnk::new(6, 5, 4).unwrap()).unwrap();
    let start = Mnk::new(6, 5, 4).unwrap();
    assert_eq!(tree.solve(&start, &mut proofs, &flag, |_| {}), None);
    assert!(SolutionTree::new(Mnk::new(9, 9, 5).unwrap()).is_none());
    let later = start.after(start.moves().next().unwrap());
    assert!(SolutionTree::new(later).is_none());
}
