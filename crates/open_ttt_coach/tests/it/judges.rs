//! Every judge against plain minimax.

use open_ttt_coach::{
    GameValue, Judge, LayersJudge, LineJudge, MoveValue, PositionValues, ProverJudge, SearchJudge,
    SolvedJudge, TreeJudge,
};
use open_ttt_lib::games::{ConnectFour, Mnk, Morris, Pegs, Quarto, TicTacToe};
use open_ttt_lib::rules::{History, Margin, Notation, Side, TwoPlayerGame};
use open_ttt_players::{Decision, Perfect, Player, Turn};
use open_ttt_search::{Budget, HeuristicEvaluator, StopFlag, WinLoss};

use crate::minimax::{Minimax, wins_within};
use crate::positions;

/// What is proved of the moves is what minimax says, distances included; returns how many
/// moves were proved.
#[track_caller]
fn check_proved<G: TwoPlayerGame>(
    game: &G,
    values: &PositionValues<G::Move>,
    minimax: &mut Minimax<G>,
) -> usize {
    let side = game.to_move();
    let legal: Vec<_> = game.moves().collect();
    assert_eq!(values.moves.len(), legal.len());
    assert!(legal.iter().all(|&m| values.get(m).is_some()));
    assert!(values.line.first().is_none_or(|&m| legal.contains(&m)));
    let proved = values.moves.iter().filter(|value| value.is_proved());
    for value in proved.clone() {
        let expected = minimax.after(game, value.m);
        let result = match value.solved.result {
            GameValue::Win => 1,
            GameValue::Draw => 0,
            _ => -1,
        };
        assert_eq!(result, expected.result(side), "{value:?}");
        if let (GameValue::Win | GameValue::Loss, Some(plies)) =
            (value.solved.result, value.solved.plies)
        {
            assert_eq!(plies, expected.plies, "{value:?}");
        }
        assert!(value.uncertainty <= 0.0);
    }
    let sorted = values.moves.is_sorted_by(MoveValue::is_as_good_as);
    assert!(sorted);
    proved.count()
}

/// Judges positions without a limit: every move is proved, and every report is true.
#[track_caller]
fn check_exact<G: TwoPlayerGame>(positions: &[G], judge: &mut impl Judge<G>) {
    let mut minimax = Minimax::new();
    for game in positions {
        let mut reports = 0;
        let values = judge.judge(&Turn::new(game), &Budget::UNLIMITED, &mut |values| {
            reports += 1;
            check_proved(game, values, &mut minimax);
        });
        assert!(reports > 0);
        assert_eq!(
            check_proved(game, &values, &mut minimax),
            values.moves.len()
        );
    }
}

#[test]
fn solved_games_are_exact() {
    let positions = positions::all(&TicTacToe::new());
    check_exact(&positions, &mut SolvedJudge::new(WinLoss, 1.0));
    let some: Vec<_> = positions.into_iter().step_by(9).collect();
    check_exact(&some, &mut SearchJudge::new(WinLoss, 1.0));
    check_exact(&some, &mut TreeJudge::default());
}

#[test]
fn line_games_are_exact_where_the_search_reaches_the_end() {
    let board = Mnk::new(4, 3, 3).expect("a board that exists");
    check_exact(&positions::random(&board, 3, 60), &mut LineJudge::new(10.0));
}

#[test]
fn losses_by_threats_take_as_long_as_they_say() {
    let board = Mnk::new(6, 5, 4).expect("a board that exists");
    let mut judge = LineJudge::new(10.0);
    let mut seen = [0; 3];
    for game in positions::random(&board, 7, 12) {
        let opponent = game.to_move().other();
        let values = judge.prove(&Turn::new(&game), &Budget::nodes(200_000));
        let losses = values.moves.iter().filter_map(|value| {
            let plies = value.solved.plies?;
            (value.solved.result == GameValue::Loss).then_some((value.m, plies))
        });
        // Trying everything takes long for more plies.
        for (m, plies) in losses.filter(|&(_, plies)| plies <= 4) {
            let next = game.after(m);
            assert!(wins_within(&next, opponent, plies - 1), "{m:?} in {plies}");
            assert!(
                plies == 2 || !wins_within(&next, opponent, plies - 3),
                "{m:?} in {plies}"
            );
            seen[plies as usize / 2] += 1;
        }
    }
    assert!(seen[1] > 10 && seen[2] > 10, "{seen:?}");
}

#[test]
fn proofs_are_exact() {
    let positions = positions::random(&ConnectFour::new(), 26, 300);
    check_exact(&positions, &mut ProverJudge::new(10.0));
}

#[test]
fn cyclic_games_are_exact() {
    // Its own minimax would run in circles; the solution is tested against others, so here
    // only that a judge gives it.
    let start = Morris::three();
    let mut judge = SolvedJudge::new(WinLoss, 1.0);
    let values = judge.judge(&Turn::new(&start), &Budget::UNLIMITED, &mut |_| ());
    let wins = values
        .moves
        .iter()
        .filter(|value| value.solved.result == GameValue::Win);
    // The middle alone wins.
    assert_eq!(wins.count(), 1);
    assert!(values.is_proved());
}

