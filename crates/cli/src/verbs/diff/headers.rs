//! C headers, a file or a folder of them on each side: one pair for every header that has findings.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use unskew_core::{Finding, Promise, PromiseState, Role, Side};
use unskew_lint::change::{Bump, Class, Comparison, Policy, compare};
use unskew_lint::contract::{Contract, Source, called_alike};
use unskew_report::{Pair, Subject};

use crate::args::{Diff, Global};

/// How deeply folders are walked, how many headers are taken, and how large one may be in bytes.
const DEPTH: usize = 16;
const HEADERS: usize = 10_000;
const SIZE: u64 = 64 << 20;

/// The headers of one side.
struct Headers {
    /// What the user named.
    path: PathBuf,
    folder: bool,
    /// Paths below the folder, or the name of the file, and texts.
    files: Vec<(String, Vec<u8>)>,
}

/// Whether a path names a header or a folder with headers.
fn names_headers(path: &Path) -> bool {
    let is_header = |path: &Path| {
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        matches!(ending, "h" | "hh" | "hpp" | "hxx" | "inc")
    };
    match path.is_dir() {
        true => walk(path).is_ok_and(|found| !found.is_empty()),
        false => is_header(path),
    }
}

/// The headers below a folder, in order. Symbolic links are not followed.
fn walk(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let (mut found, mut open) = (Vec::new(), vec![(folder.to_owned(), 0)]);
    while let Some((next, depth)) = open.pop() {
        let entries = std::fs::read_dir(&next).with_context(|| next.display().to_string())?;
        for entry in entries {
            let entry = entry.with_context(|| next.display().to_string())?;
            let kind = entry.file_type().with_context(|| next.display().to_string())?;
            if kind.is_dir() && depth < DEPTH {
                open.push((entry.path(), depth + 1));
            } else if kind.is_file() && names_headers(&entry.path()) {
                found.push(entry.path());
            }
            if found.len() > HEADERS {
                bail!("more than {HEADERS} headers below {}", folder.display());
            }
        }
    }
    found.sort();
    Ok(found)
}

impl Headers {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let folder = path.is_dir();
        let paths = if folder { walk(path)? } else { vec![path.to_owned()] };
        let mut files = Vec::with_capacity(paths.len());
        for file in paths {
            let at = || file.display().to_string();
            let size = std::fs::metadata(&file).with_context(at)?.len();
            if size > SIZE {
                bail!("{}: too large for a header: {size} bytes", file.display());
            }
            let below =
                if folder { file.strip_prefix(path).ok() } else { file.file_name().map(Path::new) };
            let name = below.unwrap_or(&file).to_string_lossy().replace('\\', "/");
            files.push((name, std::fs::read(&file).with_context(at)?));
        }
        Ok(Self { path: path.to_owned(), folder, files })
    }

    fn contract(&self, prelude: &str) -> Contract {
        let sources: Vec<Source<'_>> =
            self.files.iter().map(|(name, text)| Source { name, text }).collect();
        Contract::read(&sources, prelude)
    }

    /// One of the headers, or the whole side.
    fn subject(&self, file: Option<&str>, contract: &Contract) -> Subject {
        let path = match file.filter(|_| self.folder) {
            Some(file) => self.path.join(file),
            None => self.path.clone(),
        };
        let path = path.display().to_string();
        let lines = contract.lines.iter().filter(|line| file.is_none_or(|f| line.file() == f));
        let versions: Vec<String> = lines.map(|line| format!("{} {line}", line.name)).collect();
        let origin = match (file.is_none() && self.folder, versions.is_empty()) {
            (true, _) => format!("{} C headers", self.files.len()),
            (false, true) => "C header".to_owned(),
            (false, false) => format!("C header, {}", versions.join(", ")),
        };
        let side = Side { role: Role::Artifact, name: path.clone(), origin };
        Subject { path: Some(path), side }
    }
}

