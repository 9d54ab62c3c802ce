use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use open_ttt_catalog::Catalog;

use super::replay::{Milestone, Replay};
use super::secrets::Credentials;
use super::stored_change::StoredChange;
use crate::json::{fields, to_json};
use crate::log::{AppendError, LogError, LogStream, MAX_ENTRY, MatchLog};
use crate::matches::{Act, Actor, DynMatch, MatchConflict, Seat, Transition};
use crate::protocol::PlayerId;
use crate::replication::{Decision, Proposal, ProposalVerdict, Sequence, Sequencer};
use crate::{ClientId, MatchId};

/// Number of entries per read.
pub(super) const PAGE: usize = 512;

/// Number of entries that are applied before other tasks have their turn: some
/// milliseconds at most.
pub(super) const BATCH: usize = 128;

/// Number of entries of a match that are kept in memory, and with which a client catches up.
/// One that has missed more receives the whole state.
pub(super) const KEPT_ENTRIES: usize = 256;

/// Maximum number of attempts to append a proposal.
const MAX_ATTEMPTS: u32 = 8;

/// How often the pause of 20 ms before another attempt doubles.
const MAX_PAUSE_DOUBLINGS: u32 = 4;

/// A match and its log. A change is appended to the log before it is applied. However long
/// the log is, only its last entries are in memory.
#[derive(Debug)]
pub(super) struct StoredMatch {
    log: Arc<dyn MatchLog>,
    replay: Replay,
}

/// Why a match was not created.
#[derive(Debug, thiserror::Error)]
pub(super) enum CreateError {
    /// Its first entry, with the moves it begins with, is longer than [`MAX_ENTRY`].
    #[error("the settings are longer than an entry of the log")]
    TooLong,
    /// The store has failed.
    #[error(transparent)]
    Append(#[from] AppendError),
}

impl StoredMatch {
    /// Creates a match and its log.
    pub(super) async fn create(
        log: Arc<dyn MatchLog>,
        id: MatchId,
        start: DynMatch,
        listed: bool,
        at: u64,
    ) -> Result<Self, CreateError> {
        let (replay, header) = Replay::create(&id, start, listed, at, KEPT_ENTRIES);
        if header.len() > MAX_ENTRY {
            return Err(CreateError::TooLong);
        }
        log.append(&id, Sequence::START, header).await?;
        Ok(Self { log, replay })
    }

    /// Begins to load a match of a game in this catalog from its log; `None` if there is
    /// none. The entries behind the first are [read](Self::read_page) and
    /// [applied](Self::apply) page by page.
    pub(super) async fn begin(
        catalog: &Catalog,
        log: Arc<dyn MatchLog>,
        id: &MatchId,
    ) -> Result<Option<Self>, LogError> {
        let first = log.read(id, Sequence::START, 1).await?;
        let Some(first) = first.first() else {
            return Ok(None);
        };
        let replay = Replay::begin(catalog, id, first, KEPT_ENTRIES)?;
        Ok(Some(Self { log, replay }))
    }

    /// The next entries of the log, [`PAGE`] of them unless it ends before.
    pub(super) async fn read_page(&self) -> Result<Vec<Bytes>, LogError> {
        let after = self.replay.position();
        self.log.read(self.replay.id(), after, PAGE).await
    }

    /// Applies the next entries of the log. A page takes some milliseconds.
    pub(super) fn apply(&mut self, page: &[Bytes]) -> Result<(), LogError> {
        for bytes in page {
            self.replay.apply(bytes)?;
        }
        Ok(())
    }

    pub(super) const fn is_listed(&self) -> bool {
        self.replay.is_listed()
    }

    pub(super) const fn created_at(&self) -> u64 {
        self.replay.created_at()
    }

    pub(super) const fn sequencer(&self) -> &Sequencer<DynMatch> {
        self.replay.sequencer()
    }

    pub(super) const fn state(&self) -> &DynMatch {
        self.sequencer().state()
    }

    /// Whether servers of an earlier version may share this match. They read nothing that
    /// its format did not have: neither the ids of players nor returned time.
    pub(super) fn is_shared_with_earlier_servers(&self) -> bool {
        self.log.is_shared() && self.replay.is_of_format_1()
    }

