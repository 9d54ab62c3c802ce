//! Matches between players.

use core::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use open_ttt_catalog::{Catalog, DynGame, DynMove};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_players::{
    Decision, Match, Openings, Participant, Player as AnyPlayer, PlayerFactory, Turn,
};
use open_ttt_search::StopFlag;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::budget::{clock, threads};
use crate::errors::{illegal, value_error};
use crate::game::Game;
use crate::integer::Integer;
use crate::interrupt::interruptible;
use crate::player::Player;
use crate::record::record;

/// The result of a match, from the view of its first player.
#[pyclass(module = "open_ttt", frozen, get_all, eq)]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MatchResult {
    /// The number of games won.
    wins: u32,
    /// The number of games drawn.
    draws: u32,
    /// The number of games lost.
    losses: u32,
    /// The share of the points, from 0 to 1; a draw is half a point.
    score: f64,
    /// The Elo difference that explains the score; `None` while all games have the same
    /// result.
    elo: Option<f64>,
    /// The 95 % interval of the Elo difference; an end is infinite if the games don't bound
    /// it.
    elo_interval: Option<(f64, f64)>,
}

#[pymethods]
impl MatchResult {
    /// The number of games.
    #[getter]
    fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    fn __repr__(&self) -> String {
        let Self {
            wins,
            draws,
            losses,
            ..
        } = self;
        let elo = match (self.elo, self.elo_interval) {
            (Some(elo), Some((low, high))) => format!(", Elo {elo:+.0} ({low:+.0} to {high:+.0})"),
            _ => String::new(),
        };
        format!("MatchResult({wins} wins, {draws} draws, {losses} losses{elo})")
    }
}

record!(MatchResult {
    wins: u32,
    draws: u32,
    losses: u32,
    score: f64,
    elo: Option<f64>,
    elo_interval: Option<(f64, f64)>,
});

/// A Python function that chooses moves.
struct Callable {
    function: Arc<Py<PyAny>>,
    /// The first exception of a function in the match.
    failure: Arc<Mutex<Option<PyErr>>>,
    /// Ends the match.
    stop: StopFlag,
}

impl Callable {
    fn choose(&self, turn: &Turn<'_, DynGame>) -> PyResult<DynMove> {
        let position = turn.game;
        Python::attach(|py| {
            let game = match turn.history {
                Some(history) => Game::of(history.clone()),
                None => Game::at(position.clone()),
            };
            let game = Bound::new(py, game)?;
            let chosen = self.function.bind(py).call1((&game,))?;
            let m = Game::at(position.clone()).resolve(&chosen)?;
            position
                .check(m)
                .map_err(|error| illegal(&chosen, error.reason))?;
            Ok(m)
        })
    }
}

impl AnyPlayer<DynGame> for Callable {
    fn player_name(&self) -> &'static str {
        "function"
    }

    fn take_turn(&mut self, turn: &Turn<'_, DynGame>) -> Decision<DynMove> {
        match self.choose(turn) {
            Ok(m) => Decision::Play(m),
            Err(error) => {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(error);
                self.stop.raise();
                Decision::Resign
            }
        }
    }
}

/// A participant as Python names it.
enum Side {
    Computer(open_ttt_catalog::PlayerSpec),
    Function(Arc<Py<PyAny>>),
}

impl Side {
    fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return Player::parse(text.to_str()?).map(Self::Computer);
        }
        if let Ok(player) = value.cast::<Player>() {
            return Ok(Self::Computer(player.get().spec.clone()));
        }
        if value.is_callable() {
            return Ok(Self::Function(Arc::new(value.clone().unbind())));
        }
        let kind = value.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "a player is a name, a Player or a function from a Game to a move, not {kind}"
        )))
    }

    /// The factory of the participant's players. It may take long, as a small game is solved
    /// for the perfect player.
    fn players(
        self,
        start: &DynGame,
        failure: &Arc<Mutex<Option<PyErr>>>,
        stop: &StopFlag,
    ) -> PyResult<PlayerFactory<'static, DynGame>> {
        match self {
            Self::Computer(spec) => start.players(&spec, clock()).map_err(value_error),
            Self::Function(function) => {
                let (failure, stop) = (Arc::clone(failure), stop.clone());
                Ok(Box::new(move |_| {
                    Box::new(Callable {
                        function: Arc::clone(&function),
                        failure: Arc::clone(&failure),
                        stop: stop.clone(),
                    })
                }))
            }
        }
    }

    fn seed(&self) -> Option<u64> {
        match self {
            Self::Computer(spec) => spec.seed,
            Self::Function(_) => None,
        }
    }
}

/// Plays a match of many games between two players, who swap sides after each game.
///
/// A player is a name as for `Player`, a `Player`, or a function that takes the `Game` so far
/// and returns a move. Every pair of games begins with the same `opening_plies` random moves.
/// With a `seed`, and with players that have no time limit, the result is the same on any number
/// of `threads`, by default all cores. Ctrl-C interrupts it.
#[pyfunction]
#[pyo3(
    signature = (
        game, a, b, games = Integer::from(100), *, opening_plies = Integer::from(0), seed = None,
        threads = None
    ),
    text_signature = "(game, a, b, games=100, *, opening_plies=0, seed=None, threads=None)"
)]
#[expect(
    clippy::too_many_arguments,
    reason = "most have names and defaults in Python"
)]
pub(crate) fn play_match(
    py: Python<'_>,
    game: &str,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    games: Integer,
    opening_plies: Integer,
    seed: Option<Integer>,
    threads: Option<Integer>,
) -> PyResult<MatchResult> {
    let most = u64::from(u32::MAX);
    let games = games.within("games", 0..=most)? as u32;
    let opening_plies = opening_plies.within("opening_plies", 0..=most)? as u32;
    let seed = Integer::seed(seed)?;
    let start = Catalog::bundled().game(game).map_err(value_error)?;
    let (a, b) = (Side::of(a)?, Side::of(b)?);
    let threads: NonZero<usize> = self::threads(threads)?;
    let mut seeds = Rng::new(seed.unwrap_or_else(|| Rng::from_entropy().next_u64()));
    let [a_seed, b_seed, openings] = [seeds.next_u64(), seeds.next_u64(), seeds.next_u64()];
    let stop = StopFlag::new();
    let failure = Arc::new(Mutex::new(None));
    let report = interruptible(py, &stop, || {
        let participant = |side: Side, seed| {
            let seed = side.seed().unwrap_or(seed);
            let players = side.players(&start, &failure, &stop)?;
            Ok::<_, PyErr>(Participant::new(seed, players))
        };
        let planned = Match {
            start: start.clone(),
            a: participant(a, a_seed)?,
            b: participant(b, b_seed)?,
            games,
            openings: Openings::random(opening_plies, openings),
            sprt: None,
        };
        Ok::<_, PyErr>(planned.play(threads, &stop, |_, _| ()))
    })??;
    let failed = failure
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(error) = failed {
        return Err(error);
    }
    let score = report.statistics.score;
    let elo = report.statistics.elo();
    Ok(MatchResult {
        wins: score.wins,
        draws: score.draws,
        losses: score.losses,
        score: score.share(),
        elo: elo.map(|elo| elo.difference),
        elo_interval: elo.map(|elo| (elo.low, elo.high)),
    })
}
