//! Threat search and proof search against the solution of tic-tac-toe.

use crate::positions::reachable;
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{Outcome, TwoPlayerGame};
use open_ttt_search::{Budget, Grade, ProofNumberSearch, StopFlag, WinLoss, forced_win, solve};

/// The searches that know lines alone say what looking at everything says.
#[test]
fn its_lines_tell_all() {
    let solution = solve(&TicTacToe::new(), &WinLoss, 10_000, &StopFlag::new()).unwrap();
    let mut search = ProofNumberSearch::new(1 << 16);
    let (unlimited, never) = (Budget::UNLIMITED, StopFlag::new());
    let mut won = 0;
    for position in reachable(&TicTacToe::new()) {
        let score = solution.score(&position).unwrap();
        let expected = match score.grade() {
            Grade::Win => Outcome::Win(position.to_move()),
            Grade::Loss => Outcome::Win(!position.to_move()),
            Grade::Evaluation(_) => Outcome::Draw,
        };
        let proved = search.prove(&position, &unlimited, &never, |_| {});
        assert_eq!(proved.unwrap().outcome, expected, "{position:?}");
        if position.outcome().is_some() {
            continue;
        }
        // With as many quiet moves as there are cells every win is found.
        let line = forced_win(&position, &Budget::depth(9), &never).line;
        assert_eq!(
            line.is_some(),
            (score.grade() == Grade::Win),
            "{position:?}"
        );
        won += u32::from(line.is_some());
        for m in line.into_iter().take(1).flatten().take(1) {
            let after = solution.score(&position.after(m)).unwrap();
            assert_eq!(after.grade(), Grade::Loss, "{m:?} in {position:?}");
        }
    }
    assert!(won > 1_000, "{won}");
}
