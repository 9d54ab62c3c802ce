use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use open_ttt_catalog::DynGame;
use serde::{Deserialize, Serialize};

use super::secrets::TokenHash;
use crate::log::{AppendError, LogError, MatchLog};
use crate::matches::{Act, Actor, MatchConflict, MatchMachine, Seat, Settings, Transition};
use crate::protocol::{Change, EntryWire};
use crate::replication::{
    Decision, Draft, LogEntry, Proposal, ProposalVerdict, Sequence, Sequencer,
};
use crate::{ClientId, MatchId};

/// A match of any game of the catalog.
pub(super) type MatchState = MatchMachine<DynGame>;

/// The version of what is written to the logs.
const VERSION: u32 = 1;

/// How many entries are read at once.
const PAGE: usize = 512;

/// How often an append is tried when others come first.
const TRIES: u32 = 8;

/// A match as its log tells it.
///
/// The first entry of a log is its [`Header`], so the entry that makes the
/// state `n` is the log's entry `n + 1`.
#[derive(Debug)]
pub(super) struct StoredMatch {
    log: Arc<dyn MatchLog>,
    id: MatchId,
    header: Header,
    sequencer: Sequencer<MatchState>,
    keys: [Option<TokenHash>; 2],
}

/// The first entry of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    version: u32,
    /// What was agreed on.
    pub(super) settings: Settings,
    /// Whether the lobby shows it.
    pub(super) listed: bool,
    /// When it was made, in milliseconds since 1970.
    pub(super) at: u64,
}

/// Every other entry of a log.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    client: ClientId,
    number: u64,
    transition: Transition,
    /// With whom sits down: what their token has to fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<TokenHash>,
}

/// What came of a proposal.
#[derive(Debug)]
pub(super) struct Answer {
    /// What has happened meanwhile, in order; the proposal's own change last.
    pub(super) changes: Vec<Change>,
    /// The verdict; none if the store could not be asked.
    pub(super) verdict: Option<ProposalVerdict<MatchConflict>>,
}

impl Answer {
    const fn new(changes: Vec<Change>, verdict: ProposalVerdict<MatchConflict>) -> Self {
        Self {
            changes,
            verdict: Some(verdict),
        }
    }
}

impl StoredMatch {
    /// Begins a match, at whose table nobody sits.
    pub(super) async fn create(
        log: Arc<dyn MatchLog>,
        id: MatchId,
        start: MatchState,
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
        Ok(Self {
            log,
            id,
            header,
            sequencer: Sequencer::new(start),
            keys: [None, None],
        })
    }

