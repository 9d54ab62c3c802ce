use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// What an operator watches, in the text format of Prometheus.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    pub(super) connections: Gauge,
    pub(super) sockets: Gauge,
    pub(super) matches: Gauge,
    pub(super) thoughts: Gauge,
    pub(super) created: Counter,
    pub(super) verdicts: Family<VerdictLabel, Counter>,
    pub(super) errors: Family<ErrorLabel, Counter>,
    pub(super) diverged: Counter,
    pub(super) proposal_seconds: Histogram,
    pub(super) thought_seconds: Histogram,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct VerdictLabel {
    pub(super) verdict: VerdictKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "they are shown as they are written")]
pub(super) enum VerdictKind {
    accepted,
    duplicate,
    overtaken,
    refused,
    delayed,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ErrorLabel {
    pub(super) code: String,
}

/// From a tenth of a millisecond to some three seconds.
fn seconds() -> Histogram {
    Histogram::new((0..16).map(|power| 0.000_1 * f64::from(1_u32 << power)))
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("open_ttt");
        let connections = Gauge::default();
        registry.register(
            "connections",
            "Connections that are open",
            connections.clone(),
        );
        let sockets = Gauge::default();
        registry.register("sockets", "Players and watchers connected", sockets.clone());
        let matches = Gauge::default();
        registry.register("matches", "Matches held in memory", matches.clone());
        let thoughts = Gauge::default();
        registry.register(
            "thoughts",
            "Positions computers have to think about",
            thoughts.clone(),
        );
        let created = Counter::default();
        registry.register("matches_created", "Matches made", created.clone());
        let verdicts = Family::default();
        registry.register("proposals", "Proposals by verdict", verdicts.clone());
        let errors = Family::default();
        registry.register(
            "errors",
            "Requests and connections refused, by code",
            errors.clone(),
        );
        let diverged = Counter::default();
        registry.register(
            "diverged",
            "Copies that came with another sum than this server's state has",
            diverged.clone(),
        );
        let proposal_seconds = seconds();
        registry.register(
            "proposal_seconds",
            "From taking a proposal in to its verdict, storing included",
            proposal_seconds.clone(),
        );
        let thought_seconds = seconds();
        registry.register(
            "thought_seconds",
            "From asking a computer to its move",
            thought_seconds.clone(),
        );
        Self {
            registry,
            connections,
            sockets,
            matches,
            thoughts,
            created,
            verdicts,
            errors,
            diverged,
            proposal_seconds,
            thought_seconds,
        }
    }

    pub(super) fn verdict(&self, verdict: VerdictKind) {
        self.verdicts.get_or_create(&VerdictLabel { verdict }).inc();
    }

    pub(super) fn error(&self, code: crate::protocol::ErrorCode) {
        let code = serde_json::to_value(code)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default();
        self.errors.get_or_create(&ErrorLabel { code }).inc();
    }

    /// All of it as text.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
