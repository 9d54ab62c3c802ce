use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use open_ttt_catalog::Catalog;
use serde::{Deserialize, Serialize};

use super::secrets::TokenHash;
use crate::log::{AppendError, LogError, LogStream, MatchLog};
use crate::matches::{Act, Actor, DynMatch, MatchConflict, Seat, Settings, Transition};
use crate::protocol::Change;
use crate::replication::{
    Decision, Draft, LogEntry, Proposal, ProposalVerdict, Sequence, Sequencer,
};
use crate::{ClientId, MatchId};

/// Version of the log format.
const VERSION: u32 = 1;

/// Number of entries per read.
const PAGE: usize = 512;

/// Maximum number of attempts to append a proposal.
const MAX_ATTEMPTS: u32 = 8;

/// A match and its log. A change is appended to the log before it is applied.
///
/// The first entry of a log is its [`Header`], so the entry that leads to state
/// `n` has the number `n + 1`.
#[derive(Debug)]
pub(super) struct StoredMatch {
    log: Arc<dyn MatchLog>,
    id: MatchId,
    header: Header,
    sequencer: Sequencer<DynMatch>,
    token_hashes: [Option<TokenHash>; 2],
}

/// The first entry of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    version: u32,
    pub(super) settings: Settings,
    /// Whether the lobby lists the match.
    pub(super) listed: bool,
    /// Time of creation, in milliseconds since 1970.
    pub(super) at: u64,
}

/// Every other entry of a log.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    client: ClientId,
    number: u64,
    transition: Transition,
    /// For a join: the hash of the seat's token.
    #[serde(rename = "key", default, skip_serializing_if = "Option::is_none")]
    token_hash: Option<TokenHash>,
}

impl StoredMatch {
    /// Creates a match and its log.
    pub(super) async fn create(
        log: Arc<dyn MatchLog>,
        id: MatchId,
        start: DynMatch,
        listed: bool,
        at: u64,
    ) -> Result<Self, AppendError> {
        let header = Header {
            version: VERSION,
            settings: start.settings().clone(),
            listed,
            at,
        };
        log.append(&id, Sequence::START, encode(&header)).await?;
        Ok(Self::new(log, id, header, start))
    }

    /// Loads a match of a game in this catalog from its log; `None` if there is none.
    pub(super) async fn open(
        catalog: &Catalog,
        log: Arc<dyn MatchLog>,
        id: MatchId,
    ) -> Result<Option<Self>, LogError> {
        let first = log.read(&id, Sequence::START, 1).await?;
        let Some(first) = first.first() else {
            return Ok(None);
        };
        let header: Header = decode(&id, first)?;
        if header.version != VERSION {
            return Err(LogError::new(format_args!(
                "match {id} has log version {}, this server needs {VERSION}",
                header.version
            )));
        }
        let start = DynMatch::new(header.settings.clone(), |name| catalog.game(name))
            .map_err(|error| LogError::new(format_args!("match {id}: {error}")))?;
        let mut stored = Self::new(log, id, header, start);
        stored.catch_up(None).await?;
        Ok(Some(stored))
    }

    fn new(log: Arc<dyn MatchLog>, id: MatchId, header: Header, start: DynMatch) -> Self {
        Self {
            log,
            id,
            header,
            sequencer: Sequencer::new(start),
            token_hashes: [None, None],
        }
    }

    pub(super) const fn header(&self) -> &Header {
        &self.header
    }

    pub(super) const fn sequencer(&self) -> &Sequencer<DynMatch> {
        &self.sequencer
    }

    pub(super) const fn state(&self) -> &DynMatch {
        self.sequencer.state()
    }

    /// Adds the time `now` to an act. It never decreases within a match.
    pub(super) fn stamp(&self, by: Actor, act: Act, now: u64) -> Transition {
        let at = now.max(self.state().at());
        Transition { at, by, act }
    }

    /// The seat that a token gives access to.
    pub(super) fn seat_of(&self, token_hash: &TokenHash) -> Option<Seat> {
        Seat::ALL.into_iter().find(|seat| {
            let expected = self.token_hashes[seat.index()].as_ref();
            expected.is_some_and(|expected| expected.matches(token_hash))
        })
    }

