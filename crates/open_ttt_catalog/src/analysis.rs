use core::num::NonZero;

use super::dyn_move::{dyn_line, dyn_move};
use super::{CatalogGame, DynGame, DynMove, SolvedValue};
use open_ttt_lib::rules::{History, Side, TwoPlayerGame};
use open_ttt_search::{Budget, Grade, ProvedOutcome, Score, SearchResult, StopFlag};

/// The value of a position for the side to move under best play: the fastest
/// win, the slowest loss, the most points.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnalysisResult {
    /// The side to move, for which all values are given.
    pub to_move: Side,
    /// How the game ends, if proved.
    pub value: SolvedValue,
    /// Every move that keeps the best value; empty exactly when the game is
    /// over. A guess unless `exact`. If it is known that the side to move wins but not
    /// how soon, one winning move.
    pub best: Vec<DynMove>,
    /// The moves of both sides under best play, as far as they were found.
    pub principal_variation: Vec<DynMove>,
    /// Whether the value is proved.
    pub exact: bool,
    /// The number of positions searched.
    pub nodes: u64,
}

/// The game-theoretic value of a position for the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameValue {
    /// The side to move wins.
    Win,
    /// The game is drawn.
    Draw,
    /// The side to move loses.
    Loss,
    /// Not proved.
    #[default]
    Unknown,
}

impl GameValue {
    /// `win`, `draw`, `loss` or `unknown`, as in the program's JSON reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Loss => "loss",
            Self::Unknown => "unknown",
        }
    }

    /// The value that a proved score stands for.
    pub(super) fn of(score: Score) -> Self {
        match score.grade() {
            Grade::Win | Grade::Evaluation(1..) => Self::Win,
            Grade::Evaluation(0) => Self::Draw,
            Grade::Loss | Grade::Evaluation(_) => Self::Loss,
        }
    }
}

impl AnalysisResult {
    /// Analyzes the last position of a game, as [`DynGame::analyze`]. If the game has
    /// ended by its rule about repetition, which the position doesn't know, that is the
    /// result.
    pub fn of_game(
        game: &History<DynGame>,
        threads: NonZero<usize>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Self {
        let position = game.position();
        match game.outcome() {
            Some(outcome) if position.outcome().is_none() => Self {
                to_move: position.to_move(),
                value: SolvedValue::finished(outcome, position.to_move()),
                best: Vec::new(),
                principal_variation: Vec::new(),
                exact: true,
                nodes: 0,
            },
            _ => position.analyze(threads, budget, stop),
        }
    }

    /// The result where it is known who wins, but not how soon: one winning move, or all
    /// moves if each of them keeps the result.
    pub(super) fn of_outcome<G: CatalogGame>(game: &G, known: &ProvedOutcome<G::Move>) -> Self {
        let best: Vec<_> = match known.winning_move {
            Some(m) => vec![m],
            None => game.moves().collect(),
        };
        Self {
            to_move: game.to_move(),
            value: SolvedValue::of_outcome(known.outcome, game.to_move()),
            principal_variation: dyn_line(game, &best[..best.len().min(1)]),
            best: best.into_iter().map(|m| dyn_move(game, m)).collect(),
            exact: true,
            nodes: known.nodes,
        }
    }

    pub(super) fn of<G: CatalogGame>(game: &G, answer: &SearchResult<G::Move>) -> Self {
        let value = if answer.proved {
            let value = SolvedValue::of::<G>(answer.score);
            // Unless a draw lies in going on for ever, the principal variation or the
            // depth tell when the game ends.
            let line = &answer.principal_variation;
            let end = line.iter().fold(game.clone(), |at, &m| at.after(m));
            let plies = match end.outcome() {
                _ if game.repetition().is_some() => None,
                Some(_) => Some(line.len() as u32),
                None => Some(answer.depth),
            };
            SolvedValue {
                plies: plies.or(value.plies),
                ..value
            }
        } else {
            SolvedValue::default()
        };
        Self {
            to_move: game.to_move(),
            value,
            best: answer.best.iter().map(|&m| dyn_move(game, m)).collect(),
            principal_variation: dyn_line(game, &answer.principal_variation),
            exact: answer.proved,
            nodes: answer.nodes,
        }
    }
}
