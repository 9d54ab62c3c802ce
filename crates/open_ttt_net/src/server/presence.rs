use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use super::Shared;
use super::commands::MatchCommand;
use crate::log::Broadcast;
use crate::protocol::Presence;
use crate::{ClientId, MatchId};

/// What servers tell each other: who is connected to a match at one of them.
#[derive(Serialize, Deserialize)]
struct PresenceUpdate {
    #[serde(rename = "match")]
    id: MatchId,
    server: ClientId,
    presence: Presence,
}

pub(super) fn whisper(id: &MatchId, server: &ClientId, presence: Presence) -> Bytes {
    let words = PresenceUpdate {
        id: id.clone(),
        server: server.clone(),
        presence,
    };
    // Names and numbers always have a JSON.
    serde_json::to_vec(&words).unwrap_or_default().into()
}

/// How long to wait before listening again.
const PAUSE: Duration = Duration::from_millis(500);

/// Passes on what the other servers tell, to the matches that are held here.
pub(super) async fn listen(shared: Arc<Shared>, gossip: Arc<dyn Broadcast>) {
    let mut ending = shared.ending();
    loop {
        let mut words = gossip.subscribe();
        loop {
            let next = tokio::select! {
                next = words.next() => next,
                () = ending.wait() => return,
            };
            let Some(next) = next else { break };
            let Ok(PresenceUpdate {
                id,
                server,
                presence,
            }) = serde_json::from_slice(&next)
            else {
                continue;
            };
            if server != shared.client {
                shared
                    .hosts
                    .mention(&id, MatchCommand::RemotePresence { server, presence });
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}
