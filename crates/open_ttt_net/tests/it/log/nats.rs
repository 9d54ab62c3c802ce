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
