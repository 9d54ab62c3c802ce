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
use tokio::time::{Instant, sleep, timeout};

use super::last_entries::LastEntry;
use super::options::{NatsConnectError, NatsOptions};
use crate::MatchId;
use crate::log::{LogError, MAX_ENTRY};
use crate::replication::Sequence;

/// What tells an entry's number.
const NUMBER: &str = "Open-Ttt-Entry";

/// The length of a message besides its entry, at most.
const HEADERS: usize = 512;

/// The most messages asked for at once.
const BATCH: usize = 256;

/// How long to wait before asking again.
const PAUSE: Duration = Duration::from_millis(50);

/// What the broker is asked, in the words of a match log.
#[derive(Clone, Debug)]
pub(super) struct Broker {
    pub(super) client: Client,
    context: Context,
    name: String,
    notices_name: String,
    entries: Stream<()>,
    notices: Stream<()>,
    patience: Duration,
}

/// What has become of a message.
#[derive(Debug)]
pub(super) enum Published {
    /// It has this place in the stream.
    At(u64),
    /// Its subject has got longer, or somebody is about to make it so.
    Overtaken,
    /// It has not been stored, now; another try may do better.
    NotNow(LogError),
    /// It has not been stored and will not be.
    Never(LogError),
    /// Nobody knows.
    Unknown(LogError),
}

impl Broker {
    /// Makes the streams, or sees to it that they are as they should be.
    pub(super) async fn open(
        options: &NatsOptions,
        client: Client,
    ) -> Result<Self, NatsConnectError> {
        let context = ContextBuilder::new()
            .timeout(options.timeout)
            .build(client.clone());
        let clustered = client.server_info().cluster.is_some();
        let replicas = options.replicas.unwrap_or(if clustered { 3 } else { 1 });
        let name = &options.stream_name;
        let common = Config {
            storage: StorageType::File,
            retention: RetentionPolicy::Limits,
            num_replicas: replicas,
            max_message_size: (MAX_ENTRY + HEADERS) as i32,
            allow_direct: true,
            ..Config::default()
        };
        let entries = Config {
            name: name.clone(),
            subjects: vec![format!("{name}.entry.*")],
            discard: DiscardPolicy::New,
            deny_delete: true,
            deny_purge: true,
            ..common.clone()
        };
        let notices = Config {
            name: format!("{name}_notices"),
            subjects: vec![format!("{name}.notice.*"), format!("{name}.probe")],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::Old,
            ..common
        };
        for config in [&entries, &notices] {
            make(&context, config, options.timeout).await?;
        }
        let unreachable = |error| NatsConnectError::Unreachable(format!("{error}"));
        Ok(Self {
            entries: (context.get_stream_no_info(&entries.name).await).map_err(unreachable)?,
            notices: (context.get_stream_no_info(&notices.name).await).map_err(unreachable)?,
            client,
            context,
            name: name.clone(),
            notices_name: notices.name,
            patience: options.timeout,
        })
    }

    /// Where those who share the store talk to each other.
    pub(super) fn gossip(&self) -> (Client, String) {
        (self.client.clone(), format!("{}.gossip", self.name))
    }

    /// The match that a message is about.
    pub(super) fn id(&self, subject: &str) -> Option<MatchId> {
        let (before, id) = subject.rsplit_once('.')?;
        let kind = before.strip_prefix(&self.name)?;
        matches!(kind, ".entry" | ".notice")
            .then(|| id.parse().ok())
            .flatten()
    }

    /// The stream of entries.
    pub(super) const fn entries(&self) -> &Stream<()> {
        &self.entries
    }

    pub(super) fn entry_subjects(&self) -> String {
        format!("{}.entry.*", self.name)
    }

    /// The last entry, as the leader of the stream knows it.
    pub(super) async fn last(&self, id: &MatchId) -> Result<Option<LastEntry>, LogError> {
        let subject = format!("{}.entry.{id}", self.name);
        let Some(message) = self.last_message(&self.entries, &subject).await? else {
            return Ok(None);
        };
        let (number, place) = (number(&message.headers)?, message.sequence);
        let entry = message.payload;
        Ok(Some(LastEntry {
            number,
            place,
            entry,
        }))
    }

