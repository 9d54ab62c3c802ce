//! The output of the report.

use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread;

use open_ttt_catalog::Catalog;
use open_ttt_net::log::MemoryLog;
use open_ttt_net::server::{Config, RateLimit, Server};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// Measures a server in this process and writes the report to `output`.
fn measured(output: impl Into<Stdio>, more: &[&str]) -> Output {
    measured_for(1, Config::default(), output, more)
}

fn measured_for(
    seconds: u32,
    mut config: Config,
    output: impl Into<Stdio>,
    more: &[&str],
) -> Output {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    config.create_rate = RateLimit::UNLIMITED;
    config.request_rate = RateLimit::UNLIMITED;
    config.message_rate = RateLimit::UNLIMITED;
    config.act_rate = RateLimit::UNLIMITED;
    let server = Server::new(Catalog::bundled(), config, Arc::new(MemoryLog::new())).unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (end, ended) = oneshot::channel::<()>();
    let serving = thread::spawn(move || {
        let ended = async {
            let _ = ended.await;
        };
        runtime.block_on(server.serve(listener, ended)).unwrap();
    });
    let seconds = seconds.to_string();
    let measure = [
        "measure",
        "--tables",
        "1",
        "--seconds",
        &seconds,
        "--warm-up",
        "0",
    ];
    let ran = Command::new(env!("CARGO_BIN_EXE_load"))
        .args(measure)
        .args(["--url", &url])
        .args(more)
        .stdout(output)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    drop(end);
    serving.join().unwrap();
    ran
}

#[test]
fn closed_pipe_is_not_a_failure() {
    for more in [&[][..], &["--json"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = measured(writer, more);
        assert_eq!(String::from_utf8(ran.stderr).unwrap(), "");
        assert_eq!(ran.status.code(), Some(0));
    }
}

#[test]
fn full_match_is_followed_by_another() {
    let most = 10;
    // A busy machine needs more time to fill the match.
    for seconds in [1, 10, 100, 1_000] {
        let mut config = Config::default();
        config.max_changes = most;
        config.max_matches = 1_000_000;
        config.max_connections_per_address = config.max_connections;
        let ran = measured_for(seconds, config, Stdio::piped(), &["--json"]);
        assert_eq!(String::from_utf8(ran.stderr).unwrap(), "");
        let report: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        let [changes, checked] = ["changes", "checked"].map(|key| report[key].as_u64().unwrap());
        assert_eq!(checked, changes);
        if changes > most {
            return;
        }
    }
    panic!("no match was filled");
}

#[test]
fn report_is_one_json_object() {
    let ran = measured(Stdio::piped(), &["--json"]);
    assert_eq!(ran.status.code(), Some(0));
    let report: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(report["tables"], 1);
    assert!(report["moves"].as_u64().unwrap() > 0, "{report}");
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_a_failure() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    let ran = measured(full.unwrap(), &[]);
    let message = String::from_utf8(ran.stderr).unwrap();
    assert!(
        message.starts_with("load: cannot write the report: "),
        "{message}"
    );
    assert_eq!(ran.status.code(), Some(1));
}
