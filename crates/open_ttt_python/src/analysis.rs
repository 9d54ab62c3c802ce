use core::fmt;
use core::num::NonZero;

use open_ttt_catalog::{AnalysisResult, DynGame, DynMove};
use open_ttt_coach::{Judge, MoveValue as Value, PositionValues, hint, review};
use open_ttt_lib::rules::{IndexedMoves, Notation, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, StopFlag};
use pyo3::prelude::*;

use crate::budget::{budget, threads};
use crate::errors::value_error;
use crate::game::Game;
use crate::interrupt::interruptible;

/// A judge of a game, with the number of its threads.
pub(crate) struct KeptJudge {
    threads: NonZero<usize>,
    judge: Box<dyn Judge<DynGame> + Send>,
}

impl fmt::Debug for KeptJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptJudge").finish_non_exhaustive()
    }
}

/// What a move is worth to the side that plays it.
#[pyclass(module = "open_ttt", frozen, get_all)]
#[derive(Clone, Debug)]
pub(crate) struct MoveValue {
    /// The move in the game's notation.
    r#move: String,
    /// The index of the move.
    index: usize,
    /// `"win"`, `"draw"` or `"loss"` under best play; `"unknown"` if that isn't proved.
    result: &'static str,
    /// The number of moves to the end, this one included, if known.
    plies: Option<u32>,
    /// The final margin of points, in a game that counts them.
    margin: Option<i32>,
    /// Whether the result is proved.
    exact: bool,
    /// The points that the side can expect, from 0 to 1: a win counts 1, a draw half.
    expected: f64,
    /// By how much that may be wrong, as far as the search shows it; 0 if proved.
    uncertainty: f64,
}

impl MoveValue {
    fn new(position: &DynGame, value: &Value<DynMove>) -> Self {
        Self {
            r#move: position.move_text(value.m),
            index: position.move_index(value.m),
            result: value.solved.result.as_str(),
            plies: value.solved.plies,
            margin: value.solved.margin,
            exact: value.is_proved(),
            expected: value.expected,
            uncertainty: value.uncertainty,
        }
    }
}

#[pymethods]
impl MoveValue {
    fn __repr__(&self) -> String {
        let (text, result) = (&self.r#move, self.result);
        match (self.margin, self.plies) {
            _ if !self.exact => format!("MoveValue({text}: {:.2} expected)", self.expected),
            (Some(margin), _) => format!("MoveValue({text}: {result} by {margin})"),
            (None, Some(plies)) => format!("MoveValue({text}: {result} in {plies})"),
            (None, None) => format!("MoveValue({text}: {result})"),
        }
    }
}

/// A good move and why.
#[pyclass(module = "open_ttt", frozen, get_all)]
#[derive(Debug)]
pub(crate) struct Hint {
    /// The move in the game's notation.
    r#move: String,
    /// The index of the move.
    index: usize,
    /// The move and why it is good, as a sentence.
    sentence: String,
    /// The moves of both sides that seem best, this one first.
    line: Vec<String>,
}

#[pymethods]
impl Hint {
    fn __str__(&self) -> &str {
        &self.sentence
    }

    fn __repr__(&self) -> String {
        format!("Hint({:?})", self.sentence)
    }
}

/// The value of a position for the side to move under best play.
#[pyclass(module = "open_ttt", frozen, get_all)]
#[derive(Debug)]
pub(crate) struct Analysis {
    /// `"win"`, `"draw"` or `"loss"`; `"unknown"` if that isn't proved.
    result: &'static str,
    /// The number of moves to the end, if known.
    plies: Option<u32>,
    /// The final margin of points, in a game that counts them.
    margin: Option<i32>,
    /// Whether the value is proved.
    exact: bool,
    /// Every move that keeps the best value, as far as that is known.
    best: Vec<String>,
    /// The moves of both sides under best play, as far as they were found.
    line: Vec<String>,
    /// The number of positions searched.
    nodes: u64,
}

#[pymethods]
impl Analysis {
    fn __repr__(&self) -> String {
        let Self { result, best, .. } = self;
        format!("Analysis({result}, best={})", best.join(" "))
    }
}

/// A move of a game, judged.
#[pyclass(module = "open_ttt", frozen, get_all)]
#[derive(Debug)]
pub(crate) struct ReviewedMove {
    /// The side that played it, 0 or 1.
    side: usize,
    /// The move and what it is worth.
    played: MoveValue,
    /// The best move of the position: the move itself if none is better.
    best: MoveValue,
    /// `"best"`, `"good"`, `"inaccuracy"`, `"mistake"` or `"blunder"`.
    quality: &'static str,
    /// The points of 1 that the side expected and gave away.
    lost: f64,
}

#[pymethods]
impl ReviewedMove {
    fn __repr__(&self) -> String {
        format!("ReviewedMove({}: {})", self.played.r#move, self.quality)
    }
}

/// A game judged move by move.
#[pyclass(module = "open_ttt", frozen, get_all)]
#[derive(Debug)]
pub(crate) struct Review {
    /// Each move of the game.
    moves: Vec<Py<ReviewedMove>>,
    /// The accuracy of each side in percent; `None` for a side that made no move.
    accuracy: (Option<f64>, Option<f64>),
}

#[pymethods]
impl Review {
    fn __repr__(&self) -> String {
        let percent = |accuracy: Option<f64>| match accuracy {
            Some(percent) => format!("{percent:.0} %"),
            None => "no move".to_owned(),
        };
        let (first, second) = self.accuracy;
        let (first, second) = (percent(first), percent(second));
        format!("Review(accuracy: {first}, {second})")
    }
}

impl Game {
    /// Works with the judge of this game, without Python's lock.
    fn with_judge<T: Send>(
        &self,
        py: Python<'_>,
        threads: NonZero<usize>,
        work: impl FnOnce(&mut dyn Judge<DynGame>, &StopFlag) -> T + Send,
    ) -> PyResult<T> {
        let stop = StopFlag::new();
        let kept = self.take_judge();
        let (kept, result) = interruptible(py, &stop, || {
            let mut kept = kept
                .filter(|kept| kept.threads == threads)
                .unwrap_or_else(|| KeptJudge {
                    threads,
                    judge: self.history.start().judge(threads),
                });
            let result = work(&mut *kept.judge, &stop);
            (kept, result)
        })?;
        self.keep_judge(kept);
        Ok(result)
    }

