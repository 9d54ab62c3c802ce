use core::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use open_ttt_catalog::{DynGame, DynMove, PlayerKind, PlayerSpec};
use open_ttt_lib::random::nth_seed;
use open_ttt_lib::rules::{History, Notation, SpecError, quoted};
use open_ttt_nn::Network;
use open_ttt_players::{Decision, Turn};
use open_ttt_search::StopFlag;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::budget::clock;
use crate::errors::{illegal, value_error};
use crate::game::Game;
use crate::interrupt::interruptible;

/// The largest file of a network that is read, in bytes.
const MAX_NETWORK_BYTES: u64 = 64 << 20;

/// A computer player by name.
///
/// Names are `"beginner"`, `"easy"`, `"medium"`, `"hard"`, `"expert"` and `"master"`;
/// `"perfect"`, `"mcts"`, `"negamax"`, `"random"`, `"net:pretrained"` and `"net:FILE"`. Most
/// take parameters, as in `"mcts(iterations=500, seed=1)"`. `"negamax"` and `"mcts"` without a
/// limit think for a second, and so does `"master"` where it is one of them.
#[pyclass(module = "open_ttt", frozen)]
pub(crate) struct Player {
    pub(crate) spec: PlayerSpec,
    kept: Mutex<Kept>,
}

/// What a player keeps from one turn to the next.
#[derive(Default)]
struct Kept {
    /// The player of the game that it has played last, which may have kept what it found.
    player: Option<KeptPlayer>,
    /// How many players have been made. Of a seed each takes a part of its own.
    made: u64,
}

struct KeptPlayer {
    start: DynGame,
    player: Box<dyn open_ttt_players::Player<DynGame> + Send>,
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

impl Player {
    pub(crate) fn parse(text: &str) -> PyResult<PlayerSpec> {
        let spec: PlayerSpec = text.parse().map_err(value_error)?;
        if spec.is_human() {
            return Err(value_error(
                "human isn't a computer player; play your own moves with Game.play",
            ));
        }
        if matches!(spec.kind, PlayerKind::Engine(_)) {
            return Err(value_error(
                "programs aren't started here; ask yours in a function, which can take part \
                 in matches",
            ));
        }
        match spec.network_file() {
            None => Ok(spec),
            Some(file) => {
                let network = read_network(file)?;
                Ok(spec.with_network(Arc::new(network)))
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The specification for the next player that is made: the first has the seed itself, as in
    /// any other program.
    fn next_spec(&self) -> PlayerSpec {
        let mut kept = self.kept();
        let number = kept.made;
        kept.made += 1;
        let mut spec = self.spec.clone();
        if number > 0 {
            spec.seed = spec.seed.map(|seed| nth_seed(seed, number));
        }
        spec
    }

    /// The player's move. The caller's copy of the game leaves the game itself to whatever else
    /// runs meanwhile.
    fn decide(&self, py: Python<'_>, history: &History<DynGame>) -> PyResult<DynMove> {
        if history.outcome().is_some() {
            return Err(value_error("the game is over"));
        }
        let stop = StopFlag::new();
        let kept = self.kept().player.take();
        let (kept, decision) = interruptible(py, &stop, || {
            let mut kept = match kept.filter(|kept| kept.start == *history.start()) {
                Some(kept) => kept,
                None => KeptPlayer {
                    start: history.start().clone(),
                    player: history.start().player(&self.next_spec(), clock())?,
                },
            };
            let turn = Turn::of(history).with_stop(stop.clone());
            let decision = kept.player.take_turn(&turn);
            Ok((kept, decision))
        })?
        .map_err(|error: SpecError| value_error(error))?;
        self.kept().player = Some(kept);
        match decision {
            Decision::Play(m) => Ok(m),
            Decision::Resign => Err(value_error("the player resigns")),
        }
    }
}

fn read_network(file: &str) -> PyResult<Network> {
    let name = quoted(file);
    // A pipe would be waited for.
    let opened = fs::metadata(file).and_then(|found| {
        if found.is_file() {
            File::open(file)
        } else {
            Err(io::Error::other("it isn't a file"))
        }
    });
    let mut bytes = Vec::new();
    opened
        .and_then(|file| file.take(MAX_NETWORK_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| {
            // Python's exception follows the kind of error.
            PyErr::from(io::Error::new(
                error.kind(),
                format!("can't read {name}: {error}"),
            ))
        })?;
    if bytes.len() as u64 > MAX_NETWORK_BYTES {
        let most = MAX_NETWORK_BYTES >> 20;
        return Err(value_error(format_args!(
            "{name} is larger than {most} MiB"
        )));
    }
    Network::from_bytes(&bytes)
        .map_err(|error| value_error(format_args!("{name} isn't a network: {error}")))
}

#[pymethods]
impl Player {
    #[new]
    fn new(spec: &str) -> PyResult<Self> {
        Ok(Self {
            spec: Self::parse(spec)?,
            kept: Mutex::default(),
        })
    }

    /// The name, as `Player` takes it.
    #[getter]
    fn spec(&self) -> String {
        self.spec.to_string()
    }

    /// Chooses a move for the side to move, and returns it in the game's notation. Ctrl-C
    /// interrupts it.
    fn choose(&self, py: Python<'_>, game: &Bound<'_, Game>) -> PyResult<String> {
        let history = game.try_borrow()?.history.clone();
        let m = self.decide(py, &history)?;
        Ok(history.position().move_text(m))
    }

    /// Chooses a move, plays it and returns it. A game that has changed meanwhile is a
    /// `RuntimeError`.
    fn play(&self, py: Python<'_>, game: &Bound<'_, Game>) -> PyResult<String> {
        let history = game.try_borrow()?.history.clone();
        let m = self.decide(py, &history)?;
        let text = history.position().move_text(m);
        let mut game = game.try_borrow_mut()?;
        if game.history != history {
            let changed = "the game has changed while the player was choosing a move";
            return Err(PyRuntimeError::new_err(changed));
        }
        let played = game.history.play(m);
        played.map_err(|error| illegal(&text, error.reason))?;
        Ok(text)
    }

    fn __str__(&self) -> String {
        self.spec()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let spec = PyString::new(py, &self.spec()).repr()?;
        Ok(format!("Player({spec})"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.spec(),))
    }
}