    /// Asks the leader until it answers, as long as there is patience: while
    /// there is none, nobody does.
    async fn last_message(
        &self,
        stream: &Stream<()>,
        subject: &str,
    ) -> Result<Option<StreamMessage>, LogError> {
        let until = Instant::now() + self.patience;
        loop {
            let asked = stream.get_last_raw_message_by_subject(subject);
            // Half of it, so that a leader that has died is not the last asked.
            let error = match timeout(self.patience / 2, asked).await {
                Ok(Ok(message)) => return Ok(Some(message)),
                Ok(Err(error)) if error.kind() == LastRawMessageErrorKind::NoMessageFound => {
                    return Ok(None);
                }
                Ok(Err(error)) => LogError::new(error),
                Err(elapsed) => LogError::new(elapsed),
            };
            if Instant::now() >= until {
                return Err(error);
            }
            sleep(PAUSE).await;
        }
    }

    /// The entries behind `after` up to the one numbered `end`, which is there.
    ///
    /// Whichever server is quickest gives them, and what it has not yet the
    /// leader gives.
    pub(super) async fn entries_between(
        &self,
        id: &MatchId,
        after: Sequence,
        end: Sequence,
        from: Option<(Sequence, u64)>,
    ) -> Result<Vec<Bytes>, LogError> {
        let subject = format!("{}.entry.{id}", self.name);
        // Where the search begins: the number of the last entry before, and a
        // place behind it.
        let (mut at, mut place) = from.map_or((Sequence::START, 1), |(at, place)| (at, place + 1));
        let mut entries = Vec::new();
        while at < end {
            let missing = end.get() - at.get();
            let limit = usize::try_from(missing).unwrap_or(BATCH).min(BATCH);
            let mut batch = self.direct(&self.name, &subject, place, limit).await?;
            if batch.is_empty() {
                let asked = self.entries.raw_message_builder().sequence(place);
                let message = asked.next_by_subject(&subject).send().await;
                batch.push(message.map_err(LogError::new)?);
            }
            for message in batch {
                let number = number(&message.headers)?;
                if number != at.next() {
                    return Err(LogError::new(format_args!(
                        "entry {} of {id} is missing, there is {number}",
                        at.next()
                    )));
                }
                at = number;
                place = message.sequence + 1;
                if at > after && at <= end {
                    entries.push(message.payload);
                }
            }
        }
        Ok(entries)
    }

    /// Adds an entry behind the message with that place, which is the last of
    /// its match.
    pub(super) async fn publish(
        &self,
        id: &MatchId,
        number: Sequence,
        behind: u64,
        entry: Bytes,
    ) -> Published {
        let mut headers = HeaderMap::new();
        headers.insert(NUMBER, number.to_string());
        let message = PublishMessage::build()
            .payload(entry)
            .headers(headers)
            .expected_last_subject_sequence(behind);
        let subject = format!("{}.entry.{id}", self.name);
        let sent = match self.context.send_publish(subject, message).await {
            Ok(sent) => sent.await,
            Err(error) => Err(error),
        };
        match sent {
            Ok(PublishAck { sequence, .. }) => Published::At(sequence),
            Err(error) => {
                let cause = LogError::new(described(&error));
                match (error.kind(), code(&error)) {
                    (PublishErrorKind::WrongLastSequence, _)
                    | (_, Some(ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT)) => {
                        Published::Overtaken
                    }
                    // There was nobody to hear it.
                    (PublishErrorKind::StreamNotFound, _) => Published::NotNow(cause),
                    (PublishErrorKind::MaxPayloadExceeded, _) => Published::Never(cause),
                    _ => Published::Unknown(cause),
                }
            }
        }
    }

    /// Puts up a notice or takes it down.
    pub(super) async fn set_notice(
        &self,
        id: &MatchId,
        notice: Option<Bytes>,
    ) -> Result<(), LogError> {
        let subject = format!("{}.notice.{id}", self.name);
        if let Some(notice) = notice {
            return self.store(subject, notice).await;
        }
        let purged = self.notices.purge().filter(subject).await;
        purged.map(|_| ()).map_err(LogError::new)
    }

    /// All notices, the latest last.
    pub(super) async fn notices(&self) -> Result<Vec<(MatchId, Bytes)>, LogError> {
        let subject = format!("{}.notice.*", self.name);
        let until = Instant::now() + self.patience;
        loop {
            // The leader says what there is and any server gives it, once it
            // has the same.
            let last = self.last_message(&self.notices, &subject).await?;
            let last = last.map_or(0, |message| message.sequence);
            let mut notices = Vec::new();
            let mut place = 1;
            while place <= last {
                let batch = self
                    .direct(&self.notices_name, &subject, place, BATCH)
                    .await?;
                let Some(end) = batch.last() else { break };
                place = end.sequence + 1;
                notices.extend(batch.into_iter().filter_map(|message| {
                    let id = self.id(&message.subject)?;
                    Some((id, message.sequence, message.payload))
                }));
            }
            let found = notices.last().map_or(0, |&(_, place, _)| place);
            let probe = format!("{}.probe", self.name);
            let probe = self.last_message(&self.notices, &probe).await?;
            let others = usize::from(probe.is_some());
            let info = self.notices.get_info().await.map_err(LogError::new)?;
            let whole = found == last && info.state.messages as usize == notices.len() + others;
            // While they change all the time, nobody can say what all are.
            if whole || Instant::now() >= until {
                return Ok(notices
                    .into_iter()
                    .map(|(id, _, notice)| (id, notice))
                    .collect());
            }
            sleep(PAUSE).await;
        }
    }