    fn position_values(
        &self,
        py: Python<'_>,
        budget: &Budget,
        threads: NonZero<usize>,
    ) -> PyResult<PositionValues<DynMove>> {
        if self.history.outcome().is_some() {
            return Ok(PositionValues::new(Vec::new(), Vec::new(), 0));
        }
        self.with_judge(py, threads, |judge, stop| {
            let turn = Turn::of(&self.history).with_stop(stop.clone());
            judge.judge(&turn, budget, &mut |_| ())
        })
    }
}

#[pymethods]
impl Game {
    /// What every legal move is worth, the best first.
    ///
    /// The search ends after `seconds` or `nodes` positions. Without both, a game that can be
    /// proved is searched until all values are exact, and another for a second. `threads` is
    /// all cores by default. Ctrl-C interrupts it.
    #[pyo3(signature = (*, seconds = None, nodes = None, threads = None))]
    fn values(
        &self,
        py: Python<'_>,
        seconds: Option<f64>,
        nodes: Option<u64>,
        threads: Option<usize>,
    ) -> PyResult<Vec<MoveValue>> {
        let budget = budget(self.position(), seconds, nodes)?;
        let values = self.position_values(py, &budget, self::threads(threads)?)?;
        let values = values.moves.iter();
        Ok(values
            .map(|value| MoveValue::new(self.position(), value))
            .collect())
    }

    /// A good move and why; `None` if the game is over. The limits are those of `values`.
    #[pyo3(signature = (*, seconds = None, nodes = None, threads = None))]
    fn hint(
        &self,
        py: Python<'_>,
        seconds: Option<f64>,
        nodes: Option<u64>,
        threads: Option<usize>,
    ) -> PyResult<Option<Hint>> {
        let budget = budget(self.position(), seconds, nodes)?;
        let values = self.position_values(py, &budget, self::threads(threads)?)?;
        let position = self.position();
        let Some(hint) = hint(position, &values) else {
            return Ok(None);
        };
        Ok(Some(Hint {
            r#move: position.move_text(hint.m),
            index: position.move_index(hint.m),
            sentence: hint.sentence(position),
            line: Self::line_texts(position, &hint.line),
        }))
    }

    /// The value of the position, and every move that keeps it. The limits are those of
    /// `values`.
    #[pyo3(signature = (*, seconds = None, nodes = None, threads = None))]
    fn analyze(
        &self,
        py: Python<'_>,
        seconds: Option<f64>,
        nodes: Option<u64>,
        threads: Option<usize>,
    ) -> PyResult<Analysis> {
        let budget = budget(self.position(), seconds, nodes)?;
        let threads = self::threads(threads)?;
        let stop = StopFlag::new();
        let found = interruptible(py, &stop, || {
            AnalysisResult::of_game(&self.history, threads, &budget, &stop)
        })?;
        let position = self.position();
        let text = |&m: &DynMove| position.move_text(m);
        Ok(Analysis {
            result: found.value.result.as_str(),
            plies: found.value.plies,
            margin: found.value.margin,
            exact: found.exact,
            best: found.best.iter().map(text).collect(),
            line: Self::line_texts(position, &found.principal_variation),
            nodes: found.nodes,
        })
    }

    /// Judges every move of the game. The limits are those of `values`, for all moves
    /// together.
    #[pyo3(signature = (*, seconds = None, nodes = None, threads = None))]
    fn review(
        &self,
        py: Python<'_>,
        seconds: Option<f64>,
        nodes: Option<u64>,
        threads: Option<usize>,
    ) -> PyResult<Review> {
        let budget = budget(self.position(), seconds, nodes)?;
        let review = self.with_judge(py, self::threads(threads)?, |judge, stop| {
            review(&self.history, judge, &budget, stop, |_| ())
        })?;
        let mut position = self.history.start().clone();
        let moves = review.moves.iter().map(|reviewed| {
            let judged = ReviewedMove {
                side: reviewed.side.index(),
                played: MoveValue::new(&position, &reviewed.played),
                best: MoveValue::new(&position, &reviewed.best),
                quality: reviewed.quality.as_str(),
                lost: reviewed.lost,
            };
            position.play(reviewed.played.m).map_err(|_| {
                value_error("a reviewed move isn't legal, which is a bug in open_ttt")
            })?;
            Py::new(py, judged)
        });
        let moves = moves.collect::<PyResult<_>>()?;
        let [first, second] = review.accuracy;
        Ok(Review {
            moves,
            accuracy: (first, second),
        })
    }
}
