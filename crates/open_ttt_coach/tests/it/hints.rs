//! Every claim of a hint is taken apart: what it says is checked by playing it out.

use std::collections::HashMap;

use open_ttt_coach::{Claim, Judge, LineJudge, ProverJudge, SearchJudge, SolvedJudge, hint};
use open_ttt_lib::games::{
    ConnectFour, DotsAndBoxes, Draughts, Hex, Mnk, Quarto, Qubic, Reversi, TicTacToe,
};
use open_ttt_lib::rules::{Drawing, Margin, Notation, Outcome, Side, TwoPlayerGame, play_text};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, EstimatedPoints, HeuristicEvaluator, WinLoss};

use crate::minimax::Minimax;
use crate::positions;

/// The wins at once of the side to move; none if the game is over.
fn wins<G: TwoPlayerGame>(game: &G) -> Vec<G::Move> {
    let wins = |m: &G::Move| game.after(*m).outcome() == Some(Outcome::Win(game.to_move()));
    game.moves().filter(wins).collect()
}

/// The claims of one hint that need no knowledge of the whole game. Returns how many were
/// checked.
fn check_tactics<G: Notation + Drawing>(game: &G, m: G::Move, claims: &[Claim<G::Move>]) -> usize {
    let side = game.to_move();
    let after = game.after(m);
    let others: Vec<_> = game.moves().filter(|&other| other != m).collect();
    let can_answer =
        |m: &G::Move| wins(&game.after(*m)).len() * usize::from(game.after(*m).to_move() != side);
    let mut checked = 0;
    for claim in claims {
        checked += 1;
        match *claim {
            Claim::WinsAtOnce => assert_eq!(after.outcome(), Some(Outcome::Win(side))),
            Claim::Stops { threat, only } => {
                assert_ne!(after.to_move(), side);
                assert!(wins(&after).is_empty());
                let allow = others.iter().filter(|&&other| {
                    let next = game.after(other);
                    next.to_move() != side && wins(&next).contains(&threat)
                });
                assert!(2 * allow.count() >= others.len());
                assert_eq!(only, others.iter().all(|other| can_answer(other) > 0));
            }
            Claim::Threatens(next) => {
                let replies: Vec<_> = after.moves().map(|reply| after.after(reply)).collect();
                let won = replies
                    .iter()
                    .filter(|at| at.to_move() == side && wins(*at).contains(&next));
                assert!(2 * won.count() >= replies.len());
            }
            Claim::TwoThreats(a, b) => {
                assert_ne!(a, b);
                let replies: Vec<_> = after.moves().map(|reply| after.after(reply)).collect();
                assert!(
                    replies
                        .iter()
                        .all(|at| at.to_move() == side && !wins(at).is_empty())
                );
                for threat in [a, b] {
                    assert!(replies.iter().any(|at| wins(at).contains(&threat)));
                }
            }
            Claim::Scores(gained) => {
                let points = |at: &G| at.picture().points.expect("points")[side.index()];
                assert_eq!(points(&after), points(game) + gained);
            }
            Claim::OnlyMove => assert!(others.is_empty()),
            _ => checked -= 1,
        }
    }
    checked
}

/// The claims about the end of the game. Returns how many were checked.
fn check_results<G: TwoPlayerGame>(
    game: &G,
    m: G::Move,
    claims: &[Claim<G::Move>],
    minimax: &mut Minimax<G>,
) -> usize {
    let side = game.to_move();
    let value = minimax.after(game, m);
    let moves: Vec<_> = game.moves().filter(|&other| other != m).collect();
    let others: Vec<_> = moves.into_iter().map(|m| minimax.after(game, m)).collect();
    let best = minimax.value(game);
    // Every hint is a best move.
    assert_eq!(value.result(side), best.result(side));
    let mut checked = 0;
    for claim in claims {
        checked += 1;
        let others = || others.iter().map(|other| other.result(side));
        match *claim {
            Claim::Wins { plies, only } => {
                assert_eq!(value.result(side), 1);
                assert!(plies.is_none_or(|plies| plies == value.plies && plies == best.plies));
                assert!(!only || others().all(|other| other < 1));
            }
            Claim::OnlyMoveToDraw => {
                assert_eq!(value.result(side), 0);
                assert!(others().all(|other| other == -1));
            }
            Claim::Draws => assert!(value.result(side) == 0 && best.result(side) == 0),
            Claim::AtLeastDraws => assert_eq!(value.result(side), 0),
            Claim::AllDraw => assert!(value.result(side) == 0 && others().all(|other| other == 0)),
            Claim::Loses { plies } => {
                assert_eq!(value.result(side), -1);
                assert!(plies.is_none_or(|plies| plies == value.plies && plies == best.plies));
            }
            Claim::WinsBy { .. } => assert_eq!(value.result(side), 1),
            Claim::LosesBy { .. } => assert_eq!(value.result(side), -1),
            _ => checked -= 1,
        }
    }
    checked
}

