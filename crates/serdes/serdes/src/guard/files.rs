//! Golden files of values: what some build wrote for each version, in each of its formats.

use std::fmt::Debug;
use std::fs;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use crate::guard::{GuardError, bless, put};
use crate::{EncodeError, Family, FamilyVersion, Format, FormatRecording, read, write_as};

/// Holds a value against the golden files of a folder. For each version that can hold it there is
///
/// * `name.VERSION.bin`, as it is written by default: in the lowest format that holds it;
/// * `name.VERSION.newest.bin`, in the newest format of that version, where that is another one.
///   Without these files a value that uses nothing new would only ever exercise the first format.
///
/// Files of versions below the minimum must be empty: tombstones.
///
/// # Errors
/// The first [`GuardError`], with the edit that fixes it.
pub fn check_golden<F, T>(folder: impl AsRef<Path>, name: &str, value: &T) -> Result<(), GuardError>
where
    F: Family,
    T: Format<F> + PartialEq + Debug,
{
    let mut refused = None;
    let mut held = false;
    for entry in F::VERSIONS {
        let version = entry.number;
        let golden = |suffix: &str| {
            let path = folder.as_ref().join(format!("{name}.{version}{suffix}.bin"));
            Golden::<F, T> { path, name, version, value, family: PhantomData }
        };
        let (lowest, newest) = (golden(""), golden(".newest"));
        if version < F::MINIMUM {
            lowest.check_tombstone()?;
            newest.check_tombstone()?;
            continue;
        }
        let first = lowest.written(FormatRecording::Lowest);
        let second = newest.written(FormatRecording::AsRequested);
        match &first {
            Ok(_) => held = true,
            Err(error) => refused = Some(error.to_string()),
        }
        let same = first == second;
        lowest.check(first, true)?;
        newest.check(second, !same)?;
    }
    match refused {
        Some(error) if !held => Err(GuardError::NothingHolds { name: name.to_owned(), error }),
        _ => Ok(()),
    }
}

/// One file, and the value that it is made of.
struct Golden<'a, F: Family, T: Format<F>> {
    path: PathBuf,
    name: &'a str,
    version: u32,
    value: &'a T,
    family: PhantomData<F>,
}

impl<F: Family, T: Format<F> + PartialEq + Debug> Golden<'_, F, T> {
    fn written(&self, record: FormatRecording) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = Vec::new();
        write_as(self.value, FamilyVersion::<F>::minted(self.version), record, &mut bytes)?;
        Ok(bytes)
    }

    fn there(&self) -> Result<Option<Vec<u8>>, GuardError> {
        match fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(GuardError::File(self.path.clone(), error)),
        }
    }

    fn check_tombstone(self) -> Result<(), GuardError> {
        match self.there()? {
            Some(bytes) if !bytes.is_empty() => {
                Err(GuardError::NoTombstone { path: self.path, version: self.version })
            }
            _ => Ok(()),
        }
    }

    /// Holds what is written now against the file, which is there if it is `needed`.
    fn check(self, now: Result<Vec<u8>, EncodeError>, needed: bool) -> Result<(), GuardError> {
        let there = self.there()?;
        let (path, name, version) = (self.path, self.name.to_owned(), self.version);
        let Some(bytes) = there else {
            return match now {
                Ok(now) if needed && bless() => add(&path, &now),
                Ok(_) if needed => Err(GuardError::NoGolden { path, name, version }),
                // A version that cannot hold the value has no golden file of it.
                _ => Ok(()),
            };
        };
        let is: T = match read(&bytes) {
            Ok(is) => is,
            Err(error) => return Err(GuardError::NotRead { path, name, version, error }),
        };
        if is != *self.value {
            let (was, is) = (format!("{:?}", self.value), format!("{is:?}"));
            return Err(GuardError::OtherValue { path, name, version, was, is });
        }
        match now {
            Ok(now) if now == bytes => Ok(()),
            Ok(now) => {
                let at = now.iter().zip(&bytes).take_while(|(a, b)| a == b).count();
                Err(GuardError::OtherBytes { path, name, version, at })
            }
            Err(error) => Err(GuardError::NotWritten { path, name, version, error }),
        }
    }
}

fn add(path: &Path, bytes: &[u8]) -> Result<(), GuardError> {
    let file = |error| GuardError::File(path.to_owned(), error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(file)?;
    }
    put(path, bytes)
}
