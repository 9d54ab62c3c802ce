use core::time::Duration;

/// How long to wait before each try to connect: twice as long as before the
/// last one, up to a limit, and at random between the half and the whole of it,
/// so that the clients of a server that comes back do not come all at once.
///
/// ```
/// use std::time::Duration;
///
/// use open_ttt_net::client::Backoff;
///
/// let mut backoff = Backoff::default();
/// assert_eq!(backoff.next(u32::MAX), Duration::from_millis(250));
/// assert_eq!(backoff.next(u32::MAX), Duration::from_millis(500));
/// assert_eq!(backoff.next(0), Duration::from_millis(500));
/// backoff.reset();
/// assert_eq!(backoff.next(0), Duration::from_millis(125));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    longest: Duration,
}

impl Backoff {
    /// The longest wait before the first try.
    pub const SHORTEST: Duration = Duration::from_millis(250);
    /// The longest wait of all.
    pub const LONGEST: Duration = Duration::from_secs(15);

    /// How long to wait now, by a random number of which any value is as
    /// likely as any other.
    pub fn next(&mut self, random: u32) -> Duration {
        let whole = self.longest;
        self.longest = (whole * 2).min(Self::LONGEST);
        let half = whole / 2;
        half + half.mul_f64(f64::from(random) / f64::from(u32::MAX))
    }

    /// Begins anew, after a try that was a success.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            longest: Self::SHORTEST,
        }
    }
}
