use core::time::Duration;

use async_nats::Client;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::consumer::{AckPolicy, Consumer};
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{self, ObjectMetadata};
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::answer;
use super::options::{BrokerOptions, ConnectError};
use super::task::{LONGEST, Sum};

/// What nobody has taken after so long is forgotten.
const HOUR: Duration = Duration::from_hours(1);

/// More bytes no network takes.
pub(super) const MOST_MODEL: usize = 300 << 20;

/// The name of what hands out tasks.
const WORKERS: &str = "workers";

/// What NATS is asked, in the words of tasks and answers. Errors are sentences.
#[derive(Clone, Debug)]
pub(super) struct Broker {
    client: Client,
    context: Context,
    name: String,
    patience: Duration,
}

impl Broker {
    pub(super) async fn connect(options: &BrokerOptions) -> Result<Self, ConnectError> {
        let client = options.connect().await?;
        let context = ContextBuilder::new()
            .timeout(options.patience)
            .ack_timeout(options.patience)
            .build(client.clone());
        Ok(Self {
            client,
            context,
            name: options.name.clone(),
            patience: options.patience,
        })
    }

    pub(super) const fn client(&self) -> &Client {
        &self.client
    }

    /// Makes all that is not there yet. A worker that is not heard of for so long is
    /// taken for dead.
    pub(super) async fn make(&self, dead_after: Duration) -> Result<(), String> {
        let common = stream::Config {
            max_age: HOUR,
            duplicate_window: HOUR / 6,
            ..stream::Config::default()
        };
        let tasks = stream::Config {
            name: format!("{}_tasks", self.name),
            subjects: vec![format!("{}.task.*", self.name)],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_messages: 1 << 20,
            max_message_size: LONGEST as i32 + 512,
            ..common.clone()
        };
        let answers = stream::Config {
            name: format!("{}_answers", self.name),
            subjects: vec![format!("{}.answer.*", self.name)],
            retention: RetentionPolicy::Limits,
            discard: DiscardPolicy::Old,
            // The broker sets so much aside.
            max_bytes: 256 << 20,
            ..common
        };
        let failed = |what: &str, error: &dyn core::fmt::Display| {
            format!("the broker does not make {what}: {error}")
        };
        for config in [tasks, answers] {
            let name = config.name.clone();
            let made = self.context.create_or_update_stream(config).await;
            made.map_err(|error| failed(&format!("the stream {name}"), &error))?;
        }
        let consumer = pull::Config {
            durable_name: Some(WORKERS.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: dead_after,
            max_ack_pending: 1 << 16,
            ..pull::Config::default()
        };
        let stream = format!("{}_tasks", self.name);
        let made = self
            .context
            .create_consumer_on_stream(consumer, stream)
            .await;
        made.map_err(|error| failed("the consumer of tasks", &error))?;
        let bucket = object_store::Config {
            bucket: self.bucket(),
            max_age: 24 * HOUR,
            ..object_store::Config::default()
        };
        let made = self.context.create_object_store(bucket).await;
        made.map_err(|error| failed("the bucket of networks", &error))?;
        Ok(())
    }

    fn bucket(&self) -> String {
        format!("{}_models", self.name)
    }

    /// What hands out tasks, once somebody has made it, and after how long without a
    /// sign it takes a worker for dead.
    pub(super) async fn tasks(&self) -> Result<(Consumer<pull::Config>, Duration), String> {
        let stream = format!("{}_tasks", self.name);
        let found = self.context.get_consumer_from_stream(WORKERS, stream).await;
        let found: Consumer<pull::Config> = found.map_err(|error| error.to_string())?;
        let dead_after = found.cached_info().config.ack_wait;
        Ok((found, dead_after))
    }

    /// What hands out the answers for a run, each once. One that is lost on the way is
    /// a task that is done again.
    pub(super) async fn answers(&self, run: u64) -> Result<Consumer<pull::Config>, String> {
        let config = pull::Config {
            durable_name: Some(format!("learner_{run:016x}")),
            filter_subject: self.subject("answer", run),
            ack_policy: AckPolicy::None,
            inactive_threshold: HOUR,
            ..pull::Config::default()
        };
        let stream = format!("{}_answers", self.name);
        let made = self.context.create_consumer_on_stream(config, stream).await;
        made.map_err(|error| format!("the broker does not hand out the answers: {error}"))
    }

    fn subject(&self, kind: &str, run: u64) -> String {
        format!("{}.{kind}.{run:016x}", self.name)
    }

    /// Where a worker is told why it is refused.
    pub(super) fn word(&self, worker: &str) -> String {
        format!("{}.word.{worker}", self.name)
    }

    /// Gives out a task; its place in the stream.
    pub(super) async fn give(&self, run: u64, id: String, task: Vec<u8>) -> Result<u64, String> {
        self.publish(self.subject("task", run), id, task).await
    }

    /// Gives a part of an answer.
    pub(super) async fn answer(&self, run: u64, id: String, part: Vec<u8>) -> Result<u64, String> {
        self.publish(self.subject("answer", run), id, part).await
    }

    async fn publish(&self, subject: String, id: String, bytes: Vec<u8>) -> Result<u64, String> {
        let message = PublishMessage::build().payload(bytes.into()).message_id(id);
        let stored = async { self.context.send_publish(subject, message).await?.await };
        match timeout(2 * self.patience, stored).await {
            Ok(Ok(stored)) => Ok(stored.sequence),
            Ok(Err(error)) => Err(format!("the broker does not take a message: {error}")),
            Err(_) => Err("the broker does not answer".to_owned()),
        }
    }

    /// How long a message may be.
    pub(super) fn longest(&self) -> usize {
        // The word that tells it from others and the like come on top.
        let most = self.client.server_info().max_payload.saturating_sub(1024);
        most.clamp(2 << 10, 512 << 10)
    }

    /// Takes a task away, if nobody else has done so.
    pub(super) async fn take_away(&self, place: u64) {
        let name = format!("{}_tasks", self.name);
        if let Ok(stream) = self.context.get_stream_no_info(name).await {
            // Who has it already does it in vain.
            let _ = stream.delete_message(place).await;
        }
    }

    /// Takes away all tasks and answers of a run.
    pub(super) async fn withdraw(&self, run: u64) -> Result<(), String> {
        for kind in ["task", "answer"] {
            let name = format!("{}_{kind}s", self.name);
            let failed =
                |error: &dyn core::fmt::Display| format!("the broker does not forget: {error}");
            let stream = self.context.get_stream_no_info(name).await;
            let stream = stream.map_err(|error| failed(&error))?;
            let purged = stream.purge().filter(self.subject(kind, run)).await;
            purged.map_err(|error| failed(&error))?;
        }
        Ok(())
    }

    /// Keeps something under its sum.
    pub(super) async fn put(&self, bytes: &[u8]) -> Result<Sum, String> {
        let failed = |error: &dyn core::fmt::Display| {
            format!("the broker does not take the network: {error}")
        };
        let sum = Sum::of(bytes);
        let bucket = self.context.get_object_store(self.bucket()).await;
        let bucket = bucket.map_err(|error| failed(&error))?;
        let about = ObjectMetadata {
            name: sum.as_str().to_owned(),
            chunk_size: Some(self.longest().min(128 << 10)),
            ..ObjectMetadata::default()
        };
        let mut rest = bytes;
        let put = bucket.put(about, &mut rest).await;
        put.map_err(|error| failed(&error))?;
        Ok(sum)
    }

    /// What is kept under a sum. It is what it was, and no longer than it may be.
    pub(super) async fn get(&self, sum: &Sum, most: usize) -> Result<Vec<u8>, String> {
        let missing = |error: &dyn core::fmt::Display| format!("there is no such thing: {error}");
        let bucket = self.context.get_object_store(self.bucket()).await;
        let bucket = bucket.map_err(|error| missing(&error))?;
        let info = bucket.info(sum.as_str()).await;
        let info = info.map_err(|error| missing(&error))?;
        let is_link = info
            .options
            .as_ref()
            .is_some_and(|options| options.link.is_some());
        if is_link || info.size > most {
            return Err("it is not what was kept".to_owned());
        }
        let object = bucket.get(sum.as_str()).await;
        let object = object.map_err(|error| missing(&error))?;
        let mut bytes = Vec::new();
        let mut object = object.take(most as u64 + 1);
        // While it comes there is no end to patience, but there is when nothing does.
        loop {
            let read = timeout(self.patience, object.read_buf(&mut bytes)).await;
            match read {
                Ok(Ok(0)) => break,
                Ok(Ok(_)) => {}
                Ok(Err(error)) => return Err(missing(&error)),
                Err(_) => return Err("it does not come".to_owned()),
            }
        }
        if Sum::of(&bytes) == *sum {
            Ok(bytes)
        } else {
            Err("it is not what was kept".to_owned())
        }
    }

    /// Keeps it no longer.
    pub(super) async fn forget(&self, sum: &Sum) {
        if let Ok(bucket) = self.context.get_object_store(self.bucket()).await {
            // After a day it is gone anyhow.
            let _ = bucket.delete(sum.as_str()).await;
        }
    }

    /// Tells a worker why it is refused.
    pub(super) async fn tell(&self, worker: &str, cause: &str) {
        if answer::is_name(worker) {
            // It may have gone.
            let _ = (self.client)
                .publish(self.word(worker), cause.to_owned().into())
                .await;
        }
    }
}
