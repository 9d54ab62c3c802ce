//! Many games at once.

mod batch;
mod course;

use core::fmt;

use numpy::ndarray::{Dimension, Ix4};
use numpy::{
    AllowTypeChange, Element, PyArray, PyArray1, PyArray2, PyArray4, PyArrayDescrMethods,
    PyArrayLike1, PyArrayMethods, PyReadwriteArray, PyUntypedArray, PyUntypedArrayMethods,
    get_array_module,
};
use open_ttt_catalog::Catalog;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, IndexedMoves, Named};
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyTypeError};
use pyo3::prelude::*;

use crate::errors::{IllegalMoveError, value_error};
use crate::game::Game;
use crate::integer::Integer;
use batch::{Batch, View, batch};

/// The most elements of an array.
const MAX_ELEMENTS: usize = 1 << 32;

/// What a reset returns: observations and masks.
type Start<'py> = (
    Option<Bound<'py, PyArray4<f32>>>,
    Bound<'py, PyArray2<bool>>,
);

/// What a step returns: observations, rewards, terminations and masks.
type Step<'py> = (
    Option<Bound<'py, PyArray4<f32>>>,
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray2<bool>>,
);

/// Many games of one kind that are played at the same time. A game that ends begins anew.
///
/// The arrays belong to the environment: each `step` and `reset` overwrites theirs, and each
/// `sample` its own. `copy()` what is to be kept. Masks are read-only: a step writes only where
/// they change. With `observe=False` no observations are written.
#[pyclass(module = "open_ttt")]
pub(crate) struct VectorEnv {
    name: String,
    num_envs: usize,
    num_actions: usize,
    observation_shape: (usize, usize, usize),
    batch: Box<dyn Batch>,
    rng: Rng,
    /// The actions of a step.
    actions: Vec<i64>,
    observations: Option<Py<PyArray4<f32>>>,
    rewards: Py<PyArray1<f32>>,
    terminations: Py<PyArray1<bool>>,
    masks: Py<PyArray2<bool>>,
    /// A view of the masks that can't be written to, which is what others get. Of a row with
    /// thousands of moves a step changes few, and trusts the rest.
    shown_masks: Py<PyArray2<bool>>,
    to_move: Py<PyArray1<u8>>,
    sampled: Py<PyArray1<i64>>,
}

impl fmt::Debug for VectorEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorEnv")
            .field("name", &self.name)
            .field("num_envs", &self.num_envs)
            .finish_non_exhaustive()
    }
}

/// Makes an array of zeros. The function of `numpy` itself raises an exception if there is no memory.
fn zeros<'py, T: Element, D: Dimension>(
    py: Python<'py>,
    shape: impl IntoPyObject<'py>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    let zeros = get_array_module(py)?.call_method1("zeros", (shape, T::get_dtype(py)))?;
    Ok(zeros.cast_into()?)
}

/// Borrows an array, with so many elements for each game, to write to it.
///
/// Whoever has the array may have given it another shape or type.
fn writable<'py, T: Element, D: Dimension>(
    array: &Py<PyArray<T, D>>,
    length: usize,
    py: Python<'py>,
) -> PyResult<PyReadwriteArray<'py, T, D>> {
    let array = array.bind(py);
    if array.len() != length || !array.dtype().is_equiv_to(&T::get_dtype(py)) {
        return Err(value_error(
            "an array of the environment has another shape or type now; make a new environment",
        ));
    }
    array.try_readwrite().map_err(value_error)
}

/// Actions as an array, one for each game.
fn one_for_each<'py>(
    actions: &Bound<'py, PyAny>,
    games: usize,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let array = match actions.cast::<PyUntypedArray>() {
        Ok(array) => array.clone(),
        Err(_) => get_array_module(actions.py())?
            .call_method1("asarray", (actions,))?
            .cast_into()?,
    };
    match *array.shape() {
        [length] if length == games => Ok(array),
        [length] => Err(value_error(format_args!(
            "{length} actions for {games} games"
        ))),
        _ => Err(value_error(format_args!(
            "actions have the shape {}; expected ({games},)",
            array.getattr("shape")?
        ))),
    }
}

