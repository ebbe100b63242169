//! `cargo lab jax-caches`: what is said about compilation caches, against what real JAX releases do with them.
//!
//! Every release compiles some functions with a cache (`lab/xla/probes/cache_ask.py`). Then each looks them up in a folder with
//! the entries of all, in its own with damaged entries, in its own under another path, and in its own with a limit of size.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Deserialize;
use unskew_compilation_cache::writers::{BROKEN_ENTRIES_STAY, JaxlibWriter, writer};
use unskew_compilation_cache::{
    Cache, CacheFile, CacheFileName, CacheItem, EntryStatus, folder, folder_party,
};
use unskew_core::{Version, check};
use unskew_jax_matrix::JaxHost;
use unskew_lab_harness::{Page, WritePage, today};

const PROBE: &str = "lab/xla/probes/cache_ask.py";
const TABLE: Page = Page("docs/reference/jax-compilation-caches.md");

/// Has JAX releases fill caches and look into those of each other, and holds what is said against what they do.
#[derive(Args)]
pub struct JaxCaches {
    /// A JAX release; all that have an environment and write such caches if none is named.
    #[arg(long = "release")]
    releases: Vec<String>,
    #[command(flatten)]
    write: WritePage,
}

/// What a JAX did with a key.
#[derive(Deserialize)]
struct Asked {
    key: String,
    what: String,
}

/// The first release with `jax_compilation_cache_max_size`.
const LIMITED_SINCE: Version = Version::triple(0, 4, 30);

/// What is done to an entry, and whether JAX still takes it.
type Change = (&'static str, fn(&[u8]) -> Vec<u8>, bool);

/// Ways in which an entry is damaged.
const CHANGES: [Change; 7] = [
    ("empty", |_| Vec::new(), false),
    ("first half", |bytes| bytes[..bytes.len() / 2].to_vec(), false),
    ("last byte cut", |bytes| bytes[..bytes.len() - 1].to_vec(), false),
    (
        "a byte changed",
        |bytes| {
            let mut bytes = bytes.to_vec();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0xff;
            bytes
        },
        false,
    ),
    ("a text", |_| b"no entry\n".to_vec(), false),
    // zlib with four bytes in it.
    ("only the time", |_| vec![0x78, 0x9c, 0x63, 0x60, 0x60, 0x60, 0, 0, 0, 4, 0, 1], false),
    ("bytes behind the end", |bytes| [bytes, b"more"].concat(), true),
];

/// How many statements of each kind were right.
#[derive(Default)]
struct Counts {
    taken: usize,
    stale: usize,
    open: usize,
    broken: usize,
    moved: usize,
    limited: usize,
    wrong: Vec<String>,
}

/// A JAX with the folder in which it works.
struct Bench<'b> {
    host: &'b JaxHost,
    writer: &'static JaxlibWriter,
    /// What its own entries are, by the names of the files.
    own: &'b Files,
    folder: &'b Path,
}

/// Files of a folder with their bytes.
type Files = BTreeMap<String, Vec<u8>>;

/// Fills caches, looks into them, and compares.
///
/// # Errors
/// If an environment is missing, a probe cannot be run, or a statement was wrong.
pub fn run(arguments: &JaxCaches) -> anyhow::Result<()> {
    let mut hosts: Vec<JaxHost> = JaxHost::chosen(&arguments.releases)?;
    hosts.retain(|host| writer(host.version).is_some());
    let scratch = tempfile::tempdir()?;
    // One path for all: it is among what older releases hash.
    let folder = scratch.path().canonicalize()?.join("cache");
    let mut made = Vec::new();
    for host in &hosts {
        lay(&folder, &Files::new())?;
        ask(host, &folder, None)?;
        let files = taken(&folder)?;
        ensure!(!files.is_empty(), "JAX {} wrote no entry", host.version);
        made.push(files);
    }
    let all: Files =
        made.iter().flatten().map(|(name, bytes)| (name.clone(), bytes.clone())).collect();
    let head = "| JAX | taken | stale | left open | broken | moved | with a limit | wrong |\n\
                | --- | --: | --: | --: | --: | --: | --: | --: |\n";
    let mut table = head.to_owned();
    print!("{head}");
    let (mut count, mut wrong) = (0, Vec::new());
    for (host, own) in hosts.iter().zip(&made) {
        let writer = writer(host.version).context("a release that is known")?;
        let bench = Bench { host, writer, own, folder: &folder };
        let mut tally = Counts::default();
        bench.among(&all, &mut tally)?;
        bench.damaged(&mut tally)?;
        bench.moved(&scratch.path().join("elsewhere"), &mut tally)?;
        bench.limited(&mut tally)?;
        let Counts { taken, stale, open, broken, moved, limited, wrong: mistakes } = tally;
        let row = format!(
            "| {} | {taken} | {stale} | {open} | {broken} | {moved} | {limited} | {} |",
            host.version,
            mistakes.len()
        );
        println!("{row}");
        let _ = writeln!(table, "{row}");
        count += taken + stale + open + broken + moved + limited + mistakes.len();
        wrong.extend(mistakes.into_iter().map(|what| format!("{}: {what}", host.version)));
    }
    wrong.iter().for_each(|what| println!("{what}"));
    TABLE.write(&page(&table, count), &arguments.write)?;
    ensure!(wrong.is_empty(), "{} statements were wrong", wrong.len());
    Ok(())
}

