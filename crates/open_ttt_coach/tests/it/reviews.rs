//! Reviews against exact values.

use open_ttt_coach::{
    GameValue, Judge, LineJudge, PositionValues, ProverJudge, Quality, Review, SolvedJudge,
    TreeJudge, review,
};
use open_ttt_lib::games::{ConnectFour, Mnk, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{History, Outcome, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, StopFlag, WinLoss};

use crate::minimax::{Minimax, Value};
use crate::positions;

/// Games of random moves.
fn games<G: TwoPlayerGame>(start: &G, count: u64) -> Vec<History<G>> {
    let game = |seed| {
        let mut rng = Rng::new(seed);
        let mut game = History::new(start.clone());
        while game.outcome().is_none() {
            let m = rng.pick(game.position().moves()).expect("a move");
            game.play_unchecked(m);
        }
        game
    };
    (0..count).map(game).collect()
}

fn reviewed(game: &History<TicTacToe>) -> Review<<TicTacToe as TwoPlayerGame>::Move> {
    let mut judge = SolvedJudge::new(WinLoss, 1.0);
    let mut counted = Vec::new();
    let stop = StopFlag::new();
    let review = review(game, &mut judge, &Budget::UNLIMITED, &stop, |n| {
        counted.push(n);
    });
    assert!(counted.iter().copied().eq(1..=game.moves().len()));
    review
}

/// The quality of a move by plain minimax.
fn quality<G: TwoPlayerGame>(game: &G, m: G::Move, minimax: &mut Minimax<G>) -> Quality {
    let side = game.to_move();
    let (best, played) = (minimax.value(game), minimax.after(game, m));
    let is_plain_loss = |value: Value| value.result(side) == -1 && value.plies <= 4;
    let is_plain = best.result(side) == 1 && best.plies <= 3 || is_plain_loss(played);
    match best.result(side) - played.result(side) {
        // A draw sooner or later is as good.
        0 if played.result(side) == 0 || played.plies == best.plies => Quality::Best,
        0 if is_plain_loss(played) && !is_plain_loss(best) => Quality::Inaccuracy,
        0 => Quality::Good,
        1 if !is_plain => Quality::Mistake,
        _ => Quality::Blunder,
    }
}

#[test]
fn qualities_of_whole_games_agree_with_minimax() {
    let mut minimax = Minimax::new();
    for game in games(&TicTacToe::new(), 300) {
        let review = reviewed(&game);
        assert_eq!(review.moves.len(), game.moves().len());
        let mut position = *game.start();
        for (reviewed, &m) in review.moves.iter().zip(game.moves()) {
            let side = position.to_move();
            assert_eq!(reviewed.side, side);
            let drop =
                minimax.value(&position).result(side) - minimax.after(&position, m).result(side);
            assert!((reviewed.lost - f64::from(drop) / 2.0).abs() < 1e-9);
            assert_eq!(reviewed.quality, quality(&position, m, &mut minimax));
            position.play_unchecked(m);
        }
        check_turning_point(&game, &review, &mut minimax);
    }
}

#[test]
fn qualities_of_late_moves_agree_with_minimax() {
    let mut minimax = Minimax::new();
    let mut judge = ProverJudge::new(10.0);
    let mut seen = [0; Quality::ALL.len()];
    for position in positions::random(&ConnectFour::new(), 26, 200) {
        for m in position.moves() {
            let mut game = History::new(position);
            game.play_unchecked(m);
            let stop = StopFlag::new();
            let review = review(&game, &mut judge, &Budget::UNLIMITED, &stop, |_| ());
            let expected = quality(&position, m, &mut minimax);
            assert_eq!(review.moves[0].quality, expected);
            seen[expected as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

/// The turning point is the last move that changed the result to the final one, unless the
/// other side's move did, which can't be.
fn check_turning_point(
    game: &History<TicTacToe>,
    review: &Review<<TicTacToe as TwoPlayerGame>::Move>,
    minimax: &mut Minimax<TicTacToe>,
) {
    let mut position = *game.start();
    let mut values = vec![minimax.value(&position).first];
    for &m in game.moves() {
        position.play_unchecked(m);
        values.push(minimax.value(&position).first);
    }
    let end = values[values.len() - 1];
    let turned = (0..game.moves().len()).rfind(|&n| values[n] != end);
    let outcome = game.outcome().expect("an end");
    assert_eq!(review.turning_point(outcome), turned);
}

#[test]
fn a_perfect_game_has_no_turning_point() {
    let mut game = History::new(TicTacToe::new());
    game.play_text("b2 a1 c3 a3 a2 c2 b1 b3 c1")
        .expect("a game");
    assert_eq!(game.outcome(), Some(Outcome::Draw));
    let review = reviewed(&game);
    assert_eq!(review.turning_point(Outcome::Draw), None);
    assert_eq!(review.accuracy, [Some(100.0), Some(100.0)]);
    let no_moves = reviewed(&History::new(TicTacToe::new()));
    assert_eq!(no_moves.accuracy, [None, None]);
}

#[test]
fn within_a_budget_late_moves_are_exact_and_early_ones_estimates() {
    for game in games(&ConnectFour::new(), 8) {
        let mut judge = ProverJudge::new(10.0);
        let budget = Budget::nodes(400_000);
        let review = review(&game, &mut judge, &budget, &StopFlag::new(), |_| ());
        let last = review.moves.last().expect("a move");
        assert!(last.played.is_proved());
        let Outcome::Win(winner) = game.outcome().expect("an end") else {
            continue;
        };
        assert_eq!(last.side, winner);
        assert_eq!(last.played.solved.result, GameValue::Win);
    }
}

/// Of a position whose best known move draws, others may win.
#[test]
fn what_a_short_review_proves_holds() {
    let mut counts = [0; 3];
    let mut minimax = Minimax::new();
    let board = Mnk::new(4, 4, 4).expect("a board that exists");
    let games = games(&board, 200);
    let games = [60, 200, 700].map(|nodes| games.iter().map(move |game| (nodes, game)));
    for (nodes, game) in games.into_iter().flatten() {
        let (budget, mut judge) = (Budget::nodes(nodes), TreeJudge::default());
        let review = review(game, &mut judge, &budget, &StopFlag::new(), |_| ());
        let mut position = *game.start();
        for (plies, reviewed) in review.moves.iter().enumerate() {
            let m = reviewed.played.m;
            if reviewed.played.is_proved() && plies >= 6 {
                let exact = minimax.after(&position, m).result(reviewed.side);
                let found = match reviewed.played.solved.result {
                    GameValue::Win => 1,
                    GameValue::Draw => 0,
                    _ => -1,
                };
                assert_eq!(found, exact, "move {plies} of {:?}", game.moves());
                counts[(exact + 1) as usize] += 1;
            }
            position.play_unchecked(m);
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

/// What is left once the budget is spent costs next to nothing.
#[test]
fn a_review_keeps_its_budget() {
    struct Counting<J>(J, u64);

    impl<G: TwoPlayerGame, J: Judge<G>> Judge<G> for Counting<J> {
        fn judge(
            &mut self,
            turn: &Turn<'_, G>,
            budget: &Budget,
            report: &mut dyn FnMut(&PositionValues<G::Move>),
        ) -> PositionValues<G::Move> {
            let values = self.0.judge(turn, budget, report);
            self.1 += values.nodes;
            values
        }
    }

    let start = Mnk::default();
    for game in games(&start, 2) {
        let mut judge = Counting(LineJudge::new(10.0), 0);
        let nodes = 100_000;
        review(
            &game,
            &mut judge,
            &Budget::nodes(nodes),
            &StopFlag::new(),
            |_| (),
        );
        let positions = game.moves().len() as u64;
        // Each position's moves at least, and the two plies of the last one with a budget.
        let cells = 225;
        let limit = nodes + 2 * positions * cells + 2 * cells * cells;
        assert!(judge.1 < limit, "{} of {positions} positions", judge.1);
    }
}