    /// Adds the time `now` to an act. It never decreases within a match.
    pub(super) fn stamp(&self, by: Actor, act: Act, now: u64) -> Transition {
        let at = now.max(self.state().at());
        Transition { at, by, act }
    }

    /// The seat that a client with these credentials holds.
    pub(super) fn seat_of(&self, credentials: &Credentials) -> Option<Seat> {
        let holds = |&seat: &Seat| credentials.are_of(self.replay.holder(seat));
        Seat::ALL.into_iter().find(holds)
    }

    /// The ids of the players that have joined with a key.
    pub(super) fn players(&self) -> [Option<PlayerId>; 2] {
        Seat::ALL.map(|seat| self.replay.holder(seat).player)
    }

    /// The start of the match and the ends of its games so far.
    pub(super) fn milestones(&self) -> &[Milestone] {
        self.replay.milestones()
    }

    /// Appends a proposal to the log, a move in the game's own text, and applies it;
    /// `holder` is for a join. The verdict
    /// [`ProposalVerdict::Accepted`] means that it is stored; `None`, that the store
    /// failed. Adds all new changes to `changes`, the proposal's own as the last.
    pub(super) async fn propose(
        &mut self,
        client: &ClientId,
        proposal: &Proposal<Transition>,
        mut holder: Credentials,
        changes: &mut Vec<StoredChange>,
    ) -> Option<ProposalVerdict<MatchConflict>> {
        if self.is_shared_with_earlier_servers() {
            holder.player = None;
        }
        // Whether the log may have the proposal because of an earlier attempt.
        let mut may_be_stored = false;
        for attempt in 0..MAX_ATTEMPTS {
            let known = self.sequencer().sequence();
            let proposal = self.state().in_own_text(proposal);
            let draft = match self.sequencer().decide(client, &proposal) {
                Decision::Settled(ProposalVerdict::Duplicate(sequence)) if may_be_stored => {
                    return Some(ProposalVerdict::Accepted(sequence));
                }
                Decision::Settled(verdict) => return Some(verdict),
                Decision::Append(draft) => Some(draft),
                Decision::Behind => None,
                Decision::LookUp(number) => {
                    let looked_up = self.look_up(number, client, &proposal).await;
                    return looked_up
                        .inspect_err(|cause| self.report_unread(cause))
                        .ok();
                }
            };
            let is_behind = draft.is_none();
            if let Some(draft) = draft {
                let id = self.replay.id();
                let encoded = self.replay.encode(&draft, holder.clone());
                let appending = self
                    .log
                    .append(id, self.replay.position(), encoded.bytes.clone());
                match appending.await {
                    Ok(()) => {
                        self.replay.commit(draft, &encoded, holder);
                        changes.push(self.last_change(encoded.fields()));
                        let sequence = self.sequencer().sequence();
                        return Some(ProposalVerdict::Accepted(sequence));
                    }
                    Err(AppendError::Conflict) => {}
                    Err(AppendError::Unknown(cause)) => {
                        tracing::warn!(%id, %cause, "unknown outcome of an append");
                        may_be_stored = true;
                        let pause = Duration::from_millis(20 << attempt.min(MAX_PAUSE_DOUBLINGS));
                        tokio::time::sleep(pause).await;
                    }
                    // The store has told the operator.
                    Err(AppendError::Refused(_)) => return None,
                }
            }
            if let Err(cause) = self.catch_up(changes).await {
                self.report_unread(&cause);
                return None;
            }
            if is_behind && self.sequencer().sequence() == known {
                // The proposal's base has never existed.
                return Some(ProposalVerdict::Overtaken(known));
            }
        }
        None
    }

    /// The verdict on a proposal after whose base the log has the entry with this number,
    /// which is not in memory any more.
    async fn look_up(
        &self,
        number: Sequence,
        client: &ClientId,
        proposal: &Proposal<Transition>,
    ) -> Result<ProposalVerdict<MatchConflict>, LogError> {
        let id = self.replay.id();
        // The first entry of the log is not one of the match.
        let entry = self.log.read(id, number, 1).await?;
        let entry = entry
            .first()
            .ok_or_else(|| LogError::new(format_args!("match {id} has lost the entry {number}")))?;
        let entry = self.replay.applied(entry)?;
        Ok(self.sequencer().verdict_after(&entry, client, proposal))
    }

