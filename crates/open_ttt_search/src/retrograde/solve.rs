use core::error::Error;
use core::fmt;
use std::collections::HashMap;

use crate::{Answer, Evaluator, Score};
use open_ttt_lib::rules::TwoPlayerGame;

/// Everything about a small game: the exact score of each position that can
/// be reached from its start.
#[derive(Clone, Debug)]
pub struct Solution<G> {
    scores: HashMap<G, Score>,
}

/// The game has more positions than were to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// How many positions were to be looked at at most.
    pub most_positions: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the game has more than {} positions",
            self.most_positions
        )
    }
}

impl Error for TooLarge {}

/// Solves a game completely: every position that can be reached from `start`,
/// each looked at once.
///
/// Memory grows with the number of positions; nothing is left out, so that
/// the moves of every position can be graded afterwards.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_search::{Score, WinLoss, solve};
///
/// let solution = solve(&TicTacToe::new(), &WinLoss, 10_000)?;
/// assert_eq!(solution.positions(), 5_478);
/// assert_eq!(solution.score(&TicTacToe::new()), Some(Score::DRAW));
/// # Ok::<(), open_ttt_search::TooLarge>(())
/// ```
///
/// # Errors
///
/// [`TooLarge`] as soon as there prove to be more than `most_positions`.
pub fn solve<G, E>(start: &G, evaluator: &E, most_positions: usize) -> Result<Solution<G>, TooLarge>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let mut scores = HashMap::new();
    visit(start, evaluator, most_positions, &mut scores)?;
    Ok(Solution { scores })
}

fn visit<G, E>(
    game: &G,
    evaluator: &E,
    most_positions: usize,
    scores: &mut HashMap<G, Score>,
) -> Result<Score, TooLarge>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    if let Some(&score) = scores.get(game) {
        return Ok(score);
    }
    let score = if let Some(outcome) = game.outcome() {
        evaluator.finished(game, outcome, 0)
    } else {
        let mut best = Score::MIN;
        for m in game.moves() {
            let reply = visit(&game.after(m), evaluator, most_positions, scores)?;
            best = best.max((-reply).one_ply_earlier());
        }
        best
    };
    if scores.len() >= most_positions {
        return Err(TooLarge { most_positions });
    }
    scores.insert(game.clone(), score);
    Ok(score)
}

impl<G: TwoPlayerGame> Solution<G> {
    /// How many positions the game has, its start and its ends included.
    pub fn positions(&self) -> usize {
        self.scores.len()
    }

    /// What a position is worth to its side to move; `None` if the game does
    /// not lead there.
    pub fn score(&self, game: &G) -> Option<Score> {
        self.scores.get(game).copied()
    }

    /// Every move of a position with its exact score, the best first; `None`
    /// if the game does not lead there.
    pub fn moves(&self, game: &G) -> Option<Vec<(G::Move, Score)>> {
        self.score(game)?;
        let mut moves = game
            .moves()
            .map(|m| Some((m, (-self.score(&game.after(m))?).one_ply_earlier())))
            .collect::<Option<Vec<_>>>()?;
        moves.sort_by_key(|&(_, score)| core::cmp::Reverse(score));
        Some(moves)
    }

    /// The answer a search without limits would give; `None` if the game does
    /// not lead to this position.
    pub fn answer(&self, game: &G) -> Option<Answer<G::Move>> {
        let score = self.score(game)?;
        let moves = self.moves(game)?;
        let mut line = Vec::new();
        let mut at = game.clone();
        while let Some(&(m, _)) = self.moves(&at)?.first() {
            line.push(m);
            at.play_unchecked(m);
        }
        Some(Answer {
            score,
            best: game
                .moves()
                .filter(|m| moves.contains(&(*m, score)))
                .collect(),
            depth: line.len() as u32,
            line,
            moves,
            nodes: 0,
            proved: true,
        })
    }
}
