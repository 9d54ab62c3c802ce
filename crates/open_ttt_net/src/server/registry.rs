use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::{OnceCell, mpsc};

use super::Shared;
use super::api_error::ApiError;
use super::commands::MatchCommand;
use super::limits::QuotaPermit;
use super::match_actor::MatchActor;
use super::stored_match::StoredMatch;
use crate::MatchId;
use crate::lock::lock;
use crate::protocol::ErrorCode;

/// The matches in memory, by id.
#[derive(Debug, Default)]
pub(super) struct MatchRegistry {
    by_id: Mutex<HashMap<MatchId, Arc<Slot>>>,
}

/// The command queue of a match; empty while the match is being loaded.
type Slot = OnceCell<mpsc::Sender<MatchCommand>>;

impl MatchRegistry {
    pub(super) fn count(&self) -> usize {
        lock(&self.by_id).len()
    }

    /// Sends a command to a match, which is loaded if it is not in memory.
    /// Returns its queue.
    pub(super) async fn send(
        &self,
        shared: &Arc<Shared>,
        id: &MatchId,
        mut command: MatchCommand,
    ) -> Result<mpsc::Sender<MatchCommand>, ApiError> {
        loop {
            let sender = self.sender(shared, id).await?;
            match sender.send(command).await {
                Ok(()) => return Ok(sender),
                // The match has just been unloaded: load it again.
                Err(returned) => command = returned.0,
            }
            self.remove(id, &sender);
        }
    }

    async fn sender(
        &self,
        shared: &Arc<Shared>,
        id: &MatchId,
    ) -> Result<mpsc::Sender<MatchCommand>, ApiError> {
        let slot = {
            let mut by_id = lock(&self.by_id);
            if !by_id.contains_key(id) && by_id.len() >= shared.config.max_matches {
                let text = "The server has as many games as it can hold. Try again later.";
                return Err(ApiError::new(ErrorCode::Unavailable, text));
            }
            Arc::clone(by_id.entry(id.clone()).or_default())
        };
        let loaded = slot
            .get_or_try_init(|| async {
                let log = Arc::clone(&shared.log);
                let stored = StoredMatch::open(&shared.catalog, log, id.clone()).await?;
                let stored = stored.ok_or_else(ApiError::no_such_match)?;
                Ok(MatchActor::spawn(shared, id, stored, None))
            })
            .await;
        if loaded.is_err() {
            let mut by_id = lock(&self.by_id);
            // Unless a concurrent request has loaded it.
            if by_id.get(id).is_some_and(|slot| !slot.initialized()) {
                by_id.remove(id);
            }
        }
        loaded.cloned()
    }

    /// Adds a match that has just been created, with its place in the lobby.
    pub(super) fn insert(
        &self,
        shared: &Arc<Shared>,
        id: &MatchId,
        stored: StoredMatch,
        listing: Option<QuotaPermit>,
    ) {
        let sender = MatchActor::spawn(shared, id, stored, listing);
        let slot = Arc::new(OnceCell::new_with(Some(sender)));
        lock(&self.by_id).insert(id.clone(), slot);
    }

    /// Sends a command if the match is in memory and its queue has room.
    pub(super) fn try_send(&self, id: &MatchId, command: MatchCommand) {
        let slot = lock(&self.by_id).get(id).cloned();
        if let Some(sender) = slot.as_ref().and_then(|slot| slot.get()) {
            let _ = sender.try_send(command);
        }
    }

    fn remove(&self, id: &MatchId, sender: &mpsc::Sender<MatchCommand>) {
        let mut by_id = lock(&self.by_id);
        let current = by_id.get(id).and_then(|slot| slot.get());
        if current.is_some_and(|current| current.same_channel(sender)) {
            by_id.remove(id);
        }
    }

    /// Unloads a match if no command is queued. Later commands are returned to
    /// their senders.
    pub(super) fn try_unload(
        &self,
        id: &MatchId,
        commands: &mut mpsc::Receiver<MatchCommand>,
    ) -> bool {
        let mut by_id = lock(&self.by_id);
        if !commands.is_empty() {
            return false;
        }
        commands.close();
        by_id.remove(id);
        // A command may have been sent since the first check.
        commands.is_empty()
    }
}
