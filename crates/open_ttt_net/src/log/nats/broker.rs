use core::time::Duration;
use std::error::Error;

use async_nats::jetstream::context::{ContextBuilder, PublishErrorKind};
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy, StorageType, Stream,
};
use async_nats::jetstream::{self, Context, ErrorCode};
use async_nats::{Client, HeaderMap};
use bytes::Bytes;
use futures_util::StreamExt;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use super::last_entries::LastEntry;
use super::options::{NatsConnectError, NatsOptions};
use crate::MatchId;
use crate::log::{LogError, MAX_ENTRY};
use crate::replication::Sequence;

/// The header with the number of an entry.
const NUMBER_HEADER: &str = "Open-Ttt-Entry";

/// Maximum length of the headers of a message, in bytes.
const MAX_HEADERS: usize = 512;

/// Maximum number of messages per request.
const BATCH: usize = 256;

/// Pause before a retry.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// The streams of a match log, and the requests to them.
#[derive(Clone, Debug)]
pub(super) struct Broker {
    pub(super) client: Client,
    context: Context,
    stream_name: String,
    notices_stream_name: String,
    entries: Stream<()>,
    notices: Stream<()>,
    pub(super) timeout: Duration,
}

/// The result of publishing an entry.
#[derive(Debug)]
pub(super) enum PublishOutcome {
    /// Stored, with this sequence number in the stream.
    Stored(u64),
    /// The subject has another last message, or a concurrent publish is about
    /// to add one.
    WrongSequence,
    /// Not stored; a retry may succeed.
    NotStored(LogError),
    /// Not stored; a retry cannot succeed.
    Refused(LogError),
    /// Unknown whether it was stored.
    Unknown(LogError),
}

impl Broker {
    /// Creates the streams, or checks the configuration of existing ones.
    pub(super) async fn open(
        options: &NatsOptions,
        client: Client,
    ) -> Result<Self, NatsConnectError> {
        let context = ContextBuilder::new()
            .timeout(options.timeout)
            .build(client.clone());
        let clustered = client.server_info().cluster.is_some();
        let replicas = options.replicas.unwrap_or(if clustered { 3 } else { 1 });
        let stream_name = &options.stream_name;
        let common = Config {
            storage: StorageType::File,
            retention: RetentionPolicy::Limits,
            num_replicas: replicas,
            max_message_size: (MAX_ENTRY + MAX_HEADERS) as i32,
            allow_direct: true,
            ..Config::default()
        };
        let entries = Config {
            name: stream_name.clone(),
            subjects: vec![format!("{stream_name}.entry.*")],
            discard: DiscardPolicy::New,
            deny_delete: true,
            deny_purge: true,
            ..common.clone()
        };
        let notices = Config {
            name: format!("{stream_name}_notices"),
            subjects: vec![
                format!("{stream_name}.notice.*"),
                format!("{stream_name}.probe"),
            ],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::Old,
            ..common
        };
        for config in [&entries, &notices] {
            open_stream(&context, config, options.timeout).await?;
        }
        let unreachable = |error| NatsConnectError::Unreachable(format!("{error}"));
        Ok(Self {
            entries: (context.get_stream_no_info(&entries.name).await).map_err(unreachable)?,
            notices: (context.get_stream_no_info(&notices.name).await).map_err(unreachable)?,
            client,
            context,
            stream_name: stream_name.clone(),
            notices_stream_name: notices.name,
            timeout: options.timeout,
        })
    }

    /// The client and the subject for broadcasts.
    pub(super) fn broadcast(&self) -> (Client, String) {
        (self.client.clone(), format!("{}.gossip", self.stream_name))
    }

    /// The match that a subject belongs to.
    pub(super) fn match_id(&self, subject: &str) -> Option<MatchId> {
        let (prefix, id) = subject.rsplit_once('.')?;
        let kind = prefix.strip_prefix(&self.stream_name)?;
        matches!(kind, ".entry" | ".notice")
            .then(|| id.parse().ok())
            .flatten()
    }

    /// The stream of entries.
    pub(super) const fn entries(&self) -> &Stream<()> {
        &self.entries
    }

    pub(super) fn entry_subjects(&self) -> String {
        format!("{}.entry.*", self.stream_name)
    }

    fn entry_subject(&self, id: &MatchId) -> String {
        format!("{}.entry.{id}", self.stream_name)
    }

    /// The last entry, according to the stream leader.
    pub(super) async fn last(&self, id: &MatchId) -> Result<Option<LastEntry>, LogError> {
        let subject = self.entry_subject(id);
        let Some(message) = self.last_message(&self.entries, &subject).await? else {
            return Ok(None);
        };
        Ok(Some(LastEntry {
            number: entry_number(&message.headers)?,
            stream_sequence: message.sequence,
            entry: message.payload,
        }))
    }

