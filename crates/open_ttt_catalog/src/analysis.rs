use core::num::NonZero;

use super::dyn_move::{dyn_line, dyn_move};
use super::{CatalogGame, DynGame, DynMove};
use open_ttt_coach::{Judge, PositionValues, SolvedValue};
use open_ttt_lib::rules::{History, Side, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, ProvedOutcome, SearchResult, StopFlag, draws_if_repeated};

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

impl AnalysisResult {
    /// Analyzes the last position of a game, as [`DynGame::analyze`], and with what has been
    /// repeated, which the position doesn't know.
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
            None if !draws_if_repeated(position, game.earlier()).is_empty() => {
                // The position alone doesn't tell what it is worth.
                let turn = Turn::of(game).with_stop(stop.clone());
                let values = position.judge(threads).judge(&turn, budget, &mut |_| ());
                Self::of_values(position, values)
            }
            _ => position.analyze(threads, budget, stop),
        }
    }

    fn of_values(game: &DynGame, values: PositionValues<DynMove>) -> Self {
        let value = values.result();
        Self {
            to_move: game.to_move(),
            value,
            best: values.best_moves().map(|value| value.m).collect(),
            exact: value.is_proved(),
            nodes: values.nodes,
            principal_variation: values.line,
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
            let value = G::SEARCHES.solved_value(answer.score);
            // Unless a draw lies in going on for ever, the principal variation or the
            // depth tell when the game ends.
            let line = &answer.principal_variation;
            let end = line.iter().fold(game.clone(), |at, &m| at.after(m));
            let plies = match end.outcome() {
                _ if game.repetition().is_some() => None,
                Some(_) => Some(line.len() as u32),
                None => Some(answer.depth),
            };
            value.with_plies(plies.or(value.plies))
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