    /// Appends a proposal to the log and applies it. The verdict
    /// [`ProposalVerdict::Accepted`] means that it is stored; `None`, that the store
    /// failed. Adds all new changes to `changes`, the proposal's own as the last.
    pub(super) async fn propose(
        &mut self,
        client: &ClientId,
        proposal: &Proposal<Transition>,
        token_hash: Option<TokenHash>,
        changes: &mut Vec<Change>,
    ) -> Option<ProposalVerdict<MatchConflict>> {
        // Whether the log may have the proposal because of an earlier attempt.
        let mut may_be_stored = false;
        for attempt in 0..MAX_ATTEMPTS {
            let known = self.sequencer.sequence();
            let draft = match self.sequencer.decide(client, proposal) {
                Decision::Settled(ProposalVerdict::Duplicate(sequence)) if may_be_stored => {
                    return Some(ProposalVerdict::Accepted(sequence));
                }
                Decision::Settled(verdict) => return Some(verdict),
                Decision::Append(draft) => Some(draft),
                Decision::Behind => None,
            };
            let is_behind = draft.is_none();
            if let Some(draft) = draft {
                match self.append(&draft, token_hash.clone()).await {
                    Ok(()) => {
                        let entry = draft.entry().clone();
                        let sequence = self.sequencer.commit(draft);
                        self.set_token_hash(&entry.transition, token_hash);
                        changes.push(self.last_change(entry));
                        return Some(ProposalVerdict::Accepted(sequence));
                    }
                    Err(AppendError::Conflict) => {}
                    Err(AppendError::Unknown(cause)) => {
                        tracing::warn!(id = %self.id, %cause, "unknown outcome of an append");
                        may_be_stored = true;
                        tokio::time::sleep(Duration::from_millis(20 << attempt)).await;
                    }
                    Err(AppendError::Refused(cause)) => {
                        tracing::error!(id = %self.id, %cause, "an append was refused");
                        return None;
                    }
                }
            }
            if let Err(cause) = self.catch_up(Some(changes)).await {
                tracing::error!(id = %self.id, %cause, "failed to read a match");
                return None;
            }
            if is_behind && self.sequencer.sequence() == known {
                // The proposal's base has never existed.
                return Some(ProposalVerdict::Overtaken(known));
            }
        }
        None
    }

    async fn append(
        &self,
        draft: &Draft<DynMatch>,
        token_hash: Option<TokenHash>,
    ) -> Result<(), AppendError> {
        let LogEntry {
            client,
            number,
            transition,
        } = draft.entry().clone();
        let record = Record {
            client,
            number,
            transition,
            token_hash,
        };
        let last = log_position(draft.base());
        self.log.append(&self.id, last, encode(&record)).await
    }

    /// Applies the entries that other servers have appended, and adds them to
    /// `changes`.
    pub(super) async fn catch_up(
        &mut self,
        mut changes: Option<&mut Vec<Change>>,
    ) -> Result<(), LogError> {
        loop {
            let after = log_position(self.sequencer.sequence());
            let page = self.log.read(&self.id, after, PAGE).await?;
            for bytes in &page {
                let entry = self.apply(bytes)?;
                if let Some(changes) = &mut changes {
                    changes.push(self.last_change(entry));
                }
            }
            if page.len() < PAGE {
                return Ok(());
            }
        }
    }

    /// Watches the log for entries behind the current state.
    pub(super) fn watch(&self) -> LogStream {
        self.log
            .watch(&self.id, log_position(self.sequencer.sequence()))
    }

    /// Applies the next entry of the log.
    fn apply(&mut self, bytes: &Bytes) -> Result<LogEntry<Transition>, LogError> {
        let record: Record = decode(&self.id, bytes)?;
        let entry = LogEntry {
            client: record.client,
            number: record.number,
            transition: record.transition,
        };
        self.sequencer.replay(entry.clone()).map_err(|conflict| {
            let id = &self.id;
            LogError::new(format_args!("match {id} has an illegal entry: {conflict}"))
        })?;
        self.set_token_hash(&entry.transition, record.token_hash);
        Ok(entry)
    }

    fn set_token_hash(&mut self, transition: &Transition, token_hash: Option<TokenHash>) {
        if let (Actor::Server, Act::Join { seat, .. }) = (transition.by, &transition.act) {
            self.token_hashes[seat.index()] = token_hash;
        }
    }

    fn last_change(&self, entry: LogEntry<Transition>) -> Change {
        Change {
            sequence: self.sequencer.sequence(),
            digest: self.sequencer.digest(),
            entry,
            view: None,
        }
    }
}

/// The log position of the entry that leads to a state: behind the header.
const fn log_position(sequence: Sequence) -> Sequence {
    sequence.next()
}

fn encode(value: &impl Serialize) -> Bytes {
    // These types always serialize.
    serde_json::to_vec(value).unwrap_or_default().into()
}

fn decode<'a, T: Deserialize<'a>>(id: &MatchId, bytes: &'a [u8]) -> Result<T, LogError> {
    serde_json::from_slice(bytes)
        .map_err(|error| LogError::new(format_args!("match {id} has an invalid entry: {error}")))
}
