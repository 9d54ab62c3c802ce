//! Replication of any [`StateMachine`], without sockets or clocks: received
//! messages go in, messages to send come out.
//!
//! The [`Sequencer`] puts transitions in order. Each client holds a [`Replica`],
//! which applies its own transitions optimistically and rolls them back if they
//! are refused or another transition is committed first.
//!
//! ```text
//!   Replica                                  Sequencer
//!      │  Proposal: number, base, transition     │
//!      ├────────────────────────────────────────►│  decide ── Append ──► the log
//!      │  LogEntry: author, number, transition   │            │
//!      │◄────────────────────────────────────────┤◄───────────┘
//!      │                                         │  to all clients
//!      │  ProposalVerdict: accepted, duplicate,  │
//!      │◄────────────────────────────────────────┤  to the author
//!      │           overtaken, refused            │
//! ```
//!
//! Only entries change a state. Verdicts cover what entries do not tell:
//! refusals, and proposals that were sent twice.
//!
//! The protocol rests on one rule. A proposal names its **base**, the state it
//! was made for, and can only become the entry right after it. Therefore:
//!
//! - Sending a proposal again is safe: it is applied at most once.
//! - The log alone tells whether a proposal was accepted: look at the entry after
//!   its base.
//! - A proposal that was refused or overtaken can never be accepted later.
//!
//! Proposals are told apart by their [author](Authored), the client and the number,
//! so a client that uses the id of another changes nothing for the other.
//!
//! Any number of sequencers can share one log, provided that the log appends an
//! entry only after the expected last entry. Each sequencer
//! [replays](Sequencer::replay) the log, and reports that it is
//! [behind](Decision::Behind) instead of deciding on an outdated state.
//!
//! ```
//! use open_ttt_lib::games::TicTacToe;
//! use open_ttt_lib::state_machine::GameMachine;
//! use open_ttt_net::replication::{
//!     Decision, ProposalVerdict, Replica, ReplicaUpdate, Sequencer,
//! };
//!
//! let start = GameMachine::new(TicTacToe::new())?;
//! let mut server = Sequencer::new(start.clone());
//! let mut client = Replica::new("ann".parse()?, start);
//!
//! // Applied optimistically at once, confirmed later.
//! client.propose("b2".into()).map_err(|refused| refused.to_string())?;
//! assert_eq!(client.optimistic().moves().len(), 1);
//! assert_eq!(client.confirmed().moves().len(), 0);
//!
//! let proposal = client.outgoing().expect("there is one to send");
//! let Decision::Append(draft) = server.decide(client.id(), &proposal) else {
//!     panic!("the first move is possible");
//! };
//! // A server stores the entry here, before it commits.
//! let entry = draft.entry().clone();
//! let sequence = server.commit(draft);
//! // Then it sends the entry to all clients.
//! let update = client.receive_entry(sequence, &entry, Some(server.digest()));
//! assert_eq!(update, ReplicaUpdate::Confirmed);
//! assert_eq!(client.confirmed().moves().len(), 1);
//!
//! // A second copy of the proposal changes nothing.
//! let again = server.decide(client.id(), &proposal);
//! assert_eq!(again, Decision::Settled(ProposalVerdict::Duplicate(sequence)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`StateMachine`]: open_ttt_lib::state_machine::StateMachine

mod digest;
mod entry;
mod replica;
mod sequence;
mod sequencer;

pub use digest::{Digest, ParseDigestError};
pub use entry::{Authored, LogEntry, Proposal, ProposalVerdict};
pub use replica::{Replica, ReplicaUpdate, Rollback};
pub use sequence::Sequence;
pub use sequencer::{CatchUp, Decision, Draft, Sequencer};