/// Actions if they are integers. What numpy makes of others, such as the scores of a network,
/// would be moves that nobody has chosen.
fn integers<'py>(
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<PyArrayLike1<'py, i64, AllowTypeChange>> {
    let dtype = array.dtype();
    if !matches!(dtype.kind(), b'i' | b'u') {
        return Err(PyTypeError::new_err(format!(
            "actions are integers, not {dtype}"
        )));
    }
    array.extract()
}

impl VectorEnv {
    /// Begins all games anew.
    fn begin(&mut self, py: Python<'_>) -> PyResult<()> {
        let mut planes = self.writable_observations(py)?;
        let mut masks = writable(&self.masks, self.num_envs * self.num_actions, py)?;
        let mut to_move = writable(&self.to_move, self.num_envs, py)?;
        let mut view = View {
            planes: match &mut planes {
                Some(planes) => planes.as_slice_mut()?,
                None => &mut [],
            },
            masks: masks.as_slice_mut()?,
            to_move: to_move.as_slice_mut()?,
        };
        let batch = &mut self.batch;
        py.detach(|| batch.reset(&mut view));
        Ok(())
    }

    fn seed(&mut self, seed: Option<u64>) {
        self.rng = seed.map_or_else(Rng::from_entropy, Rng::new);
    }

    fn writable_observations<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<PyReadwriteArray<'py, f32, Ix4>>> {
        let (planes, rows, columns) = self.observation_shape;
        let length = self.num_envs * planes * rows * columns;
        let observations = self.observations.as_ref();
        observations
            .map(|array| writable(array, length, py))
            .transpose()
    }

    fn bound_observations<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray4<f32>>> {
        self.observations
            .as_ref()
            .map(|array| array.bind(py).clone())
    }
}

#[pymethods]
impl VectorEnv {
    #[new]
    #[pyo3(signature = (name, num_envs, *, seed = None, observe = true))]
    fn new(
        py: Python<'_>,
        name: &str,
        num_envs: Integer,
        seed: Option<Integer>,
        observe: bool,
    ) -> PyResult<Self> {
        let seed = Integer::seed(seed)?;
        let start = Catalog::bundled().game(name).map_err(value_error)?;
        let encoding = start.encoding();
        let num_actions = start.move_count();
        let largest = encoding.inputs().max(num_actions);
        let most = (MAX_ELEMENTS / largest) as u64;
        let num_envs = num_envs.within("num_envs", 1..=most)? as usize;
        let (planes, rows, columns) = (encoding.planes, encoding.rows, encoding.columns);
        let observations = if observe {
            Some(zeros(py, (num_envs, planes, rows, columns))?.unbind())
        } else {
            None
        };
        let masks = zeros(py, (num_envs, num_actions))?;
        let shown_masks: Bound<'_, PyArray2<bool>> = masks.call_method0("view")?.cast_into()?;
        shown_masks.readwrite().make_nonwriteable();
        let mut env = Self {
            name: start.name(),
            num_envs,
            num_actions,
            observation_shape: (planes, rows, columns),
            batch: py
                .detach(|| batch(&start, num_envs))
                .map_err(|error| PyMemoryError::new_err(error.to_string()))?,
            rng: Rng::new(0),
            actions: Vec::new(),
            observations,
            rewards: zeros(py, (num_envs,))?.unbind(),
            terminations: zeros(py, (num_envs,))?.unbind(),
            masks: masks.unbind(),
            shown_masks: shown_masks.unbind(),
            to_move: zeros(py, (num_envs,))?.unbind(),
            sampled: zeros(py, (num_envs,))?.unbind(),
        };
        env.seed(seed);
        env.begin(py)?;
        Ok(env)
    }

    /// The name of the game.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The number of games.
    #[getter]
    fn num_envs(&self) -> usize {
        self.num_envs
    }

    /// The number of different moves of the game.
    #[getter]
    fn num_actions(&self) -> usize {
        self.num_actions
    }