/// Hints of solved positions; every claim is checked.
#[track_caller]
fn check_solved<G: Notation + Drawing>(positions: &[G], judge: &mut impl Judge<G>) {
    let mut minimax = Minimax::new();
    for game in positions {
        let values = judge.judge(&Turn::new(game), &Budget::UNLIMITED, &mut |_| ());
        let hint = hint(game, &values).expect("the game isn't over");
        assert!(!hint.claims.is_empty());
        assert_eq!(hint.line.first(), Some(&hint.m));
        let checked = check_tactics(game, hint.m, &hint.claims)
            + check_results(game, hint.m, &hint.claims, &mut minimax);
        assert_eq!(checked, hint.claims.len(), "{:?}", hint.claims);
        let sentence = hint.sentence(game);
        assert!(sentence.starts_with(&game.move_text(hint.m)) && sentence.ends_with('.'));
    }
}

/// Hints after a short search: the claims about the next moves are checked, and what is
/// claimed to be proved follows from the values.
#[track_caller]
fn check_searched<G: Notation + Drawing>(start: &G, judge: &mut impl Judge<G>, plies: usize) {
    let mut checked = 0;
    for game in positions::random(start, plies, 60) {
        let values = judge.judge(&Turn::new(&game), &Budget::depth(2), &mut |_| ());
        let hint = hint(&game, &values).expect("the game isn't over");
        assert!(!hint.claims.is_empty());
        checked += check_tactics(&game, hint.m, &hint.claims);
        // What says something of all moves needs a proof of each.
        let of_all = |claim: &Claim<_>| {
            matches!(
                claim,
                Claim::Draws
                    | Claim::AllDraw
                    | Claim::OnlyMoveToDraw
                    | Claim::WinsBy { .. }
                    | Claim::LosesBy { .. }
                    | Claim::Loses { .. }
                    | Claim::Wins { only: true, .. }
            )
        };
        assert!(values.is_proved() || !hint.claims.iter().any(of_all));
    }
    assert!(checked > 0, "no claim was checked");
}

#[test]
fn hints_are_true_in_every_position_of_tic_tac_toe() {
    let positions = positions::all(&TicTacToe::new());
    assert_eq!(positions.len(), 4_520);
    check_solved(&positions, &mut SolvedJudge::new(WinLoss, 1.0));
}

#[test]
fn hints_are_true_on_other_small_boards() {
    let board = Mnk::new(4, 3, 3).expect("a board that exists");
    let positions = positions::random(&board, 4, 500);
    check_solved(&positions, &mut SolvedJudge::new(WinLoss, 1.0));
    let boxes = DotsAndBoxes::new(2, 2).expect("a small board");
    check_solved(
        &positions::random(&boxes, 5, 300),
        &mut SolvedJudge::new(EstimatedPoints, 1.0),
    );
    let reversi = Reversi::with_size(4).expect("a small board");
    check_solved(
        &positions::random(&reversi, 5, 200),
        &mut SolvedJudge::new(EstimatedPoints, 1.0),
    );
    let hex = Hex::without_swap(3).expect("a small board");
    check_solved(
        &positions::random(&hex, 2, 100),
        &mut SolvedJudge::new(WinLoss, 1.0),
    );
}

#[test]
fn hints_are_true_in_late_positions_of_connect_four() {
    let positions = positions::random(&ConnectFour::new(), 26, 400);
    check_solved(&positions, &mut ProverJudge::new(10.0));
}

