use alloc::sync::Arc;
use core::num::NonZero;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;

use crate::threads::bounded;

/// The limits of a search. The first limit reached ends it.
///
/// [`deepen`](crate::deepen) and [`IterativeDeepening`](crate::IterativeDeepening) always return
/// a result: they search at least one ply, however small the budget.
///
/// ```
/// use open_ttt_search::Budget;
///
/// let budget = Budget { nodes: Some(100_000), ..Budget::depth(8) };
/// assert_eq!(budget.depth, Some(8));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The maximum depth, in plies.
    pub depth: Option<u32>,
    /// The maximum number of positions searched; for a tree search, of
    /// iterations.
    pub nodes: Option<u64>,
    /// The maximum time, with the clock that measures it.
    pub time: Option<TimeLimit>,
}

impl Budget {
    /// No limit: the search ends when its result is proved, or when it is
    /// stopped.
    pub const UNLIMITED: Self = Self {
        depth: None,
        nodes: None,
        time: None,
    };

    /// A limit of this many plies.
    pub const fn depth(plies: u32) -> Self {
        Self {
            depth: Some(plies),
            ..Self::UNLIMITED
        }
    }

    /// A limit of this many positions or iterations.
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            nodes: Some(nodes),
            ..Self::UNLIMITED
        }
    }

    /// A limit of this much time.
    pub const fn time(limit: Duration, clock: Clock) -> Self {
        Self {
            time: Some(TimeLimit { limit, clock }),
            ..Self::UNLIMITED
        }
    }

    /// The maximum depth; `u32::MAX` if there is none.
    pub(crate) fn max_depth(&self) -> u32 {
        self.depth.unwrap_or(u32::MAX)
    }
}

/// A time limit, and the clock that measures it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    /// The time from the start of the search.
    pub limit: Duration,
    /// The clock.
    pub clock: Clock,
}

/// A clock provided by the caller. The library reads no clock of its own, so it
/// also runs on platforms without one.
///
/// ```
/// use std::sync::LazyLock;
/// use std::time::{Duration, Instant};
///
/// use open_ttt_search::{Budget, Clock};
///
/// static START: LazyLock<Instant> = LazyLock::new(Instant::now);
///
/// let clock = Clock::new(|| START.elapsed());
/// let one_second = Budget::time(Duration::from_secs(1), clock);
/// assert!(one_second.time.is_some());
/// ```
#[derive(Clone, Copy, Debug, Eq)]
pub struct Clock(fn() -> Duration);

impl Clock {
    /// A clock from a function that returns the time since some fixed moment,
    /// monotonically.
    pub const fn new(now: fn() -> Duration) -> Self {
        Self(now)
    }

    /// The time since the clock's fixed moment.
    pub fn now(self) -> Duration {
        self.0()
    }
}

impl PartialEq for Clock {
    /// Two clocks are equal if they use the same function.
    fn eq(&self, other: &Self) -> bool {
        core::ptr::fn_addr_eq(self.0, other.0)
    }
}

/// A flag that stops a search from outside, shared by all its clones.
///
/// ```
/// use open_ttt_search::StopFlag;
///
/// let flag = StopFlag::new();
/// let shared = flag.clone();
/// shared.raise();
/// assert!(flag.is_raised());
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag: the searches that poll it end soon.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag has been raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts the nodes of a search and tells when its budget is spent.
///
/// The clock and the stop flag are polled at intervals that adapt to the time a
/// node takes.
#[derive(Clone, Debug)]
pub(crate) struct BudgetMeter<'a> {
    nodes: u64,
    max_nodes: u64,
    deadline: Option<Deadline>,
    stop: &'a StopFlag,
    /// Whether the last poll found the time up or the flag raised.
    stopped: bool,
    /// The node counts of the last poll and of the next one.
    last_poll: Option<u64>,
    next_poll: u64,
}

#[derive(Clone, Copy, Debug)]
struct Deadline {
    at: Duration,
    clock: Clock,
    last_poll: Duration,
    /// An upper estimate of the time a node takes, in nanoseconds: the maximum of
    /// recent measurements, decaying.
    node_cost: u64,
}