/// What changed between two headers or folders of headers; none if the two sides are something else.
///
/// # Errors
/// If only one side is headers, one cannot be read, or the policy is none.
pub fn pairs(args: &Diff, global: &Global) -> anyhow::Result<Option<Vec<Pair>>> {
    let paths = [Path::new(&args.old), Path::new(&args.new)];
    match paths.map(names_headers) {
        [true, true] => {}
        [false, false] if args.policy.is_none() => return Ok(None),
        [false, false] => bail!("--policy is for headers, and these are none"),
        [first, _] => {
            let [with, without] = if first { paths } else { [paths[1], paths[0]] };
            bail!(
                "two things of one kind can be compared: there are headers in {}, and none in {}",
                with.display(),
                without.display()
            );
        }
    }
    let (mut old, new) = (Headers::read(paths[0])?, Headers::read(paths[1])?);
    if old.folder && new.folder {
        let names: Vec<&str> = new.files.iter().map(|(name, _)| name.as_str()).collect();
        called_alike(old.files.iter_mut().map(|(name, _)| name), &names);
    }
    let policy = policy(args.policy.as_deref(), &new)?;
    let (was, is) = (old.contract(&policy.prelude), new.contract(&policy.prelude));
    let comparison = compare(&was, &is, policy, Some(global.context().as_of));
    Ok(Some(by_header(&old, &new, (&was, &is), policy, comparison)))
}

fn policy(name: Option<&str>, headers: &Headers) -> anyhow::Result<&'static Policy> {
    let found = match name {
        Some(name) => Policy::named(name),
        None => Policy::of(&headers.contract("")),
    };
    let names: Vec<&str> = Policy::built_in().iter().map(|policy| &*policy.name).collect();
    found.with_context(|| {
        format!("no such policy, there are {}: {}", names.join(" and "), name.unwrap_or_default())
    })
}

/// A pair for every header that has something to say; one for all if none has.
fn by_header(
    old: &Headers,
    new: &Headers,
    (was, is): (&Contract, &Contract),
    policy: &Policy,
    comparison: Comparison,
) -> Vec<Pair> {
    // Two files are one header, whatever each is called.
    let one = !new.folder && !old.folder;
    let key = |file: &str| if one { None } else { Some(file.to_owned()) };
    let mut found: BTreeMap<Option<String>, (Vec<Finding>, Vec<Promise>)> = BTreeMap::new();
    for change in comparison.changes {
        let file = key(change.file());
        found.entry(file).or_default().0.push(change.finding);
    }
    for bump in comparison.bumps.iter().filter(|bump| bump.required > Class::Patch) {
        found.entry(key(&bump.file)).or_default().1.push(promise(policy, bump));
    }
    if found.is_empty() {
        found.entry(None).or_default();
    }
    let pair = |(file, (findings, promises)): (Option<String>, (Vec<Finding>, Vec<Promise>))| {
        // A single file goes by its own name, which may differ on the two sides.
        let own = |side: &Headers| match &file {
            Some(file) => Some(file.clone()),
            None if one => side.files.first().map(|(name, _)| name.clone()),
            None => None,
        };
        let (a, b) = (old.subject(own(old).as_deref(), was), new.subject(own(new).as_deref(), is));
        let findings: Vec<Finding> =
            findings.into_iter().map(|finding| finding.about(b.side.clone())).collect();
        Pair { a, b, verdict: super::verdict(findings, promises) }
    };
    found.into_iter().map(pair).collect()
}

/// Whether the number was raised that the changes ask for.
fn promise(policy: &Policy, bump: &Bump) -> Promise {
    let kept = bump.made >= bump.required;
    let made = match (bump.made, bump.single) {
        (Class::Patch, _) => "its number was not raised".to_owned(),
        (_, true) => "its number was raised".to_owned(),
        (made, false) => format!("its {made} number was raised"),
    };
    let moved = match bump.before.as_str() {
        "" => format!("begins with {}", bump.after),
        before if before == bump.after => format!("stays at {}", bump.after),
        before => format!("went from {before} to {}", bump.after),
    };
    let required = match bump.required {
        Class::Major => "a change that breaks",
        _ => "a change that adds something",
    };
    Promise {
        policy: policy.title.clone(),
        state: if kept { PromiseState::Promised } else { PromiseState::NotPromised },
        window: None,
        from: None,
        until: None,
        statement: format!("{} {moved}: {required}, and {made}", bump.line),
        reference: policy.reference.clone(),
    }
}
