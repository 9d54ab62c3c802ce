use core::hash::Hash;
use core::time::Duration;
use std::collections::HashSet;
use std::error::Error;

use async_nats::header::NATS_ROLLUP;
use async_nats::jetstream::context::{ContextBuilder, PublishErrorKind};
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy, StorageType, Stream,
};
use async_nats::jetstream::{self, Context, ErrorCode};
use async_nats::{Client, HeaderMap};
use bytes::Bytes;
use futures_util::stream::FuturesUnordered;
use futures_util::{StreamExt, TryStreamExt};
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};

use super::last_entries::LastEntry;
use super::options::{NatsConnectError, NatsOptions};
use crate::MatchId;
use crate::log::{LogError, MAX_ENTRY, MAX_NOTICES, NOTICE_LIFETIME};
use crate::replication::Sequence;

/// The header with the number of an entry.
const NUMBER_HEADER: &str = "Open-Ttt-Entry";

/// The number in the mark of a removed match: that of the start of a log.
pub(super) const REMOVED: Sequence = Sequence::START;

/// How long the mark of a removed match stays. Until then, every server has
/// read it and forgotten the entries before it.
const REMOVAL_MARK_LIFETIME: Duration = Duration::from_hours(24);

/// The header of a notice that removes the one before it.
const NOTICE_REMOVED_HEADER: &str = "Open-Ttt-Removed";

/// Maximum length of the headers of a message, in bytes.
const MAX_HEADERS: usize = 512;

/// Maximum number of messages per request.
const BATCH: usize = 256;

/// A message without a reply within this part of the time-out is given up: the
/// leader that it was sent to may have died.
const ATTEMPTS: u32 = 5;

