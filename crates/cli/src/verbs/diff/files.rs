//! Files on each side, of kinds that Unskew knows: one pair for every file that has findings.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use anyhow::bail;
use unskew_c_headers::change::ALLOWED;
use unskew_core::{Finding, Promise, Role, Severity, Side, Unjudged};
use unskew_kinds::{CompareOptions, FileChange, FileComparison, InterfaceKind};
use unskew_lint::{BaselineError, BaselinePlace, PackageSource, Snapshot, Sources};
use unskew_report::{CheckedPair, Subject};
use unskew_source::Files;

use crate::args::{Diff, Global, ReportFormat};
use crate::kinds;

/// What one side names, if it is files.
struct Named {
    text: String,
    /// The path of its files in a working tree.
    path: String,
    /// Whether they are in a working tree, and not in a revision, an archive or a package.
    here: bool,
    snapshot: Snapshot,
}

/// What changed between two sides that are files of one kind; none if both are something else.
///
/// # Errors
/// If only one side has files of a kind, or one cannot be read.
pub fn pairs(args: &Diff, global: &Global) -> anyhow::Result<Option<Vec<CheckedPair>>> {
    let texts = texts(args)?;
    let index = args.packages.index()?;
    let index = index.as_ref().map(|index| index as &dyn PackageSource);
    let sources = Sources::new(Path::new(""), index);
    let [old, new] = [named(&texts[0], &sources)?, named(&texts[1], &sources)?];
    let mut pairs = Vec::new();
    let mut alone = None;
    for kind in kinds::ALL.iter().copied() {
        let sides = [of_kind(kind, old.as_ref())?, of_kind(kind, new.as_ref())?];
        match (&old, &new) {
            (Some(old), Some(new)) if sides.iter().all(|files| !files.is_empty()) => {
                pairs.extend(compare(kind, [old, new], &sides, args, global)?);
            }
            _ if sides.iter().any(|files| !files.is_empty()) => {
                alone.get_or_insert((kind.title(), !sides[0].is_empty()));
            }
            _ => {}
        }
    }
    match (pairs.is_empty(), alone) {
        // What is not there at all is said by whoever looks for it next.
        (true, None) if args.policy.is_some() && !is_missing(&texts, [&old, &new]) => {
            bail!("--policy is for headers, and these are none")
        }
        (true, None) => Ok(None),
        (true, Some((what, first))) => {
            let [with, without] =
                if first { [&texts[0], &texts[1]] } else { [&texts[1], &texts[0]] };
            bail!(
                "two things of one kind can be compared: there are {what} in {with}, and none in {without}"
            )
        }
        (false, _) => Ok(Some(pairs)),
    }
}

/// Whether a side is neither files nor a release.
fn is_missing(texts: &[String; 2], sides: [&Option<Named>; 2]) -> bool {
    texts.iter().zip(sides).any(|(text, side)| side.is_none() && !text.contains('@'))
}

/// The two sides as they are written; `--git OLD..NEW PATH` is short for OLD:PATH and NEW:PATH.
fn texts(args: &Diff) -> anyhow::Result<[String; 2]> {
    let text = |side: &OsStr| side.to_string_lossy().into_owned();
    match (&args.git, &args.new) {
        (None, Some(new)) => Ok([text(&args.old), text(new)]),
        (Some(range), None) => {
            let Some((old, new)) = range.split_once("..") else {
                bail!("--git takes two revisions, OLD..NEW, or one, OLD.., for HEAD: {range}")
            };
            let path = text(&args.old);
            let path = path.trim_start_matches("./").trim_end_matches('/');
            let path = if path == "." { "" } else { path };
            let new = if new.is_empty() { "HEAD" } else { new };
            Ok([format!("git:{old}:{path}"), format!("git:{new}:{path}")])
        }
        (Some(_), Some(_)) => bail!("--git takes one path: unskew diff --git OLD..NEW PATH"),
        (None, None) => bail!("two sides are compared: unskew diff OLD NEW"),
    }
}