    /// The shape of one observation: planes, rows, columns.
    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        self.observation_shape
    }

    /// What the side to move sees in each game, as `Game.observation`; `None` without.
    #[getter]
    fn observations<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray4<f32>>> {
        self.bound_observations(py)
    }

    /// Whether each move is legal, a row for each game.
    #[getter]
    fn masks<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        self.shown_masks.bind(py).clone()
    }

    /// The side to move in each game, 0 or 1.
    #[getter]
    fn to_move<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        self.to_move.bind(py).clone()
    }

    /// Begins all games anew and returns the observations and the masks. `seed` determines
    /// what `sample` chooses from then on.
    #[pyo3(signature = (seed = None))]
    fn reset<'py>(&mut self, py: Python<'py>, seed: Option<Integer>) -> PyResult<Start<'py>> {
        if let Some(seed) = Integer::seed(seed)? {
            self.seed(Some(seed));
        }
        self.begin(py)?;
        Ok((self.bound_observations(py), self.masks(py)))
    }

    /// Plays a move in each game, given by its index, and returns the observations, rewards,
    /// terminations and masks. `actions` are integers of any size; floats and bools are a
    /// `TypeError`.
    ///
    /// A reward is that of the side that moved: 1 if it has won, -1 if it has lost, otherwise
    /// 0. Where a game has ended, its termination is true, and the observation, the mask and
    /// `to_move` are those of a new game. If a move is illegal, no game changes.
    fn step<'py>(&mut self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<Step<'py>> {
        let given = one_for_each(actions, self.num_envs)?;
        // A copy, which nobody can change between the check and the move.
        self.actions.clear();
        self.actions.extend(integers(&given)?.as_array().iter());
        let actions = &self.actions[..];
        if let Some(game) = py.detach(|| self.batch.find_illegal(actions)) {
            // As it was given: a number that is too large has become another one.
            let action = given.get_item(game)?;
            return Err(IllegalMoveError::new_err(format!(
                "action {action} is illegal in game {game}"
            )));
        }
        let mut planes = self.writable_observations(py)?;
        let mut masks = writable(&self.masks, self.num_envs * self.num_actions, py)?;
        let mut to_move = writable(&self.to_move, self.num_envs, py)?;
        let mut rewards = writable(&self.rewards, self.num_envs, py)?;
        let mut ends = writable(&self.terminations, self.num_envs, py)?;
        let mut view = View {
            planes: match &mut planes {
                Some(planes) => planes.as_slice_mut()?,
                None => &mut [],
            },
            masks: masks.as_slice_mut()?,
            to_move: to_move.as_slice_mut()?,
        };
        let (rewards, ends) = (rewards.as_slice_mut()?, ends.as_slice_mut()?);
        let batch = &mut self.batch;
        py.detach(|| batch.step(actions, rewards, ends, &mut view));
        Ok((
            self.bound_observations(py),
            self.rewards.bind(py).clone(),
            self.terminations.bind(py).clone(),
            self.masks(py),
        ))
    }

    /// A legal move for each game, each with the same probability, as an array for `step`,
    /// which the next call overwrites.
    fn sample<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut sampled = writable(&self.sampled, self.num_envs, py)?;
        let actions = sampled.as_slice_mut()?;
        let (batch, rng) = (&self.batch, &mut self.rng);
        py.detach(|| batch.sample(rng, actions));
        Ok(self.sampled.bind(py).clone())
    }

    /// One of the games, from its current position on: a copy, which can be played on
    /// independently.
    fn game(&self, index: Integer) -> PyResult<Game> {
        let (index, text) = index.index();
        if index >= self.num_envs {
            return Err(PyIndexError::new_err(format!(
                "there is no game {text}; the first is 0 and the last {}",
                self.num_envs - 1
            )));
        }
        Ok(Game::at(self.batch.position(index)))
    }

    fn __len__(&self) -> usize {
        self.num_envs
    }

    fn __repr__(&self) -> String {
        format!("VectorEnv('{}', {})", self.name, self.num_envs)
    }
}
