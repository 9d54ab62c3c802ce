//! The prover against plain search and against the solution of a whole game.

use std::num::NonZero;

use crate::positions::reachable;
use crate::reference::check_principal_variation;
use crate::unfinished::unfinished;
use open_ttt_lib::games::{ConnectFour, Quarto, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Dihedral, Symmetry, Tactics, TwoPlayerGame, play_text};
use open_ttt_search::{
    Budget, Prover, RootMoves, Score, SearchResult, StopFlag, WinLoss, deepen, solve,
};

fn prove<G: Tactics + Sync>(prover: &mut Prover<G>, game: &G) -> SearchResult<G::Move> {
    prover
        .analyze(game, &Budget::UNLIMITED, &StopFlag::new())
        .unwrap()
}

#[test]
fn every_position_of_tic_tac_toe_is_proved() {
    let start = TicTacToe::new();
    let solution = solve(&start, &WinLoss, usize::MAX, &StopFlag::new()).unwrap();
    let mut prover = Prover::new(1 << 20);
    let positions = reachable(&start);
    assert_eq!(positions.len(), 5_478);
    for game in positions {
        // With the table of the previous proof, and with an empty one.
        for _ in 0..2 {
            let proved = prove(&mut prover, &game);
            let solved = solution.analyze(&game).unwrap();
            assert_eq!(proved.score, solved.score, "{game:?}");
            assert_eq!(proved.best, solved.best, "{game:?}");
            check_principal_variation(&game, &proved, &WinLoss);
            for ((m, bound), (same, exact)) in sorted(&proved).zip(sorted(&solved)) {
                assert_eq!(m, same);
                assert!(bound >= exact, "{bound:?} for {exact:?}: {game:?}");
            }
            prover.clear();
        }
    }
}

fn sorted<M: Copy + Ord>(result: &SearchResult<M>) -> impl Iterator<Item = (M, Score)> + use<M> {
    let mut moves = result.moves.clone();
    moves.sort_by_key(|&(m, _)| m);
    moves.into_iter()
}

#[test]
fn late_positions_of_connect_four_have_the_scores_of_plain_search() {
    let mut rng = Rng::new(1);
    let mut prover = Prover::new(1 << 16);
    let (mut unfinished, mut decided) = (0, 0);
    while unfinished < 400 {
        let mut game = ConnectFour::new();
        let plies = 26 + rng.below(15) as u32;
        while game.plies() < plies
            && let Some(m) = rng.pick(game.moves())
        {
            game.play_unchecked(m);
        }
        let stop = StopFlag::new();
        let searched = deepen(
            &game,
            RootMoves::BestOnly,
            &WinLoss,
            &Budget::UNLIMITED,
            &stop,
        );
        let proved = prove(&mut prover, &game);
        assert_eq!(proved.score, searched.score, "{game:?}");
        assert_eq!(proved.best, searched.best, "{game:?}");
        check_principal_variation(&game, &proved, &WinLoss);
        let (score, _) = prover.score(&game, &Budget::UNLIMITED, &stop).unwrap();
        assert_eq!(score, searched.score, "{game:?}");
        unfinished += u32::from(game.outcome().is_none());
        decided += u32::from(game.outcome().is_none() && score.plies().is_some());
    }
    assert!(decided > 100, "only {decided} were won or lost");
}

/// Twelve or more pieces are on the board.
#[test]
fn late_positions_of_quarto_have_the_scores_of_plain_search() {
    let mut prover = Prover::new(1 << 16);
    let mut decided = 0;
    for plies in 13..17 {
        for game in unfinished(&Quarto::new(), plies, 40) {
            let unlimited = Budget::UNLIMITED;
            let stop = StopFlag::new();
            let searched = deepen(&game, RootMoves::BestOnly, &WinLoss, &unlimited, &stop);
            let proved = prove(&mut prover, &game);
            assert_eq!(proved.score, searched.score, "{game:?}");
            assert_eq!(proved.best, searched.best, "{game:?}");
            check_principal_variation(&game, &proved, &WinLoss);
            decided += u32::from(proved.score.plies().is_some());
        }
    }
    assert!(decided > 50, "only {decided} were won or lost");
}

#[test]
fn mirror_images_have_the_same_score() {
    let mut rng = Rng::new(2);
    for _ in 0..50 {
        let game = random_position(&mut rng, 20);
        let mirrored = game.image(Dihedral::MirrorColumns);
        // Each with its own table.
        let result = prove(&mut Prover::new(1 << 22), &game);
        let same = prove(&mut Prover::new(1 << 22), &mirrored);
        assert_eq!(result.score, same.score, "{game:?}");
        let mirror = |&m| game.move_image(m, Dihedral::MirrorColumns);
        let mut best: Vec<_> = result.best.iter().map(mirror).collect();
        best.sort();
        assert_eq!(best, same.best, "{game:?}");
        check_principal_variation(&game, &result, &WinLoss);
    }
}

