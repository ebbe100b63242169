//! Guards for the tests of a family: what was once written must stay readable.
//!
//! A *lock* is a text file with one line for each type and format: what the type looks like there,
//! and a fingerprint of that. A line never changes; a change of fields, of enumeration values or of
//! an embedded type without a new version therefore fails the test, with the edit to make. *Golden
//! files* hold bytes that some build wrote; every later build reads them.
//!
//! Both are made by running the test with `UNSKEW_SERDES_BLESS=1`, which adds what is new and changes
//! nothing that is there.
//!
//! ```no_run
//! # use unskew_serdes::{Format, family, guard::SchemaLock};
//! # family!(Stored = "examples/stored.history.toml");
//! # #[derive(Format)]
//! # #[format(family = Stored)]
//! # struct Sharding { axes: Vec<u32> }
//! #[test]
//! fn formats_change_only_with_a_new_version() {
//!     SchemaLock::<Stored>::new().with::<Sharding>().check("tests/stored.lock").unwrap();
//! }
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use jiff::civil::Date;

use crate::proto::Message;
use crate::{DecodeError, EncodeError, Family, Format, FormatSchema, VersionEntry};

mod files;
mod golden;

pub use files::check_golden;
pub use golden::Goldens;

/// The environment variable that lets guards add what is new.
pub const BLESS_VARIABLE: &str = "UNSKEW_SERDES_BLESS";

/// What a guard found. Tests unwrap it, and so its debug form is its text too.
#[derive(thiserror::Error)]
pub enum GuardError {
    /// A type changed, and the version line did not.
    #[error(
        "{type_name} is no longer what {family} version {version} says it is\n  was: {was}\n  now: {now}\n{edit}", edit = edit(*next, *added)
    )]
    Changed {
        /// The type of the family whose format is guarded.
        type_name: String,
        /// The name of the family.
        family: &'static str,
        /// The version that changed.
        version: u32,
        /// The format that the lock has.
        was: String,
        /// The format that the code has now.
        now: String,
        /// The version to mark the change with.
        next: u32,
        /// Whether the history has it already, while nothing is locked at it.
        added: bool,
    },
    /// A type, or a version of it, is not in the lock yet.
    #[error(
        "{path}: {type_name} of version {version} is not there yet; run this test with {BLESS_VARIABLE}=1 and commit the file"
    )]
    NotLocked {
        /// The path of the lock file.
        path: String,
        /// The type of the family whose format is guarded.
        type_name: String,
        /// The version of the family in question.
        version: u32,
    },
    /// A type that is in the lock is not checked any more.
    #[error(
        "{path}: {type_name} is in the lock and is not checked; check it, or delete its lines if nobody reads it any more"
    )]
    NotChecked {
        /// The path of the lock file.
        path: String,
        /// The type of the family whose format is guarded.
        type_name: String,
    },
    /// A version has a day in the future.
    #[error("{family} version {version} lands on {landed}, which is after today, {today}")]
    InTheFuture {
        /// The name of the family.
        family: &'static str,
        /// The version of the family in question.
        version: u32,
        /// The day in the history of that version.
        landed: Date,
        /// The day that the guard was asked for.
        today: Date,
    },
    /// Builds that are still to be served read nothing that this build writes.
    #[error(
        "{family}: versions below {minimum} are no longer written, and {minimum} landed on {landed}, less than {weeks} weeks before {today}: builds of that time read up to {needed}; lower the floor to {needed}"
    )]
    WindowBroken {
        /// The name of the family.
        family: &'static str,
        /// The lowest version that is still written.
        minimum: u32,
        /// The day on which it landed.
        landed: Date,
        /// The window, in weeks.
        weeks: u32,
        /// The day that the guard was asked for.
        today: Date,
        /// The version that builds at the far end of the window read.
        needed: u32,
    },
    /// A golden file does not read as the value that it was made of.
    #[error(
        "{path}: {name} of version {version} reads as another value\n  was: {was}\n  is: {is}\nChange the type so that it reads as before; for another value, check it under another name."
    )]
    OtherValue {
        /// The path of the golden file.
        path: PathBuf,
        /// The name of the value.
        name: String,
        /// The version of the family in question.
        version: u32,
        /// The value that it was made of.
        was: String,
        /// What it reads as.
        is: String,
    },
    /// A golden file does not read.
    #[error(
        "{path}: {name} of version {version} does not read: {error}\nKeep its format readable: mark what is new with `since`, and what is gone with `until`."
    )]
    NotRead {
        /// The path of the golden file.
        path: PathBuf,
        /// The name of the value.
        name: String,
        /// The version of the family in question.
        version: u32,
        /// Why the codec failed.
        error: DecodeError,
    },
    /// The same value is written in another way.
    #[error(
        "{path}: {name} of version {version} is written in another way: byte {at} differs; a new way of writing needs a new version"
    )]
    OtherBytes {
        /// The path of the golden file.
        path: PathBuf,
        /// The name of the value.
        name: String,
        /// The version of the family in question.
        version: u32,
        /// The first byte that differs.
        at: usize,
    },
    /// There is no golden file for a version that can be written.
    #[error(
        "{path}: {name} of version {version} is not there yet; run this test with {BLESS_VARIABLE}=1 and commit the file"
    )]
    NoGolden {
        /// The path of the golden file.
        path: PathBuf,
        /// The name of the value.
        name: String,
        /// The version of the family in question.
        version: u32,
    },
    /// A value of which there is a golden file is no longer written for its version.
    #[error(
        "{path}: {name} of version {version} can no longer be written: {error}\nMark the change with a new version: `since` for what is new, `until` for what is gone."
    )]
    NotWritten {
        /// The path of the golden file.
        path: PathBuf,
        /// The name of the value.
        name: String,
        /// The version of the family in question.
        version: u32,
        /// Why the codec failed.
        error: EncodeError,
    },
    /// No version holds the value: there would be no golden file, and nothing would be checked.
    #[error("{name}: no version that is read holds this value: {error}")]
    NothingHolds {
        /// The name of the value.
        name: String,
        /// Why the newest version does not.
        error: String,
    },
    /// There is a golden file of a version that is no longer read.
    #[error(
        "{path}: of version {version}, which is below the minimum; empty the file: it stays as a tombstone"
    )]
    NoTombstone {
        /// The path of the golden file.
        path: PathBuf,
        /// The version of the family in question.
        version: u32,
    },
    /// Golden bytes of a message do not read as the value that they were made of, or are no longer
    /// written so.
    #[error("{path}: {name} of version {version}: {what}")]
    OtherMessage {
        /// The path of the golden file.
        path: PathBuf,
        /// The name of the value.
        name: String,
        /// The version of the family in question.
        version: u32,
        /// The first difference, in words.
        what: String,
    },
    /// The file could not be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
}

