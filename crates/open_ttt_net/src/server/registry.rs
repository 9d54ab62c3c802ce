use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OnceCell, mpsc};

use super::Shared;
use super::commands::MatchCommand;
use super::match_actor::MatchActor;
use super::stored_match::StoredMatch;
use crate::MatchId;
use crate::log::LogError;

/// The matches held in memory, by name.
#[derive(Debug, Default)]
pub(super) struct MatchRegistry {
    by_id: Mutex<HashMap<MatchId, Arc<Entrance>>>,
}

/// Where orders to a match are handed in; open once its log has been read.
type Entrance = OnceCell<mpsc::Sender<MatchCommand>>;

/// How many orders may wait for a match.
const QUEUE: usize = 64;

/// Why a match cannot be reached.
#[derive(Debug)]
pub(super) enum RegistryError {
    NoSuchMatch,
    TooMany,
    Unavailable(LogError),
}

impl MatchRegistry {
    fn lock(&self) -> MutexGuard<'_, HashMap<MatchId, Arc<Entrance>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Hands an order to a match, which is read from its log if it is not held.
    pub(super) async fn order(
        &self,
        shared: &Arc<Shared>,
        id: &MatchId,
        order: MatchCommand,
    ) -> Result<mpsc::Sender<MatchCommand>, RegistryError> {
        let mut order = order;
        loop {
            let sender = self.sender(shared, id).await?;
            match sender.send(order).await {
                Ok(()) => return Ok(sender),
                // It went to rest just now: it is woken.
                Err(returned) => order = returned.0,
            }
            self.forget(id, &sender);
        }
    }

    async fn sender(
        &self,
        shared: &Arc<Shared>,
        id: &MatchId,
    ) -> Result<mpsc::Sender<MatchCommand>, RegistryError> {
        let entrance = {
            let mut by_id = self.lock();
            if !by_id.contains_key(id) && by_id.len() >= shared.config.max_matches {
                return Err(RegistryError::TooMany);
            }
            Arc::clone(by_id.entry(id.clone()).or_default())
        };
        let opened = entrance
            .get_or_try_init(|| async {
                let ledger = StoredMatch::open(Arc::clone(&shared.log), id.clone()).await;
                match ledger.map_err(RegistryError::Unavailable)? {
                    Some(ledger) => Ok(start(shared, id, ledger)),
                    None => Err(RegistryError::NoSuchMatch),
                }
            })
            .await;
        match opened {
            Ok(sender) => Ok(sender.clone()),
            Err(error) => {
                // Unless somebody else has opened it meanwhile.
                let mut by_id = self.lock();
                if by_id
                    .get(id)
                    .is_some_and(|entrance| !entrance.initialized())
                {
                    by_id.remove(id);
                }
                Err(error)
            }
        }
    }

    /// Holds a match that was just made.
    pub(super) fn hold(&self, shared: &Arc<Shared>, id: &MatchId, ledger: StoredMatch) {
        let sender = start(shared, id, ledger);
        self.lock()
            .insert(id.clone(), Arc::new(OnceCell::new_with(Some(sender))));
    }

    /// Hands an order to a match if it is held here and has time for it.
    pub(super) fn mention(&self, id: &MatchId, order: MatchCommand) {
        let entrance = self.lock().get(id).cloned();
        if let Some(sender) = entrance.as_ref().and_then(|entrance| entrance.get()) {
            // It is told again soon.
            let _ = sender.try_send(order);
        }
    }

    fn forget(&self, id: &MatchId, sender: &mpsc::Sender<MatchCommand>) {
        let mut by_id = self.lock();
        let same = by_id
            .get(id)
            .and_then(|entrance| entrance.get())
            .is_some_and(|held| held.same_channel(sender));
        if same {
            by_id.remove(id);
        }
    }

    /// Lets a host end if nothing waits for it. An order that comes too late is
    /// given back to whoever sent it.
    pub(super) fn retire(&self, id: &MatchId, orders: &mut mpsc::Receiver<MatchCommand>) -> bool {
        let mut by_id = self.lock();
        if !orders.is_empty() {
            return false;
        }
        orders.close();
        by_id.remove(id);
        // A sender may have been between the two.
        orders.is_empty()
    }
}

fn start(shared: &Arc<Shared>, id: &MatchId, ledger: StoredMatch) -> mpsc::Sender<MatchCommand> {
    let (sender, orders) = mpsc::channel(QUEUE);
    let host = MatchActor::new(
        Arc::clone(shared),
        id.clone(),
        ledger,
        orders,
        sender.downgrade(),
    );
    tokio::spawn(host.run());
    sender
}
