use core::cell::Cell;
use core::fmt::Debug;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Described, FromName, Named, Notation, TwoPlayerGame};
use open_ttt_lib::state_machine::{GameConflict, GameMachine, GameMove, StateMachine};
use open_ttt_net::replication::Authored;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A state machine under test.
pub(super) trait Subject:
    StateMachine<Transition: Authored<Author = usize>> + DeserializeOwned + PartialEq
{
    /// The initial state.
    fn fresh() -> Self;

    /// A random transition of this author, usually a possible one.
    fn random_transition(&self, author: usize, rng: &mut Rng) -> Self::Transition;

    /// The transition as a node amends it on arrival: with the author that the node
    /// has authenticated, and perhaps with the time.
    fn amended(transition: &Self::Transition, author: usize, now: u64) -> Self::Transition;

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
    author: usize,
    tag: u32,
    kind: StepKind,
    /// The time of arrival, set by the node.
    stamp: u64,
}

impl Authored for JournalStep {
    type Author = usize;

    fn author(&self) -> usize {
        self.author
    }
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

    fn random_transition(&self, author: usize, rng: &mut Rng) -> JournalStep {
        let kinds = [
            StepKind::Push,
            StepKind::Push,
            StepKind::Drop,
            StepKind::Reverse,
        ];
        JournalStep {
            author,
            tag: rng.next_u64() as u32,
            kind: kinds[rng.below(kinds.len())],
            stamp: 0,
        }
    }

    fn amended(step: &JournalStep, author: usize, now: u64) -> JournalStep {
        JournalStep {
            author,
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

/// A game whose moves tell who makes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    transparent,
    bound(
        serialize = "G: Named + Notation",
        deserialize = "G: FromName + Notation"
    )
)]
pub(super) struct SignedGame<G: TwoPlayerGame>(GameMachine<G>);

/// A move of a [`SignedGame`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SignedMove {
    author: usize,
    text: GameMove,
}

impl Authored for SignedMove {
    type Author = usize;

    fn author(&self) -> usize {
        self.author
    }
}

impl<G: Named + Notation + Debug + 'static> StateMachine for SignedGame<G> {
    type Transition = SignedMove;
    type Conflict = GameConflict;

    fn apply(&self, m: &SignedMove) -> Result<Self, GameConflict> {
        self.0.apply(&m.text).map(Self)
    }
}

impl<G: Described + Notation + Debug + 'static> Subject for SignedGame<G> {
    fn fresh() -> Self {
        Self(GameMachine::from_name(G::KEY).unwrap())
    }

    fn random_transition(&self, author: usize, rng: &mut Rng) -> SignedMove {
        let text = random_move(&self.0, rng);
        SignedMove { author, text }
    }

    fn amended(m: &SignedMove, author: usize, _now: u64) -> SignedMove {
        let text = m.text.clone();
        SignedMove { author, text }
    }

    fn corrupted(&self, rng: &mut Rng) -> Self {
        Self(random_game_like(&self.0, rng))
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
    let mut other = machine.rewound(0);
    for _ in machine.moves() {
        if let Some(m) = rng.pick(other.position().moves()) {
            other = other.apply(&other.transition(m)).unwrap();
        }
    }
    other
}