impl fmt::Debug for GuardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The edit that makes a change of a type one of version `next`.
fn edit(next: u32, added: bool) -> String {
    let last = next.saturating_sub(1);
    let marks = format!("mark what is new `since = {next}` and what is gone `until = {last}`.");
    if added {
        format!("The history of the family has version {next} already: {marks}")
    } else {
        format!("Add version {next} to the history of the family, {marks}")
    }
}

/// The schemas of the types of a family, to be held against a lock file.
pub struct SchemaLock<F: Family> {
    lines: BTreeMap<(String, u32), String>,
    family: PhantomData<F>,
}

impl<F: Family> Default for SchemaLock<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Family> SchemaLock<F> {
    /// A lock without types.
    pub fn new() -> Self {
        Self { lines: BTreeMap::new(), family: PhantomData }
    }

    /// Adds a type and all types in it, at every version that is still written.
    #[must_use]
    pub fn with<T: Format<F>>(mut self) -> Self {
        for version in F::MINIMUM..=F::CURRENT {
            for (name, text) in FormatSchema::for_version::<F, T>(version).types() {
                self.lines.insert((name.to_owned(), version), text.to_owned());
            }
        }
        self
    }

    /// Adds a protobuf message and all messages in it, at every version that is still written.
    #[must_use]
    pub fn with_message<M: Message<F>>(mut self) -> Self {
        for version in F::MINIMUM.max(M::DESCRIPTION.since.version)..=F::CURRENT {
            let mut schema = FormatSchema::default();
            M::DESCRIPTION.schema(version, &mut schema);
            for (name, text) in schema.types() {
                self.lines.insert((name.to_owned(), version), text.to_owned());
            }
        }
        self
    }