/// An unfinished position after this many random moves.
fn random_position(rng: &mut Rng, plies: usize) -> ConnectFour {
    loop {
        let mut game = ConnectFour::new();
        for _ in 0..plies {
            if let Some(m) = rng.pick(game.moves()) {
                game.play_unchecked(m);
            }
        }
        if game.outcome().is_none() {
            break game;
        }
    }
}

#[test]
fn threads_change_neither_score_nor_best_moves() {
    let mut rng = Rng::new(3);
    let threads = |count| NonZero::new(count).unwrap();
    let (mut hard, mut shared) = (0, 0);
    while hard < 3 {
        let game = random_position(&mut rng, 12);
        let alone = prove(&mut Prover::new(1 << 24), &game);
        if alone.nodes < 300_000 {
            continue;
        }
        hard += 1;
        for (count, bytes) in [(2, 1 << 24), (3, 1 << 16), (5, 1 << 20)] {
            let mut prover = Prover::new(bytes).with_threads(threads(count));
            let together = prove(&mut prover, &game);
            assert_eq!(together.score, alone.score, "{count} threads: {game:?}");
            assert_eq!(together.best, alone.best, "{count} threads: {game:?}");
            check_principal_variation(&game, &together, &WinLoss);
            shared += u32::from(together.nodes != alone.nodes);
        }
    }
    assert!(shared > 3, "only {shared} used more than one thread");
}

#[test]
fn one_thread_is_reproducible() {
    let game = random_position(&mut Rng::new(4), 14);
    let first = prove(&mut Prover::new(1 << 16), &game);
    assert_eq!(prove(&mut Prover::new(1 << 16), &game), first);
    let mut prover = Prover::new(1 << 16);
    prove(&mut prover, &random_position(&mut Rng::new(5), 14));
    prover.clear();
    assert_eq!(prove(&mut prover, &game), first);
}

#[test]
fn a_best_move_is_one_of_the_best_moves() {
    let mut rng = Rng::new(6);
    for _ in 0..50 {
        let game = random_position(&mut rng, 20);
        let mut prover = Prover::new(1 << 20);
        let stop = StopFlag::new();
        let result = prove(&mut prover, &game);
        let (m, score) = prover.best_move(&game, &Budget::UNLIMITED, &stop).unwrap();
        assert_eq!(score, result.score);
        assert!(result.best.contains(&m), "{m:?}: {game:?}");
    }
    let mut won = ConnectFour::new();
    play_text(&mut won, "4141414").unwrap();
    let over = Prover::new(0).best_move(&won, &Budget::UNLIMITED, &StopFlag::new());
    assert_eq!(over, None);
}

#[test]
fn a_proof_without_budget_returns_none() {
    let game = ConnectFour::new();
    let mut prover = Prover::new(0);
    let stop = StopFlag::new();
    for nodes in [0, 1, 100] {
        let budget = Budget::nodes(nodes);
        assert_eq!(prover.score(&game, &budget, &stop), None);
        assert!(prover.analyze(&game, &budget, &stop).is_none());
    }
    let raised = StopFlag::new();
    raised.raise();
    assert!(prover.analyze(&game, &Budget::UNLIMITED, &raised).is_none());
    // A finished game needs no budget.
    let mut won = ConnectFour::new();
    play_text(&mut won, "4141414").unwrap();
    let result = prover.analyze(&won, &Budget::nodes(0), &stop).unwrap();
    assert_eq!(result.score, Score::loss_in(0));
    assert!(result.best.is_empty() && result.principal_variation.is_empty() && result.proved);
}

#[test]
fn a_small_table_costs_nodes_and_no_correctness() {
    let mut game = ConnectFour::new();
    play_text(&mut game, "44444 2226 2255 11").unwrap();
    let stop = StopFlag::new();
    let mut small = Prover::new(0);
    let mut large = Prover::new(1 << 24);
    let (score, nodes) = small.score(&game, &Budget::UNLIMITED, &stop).unwrap();
    let (same, fewer) = large.score(&game, &Budget::UNLIMITED, &stop).unwrap();
    assert_eq!(score, same);
    assert!(fewer < nodes, "{fewer} {nodes}");
    // The table makes the second proof fast.
    let (again, few) = large.score(&game, &Budget::UNLIMITED, &stop).unwrap();
    assert_eq!(again, score);
    assert!(few * 10 < fewer, "{few} {fewer}");
}