    /// Asks the stream leader. Retries until the time-out while there is none.
    async fn last_message(
        &self,
        stream: &Stream<()>,
        subject: &str,
    ) -> Result<Option<StreamMessage>, LogError> {
        let deadline = Instant::now() + self.timeout;
        loop {
            let request = stream.get_last_raw_message_by_subject(subject);
            // Half of the time, which leaves a retry if the leader has died.
            let error = match timeout(self.timeout / 2, request).await {
                Ok(Ok(message)) => return Ok(Some(message)),
                Ok(Err(error)) if error.kind() == LastRawMessageErrorKind::NoMessageFound => {
                    return Ok(None);
                }
                Ok(Err(error)) => LogError::new(error),
                Err(elapsed) => LogError::new(elapsed),
            };
            if Instant::now() >= deadline {
                return Err(error);
            }
            sleep(RETRY_PAUSE).await;
        }
    }

    /// The entries behind `after` up to `end`, which must exist. The search
    /// begins behind `from`, an earlier entry.
    ///
    /// Any server may reply. What it does not have yet, the leader sends.
    pub(super) async fn entries_between(
        &self,
        id: &MatchId,
        after: Sequence,
        end: Sequence,
        from: Option<LastEntry>,
    ) -> Result<Vec<Bytes>, LogError> {
        let subject = self.entry_subject(id);
        let start = (Sequence::START, 1);
        let (mut last, mut next_message) =
            from.map_or(start, |from| (from.number, from.stream_sequence + 1));
        let mut entries = Vec::new();
        while last < end {
            let missing = end.get() - last.get();
            let limit = usize::try_from(missing).unwrap_or(BATCH).min(BATCH);
            let mut batch = self
                .direct_get(&self.stream_name, &subject, next_message, limit)
                .await?;
            if batch.is_empty() {
                let request = self.entries.raw_message_builder().sequence(next_message);
                let message = request.next_by_subject(&subject).send().await;
                batch.push(message.map_err(LogError::new)?);
            }
            for message in batch {
                let number = entry_number(&message.headers)?;
                if number != last.next() {
                    return Err(LogError::new(format_args!(
                        "entry {} of {id} is missing, found {number}",
                        last.next()
                    )));
                }
                last = number;
                next_message = message.sequence + 1;
                if last > after && last <= end {
                    entries.push(message.payload);
                }
            }
        }
        Ok(entries)
    }

    /// Publishes an entry, if `behind` is the stream sequence of the last entry
    /// of the match.
    pub(super) async fn publish(
        &self,
        id: &MatchId,
        number: Sequence,
        behind: u64,
        entry: Bytes,
    ) -> PublishOutcome {
        let mut headers = HeaderMap::new();
        headers.insert(NUMBER_HEADER, number.to_string());
        let message = PublishMessage::build()
            .payload(entry)
            .headers(headers)
            .expected_last_subject_sequence(behind);
        let subject = self.entry_subject(id);
        let publishing = async { self.context.send_publish(subject, message).await?.await };
        let error = match publishing.await {
            Ok(PublishAck { sequence, .. }) => return PublishOutcome::Stored(sequence),
            Err(error) => error,
        };
        let cause = LogError::new(with_source(&error));
        match (error.kind(), error_code(&error)) {
            (PublishErrorKind::WrongLastSequence, _)
            | (_, Some(ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT)) => {
                PublishOutcome::WrongSequence
            }
            // No server has received it.
            (PublishErrorKind::StreamNotFound, _) => PublishOutcome::NotStored(cause),
            (PublishErrorKind::MaxPayloadExceeded, _) => PublishOutcome::Refused(cause),
            _ => PublishOutcome::Unknown(cause),
        }
    }

    /// Sets or removes the notice of a match.
    pub(super) async fn set_notice(
        &self,
        id: &MatchId,
        notice: Option<Bytes>,
    ) -> Result<(), LogError> {
        let subject = format!("{}.notice.{id}", self.stream_name);
        if let Some(notice) = notice {
            return self.store(subject, notice).await;
        }
        let purged = self.notices.purge().filter(subject).await;
        purged.map(|_| ()).map_err(LogError::new)
    }

    /// All notices, the latest last.
    pub(super) async fn notices(&self) -> Result<Vec<(MatchId, Bytes)>, LogError> {
        let subject = format!("{}.notice.*", self.stream_name);
        let probe_subject = format!("{}.probe", self.stream_name);
        let deadline = Instant::now() + self.timeout;
        loop {
            // The leader reports the end. Any server may send the messages, and
            // may not have all of them yet.
            let last = self.last_message(&self.notices, &subject).await?;
            let last = last.map_or(0, |message| message.sequence);
            let mut notices = Vec::new();
            let mut next_message = 1;
            while next_message <= last {
                let batch = self
                    .direct_get(&self.notices_stream_name, &subject, next_message, BATCH)
                    .await?;
                let Some(end) = batch.last() else { break };
                next_message = end.sequence + 1;
                notices.extend(batch.into_iter().filter_map(|message| {
                    let id = self.match_id(&message.subject)?;
                    Some((id, message.sequence, message.payload))
                }));
            }
            let found = notices.last().map_or(0, |&(_, sequence, _)| sequence);
            let probe = self.last_message(&self.notices, &probe_subject).await?;
            let others = usize::from(probe.is_some());
            let info = self.notices.get_info().await.map_err(LogError::new)?;
            let is_complete =
                found == last && info.state.messages as usize == notices.len() + others;
            // Under constant change the list may never be complete.
            if is_complete || Instant::now() >= deadline {
                let notices = notices.into_iter().map(|(id, _, notice)| (id, notice));
                return Ok(notices.collect());
            }
            sleep(RETRY_PAUSE).await;
        }
    }

