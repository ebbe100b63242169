//! Takes a release of jaxlib into the table of who writes entries of compilation caches.
//!
//! Which debug options of XLA a release knows stands in the description of the message in its library. Which of them it
//! always writes is read from entries that it makes: those that say whether they are set (`optional`), and are in all.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use unskew_compilation_cache::{CacheEntry, CacheFileName, writers};
use unskew_core::Version;
use unskew_lab_harness::run_command;
use unskew_peers::Peer;
use unskew_source::wire::{ByteSpan, WireMessage};
use unskew_source::{Budget, BytesSource, FileSource, ReadError, Source};

/// The table, from the root of the repository.
const TABLE: &str = "crates/xla/compilation-cache/data/writers.tsv";
/// What fills a cache, from the root of the repository.
const PROBE: &str = "lab/xla/probes/cache_ask.py";
/// The beginning of the file description in a library.
const FILE: &[u8] = b"\x0a\x0dxla/xla.proto\x12\x03xla";
/// What may stand in a file description.
const FIELDS: std::ops::RangeInclusive<u32> = 1..=14;

/// Takes `jaxlib==version` into the table: the environment of the corpus, or the one of the interpreter at `python`.
///
/// # Errors
/// If there is no such environment, or its library has no such message.
pub(crate) fn harvest(version: &str, python: Option<&Path>) -> Result<()> {
    let python = match python {
        Some(python) => python.to_owned(),
        None => Peer::named("jax", version)?.python,
    };
    let (known, optional) = options(&library(&python)?)?;
    let mut always: Option<BTreeSet<u32>> = None;
    for flags in
        ["", "--xla_force_host_platform_device_count=2 --xla_llvm_disable_expensive_passes=true"]
    {
        let cache = tempfile::tempdir()?;
        let mut command = std::process::Command::new(&python);
        command.arg(unskew_peers::root().join(PROBE)).arg(cache.path());
        run_command(command.env("JAX_PLATFORMS", "cpu").env("XLA_FLAGS", flags))?;
        for file in fs::read_dir(cache.path())? {
            let (name, path) = file.map(|file| (file.file_name(), file.path()))?;
            if !matches!(CacheFileName::parse(&name.to_string_lossy()), CacheFileName::Entry { .. })
            {
                continue;
            }
            let source: Arc<dyn Source> = Arc::new(FileSource::open(&path)?);
            let entry = CacheEntry::read(&source, &Budget::for_size(source.size()));
            let entry = entry.map_err(|damage| anyhow::anyhow!("{}", damage.words()))?;
            let debug_options = entry.debug_options().context("an entry without options")?;
            ensure!(debug_options.is_subset(&known), "an option that the library does not know");
            let debug_options = debug_options & &optional;
            always = Some(always.map_or(debug_options.clone(), |always| &always & &debug_options));
        }
    }
    let always = always.context("JAX wrote no entry")?;
    let version: Version = version.parse()?;
    let path = unskew_peers::root().join(TABLE);
    let table = fs::read_to_string(&path)?;
    fs::write(&path, writers::with(&table, version, &known, &always))?;
    println!(
        "jaxlib {version}: knows {} debug options, always writes {}",
        known.len(),
        always.len()
    );
    Ok(())
}

/// The library of jaxlib with the compiler: the largest.
fn library(python: &Path) -> Result<PathBuf> {
    let root = python.ancestors().nth(2).context("an environment")?.join("lib");
    let site = fs::read_dir(root)?.flatten().map(|entry| entry.path().join("site-packages/jaxlib"));
    let folder = site.into_iter().find(|path| path.is_dir()).context("no jaxlib")?;
    let mut libraries = Vec::new();
    for file in fs::read_dir(folder)?.flatten() {
        if file.path().extension().is_some_and(|ending| ending == "so") {
            libraries.push((file.metadata()?.len(), file.path()));
        }
    }
    libraries.into_iter().max().map(|(_, path)| path).context("no library in jaxlib")
}

/// The numbers of the options in a library, and those whose presence is written.
fn options(library: &Path) -> Result<(BTreeSet<u32>, BTreeSet<u32>)> {
    let bytes = fs::read(library)?;
    let places: Vec<usize> = memchr::memmem::find_iter(&bytes, FILE).collect();
    for at in places {
        // A description is far smaller than this; the rest of the library is not looked at.
        let end = bytes.len().min(at + (4 << 20));
        let source = BytesSource::new("description", bytes[at..end].to_vec());
        if let Some(found) = described(&source) {
            return Ok(found);
        }
    }
    anyhow::bail!("no description of DebugOptions in {}", library.display())
}

/// The options in the description that begins here; behind it stands something else.
fn described(source: &BytesSource) -> Option<(BTreeSet<u32>, BTreeSet<u32>)> {
    let mut message = WireMessage::whole(source);
    while let Ok(Some(field)) = message.next() {
        if !FIELDS.contains(&field.number) {
            return None;
        }
        if let (4, Some(span)) = (field.number, field.span())
            && let Ok(Some(found)) = message_options(source, span)
        {
            return Some(found);
        }
    }
    None
}

/// The fields of a message description, if it is the one of the options.
#[allow(clippy::type_complexity, reason = "two sets")]
fn message_options(
    source: &BytesSource,
    span: ByteSpan,
) -> Result<Option<(BTreeSet<u32>, BTreeSet<u32>)>, ReadError> {
    let (mut known, mut optional) = (BTreeSet::new(), BTreeSet::new());
    let mut message = WireMessage::at(source, span);
    while let Some(field) = message.next()? {
        match (field.number, field.span()) {
            (1, Some(_)) if message.string(&field)? != "DebugOptions" => return Ok(None),
            (2, Some(span)) => {
                let mut field = WireMessage::at(source, span);
                let (mut number, mut says) = (None, false);
                while let Some(part) = field.next()? {
                    match part.number {
                        3 => number = part.varint().and_then(|number| u32::try_from(number).ok()),
                        17 => says = part.varint() == Some(1),
                        _ => {}
                    }
                }
                known.extend(number);
                optional.extend(number.filter(|_| says));
            }
            _ => {}
        }
    }
    Ok((!known.is_empty()).then_some((known, optional)))
}
