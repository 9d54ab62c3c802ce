use core::fmt;
use core::num::NonZero;

use open_ttt_catalog::{AnalysisResult, DynGame, DynMove};
use open_ttt_coach::{Judge, MoveValue as Value, PositionValues, hint, review};
use open_ttt_lib::rules::{History, IndexedMoves, Notation, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, StopFlag};
use pyo3::prelude::*;

use crate::budget::{budget, threads};
use crate::errors::value_error;
use crate::game::Game;
use crate::integer::Integer;
use crate::interrupt::interruptible;
use crate::record::record;

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
#[pyclass(module = "open_ttt", frozen, get_all, eq, from_py_object)]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MoveValue {
    /// The move in the game's notation.
    r#move: String,
    /// The index of the move.
    index: usize,
    /// `"win"`, `"draw"` or `"loss"` under best play; `"unknown"` if that isn't proved.
    result: String,
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
            result: value.solved.result.as_str().to_owned(),
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
        let (text, result) = (&self.r#move, &self.result);
        match (self.margin, self.plies) {
            _ if !self.exact => format!("MoveValue({text}: {:.2} expected)", self.expected),
            (Some(margin), _) => format!("MoveValue({text}: {result} by {margin})"),
            (None, Some(plies)) => format!("MoveValue({text}: {result} in {plies})"),
            (None, None) => format!("MoveValue({text}: {result})"),
        }
    }
}

