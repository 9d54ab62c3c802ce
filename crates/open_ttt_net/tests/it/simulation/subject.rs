use core::cell::Cell;
use core::fmt::Debug;

use open_ttt_lib::games::{ConnectFour, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Named, Notation};
use open_ttt_lib::state_machine::{GameMachine, GameMove, StateMachine};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A state machine under test.
pub(super) trait Subject: StateMachine + DeserializeOwned + PartialEq {
    /// The initial state.
    fn fresh() -> Self;

    /// A random transition, usually a possible one.
    fn random_transition(&self, rng: &mut Rng) -> Self::Transition;

    /// The transition as a node amends it on arrival.
    fn amended(transition: &Self::Transition, _now: u64) -> Self::Transition {
        transition.clone()
    }

    /// A corrupted copy of the state.
    fn corrupted(&self, rng: &mut Rng) -> Self;
}

/// A machine that reveals every lost, duplicated or reordered transition: a few
/// items, and a hash of the whole history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    items: Vec<u32>,
    history: u64,
    stamp: u64,
}

/// A transition of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JournalStep {
    tag: u32,
    kind: StepKind,
    /// The time of arrival, set by the node.
    stamp: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum StepKind {
    Push,
    Drop,
    Reverse,
}

/// Why a transition is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum JournalConflict {
    Full,
    Empty,
    Single,
}

thread_local! {
    static FAULTY: Cell<bool> = const { Cell::new(false) };
}

/// Makes journals compute wrong states during `run`, as a broken replica would.
pub(super) fn with_fault<T>(is_faulty: bool, run: impl FnOnce() -> T) -> T {
    FAULTY.set(is_faulty);
    let result = run();
    FAULTY.set(false);
    result
}

impl StateMachine for Journal {
    type Transition = JournalStep;
    type Conflict = JournalConflict;

    fn apply(&self, step: &JournalStep) -> Result<Self, JournalConflict> {
        let mut next = self.clone();
        match step.kind {
            StepKind::Push if next.items.len() == 4 => return Err(JournalConflict::Full),
            StepKind::Push => next.items.push(step.tag),
            StepKind::Drop => {
                next.items.pop().ok_or(JournalConflict::Empty)?;
            }
            StepKind::Reverse if next.items.len() < 2 => return Err(JournalConflict::Single),
            StepKind::Reverse => next.items.reverse(),
        }
        next.history = Rng::new(next.history ^ u64::from(step.tag)).next_u64();
        next.history ^= u64::from(FAULTY.get());
        next.stamp = step.stamp;
        Ok(next)
    }
}

impl Subject for Journal {
    fn fresh() -> Self {
        Self {
            items: Vec::new(),
            history: 0,
            stamp: 0,
        }
    }

    fn random_transition(&self, rng: &mut Rng) -> JournalStep {
        let kinds = [
            StepKind::Push,
            StepKind::Push,
            StepKind::Drop,
            StepKind::Reverse,
        ];
        JournalStep {
            tag: rng.next_u64() as u32,
            kind: kinds[rng.below(kinds.len())],
            stamp: 0,
        }
    }

    fn amended(step: &JournalStep, now: u64) -> JournalStep {
        JournalStep {
            stamp: now,
            ..step.clone()
        }
    }

    fn corrupted(&self, rng: &mut Rng) -> Self {
        let mut other = self.clone();
        match (rng.below(3), other.items.first_mut()) {
            (0, Some(item)) => *item ^= 1 << rng.below(32),
            (1, Some(_)) => drop(other.items.pop()),
            _ => other.history ^= 1 << rng.below(64),
        }
        other
    }
}

impl Subject for GameMachine<TicTacToe> {
    fn fresh() -> Self {
        Self::from_name("ttt").unwrap()
    }

    fn random_transition(&self, rng: &mut Rng) -> GameMove {
        random_move(self, rng)
    }

    fn corrupted(&self, rng: &mut Rng) -> Self {
        random_game_like(self, rng)
    }
}

impl Subject for GameMachine<ConnectFour> {
    fn fresh() -> Self {
        Self::from_name("connect4").unwrap()
    }

    fn random_transition(&self, rng: &mut Rng) -> GameMove {
        random_move(self, rng)
    }

    fn corrupted(&self, rng: &mut Rng) -> Self {
        random_game_like(self, rng)
    }
}

impl Subject for GameMachine<Pegs> {
    fn fresh() -> Self {
        Self::from_name("pegs").unwrap()
    }

    fn random_transition(&self, rng: &mut Rng) -> GameMove {
        random_move(self, rng)
    }

    fn corrupted(&self, rng: &mut Rng) -> Self {
        random_game_like(self, rng)
    }
}

fn random_move<G: Notation>(machine: &GameMachine<G>, rng: &mut Rng) -> GameMove {
    let m = rng.pick(machine.position().moves());
    match m {
        Some(m) if rng.below(10) > 0 => machine.transition(m),
        _ => GameMove::from(["a1", "3", "H", "", "nonsense"][rng.below(5)]),
    }
}

/// A random game of the same length, or shorter if it ends before.
fn random_game_like<G>(machine: &GameMachine<G>, rng: &mut Rng) -> GameMachine<G>
where
    G: Named + Notation + Debug + 'static,
{
    let mut other = machine.restarted();
    for _ in machine.moves() {
        if let Some(m) = rng.pick(other.position().moves()) {
            other = other.apply(&other.transition(m)).unwrap();
        }
    }
    other
}