    /// Holds the types against the lock at `path`.
    ///
    /// # Errors
    /// The first [`GuardError`], with the edit that fixes it.
    pub fn check(&self, path: impl AsRef<Path>) -> Result<(), GuardError> {
        let path = path.as_ref();
        let locked = read_lock(path)?;
        let shown = path.display().to_string();
        for ((type_name, version), now) in &self.lines {
            let (type_name, version) = (type_name.clone(), *version);
            match locked.get(&(type_name.clone(), version)) {
                Some(was) if was == now => {}
                Some(was) => {
                    let (family, was, now) = (F::NAME, was.clone(), now.clone());
                    // A version that was added for this change is not locked yet.
                    let added = version < F::CURRENT
                        && !locked.keys().any(|(_, locked)| *locked == F::CURRENT);
                    let next = F::CURRENT.saturating_add(u32::from(!added));
                    return Err(GuardError::Changed {
                        type_name,
                        family,
                        version,
                        was,
                        now,
                        next,
                        added,
                    });
                }
                None if bless() => {}
                None => return Err(GuardError::NotLocked { path: shown, type_name, version }),
            }
        }
        let checked = |name: &str| self.lines.keys().any(|(checked, _)| checked == name);
        if let Some((name, _)) = locked.keys().find(|(name, _)| !checked(name)) {
            return Err(GuardError::NotChecked { path: shown, type_name: name.clone() });
        }
        if bless() {
            let mut all = locked;
            all.extend(self.lines.clone());
            write_lock(path, &all)?;
        }
        Ok(())
    }
}

fn bless() -> bool {
    std::env::var_os(BLESS_VARIABLE).is_some_and(|value| value == "1")
}

/// `Type version {...}`, one a line.
fn read_lock(path: &Path) -> Result<BTreeMap<(String, u32), String>, GuardError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(GuardError::File(path.to_owned(), error)),
    };
    let line = |line: &str| {
        let (name, rest) = line.split_once(' ')?;
        let (version, text) = rest.split_once(' ')?;
        Some(((name.to_owned(), version.parse().ok()?), text.to_owned()))
    };
    Ok(text.lines().filter(|line| !line.starts_with('#')).filter_map(line).collect())
}

fn write_lock(path: &Path, all: &BTreeMap<(String, u32), String>) -> Result<(), GuardError> {
    let mut text = String::from(
        "# What each type looks like at each version. A line never changes: a change needs a new version.\n",
    );
    for ((name, version), schema) in all {
        text.push_str(&format!("{name} {version} {schema}\n"));
    }
    put(path, text.as_bytes())
}

/// Writes a file of the guard, over a regular file or nothing: never through a link, and never into a device.
fn put(path: &Path, bytes: &[u8]) -> Result<(), GuardError> {
    let failed = |error| GuardError::File(path.to_owned(), error);
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => {
            return Err(failed(std::io::Error::other("no regular file, and not written")));
        }
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    fs::write(path, bytes).map_err(failed)
}

/// Says whether the days of a family's versions are days that have been.
///
/// # Errors
/// [`GuardError::InTheFuture`].
pub fn check_days<F: Family>(today: Date) -> Result<(), GuardError> {
    let late = F::VERSIONS.iter().find(|entry| entry.landed() > today);
    late.map_or(Ok(()), |entry| {
        let (version, landed) = (entry.number, entry.landed());
        Err(GuardError::InTheFuture { family: F::NAME, version, landed, today })
    })
}

/// Says whether builds of up to `weeks` ago read something that this build writes: whether the minimum
/// was not raised too early.
///
/// # Errors
/// [`GuardError::WindowBroken`].
pub fn check_window<F: Family>(weeks: u32, today: Date) -> Result<(), GuardError> {
    let needed = newest_at_least_old::<F>(weeks, today);
    let minimum = F::VERSIONS.iter().find(|entry| entry.number == F::MINIMUM);
    match minimum {
        Some(minimum) if needed < F::MINIMUM => Err(GuardError::WindowBroken {
            family: F::NAME,
            minimum: F::MINIMUM,
            landed: minimum.landed(),
            weeks,
            today,
            needed,
        }),
        _ => Ok(()),
    }
}

/// The versions that no build of the last `weeks` weeks needs: those that raising the minimum to the
/// version above them removes.
pub fn removable<F: Family>(weeks: u32, today: Date) -> &'static [VersionEntry] {
    let needed = newest_at_least_old::<F>(weeks, today);
    let first = F::VERSIONS.partition_point(|entry| entry.number < F::MINIMUM);
    let end = F::VERSIONS.partition_point(|entry| entry.number < needed);
    F::VERSIONS.get(first..end).unwrap_or_default()
}

/// As [`Family::at_least_old`], whatever the minimum is.
fn newest_at_least_old<F: Family>(weeks: u32, today: Date) -> u32 {
    let by = jiff::Span::new().try_weeks(weeks);
    let by = by.and_then(|span| today.checked_sub(span)).unwrap_or(Date::MIN);
    let old = F::VERSIONS.iter().rfind(|entry| entry.landed() <= by).or(F::VERSIONS.first());
    old.map_or(F::MINIMUM, |entry| entry.number)
}
