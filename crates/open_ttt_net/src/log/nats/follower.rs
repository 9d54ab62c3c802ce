use core::time::Duration;
use std::sync::Arc;

use async_nats::jetstream::consumer::pull::Config;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use futures_util::StreamExt;
use tokio::time::sleep;

use super::Shared;
use super::broker;
use super::last_entries::LastEntry;
use crate::log::LogError;

/// A broker that says nothing for twice this long is asked anew.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// How long one request for messages stands.
const REQUEST: Duration = Duration::from_secs(10);

/// What the broker keeps for a server that is gone.
const FORGOTTEN: Duration = Duration::from_mins(1);

/// How long to wait before trying again.
const PAUSE: Duration = Duration::from_millis(100);

/// Hears of every entry of every match, whoever adds it, and tells those who
/// watch. It is the only one in the process that follows the stream.
///
/// It remembers how far it has heard and goes on there, whatever happens to
/// connections, leaders and consumers.
pub(super) async fn run(shared: Arc<Shared>, mut heard: u64) {
    loop {
        // Whatever it was, the next try may do better.
        let _ = follow(&shared, &mut heard).await;
        sleep(PAUSE).await;
    }
}

/// Follows the stream behind the message at the place `heard`, until something
/// is wrong.
async fn follow(shared: &Shared, heard: &mut u64) -> Result<(), LogError> {
    let stream = shared.broker.entries();
    let info = stream.get_info().await.map_err(LogError::new)?;
    if info.state.last_sequence < *heard {
        // It is not the stream it was.
        *heard = info.state.last_sequence;
        shared.watchers.tell_all();
    }
    let config = Config {
        filter_subject: shared.broker.entry_subjects(),
        deliver_policy: DeliverPolicy::ByStartSequence {
            start_sequence: *heard + 1,
        },
        ack_policy: AckPolicy::None,
        memory_storage: true,
        num_replicas: 1,
        inactive_threshold: FORGOTTEN,
        ..Config::default()
    };
    let consumer = stream.create_consumer(config).await;
    let consumer = consumer.map_err(LogError::new)?;
    let messages = consumer.stream().heartbeat(HEARTBEAT).expires(REQUEST);
    let mut messages = messages.messages().await.map_err(LogError::new)?;
    let mut delivered = 0;
    while let Some(message) = messages.next().await {
        let message = message.map_err(LogError::new)?;
        let info = message.info().map_err(LogError::new)?;
        if info.consumer_sequence != delivered + 1 {
            return Err(LogError::new("a message was not delivered"));
        }
        delivered = info.consumer_sequence;
        *heard = info.stream_sequence;
        let number = message.headers.as_ref().map(broker::number);
        if let Some(id) = shared.broker.id(&message.subject)
            && let Some(Ok(number)) = number
        {
            let last = LastEntry {
                number,
                place: info.stream_sequence,
                entry: message.payload.clone(),
            };
            shared.known.hear(&id, last);
            shared.watchers.tell([&id]);
        }
    }
    Ok(())
}
