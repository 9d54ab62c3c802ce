use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use open_ttt_search::StopFlag;
use tokio::sync::OnceCell;

use super::Shared;
use super::api_error::ApiError;
use super::command_queue::{CommandReceiver, CommandSender};
use super::commands::MatchCommand;
use super::limits::QuotaPermit;
use super::match_actor::MatchActor;
use super::stored_match::{BATCH, PAGE, StoredMatch};
use crate::MatchId;
use crate::lock::lock;
use crate::log::LogError;
use crate::protocol::ErrorCode;

/// The matches in memory, by id.
#[derive(Debug, Default)]
pub(super) struct MatchRegistry {
    by_id: Mutex<HashMap<MatchId, Arc<Slot>>>,
    /// The matches whose damage has been logged, at most [`MAX_DAMAGED`].
    damaged: Mutex<HashSet<MatchId>>,
}

/// The number of damaged matches that are remembered, so that each is logged once.
const MAX_DAMAGED: usize = 1024;

/// The command queue of a match; empty while the match is being loaded.
type Slot = OnceCell<CommandSender>;

/// A slot in use. Dropping the last one of an empty slot, also because a request was
/// cancelled, removes the slot.
pub(super) struct HeldSlot<'a> {
    registry: &'a MatchRegistry,
    id: &'a MatchId,
    slot: Arc<Slot>,
}

impl<'a> HeldSlot<'a> {
    const fn new(registry: &'a MatchRegistry, id: &'a MatchId, slot: Arc<Slot>) -> Self {
        Self { registry, id, slot }
    }

    /// Adds a match that has just been created, with its place in the lobby.
    pub(super) fn fill(
        self,
        shared: &Arc<Shared>,
        stored: StoredMatch,
        listing: Option<QuotaPermit>,
    ) {
        // Nobody else has known of the match.
        let _ = self
            .slot
            .set(MatchActor::spawn(shared, self.id, stored, listing));
    }
}

impl Drop for HeldSlot<'_> {
    fn drop(&mut self) {
        let mut by_id = lock(&self.registry.by_id);
        // Slots are held, and let go, under this lock.
        let own = std::mem::take(&mut self.slot);
        let is_last = !own.initialized() && Arc::strong_count(&own) == 2;
        let current = by_id.get(self.id);
        if is_last && current.is_some_and(|slot| Arc::ptr_eq(slot, &own)) {
            by_id.remove(self.id);
        }
        drop(own);
    }
}

impl MatchRegistry {
    pub(super) fn count(&self) -> usize {
        lock(&self.by_id).len()
    }

    /// Sends a command to a match, which is loaded for this address if it is not in memory.
    /// Returns its queue.
    pub(super) async fn send(
        &self,
        shared: &Arc<Shared>,
        address: IpAddr,
        id: &MatchId,
        mut command: MatchCommand,
    ) -> Result<CommandSender, ApiError> {
        loop {
            let sender = self.sender(shared, address, id).await?;
            match sender.send(command).await {
                Ok(()) => return Ok(sender),
                // The match has just been unloaded: load it again.
                Err(returned) => command = returned,
            }
            self.remove(id, &sender);
        }
    }