/// Pause before a request without a reply is repeated.
const REPEAT_PAUSE: Duration = Duration::from_millis(250);

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
    /// Whether entries can be removed.
    pub(super) can_remove: bool,
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
            allow_rollup: true,
            allow_message_ttl: true,
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
            allow_message_ttl: true,
            ..common
        };
        let found = open_stream(&context, &entries, options.timeout).await?;
        // A broker allows neither change later.
        let can_remove = !found.deny_purge && found.allow_rollup && found.allow_message_ttl;
        let found = open_stream(&context, &notices, options.timeout).await?;
        if !found.allow_message_ttl {
            // Created by an earlier version.
            let config = Config {
                allow_message_ttl: true,
                ..found
            };
            let updated = context.update_stream(config).await;
            updated.map_err(|error| {
                let (name, error) = (&notices.name, with_source(&error));
                NatsConnectError::Stream(format!("the stream {name:?} cannot be updated: {error}"))
            })?;
        }
        let unreachable = |error| NatsConnectError::Unreachable(format!("{error}"));
        Ok(Self {
            entries: (context.get_stream_no_info(&entries.name).await).map_err(unreachable)?,
            notices: (context.get_stream_no_info(&notices.name).await).map_err(unreachable)?,
            client,
            context,
            stream_name: stream_name.clone(),
            notices_stream_name: notices.name,
            can_remove,
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

    /// Asks the stream leader. Asks again until the time-out while there is none.
    async fn last_message(
        &self,
        stream: &Stream<()>,
        subject: &str,
    ) -> Result<Option<StreamMessage>, LogError> {
        let deadline = Instant::now() + self.timeout;
        let mut requests = FuturesUnordered::new();
        let mut error = LogError::new("the broker does not reply");
        loop {
            // Nobody answers a request to a leader that has died. The earlier
            // requests stay: the leader may be slow instead.
            requests.push(stream.get_last_raw_message_by_subject(subject));
            let next_request = deadline.min(Instant::now() + REPEAT_PAUSE);
            while let Ok(Some(reply)) = timeout_at(next_request, requests.next()).await {
                match reply {
                    Ok(message) => return Ok(Some(message)),
                    Err(none) if none.kind() == LastRawMessageErrorKind::NoMessageFound => {
                        return Ok(None);
                    }
                    Err(failed) => error = LogError::new(failed),
                }
            }
            if Instant::now() >= deadline {
                return Err(error);
            }
            sleep_until(next_request).await;
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
                if number == REMOVED {
                    // The match was created again behind its removal.
                    entries.clear();
                } else if number != last.next() {
                    return Err(LogError::new(format_args!(
                        "entry {} of {id} is missing, found {number}",
                        last.next()
                    )));
                }
                last = number;
                next_message = message.sequence + 1;
                if number != REMOVED && last > after && last <= end {
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
        let error = match timeout(self.timeout / ATTEMPTS, publishing).await {
            Ok(Ok(PublishAck { sequence, .. })) => return PublishOutcome::Stored(sequence),
            Ok(Err(error)) => error,
            Err(elapsed) => return PublishOutcome::Unknown(LogError::new(elapsed)),
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

    /// Replaces the entries of a match, of which there are some, by the mark of
    /// its removal.
    pub(super) async fn remove(&self, id: &MatchId) -> Result<(), LogError> {
        if !self.can_remove {
            return Err(LogError::new(format_args!(
                "the stream {:?} of an earlier version keeps its matches forever (deny_purge)",
                self.stream_name
            )));
        }
        let mark = PublishMessage::build()
            .header(NUMBER_HEADER, REMOVED.to_string())
            .header(NATS_ROLLUP, "sub")
            .ttl(REMOVAL_MARK_LIFETIME);
        self.store(self.entry_subject(id), mark).await
    }

    /// All matches that have a message, with the number of messages.
    pub(super) async fn matches(&self) -> Result<Vec<(MatchId, usize)>, LogError> {
        let subjects = self.entries.info_with_subjects(self.entry_subjects());
        let subjects = subjects.await.map_err(LogError::new)?;
        let matches = subjects
            .map_ok(|(subject, messages)| Some((self.match_id(&subject)?, messages)))
            .try_filter_map(async |found| Ok(found));
        matches.try_collect().await.map_err(LogError::new)
    }

    /// Sets or removes the notice of a match.
    pub(super) async fn set_notice(
        &self,
        id: &MatchId,
        notice: Option<Bytes>,
    ) -> Result<(), LogError> {
        let subject = format!("{}.notice.{id}", self.stream_name);
        let message = PublishMessage::build().ttl(NOTICE_LIFETIME);
        // A message, unlike a purge, tells a reader whether a server has it yet.
        let message = match notice {
            Some(notice) => message.payload(notice),
            None => message.header(NOTICE_REMOVED_HEADER, "1"),
        };
        self.store(subject, message).await
    }

    /// The latest notices, at most `limit`, the latest first.
    pub(super) async fn notices(&self, limit: usize) -> Result<Vec<(MatchId, Bytes)>, LogError> {
        let subject = format!("{}.notice.*", self.stream_name);
        let deadline = Instant::now() + self.timeout;
        loop {
            // The leader reports the end. Any server may send the messages, and
            // may not have all of them yet.
            let last = self.last_message(&self.notices, &subject).await?;
            let last = last.map_or(0, |message| message.sequence);
            let messages = self.latest_notices(&subject, last, limit).await?;
            let found = messages.first().map_or(0, |message| message.sequence);
            if found >= last || Instant::now() >= deadline {
                let notices = messages.into_iter().filter(is_notice);
                let notices = notices.filter_map(|message| {
                    Some((self.match_id(&message.subject)?, message.payload))
                });
                return Ok(notices.take(limit).collect());
            }
            sleep(RETRY_PAUSE).await;
        }
    }

    /// The messages of the latest notices up to a stream sequence, the latest first,
    /// with `limit` notices among them if there are as many.
    async fn latest_notices(
        &self,
        subject: &str,
        last: u64,
        limit: usize,
    ) -> Result<Vec<StreamMessage>, LogError> {
        // A notice that is set again leaves a gap in the sequences.
        let mut window = 2 * limit.clamp(BATCH, MAX_NOTICES) as u64;
        loop {
            let first = last.saturating_sub(window) + 1;
            let mut messages = Vec::new();
            let mut next_message = first;
            while next_message <= last {
                let batch = self
                    .direct_get(&self.notices_stream_name, subject, next_message, BATCH)
                    .await?;
                let Some(end) = batch.last() else { break };
                next_message = end.sequence + 1;
                messages.extend(batch);
            }
            let latest = latest_of_each(messages, |message| message.subject.to_string());
            let notices = latest.iter().filter(|message| is_notice(message));
            if first == 1 || notices.count() >= limit {
                return Ok(latest);
            }
            window = window.saturating_mul(8);
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
        let subject = format!("{}.probe", self.stream_name);
        self.store(subject, PublishMessage::build()).await
    }

    async fn store(&self, subject: String, message: PublishMessage) -> Result<(), LogError> {
        let storing = async { self.context.send_publish(subject, message).await?.await };
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
        let deadline = Instant::now() + self.timeout / ATTEMPTS;
        while messages.len() < limit {
            let reply = timeout_at(deadline, replies.next()).await;
            // The server has died or is slow: the caller asks for the rest.
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

/// Creates a stream, or checks the configuration of an existing one. Returns the
/// configuration.
async fn open_stream(
    context: &Context,
    config: &Config,
    timeout: Duration,
) -> Result<Config, NatsConnectError> {
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
        let name = &config.name;
        let text = format!("the stream {name:?} exists and has {what}");
        Err(NatsConnectError::Stream(text))
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
    Ok(found)
}

/// The last message of each subject, the latest first. A server that receives messages
/// while it sends them may send two of a subject that keeps one.
fn latest_of_each<M, S: Eq + Hash>(messages: Vec<M>, subject: impl Fn(&M) -> S) -> Vec<M> {
    let mut seen = HashSet::new();
    let latest = messages.into_iter().rev();
    latest
        .filter(|message| seen.insert(subject(message)))
        .collect()
}

/// Whether a message is a notice, not the removal of one.
fn is_notice(message: &StreamMessage) -> bool {
    message.headers.get(NOTICE_REMOVED_HEADER).is_none()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_message_of_a_subject_counts() {
        let messages = vec![("a", 1), ("b", 2), ("a", 4), ("c", 5), ("b", 6)];
        let latest = latest_of_each(messages, |(subject, _)| *subject);
        assert_eq!(latest, [("b", 6), ("c", 5), ("a", 4)]);
    }
}
