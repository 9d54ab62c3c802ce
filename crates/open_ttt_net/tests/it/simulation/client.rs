use std::collections::VecDeque;

use open_ttt_net::ClientId;
use open_ttt_net::replication::{Proposal, Replica, ReplicaUpdate, Rollback, Sequence};

use super::store::Store;
use super::subject::Subject;
use super::tally::Tally;

/// A replica, and an account of all that it was told: what does not fit the log
/// or what was told before fails at once.
pub(super) struct Client<M: Subject> {
    pub(super) replica: Replica<M>,
    /// The node it talks to, and over its how-manieth connection.
    pub(super) node: Option<usize>,
    pub(super) connection: u64,
    /// The number sent last, and when.
    pub(super) sent: Option<(u64, u64)>,
    /// When it last asked for what it needs.
    pub(super) asked: u64,
    /// Whether its copy is not what the log says, through a fault.
    pub(super) is_corrupt: bool,
    /// All it ever proposed, from number 1 on.
    fates: Vec<Fate<M::Transition>>,
    pending: VecDeque<u64>,
    in_doubt: Option<u64>,
}

struct Fate<T> {
    transition: T,
    /// What it named as its base when it was first sent.
    base: Option<Sequence>,
    end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Confirmed,
    RolledBack,
}

/// Through what something was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Entry,
    Verdict(u64),
    Snapshot,
}

type UpdateOf<M> = ReplicaUpdate<
    <M as open_ttt_lib::state_machine::StateMachine>::Transition,
    <M as open_ttt_lib::state_machine::StateMachine>::Conflict,
>;

impl<M: Subject> Client<M> {
    pub(super) fn new(id: ClientId) -> Self {
        Self {
            replica: Replica::new(id, M::fresh()),
            node: None,
            connection: 0,
            sent: None,
            asked: 0,
            is_corrupt: false,
            fates: Vec::new(),
            pending: VecDeque::new(),
            in_doubt: None,
        }
    }

    pub(super) fn propose(&mut self, transition: M::Transition, tally: &mut Tally) {
        let expected = self.replica.optimistic().apply(&transition);
        match self.replica.propose(transition.clone()) {
            Ok(()) => {
                assert_eq!(Ok(self.replica.optimistic()), expected.as_ref());
                self.fates.push(Fate {
                    transition,
                    base: None,
                    end: None,
                });
                self.pending.push_back(self.fates.len() as u64);
                tally.count("proposed");
            }
            Err(conflict) => {
                assert_eq!(Err(conflict), expected);
                tally.count("refused by one's own copy");
            }
        }
    }

    /// What to send, if anything is due.
    pub(super) fn outgoing(&mut self, now: u64, patience: u64) -> Option<Proposal<M::Transition>> {
        let proposal = self.replica.outgoing()?;
        let is_due = self
            .sent
            .is_none_or(|(number, at)| number != proposal.number || now >= at + patience);
        if !is_due {
            return None;
        }
        self.sent = Some((proposal.number, now));
        self.fates[proposal.number as usize - 1].base = Some(proposal.base);
        Some(proposal)
    }

    /// Holds what the replica says against the account; whether it needs
    /// something.
    pub(super) fn hear(
        &mut self,
        source: Source,
        heard: UpdateOf<M>,
        store: &Store<M>,
        tally: &mut Tally,
    ) -> bool {
        if source == Source::Snapshot && heard != ReplicaUpdate::Unchanged {
            self.in_doubt = self.in_doubt.or_else(|| self.pending.pop_front());
        }
        match heard {
            ReplicaUpdate::Unchanged => {}
            ReplicaUpdate::Advanced => {
                assert!(self.pending.is_empty(), "not told what was overtaken")
            }
            ReplicaUpdate::Confirmed => {
                let number = match source {
                    Source::Verdict(number) if self.in_doubt == Some(number) => {
                        self.in_doubt = None;
                        tally.count("confirmed after doubt");
                        number
                    }
                    _ => self.pending.pop_front().expect("something to confirm"),
                };
                tally.count("confirmed");
                self.confirm(number, store);
            }
            ReplicaUpdate::RolledBack(taken) => self.take_back(source, &taken, store, tally),
            ReplicaUpdate::OutOfSync => {
                tally.count("out of step");
                return true;
            }
        }
        false
    }