#[test]
fn hints_of_large_games_say_what_is_true_of_the_next_moves() {
    check_searched(
        &ConnectFour::new(),
        &mut SearchJudge::new(HeuristicEvaluator, 10.0),
        14,
    );
    check_searched(
        &Mnk::new(7, 7, 4).expect("a board"),
        &mut LineJudge::new(10.0),
        12,
    );
    check_searched(&Qubic::new(), &mut LineJudge::new(10.0), 24);
    check_searched(
        &Quarto::new(),
        &mut SearchJudge::new(HeuristicEvaluator, 10.0),
        9,
    );
    check_searched(
        &Reversi::default(),
        &mut SearchJudge::new(EstimatedPoints, 300.0),
        20,
    );
    check_searched(
        &DotsAndBoxes::default(),
        &mut SearchJudge::new(EstimatedPoints, 300.0),
        20,
    );
    let draughts = positions::random(&Draughts::new(), 40, 40);
    for game in draughts {
        let mut judge = SearchJudge::new(HeuristicEvaluator, 100.0);
        let values = judge.judge(&Turn::new(&game), &Budget::depth(2), &mut |_| ());
        let hint = hint(&game, &values).expect("the game isn't over");
        check_tactics(&game, hint.m, &hint.claims);
    }
}

/// The margin of the first side under best play.
fn margin<G: Margin>(game: &G, known: &mut HashMap<G, i32>) -> i32 {
    if let Some(&margin) = known.get(game) {
        return margin;
    }
    let margins: Vec<_> = game
        .moves()
        .map(|m| margin(&game.after(m), known))
        .collect();
    let best = match game.to_move() {
        _ if margins.is_empty() => game.margin(),
        Side::First => *margins.iter().max().expect("a move"),
        Side::Second => *margins.iter().min().expect("a move"),
    };
    known.insert(game.clone(), best);
    best
}

#[track_caller]
fn check_margins<G: Margin + Notation + Drawing>(positions: &[G], judge: &mut impl Judge<G>) {
    let (mut known, mut checked) = (HashMap::new(), 0);
    for game in positions {
        let values = judge.judge(&Turn::new(game), &Budget::UNLIMITED, &mut |_| ());
        let hint = hint(game, &values).expect("the game isn't over");
        let first = margin(&game.after(hint.m), &mut known);
        let own = if game.to_move() == Side::First {
            first
        } else {
            -first
        };
        for claim in &hint.claims {
            match *claim {
                Claim::WinsBy { margin } => assert_eq!(margin, own),
                Claim::LosesBy { margin } => assert_eq!(margin, -own),
                _ => continue,
            }
            checked += 1;
        }
    }
    assert!(checked > positions.len() / 4, "{checked}");
}

#[test]
fn hints_tell_the_margin_under_best_play() {
    let boxes = DotsAndBoxes::new(2, 2).expect("a small board");
    let mut judge = SolvedJudge::new(EstimatedPoints, 1.0);
    check_margins(&positions::random(&boxes, 5, 100), &mut judge);
    let reversi = Reversi::with_size(4).expect("a small board");
    let mut judge = SolvedJudge::new(EstimatedPoints, 1.0);
    check_margins(&positions::random(&reversi, 5, 100), &mut judge);
}

/// What a person reads first is what the move does; that the position is lost is the contrast.
#[test]
fn sentences_of_lost_positions() {
    let hint_after = |moves: &str| {
        let mut game = TicTacToe::new();
        play_text(&mut game, moves).expect("legal moves");
        let mut judge = SolvedJudge::new(WinLoss, 1.0);
        let values = judge.judge(&Turn::new(&game), &Budget::UNLIMITED, &mut |_| ());
        (game, hint(&game, &values).expect("the game isn't over"))
    };
    let (game, hint) = hint_after("a1 a2 b1 c1 b2");
    assert_eq!(
        hint.sentence(&game),
        "c2 holds out as long as possible, but loses within 2 moves, X's included."
    );
    let (game, mut hint) = hint_after("a1 a2 b2");
    assert_eq!(
        hint.sentence(&game),
        "c3 stops X from winning there and holds out as long as possible, but loses within 4 \
         moves, X's included."
    );
    let mut replace_last = |claim| {
        hint.claims.pop();
        hint.claims.push(claim);
        hint.sentence(&game)
    };
    assert_eq!(
        replace_last(Claim::Loses { plies: None }),
        "c3 stops X from winning there but loses, as every move does."
    );
    assert_eq!(
        replace_last(Claim::LosesBy { margin: 2 }),
        "c3 stops X from winning there but loses by only 2 points under best play."
    );
}