    /// Writes and reads something.
    pub(super) async fn probe(&self) -> Result<(), LogError> {
        let info = self.entries.get_info().await.map_err(LogError::new)?;
        if let Some(cluster) = info.cluster
            && cluster.leader.is_none()
        {
            return Err(LogError::new("the stream of matches has no leader"));
        }
        self.store(format!("{}.probe", self.name), Bytes::new())
            .await
    }

    async fn store(&self, subject: String, payload: Bytes) -> Result<(), LogError> {
        let sent = self.context.publish(subject, payload).await;
        let stored = sent
            .map_err(|error| LogError::new(described(&error)))?
            .await;
        let stored = stored.map_err(|error| LogError::new(described(&error)));
        stored.map(|_| ())
    }

    /// Messages of a subject from a place on, from any server, which may not
    /// have the latest.
    async fn direct(
        &self,
        stream: &str,
        subject: &str,
        place: u64,
        limit: usize,
    ) -> Result<Vec<StreamMessage>, LogError> {
        let inbox = self.client.new_inbox();
        let subscribed = self.client.subscribe(inbox.clone()).await;
        let mut answers = subscribed.map_err(LogError::new)?;
        let request = format!(r#"{{"seq":{place},"next_by_subj":"{subject}","batch":{limit}}}"#);
        let to = format!("$JS.API.DIRECT.GET.{stream}");
        let asked = self.client.publish_with_reply(to, inbox, request.into());
        asked.await.map_err(LogError::new)?;
        let mut messages = Vec::new();
        let until = Instant::now() + self.patience;
        while messages.len() < limit {
            let answer = tokio::time::timeout_at(until, answers.next()).await;
            // Whoever was asked has died: the leader will be.
            let Ok(Some(answer)) = answer else { break };
            match answer.status {
                None => messages.push(StreamMessage::try_from(answer).map_err(LogError::new)?),
                // The end, or nothing found, or nobody there.
                Some(_) => break,
            }
        }
        Ok(messages)
    }
}

/// Sees to it that there is such a stream.
async fn make(
    context: &Context,
    config: &Config,
    patience: Duration,
) -> Result<(), NatsConnectError> {
    let until = Instant::now() + 2 * patience;
    let info = loop {
        let error = match context.get_or_create_stream(config.clone()).await {
            Ok(stream) => break stream.cached_info().clone(),
            Err(error) => described(&error),
        };
        // A cluster that has just been started is busy with itself.
        if Instant::now() >= until {
            return Err(NatsConnectError::Unreachable(error));
        }
        sleep(PAUSE).await;
    };
    let found = info.config;
    let differs = |what: &str| {
        Err(NatsConnectError::Stream(format!(
            "the stream {:?} is there and has {what}",
            config.name
        )))
    };
    if found.subjects != config.subjects {
        return differs("other subjects");
    }
    if found.storage != config.storage {
        return differs("no files");
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
        return differs("another rule for what it keeps");
    }
    if !found.allow_direct {
        return differs("no direct access (allow_direct)");
    }
    Ok(())
}

/// The number of the entry that a message holds.
pub(super) fn number(headers: &HeaderMap) -> Result<Sequence, LogError> {
    headers
        .get(NUMBER)
        .and_then(|number| number.as_str().parse().ok())
        .map(Sequence::new)
        .ok_or_else(|| LogError::new("a message that is no entry of a match"))
}

/// What the broker gave as a reason, if it gave one.
fn code<K>(error: &async_nats::error::Error<K>) -> Option<ErrorCode>
where
    K: Clone + core::fmt::Debug + core::fmt::Display + PartialEq,
{
    let cause = error.source()?.downcast_ref::<jetstream::Error>()?;
    Some(cause.error_code())
}

/// An error and what led to it, unless it says so itself.
fn described(error: &dyn Error) -> String {
    let text = error.to_string();
    match error.source().map(ToString::to_string) {
        Some(cause) if !text.contains(&cause) => format!("{text}: {cause}"),
        _ => text,
    }
}
