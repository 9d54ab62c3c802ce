use core::cell::Cell;
use core::fmt::Debug;

use open_ttt_lib::games::{ConnectFour, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Named, Notation};
use open_ttt_lib::state_machine::{GameMachine, GameMove, StateMachine};
use serde::{Deserialize, Serialize};

/// A machine that a schedule can be about.
pub(super) trait Subject: StateMachine + PartialEq {
    /// The state that everybody begins with.
    fn fresh() -> Self;

    /// A transition, most often one that is possible.
    fn draw(&self, rng: &mut Rng) -> Self::Transition;

    /// The transition as the sequencer's side stores it, which it took in now.
    fn amended(transition: &Self::Transition, _now: u64) -> Self::Transition {
        transition.clone()
    }

    /// Another state that could be taken for this one.
    fn corrupted(&self, rng: &mut Rng) -> Self;
}

/// A machine in which every transition that is lost, doubled, or made in
/// another order shows: a few items, and a sum over all that ever happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ledger {
    items: Vec<u32>,
    trail: u64,
    stamp: u64,
}

/// What happens in a ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    tag: u32,
    act: Act,
    /// When it was taken in, which the sequencer's side alone knows.
    stamp: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Act {
    Push,
    Drop,
    Turn,
}

/// Why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Unfit {
    Full,
    Empty,
    Single,
}

thread_local! {
    static FAULTY: Cell<bool> = const { Cell::new(false) };
}

/// Lets ledgers compute wrongly meanwhile, as a broken replica would.
pub(super) fn with_fault<T>(is_faulty: bool, act: impl FnOnce() -> T) -> T {
    FAULTY.set(is_faulty);
    let result = act();
    FAULTY.set(false);
    result
}

impl StateMachine for Ledger {
    type Transition = Step;
    type Conflict = Unfit;

    fn apply(&self, step: &Step) -> Result<Self, Unfit> {
        let mut next = self.clone();
        match step.act {
            Act::Push if next.items.len() == 4 => return Err(Unfit::Full),
            Act::Push => next.items.push(step.tag),
            Act::Drop => {
                next.items.pop().ok_or(Unfit::Empty)?;
            }
            Act::Turn if next.items.len() < 2 => return Err(Unfit::Single),
            Act::Turn => next.items.reverse(),
        }
        next.trail = Rng::new(next.trail ^ u64::from(step.tag)).next_u64();
        next.trail ^= u64::from(FAULTY.get());
        next.stamp = step.stamp;
        Ok(next)
    }
}

impl Subject for Ledger {
    fn fresh() -> Self {
        Self {
            items: Vec::new(),
            trail: 0,
            stamp: 0,
        }
    }

    fn draw(&self, rng: &mut Rng) -> Step {
        let act = [Act::Push, Act::Push, Act::Drop, Act::Turn];
        Step {
            tag: rng.next_u64() as u32,
            act: act[rng.below(act.len())],
            stamp: 0,
        }
    }

    fn amended(step: &Step, now: u64) -> Step {
        Step {
            stamp: now,
            ..step.clone()
        }
    }

    fn corrupted(&self, rng: &mut Rng) -> Self {
        let mut other = self.clone();
        match (rng.below(3), other.items.first_mut()) {
            (0, Some(item)) => *item ^= 1 << rng.below(32),
            (1, Some(_)) => drop(other.items.pop()),
            _ => other.trail ^= 1 << rng.below(64),
        }
        other
    }
}

impl Subject for GameMachine<TicTacToe> {
    fn fresh() -> Self {
        Self::from_name("ttt").unwrap()
    }

    fn draw(&self, rng: &mut Rng) -> GameMove {
        a_move(self, rng)
    }

    fn corrupted(&self, rng: &mut Rng) -> Self {
        another_game(self, rng)
    }
}

impl Subject for GameMachine<ConnectFour> {
    fn fresh() -> Self {
        Self::from_name("connect4").unwrap()
    }

    fn draw(&self, rng: &mut Rng) -> GameMove {
        a_move(self, rng)
    }

    fn corrupted(&self, rng: &mut Rng) -> Self {
        another_game(self, rng)
    }
}

impl Subject for GameMachine<Pegs> {
    fn fresh() -> Self {
        Self::from_name("pegs").unwrap()
    }

    fn draw(&self, rng: &mut Rng) -> GameMove {
        a_move(self, rng)
    }

    fn corrupted(&self, rng: &mut Rng) -> Self {
        another_game(self, rng)
    }
}

fn a_move<G: Notation>(machine: &GameMachine<G>, rng: &mut Rng) -> GameMove {
    let m = rng.pick(machine.position().moves());
    match m {
        Some(m) if rng.below(10) > 0 => machine.transition(m),
        _ => GameMove::from(["a1", "3", "H", "", "nonsense"][rng.below(5)]),
    }
}

/// A game of as many moves, or somewhat fewer, that went otherwise.
fn another_game<G>(machine: &GameMachine<G>, rng: &mut Rng) -> GameMachine<G>
where
    G: Named + Notation + Debug + 'static,
{
    let mut other = GameMachine::new(machine.start().clone()).unwrap();
    for _ in machine.moves() {
        if let Some(m) = rng.pick(other.position().moves()) {
            other = other.apply(&other.transition(m)).unwrap();
        }
    }
    other
}
