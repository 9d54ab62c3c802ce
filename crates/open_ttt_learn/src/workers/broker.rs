use core::fmt::Display;
use core::time::Duration;

use async_nats::Client;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::consumer::{AckPolicy, Consumer};
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{self, ObjectMetadata, ObjectStore};
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::answer;
use super::options::{BrokerOptions, ConnectError};
use super::task::{ContentHash, MAX_LENGTH};

const HOUR: Duration = Duration::from_hours(1);

/// The largest network, in bytes.
pub(super) const MAX_MODEL: usize = 300 << 20;

/// The name of the consumer that delivers tasks.
const WORKERS: &str = "workers";

/// The kinds of messages that are stored.
pub(super) const TASK: &str = "task";
pub(super) const ANSWER: &str = "answer";

/// The calls to NATS that coordinator and workers make. Errors are sentences.
#[derive(Clone, Debug)]
pub(super) struct Broker {
    client: Client,
    context: Context,
    name: String,
    timeout: Duration,
}

impl Broker {
    pub(super) async fn connect(options: &BrokerOptions) -> Result<Self, ConnectError> {
        let client = options.connect().await?;
        let context = ContextBuilder::new()
            .timeout(options.timeout)
            .ack_timeout(options.timeout)
            .build(client.clone());
        Ok(Self {
            client,
            context,
            name: options.name.clone(),
            timeout: options.timeout,
        })
    }

    pub(super) const fn client(&self) -> &Client {
        &self.client
    }

