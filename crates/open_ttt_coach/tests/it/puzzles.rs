//! Puzzles against plain minimax: one move keeps the result, and no other.

use open_ttt_coach::{
    Goal, Judge, LineJudge, ProverJudge, Puzzle, PuzzleFinder, SearchJudge, SolvedJudge, puzzle,
};
use open_ttt_lib::games::{ConnectFour, DotsAndBoxes, Mnk, Reversi, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Drawing, History, TwoPlayerGame};
use open_ttt_players::{Decision, FalliblePlayer, Player, Random, Skill, Turn};
use open_ttt_search::{Budget, EstimatedPoints, Evaluator, HeuristicEvaluator, StopFlag, WinLoss};

use crate::minimax::{Minimax, wins_within};
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
        other => panic!("{other:?} where everything can be proved"),
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

/// Takes a puzzle apart where not everything is known: a fastest win is as fast as it says,
/// and no other move wins as fast. Returns whether it is one.
#[track_caller]
fn check_fastest<G: TwoPlayerGame>(start: &G, puzzle: &Puzzle<G::Move>) -> bool {
    let (Goal::FastestWin, Some(plies)) = (puzzle.goal, puzzle.plies) else {
        return false;
    };
    let mut position = start.clone();
    for &m in &puzzle.moves {
        position.play(m).expect("a legal move");
    }
    let solver = position.to_move();
    let mut left = plies;
    for &played in &puzzle.solution {
        let is_solver = position.to_move() == solver;
        for m in position.moves() {
            let wins = wins_within(&position.after(m), solver, left - 1);
            assert_eq!(wins, m == played || !is_solver, "{m:?} in {left}");
        }
        if !is_solver {
            // No reply holds out longer.
            assert!(!wins_within(&position.after(played), solver, left - 2));
        }
        position.play(played).expect("a legal move");
        left -= 1;
    }
    true
}

/// Puzzles by so few nodes that they don't prove what all moves are worth, and enough to
/// look some moves ahead.
fn puzzles_of_few_nodes(start: Mnk) -> Vec<Puzzle<<Mnk as TwoPlayerGame>::Move>> {
    let mut finder = PuzzleFinder::new(&start, SearchJudge::new(HeuristicEvaluator, 10.0));
    let budget = Budget::nodes(20_000);
    (0..12)
        .flat_map(|seed| {
            let played = weak_game(&start, HeuristicEvaluator, seed);
            finder.in_game(&played, &budget, &StopFlag::new())
        })
        .collect()
}

#[test]
fn the_fastest_win_is_the_only_one_as_fast() {
    let start = Mnk::new(5, 5, 4).expect("a board");
    let found = puzzles_of_few_nodes(start);
    let found: Vec<_> = found
        .into_iter()
        .filter(|puzzle| check_fastest(&start, puzzle))
        .collect();
    let deep = found.iter().filter(|puzzle| puzzle.plies >= Some(3));
    assert!(deep.count() > 2, "{found:?}");
    assert!(found.iter().any(|puzzle| puzzle.solution.len() > 1));
}

/// Puzzles of a line game by threats alone: the board has too many cells for anything else.
fn puzzles_by_threats(start: Mnk, games: u64) -> Vec<Puzzle<<Mnk as TwoPlayerGame>::Move>> {
    let mut finder = PuzzleFinder::new(&start, LineJudge::new(10.0));
    let budget = Budget::nodes(20_000);
    (0..games)
        .flat_map(|seed| {
            let played = weak_game(&start, HeuristicEvaluator, seed);
            finder.in_game(&played, &budget, &StopFlag::new())
        })
        .collect()
}

#[test]
fn puzzles_by_threats_are_those_of_a_search_of_everything() {
    let start = Mnk::new(6, 5, 4).expect("a board");
    let (mut short, mut deep, mut defences) = (0, 0, 0);
    for puzzle in puzzles_by_threats(start, 12) {
        let mut position = start;
        for &m in &puzzle.moves {
            position.play(m).expect("a legal move");
        }
        match (puzzle.goal, puzzle.plies) {
            // Longer ones take a search of everything too long.
            (Goal::FastestWin, Some(1 | 3)) => {
                assert!(check_fastest(&start, &puzzle));
                short += 1;
            }
            (Goal::FastestWin, Some(5)) if deep < 3 => {
                assert!(check_fastest(&start, &puzzle));
                deep += 1;
            }
            (Goal::Defend, None) => {
                let opponent = position.to_move().other();
                let loses = |m: &_, plies| wins_within(&position.after(*m), opponent, plies);
                let right = puzzle.solution[0];
                assert!(!loses(&right, 3));
                let mut others = position.moves().filter(|&m| m != right);
                defences += usize::from(others.all(|m| loses(&m, 1) || loses(&m, 3)));
            }
            _ => (),
        }
    }
    assert!(
        short > 5 && deep > 1 && defences > 1,
        "{short} {deep} {defences}"
    );
}

