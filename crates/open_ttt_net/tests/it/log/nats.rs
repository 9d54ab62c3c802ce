use std::sync::Arc;
use std::time::Duration;

use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, NatsConnectError, NatsLog, NatsOptions, conformance};
use open_ttt_net::replication::Sequence;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::nats_server::Server;
use crate::waiting::{HANG_GUARD, eventually};

/// Connects, once the broker accepts connections.
pub(crate) async fn connect(options: &NatsOptions) -> NatsLog {
    eventually("a connection to the broker", || async {
        NatsLog::connect(options).await.ok()
    })
    .await
}

/// Options without time-outs, however slow the machine is.
pub(crate) fn patient(url: impl Into<String>) -> NatsOptions {
    let mut options = NatsOptions::new(url);
    options.timeout = HANG_GUARD;
    options
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn one_broker_passes_the_conformance_suite() {
    let broker = Server::alone("");
    let options = patient(broker.url());
    let handles: [Arc<dyn MatchLog>; 2] = [
        Arc::new(connect(&options).await),
        Arc::new(connect(&options).await),
    ];
    assert!(handles[0].is_shared());
    conformance::check_all(&handles).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn after_a_kill_nothing_is_lost_and_watching_continues() {
    let mut broker = Server::alone("");
    let mut options = NatsOptions::new(broker.url());
    options.timeout = Duration::from_secs(20);
    let log = connect(&options).await;
    let other = connect(&options).await;
    let of: MatchId = "killed".parse().unwrap();
    let mut watching = other.watch(&of, Sequence::START);
    for number in 0..30_u64 {
        if number % 10 == 9 {
            broker.kill();
            broker.start();
        }
        let entry = format!("entry {number}");
        // Unless a read finds the entry, it is appended again.
        while log
            .append(&of, Sequence::new(number), entry.clone().into())
            .await
            .is_err()
        {
            let stored = log.read(&of, Sequence::new(number), 1).await;
            if stored.is_ok_and(|stored| stored == [entry.clone()]) {
                break;
            }
        }
        let next = futures_util::StreamExt::next(&mut watching).await;
        assert_eq!(next, Some(Ok(entry.into())));
    }
    let all = other.read(&of, Sequence::START, 100).await.unwrap();
    assert_eq!(all.len(), 30);
}

#[tokio::test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn the_address_may_contain_a_password_or_a_token() {
    let check = async |configuration: &str, right: &str, wrong: &str| {
        let broker = Server::alone(configuration);
        let with = |user: &str| patient(format!("nats://{user}127.0.0.1:{}", broker.port()));
        connect(&with(right)).await;
        let refused = NatsLog::connect(&with(wrong)).await.unwrap_err();
        assert!(
            matches!(refused, NatsConnectError::Unreachable(_)),
            "{refused}"
        );
        assert!(!refused.to_string().contains("secret"), "{refused}");
    };
    let password = "authorization { user: \"ann@home\", password: \"secret:1\" }";
    check(password, "ann%40home:secret%3A1@", "ann%40home:secret2@").await;
    check("authorization { token: \"secret/1\" }", "secret%2F1@", "").await;
}

#[tokio::test]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn a_stream_with_another_configuration_is_refused() {
    let broker = Server::alone("");
    let mut options = patient(broker.url());
    connect(&options).await;
    options.stream_name = "other".to_owned();
    let client = async_nats::connect(broker.url()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    let config = async_nats::jetstream::stream::Config {
        name: "other".to_owned(),
        subjects: vec!["other.entry.*".to_owned()],
        discard: async_nats::jetstream::stream::DiscardPolicy::New,
        max_age: Duration::from_mins(1),
        allow_direct: true,
        ..Default::default()
    };
    context.create_stream(config).await.unwrap();
    let refused = NatsLog::connect(&options).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the stream \"other\" exists and has another retention policy"
    );
}

