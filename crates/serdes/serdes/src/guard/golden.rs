//! Golden bytes of protobuf messages: a text file with one line for each value and version.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::path::Path;

use crate::guard::{BLESS_VARIABLE, GuardError, bless, put};
use crate::proto::{Message, decode, encode};
use crate::{EncodeError, Family, FamilyVersion};

/// Messages, to be held against a file of lines `name version bytes`, the bytes in hexadecimal
/// digits. A value has a line for each version that can hold it; a line of a version below the
/// minimum has `-` for bytes: a tombstone.
pub struct Goldens<F: Family> {
    values: Vec<Value<F>>,
}

struct Value<F: Family> {
    name: &'static str,
    write: Box<WriteFn<F>>,
    /// What is wrong with bytes that should read as the value.
    read: Box<ReadFn>,
}

type WriteFn<F> = dyn Fn(FamilyVersion<F>) -> Result<Vec<u8>, EncodeError>;

type ReadFn = dyn Fn(&[u8]) -> Result<(), String>;

impl<F: Family> Default for Goldens<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Family> Goldens<F> {
    /// An empty collection of golden values.
    pub fn new() -> Self {
        Self { values: Vec::new() }
    }

    /// Adds a value under a name without spaces.
    #[must_use]
    pub fn with<M: Message<F> + PartialEq + Debug + Clone + 'static>(
        mut self,
        name: &'static str,
        value: &M,
    ) -> Self {
        let (written, wanted) = (value.clone(), value.clone());
        let write = Box::new(move |version| encode(&written, version));
        let read = Box::new(move |bytes: &[u8]| match decode::<F, M>(bytes) {
            Ok(found) if found == wanted => Ok(()),
            Ok(found) => Err(format!("reads as another value: {found:?}")),
            Err(error) => Err(format!("does not read: {error}")),
        });
        self.values.push(Value { name, write, read });
        self
    }

    /// Holds the values against the file at `path`.
    ///
    /// # Errors
    /// The first [`GuardError`], with the edit that fixes it.
    pub fn check(&self, path: impl AsRef<Path>) -> Result<(), GuardError> {
        let path = path.as_ref();
        let mut lines = lines(path)?;
        for value in &self.values {
            let living = F::VERSIONS.iter().filter(|entry| entry.number >= F::MINIMUM);
            let written = living.map(|entry| (value.write)(FamilyVersion::minted(entry.number)));
            let refused: Result<Vec<_>, _> = written.map(|result| result.err().ok_or(())).collect();
            if let Ok(errors) = refused {
                let error = errors.last().map_or_else(String::new, ToString::to_string);
                return Err(GuardError::NothingHolds { name: value.name.to_owned(), error });
            }
            for entry in F::VERSIONS {
                let place = (value.name.to_owned(), entry.number);
                let there = lines.get(&place).map(String::as_str);
                if let Some(new) = check_one(value, entry.number, there, path)? {
                    lines.insert(place, new);
                }
            }
        }
        let known = |name: &str| self.values.iter().any(|value| value.name == name);
        if let Some((name, _)) = lines.keys().find(|(name, _)| !known(name)) {
            let (path, type_name) = (path.display().to_string(), name.clone());
            return Err(GuardError::NotChecked { path, type_name });
        }
        if bless() {
            let text: String = lines
                .iter()
                .map(|((name, version), hex)| format!("{name} {version} {hex}\n"))
                .collect();
            let head =
                "# What some build wrote. A line never changes; every later build reads it.\n";
            put(path, format!("{head}{text}").as_bytes())?;
        }
        Ok(())
    }
}

/// Checks one value at one version; some line if one is to be added.
fn check_one<F: Family>(
    value: &Value<F>,
    version: u32,
    there: Option<&str>,
    path: &Path,
) -> Result<Option<String>, GuardError> {
    let name = value.name.to_owned();
    let wrong = |what: String| {
        let (path, name) = (path.to_owned(), name.clone());
        Err(GuardError::OtherMessage { path, name, version, what })
    };
    if version < F::MINIMUM {
        let living = there.is_some_and(|hex| hex != "-");
        let text = "is below the minimum; put - for its bytes: the line stays as a tombstone";
        return if living { wrong(text.to_owned()) } else { Ok(None) };
    }
    let now = (value.write)(FamilyVersion::minted(version));
    let Some(there) = there else {
        let Ok(now) = now else { return Ok(None) };
        return if bless() {
            Ok(Some(hex(&now)))
        } else {
            wrong(format!("is not there yet; run this test with {BLESS_VARIABLE}=1"))
        };
    };
    let Some(bytes) = from_hex(there) else {
        return wrong("its bytes are no hexadecimal digits".to_owned());
    };
    if let Err(text) = (value.read)(&bytes) {
        return wrong(text);
    }
    match now {
        Ok(now) if now != bytes => {
            let text = "is written in another way, which needs a new version";
            wrong(format!("{text}: was {there}, is {}", hex(&now)))
        }
        Ok(_) => Ok(None),
        Err(error) => wrong(format!("can no longer be written: {error}")),
    }
}

fn lines(path: &Path) -> Result<BTreeMap<(String, u32), String>, GuardError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(GuardError::File(path.to_owned(), error)),
    };
    let mut all = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        // A message of no bytes has nothing behind its version.
        let mut words = line.split(' ');
        if let (Some(name), Some(version), Some(hex)) = (words.next(), words.next(), words.next())
            && let Ok(version) = version.parse()
        {
            all.insert((name.to_owned(), version), hex.to_owned());
        }
    }
    Ok(all)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    rest.is_empty().then(|| bytes.collect()).flatten()
}
