//! Unit tests of the replication; `simulation` tests all parts together.

mod digest;
mod replica;
mod sequencer;

use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::state_machine::{GameMachine, GameMove, StateMachine};
use open_ttt_net::ClientId;
use open_ttt_net::replication::{LogEntry, Proposal, Sequence};

type Machine = GameMachine<TicTacToe>;

fn id(name: &str) -> ClientId {
    name.parse().unwrap()
}

fn at(transitions: u64) -> Sequence {
    Sequence::new(transitions)
}

/// The game after these moves.
fn after(moves: &[&str]) -> Machine {
    let start = GameMachine::new(TicTacToe::new()).unwrap();
    let play = |machine: Machine, m: &&str| machine.apply(&(*m).into()).unwrap();
    moves.iter().fold(start, play)
}

fn proposal(number: u64, base: u64, m: &str) -> Proposal<GameMove> {
    Proposal {
        number,
        base: at(base),
        transition: m.into(),
    }
}

fn entry(client: &str, number: u64, m: &str) -> LogEntry<GameMove> {
    LogEntry {
        client: id(client),
        number,
        transition: m.into(),
    }
}