#[test]
fn all_moves_but_the_defence_lose() {
    let start = Mnk::new(5, 5, 4).expect("a board");
    let mut count = 0;
    for puzzle in puzzles_of_few_nodes(start) {
        if puzzle.goal != Goal::Defend {
            continue;
        }
        count += 1;
        assert_eq!(puzzle.plies, None);
        let mut position = start;
        for &m in &puzzle.moves {
            position.play(m).expect("a legal move");
        }
        let opponent = position.to_move().other();
        let loses = |m: &_, plies| wins_within(&position.after(*m), opponent, plies);
        let right = puzzle.solution[0];
        assert!(!loses(&right, 3));
        for m in position.moves().filter(|&m| m != right) {
            assert!(loses(&m, 3) || loses(&m, 5), "{m:?}");
        }
    }
    assert!(count > 2, "{count}");
}

/// A game of players who overlook much, after some random moves.
fn weak_game<G, E>(start: &G, evaluator: E, seed: u64) -> History<G>
where
    G: Drawing + TwoPlayerGame<Move: Send + Sync> + Send + Sync,
    E: Evaluator<G> + Clone + Sync,
{
    const OPENING: usize = 4;
    let player = |seed| {
        let skill = Skill::clamped(0.2);
        FalliblePlayer::new(skill, evaluator.clone(), Random::seeded(seed), seed)
    };
    let mut rng = Rng::new(seed);
    let mut players = [player(2 * seed), player(2 * seed + 1)];
    let opening = rng.below(OPENING + 1);
    let mut game = History::new(start.clone());
    while game.outcome().is_none() {
        let side = game.position().to_move();
        let m = if game.moves().len() < opening {
            rng.pick(game.position().moves()).expect("a move")
        } else {
            match players[side.index()].take_turn(&Turn::of(&game)) {
                Decision::Play(m) => m,
                Decision::Resign => break,
            }
        };
        game.play(m).expect("a legal move");
    }
    game
}

/// Puzzles of games with these seeds, all checked; returns them.
#[track_caller]
fn check_found<G, J>(start: &G, judge: J, budget: &Budget, games: u64) -> Vec<Puzzle<G::Move>>
where
    G: Drawing + TwoPlayerGame<Move: Send + Sync> + Send + Sync,
    J: Judge<G>,
{
    let mut finder = PuzzleFinder::new(start, judge);
    let mut minimax = Minimax::new();
    let stop = StopFlag::new();
    let found = (0..games).flat_map(|seed| {
        let found = finder.in_game(&weak_game(start, WinLoss, seed), budget, &stop);
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
fn on_a_large_board_a_win_in_two_moves_is_easy_and_more_moves_are_harder() {
    // Two positions each, won in two, three and four own moves.
    let games = [
        (3, "h12 c4 n12 d4 h11 b4 h13"),
        (3, "n9 i2 n8 h2 g2 k2 n7 n5"),
        (5, "b10 c2 d8 e7 d10 d7 b7 g7 f7 e10 e8 g8"),
        (5, "d3 i5 f5 e4 f3 f4 g4 d4 c4 e5"),
        (7, "n9 k8 k7 h13 e10 d15 l7 j7 l9 h5 i6 j8"),
        (7, "b5 j9 b4 k8 b3 b6 c4 b2 d5 e6"),
    ];
    let ratings = games.map(|(plies, moves)| {
        let mut game = History::new(Mnk::default());
        game.play_text(moves).expect("legal moves");
        let mut judge = LineJudge::new(10.0);
        let found = puzzle(&game, &mut judge, &Budget::nodes(100_000), &StopFlag::new());
        let found = found.expect("one move wins as fast");
        assert_eq!(found.plies, Some(plies), "{moves}");
        found.rating
    });
    let [easy, medium, hard] = [0, 2, 4].map(|at| [ratings[at], ratings[at + 1]]);
    assert!(easy.into_iter().all(|rating| Puzzle::stars_of(rating) <= 2));
    let are_lower = |some: [u32; 2], others: [u32; 2]| some.iter().max() < others.iter().min();
    assert!(
        are_lower(easy, medium) && are_lower(medium, hard),
        "{ratings:?}"
    );
}

#[test]
fn an_interrupted_search_finds_nothing() {
    let stop = StopFlag::new();
    stop.raise();
    let start = TicTacToe::new();
    let mut finder = PuzzleFinder::new(&start, SolvedJudge::new(WinLoss, 1.0));
    let played = weak_game(&start, WinLoss, 1);
    let found = finder.in_game(&played, &Budget::UNLIMITED, &stop);
    assert!(found.is_empty());
    let found = finder.in_game(&played, &Budget::UNLIMITED, &StopFlag::new());
    assert!(!found.is_empty());
}