    /// Reads a match from its log; `None` if there is none.
    pub(super) async fn open(
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
                "match {id} was written in version {}, this server reads {VERSION}",
                header.version
            )));
        }
        let start = MatchState::new(header.settings.clone())
            .map_err(|error| LogError::new(format_args!("match {id}: {error}")))?;
        let mut ledger = Self {
            log,
            id,
            header,
            sequencer: Sequencer::new(start),
            keys: [None, None],
        };
        ledger.read_on(None).await?;
        Ok(Some(ledger))
    }

    pub(super) const fn header(&self) -> &Header {
        &self.header
    }

    pub(super) const fn sequencer(&self) -> &Sequencer<MatchState> {
        &self.sequencer
    }

    pub(super) const fn table(&self) -> &MatchState {
        self.sequencer.state()
    }

    /// The seat that a key opens.
    pub(super) fn seat_of(&self, key: &TokenHash) -> Option<Seat> {
        Seat::ALL.into_iter().find(|seat| {
            let held = self.keys[seat.index()].as_ref();
            held.is_some_and(|held| held.fits(key))
        })
    }

    /// Puts a proposal in its place, if it has one: stored when this returns
    /// with the verdict [`ProposalVerdict::Accepted`].
    pub(super) async fn propose(
        &mut self,
        client: &ClientId,
        proposal: &Proposal<Transition>,
        key: Option<TokenHash>,
    ) -> Answer {
        let mut changes = Vec::new();
        // Whether an append of this proposal may have been carried out.
        let mut tried = false;
        for attempt in 0..TRIES {
            let known = self.sequencer.sequence();
            let draft = match self.sequencer.decide(client, proposal) {
                Decision::Settled(ProposalVerdict::Duplicate(sequence)) if tried => {
                    return Answer::new(changes, ProposalVerdict::Accepted(sequence));
                }
                Decision::Settled(verdict) => return Answer::new(changes, verdict),
                Decision::Append(draft) => Some(draft),
                Decision::Behind => None,
            };
            let is_behind = draft.is_none();
            if let Some(draft) = draft {
                match self.append(&draft, key.clone()).await {
                    Ok(()) => {
                        let entry = draft.entry().clone();
                        let sequence = self.sequencer.commit(draft);
                        self.remember_key(&entry.transition, key);
                        changes.push(self.change(entry));
                        return Answer::new(changes, ProposalVerdict::Accepted(sequence));
                    }
                    Err(AppendError::Conflict) => {}
                    Err(AppendError::Unknown(cause)) => {
                        tracing::warn!(id = %self.id, %cause, "an append has an unknown outcome");
                        tried = true;
                        tokio::time::sleep(Duration::from_millis(20 << attempt)).await;
                    }
                    Err(AppendError::Refused(cause)) => {
                        tracing::error!(id = %self.id, %cause, "an append was refused");
                        break;
                    }
                }
            }
            if let Err(cause) = self.read_on(Some(&mut changes)).await {
                tracing::error!(id = %self.id, %cause, "a match cannot be read");
                break;
            }
            if is_behind && self.sequencer.sequence() == known {
                // There has never been the state that it was made for.
                return Answer::new(changes, ProposalVerdict::Overtaken(known));
            }
        }
        Answer {
            changes,
            verdict: None,
        }
    }

    async fn append(
        &self,
        draft: &Draft<MatchState>,
        key: Option<TokenHash>,
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
            key,
        };
        let last = position(draft.base());
        self.log.append(&self.id, last, encode(&record)).await
    }

    /// Follows what others have appended, and adds it to `changes`.
    pub(super) async fn read_on(
        &mut self,
        mut changes: Option<&mut Vec<Change>>,
    ) -> Result<(), LogError> {
        loop {
            let after = position(self.sequencer.sequence());
            let page = self.log.read(&self.id, after, PAGE).await?;
            for bytes in &page {
                let entry = self.follow(bytes)?;
                if let Some(changes) = &mut changes {
                    changes.push(self.change(entry));
                }
            }
            if page.len() < PAGE {
                return Ok(());
            }
        }
    }

    /// The entries of other servers behind what is known; for a store that is
    /// shared.
    pub(super) fn watch(
        &self,
    ) -> futures_util::stream::BoxStream<'static, Result<Bytes, LogError>> {
        self.log
            .watch(&self.id, position(self.sequencer.sequence()))
    }

    /// Follows the next entry of the log.
    fn follow(&mut self, bytes: &Bytes) -> Result<LogEntry<Transition>, LogError> {
        let record: Record = decode(&self.id, bytes)?;
        let entry = LogEntry {
            client: record.client,
            number: record.number,
            transition: record.transition,
        };
        let id = &self.id;
        let followed = self.sequencer.replay(entry.clone());
        followed.map_err(|conflict| {
            LogError::new(format_args!(
                "match {id} has an impossible entry: {conflict}"
            ))
        })?;
        self.remember_key(&entry.transition, record.key);
        Ok(entry)
    }

    fn remember_key(&mut self, transition: &Transition, key: Option<TokenHash>) {
        if let (Actor::Server, Act::Join { seat, .. }) = (transition.by, &transition.act) {
            self.keys[seat.index()] = key;
        }
    }

    fn change(&self, entry: LogEntry<Transition>) -> Change {
        Change {
            sequence: self.sequencer.sequence(),
            digest: self.sequencer.digest(),
            entry: EntryWire::from(entry),
            view: None,
        }
    }
}

/// The place of a state's entry in its log: behind the header.
const fn position(sequence: Sequence) -> Sequence {
    sequence.next()
}

fn encode(value: &impl Serialize) -> Bytes {
    // Strings, numbers and enumerations always have a JSON.
    serde_json::to_vec(value).unwrap_or_default().into()
}

fn decode<'a, T: Deserialize<'a>>(id: &MatchId, bytes: &'a [u8]) -> Result<T, LogError> {
    serde_json::from_slice(bytes)
        .map_err(|error| LogError::new(format_args!("match {id} has an unreadable entry: {error}")))
}
