//! Replication of any [`StateMachine`], without sockets and clocks: what has
//! arrived goes in, what is to be sent comes out.
//!
//! One side, the [`Sequencer`], puts transitions in order. The others hold a
//! [`Replica`] each: it shows its own transitions at once and takes them back
//! when they are refused or another came first.
//!
//! ```text
//!   Replica                                  Sequencer
//!      │  Proposal: number, base, transition     │
//!      ├────────────────────────────────────────►│  judge ── Append ──► the log
//!      │  LogEntry: sequence, author, transition    │            │
//!      │◄────────────────────────────────────────┤◄───────────┘
//!      │                                         │  to everybody
//!      │  ProposalVerdict: accepted, duplicate,          │
//!      │◄────────────────────────────────────────┤  to the author
//!      │           overtaken, refused            │
//! ```
//!
//! A state changes by entries alone; a verdict is needed where an entry does not
//! tell all: for what was refused, and for what was sent twice.
//!
//! The whole protocol rests on one rule. A proposal names its **base**, the
//! state it was made for, and can only become the entry right behind it. So
//!
//! - it can be sent as often as one likes and is applied once at most;
//! - whether it was accepted can be read off the log for ever after, without
//!   any other memory: by the entry behind its base;
//! - what has been refused or overtaken stays so.
//!
//! Any number of sequencers can share one log that lets an entry stand only
//! behind the one before it: each [follows](Sequencer::replay) it, and one that
//! is [behind](Decision::Behind) says so, and does not guess.
//!
//! ```
//! use open_ttt_lib::games::TicTacToe;
//! use open_ttt_lib::state_machine::GameMachine;
//! use open_ttt_net::replication::{ReplicaUpdate, Decision, Replica, Sequencer, ProposalVerdict};
//!
//! let start = GameMachine::new(TicTacToe::new())?;
//! let mut server = Sequencer::new(start.clone());
//! let mut client = Replica::new("ann".parse()?, start);
//!
//! // Shown at once, confirmed later.
//! client.propose("b2".into()).map_err(|refused| refused.to_string())?;
//! assert_eq!(client.optimistic().moves().len(), 1);
//! assert_eq!(client.confirmed().moves().len(), 0);
//!
//! let proposal = client.outgoing().expect("there is one to send");
//! let Decision::Append(draft) = server.decide(client.id(), &proposal) else {
//!     panic!("the first move is possible");
//! };
//! // Here a server stores the entry. Only then:
//! let entry = draft.entry().clone();
//! let sequence = server.commit(draft);
//! // It is told to everybody.
//! let heard = client.receive_entry(sequence, &entry, Some(server.digest()));
//! assert_eq!(heard, ReplicaUpdate::Confirmed);
//! assert_eq!(client.confirmed().moves().len(), 1);
//!
//! // It arrives once more: no harm done.
//! let again = server.decide(client.id(), &proposal);
//! assert_eq!(again.verdict(), Some(&ProposalVerdict::Duplicate(sequence)));
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
pub use entry::{LogEntry, Proposal, ProposalVerdict};
pub use replica::{Replica, ReplicaUpdate, Rollback};
pub use sequence::Sequence;
pub use sequencer::{CatchUp, Decision, Draft, Sequencer};