/// The streams as the first version created them: entries that stay forever, and
/// notices without an expiry.
async fn create_first_streams(broker: &Server) -> async_nats::jetstream::Context {
    use async_nats::jetstream::stream::{Config, DiscardPolicy};
    let client = eventually("a connection to the broker", || async {
        async_nats::connect(broker.url()).await.ok()
    })
    .await;
    let context = async_nats::jetstream::new(client);
    let common = Config {
        max_message_size: 4096 + 512,
        allow_direct: true,
        ..Config::default()
    };
    let entries = Config {
        name: "open_ttt".to_owned(),
        subjects: vec!["open_ttt.entry.*".to_owned()],
        discard: DiscardPolicy::New,
        deny_delete: true,
        deny_purge: true,
        ..common.clone()
    };
    let notices = Config {
        name: "open_ttt_notices".to_owned(),
        subjects: vec!["open_ttt.notice.*".to_owned(), "open_ttt.probe".to_owned()],
        max_messages_per_subject: 1,
        ..common
    };
    for config in [entries, notices] {
        context.create_stream(config).await.unwrap();
    }
    context
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn streams_of_the_first_version_are_continued() {
    let broker = Server::alone("");
    let context = create_first_streams(&broker).await;
    // As the first version wrote it.
    let mut headers = async_nats::HeaderMap::new();
    headers.insert("Open-Ttt-Entry", "1");
    let publishing = context.publish_with_headers("open_ttt.entry.old", headers, "first".into());
    publishing.await.unwrap().await.unwrap();
    let publishing = context.publish("open_ttt.notice.old", "a notice".into());
    publishing.await.unwrap().await.unwrap();

    let log = connect(&patient(broker.url())).await;
    let of: MatchId = "old".parse().unwrap();
    assert_eq!(
        log.notices(9).await,
        Ok(vec![(of.clone(), "a notice".into())])
    );
    let appended = log.append(&of, Sequence::new(1), "second".into()).await;
    assert_eq!(appended, Ok(()));
    let entries = log.read(&of, Sequence::START, 9).await;
    assert_eq!(entries.unwrap(), ["first", "second"]);
    assert_eq!(log.matches(None, 9).await, Ok(vec![of.clone()]));
    let kept = log.remove(&of).await.unwrap_err();
    assert_eq!(
        kept.to_string(),
        "the stream \"open_ttt\" of an earlier version keeps its matches forever (deny_purge)"
    );
    assert_eq!(log.read(&of, Sequence::START, 9).await.unwrap().len(), 2);

    // What the first version requires of the streams has stayed.
    for name in ["open_ttt", "open_ttt_notices"] {
        let mut stream = context.get_stream(name).await.unwrap();
        let config = stream.info().await.unwrap().config.clone();
        assert!(config.max_age.is_zero(), "{config:?}");
        assert!(config.allow_direct, "{config:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn notices_and_marks_of_removals_expire() {
    let broker = Server::alone("");
    let log = connect(&patient(broker.url())).await;
    let of: MatchId = "of".parse().unwrap();
    log.append(&of, Sequence::START, "b2".into()).await.unwrap();
    log.set_notice(&of, Some("a notice".into())).await.unwrap();
    let client = async_nats::connect(broker.url()).await.unwrap();
    let context = async_nats::jetstream::new(client);
    let ttl = async |stream: &str, subject: &str| {
        let stream = context.get_stream(stream).await.unwrap();
        let message = stream.get_last_raw_message_by_subject(subject).await;
        let headers = message.unwrap().headers;
        headers.get("Nats-TTL").map(ToString::to_string)
    };
    let notice = "open_ttt.notice.of";
    assert_eq!(ttl("open_ttt_notices", notice).await.unwrap(), "300");
    let entry = "open_ttt.entry.of";
    assert_eq!(ttl("open_ttt", entry).await, None, "entries stay");
    log.remove(&of).await.unwrap();
    assert_eq!(ttl("open_ttt_notices", notice).await.unwrap(), "300");
    assert_eq!(ttl("open_ttt", entry).await.unwrap(), "86400");
    // As after that day: this store has seen the mark, and the broker no longer has it.
    let stream = context.get_stream("open_ttt").await.unwrap();
    stream.purge().filter(entry).await.unwrap();
    let entries = log.read(&of, Sequence::START, 9).await.unwrap();
    assert!(entries.is_empty(), "{entries:?}");
    assert_eq!(log.last(&of).await, Ok(None));
    let again = log.append(&of, Sequence::START, "b2".into()).await;
    assert_eq!(again, Ok(()));
}

/// A fake broker that sends this information to its clients and answers their
/// pings.
async fn fake_broker(info: &'static str) -> NatsOptions {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let greeting = format!("INFO {info}\r\n");
            socket.write_all(greeting.as_bytes()).await.unwrap();
            let mut command = [0; 4096];
            while socket.read(&mut command).await.is_ok_and(|bytes| bytes > 0) {
                if socket.write_all(b"PONG\r\n").await.is_err() {
                    break;
                }
            }
        }
    });
    patient(format!("nats://127.0.0.1:{port}"))
}

async fn check_version(info: &'static str, expected: &str) {
    let refused = NatsLog::connect(&fake_broker(info).await)
        .await
        .unwrap_err();
    assert_eq!(refused.to_string(), expected);
}

#[tokio::test]
async fn brokers_that_are_too_old_are_refused_with_a_reason() {
    for info in [
        r#"{"version":"2.9.10","cluster":"c","max_payload":1048576,"headers":true}"#,
        r#"{"version":"2.13.99","cluster":"c","max_payload":1048576,"headers":true}"#,
    ] {
        let version = if info.contains("2.9") {
            "2.9.10"
        } else {
            "2.13.99"
        };
        let expected = format!(
            "the broker has version {version}, but 2.14 or later is required: \
             clusters of earlier versions may store two entries at one position"
        );
        check_version(info, &expected).await;
    }
    check_version(
        r#"{"version":"2.10.0","max_payload":1048576,"headers":true}"#,
        "the broker has version 2.10.0, but 2.11 or later is required: \
         earlier versions have no batched reads",
    )
    .await;
    check_version(
        r#"{"version":"?","max_payload":1048576,"headers":true}"#,
        "the broker has version ?, but 2.11 or later is required: \
         earlier versions have no batched reads",
    )
    .await;
}

#[tokio::test]
async fn invalid_options_are_refused() {
    let mut options = NatsOptions::new("nats://127.0.0.1:1");
    options.stream_name = "a.b".to_owned();
    let refused = NatsLog::connect(&options).await.unwrap_err();
    assert!(matches!(refused, NatsConnectError::Options(_)), "{refused}");
    let options = NatsOptions::new("http://name:secret@here");
    assert!(!format!("{options:?}").contains("secret"));
    let refused = NatsLog::connect(&options).await.unwrap_err();
    assert!(matches!(refused, NatsConnectError::Options(_)), "{refused}");
    assert!(!refused.to_string().contains("secret"), "{refused}");
    let mut options = NatsOptions::new("nats://127.0.0.1:1");
    options.credentials = Some("/no/such/file".into());
    let refused = NatsLog::connect(&options).await.unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("credentials file /no/such/file: "),
        "{refused}"
    );
}
