//! Bytes that clients have here, counted, and refused where they would be too many.
//!
//! A [`QuotaGuard`] stands for bytes of a session as long as it lives, so whatever way something goes (deleted,
//! taken, or with its session when the client dies), its bytes are given back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::shares::Share;
use crate::status::{Status, StatusCode};

/// What bytes of a session are held for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// On their way between a client and a device.
    Host,
    /// In arrays on a device.
    Device,
}

/// What all sessions have together.
#[derive(Debug)]
pub struct Totals {
    used: Used,
    limit: u64,
    /// What sessions in other processes have counts too, if there are any.
    share: Option<Arc<Share>>,
}

/// What one session has.
#[derive(Debug)]
pub struct MemoryQuota {
    used: Used,
    limit: u64,
    totals: Arc<Totals>,
}

/// Bytes of a session, which are given back when this is dropped.
#[derive(Debug)]
pub struct QuotaGuard {
    account: Arc<MemoryQuota>,
    place: MemoryKind,
    bytes: u64,
}

#[derive(Debug, Default)]
struct Used {
    all: AtomicU64,
    device: AtomicU64,
}

impl Used {
    /// Takes so many bytes of a limit, or says how many are taken already.
    fn take(&self, limit: u64, place: MemoryKind, bytes: u64) -> Result<(), u64> {
        let more = |used: u64| used.checked_add(bytes).filter(|after| *after <= limit);
        self.all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)?;
        if place == MemoryKind::Device {
            self.device.fetch_add(bytes, Ordering::Relaxed);
        }
        Ok(())
    }

    fn give_back(&self, place: MemoryKind, bytes: u64) {
        self.all.fetch_sub(bytes, Ordering::Relaxed);
        if place == MemoryKind::Device {
            self.device.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    fn at(&self, place: MemoryKind) -> u64 {
        let device = self.device.load(Ordering::Relaxed);
        match place {
            MemoryKind::Device => device,
            MemoryKind::Host => self.all.load(Ordering::Relaxed).saturating_sub(device),
        }
    }
}

impl Totals {
    /// Nothing yet, and at most so many bytes.
    pub fn new(limit: u64, share: Option<Arc<Share>>) -> Arc<Self> {
        Arc::new(Self { used: Used::default(), limit, share })
    }

    fn take(&self, place: MemoryKind, bytes: u64) -> Result<(), u64> {
        self.used.take(self.limit, place, bytes)?;
        let Some(share) = &self.share else { return Ok(()) };
        let covered = share.cover(self.used.all.load(Ordering::Relaxed), self.limit);
        covered.inspect_err(|_| self.used.give_back(place, bytes))
    }

    fn give_back(&self, place: MemoryKind, bytes: u64) {
        self.used.give_back(place, bytes);
        if let Some(share) = &self.share {
            share.uncover(|| self.used.all.load(Ordering::Relaxed));
        }
    }

    /// How many bytes there are at a place.
    pub fn at(&self, place: MemoryKind) -> u64 {
        self.used.at(place)
    }
}

impl MemoryQuota {
    /// Nothing yet, and at most so many bytes.
    pub fn new(limit: u64, totals: Arc<Totals>) -> Arc<Self> {
        Arc::new(Self { used: Used::default(), limit, totals })
    }

    /// How many bytes there are at a place.
    pub fn at(&self, place: MemoryKind) -> u64 {
        self.used.at(place)
    }

    /// Counts bytes of this session.
    ///
    /// # Errors
    /// RESOURCE_EXHAUSTED, with the numbers, if they are too many.
    pub fn charge(self: &Arc<Self>, place: MemoryKind, bytes: u64) -> Result<QuotaGuard, Status> {
        let refusal = |whose: &str, limit: u64, used: u64| {
            let text = format!(
                "{whose} may have {limit} bytes of arrays and of buffers on their way, has {used}, and \
                 would have so many more: {bytes}"
            );
            Status::new(StatusCode::ResourceExhausted, text)
        };
        self.used
            .take(self.limit, place, bytes)
            .map_err(|used| refusal("a session", self.limit, used))?;
        if let Err(used) = self.totals.take(place, bytes) {
            self.used.give_back(place, bytes);
            return Err(refusal("all sessions of the server together", self.totals.limit, used));
        }
        Ok(QuotaGuard { account: Arc::clone(self), place, bytes })
    }
}

impl Drop for QuotaGuard {
    fn drop(&mut self) {
        self.account.used.give_back(self.place, self.bytes);
        self.account.totals.give_back(self.place, self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_by_session_and_place_and_given_back() {
        let totals = Totals::new(100, None);
        let (one, two) =
            (MemoryQuota::new(60, Arc::clone(&totals)), MemoryQuota::new(60, totals.clone()));
        let host = one.charge(MemoryKind::Host, 20).unwrap();
        let device = one.charge(MemoryKind::Device, 40).unwrap();
        assert_eq!((one.at(MemoryKind::Host), one.at(MemoryKind::Device)), (20, 40));
        assert_eq!((totals.at(MemoryKind::Host), totals.at(MemoryKind::Device)), (20, 40));
        let own = one.charge(MemoryKind::Host, 1).unwrap_err();
        assert_eq!(own.code, StatusCode::ResourceExhausted);
        assert!(own.message.contains("a session may have 60 bytes"), "{own}");
        let all = two.charge(MemoryKind::Host, 41).unwrap_err();
        assert!(all.message.contains("together may have 100 bytes"), "{all}");
        assert_eq!(two.at(MemoryKind::Host), 0);
        assert!(two.charge(MemoryKind::Device, u64::MAX).is_err());
        drop((host, device));
        assert_eq!((totals.at(MemoryKind::Host), totals.at(MemoryKind::Device)), (0, 0));
        assert!(two.charge(MemoryKind::Host, 60).is_ok());
    }
}
