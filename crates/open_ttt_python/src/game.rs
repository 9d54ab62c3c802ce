use std::sync::{Mutex, PoisonError};

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use open_ttt_catalog::{Catalog, DynGame, DynMove};
use open_ttt_draw::{Size, draw};
use open_ttt_lib::rules::{
    Drawing, Encode, History, IndexedMoves, Named, Notation, Outcome, Reason, Side, TwoPlayerGame,
};
use open_ttt_search::StopFlag;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyNotImplemented, PyString, PyType};

use crate::analysis::KeptJudge;
use crate::errors::{IllegalMoveError, illegal, value_error};
use crate::game_info::GameInfo;
use crate::integer::Integer;
use crate::interrupt::interruptible;

/// The longest move sequences that are counted. Each move takes a part of the stack, and even the
/// sequences of a small game are too many long before.
const MAX_PERFT: u64 = 100;

/// About how many positions are counted without a look at the flag: the work of milliseconds.
const COUNTED_AT_ONCE: usize = 1 << 16;

/// A game: its position and the moves that led to it.
///
/// `name` is a key of the catalog with any parameters that aren't at their defaults, as in
/// `"connect4"` or `"mnk(m=5,n=5,k=4)"`. `moves` are played from the start: text such as
/// `"44 5"`, or a sequence of moves.
///
/// A move is text in the game's notation, or an index from 0 to `num_actions - 1`. Sides are
/// 0, which moves first, and 1.
#[pyclass(module = "open_ttt")]
#[derive(Debug)]
pub(crate) struct Game {
    pub(crate) history: History<DynGame>,
    /// What finds values of moves, and remembers what it has found.
    pub(crate) judge: Mutex<Option<KeptJudge>>,
}

impl Game {
    /// A game that begins at this position.
    pub(crate) fn at(position: DynGame) -> Self {
        Self::of(History::new(position))
    }

    pub(crate) fn of(history: History<DynGame>) -> Self {
        Self {
            history,
            judge: Mutex::new(None),
        }
    }

    pub(crate) fn position(&self) -> &DynGame {
        self.history.position()
    }

    /// The texts of successive moves from the current position on.
    pub(crate) fn line_texts(position: &DynGame, line: &[DynMove]) -> Vec<String> {
        let mut at = position.clone();
        let text = |&m: &DynMove| {
            let text = at.move_text(m);
            at.play_unchecked(m);
            text
        };
        line.iter().map(text).collect()
    }

    /// The move that a Python value stands for, legal or not.
    pub(crate) fn resolve(&self, m: &Bound<'_, PyAny>) -> PyResult<DynMove> {
        if let Ok(text) = m.cast::<PyString>() {
            let m = self.position().parse_move(text.to_str()?);
            return m.map_err(|error| IllegalMoveError::new_err(error.to_string()));
        }
        let index = m.extract::<i64>().ok();
        let Some(index) = index.filter(|_| !m.is_instance_of::<PyBool>()) else {
            let kind = m.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "a move is text or an index, not {kind}"
            )));
        };
        let indexed = usize::try_from(index).ok();
        let indexed = indexed.and_then(|index| self.position().indexed_move(index));
        indexed.ok_or_else(|| illegal(index, self.reason(Reason::OffBoard)))
    }

    /// Why a move is illegal that is illegal for this reason while the game goes on.
    fn reason(&self, reason: Reason) -> Reason {
        self.history.outcome().map_or(reason, |_| Reason::GameOver)
    }

    /// Whether the game begins as one of its name does.
    fn is_from_the_start(&self) -> bool {
        let start = Catalog::bundled().game(&self.name());
        start.is_ok_and(|start| start == *self.history.start())
    }

    fn play_move(&mut self, m: &Bound<'_, PyAny>) -> PyResult<()> {
        let resolved = self.resolve(m)?;
        let played = self.history.play(resolved);
        played.map_err(|error| illegal(m, error.reason))
    }

    fn play_text(&mut self, moves: &Bound<'_, PyString>) -> PyResult<()> {
        let played = self.history.play_text(moves.to_str()?);
        played.map_err(|error| IllegalMoveError::new_err(error.to_string()))
    }

    /// The legal moves; none if a rule about repetition has ended the game.
    fn moves(&self) -> Vec<DynMove> {
        match self.history.outcome() {
            None => self.position().moves().collect(),
            Some(_) => Vec::new(),
        }
    }
}