    fn confirm(&mut self, number: u64, store: &Store<M>) {
        let fate = &mut self.fates[number as usize - 1];
        assert_eq!(fate.end, None, "proposal {number} ended before");
        fate.end = Some(End::Confirmed);
        let places = store.places(self.replica.id(), number);
        assert_eq!(places.len(), 1, "confirmed, and in the log at {places:?}");
        assert!(
            places[0] <= self.replica.sequence(),
            "confirmed, and not part of what is certain"
        );
    }

    fn take_back(
        &mut self,
        source: Source,
        taken: &Rollback<M::Transition, M::Conflict>,
        store: &Store<M>,
        tally: &mut Tally,
    ) {
        let in_doubt = self
            .in_doubt
            .take_if(|number| source == Source::Verdict(*number));
        tally.count(match (&taken.conflict, in_doubt) {
            (Some(_), _) => "refused",
            (None, Some(_)) => "overtaken after doubt",
            (None, None) => "overtaken",
        });
        let numbers = match in_doubt {
            Some(number) => vec![number],
            None => self.pending.drain(..).collect(),
        };
        let transitions: Vec<_> = numbers
            .iter()
            .map(|number| self.fates[*number as usize - 1].transition.clone())
            .collect();
        assert_eq!(taken.transitions, transitions);
        for &number in &numbers {
            let fate = &mut self.fates[number as usize - 1];
            assert_eq!(fate.end, None, "proposal {number} ended before");
            fate.end = Some(End::RolledBack);
            let places = store.places(self.replica.id(), number);
            assert!(
                places.is_empty(),
                "taken back, and in the log at {places:?}"
            );
        }
        if source != Source::Snapshot {
            self.check_reason(numbers[0], taken.conflict.as_ref(), store);
        }
    }

    /// What is taken back was refused by the state that it was made for, or
    /// another entry stands there.
    fn check_reason(&self, number: u64, conflict: Option<&M::Conflict>, store: &Store<M>) {
        let fate = &self.fates[number as usize - 1];
        let Some(base) = fate.base else { return };
        match conflict {
            Some(conflict) => assert_eq!(
                store.state(base).apply(&fate.transition).as_ref(),
                Err(conflict)
            ),
            None => assert!(store.end() > base, "overtaken by nothing"),
        }
    }

    /// What must hold at any time.
    pub(super) fn check(&mut self, store: &Store<M>) {
        let replica = &self.replica;
        assert!(replica.sequence() <= store.end(), "ahead of the log");
        let is_right = replica.confirmed() == store.state(replica.sequence());
        assert!(is_right || self.is_corrupt, "not the state of the log");
        if !is_right {
            return;
        }
        self.is_corrupt = false;
        let mut shown = replica.confirmed().clone();
        for &number in &self.pending {
            match shown.apply(&self.fates[number as usize - 1].transition) {
                Ok(next) => shown = next,
                Err(_) => break,
            }
        }
        assert_eq!(
            *replica.optimistic(),
            shown,
            "shown is not what is hoped for"
        );
    }

    /// What must hold besides, and need not be looked at so often.
    pub(super) fn check_outgoing(&self) {
        let first = self.in_doubt.or(self.pending.front().copied());
        assert_eq!(self.replica.has_pending(), first.is_some());
        let Some(number) = first else { return };
        let proposal = self.replica.outgoing().expect("what waits is sent");
        assert_eq!(proposal.number, number);
        let base = self.fates[number as usize - 1].base;
        assert_eq!(base.unwrap_or(proposal.base), proposal.base, "another base");
    }

    /// Whether nothing is left to be said to it.
    pub(super) fn is_settled(&self, store: &Store<M>) -> bool {
        !self.replica.has_pending()
            && self.replica.sequence() == store.end()
            && self.replica.confirmed() == store.state(store.end())
    }

    /// Holds every proposal's end against the log.
    pub(super) fn check_fates(&self, store: &Store<M>) {
        for (index, fate) in self.fates.iter().enumerate() {
            let places = store.places(self.replica.id(), index as u64 + 1);
            let expected = match fate.end.expect("every proposal has ended") {
                End::Confirmed => 1,
                End::RolledBack => 0,
            };
            assert_eq!(places.len(), expected, "{:?}, at {places:?}", fate.end);
        }
    }

    /// Whether this proposal is its own and could still come to stand in the
    /// log.
    pub(super) fn may_enter(&self, number: u64) -> bool {
        let fate = self.fates.get(number as usize - 1);
        fate.is_some_and(|fate| fate.end.is_none())
    }
}
