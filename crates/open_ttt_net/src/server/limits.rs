use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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
    buckets: Mutex<HashMap<IpAddr, TokenBucket>>,
}

/// Maximum number of buckets. Beyond it, full buckets are dropped, which makes
/// no difference to their addresses.
const MAX_BUCKETS: usize = 100_000;

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
        if buckets.len() >= MAX_BUCKETS {
            buckets.retain(|_, bucket| !bucket.is_full(self.limit, now));
            if buckets.len() >= MAX_BUCKETS {
                return Err(Duration::from_mins(1));
            }
        }
        let bucket = buckets
            .entry(network(address))
            .or_insert_with(|| TokenBucket::full(self.limit, now));
        bucket.take(self.limit, now)
    }
}

/// The network of an address. An IPv6 subscriber has 2^64 addresses, which
/// share one limit.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// Counts connections, in total and by address.
#[derive(Debug, Default)]
pub(super) struct ConnectionLimiter {
    open: Mutex<OpenConnections>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A counted connection. It counts until this is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    limiter: Arc<ConnectionLimiter>,
    address: IpAddr,
}

impl ConnectionLimiter {
    /// Counts a connection, unless a limit is reached.
    pub(super) fn acquire(
        self: &Arc<Self>,
        address: IpAddr,
        max: usize,
        max_per_address: usize,
    ) -> Option<ConnectionPermit> {
        let address = network(address);
        let mut open = lock(&self.open);
        let from_address = open.by_address.get(&address).copied().unwrap_or(0);
        if open.total >= max || from_address >= max_per_address {
            return None;
        }
        open.total += 1;
        open.by_address.insert(address, from_address + 1);
        Some(ConnectionPermit {
            limiter: Arc::clone(self),
            address,
        })
    }

    pub(super) fn count(&self) -> usize {
        lock(&self.open).total
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut open = lock(&self.limiter.open);
        open.total -= 1;
        if let Some(count) = open.by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.by_address.remove(&self.address);
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
    fn connections_are_limited_in_total_and_by_address() {
        let limiter = Arc::new(ConnectionLimiter::default());
        let [one, two] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().expect("an address"));
        let first = limiter.acquire(one, 3, 2).expect("below the limits");
        let _second = limiter.acquire(one, 3, 2).expect("below the limits");
        assert!(limiter.acquire(one, 3, 2).is_none());
        let _third = limiter.acquire(two, 3, 2).expect("below the limits");
        assert!(limiter.acquire(two, 3, 2).is_none());
        drop(first);
        assert_eq!(limiter.count(), 2);
        assert!(limiter.acquire(one, 3, 2).is_some());
    }
}