    /// The slot of a match, if it is in memory or there is room for one more.
    pub(super) fn hold<'a>(
        &'a self,
        shared: &Shared,
        id: &'a MatchId,
    ) -> Result<HeldSlot<'a>, ApiError> {
        let mut by_id = lock(&self.by_id);
        if !by_id.contains_key(id) && by_id.len() >= shared.config.max_matches {
            let text = "The server has as many games as it can hold. Try again later.";
            return Err(ApiError::new(ErrorCode::Unavailable, text));
        }
        let slot = Arc::clone(by_id.entry(id.clone()).or_default());
        drop(by_id);
        Ok(HeldSlot::new(self, id, slot))
    }

    async fn sender(
        &self,
        shared: &Arc<Shared>,
        address: IpAddr,
        id: &MatchId,
    ) -> Result<CommandSender, ApiError> {
        let slot = self.hold(shared, id)?;
        let loaded = slot
            .slot
            .get_or_try_init(|| async {
                let stored = self.load(shared, address, id).await?;
                Ok(MatchActor::spawn(shared, id, stored, None))
            })
            .await;
        loaded.cloned()
    }

    /// Reads a match from its log. Long logs are replayed page by page on a thread of their
    /// own, in turns for all addresses: whoever asks for many of them delays no other match.
    async fn load(
        &self,
        shared: &Arc<Shared>,
        address: IpAddr,
        id: &MatchId,
    ) -> Result<StoredMatch, ApiError> {
        let failed = |cause| self.load_error(id, cause);
        let log = Arc::clone(&shared.log);
        let begun = StoredMatch::begin(&shared.catalog, log, id).await;
        let mut stored = begun.map_err(failed)?.ok_or_else(ApiError::no_such_match)?;
        loop {
            let page = stored.read_page().await.map_err(failed)?;
            let is_last = page.len() < PAGE;
            if page.len() <= BATCH {
                stored.apply(&page).map_err(failed)?;
            } else {
                let job = move |_: &StopFlag| stored.apply(&page).map(|()| stored);
                let applied = shared.replays.run(address, job).await?;
                stored = applied.map_err(failed)?;
            }
            if is_last {
                return Ok(stored);
            }
        }
    }

    /// Does some work on a match that is not in memory, and is not loaded before it is
    /// done; `None` if the match is in memory.
    pub(super) async fn while_unloaded<T>(
        &self,
        id: &MatchId,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let slot = {
            let mut by_id = lock(&self.by_id);
            if by_id.contains_key(id) {
                return None;
            }
            let slot = Arc::<Slot>::default();
            by_id.insert(id.clone(), Arc::clone(&slot));
            HeldSlot::new(self, id, slot)
        };
        let mut done = None;
        // Whoever wants to load the match waits for this.
        let working = slot.slot.get_or_try_init(async || {
            done = Some(work.await);
            Err(())
        });
        // An error leaves the slot empty.
        let _ = working.await;
        done
    }

    /// The error of a match that cannot be loaded.
    pub(super) fn load_error(&self, id: &MatchId, cause: LogError) -> ApiError {
        if !cause.is_damaged() {
            return cause.into();
        }
        let mut damaged = lock(&self.damaged);
        if damaged.len() >= MAX_DAMAGED {
            damaged.clear();
        }
        if damaged.insert(id.clone()) {
            tracing::error!(%id, %cause, "the record of a match is damaged");
        }
        let text = "This game's record is damaged.";
        ApiError::new(ErrorCode::Damaged, text)
    }

    /// The command queue of a match that is in memory.
    pub(super) fn loaded(&self, id: &MatchId) -> Option<CommandSender> {
        let by_id = lock(&self.by_id);
        by_id.get(id).and_then(|slot| slot.get().cloned())
    }

    /// Sends a command if the match is in memory and its queue has room.
    pub(super) fn try_send(&self, id: &MatchId, command: MatchCommand) {
        if let Some(sender) = self.loaded(id) {
            let _ = sender.try_send(command);
        }
    }

    /// Sends a command if the match is in memory, as soon as its queue has room.
    pub(super) fn send_if_loaded(&self, id: &MatchId, command: MatchCommand) {
        if let Some(sender) = self.loaded(id) {
            tokio::spawn(async move { drop(sender.send(command).await) });
        }
    }

    /// Sends a command to all matches in memory.
    pub(super) fn send_all(&self, command: impl Fn() -> MatchCommand + Send + 'static) {
        let by_id = lock(&self.by_id);
        let senders = by_id.values().filter_map(|slot| slot.get().cloned());
        let senders: Vec<_> = senders.collect();
        drop(by_id);
        tokio::spawn(async move {
            for sender in senders {
                if let Err(command) = sender.try_send(command()) {
                    // A match that can't keep up doesn't delay the others. Fails if it was
                    // unloaded.
                    tokio::spawn(async move { drop(sender.send(command).await) });
                }
            }
        });
    }

    /// Drops a match that is deleted. Its actor ends with its connections.
    pub(super) fn forget(&self, id: &MatchId) {
        lock(&self.by_id).remove(id);
    }

    /// At most `limit` ids of matches in memory, in order, behind one.
    pub(super) fn ids(&self, after: Option<&MatchId>, limit: usize) -> Vec<MatchId> {
        let by_id = lock(&self.by_id);
        let behind = by_id
            .keys()
            .filter(|id| after.is_none_or(|after| *id > after));
        let mut ids: Vec<_> = behind.cloned().collect();
        drop(by_id);
        ids.sort_unstable();
        ids.truncate(limit);
        ids
    }

    fn remove(&self, id: &MatchId, sender: &CommandSender) {
        let mut by_id = lock(&self.by_id);
        let current = by_id.get(id).and_then(|slot| slot.get());
        if current.is_some_and(|current| current.is_same(sender)) {
            by_id.remove(id);
        }
    }

    /// Unloads a match if no command is queued. Later commands are returned to
    /// their senders.
    pub(super) fn try_unload(&self, id: &MatchId, commands: &mut CommandReceiver) -> bool {
        let mut by_id = lock(&self.by_id);
        let is_closed = commands.close_if_empty();
        if is_closed {
            by_id.remove(id);
        }
        is_closed
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::mpsc;

    use futures_util::FutureExt;
    use open_ttt_catalog::Catalog;
    use tokio::sync::oneshot;
    use tokio::task::yield_now;

    use super::*;
    use crate::log::{MatchLog, MemoryLog};
    use crate::server::client_address::ClientAddress;
    use crate::server::handlers::request;
    use crate::server::stored_match::tests::store_offers;
    use crate::server::{Config, Server};

    #[tokio::test]
    async fn a_long_log_is_replayed_beside_the_threads_that_serve() {
        let log: Arc<dyn MatchLog> = Arc::new(MemoryLog::new());
        let [long, short] = ["long", "short"].map(|id| id.parse().expect("an identifier"));
        store_offers(&log, &long, BATCH + 1);
        store_offers(&log, &short, BATCH);
        let server = Server::new(Catalog::bundled(), Config::default(), log).expect("a server");
        let shared = &server.shared;
        // The work of somebody else keeps the only thread busy.
        let (begun, on_begun) = oneshot::channel();
        let (end, on_end) = mpsc::channel::<()>();
        let work = move |_: &StopFlag| (begun.send(()).is_ok(), on_end.recv().is_ok());
        let busy = shared
            .replays
            .submit([192, 0, 2, 1].into(), StopFlag::new(), work);
        let busy = busy.expect("there is room");
        on_begun.await.expect("it begins");
        let client = ClientAddress([192, 0, 2, 2].into());
        let load = async |id| request(shared, client, id, MatchCommand::Settle).await;
        let mut loading = pin!(load(&long));
        for _ in 0..1_000 {
            assert!(loading.as_mut().now_or_never().is_none(), "it waits");
            yield_now().await;
        }
        load(&short).await.expect("it waits for nothing");
        end.send(()).expect("it is still busy");
        loading.await.expect("it is loaded");
        assert_eq!(busy.await, Ok((true, true)));
    }
}