    /// Creates the streams, the bucket and the consumer of tasks, if necessary. A task is
    /// redelivered when its worker is silent for `dead_after`.
    pub(super) async fn create(&self, dead_after: Duration) -> Result<(), String> {
        let common = stream::Config {
            max_age: HOUR,
            duplicate_window: HOUR / 6,
            ..stream::Config::default()
        };
        let tasks = stream::Config {
            name: self.stream(TASK),
            subjects: vec![format!("{}.task.*", self.name)],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_messages: 1 << 20,
            max_message_size: MAX_LENGTH as i32 + 512,
            ..common.clone()
        };
        let answers = stream::Config {
            name: self.stream(ANSWER),
            subjects: vec![format!("{}.answer.*", self.name)],
            retention: RetentionPolicy::Limits,
            discard: DiscardPolicy::Old,
            // The broker reserves this much.
            max_bytes: 256 << 20,
            ..common
        };
        for config in [tasks, answers] {
            let what = format!("the broker can't create the stream {}", config.name);
            let created = self.context.create_or_update_stream(config).await;
            created.map_err(failed(what))?;
        }
        let consumer = pull::Config {
            durable_name: Some(WORKERS.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: dead_after,
            max_ack_pending: 1 << 16,
            ..pull::Config::default()
        };
        let stream = self.stream(TASK);
        let created = self
            .context
            .create_consumer_on_stream(consumer, stream)
            .await;
        created.map_err(failed("the broker can't create the consumer of tasks"))?;
        let bucket = object_store::Config {
            bucket: self.bucket_name(),
            max_age: 24 * HOUR,
            ..object_store::Config::default()
        };
        let created = self.context.create_object_store(bucket).await;
        created.map_err(failed("the broker can't create the bucket of networks"))?;
        Ok(())
    }

    fn stream(&self, kind: &str) -> String {
        format!("{}_{kind}s", self.name)
    }

    fn subject(&self, kind: &str, run: u64) -> String {
        format!("{}.{kind}.{run:016x}", self.name)
    }

    fn bucket_name(&self) -> String {
        format!("{}_models", self.name)
    }

    async fn bucket(&self) -> Result<ObjectStore, String> {
        let bucket = self.context.get_object_store(self.bucket_name()).await;
        bucket.map_err(failed("the broker has no bucket of networks"))
    }

    /// The subject on which a worker receives the reason of its ban.
    pub(super) fn ban_subject(&self, worker: &str) -> String {
        format!("{}.word.{worker}", self.name)
    }

    /// The consumer of tasks, if a coordinator has created it, and its `dead_after`.
    pub(super) async fn tasks(&self) -> Result<(Consumer<pull::Config>, Duration), String> {
        let stream = self.stream(TASK);
        let consumer = self.context.get_consumer_from_stream(WORKERS, stream).await;
        let consumer: Consumer<pull::Config> = consumer.map_err(|error| error.to_string())?;
        let dead_after = consumer.cached_info().config.ack_wait;
        Ok((consumer, dead_after))
    }

    /// The consumer of a run's answers. Each is delivered at most once; the task of a
    /// lost one is played again.
    pub(super) async fn answers(&self, run: u64) -> Result<Consumer<pull::Config>, String> {
        let config = pull::Config {
            durable_name: Some(format!("learner_{run:016x}")),
            filter_subject: self.subject(ANSWER, run),
            ack_policy: AckPolicy::None,
            inactive_threshold: HOUR,
            ..pull::Config::default()
        };
        let stream = self.stream(ANSWER);
        let created = self.context.create_consumer_on_stream(config, stream).await;
        created.map_err(failed("the broker doesn't deliver answers"))
    }

    /// Publishes a task or a part of an answer. Returns its sequence number in the stream.
    pub(super) async fn publish(
        &self,
        kind: &str,
        run: u64,
        id: String,
        bytes: Vec<u8>,
    ) -> Result<u64, String> {
        let message = PublishMessage::build().payload(bytes.into()).message_id(id);
        let subject = self.subject(kind, run);
        let stored = async { self.context.send_publish(subject, message).await?.await };
        match timeout(2 * self.timeout, stored).await {
            Ok(stored) => stored
                .map(|stored| stored.sequence)
                .map_err(failed("the broker doesn't accept a message")),
            Err(_) => Err("the broker doesn't answer".to_owned()),
        }
    }

    /// The longest payload of a message, in bytes.
    pub(super) fn max_message(&self) -> usize {
        // The message's ID and other headers come on top.
        let max = self.client.server_info().max_payload.saturating_sub(1024);
        max.clamp(2 << 10, 512 << 10)
    }

    /// Deletes a task from its stream.
    pub(super) async fn delete_task(&self, sequence: u64) {
        let stream = self.stream(TASK);
        if let Ok(stream) = self.context.get_stream_no_info(stream).await {
            // On failure a worker plays it needlessly.
            let _ = stream.delete_message(sequence).await;
        }
    }

    /// Deletes all tasks and answers of a run.
    pub(super) async fn purge_run(&self, run: u64) -> Result<(), String> {
        const FAILED: &str = "the broker can't delete messages";
        for kind in [TASK, ANSWER] {
            let stream = self.context.get_stream_no_info(self.stream(kind)).await;
            let stream = stream.map_err(failed(FAILED))?;
            let purged = stream.purge().filter(self.subject(kind, run)).await;
            purged.map_err(failed(FAILED))?;
        }
        Ok(())
    }

    /// Stores an object under its hash.
    pub(super) async fn store(&self, bytes: &[u8]) -> Result<ContentHash, String> {
        let hash = ContentHash::of(bytes);
        let metadata = ObjectMetadata {
            name: hash.as_str().to_owned(),
            chunk_size: Some(self.max_message().min(128 << 10)),
            ..ObjectMetadata::default()
        };
        let mut rest = bytes;
        let stored = self.bucket().await?.put(metadata, &mut rest).await;
        stored.map_err(failed("the broker doesn't store the network"))?;
        Ok(hash)
    }

    /// Fetches the object with this hash, of at most `max` bytes, and verifies it.
    pub(super) async fn fetch(&self, hash: &ContentHash, max: usize) -> Result<Vec<u8>, String> {
        const FAILED: &str = "the broker doesn't return an object";
        let bucket = self.bucket().await?;
        let info = bucket.info(hash.as_str()).await;
        let info = info.map_err(failed(FAILED))?;
        let options = info.options.as_ref();
        let is_link = options.is_some_and(|options| options.link.is_some());
        if is_link || info.size > max {
            return Err("an object at the broker is a link or too large".to_owned());
        }
        let object = bucket.get(hash.as_str()).await;
        let mut object = object.map_err(failed(FAILED))?.take(max as u64 + 1);
        let mut bytes = Vec::new();
        // The timeout is for each chunk, not for the whole object.
        loop {
            match timeout(self.timeout, object.read_buf(&mut bytes)).await {
                Ok(Ok(0)) => break,
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(failed(FAILED)(error)),
                Err(_) => return Err("the broker doesn't answer".to_owned()),
            }
        }
        if ContentHash::of(&bytes) == *hash {
            Ok(bytes)
        } else {
            Err("an object at the broker doesn't match its hash".to_owned())
        }
    }

    /// Deletes an object.
    pub(super) async fn delete(&self, hash: &ContentHash) {
        if let Ok(bucket) = self.bucket().await {
            // The bucket drops it after a day in any case.
            let _ = bucket.delete(hash.as_str()).await;
        }
    }

    /// Tells a worker why it is banned.
    pub(super) async fn notify_ban(&self, worker: &str, cause: &str) {
        if answer::is_name(worker) {
            // The worker may be gone.
            let _ = (self.client)
                .publish(self.ban_subject(worker), cause.to_owned().into())
                .await;
        }
    }
}

/// Prefixes an error with what failed.
fn failed<E: Display>(what: impl Display) -> impl FnOnce(E) -> String {
    move |error| format!("{what}: {error}")
}