/// Opens what is named, if it can hold files. A name such as `torch@2.1` cannot.
fn named(text: &str, sources: &Sources<'_>) -> anyhow::Result<Option<Named>> {
    let place = match BaselinePlace::parse(text, Path::new("")) {
        Ok(place) => place,
        Err(BaselineError::Unknown(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let snapshot = place.open(sources)?;
    let path = place.inner().unwrap_or(text).to_owned();
    let here = place.is_here();
    Ok(Some(Named { text: text.to_owned(), path, here, snapshot }))
}

/// The files of one kind. What single files are is told by their first bytes as well, what files of a folder
/// are by their names.
fn of_kind(kind: &dyn InterfaceKind, side: Option<&Named>) -> anyhow::Result<Files> {
    let Some(side) = side else { return Ok(Files::default()) };
    let snapshot = &side.snapshot;
    if snapshot.single {
        let names: Vec<&str> = snapshot.names().collect();
        if names.iter().any(|name| kind.recognizes(name, &[])) {
            return Ok(snapshot.read(&names)?);
        }
        // Models have gigabytes; what is compared here is written by hand.
        if !snapshot.is_small() {
            return Ok(Files::default());
        }
        let files = snapshot.read(&names)?;
        let is = files.iter().all(|(name, bytes)| kind.recognizes(name, bytes));
        return Ok(if is { files } else { Files::default() });
    }
    let is = |name: &&str| kind.recognizes(name, &[]);
    if !snapshot.names().any(|name| is(&name)) {
        return Ok(Files::default());
    }
    let names = snapshot.names().filter(|name| is(name) || kind.accompanies(name));
    Ok(snapshot.read(&names.collect::<Vec<_>>())?)
}

fn compare(
    kind: &dyn InterfaceKind,
    [old, new]: [&Named; 2],
    [was, is]: &[Files; 2],
    args: &Diff,
    global: &Global,
) -> anyhow::Result<Vec<CheckedPair>> {
    let options = options(kind, args)?;
    let terms = CompareOptions {
        as_of: Some(global.context().as_of),
        options: Some(&options),
        policy: args.policy.as_deref(),
        ..CompareOptions::default()
    };
    let found = kind.compare(was, is, &terms).map_err(|error| match error.file.is_empty() {
        true => anyhow::Error::msg(error.why),
        false => error.into(),
    })?;
    Ok(by_file(kind, old, new, [was.len(), is.len()], found, args))
}

/// What is said about files of one kind only.
fn options(kind: &dyn InterfaceKind, args: &Diff) -> anyhow::Result<toml::Table> {
    let mut options = toml::Table::new();
    if args.define.is_empty() {
        return Ok(options);
    }
    if !kind.options().contains(&"define") {
        bail!("-D is for C headers, and not for {}", kind.title());
    }
    let given = args.define.iter().map(|text| toml::Value::from(text.as_str()));
    options.insert("define".to_owned(), toml::Value::Array(given.collect()));
    Ok(options)
}

/// The finding of a change, with its fingerprint in a format that has one.
fn finding(change: FileChange, args: &Diff) -> Finding {
    let mark = unskew_lint::fingerprint(&change);
    let FileChange { mut finding, .. } = change;
    if matches!(args.format, ReportFormat::Sarif) {
        finding.fingerprint = Some(mark);
    }
    // Who asks for a comparison is told of a break, whatever allows it.
    if finding.consequence == Some(ALLOWED) && !args.allow_major {
        finding.severity = Severity::Error;
    }
    finding
}

/// A pair for every file that has something to say; one for all if none has.
fn by_file(
    kind: &dyn InterfaceKind,
    old: &Named,
    new: &Named,
    counts: [usize; 2],
    found: FileComparison,
    args: &Diff,
) -> Vec<CheckedPair> {
    let mut unjudged: BTreeMap<Option<String>, Vec<Unjudged>> = BTreeMap::new();
    for (file, one) in found.unjudged {
        unjudged.entry(Some(file)).or_default().push(one);
    }
    let mut files: BTreeMap<Option<String>, (Vec<Finding>, Vec<Promise>)> = BTreeMap::new();
    for file in unjudged.keys() {
        files.entry(file.clone()).or_default();
    }
    for change in found.changes {
        let file = Some(change.file.clone());
        files.entry(file).or_default().0.push(finding(change, args));
    }
    for (file, promise) in found.promises {
        files.entry(Some(file)).or_default().1.push(promise);
    }
    if files.is_empty() {
        let only = new.snapshot.names().next().filter(|_| new.snapshot.single);
        files.entry(only.map(str::to_owned)).or_default();
    }
    let pair =
        |(file, (mut findings, promises)): (Option<String>, (Vec<Finding>, Vec<Promise>))| {
            let unjudged = unjudged.remove(&file).unwrap_or_default();
            let origins = file.as_ref().and_then(|file| found.origins.get(file)).cloned();
            let whole = |count: usize| format!("{count} {}", kind.title());
            let [was, is] = origins.unwrap_or_else(|| match &file {
                Some(_) => [kind.title(), kind.title()].map(str::to_owned),
                None => counts.map(whole),
            });
            let file = file.as_deref();
            let (a, b) = (old.subject(file, was, false), new.subject(file, is, true));
            findings.sort_by_cached_key(Finding::gravity);
            let findings =
                findings.into_iter().map(|finding| finding.about(b.side.clone())).collect();
            CheckedPair { a, b, verdict: super::verdict(findings, promises, unjudged) }
        };
    files.into_iter().map(pair).collect()
}

impl Named {
    /// One of the files, or the whole side.
    fn subject(&self, file: Option<&str>, origin: String, new: bool) -> Subject {
        let file = file.filter(|_| !self.snapshot.single);
        let below = |folder: &str| match file {
            // An archive or a package as a whole is no folder.
            Some(file) if !self.here && self.path == self.text => format!("{folder}!{file}"),
            Some(file) => Path::new(folder).join(file).display().to_string(),
            None => folder.to_owned(),
        };
        let origin = match self.snapshot.origin.as_str() {
            "" => origin,
            from => format!("{origin}, {from}"),
        };
        let name = below(&self.text);
        // Findings are about the new side: that one has a path, whatever revision it is of.
        let path = match (self.here, new) {
            (true, _) => Some(name.clone()),
            (false, true) => Some(below(&self.path)),
            (false, false) => None,
        };
        Subject { path, side: Side { role: Role::Artifact, name, origin } }
    }
}