    fn report_unread(&self, cause: &LogError) {
        let id = self.replay.id();
        tracing::error!(%id, %cause, "failed to read a match");
    }

    /// Applies the entries that other servers have appended, and adds them to
    /// `changes`.
    pub(super) async fn catch_up(
        &mut self,
        changes: &mut Vec<StoredChange>,
    ) -> Result<(), LogError> {
        loop {
            let page = self.read_page().await?;
            for batch in page.chunks(BATCH) {
                for bytes in batch {
                    let entry = self.replay.apply(bytes)?;
                    let entry = to_json(entry);
                    changes.push(self.last_change(fields(&entry).to_vec().into()));
                }
                if batch.len() == BATCH {
                    tokio::task::yield_now().await;
                }
            }
            if page.len() < PAGE {
                return Ok(());
            }
        }
    }

    /// Watches the log for entries behind the current state.
    pub(super) fn watch(&self) -> LogStream {
        self.log.watch(self.replay.id(), self.replay.position())
    }

    /// The last change, with the JSON of its entry's fields.
    fn last_change(&mut self, entry: Bytes) -> StoredChange {
        StoredChange {
            sequence: self.sequencer().sequence(),
            at: self.state().at(),
            digest: self.replay.digest(),
            entry,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use core::pin::pin;
    use core::task::{Context, Waker};

    use futures_util::FutureExt;

    use super::*;
    use crate::log::MemoryLog;
    use crate::matches::{Player, Settings};

    /// Stores a match with this number of entries behind the first: two players, and offers
    /// of a draw that are refused.
    pub(in crate::server) fn store_offers(
        log: &Arc<dyn MatchLog>,
        id: &MatchId,
        entries: usize,
    ) -> StoredMatch {
        let catalog = Catalog::bundled();
        let client = "ann".parse().expect("an identifier");
        let start = DynMatch::new(Settings::of_game("ttt"), |name| catalog.game(name));
        let start = start.expect("a match");
        let creating = StoredMatch::create(Arc::clone(log), id.clone(), start, false, 0);
        let mut stored = creating.now_or_never().expect("ready").expect("created");
        let join = |seat| {
            let player = Player::person("Ann");
            (Actor::Server, Act::Join { seat, player })
        };
        let offers = [
            (Actor::Seat(Seat::A), Act::OfferDraw),
            (Actor::Seat(Seat::B), Act::RefuseDraw),
        ];
        let acts = Seat::ALL.map(join).into_iter();
        let acts = acts.chain(offers.into_iter().cycle());
        for ((by, act), number) in acts.take(entries).zip(0..) {
            let proposal = Proposal {
                number,
                base: stored.sequencer().sequence(),
                transition: stored.stamp(by, act, 0),
            };
            let mut changes = Vec::new();
            let holder = Credentials::default();
            let proposing = stored.propose(&client, &proposal, holder, &mut changes);
            let verdict = proposing.now_or_never().expect("ready");
            assert!(matches!(verdict, Some(ProposalVerdict::Accepted(_))));
        }
        stored
    }

    #[test]
    fn other_tasks_have_their_turn_while_a_long_log_is_applied() {
        let catalog = Catalog::bundled();
        let log: Arc<dyn MatchLog> = Arc::new(MemoryLog::new());
        let id: MatchId = "k3h9zq4m2x7d".parse().expect("an identifier");
        let entries = PAGE + 4 * BATCH;
        let stored = store_offers(&log, &id, entries);
        let beginning = StoredMatch::begin(&catalog, log, &id);
        let begun = beginning.now_or_never().expect("ready");
        let mut other = begun.expect("a header").expect("a match");
        let context = &mut Context::from_waker(Waker::noop());
        let (mut turns, mut changes) = (0, Vec::new());
        {
            let mut catching_up = pin!(other.catch_up(&mut changes));
            while catching_up.as_mut().poll(context).is_pending() {
                turns += 1;
            }
        }
        assert_eq!(other.state(), stored.state());
        assert_eq!(changes.len(), entries);
        assert_eq!(turns, entries / BATCH);
        // Only the last ones stay in memory.
        let first = Sequence::new((entries - 2 * KEPT_ENTRIES) as u64);
        assert_eq!(other.sequencer().entries_after(first), None);
    }
}
