use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use super::Shared;
use super::commands::{MatchCommand, RemotePresence};
use crate::log::Broadcast;
use crate::protocol::Presence;
use crate::{ClientId, MatchId};

/// A broadcast between servers: who is connected to a match at one of them.
#[derive(Serialize, Deserialize)]
struct PresenceUpdate {
    #[serde(rename = "match")]
    id: MatchId,
    server: ClientId,
    presence: Presence,
}

/// The broadcast message for a presence at this server.
pub(super) fn encode(id: &MatchId, server: &ClientId, presence: Presence) -> Bytes {
    let update = PresenceUpdate {
        id: id.clone(),
        server: server.clone(),
        presence,
    };
    // This type always serializes.
    serde_json::to_vec(&update).unwrap_or_default().into()
}

/// Pause before subscribing again.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Forwards the presence at other servers to the matches in memory.
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
            if let Ok(PresenceUpdate {
                id,
                server,
                presence,
            }) = serde_json::from_slice(&message)
                && server != shared.client
            {
                let remote = RemotePresence { server, presence };
                let command = MatchCommand::RemotePresence(Box::new(remote));
                shared.matches.try_send(&id, command);
            }
        }
        tokio::time::sleep(RETRY_PAUSE).await;
    }
}
