//! The format version of a file, by the fields that are in it, and what its makers promise.

use std::sync::LazyLock;

use unskew_core::{History, Policy, Version};
use unskew_tables::toml_table;

use crate::Exported;

/// The first dtype of a PRNG key, by number.
const FIRST_KEY: u64 = 27;
/// The dtype of values without a gradient.
const FLOAT0: u64 = 22;

/// The dated versions of the format. Never none: the file is part of this crate, and a test reads it.
pub fn history() -> Option<&'static History> {
    static HISTORY: LazyLock<History> =
        LazyLock::new(|| toml_table!("data/jax_export.history.toml"));
    Some(&HISTORY)
}

/// What JAX promises about exported functions. Never none, as [`history`].
pub fn policy() -> Option<&'static Policy> {
    static POLICY: LazyLock<Policy> = LazyLock::new(|| toml_table!("data/policy.toml"));
    Some(&POLICY)
}

impl Exported {
    /// The oldest format version that can have been written: the newest whose fields are in the file. The number that
    /// is stored says nothing from 3 to 11: all of them wrote 2 or 3.
    pub fn oldest_format(&self) -> Version {
        let marks = &self.marks;
        let number = if self.jax.is_some() {
            i64::try_from(self.stored).unwrap_or(i64::MAX).max(12)
        } else if marks.device_platforms {
            11
        } else if marks.uniques {
            10
        } else if marks.mesh_devices {
            8
        } else if self.named_shardings > 0 {
            if self.hlo_shardings > 0 { 6 } else { 9 }
        } else if marks.memory_spaces || self.devices > 0 {
            5
        } else if self.dtypes.iter().any(|dtype| *dtype >= FIRST_KEY) {
            4
        } else if !self.classes.is_empty() || self.stored == 3 {
            3
        } else if self.dtypes.contains(&FLOAT0) || self.stored == 2 {
            2
        } else {
            1
        };
        Version::number(number)
    }

    /// For how many devices the program was lowered.
    pub fn device_count(&self) -> u64 {
        self.devices.max(self.devices_short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_and_policy_are_read() {
        assert_eq!(history().unwrap().current(), Version::number(12));
        assert_eq!(policy().unwrap().forward, "3 weeks".parse().ok());
    }

    #[test]
    fn the_stored_number_is_believed_only_where_it_is_honest() {
        let file = |stored: u64, jax: Option<&str>| Exported {
            stored,
            jax: jax.map(str::to_owned),
            ..Exported::default()
        };
        assert_eq!(file(1, None).oldest_format(), Version::number(1));
        assert_eq!(file(3, None).oldest_format(), Version::number(3));
        assert_eq!(file(12, Some("0.12.0")).oldest_format(), Version::number(12));
        assert_eq!(file(13, Some("0.13.0")).oldest_format(), Version::number(13));
        let mut six = file(3, None);
        six.named_shardings = 1;
        six.hlo_shardings = 1;
        assert_eq!(six.oldest_format(), Version::number(6));
        six.marks.uniques = true;
        assert_eq!(six.oldest_format(), Version::number(10));
    }
}
