use std::sync::Arc;
use std::time::Duration;

use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, NatsConnectError, NatsLog, NatsOptions, conformance};
use open_ttt_net::replication::Sequence;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::nats_server::Server;

/// Connects, as soon as the broker is there.
pub(crate) async fn connect(options: &NatsOptions) -> NatsLog {
    let mut tries = 0;
    loop {
        match NatsLog::connect(options).await {
            Ok(log) => return log,
            Err(error) => {
                tries += 1;
                assert!(tries < 300, "{error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn one_broker_obeys_the_laws() {
    let server = Server::alone("");
    let options = NatsOptions::new(server.url());
    let handles: [Arc<dyn MatchLog>; 2] = [
        Arc::new(connect(&options).await),
        Arc::new(connect(&options).await),
    ];
    assert!(handles[0].is_shared());
    conformance::check_all(&handles).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn a_killed_broker_loses_nothing_and_watching_goes_on() {
    let mut server = Server::alone("");
    let mut options = NatsOptions::new(server.url());
    options.timeout = Duration::from_secs(20);
    let log = connect(&options).await;
    let other = connect(&options).await;
    let of: MatchId = "killed".parse().unwrap();
    let mut watching = other.watch(&of, Sequence::START);
    for number in 0..30_u64 {
        if number % 10 == 9 {
            server.kill();
            server.start();
        }
        let entry = format!("entry {number}");
        // What is unknown is read, and tried again where it is not there.
        while log
            .append(&of, Sequence::new(number), entry.clone().into())
            .await
            .is_err()
        {
            let there = log.read(&of, Sequence::new(number), 1).await;
            if there.is_ok_and(|there| there == [entry.clone()]) {
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
async fn names_passwords_and_tokens_stand_in_the_address() {
    let check = async |configuration: &str, right: &str, wrong: &str| {
        let server = Server::alone(configuration);
        let at = |who: &str| NatsOptions::new(format!("nats://{who}127.0.0.1:{}", server.port()));
        connect(&at(right)).await;
        let refused = NatsLog::connect(&at(wrong)).await.unwrap_err();
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
async fn a_stream_kept_in_another_way_is_refused() {
    let server = Server::alone("");
    let mut options = NatsOptions::new(server.url());
    connect(&options).await;
    options.stream_name = "other".to_owned();
    let client = async_nats::connect(server.url()).await.unwrap();
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
        "the stream \"other\" is there and has another rule for what it keeps"
    );
}

/// Something that answers like a broker of this kind, as long as one only asks
/// who it is.
async fn pretend(info: &'static str) -> NatsOptions {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let greeting = format!("INFO {info}\r\n");
            socket.write_all(greeting.as_bytes()).await.unwrap();
            let mut said = [0; 4096];
            while socket.read(&mut said).await.is_ok_and(|bytes| bytes > 0) {
                if socket.write_all(b"PONG\r\n").await.is_err() {
                    break;
                }
            }
        }
    });
    NatsOptions::new(format!("nats://127.0.0.1:{port}"))
}

async fn check_version(info: &'static str, expected: &str) {
    let refused = NatsLog::connect(&pretend(info).await).await.unwrap_err();
    assert_eq!(refused.to_string(), expected);
}

#[tokio::test]
async fn old_brokers_are_refused_with_a_reason() {
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
            "the broker has version {version} and must have 2.14 or a later one: \
             before, clusters were seen to take two entries at one place"
        );
        check_version(info, &expected).await;
    }
    check_version(
        r#"{"version":"2.10.0","max_payload":1048576,"headers":true}"#,
        "the broker has version 2.10.0 and must have 2.11 or a later one: \
         before, many messages could not be read at once",
    )
    .await;
    check_version(
        r#"{"version":"?","max_payload":1048576,"headers":true}"#,
        "the broker has version ? and must have 2.11 or a later one: \
         before, many messages could not be read at once",
    )
    .await;
}

#[tokio::test]
async fn wrong_options_are_refused() {
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
        refused.to_string().contains("/no/such/file cannot be used"),
        "{refused}"
    );
}