    /// Checks that the streams can be written and read.
    pub(super) async fn probe(&self) -> Result<(), LogError> {
        let info = self.entries.get_info().await.map_err(LogError::new)?;
        if let Some(cluster) = info.cluster
            && cluster.leader.is_none()
        {
            return Err(LogError::new("the stream of matches has no leader"));
        }
        self.store(format!("{}.probe", self.stream_name), Bytes::new())
            .await
    }

    async fn store(&self, subject: String, payload: Bytes) -> Result<(), LogError> {
        let storing = async { self.context.publish(subject, payload).await?.await };
        let stored = storing.await.map(drop);
        stored.map_err(|error| LogError::new(with_source(&error)))
    }

    /// At most `limit` messages of a subject from a stream sequence on, from
    /// any server, which may lack the latest ones.
    async fn direct_get(
        &self,
        stream: &str,
        subject: &str,
        first: u64,
        limit: usize,
    ) -> Result<Vec<StreamMessage>, LogError> {
        let inbox = self.client.new_inbox();
        let subscribed = self.client.subscribe(inbox.clone()).await;
        let mut replies = subscribed.map_err(LogError::new)?;
        // NATS ADR-31.
        let request = json!({"seq": first, "next_by_subj": subject, "batch": limit});
        let to = format!("$JS.API.DIRECT.GET.{stream}");
        let sent = self
            .client
            .publish_with_reply(to, inbox, request.to_string().into());
        sent.await.map_err(LogError::new)?;
        let mut messages = Vec::new();
        let deadline = Instant::now() + self.timeout;
        while messages.len() < limit {
            let reply = tokio::time::timeout_at(deadline, replies.next()).await;
            // The server has died: the caller asks the leader.
            let Ok(Some(reply)) = reply else { break };
            match reply.status {
                None => messages.push(StreamMessage::try_from(reply).map_err(LogError::new)?),
                // End of batch, not found, or no responders.
                Some(_) => break,
            }
        }
        Ok(messages)
    }
}

/// Creates a stream, or checks the configuration of an existing one.
async fn open_stream(
    context: &Context,
    config: &Config,
    timeout: Duration,
) -> Result<(), NatsConnectError> {
    let deadline = Instant::now() + 2 * timeout;
    let info = loop {
        let error = match context.get_or_create_stream(config.clone()).await {
            Ok(stream) => break stream.cached_info().clone(),
            Err(error) => with_source(&error),
        };
        // A cluster that has just started has no leader yet.
        if Instant::now() >= deadline {
            return Err(NatsConnectError::Unreachable(error));
        }
        sleep(RETRY_PAUSE).await;
    };
    let found = info.config;
    let differs = |what: &str| {
        Err(NatsConnectError::Stream(format!(
            "the stream {:?} exists and has {what}",
            config.name
        )))
    };
    if found.subjects != config.subjects {
        return differs("other subjects");
    }
    if found.storage != config.storage {
        return differs("no file storage");
    }
    if found.num_replicas < config.num_replicas {
        return differs(&format!(
            "{} replicas, not {}",
            found.num_replicas, config.num_replicas
        ));
    }
    if found.max_messages_per_subject.max(0) != config.max_messages_per_subject.max(0)
        || found.retention != config.retention
        || found.discard != config.discard
        || !found.max_age.is_zero()
    {
        return differs("another retention policy");
    }
    if !found.allow_direct {
        return differs("no direct access (allow_direct)");
    }
    Ok(())
}

/// The number of the entry in a message.
pub(super) fn entry_number(headers: &HeaderMap) -> Result<Sequence, LogError> {
    headers
        .get(NUMBER_HEADER)
        .and_then(|number| number.as_str().parse().ok())
        .map(Sequence::new)
        .ok_or_else(|| LogError::new("a message in the stream is not an entry of a match"))
}

/// The `JetStream` error code of the broker's reply, if there is one.
fn error_code<K>(error: &async_nats::error::Error<K>) -> Option<ErrorCode>
where
    K: Clone + core::fmt::Debug + core::fmt::Display + PartialEq,
{
    let cause = error.source()?.downcast_ref::<jetstream::Error>()?;
    Some(cause.error_code())
}

/// The text of an error and of its source. Some errors print their source.
fn with_source(error: &dyn Error) -> String {
    let text = error.to_string();
    match error.source().map(ToString::to_string) {
        Some(source) if !text.contains(&source) => format!("{text}: {source}"),
        _ => text,
    }
}