impl<'a> BudgetMeter<'a> {
    /// The most nodes between two polls.
    const MAX_POLL_INTERVAL: u64 = 64;

    /// The target time between two polls, in nanoseconds: short enough not to
    /// overrun a limit of a millisecond, long enough to make polling cheap.
    const POLL_PERIOD: u64 = 20_000;

    pub(crate) fn new(budget: &Budget, stop: &'a StopFlag) -> Self {
        let deadline = budget.time.map(|TimeLimit { limit, clock }| {
            let now = clock.now();
            Deadline {
                at: now.saturating_add(limit),
                clock,
                last_poll: now,
                node_cost: Self::POLL_PERIOD,
            }
        });
        Self {
            nodes: 0,
            max_nodes: budget.nodes.unwrap_or(u64::MAX),
            deadline,
            stop,
            stopped: false,
            last_poll: None,
            next_poll: 0,
        }
    }

    /// Counts nodes, and polls the clock and the flag if a poll is due.
    pub(crate) fn count(&mut self, nodes: u64) {
        self.nodes += nodes;
        if self.nodes >= self.next_poll {
            self.poll();
        }
    }

    /// Polls the clock and the flag, unless no node was counted since the last
    /// poll.
    pub(crate) fn poll(&mut self) {
        if self.last_poll == Some(self.nodes) {
            return;
        }
        let nodes = self.nodes - self.last_poll.unwrap_or(0);
        let mut interval = Self::MAX_POLL_INTERVAL;
        if let Some(deadline) = &mut self.deadline {
            let now = deadline.clock.now();
            self.stopped |= now >= deadline.at;
            let passed = now.saturating_sub(deadline.last_poll).as_nanos() as u64;
            deadline.last_poll = now;
            // The cost varies with the evaluator and with the kind of node:
            // expensive nodes can follow cheap ones.
            let decayed = deadline.node_cost - deadline.node_cost / 16;
            deadline.node_cost = decayed.max(passed / nodes.max(1)).max(1);
            interval = (Self::POLL_PERIOD / deadline.node_cost).clamp(1, interval);
        }
        self.stopped |= self.stop.is_raised();
        self.last_poll = Some(self.nodes);
        self.next_poll = self.nodes + interval;
    }

    /// Whether the budget is spent or the flag was found raised.
    pub(crate) fn is_spent(&self) -> bool {
        self.stopped || self.nodes >= self.max_nodes
    }

    /// As [`is_spent`](Self::is_spent), with the flag as it is now: for nodes that
    /// take long.
    pub(crate) fn is_over(&self) -> bool {
        self.is_spent() || self.stop.is_raised()
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// From now on no more than this many nodes.
    pub(crate) fn limit_nodes(&mut self, nodes: u64) {
        self.max_nodes = self.max_nodes.min(self.nodes.saturating_add(nodes));
    }

    pub(crate) fn nodes_left(&self) -> u64 {
        self.max_nodes.saturating_sub(self.nodes)
    }

    /// The nodes that may be searched in one batch: those left in the budget, up
    /// to the next poll of a clock.
    pub(crate) fn batch(&self) -> u64 {
        match self.deadline {
            Some(_) => self.nodes_left().min((self.next_poll - self.nodes).max(1)),
            None => self.nodes_left(),
        }
    }

    /// A meter for one of several threads: its share of the nodes left, and the
    /// same deadline.
    pub(crate) fn share(&self, threads: NonZero<usize>) -> Self {
        self.part(self.nodes_left().div_ceil(bounded(threads).get() as u64))
    }

    /// A meter for a part of the work: at most `max_nodes` of the nodes left, and
    /// the same deadline.
    pub(crate) fn part(&self, max_nodes: u64) -> Self {
        Self {
            nodes: 0,
            max_nodes: max_nodes.min(self.nodes_left()),
            last_poll: None,
            next_poll: 0,
            ..*self
        }
    }
}
