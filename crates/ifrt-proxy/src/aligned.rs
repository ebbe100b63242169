//! Bytes put together from parts, where plug-ins can use them as they are.

use bytes::Bytes;

/// The multiple at which a plug-in's data begin that it need not copy: XLA's for CPUs.
pub(crate) const ALIGNMENT: usize = 64;

/// Bytes that grow to a size, and whose first is at a multiple of [`ALIGNMENT`].
pub(crate) struct Aligned {
    all: Vec<u8>,
    begin: usize,
}

impl Aligned {
    /// Room for so many bytes; none if the system has not so much.
    pub(crate) fn of(size: usize) -> Option<Self> {
        let mut all: Vec<u8> = Vec::new();
        all.try_reserve_exact(size.checked_add(ALIGNMENT)?).ok()?;
        let begin = all.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        all.resize(begin, 0);
        Some(Self { all, begin })
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len() - self.begin
    }

    /// Adds bytes. Beyond the size that was asked for, the beginning may move.
    pub(crate) fn extend(&mut self, part: &[u8]) {
        self.all.extend_from_slice(part);
    }

    /// The bytes.
    pub(crate) fn freeze(self) -> Bytes {
        Bytes::from(self.all).slice(self.begin..)
    }
}

/// Whether a plug-in can use these bytes as they are, and it is worth while.
pub(crate) fn usable(data: &Bytes) -> bool {
    /// Less is copied faster than it is kept; and it may be a part of a larger buffer, all of which is kept.
    const LEAST: usize = 1 << 20;
    data.len() > LEAST && data.as_ptr().align_offset(ALIGNMENT) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_were_put_together_can_be_used_as_they_are() {
        let mut all = Aligned::of(3 << 20).unwrap();
        let part = vec![7; 1 << 20];
        (0..3).for_each(|_| all.extend(&part));
        assert_eq!(all.len(), 3 << 20);
        let data = all.freeze();
        assert_eq!(data.len(), 3 << 20);
        assert!(usable(&data) && data.iter().all(|byte| *byte == 7));
        assert!(!usable(&data.slice(1..)) && !usable(&data.slice(..64)));
        assert!(Aligned::of(usize::MAX).is_none());
    }
}
