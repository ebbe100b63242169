//! Rate limiter: so many requests a second for each token and each address, and as many at once.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::Quota;
use governor::clock::{Clock as _, MonotonicClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;

/// After how many requests those are forgotten who have not asked for a while.
const SWEEP: u32 = 4096;

type Buckets = governor::RateLimiter<
    String,
    HashMapStateStore<String>,
    MonotonicClock,
    NoOpMiddleware<<MonotonicClock as governor::clock::Clock>::Instant>,
>;

/// Counts who asks how fast.
pub(crate) struct RateLimiter {
    buckets: Buckets,
    asked: AtomicU32,
}

impl RateLimiter {
    pub(crate) fn new(per_second: u32) -> Self {
        let rate = NonZeroU32::new(per_second).unwrap_or(NonZeroU32::MIN);
        let buckets =
            Buckets::new(Quota::per_second(rate), HashMapStateStore::default(), MonotonicClock);
        Self { buckets, asked: AtomicU32::new(0) }
    }

    /// Whether `who` may ask now; if not, how long to wait.
    pub(crate) fn may(&self, who: &str) -> Result<(), Duration> {
        if self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(SWEEP) {
            self.buckets.retain_recent();
        }
        let now = MonotonicClock.now();
        self.buckets.check_key(&who.to_owned()).map_err(|until| until.wait_time_from(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_a_pace_of_his_own() {
        let pace = RateLimiter::new(3);
        for _ in 0..3 {
            assert!(pace.may("a").is_ok());
        }
        let wait = (0..9).find_map(|_| pace.may("a").err()).unwrap();
        assert!(wait <= Duration::from_secs(1));
        assert!(pace.may("b").is_ok());
    }
}
