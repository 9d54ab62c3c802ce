//! The prover against plain search, against the solution of a whole game and
//! against values known from elsewhere.

use std::num::NonZero;

use open_ttt_lib::games::{ConnectFour, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Dihedral, Outcome, Symmetry, Tactics, TwoPlayerGame, play_text};
use open_ttt_search::{Answer, Budget, Prover, RootMoves, Score, StopFlag, WinLoss, deepen, solve};

fn prove<G: Tactics + Sync>(prover: &mut Prover<G>, game: &G) -> Answer<G::Move> {
    prover
        .answer(game, &Budget::UNLIMITED, &StopFlag::new())
        .unwrap()
}

/// The line is legal, as long as the score says, and ends as it says.
#[track_caller]
fn check_line<G: TwoPlayerGame>(game: &G, answer: &Answer<G::Move>) {
    let mut at = game.clone();
    for &m in &answer.line {
        at.play(m).unwrap_or_else(|_| panic!("{m:?} is illegal"));
    }
    let outcome = at.outcome().expect("the line goes to the end");
    let plies = answer.line.len() as u32;
    let expected = match outcome {
        Outcome::Win(side) if side == game.to_move() => Score::win_in(plies),
        Outcome::Win(_) => Score::loss_in(plies),
        Outcome::Draw => Score::DRAW,
    };
    assert_eq!(answer.score, expected);
}

#[test]
fn every_position_of_tic_tac_toe() {
    let start = TicTacToe::new();
    let solution = solve(&start, &WinLoss, usize::MAX).unwrap();
    let mut prover = Prover::new(1 << 20);
    let mut waiting = vec![start];
    let mut seen = std::collections::HashSet::new();
    while let Some(game) = waiting.pop() {
        if !seen.insert(game) {
            continue;
        }
        waiting.extend(game.moves().map(|m| game.after(m)));
        // With what earlier proofs have left in the table, and without.
        for _ in 0..2 {
            let proved = prove(&mut prover, &game);
            let solved = solution.answer(&game).unwrap();
            assert_eq!(proved.score, solved.score, "{game:?}");
            assert_eq!(proved.best, solved.best, "{game:?}");
            check_line(&game, &proved);
            for ((m, limit), (same, exact)) in sorted(&proved).zip(sorted(&solved)) {
                assert_eq!(m, same);
                assert!(limit >= exact, "{limit:?} limits {exact:?}: {game:?}");
            }
            prover.forget();
        }
    }
    assert_eq!(seen.len(), 5_478);
}

fn sorted<M: Copy + Ord>(answer: &Answer<M>) -> impl Iterator<Item = (M, Score)> + use<M> {
    let mut moves = answer.moves.clone();
    moves.sort_by_key(|&(m, _)| m);
    moves.into_iter()
}

#[test]
fn late_positions_of_connect_four_as_plain_search_has_them() {
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
        check_line(&game, &proved);
        let (score, _) = prover.score(&game, &Budget::UNLIMITED, &stop).unwrap();
        assert_eq!(score, searched.score, "{game:?}");
        unfinished += u32::from(game.outcome().is_none());
        decided += u32::from(game.outcome().is_none() && score.plies().is_some());
    }
    assert!(decided > 100, "only {decided} were won or lost");
}

#[test]
fn mirror_images_are_worth_the_same() {
    let mut rng = Rng::new(2);
    for _ in 0..50 {
        let game = random_position(&mut rng, 20);
        let mirrored = game.image(Dihedral::MirrorColumns);
        // Each with a table of its own.
        let answer = prove(&mut Prover::new(1 << 22), &game);
        let same = prove(&mut Prover::new(1 << 22), &mirrored);
        assert_eq!(answer.score, same.score, "{game:?}");
        let carry = |&m| game.move_image(m, Dihedral::MirrorColumns);
        let mut carried: Vec<_> = answer.best.iter().map(carry).collect();
        carried.sort();
        assert_eq!(carried, same.best, "{game:?}");
        check_line(&game, &answer);
    }
}

/// A position after so many random moves that is not over.
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
            check_line(&game, &together);
            shared += u32::from(together.nodes != alone.nodes);
        }
    }
    assert!(
        shared > 3,
        "only {shared} were work for more than one thread"
    );
}

#[test]
fn one_thread_takes_the_same_way_each_time() {
    let game = random_position(&mut Rng::new(4), 14);
    let first = prove(&mut Prover::new(1 << 16), &game);
    assert_eq!(prove(&mut Prover::new(1 << 16), &game), first);
    let mut prover = Prover::new(1 << 16);
    prove(&mut prover, &random_position(&mut Rng::new(5), 14));
    prover.forget();
    assert_eq!(prove(&mut prover, &game), first);
}

#[test]
fn one_best_move_is_among_all_of_them() {
    let mut rng = Rng::new(6);
    for _ in 0..50 {
        let game = random_position(&mut rng, 20);
        let mut prover = Prover::new(1 << 20);
        let stop = StopFlag::new();
        let answer = prove(&mut prover, &game);
        let (m, score) = prover.best_move(&game, &Budget::UNLIMITED, &stop).unwrap();
        assert_eq!(score, answer.score);
        assert!(answer.best.contains(&m), "{m:?}: {game:?}");
    }
    let mut won = ConnectFour::new();
    play_text(&mut won, "4141414").unwrap();
    let over = Prover::new(0).best_move(&won, &Budget::UNLIMITED, &StopFlag::new());
    assert_eq!(over, None);
}

#[test]
fn a_prover_that_may_not_look_says_nothing() {
    let game = ConnectFour::new();
    let mut prover = Prover::new(0);
    let stop = StopFlag::new();
    for nodes in [0, 1, 100] {
        let budget = Budget::nodes(nodes);
        assert_eq!(prover.score(&game, &budget, &stop), None);
        assert!(prover.answer(&game, &budget, &stop).is_none());
    }
    let raised = StopFlag::new();
    raised.raise();
    assert!(prover.answer(&game, &Budget::UNLIMITED, &raised).is_none());
    // What can be told without looking is told.
    let mut won = ConnectFour::new();
    play_text(&mut won, "4141414").unwrap();
    let answer = prover.answer(&won, &Budget::nodes(0), &stop).unwrap();
    assert_eq!(answer.score, Score::loss_in(0));
    assert!(answer.best.is_empty() && answer.line.is_empty() && answer.proved);
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
    // What is known is not looked for again.
    let (again, few) = large.score(&game, &Budget::UNLIMITED, &stop).unwrap();
    assert_eq!(again, score);
    assert!(few * 10 < fewer, "{few} {fewer}");
}
