use core::time::Duration;
use std::sync::Arc;

use async_nats::jetstream::consumer::pull::Config;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy};
use futures_util::StreamExt;
use tokio::time::sleep;

use super::last_entries::LastEntry;
use super::{Shared, broker};
use crate::log::LogError;

/// A broker that is silent for twice this time is asked again.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Lifetime of one pull request.
const PULL_EXPIRY: Duration = Duration::from_secs(10);

/// After this time the broker deletes the consumer of a server that is gone.
const CONSUMER_EXPIRY: Duration = Duration::from_mins(1);

/// Pause before a retry.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Follows the stream of entries behind `stream_sequence` and notifies the
/// watchers. One task per process.
///
/// It resumes behind the last message received, whatever happens to
/// connections, leaders and consumers.
pub(super) async fn run(shared: Arc<Shared>, mut stream_sequence: u64) {
    loop {
        // The next attempt may succeed, whatever the error.
        let _ = follow(&shared, &mut stream_sequence).await;
        sleep(RETRY_PAUSE).await;
    }
}

/// Follows the stream until an error, and keeps `stream_sequence` up to date.
async fn follow(shared: &Shared, stream_sequence: &mut u64) -> Result<(), LogError> {
    let stream = shared.broker.entries();
    let info = stream.get_info().await.map_err(LogError::new)?;
    if info.state.last_sequence < *stream_sequence {
        // The stream has been replaced.
        *stream_sequence = info.state.last_sequence;
        shared.watchers.notify_all();
    }
    let config = Config {
        filter_subject: shared.broker.entry_subjects(),
        deliver_policy: DeliverPolicy::ByStartSequence {
            start_sequence: *stream_sequence + 1,
        },
        ack_policy: AckPolicy::None,
        memory_storage: true,
        num_replicas: 1,
        inactive_threshold: CONSUMER_EXPIRY,
        ..Config::default()
    };
    let consumer = stream.create_consumer(config).await;
    let consumer = consumer.map_err(LogError::new)?;
    let messages = consumer.stream().heartbeat(HEARTBEAT).expires(PULL_EXPIRY);
    let mut messages = messages.messages().await.map_err(LogError::new)?;
    let mut delivered = 0;
    while let Some(message) = messages.next().await {
        let message = message.map_err(LogError::new)?;
        let info = message.info().map_err(LogError::new)?;
        if info.consumer_sequence != delivered + 1 {
            return Err(LogError::new("a message was not delivered"));
        }
        delivered = info.consumer_sequence;
        *stream_sequence = info.stream_sequence;
        let number = message.headers.as_ref().map(broker::entry_number);
        if let Some(id) = shared.broker.match_id(&message.subject)
            && let Some(Ok(number)) = number
        {
            let last = LastEntry {
                number,
                stream_sequence: info.stream_sequence,
                entry: message.payload.clone(),
            };
            shared.last_entries.update(&id, last);
            shared.watchers.notify([&id]);
        }
    }
    Ok(())
}