fn page(table: &str, count: usize) -> String {
    format!(
        "# Compilation caches of JAX releases\n\nMade by `cargo lab jax-caches --write`: each JAX fills a cache with some \
         programs, and each looks for its own in a folder with the entries of all, on the CPU. {count} statements about \
         entries were held against what it did:\n\n\
         * *taken*: said to be of this jaxlib, and found;\n\
         * *stale*: said to be of another jaxlib, and not asked for;\n\
         * *left open*: this jaxlib is among those that may have written it; it was of another, and not asked for;\n\
         * *broken*: changed in one of seven ways. JAX failed on it and left it as it was (0.4.28: wrote it anew), or took the one that was said to \
         be whole;\n\
         * *moved*: the cache lies at another path, and was said to be found there or not;\n\
         * *with a limit*: an access time is missing, and JAX was said to write new entries or not.\n\n{table}"
    )
}

impl Bench<'_> {
    fn cache(&self, path: &Path) -> anyhow::Result<Cache> {
        let path_said = path.display().to_string();
        folder(Some(path_said), &listed(path)?).with_context(|| path.display().to_string())
    }

    fn state(&self, cache: &Cache, item: &CacheItem) -> EntryStatus {
        item.state(self.host.version, self.writer, cache.folder.as_deref())
    }

    /// Looks for its own entries among those of all.
    fn among(&self, all: &Files, tally: &mut Counts) -> anyhow::Result<()> {
        lay(self.folder, all)?;
        let cache = self.cache(self.folder)?;
        let asked = ask(self.host, self.folder, None)?;
        for item in &cache.items {
            let state = self.state(&cache, item);
            let what = answer(&asked, item);
            match (state, what) {
                (EntryStatus::Candidate, Some("hit")) => tally.taken += 1,
                (EntryStatus::Stale, None) => tally.stale += 1,
                (EntryStatus::Candidate, None) if !self.own.contains_key(&item.file) => {
                    tally.open += 1
                }
                _ => tally.wrong.push(format!("{} is {state:?}, and JAX said {what:?}", item.file)),
            }
        }
        Ok(())
    }

    /// Looks for its own entries with something wrong in each.
    fn damaged(&self, tally: &mut Counts) -> anyhow::Result<()> {
        let mut changes = CHANGES.iter().peekable();
        while changes.peek().is_some() {
            let mut files = self.own.clone();
            let mut done = BTreeMap::new();
            for (name, bytes) in &mut files {
                if matches!(CacheFileName::parse(name), CacheFileName::Entry { .. })
                    && let Some((what, change, whole)) = changes.next()
                {
                    *bytes = change(bytes);
                    done.insert(name.clone(), (what, whole));
                }
            }
            lay(self.folder, &files)?;
            let cache = self.cache(self.folder)?;
            let asked = ask(self.host, self.folder, None)?;
            let after = taken(self.folder)?;
            for item in &cache.items {
                let Some((change, whole)) = done.get(&item.file) else { continue };
                let state = self.state(&cache, item);
                let what = answer(&asked, item);
                // An empty entry is no entry to some releases, and is not replaced either.
                let fits = match what {
                    Some("hit") => **whole && state == EntryStatus::Candidate,
                    Some("error" | "miss") => {
                        let stays = after.get(&item.file) == files.get(&item.file);
                        let expected = self.host.version >= BROKEN_ENTRIES_STAY;
                        state == EntryStatus::Broken && stays == expected
                    }
                    _ => false,
                };
                if fits {
                    tally.broken += 1;
                } else {
                    tally.wrong.push(format!("{change}: {state:?}, and JAX said {what:?}"));
                }
            }
        }
        Ok(())
    }

    /// Looks for its own entries in a folder of another name.
    fn moved(&self, elsewhere: &Path, tally: &mut Counts) -> anyhow::Result<()> {
        lay(elsewhere, self.own)?;
        let cache = self.cache(elsewhere)?;
        let asked = ask(self.host, elsewhere, None)?;
        for item in &cache.items {
            let state = self.state(&cache, item);
            match (state, answer(&asked, item)) {
                (EntryStatus::Moved, None) | (EntryStatus::Candidate, Some("hit")) => {
                    tally.moved += 1
                }
                (_, what) => tally.wrong.push(format!("moved: {state:?}, and JAX said {what:?}")),
            }
        }
        Ok(())
    }

    /// Has something to write, with a limit of size, where one entry has an access time and another has none.
    fn limited(&self, tally: &mut Counts) -> anyhow::Result<()> {
        if self.host.version < LIMITED_SINCE {
            return Ok(());
        }
        let mut files = self.own.clone();
        files.retain(|name, _| !matches!(CacheFileName::parse(name), CacheFileName::AccessTime(_)));
        let entries: Vec<String> = files.keys().cloned().collect();
        let [first, second, ..] = &entries[..] else { anyhow::bail!("too few entries") };
        files.remove(first);
        let key = second.trim_end_matches("-cache");
        files.insert(format!("{key}-atime"), 1_600_000_000_000_000_000_u64.to_le_bytes().to_vec());
        // One that nobody asks for: what is looked up gets an access time.
        if let Some(bytes) = files.get(second).cloned() {
            let suffix = &second[key.len()..];
            files.insert(format!("jit_other-{}{suffix}", "0".repeat(64)), bytes);
        }
        lay(self.folder, &files)?;
        let path = self.folder.display().to_string();
        let party =
            folder_party("cache", Some(path), &listed(self.folder)?, &[]).context("a cache")?;
        let release = unskew_releases::find(&format!("jax@{}", self.host.version))?;
        let verdict = check(&party, &release.party(), &today());
        let said = verdict.findings.iter().any(|finding| finding.rule.code == "JC004");
        let asked = ask(self.host, self.folder, Some(1 << 30))?;
        let fails = asked.iter().any(|asked| asked.what == "not written");
        if said == fails {
            tally.limited += 1;
        } else {
            tally.wrong.push(format!("with a limit: said to fail {said}, fails {fails}"));
        }
        Ok(())
    }
}

