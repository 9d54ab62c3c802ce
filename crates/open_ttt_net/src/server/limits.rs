use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::RateLimit;

/// A token bucket (Turner, 1986): what is left of a burst, as it was at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenBucket {
    left: f64,
    at: Instant,
}

impl TokenBucket {
    pub(super) fn full(rate: RateLimit, now: Instant) -> Self {
        Self {
            left: f64::from(rate.burst),
            at: now,
        }
    }

    /// Takes one out.
    ///
    /// # Errors
    ///
    /// How long to wait until there is one.
    pub(super) fn take(&mut self, rate: RateLimit, now: Instant) -> Result<(), Duration> {
        if rate == RateLimit::UNLIMITED {
            return Ok(());
        }
        let per_second = f64::from(rate.per_minute) / 60.0;
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * per_second).min(f64::from(rate.burst));
        self.at = now;
        if self.left >= 1.0 {
            self.left -= 1.0;
            return Ok(());
        }
        let wait = (1.0 - self.left) / per_second;
        Err(Duration::try_from_secs_f64(wait).unwrap_or(Duration::from_hours(1)))
    }

    fn is_full(&self, rate: RateLimit, now: Instant) -> bool {
        let per_second = f64::from(rate.per_minute) / 60.0;
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left + passed * per_second >= f64::from(rate.burst)
    }
}

/// A bucket for each address that has done something lately.
#[derive(Debug)]
pub(super) struct RateLimiter {
    rate: RateLimit,
    by_address: Mutex<HashMap<IpAddr, TokenBucket>>,
}

/// So many addresses are remembered; with more, those with full buckets are
/// forgotten, which makes no difference to them.
const MOST_ADDRESSES: usize = 100_000;

impl RateLimiter {
    pub(super) fn new(rate: RateLimit) -> Self {
        Self {
            rate,
            by_address: Mutex::default(),
        }
    }

    /// Counts one for an address.
    ///
    /// # Errors
    ///
    /// How long it has to wait.
    pub(super) fn take(&self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        let mut buckets = self
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_ADDRESSES {
            buckets.retain(|_, bucket| !bucket.is_full(self.rate, now));
            if buckets.len() >= MOST_ADDRESSES {
                return Err(Duration::from_mins(1));
            }
        }
        let network = network(address);
        let bucket = buckets
            .entry(network)
            .or_insert_with(|| TokenBucket::full(self.rate, now));
        bucket.take(self.rate, now)
    }
}

/// Who has an IPv6 address has 2^64 of them: they count as one.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => IpAddr::V4(v4),
            None => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
        },
    }
}

/// How many connections there are, in all and by address.
#[derive(Debug, Default)]
pub(super) struct ConnectionLimiter {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A connection that counts as long as this lives.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    connections: Arc<ConnectionLimiter>,
    address: IpAddr,
}

impl ConnectionLimiter {
    /// Lets one more in, if there is room.
    pub(super) fn admit(
        self: &Arc<Self>,
        address: IpAddr,
        most: usize,
        most_per_address: usize,
    ) -> Option<ConnectionPermit> {
        let address = network(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let here = open.by_address.get(&address).copied().unwrap_or(0);
        if open.all >= most || here >= most_per_address {
            return None;
        }
        open.all += 1;
        open.by_address.insert(address, here + 1);
        Some(ConnectionPermit {
            connections: Arc::clone(self),
            address,
        })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.all
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let connections = &self.connections;
        let mut open = connections
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        open.all -= 1;
        if let Some(here) = open.by_address.get_mut(&self.address) {
            *here -= 1;
            if *here == 0 {
                open.by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_a_burst_and_then_its_rate() {
        let rate = RateLimit {
            burst: 3,
            per_minute: 60,
        };
        let start = Instant::now();
        let mut bucket = TokenBucket::full(rate, start);
        for _ in 0..3 {
            assert_eq!(bucket.take(rate, start), Ok(()));
        }
        assert_eq!(bucket.take(rate, start), Err(Duration::from_secs(1)));
        let later = start + Duration::from_millis(1_500);
        assert_eq!(bucket.take(rate, later), Ok(()));
        let wait = bucket.take(rate, later).expect_err("half a token is none");
        assert!(wait.abs_diff(Duration::from_millis(500)) < Duration::from_millis(1));
    }

    #[test]
    fn addresses_of_one_network_share_a_bucket() {
        let rate = RateLimit {
            burst: 1,
            per_minute: 1,
        };
        let buckets = RateLimiter::new(rate);
        let now = Instant::now();
        let take = |address: &str| {
            let address = address.parse().expect("an address");
            buckets.take(address, now).is_ok()
        };
        assert!(take("2001:db8::1"));
        assert!(!take("2001:db8::ffff:2"));
        assert!(take("2001:db8:0:1::1"));
        assert!(take("192.0.2.1"));
        assert!(!take("::ffff:192.0.2.1"));
        assert!(take("192.0.2.2"));
    }

    #[test]
    fn an_address_has_so_many_connections() {
        let connections = Arc::new(ConnectionLimiter::default());
        let [here, there] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().expect("valid"));
        let first = connections.admit(here, 3, 2).expect("there is room");
        let _second = connections.admit(here, 3, 2).expect("there is room");
        assert!(connections.admit(here, 3, 2).is_none());
        let _third = connections.admit(there, 3, 2).expect("there is room");
        assert!(connections.admit(there, 3, 2).is_none());
        drop(first);
        assert_eq!(connections.count(), 2);
        assert!(connections.admit(here, 3, 2).is_some());
    }
}