/// Counts the move sequences of this length from a position on, or some of them once the flag is
/// raised.
///
/// The library counts from positions with few to come, because it knows their type but no flag.
fn perft(position: &DynGame, depth: u32, stop: &StopFlag) -> u64 {
    let moves: Vec<DynMove> = position.moves().collect();
    // One move, as where a capture is forced, says little of how many follow, nor does a choice
    // among few pieces to be placed anywhere.
    let replies = moves
        .first()
        .map_or(0, |&m| position.after(m).moves().count());
    let breadth = moves.len().max(replies).max(8);
    let positions = breadth.checked_pow(depth.saturating_sub(1));
    if positions.is_some_and(|positions| positions <= COUNTED_AT_ONCE) {
        return position.perft(depth);
    }
    let running = moves.into_iter().take_while(|_| !stop.is_raised());
    let next = |m| perft(&position.after(m), depth - 1, stop);
    running.map(next).sum()
}

/// The points of each side: 1 for a win, -1 for a loss.
pub(crate) const fn returns(outcome: Option<Outcome>) -> (f32, f32) {
    match outcome {
        Some(Outcome::Win(Side::First)) => (1.0, -1.0),
        Some(Outcome::Win(Side::Second)) => (-1.0, 1.0),
        Some(Outcome::Draw) | None => (0.0, 0.0),
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (name, moves = None))]
    fn new(name: &str, moves: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut game = Self::at(Catalog::bundled().game(name).map_err(value_error)?);
        let Some(moves) = moves else {
            return Ok(game);
        };
        if let Ok(text) = moves.cast::<PyString>() {
            game.play_text(text)?;
            return Ok(game);
        }
        for m in moves.try_iter()? {
            game.play_move(&m?)?;
        }
        Ok(game)
    }

    /// The name of the game, as `Game` takes it.
    #[getter]
    fn name(&self) -> String {
        self.history.start().name()
    }

    /// The kind of game: its key, title, rules and parameters.
    #[getter]
    fn info(&self) -> GameInfo {
        GameInfo::new(&self.position().entry())
    }

    /// The rules in a few short lines.
    #[getter]
    fn rules(&self) -> &'static str {
        self.position().entry().rules
    }

    /// The side to move, 0 or 1. When the game is over, the side that would move next.
    #[getter]
    fn to_move(&self) -> usize {
        self.position().to_move().index()
    }

    /// The names of the sides: `("X", "O")`.
    #[getter]
    fn side_names(&self) -> (&'static str, &'static str) {
        let name = |side| self.position().side_name(side);
        (name(Side::First), name(Side::Second))
    }

    /// Whether the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.history.outcome().is_some()
    }

    /// `"first"`, `"second"` or `"draw"`; `None` while the game goes on.
    #[getter]
    fn outcome(&self) -> Option<&'static str> {
        Some(match self.history.outcome()? {
            Outcome::Win(Side::First) => "first",
            Outcome::Win(Side::Second) => "second",
            Outcome::Draw => "draw",
        })
    }

    /// The side that has won, 0 or 1; `None` after a draw and while the game goes on.
    #[getter]
    fn winner(&self) -> Option<usize> {
        self.history.outcome()?.winner().map(Side::index)
    }

    /// What each side has gained: 1 for a win, -1 for a loss, otherwise 0.
    #[getter]
    fn returns(&self) -> (f32, f32) {
        returns(self.history.outcome())
    }

    /// The points of each side in a game that counts them, otherwise `None`.
    #[getter]
    fn points(&self) -> Option<(u32, u32)> {
        let [first, second] = self.position().picture().points?;
        Some((first, second))
    }

    /// The moves so far, in the game's notation.
    #[getter]
    fn history(&self) -> Vec<String> {
        self.history.move_texts()
    }

    /// The indices of the moves so far.
    #[getter]
    fn history_indices(&self) -> Vec<usize> {
        let moves = self.history.moves().iter();
        moves.map(|&m| self.position().move_index(m)).collect()
    }

    /// The legal moves in the game's notation; none when the game is over.
    fn legal_moves(&self) -> Vec<String> {
        let text = |m| self.position().move_text(m);
        self.moves().into_iter().map(text).collect()
    }

    /// The indices of the legal moves, in the order of `legal_moves`.
    fn legal_indices(&self) -> Vec<usize> {
        let index = |m| self.position().move_index(m);
        self.moves().into_iter().map(index).collect()
    }

    /// The notation of the move with this index in the position.
    fn move_text(&self, index: Integer) -> PyResult<String> {
        let (index, text) = index.index();
        match self.position().indexed_move(index) {
            Some(m) => Ok(self.position().move_text(m)),
            None => Err(PyIndexError::new_err(format!(
                "no move of the position has the index {text}"
            ))),
        }
    }

    /// The index of the move with this notation in the position.
    fn move_index(&self, text: &str) -> PyResult<usize> {
        let m = self.position().parse_move(text).map_err(value_error)?;
        let index = self.position().move_index(m);
        // A move without an index of its own is illegal.
        match self.position().check(m) {
            Err(error) if self.position().indexed_move(index).is_none() => {
                Err(illegal(text, error.reason))
            }
            _ => Ok(index),
        }
    }

    /// Plays a move.
    fn play(&mut self, m: &Bound<'_, PyAny>) -> PyResult<()> {
        self.play_move(m)
    }

    /// Plays moves, given as text or as a sequence. Those before an illegal one are played.
    fn play_moves(slf: &Bound<'_, Self>, moves: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(text) = moves.cast::<PyString>() {
            return slf.try_borrow_mut()?.play_text(text);
        }
        // Whatever makes the moves may look at the game before each.
        for m in moves.try_iter()? {
            let m = m?;
            slf.try_borrow_mut()?.play_move(&m)?;
        }
        Ok(())
    }

    /// Takes the last move back and returns it; `None` if there is none.
    fn undo(&mut self) -> Option<String> {
        let m = self.history.undo()?;
        Some(self.position().move_text(m))
    }

    /// The board as text, for a terminal of this size; `coloured` adds ANSI escape codes.
    #[pyo3(
        signature = (*, coloured = false, columns = Integer::from(80), rows = Integer::from(24)),
        text_signature = "($self, *, coloured=False, columns=80, rows=24)"
    )]
    fn draw(&self, coloured: bool, columns: Integer, rows: Integer) -> PyResult<String> {
        let most = u64::from(u16::MAX);
        let size = Size {
            columns: columns.within("columns", 0..=most)? as u16,
            rows: rows.within("rows", 0..=most)? as u16,
        };
        let board = draw(&self.position().picture(), size);
        Ok(if coloured {
            board.coloured().to_string()
        } else {
            board.to_string()
        })
    }

    /// The number of move sequences of this length, which is at most 100, from the position on.
    /// As is usual, positions that come back don't end the game here. Ctrl-C interrupts it.
    fn perft(slf: &Bound<'_, Self>, depth: Integer) -> PyResult<u64> {
        let depth = depth.within("depth", 0..=MAX_PERFT)? as u32;
        let position = slf.try_borrow()?.position().clone();
        let stop = StopFlag::new();
        interruptible(slf.py(), &stop, || perft(&position, depth, &stop))
    }

    /// The number of different moves: one more than the highest index.
    #[getter]
    fn num_actions(&self) -> usize {
        self.position().move_count()
    }

    /// The shape of an observation: planes, rows, columns.
    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        let encoding = self.position().encoding();
        (encoding.planes, encoding.rows, encoding.columns)
    }

    /// What a network sees: planes of values from -1 to 1, of which those of the side to move
    /// come first. A new array with `observation_shape`.
    fn observation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let encoding = self.position().encoding();
        let mut planes = vec![0.0; encoding.inputs()];
        self.position().encode(&mut planes);
        let shape = [encoding.planes, encoding.rows, encoding.columns];
        PyArray1::from_vec(py, planes).reshape(shape)
    }

    /// Whether each move is legal, by its index. A new array.
    fn action_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mut mask = vec![false; self.position().move_count()];
        for index in self.legal_indices() {
            mask[index] = true;
        }
        PyArray1::from_vec(py, mask)
    }

    /// The same game, which can be played on independently.
    fn copy(&self) -> Self {
        Self::of(self.history.clone())
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, (String, String))> {
        if !self.is_from_the_start() {
            return Err(value_error(
                "a game that begins at a later position can't be pickled",
            ));
        }
        let moves = self.history.move_texts().join(" ");
        Ok((py.get_type::<Self>(), (self.name(), moves)))
    }

    /// Whether both have the same start and the same moves.
    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        match other.cast::<Self>() {
            Ok(other) => {
                let is_equal = other.try_borrow()?.history == self.history;
                Ok(PyBool::new(py, is_equal).to_owned().into_any())
            }
            Err(_) => Ok(PyNotImplemented::get(py).to_owned().into_any()),
        }
    }

    fn __str__(&self) -> PyResult<String> {
        self.draw(false, Integer::from(80), Integer::from(24))
    }

    fn __repr__(&self) -> String {
        let (name, moves) = (self.name(), self.history.move_texts().join(" "));
        match &*moves {
            "" if self.is_from_the_start() => format!("Game('{name}')"),
            _ if self.is_from_the_start() => format!("Game('{name}', '{moves}')"),
            "" => format!("<Game '{name}' from a later position>"),
            _ => format!("<Game '{name}' from a later position: {moves}>"),
        }
    }
}

impl Game {
    /// Takes the judge, to search without holding the lock.
    pub(crate) fn take_judge(&self) -> Option<KeptJudge> {
        let mut judge = self.judge.lock().unwrap_or_else(PoisonError::into_inner);
        judge.take()
    }

    /// Keeps a judge for the next search.
    pub(crate) fn keep_judge(&self, kept: KeptJudge) {
        let mut judge = self.judge.lock().unwrap_or_else(PoisonError::into_inner);
        *judge = Some(kept);
    }
}
