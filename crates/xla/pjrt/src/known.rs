//! Public plug-ins by the digest of their file: what they say of themselves, without running them again.
//!
//! `data/plugins.tsv` has a line for each: the SHA-256 of the file, its size, the package and the file in it, and what the
//! plug-in said when it was asked once; of those for macOS what stands in their file. `cargo lab harvest pjrt-plugins==published` makes it.

use std::io;

use sha2::{Digest as _, Sha256};
use unskew_source::Source;

use crate::probe::Probe;

const TABLE: &str = include_str!("../data/plugins.tsv");

/// How much is read at once, in bytes.
const PIECE: usize = 1 << 20;

/// A public plug-in that was asked once.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownPlugin {
    /// The SHA-256 of its file, in hexadecimal.
    pub sha256: String,
    /// The size of its file, in bytes.
    pub size: u64,
    /// The package that brings it: `xla-cpu-pjrt 0.0.1`.
    pub package: String,
    /// What it says of itself.
    pub probe: Probe,
}

/// Every plug-in of the table.
///
/// ```
/// assert!(unskew_pjrt::known_plugins().all(|plugin| plugin.sha256.len() == 64));
/// ```
pub fn known_plugins() -> impl Iterator<Item = KnownPlugin> {
    TABLE.lines().filter_map(read_known_row)
}

/// The plug-in of a line of the table, as [`known_row`] writes it.
pub fn read_known_row(line: &str) -> Option<KnownPlugin> {
    let [sha256, size, package, probe] = *line.split('\t').collect::<Vec<_>>() else { return None };
    let probe = serde_json::from_str(probe).ok()?;
    let (sha256, package) = (sha256.to_owned(), package.to_owned());
    Some(KnownPlugin { sha256, size: size.parse().ok()?, package, probe })
}

/// As it stands in the table.
pub fn known_row(plugin: &KnownPlugin) -> Option<String> {
    let KnownPlugin { sha256, size, package, probe } = plugin;
    Some(format!("{sha256}\t{size}\t{package}\t{}", serde_json::to_string(probe).ok()?))
}

/// The public plug-in that this file is, if it is one. The file is read only if one has its size.
///
/// # Errors
/// If it cannot be read.
pub fn known_plugin(source: &dyn Source) -> io::Result<Option<KnownPlugin>> {
    let size = source.size().to_string();
    let mut same = TABLE.lines().filter(|line| line.split('\t').nth(1) == Some(&size)).peekable();
    if same.peek().is_none() {
        return Ok(None);
    }
    let digest = digest(source)?;
    Ok(same.find(|line| line.starts_with(&digest)).and_then(read_known_row))
}

/// The public plug-in whose file has this SHA-256, in hexadecimal, and this size.
pub fn known_by_digest(sha256: &str, size: u64) -> Option<KnownPlugin> {
    let line = TABLE.lines().find(|line| line.split('\t').next() == Some(sha256));
    line.and_then(read_known_row).filter(|known| known.size == size)
}

/// The plug-in of a release of a package: `libtpu`, `0.0.30`. That of the wheel for Linux on x86-64, of the first if those for
/// different Pythons differ.
///
/// ```
/// let known = unskew_pjrt::known_of_package("xla-cpu-pjrt", "0.0.1").unwrap();
/// assert_eq!(known.probe.minor, 81);
/// ```
pub fn known_of_package(name: &str, version: &str) -> Option<KnownPlugin> {
    let package = format!("{name} {version}");
    let line = TABLE.lines().find(|line| line.split('\t').nth(2) == Some(&package));
    line.and_then(read_known_row)
}

/// The names of the packages in the table, and their versions, each once.
pub fn known_packages() -> impl Iterator<Item = (&'static str, &'static str)> {
    let packages = TABLE.lines().filter_map(|line| line.split('\t').nth(2)?.split_once(' '));
    let mut before = None;
    packages.filter(move |package| before.replace(*package) != Some(*package))
}

/// The SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// If it cannot be read.
pub fn digest(source: &dyn Source) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut at = 0;
    while at < source.size() {
        match source.read_at(at, &mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => {
                hasher.update(&piece[..n]);
                at += n as u64;
            }
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::BytesSource;

    #[test]
    fn every_line_of_the_table_is_read_and_stands_once() {
        let rows: Vec<KnownPlugin> = known_plugins().collect();
        assert_eq!(rows.len(), TABLE.lines().count());
        let mut digests: Vec<&str> = rows.iter().map(|row| &*row.sha256).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), rows.len());
        for (row, line) in rows.iter().zip(TABLE.lines()) {
            assert_eq!(known_row(row).as_deref(), Some(line));
            assert!(row.probe.minor > 0 && row.probe.table_size > 0, "{}", row.package);
            assert_eq!(known_by_digest(&row.sha256, row.size).as_ref(), Some(row));
            assert_eq!(known_by_digest(&row.sha256, row.size + 1), None);
        }
    }

    #[test]
    fn another_file_of_the_same_size_is_not_known() {
        let Some(known) = known_plugins().min_by_key(|known| known.size) else { return };
        let bytes = BytesSource::new("other", vec![0; known.size as usize]);
        assert_eq!(known_plugin(&bytes).unwrap(), None);
        assert_eq!(known_plugin(&BytesSource::new("small", vec![1])).unwrap(), None);
    }

    #[test]
    fn a_digest_is_the_one_that_everybody_computes() {
        let abc = BytesSource::new("abc", b"abc".to_vec());
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(&abc).unwrap(), expected);
    }
}
