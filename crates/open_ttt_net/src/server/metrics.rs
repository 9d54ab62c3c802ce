use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};

use crate::protocol::ErrorCode;

/// The metrics of a server, in the text format of Prometheus.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    pub(super) connections: Gauge,
    pub(super) sockets: Gauge,
    pub(super) matches: Gauge,
    pub(super) thoughts: Gauge,
    pub(super) created: Counter,
    proposals: Family<ProposalLabels, Counter>,
    errors: Family<ErrorLabels, Counter>,
    pub(super) diverged: Counter,
    pub(super) proposal_seconds: Histogram,
    pub(super) thought_seconds: Histogram,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ProposalLabels {
    verdict: VerdictLabel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "the names are the values of the label")]
pub(super) enum VerdictLabel {
    accepted,
    duplicate,
    overtaken,
    refused,
    delayed,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ErrorLabels {
    code: String,
}

/// Buckets from 0.1 ms to 3.3 s.
fn seconds() -> Histogram {
    Histogram::new((0..16).map(|power| 0.000_1 * f64::from(1_u32 << power)))
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("open_ttt");
        let all = &mut registry;
        Self {
            connections: register(all, "connections", "Open connections", Gauge::default()),
            sockets: register(
                all,
                "sockets",
                "Connected players and spectators",
                Gauge::default(),
            ),
            matches: register(all, "matches", "Matches in memory", Gauge::default()),
            thoughts: register(
                all,
                "thoughts",
                "Positions in the queue of the computers",
                Gauge::default(),
            ),
            created: register(
                all,
                "matches_created",
                "Matches created",
                Counter::default(),
            ),
            proposals: register(all, "proposals", "Proposals by verdict", Family::default()),
            errors: register(
                all,
                "errors",
                "Refused requests and connections, by code",
                Family::default(),
            ),
            diverged: register(
                all,
                "diverged",
                "Client copies whose digest differed from the server's",
                Counter::default(),
            ),
            proposal_seconds: register(
                all,
                "proposal_seconds",
                "Time from a proposal to its verdict, storage included",
                seconds(),
            ),
            thought_seconds: register(
                all,
                "thought_seconds",
                "Time from a computer's turn to its decision",
                seconds(),
            ),
            registry,
        }
    }

    pub(super) fn count_verdict(&self, verdict: VerdictLabel) {
        let labels = ProposalLabels { verdict };
        self.proposals.get_or_create(&labels).inc();
    }

    pub(super) fn count_error(&self, code: ErrorCode) {
        let code = serde_json::to_value(code).unwrap_or_default();
        let code = code.as_str().unwrap_or_default().to_owned();
        self.errors.get_or_create(&ErrorLabels { code }).inc();
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

fn register<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}
