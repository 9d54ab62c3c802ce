use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::RateLimit;
use crate::lock::lock;

/// A token bucket (Turner, 1986).
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenBucket {
    tokens: f64,
    updated: Instant,
}

impl TokenBucket {
    pub(super) fn full(limit: RateLimit, now: Instant) -> Self {
        Self {
            tokens: f64::from(limit.burst),
            updated: now,
        }
    }

    /// Takes a token; the error is the time until there is one.
    pub(super) fn take(&mut self, limit: RateLimit, now: Instant) -> Result<(), Duration> {
        if limit == RateLimit::UNLIMITED {
            return Ok(());
        }
        self.tokens = self.tokens_at(limit, now).min(f64::from(limit.burst));
        self.updated = now;
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        let wait = (1.0 - self.tokens) / per_second(limit);
        Err(Duration::try_from_secs_f64(wait).unwrap_or(Duration::from_hours(1)))
    }

    fn is_full(&self, limit: RateLimit, now: Instant) -> bool {
        self.tokens_at(limit, now) >= f64::from(limit.burst)
    }

    /// The tokens at this time if the bucket had no capacity.
    fn tokens_at(&self, limit: RateLimit, now: Instant) -> f64 {
        let elapsed = now.saturating_duration_since(self.updated);
        self.tokens + elapsed.as_secs_f64() * per_second(limit)
    }
}

fn per_second(limit: RateLimit) -> f64 {
    f64::from(limit.per_minute) / 60.0
}

/// A token bucket for each recently active address.
#[derive(Debug)]
pub(super) struct RateLimiter {
    limit: RateLimit,
    buckets: Mutex<Buckets>,
}

#[derive(Debug, Default)]
struct Buckets {
    by_address: HashMap<IpAddr, TokenBucket>,
    swept: Option<Instant>,
}

/// Maximum number of buckets. Beyond it, full buckets are dropped, which makes
/// no difference to their addresses.
const MAX_BUCKETS: usize = 100_000;

/// The least time between two sweeps of the buckets.
const SWEEP_PAUSE: Duration = Duration::from_secs(1);

impl RateLimiter {
    pub(super) fn new(limit: RateLimit) -> Self {
        Self {
            limit,
            buckets: Mutex::default(),
        }
    }

    /// Takes a token of an address; the error is the time until there is one.
    pub(super) fn take(&self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        let mut buckets = lock(&self.buckets);
        let address = network(address);
        if buckets.by_address.len() >= MAX_BUCKETS && !buckets.by_address.contains_key(&address) {
            buckets.sweep(self.limit, now);
            if buckets.by_address.len() >= MAX_BUCKETS {
                return Err(Duration::from_mins(1));
            }
        }
        let bucket = buckets
            .by_address
            .entry(address)
            .or_insert_with(|| TokenBucket::full(self.limit, now));
        bucket.take(self.limit, now)
    }
}

impl Buckets {
    fn sweep(&mut self, limit: RateLimit, now: Instant) {
        let is_due = |swept: Instant| now.saturating_duration_since(swept) >= SWEEP_PAUSE;
        if self.swept.is_none_or(is_due) {
            self.swept = Some(now);
            self.by_address
                .retain(|_, bucket| !bucket.is_full(limit, now));
        }
    }
}

/// The network of an address. An IPv6 subscriber has 2^64 addresses, which
/// share one limit.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// Counts what addresses hold, in total and by address: connections, bytes.
#[derive(Debug)]
pub(super) struct Quota {
    max: usize,
    max_per_address: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A part of a [`Quota`]. It counts until this is dropped.
#[derive(Debug)]
pub(super) struct QuotaPermit {
    quota: Arc<Quota>,
    /// `None` if it counts only in total.
    address: Option<IpAddr>,
    amount: usize,
}

impl Quota {
    pub(super) fn new(max: usize, max_per_address: usize) -> Arc<Self> {
        Arc::new(Self {
            max,
            max_per_address,
            held: Mutex::default(),
        })
    }

    /// Counts an amount of this address, unless it exceeds a limit.
    pub(super) fn acquire(self: &Arc<Self>, address: IpAddr, amount: usize) -> Option<QuotaPermit> {
        self.acquire_as(Some(network(address)), amount)
    }

    /// Counts an amount only in total.
    pub(super) fn acquire_shared(self: &Arc<Self>, amount: usize) -> Option<QuotaPermit> {
        self.acquire_as(None, amount)
    }

    fn acquire_as(self: &Arc<Self>, address: Option<IpAddr>, amount: usize) -> Option<QuotaPermit> {
        let mut held = lock(&self.held);
        let of_address = address.and_then(|address| held.by_address.get(&address));
        let of_address = of_address.copied().unwrap_or(0);
        let fits = |held: usize, max: usize| held.saturating_add(amount) <= max;
        if !fits(held.total, self.max) || !fits(of_address, self.max_per_address) {
            return None;
        }
        held.total += amount;
        if let Some(address) = address {
            held.by_address.insert(address, of_address + amount);
        }
        Some(QuotaPermit {
            quota: Arc::clone(self),
            address,
            amount,
        })
    }

    /// The amount held in total.
    pub(super) fn total(&self) -> usize {
        lock(&self.held).total
    }
}

impl Drop for QuotaPermit {
    fn drop(&mut self) {
        let mut held = lock(&self.quota.held);
        held.total -= self.amount;
        if let Some(address) = self.address
            && let Some(of_address) = held.by_address.get_mut(&address)
        {
            *of_address -= self.amount;
            if *of_address == 0 {
                held.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_allows_a_burst_and_then_its_rate() {
        let limit = RateLimit {
            burst: 3,
            per_minute: 60,
        };
        let start = Instant::now();
        let mut bucket = TokenBucket::full(limit, start);
        for _ in 0..3 {
            assert_eq!(bucket.take(limit, start), Ok(()));
        }
        assert_eq!(bucket.take(limit, start), Err(Duration::from_secs(1)));
        let later = start + Duration::from_millis(1_500);
        assert_eq!(bucket.take(limit, later), Ok(()));
        let wait = bucket.take(limit, later).expect_err("only half a token");
        assert!(wait.abs_diff(Duration::from_millis(500)) < Duration::from_millis(1));
    }

    #[test]
    fn addresses_of_one_network_share_a_bucket() {
        let limiter = RateLimiter::new(RateLimit {
            burst: 1,
            per_minute: 1,
        });
        let now = Instant::now();
        let take = |address: &str| {
            let address = address.parse().expect("an address");
            limiter.take(address, now).is_ok()
        };
        assert!(take("2001:db8::1"));
        assert!(!take("2001:db8::ffff:2"));
        assert!(take("2001:db8:0:1::1"));
        assert!(take("192.0.2.1"));
        assert!(!take("::ffff:192.0.2.1"));
        assert!(take("192.0.2.2"));
    }

    #[test]
    fn quotas_are_limited_in_total_and_by_address() {
        let quota = Quota::new(30, 20);
        let [one, two] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().expect("an address"));
        let first = quota.acquire(one, 15).expect("below the limits");
        let _second = quota.acquire(one, 5).expect("below the limits");
        assert!(quota.acquire(one, 1).is_none());
        let _third = quota.acquire(two, 10).expect("below the limits");
        assert!(quota.acquire(two, 1).is_none());
        assert!(quota.acquire(two, usize::MAX).is_none());
        assert!(quota.acquire_shared(1).is_none());
        drop(first);
        assert_eq!(quota.total(), 15);
        drop(quota.acquire_shared(15).expect("below the limit"));
        assert!(quota.acquire(one, 15).is_some());
    }
}