/// A good move and why.
#[pyclass(module = "open_ttt", frozen, get_all, eq)]
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[pyclass(module = "open_ttt", frozen, get_all, eq)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Analysis {
    /// `"win"`, `"draw"` or `"loss"`; `"unknown"` if that isn't proved.
    result: String,
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
#[pyclass(module = "open_ttt", frozen, get_all, eq, from_py_object)]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReviewedMove {
    /// The side that played it, 0 or 1.
    side: usize,
    /// The move and what it is worth.
    played: MoveValue,
    /// The best move of the position: the move itself if none is better.
    best: MoveValue,
    /// `"best"`, `"good"`, `"inaccuracy"`, `"mistake"` or `"blunder"`.
    quality: String,
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
#[pyclass(module = "open_ttt", frozen, get_all, eq)]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Review {
    /// Each move of the game.
    moves: Vec<ReviewedMove>,
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

record!(MoveValue {
    r#move: String,
    index: usize,
    result: String,
    plies: Option<u32>,
    margin: Option<i32>,
    exact: bool,
    expected: f64,
    uncertainty: f64,
});
record!(Hint {
    r#move: String,
    index: usize,
    sentence: String,
    line: Vec<String>,
});
record!(Analysis {
    result: String,
    plies: Option<u32>,
    margin: Option<i32>,
    exact: bool,
    best: Vec<String>,
    line: Vec<String>,
    nodes: u64,
});
record!(ReviewedMove {
    side: usize,
    played: MoveValue,
    best: MoveValue,
    quality: String,
    lost: f64,
});
record!(Review {
    moves: Vec<ReviewedMove>,
    accuracy: (Option<f64>, Option<f64>),
});

/// A search of a copy of a game: the game itself is free for whatever else runs meanwhile.
struct GameSearch {
    history: History<DynGame>,
    budget: Budget,
    threads: NonZero<usize>,
}

impl GameSearch {
    fn new(
        game: &Bound<'_, Game>,
        seconds: Option<f64>,
        nodes: Option<Integer>,
        threads: Option<Integer>,
    ) -> PyResult<Self> {
        let history = game.try_borrow()?.history.clone();
        Ok(Self {
            budget: budget(history.position(), seconds, nodes)?,
            threads: self::threads(threads)?,
            history,
        })
    }

    fn position(&self) -> &DynGame {
        self.history.position()
    }

    /// Works with the judge of the game, without Python's lock.
    fn with_judge<T: Send>(
        &self,
        game: &Bound<'_, Game>,
        work: impl FnOnce(&mut dyn Judge<DynGame>, &StopFlag) -> T + Send,
    ) -> PyResult<T> {
        let stop = StopFlag::new();
        let threads = self.threads;
        let kept = game.try_borrow()?.take_judge();
        let (kept, result) = interruptible(game.py(), &stop, || {
            let mut kept = kept
                .filter(|kept| kept.threads == threads)
                .unwrap_or_else(|| KeptJudge {
                    threads,
                    judge: self.history.start().judge(threads),
                });
            let result = work(&mut *kept.judge, &stop);
            (kept, result)
        })?;
        game.try_borrow()?.keep_judge(kept);
        Ok(result)
    }

    /// What `find` makes of the values of the moves.
    fn with_values<T: Send>(
        &self,
        game: &Bound<'_, Game>,
        find: impl FnOnce(PositionValues<DynMove>) -> T + Send,
    ) -> PyResult<T> {
        if self.history.outcome().is_some() {
            return Ok(find(PositionValues::new(Vec::new(), Vec::new(), 0)));
        }
        self.with_judge(game, |judge, stop| {
            let turn = Turn::of(&self.history).with_stop(stop.clone());
            find(judge.judge(&turn, &self.budget, &mut |_| ()))
        })
    }
}

#[pymethods]
impl Game {
    /// What every legal move is worth, the best first.
    ///
    /// The search ends after `seconds` or `nodes` positions. Without both, a game that can be
    /// proved is searched until all values are exact, and another for a second. A game with few
    /// positions is solved first, whatever the limits, which takes seconds at most. `threads`
    /// is all cores by default. Ctrl-C interrupts it.
    #[pyo3(signature = (*, seconds = None, nodes = None, threads = None))]
    fn values(
        slf: &Bound<'_, Self>,
        seconds: Option<f64>,
        nodes: Option<Integer>,
        threads: Option<Integer>,
    ) -> PyResult<Vec<MoveValue>> {
        let search = GameSearch::new(slf, seconds, nodes, threads)?;
        let values = search.with_values(slf, |values| values)?;
        let values = values.moves.iter();
        let value = |value| MoveValue::new(search.position(), value);
        Ok(values.map(value).collect())
    }

    /// A good move and why; `None` if the game is over. The limits are those of `values`.
    #[pyo3(signature = (*, seconds = None, nodes = None, threads = None))]
    fn hint(
        slf: &Bound<'_, Self>,
        seconds: Option<f64>,
        nodes: Option<Integer>,
        threads: Option<Integer>,
    ) -> PyResult<Option<Hint>> {
        let search = GameSearch::new(slf, seconds, nodes, threads)?;
        let position = search.position();
        let found = search.with_values(slf, |values| hint(position, &values))?;
        Ok(found.map(|hint| Hint {
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
        slf: &Bound<'_, Self>,
        seconds: Option<f64>,
        nodes: Option<Integer>,
        threads: Option<Integer>,
    ) -> PyResult<Analysis> {
        let search = GameSearch::new(slf, seconds, nodes, threads)?;
        let stop = StopFlag::new();
        let found = interruptible(slf.py(), &stop, || {
            AnalysisResult::of_game(&search.history, search.threads, &search.budget, &stop)
        })?;
        let position = search.position();
        let text = |&m: &DynMove| position.move_text(m);
        Ok(Analysis {
            result: found.value.result.as_str().to_owned(),
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
        slf: &Bound<'_, Self>,
        seconds: Option<f64>,
        nodes: Option<Integer>,
        threads: Option<Integer>,
    ) -> PyResult<Review> {
        let search = GameSearch::new(slf, seconds, nodes, threads)?;
        let review = search.with_judge(slf, |judge, stop| {
            review(&search.history, judge, &search.budget, stop, |_| ())
        })?;
        let mut position = search.history.start().clone();
        let moves = review.moves.iter().map(|reviewed| {
            let judged = ReviewedMove {
                side: reviewed.side.index(),
                played: MoveValue::new(&position, &reviewed.played),
                best: MoveValue::new(&position, &reviewed.best),
                quality: reviewed.quality.as_str().to_owned(),
                lost: reviewed.lost,
            };
            position.play(reviewed.played.m).map_err(|_| {
                value_error("a reviewed move isn't legal, which is a bug in open_ttt")
            })?;
            Ok(judged)
        });
        let moves = moves.collect::<PyResult<_>>()?;
        let [first, second] = review.accuracy;
        Ok(Review {
            moves,
            accuracy: (first, second),
        })
    }
}