/// What JAX said of an entry, if it asked for it.
fn answer<'a>(asked: &'a [Asked], item: &CacheItem) -> Option<&'a str> {
    let asked =
        asked.iter().find(|asked| asked.key == item.key() && asked.what != "not written")?;
    Some(&asked.what)
}

fn listed(path: &Path) -> anyhow::Result<Vec<CacheFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            files.push(CacheFile::at(
                entry.file_name().to_string_lossy().into_owned(),
                &entry.path(),
            ));
        }
    }
    Ok(files)
}

/// Makes a folder of these files and nothing else.
fn lay(path: &Path, files: &Files) -> anyhow::Result<()> {
    if path.exists() {
        fs::remove_dir_all(path)?;
    }
    fs::create_dir_all(path)?;
    files.iter().try_for_each(|(name, bytes)| fs::write(path.join(name), bytes))?;
    Ok(())
}

/// The files of a folder with their bytes.
fn taken(path: &Path) -> anyhow::Result<Files> {
    let mut files = Files::new();
    for file in listed(path)? {
        files.insert(file.name.clone(), fs::read(path.join(&file.name))?);
    }
    Ok(files)
}

/// Has a release compile its functions with this cache.
fn ask(host: &JaxHost, folder: &Path, limit: Option<u64>) -> anyhow::Result<Vec<Asked>> {
    let mut command = host.peer.command();
    command.arg(unskew_peers::root().join(PROBE)).arg(folder);
    command.args(limit.map(|limit| limit.to_string()));
    let output = command.env("JAX_PLATFORMS", "cpu").env_remove("XLA_FLAGS").output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = said.lines().last().unwrap_or_default();
    ensure!(output.status.success(), "JAX {} did not get through: {last}", host.version);
    let text = String::from_utf8(output.stdout)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}
