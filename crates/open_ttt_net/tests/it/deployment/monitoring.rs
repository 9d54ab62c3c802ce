//! The dashboard and the alerts, over the metrics that the server has.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::proxies::{connect, receive};
use super::{folder, program, read};
use crate::http::{get, request};
use crate::test_server::TestServer;

/// The series of the server's metrics, labels aside.
fn series() -> BTreeSet<String> {
    let server = TestServer::start();
    // Counters with labels appear when they are first counted.
    get(server.address, "/nothing");
    let body =
        json!({"game": "ttt", "first": "a", "seats": [{"person": "Ann"}, {"computer": "random"}]});
    let headers = [("content-type", "application/json")];
    let path = "/api/v1/matches";
    let created = request(server.address, "POST", path, &headers, &body.to_string()).json();
    let text = |name: &str| created[name].as_str().expect("a text").to_owned();
    let mut socket = connect(server.address, &text("match"), &text("token"));
    let propose =
        json!({"type": "propose", "number": 1, "base": 2, "act": {"move": {"text": "b2"}}});
    socket
        .send(Message::text(propose.to_string()))
        .expect("the connection is open");
    receive(&mut socket, "accepted");
    let metrics = get(server.private, "/metrics");
    let mut series = BTreeSet::new();
    for line in metrics.text().lines() {
        let Some((name, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|it| it.split_once(' '))
        else {
            continue;
        };
        let suffixes: &[&str] = match kind {
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_count", "_sum"],
            "gauge" => &[""],
            _ => panic!("{line}: an unknown type"),
        };
        series.extend(suffixes.iter().map(|suffix| format!("{name}{suffix}")));
    }
    series
}

/// The server's series that an expression names.
fn named_series(expression: &str) -> impl Iterator<Item = &str> {
    let words = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("open_ttt_"))
}

/// The expressions under this key, wherever they are.
fn expressions<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get(key).and_then(Value::as_str));
            fields
                .values()
                .for_each(|field| expressions(field, key, found));
        }
        Value::Array(items) => items.iter().for_each(|item| expressions(item, key, found)),
        _ => {}
    }
}

#[test]
fn dashboard_and_alerts_name_metrics_of_the_server() {
    let series = series();
    let dashboard: Value = serde_json::from_str(&read("grafana.json")).expect("it is JSON");
    let mut on_dashboard = Vec::new();
    expressions(&dashboard, "expr", &mut on_dashboard);
    let alerts = read("alerts.yml");
    for (file, expressions, least) in [
        ("grafana.json", on_dashboard, 10),
        ("alerts.yml", vec![&*alerts], 5),
    ] {
        let named = expressions
            .iter()
            .flat_map(|expression| named_series(expression));
        let named: BTreeSet<&str> = named.collect();
        assert!(named.len() >= least, "{file}: {named:?}");
        for name in named {
            assert!(series.contains(name), "{file}: the server has no {name}");
        }
    }
}

/// Prometheus sees no increase of a counter that starts with its first count.
#[test]
fn counters_whose_first_count_is_an_alert_start_at_zero() {
    let server = TestServer::start();
    let metrics = get(server.private, "/metrics");
    let alerts = read("alerts.yml");
    let watched = alerts.split("increase(").skip(1);
    let watched: Vec<&str> = watched
        .filter_map(|rest| Some(rest.split_once('[')?.0))
        .collect();
    assert!(watched.len() >= 3, "{watched:?}");
    for counter in watched {
        let zero = format!("{counter} 0");
        assert!(metrics.text().lines().any(|line| line == zero), "{counter}");
    }
}

#[test]
fn dashboard_shows_what_the_page_says_to_watch() {
    let dashboard = read("grafana.json");
    let shown: BTreeSet<&str> = named_series(&dashboard).collect();
    let page = read("../docs/deployment.md");
    let (_, rest) = page.split_once("## What to watch").expect("a section");
    let (section, _) = rest.split_once("\n## ").expect("another section");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let metrics: Vec<&str> = rows
        .flat_map(|row| named_series(row.split('|').nth(1).expect("a column")))
        .collect();
    assert!(metrics.len() >= 10, "{metrics:?}");
    for metric in metrics {
        let is_shown = shown.iter().any(|series| series.starts_with(metric));
        assert!(is_shown, "{metric}");
    }
}

#[test]
fn dashboard_has_a_panel_at_each_place() {
    let dashboard: Value = serde_json::from_str(&read("grafana.json")).expect("it is JSON");
    let panels = dashboard["panels"].as_array().expect("a list");
    let mut ids = BTreeSet::new();
    let mut taken = BTreeSet::new();
    for panel in panels {
        assert!(ids.insert(panel["id"].as_u64()), "{panel}");
        let [x, y, w, h] =
            ["x", "y", "w", "h"].map(|name| panel["gridPos"][name].as_u64().expect("a number"));
        assert!(x + w <= 24, "{panel}");
        let places = (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y)));
        assert!(
            places.into_iter().all(|place| taken.insert(place)),
            "{panel}"
        );
    }
}

#[test]
#[ignore = "needs promtool: cargo xtask test installs it"]
fn alerts_fire_and_stay_quiet_as_their_test_says() {
    for (subject, file) in [("test", "alerts_test.yml"), ("check", "alerts.yml")] {
        let mut promtool = Command::new(program("OPEN_TTT_PROMTOOL", "promtool"));
        promtool.args([subject, "rules", file]);
        let output = promtool
            .current_dir(folder())
            .output()
            .expect("promtool starts");
        assert!(output.status.success(), "{output:?}");
    }
}