/// What wins by the solution alone, but brings a position back for the third time.
#[test]
fn a_solved_game_is_judged_with_what_was_repeated() {
    let mut game = History::new(Morris::three());
    let moves = "a1 a2 a3 b3 b2 b1 b2-c3 b1-c1 c3-b2 c1-b1 b2-c3 b1-c1 c3-b2";
    game.play_text(moves).expect("legal moves");
    let mut judge = SolvedJudge::new(WinLoss, 1.0);
    let back = game.position().parse_move("c1-b1").expect("a move");
    let value = |judge: &mut SolvedJudge<_, _>, turn: &Turn<'_, _>| {
        let values = judge.judge(turn, &Budget::UNLIMITED, &mut |_| ());
        assert!(values.is_proved());
        values.get(back).expect("it is legal").solved.result
    };
    let alone = Turn::new(game.position());
    assert_eq!(value(&mut judge, &alone), GameValue::Win);
    assert_eq!(value(&mut judge, &Turn::of(&game)), GameValue::Draw);
    // The perfect player sees as much.
    let mut perfect = Perfect::new(game.start()).expect("a small game");
    let won = perfect.take_turn(&alone);
    assert_eq!(won, Decision::Play(back));
    let turn = Turn::of(&game);
    let chosen = perfect.take_turn(&turn);
    let values = judge.judge(&turn, &Budget::UNLIMITED, &mut |_| ());
    let best = values.best_moves().map(|value| Decision::Play(value.m));
    assert!(best.into_iter().any(|best| best == chosen), "{chosen:?}");
}

/// The margin of the first side under best play.
fn margin(game: &Pegs) -> i32 {
    if game.outcome().is_some() {
        return game.margin();
    }
    let margins = game.moves().map(|m| margin(&game.after(m)));
    match game.to_move() {
        Side::First => margins.max().expect("a move"),
        Side::Second => margins.min().expect("a move"),
    }
}

#[test]
fn margins_are_exact() {
    for game in positions::random(&Pegs::new(), 16, 60) {
        let values = LayersJudge.judge(&Turn::new(&game), &Budget::UNLIMITED, &mut |_| ());
        for value in &values.moves {
            let expected = margin(&game.after(value.m));
            let sign = if game.to_move() == Side::First { 1 } else { -1 };
            assert_eq!(value.solved.margin, Some(sign * expected));
        }
    }
}

#[test]
fn every_judge_answers_when_it_is_stopped() {
    fn check<G: TwoPlayerGame>(game: &G, judge: &mut dyn Judge<G>) {
        let stop = StopFlag::new();
        stop.raise();
        let turn = Turn::new(game).with_stop(stop);
        let values = judge.judge(&turn, &Budget::UNLIMITED, &mut |_| ());
        assert_eq!(values.moves.len(), game.moves().count());
        let unsure = |value: &MoveValue<G::Move>| (0.0..=0.5).contains(&value.uncertainty);
        assert!(values.moves.iter().all(unsure));
    }
    let search = || SearchJudge::new(HeuristicEvaluator, 10.0);
    check(&ConnectFour::new(), &mut ProverJudge::new(10.0));
    check(&Mnk::default(), &mut LineJudge::new(10.0));
    check(
        &Quarto::new(),
        &mut SearchJudge::new(HeuristicEvaluator, 10.0),
    );
    check(&Mnk::default(), &mut search());
    check(&Mnk::default(), &mut TreeJudge::default());
    check(&Pegs::new(), &mut LayersJudge);
    check(&TicTacToe::new(), &mut SolvedJudge::new(WinLoss, 1.0));
}

/// The evaluator knows nothing, so the estimate is the same at every depth.
#[test]
fn an_estimate_that_stays_the_same_becomes_certain_only_slowly() {
    let mut judge = SearchJudge::new(WinLoss, 1.0);
    let mut seen = Vec::new();
    let game = ConnectFour::new();
    let turn = Turn::new(&game);
    judge.judge(&turn, &Budget::depth(5), &mut |values| {
        assert!(
            values
                .moves
                .iter()
                .all(|value| (0.5..=0.5).contains(&value.expected))
        );
        let uncertain = values.moves.iter().map(|value| value.uncertainty);
        seen.push(uncertain.fold(1.0, f64::min));
    });
    let halves: Vec<_> = (1..=5).map(|depth| 0.5_f64.powi(depth)).collect();
    assert_eq!(seen, halves);
}

#[test]
fn a_finished_game_has_no_moves() {
    let mut game = TicTacToe::new();
    open_ttt_lib::rules::play_text(&mut game, "a1 b1 a2 b2 a3").expect("a game");
    let turn = Turn::new(&game);
    let solved = SolvedJudge::new(WinLoss, 1.0).judge(&turn, &Budget::UNLIMITED, &mut |_| ());
    let tree = TreeJudge::default().judge(&turn, &Budget::UNLIMITED, &mut |_| ());
    assert!(solved.moves.is_empty() && tree.moves.is_empty());
}
