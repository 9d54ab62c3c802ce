//! Puzzles against plain minimax: one move keeps the result, and no other.

use open_ttt_coach::{
    Goal, Judge, LineJudge, ProverJudge, Puzzle, PuzzleFinder, SolvedJudge, puzzle,
};
use open_ttt_lib::games::{ConnectFour, DotsAndBoxes, Mnk, Reversi, TicTacToe};
use open_ttt_lib::rules::{History, TwoPlayerGame};
use open_ttt_search::{Budget, EstimatedPoints, StopFlag, WinLoss};

use crate::minimax::Minimax;
use crate::positions;

/// Takes a puzzle apart: at each of the solver's moves it is the only one that reaches the
/// goal, and each reply is as good as any. Returns the number of the solver's moves.
#[track_caller]
fn check<G: TwoPlayerGame>(start: &G, puzzle: &Puzzle<G::Move>, minimax: &mut Minimax<G>) -> usize {
    let mut position = start.clone();
    for &m in &puzzle.moves {
        position.play(m).expect("a legal move");
    }
    let solver = position.to_move();
    let goal = match puzzle.goal {
        Goal::Win => 1,
        Goal::Draw => 0,
    };
    assert!(matches!(puzzle.goal, Goal::Win) || puzzle.plies.is_none());
    if let Some(plies) = puzzle.plies {
        assert_eq!(plies, minimax.value(&position).plies);
    }
    let mut steps = 0;
    for &played in &puzzle.solution {
        let mover = position.to_move();
        let values = position.moves().map(|m| (m, minimax.after(&position, m)));
        let values: Vec<_> = values.map(|(m, value)| (m, value.result(mover))).collect();
        if mover == solver {
            steps += 1;
            assert!(values.len() > 1, "a forced move");
            for (m, result) in values {
                assert_eq!(m == played, result >= goal, "{m:?} {result}");
            }
        } else {
            let best = values.iter().map(|&(_, result)| result).max();
            assert!(values.contains(&(played, best.expect("a move"))));
        }
        position.play(played).expect("a legal move");
    }
    let last = puzzle.solution.len();
    assert!((1..=Puzzle::<G::Move>::MAX_STEPS).contains(&steps) && last > 0);
    let range = Puzzle::<G::Move>::MIN_RATING..=Puzzle::<G::Move>::MAX_RATING;
    assert!(range.contains(&puzzle.rating) && (1..=5).contains(&puzzle.stars()));
    steps
}

/// Puzzles of games with these seeds, all checked; returns them.
#[track_caller]
fn check_found<G: TwoPlayerGame, J: Judge<G>>(
    start: &G,
    judge: J,
    budget: &Budget,
    games: u64,
) -> Vec<Puzzle<G::Move>> {
    let mut finder = PuzzleFinder::new(start.clone(), judge);
    let mut minimax = Minimax::new();
    let stop = StopFlag::new();
    let found = (0..games).flat_map(|seed| {
        let found = finder.game(seed, budget, &stop);
        for pair in found.windows(2) {
            assert!(pair[0].moves.len() + pair[0].solution.len() <= pair[1].moves.len());
        }
        found
    });
    let found: Vec<_> = found.collect();
    let steps = found.iter().map(|one| check(start, one, &mut minimax));
    let longest = steps.max().expect("puzzles");
    assert!(longest > 1, "no solution goes on");
    found
}

#[test]
fn positions_of_tic_tac_toe_are_puzzles_exactly_if_one_move_is_best() {
    let start = TicTacToe::new();
    let mut judge = SolvedJudge::new(WinLoss, 1.0);
    let mut minimax = Minimax::new();
    let (mut puzzles, mut longest) = (0, 0);
    for position in positions::all(&start).into_iter().step_by(5) {
        let game = History::new(position);
        let side = position.to_move();
        let results = position
            .moves()
            .map(|m| minimax.after(&position, m).result(side));
        let mut results: Vec<_> = results.collect();
        results.sort_unstable();
        let is_puzzle =
            matches!(results.as_slice(), [.., other, best] if best > other && *best >= 0);
        let found = puzzle(&game, &mut judge, &Budget::UNLIMITED, &StopFlag::new());
        assert_eq!(found.is_some(), is_puzzle);
        if let Some(found) = found {
            puzzles += 1;
            longest = longest.max(check(&position, &found, &mut minimax));
        }
    }
    assert!(puzzles > 200 && longest > 1, "{puzzles} {longest}");
}

#[test]
fn puzzles_of_small_games_have_one_solution() {
    let unlimited = Budget::UNLIMITED;
    let board = Mnk::new(4, 3, 3).expect("a board");
    check_found(&board, SolvedJudge::new(WinLoss, 1.0), &unlimited, 60);
    check_found(&board, LineJudge::new(10.0), &Budget::nodes(50_000), 30);
    let boxes = DotsAndBoxes::new(2, 2).expect("a small board");
    check_found(
        &boxes,
        SolvedJudge::new(EstimatedPoints, 1.0),
        &unlimited,
        60,
    );
    let reversi = Reversi::with_size(4).expect("a small board");
    check_found(
        &reversi,
        SolvedJudge::new(EstimatedPoints, 1.0),
        &unlimited,
        60,
    );
}

#[test]
fn late_puzzles_of_connect_four_have_one_solution() {
    let mut minimax = Minimax::new();
    let mut judge = ProverJudge::new(10.0);
    let mut longest = 0;
    for position in positions::random(&ConnectFour::new(), 26, 300) {
        let game = History::new(position);
        let found = puzzle(&game, &mut judge, &Budget::UNLIMITED, &StopFlag::new());
        if let Some(found) = found {
            longest = longest.max(check(&position, &found, &mut minimax));
        }
    }
    assert!(longest > 2);
}

#[test]
fn what_takes_more_search_is_rated_higher() {
    let start = ConnectFour::new();
    let mut minimax = Minimax::new();
    let mut judge = ProverJudge::new(10.0);
    let mut ratings = [Vec::new(), Vec::new()];
    for position in positions::random(&start, 26, 300) {
        let game = History::new(position);
        let Some(found) = puzzle(&game, &mut judge, &Budget::UNLIMITED, &StopFlag::new()) else {
            continue;
        };
        match (found.goal, minimax.value(&position).plies) {
            (Goal::Win, 1) => ratings[0].push(found.rating),
            (Goal::Win, 5..) => ratings[1].push(found.rating),
            _ => (),
        }
    }
    let mean = |ratings: &[u32]| f64::from(ratings.iter().sum::<u32>()) / ratings.len() as f64;
    let [plain, deep] = ratings.map(|ratings| mean(&ratings));
    assert!(plain + 200.0 < deep, "{plain} {deep}");
}

#[test]
fn an_interrupted_search_finds_nothing() {
    let stop = StopFlag::new();
    stop.raise();
    let mut finder = PuzzleFinder::new(TicTacToe::new(), SolvedJudge::new(WinLoss, 1.0));
    assert!(finder.game(1, &Budget::UNLIMITED, &stop).is_empty());
}

#[test]
fn the_same_seed_gives_the_same_puzzles() {
    let find = || {
        let mut finder = PuzzleFinder::new(TicTacToe::new(), SolvedJudge::new(WinLoss, 1.0));
        finder.game(3, &Budget::UNLIMITED, &StopFlag::new())
    };
    assert_eq!(find(), find());
}
