//! Identity of the plug-in behind an adapter: what a stamp on an executable is compared with.

use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use unskew_pjrt::convert::stamp::Fingerprint;
use unskew_source::{FileSource, ReadError};

use crate::AdapterConfig;

/// How many adapters may stand one behind the other.
const DEEPEST: usize = 8;

/// The digest of a plug-in's file, with what tells whether the file has changed since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The SHA-256 of the file, in hexadecimal digits; of an adapted plug-in, over the digests of the
    /// adapter, its settings and the plug-in behind it.
    pub sha256: String,
    /// The size of the file, in bytes.
    pub size: u64,
    /// When it was last written, in nanoseconds since 1970; 0 if the system does not say.
    pub modified: u64,
}

impl Identity {
    /// Measures a plug-in. It takes as long as reading the file does.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn measure(plugin: &Path) -> Result<Self, ReadError> {
        Self::measure_at(plugin, 0)
    }

    fn measure_at(plugin: &Path, depth: usize) -> Result<Self, ReadError> {
        let file = FileSource::open(plugin)?;
        let mut digest = Fingerprint::digest(&file)?;
        // Every adapter is the same file: what tells one from the other is what stands behind it.
        if depth < DEEPEST
            && let Ok(config) = AdapterConfig::of_library(plugin)
        {
            let inner = Self::measure_at(&config.plugin, depth + 1)?;
            let settings = AdapterConfig { identity: None, ..config.clone() };
            let settings = settings.to_toml().unwrap_or_default();
            let mut whole = Sha256::new();
            whole.update(digest);
            whole.update(settings);
            whole.update(inner.sha256);
            digest = whole.finalize().into();
        }
        let (size, modified) = state_of(plugin);
        Ok(Self { sha256: hexadecimal(&digest), size, modified })
    }

    /// Whether the file is still the one that was measured, by its size and the time of its last
    /// change.
    pub fn still_holds(&self, plugin: &Path) -> bool {
        self.modified != 0 && state_of(plugin) == (self.size, self.modified)
    }

    /// The digest as bytes; none if the digits are damaged.
    pub fn digest(&self) -> Option<[u8; 32]> {
        let mut digest = [0; 32];
        let digits = self.sha256.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in digest.iter_mut().zip(digits.chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(digest)
    }
}

/// Size and time of the last change of a file; zeros if it is not there.
fn state_of(path: &Path) -> (u64, u64) {
    let Ok(metadata) = std::fs::metadata(path) else { return (0, 0) };
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let modified = modified.and_then(|since| u64::try_from(since.as_nanos()).ok());
    (metadata.len(), modified.unwrap_or_default())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_no_longer_holds_and_digits_become_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plugin.so");
        std::fs::write(&path, b"one").unwrap();
        let identity = Identity::measure(&path).unwrap();
        assert!(identity.still_holds(&path));
        assert_eq!(hexadecimal(&identity.digest().unwrap()), identity.sha256);
        std::fs::write(&path, b"another").unwrap();
        assert!(!identity.still_holds(&path));
    }

    #[test]
    fn two_adapters_in_front_of_different_plug_ins_are_not_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let measured = |behind: &str, contents: &[u8]| {
            std::fs::write(at(behind), contents).unwrap();
            std::fs::write(at("adapted.so"), b"adapter").unwrap();
            let config = AdapterConfig::presenting(at(behind), 54);
            std::fs::write(at("adapted.toml"), config.to_toml().unwrap()).unwrap();
            Identity::measure(&at("adapted.so")).unwrap().sha256
        };
        assert_ne!(measured("a.so", b"a"), measured("a.so", b"b"));
        assert_eq!(measured("a.so", b"a"), measured("a.so", b"a"));
    }
}
