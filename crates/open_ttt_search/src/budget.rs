use core::fmt;
use core::num::NonZero;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::Arc;

/// How much a search may spend. Each limit that is set holds; the first one
/// reached ends the search.
///
/// A search always answers: it looks at least one move ahead, however small
/// its budget.
///
/// ```
/// use open_ttt_search::Budget;
///
/// let budget = Budget { nodes: Some(100_000), ..Budget::depth(8) };
/// assert_eq!(budget.depth, Some(8));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// How many plies to look ahead.
    pub depth: Option<u32>,
    /// How many positions to look at; for a tree search, how many iterations
    /// to make.
    pub nodes: Option<u64>,
    /// How long to think, and by which clock.
    pub time: Option<TimeLimit>,
}

impl Budget {
    /// No limit: the search ends when it has proved its answer, or is stopped.
    pub const UNLIMITED: Self = Self {
        depth: None,
        nodes: None,
        time: None,
    };

    /// Look this many plies ahead.
    pub const fn depth(plies: u32) -> Self {
        Self {
            depth: Some(plies),
            ..Self::UNLIMITED
        }
    }

    /// Look at this many positions, or make this many iterations.
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            nodes: Some(nodes),
            ..Self::UNLIMITED
        }
    }

    /// Think this long by this clock.
    pub const fn time(limit: Duration, clock: Clock) -> Self {
        Self {
            time: Some(TimeLimit { limit, clock }),
            ..Self::UNLIMITED
        }
    }
}

/// A time to think, and the clock it is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimit {
    /// How long, from the moment the search begins.
    pub limit: Duration,
    /// By which clock.
    pub clock: Clock,
}

/// A clock of the caller's: the library has none of its own, so that it runs
/// where there is none.
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
#[derive(Clone, Copy)]
pub struct Clock(fn() -> Duration);

impl Clock {
    /// The clock that shows the time passed since some fixed moment. It must
    /// not run backwards.
    pub const fn new(now: fn() -> Duration) -> Self {
        Self(now)
    }

    /// The time passed since the clock's fixed moment.
    pub fn now(self) -> Duration {
        self.0()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

impl PartialEq for Clock {
    /// Two clocks are the same if they read the same function.
    fn eq(&self, other: &Self) -> bool {
        core::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Clock {}

/// A flag that ends a search from outside, shared by all its clones.
///
/// ```
/// use open_ttt_search::StopFlag;
///
/// let flag = StopFlag::new();
/// let elsewhere = flag.clone();
/// elsewhere.raise();
/// assert!(flag.is_raised());
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks whoever watches the flag to come to an end.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag has been raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts what a search spends and says when it is enough.
#[derive(Clone, Debug)]
pub(crate) struct Meter<'a> {
    nodes: u64,
    most_nodes: u64,
    deadline: Option<Deadline>,
    stop: &'a StopFlag,
    spent: bool,
    /// The nodes at the last look at the clock and the flag, and at the next.
    last_look: Option<u64>,
    next_look: u64,
}

#[derive(Clone, Copy, Debug)]
struct Deadline {
    at: Duration,
    clock: Clock,
    last_look: Duration,
    /// What a node costs at most, by what was seen lately, in nanoseconds.
    node_cost: u64,
}

impl<'a> Meter<'a> {
    /// The most nodes between two looks.
    const LONGEST_INTERVAL: u64 = 64;

    /// How many nanoseconds pass between two looks at the clock: few enough not
    /// to overrun a millisecond, many enough that looking costs little.
    const LOOKS_APART: u64 = 10_000;

    pub(crate) fn new(budget: &Budget, stop: &'a StopFlag) -> Self {
        let deadline = budget.time.map(|TimeLimit { limit, clock }| {
            let now = clock.now();
            Deadline {
                at: now.saturating_add(limit),
                clock,
                last_look: now,
                node_cost: Self::LOOKS_APART,
            }
        });
        Self {
            nodes: 0,
            most_nodes: budget.nodes.unwrap_or(u64::MAX),
            deadline,
            stop,
            spent: false,
            last_look: None,
            next_look: 0,
        }
    }

    /// Counts one node.
    pub(crate) fn count(&mut self) {
        self.nodes += 1;
        if self.nodes >= self.next_look {
            self.look();
        }
    }

    /// Counts nodes that were looked at outside of the budget.
    pub(crate) fn count_others(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// Looks at the clock and the flag now, unless it just did.
    pub(crate) fn look(&mut self) {
        if self.last_look == Some(self.nodes) {
            return;
        }
        let nodes = self.nodes - self.last_look.unwrap_or(0);
        let mut interval = Self::LONGEST_INTERVAL;
        if let Some(deadline) = &mut self.deadline {
            let now = deadline.clock.now();
            self.spent |= now >= deadline.at;
            let passed = now.saturating_sub(deadline.last_look).as_nanos() as u64;
            deadline.last_look = now;
            // What a node costs depends on the game and its heuristic, and on
            // whether it is a leaf: after some cheap ones dear ones may come.
            let faded = deadline.node_cost - deadline.node_cost / 16;
            deadline.node_cost = faded.max(passed / nodes.max(1)).max(1);
            interval = (Self::LOOKS_APART / deadline.node_cost).clamp(1, interval);
        }
        self.spent |= self.stop.is_raised();
        self.last_look = Some(self.nodes);
        self.next_look = self.nodes + interval;
    }

    /// Whether the budget is spent.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent || self.nodes >= self.most_nodes
    }

    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// A meter for one of so many threads: its part of the nodes that are left,
    /// and the same deadline.
    pub(crate) fn share(&self, threads: NonZero<usize>) -> Self {
        self.part(self.left().div_ceil(threads.get() as u64))
    }

    /// A meter for some of the work: at most so many of the nodes that are left,
    /// and the same deadline.
    pub(crate) fn part(&self, most_nodes: u64) -> Self {
        Self {
            nodes: 0,
            most_nodes: most_nodes.min(self.left()),
            last_look: None,
            next_look: 0,
            ..*self
        }
    }

    fn left(&self) -> u64 {
        self.most_nodes.saturating_sub(self.nodes)
    }
}
