use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use super::Shared;
use super::orders::Order;
use crate::log::Gossip;
use crate::protocol::Presence;
use crate::{ClientId, MatchId};

/// What servers tell each other: who is connected to a match at one of them.
#[derive(Serialize, Deserialize)]
struct Whisper {
    #[serde(rename = "match")]
    id: MatchId,
    server: ClientId,
    presence: Presence,
}

pub(super) fn whisper(id: &MatchId, server: &ClientId, presence: Presence) -> Bytes {
    let words = Whisper {
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
pub(super) async fn listen(shared: Arc<Shared>, gossip: Arc<dyn Gossip>) {
    let mut ending = shared.ending();
    loop {
        let mut words = gossip.listen();
        loop {
            let next = tokio::select! {
                next = words.next() => next,
                () = ending.wait() => return,
            };
            let Some(next) = next else { break };
            let Ok(Whisper {
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
                    .mention(&id, Order::Gossip { server, presence });
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}
