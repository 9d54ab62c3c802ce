//! What the servers of a shared store tell each other: who is connected, and the time.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use super::Shared;
use super::commands::{MatchCommand, RemotePresence};
use super::outages;
use crate::json::to_json;
use crate::log::Broadcast;
use crate::protocol::Presence;
use crate::{ClientId, MatchId};

/// Who is connected to a match at a server.
#[derive(Serialize, Deserialize)]
struct PresenceUpdate {
    #[serde(rename = "match")]
    id: MatchId,
    server: ClientId,
    presence: Presence,
}

/// The time at a server, in milliseconds since 1970.
#[derive(Serialize, Deserialize)]
struct TimeUpdate {
    server: ClientId,
    now: u64,
}

/// A broadcast, as it is received.
#[derive(Deserialize)]
#[serde(untagged)]
enum Update {
    Presence(PresenceUpdate),
    Time(TimeUpdate),
}

/// The broadcast message for a presence at this server.
pub(super) fn presence(id: &MatchId, server: &ClientId, presence: Presence) -> Bytes {
    let update = PresenceUpdate {
        id: id.clone(),
        server: server.clone(),
        presence,
    };
    to_json(&update).into()
}

/// The broadcast message for the time at this server.
pub(super) fn time(server: &ClientId, now: u64) -> Bytes {
    let server = server.clone();
    to_json(&TimeUpdate { server, now }).into()
}

/// Pause before subscribing again.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Follows what the other servers tell.
pub(super) async fn receive(shared: Arc<Shared>, broadcast: Arc<dyn Broadcast>) {
    let mut shutdown = pin!(shared.shutdown());
    loop {
        let mut messages = broadcast.subscribe();
        loop {
            let message = tokio::select! {
                message = messages.next() => message,
                () = &mut shutdown => return,
            };
            let Some(message) = message else { break };
            // Later versions may tell more.
            if let Ok(update) = serde_json::from_slice(&message) {
                follow(&shared, update);
            }
        }
        tokio::time::sleep(RETRY_PAUSE).await;
    }
}

fn follow(shared: &Shared, update: Update) {
    match update {
        Update::Presence(PresenceUpdate {
            id,
            server,
            presence,
        }) if server != shared.client => {
            let remote = RemotePresence { server, presence };
            let command = MatchCommand::RemotePresence(Box::new(remote));
            shared.matches.try_send(&id, command);
        }
        Update::Time(TimeUpdate { server, now }) if server != shared.client => {
            outages::keep_up_with(shared, now);
        }
        _ => {}
    }
}
