use prometheus_client::encoding::text::encode;
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
    /// 0 if the store doesn't know.
    pub(super) store_bytes: Gauge,
    /// 0 if only the disk limits it.
    pub(super) store_limit_bytes: Gauge,
    pub(super) created: Counter,
    pub(super) archived: Counter,
    pub(super) removed: Counter,
    pub(super) proposals: Proposals,
    errors: ByLabel<String>,
    pub(super) diverged: Counter,
    pub(super) clients_ahead: Counter,
    pub(super) proposal_seconds: Histogram,
    pub(super) thought_seconds: Histogram,
}

/// A metric for each value of a label.
type ByLabel<V> = Family<[(&'static str, V); 1], Counter>;

/// What becomes of proposals.
#[derive(Debug)]
pub(super) struct Proposals {
    pub(super) accepted: Counter,
    pub(super) duplicate: Counter,
    pub(super) overtaken: Counter,
    pub(super) refused: Counter,
    /// The store refused them or did not reply.
    pub(super) delayed: Counter,
    /// The player's time was up.
    pub(super) too_late: Counter,
    /// The client sends too many.
    pub(super) rate_limited: Counter,
}

/// Buckets from 0.1 ms to 3.3 s.
fn seconds() -> Histogram {
    Histogram::new((0..16).map(|power| 0.000_1 * f64::from(1_u32 << power)))
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("open_ttt");
        let all = &mut registry;
        let thoughts = "Positions in the queue of the computers";
        let diverged = "Client copies whose digest differed from the server's";
        let archived = "Matches whose games were archived";
        let removed = "Matches deleted because they are older than the server keeps them";
        let ahead = "Clients that had seen more changes than the log has";
        let proposal_time = "Time from a proposal to its verdict, storage included";
        let thought_time = "Time from a computer's turn to its decision";
        let proposals: ByLabel<_> = register(all, "proposals", "Proposals by verdict");
        // From zero on: a rate doesn't see a counter that starts with its first count.
        let with_verdict = |verdict| proposals.get_or_create(&[("verdict", verdict)]).clone();
        let proposals = Proposals {
            accepted: with_verdict("accepted"),
            duplicate: with_verdict("duplicate"),
            overtaken: with_verdict("overtaken"),
            refused: with_verdict("refused"),
            delayed: with_verdict("delayed"),
            too_late: with_verdict("too_late"),
            rate_limited: with_verdict("rate_limited"),
        };
        let errors: ByLabel<_> =
            register(all, "errors", "Refused requests and connections, by code");
        // The first damaged match is one too many.
        drop(errors.get_or_create(&[("code", code_text(ErrorCode::Damaged))]));
        Self {
            connections: register(all, "connections", "Open connections"),
            sockets: register(all, "sockets", "Connected players and spectators"),
            matches: register(all, "matches", "Matches in memory"),
            thoughts: register(all, "thoughts", thoughts),
            store_bytes: register(all, "store_bytes", "Size of what is stored in the file"),
            store_limit_bytes: register(all, "store_limit_bytes", "Maximum size, or 0"),
            created: register(all, "matches_created", "Matches created"),
            archived: register(all, "matches_archived", archived),
            removed: register(all, "matches_removed", removed),
            proposals,
            errors,
            diverged: register(all, "diverged", diverged),
            clients_ahead: register(all, "clients_ahead", ahead),
            proposal_seconds: register_as(all, "proposal_seconds", proposal_time, seconds()),
            thought_seconds: register_as(all, "thought_seconds", thought_time, seconds()),
            registry,
        }
    }

    pub(super) fn count_error(&self, code: ErrorCode) {
        self.errors
            .get_or_create(&[("code", code_text(code))])
            .inc();
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

fn code_text(code: ErrorCode) -> String {
    let code = serde_json::to_value(code).unwrap_or_default();
    code.as_str().unwrap_or_default().to_owned()
}

fn register<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    register_as(registry, name, help, M::default())
}

fn register_as<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}
