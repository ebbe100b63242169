//! Environments, and those that a lock describes: what breaks in them.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use unskew_core::{
    Context, Finding, Outcome, Padded, Party, Places, Role, Severity, Unjudged, Verdict, column,
};
use unskew_environments::{
    Environment, EnvironmentVerdict, GpuHost, Image, InstalledPackage, Labels, LockTarget,
    PackageLock, PackagePair, SitePackages, System, judge, rules,
};
use unskew_report::{
    BAD, CheckedPair, DIM, EMPHASIS, GOOD, Look, Plain, RenderFormat, Report, Subject, WARN,
};

use crate::fetch::Fetcher;
use crate::{Fetched, VerbError};

/// An environment that was judged.
#[derive(Debug)]
pub struct EnvironmentAnswer {
    /// The packages that were found, and what of them is broken.
    pub environment: Environment,
    /// The pairs compared in it.
    pub judged: EnvironmentVerdict,
    /// The same as a report, for every format.
    pub report: Report,
    /// What of a lock is not judged at all.
    unjudged: Vec<Unjudged>,
    /// The wheels that were read where they lie.
    pub fetched: Vec<Fetched>,
}

/// What an environment is to run on, beside its Python.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentHost {
    /// The C and C++ libraries of its system; none: those of an image, else they are not judged.
    pub system: Option<System>,
    /// Its GPUs and their driver; none: those of this machine, for an environment on it.
    pub gpus: Option<GpuHost>,
}

/// Judges the environment that `path` names: its folder, its `python`, a `site-packages` folder, or a container image (an OCI
/// layout as a folder or tar, what `docker save` writes). Nothing is run. Modules are held against `host`.
///
/// # Errors
/// If there is no environment, or the image cannot be read.
pub fn env(
    path: &Path,
    host: EnvironmentHost,
    context: Context,
) -> Result<EnvironmentAnswer, VerbError> {
    let question = |error: &dyn std::error::Error| VerbError::Question(error.to_string());
    let mut unjudged = Vec::new();
    // The image has the files until everything is judged.
    let image = match Image::is_image(path) {
        true => Some(Image::open(path).map_err(|error| question(&error))?),
        false => None,
    };
    let mut environment = match &image {
        Some(image) => image.environment().map_err(|error| question(&error))?,
        None => {
            let site = SitePackages::find(path).map_err(|error| question(&error))?;
            Environment::read(&site).map_err(|error| question(&error))?
        }
    };
    if environment.has_system {
        let reason = "packages of the system's Python, which this environment sees too";
        unjudged.push(Unjudged::new(unskew_core::aspect::CONTENTS, reason));
    }
    let others: Vec<String> = image.iter().flat_map(Image::others).collect();
    if !others.is_empty() {
        let reason = "other folders of the image with packages";
        let others = others.iter().collect();
        unjudged.push(Unjudged::new(unskew_core::aspect::CONTENTS, reason).at(others));
    }
    unjudged.extend(environment.not_read.iter().cloned());
    environment.system = host.system.or(environment.system);
    environment.gpus = host.gpus.or_else(|| image.is_none().then(GpuHost::here));
    Ok(answer(environment, unjudged, None, context))
}

/// What a wheel would have to declare, computed from its shared objects: labels of the drafts PEP 825 and PEP 850,
/// requirements, its platform tag.
///
/// # Errors
/// If it is no wheel.
pub fn labels(path: &Path) -> Result<(InstalledPackage, Labels), VerbError> {
    let question = |error: unskew_source::ReadError| VerbError::Question(error.to_string());
    let source = unskew_source::FileSource::open(path).map_err(question)?;
    let package = InstalledPackage::of_wheel(Arc::new(source)).map_err(question)?;
    let labels = unskew_environments::labels(&package);
    Ok((package, labels))
}

/// Judges what a lock would install on the target. Wheels of which nothing is known are read where they lie if `index` is
/// given: by the URLs and paths of the lock, else from the index that it names, else from this one.
///
/// # Errors
/// If it is no lock that is known.
pub fn lock(
    path: &Path,
    target: LockTarget,
    index: Option<&str>,
    host: EnvironmentHost,
    context: Context,
) -> Result<EnvironmentAnswer, VerbError> {
    let lock = PackageLock::read(path).map_err(|error| VerbError::Question(error.to_string()))?;
    let fetcher = index.map(Fetcher::new);
    let fetch = fetcher.as_ref().map(|fetcher| fetcher as &dyn unskew_environments::Fetch);
    let (mut environment, unjudged) = lock.environment(target, fetch);
    (environment.system, environment.gpus) = (host.system, host.gpus);
    let mut answer = answer(environment, unjudged, Some(lock.path.as_str()), context);
    answer.fetched = fetcher.map(|fetcher| fetcher.fetched()).unwrap_or_default();
    Ok(answer)
}

fn answer(
    environment: Environment,
    mut unjudged: Vec<Unjudged>,
    path: Option<&str>,
    context: Context,
) -> EnvironmentAnswer {
    let judged = judge(&environment, &context);
    unjudged.extend(judged.unjudged.iter().cloned());
    let mut report = Report::new(context);
    for pair in &judged.pairs {
        let mut verdict = pair.verdict.clone();
        let line = |name: &str| {
            let package = environment.packages.iter().find(|one| one.label() == name)?;
            let file = path?.rsplit(['/', '\\']).next()?;
            Some(format!("{file}:{}", package.line?))
        };
        if let Some(line) = line(&pair.one.name) {
            for finding in &mut verdict.findings {
                let mut places = Places::from_iter([&line]);
                places.extend(&finding.places);
                finding.places = places;
            }
        }
        let a = match path {
            Some(path) => Subject::at(path, &pair.one),
            None => Subject::from_party(&pair.one),
        };
        report.pairs.push(CheckedPair { a, b: Subject::from_party(&pair.other), verdict });
    }
    for party in &judged.alone {
        report.looks.push(Look { path: party.name.clone(), party: Arc::new(party.clone()) });
    }
    let mut whole = Party::new(&*environment.name, Role::Artifact, "Python environment");
    whole.unjudged.extend(unjudged.iter().cloned());
    if let Some(note) = pins(&judged) {
        whole = whole.note(note);
    }
    report.looks.push(Look { path: environment.name.clone(), party: Arc::new(whole) });
    EnvironmentAnswer { environment, judged, report, unjudged, fetched: Vec::new() }
}

/// The change that makes everything fit, as a note.
fn pins(judged: &EnvironmentVerdict) -> Option<Finding> {
    let change = judged.change.as_ref().filter(|change| change.open.is_empty())?;
    let pins: Vec<&str> = change.pins.iter().map(|pin| pin.requirement.as_str()).collect();
    let (command, pins) = (change.command(), pins.join(", "));
    let note = rules::PinsThatFit { command: &command, pins: &pins };
    Some(note.finding())
}

impl EnvironmentAnswer {
    /// The answer as text: a table, the reasons and the change for people, the report for programs.
    pub fn render(&self, format: RenderFormat) -> String {
        if format != RenderFormat::Full {
            return self.report.render(format);
        }
        let mut out = String::new();
        // Writing into a String cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let Self { environment, judged, report, unjudged, fetched } = self;
        let python =
            environment.python.map(|python| format!(", Python {python}")).unwrap_or_default();
        let counted = |count: usize, noun: &str| match count {
            1 => format!("1 {noun}"),
            count => format!("{count} {noun}s"),
        };
        let count = counted(environment.packages.len(), "package");
        let pairs = counted(judged.pairs.len(), "pair");
        let name = Plain(&environment.name);
        writeln!(out, "{EMPHASIS}{name}{EMPHASIS:#}{python}: {count}, {pairs} compared\n")?;
        let width = |of: fn(&PackagePair) -> &Party| {
            column(judged.pairs.iter().map(|pair| of(pair).name.len()))
        };
        let (one, other) = (width(|pair| &pair.one), width(|pair| &pair.other));
        for pair in &judged.pairs {
            let a = Padded(Plain(&pair.one.name), one);
            let b = Padded(Plain(&pair.other.name), other);
            let rules: Vec<&str> = pair.verdict.findings.iter().map(|f| f.rule.code).collect();
            let mut rules = rules;
            rules.dedup();
            let (style, word) = match &pair.verdict.outcome {
                Outcome::Incompatible => (BAD, "fails"),
                Outcome::Adaptable(_) => (BAD, "fails as it is"),
                _ if !rules.is_empty() => (WARN, "works, with a warning"),
                Outcome::Compatible => (GOOD, "works"),
                _ => (GOOD, "works as far as judged"),
            };
            writeln!(out, "  {a}  {b}  {style}{word}{style:#} {}", rules.join(", "))?;
        }
        let mut reasons = Report::new(report.context);
        // What is not judged and a command can tell is a reason to be shown, too.
        let is_shown = |pair: &&CheckedPair| {
            let Verdict { findings, unjudged, .. } = &pair.verdict;
            !findings.is_empty() || unjudged.iter().any(|one| one.remedy.is_some())
        };
        reasons.pairs.extend(report.pairs.iter().filter(is_shown).cloned());
        if !reasons.pairs.is_empty() {
            writeln!(out)?;
            out.push_str(&reasons.render(RenderFormat::Full));
        }
        for finding in judged.alone.iter().flat_map(|party| &party.notes) {
            writeln!(
                out,
                "\n{WARN}{}{WARN:#} {}: {}",
                finding.severity,
                finding.rule.code,
                Plain(&finding.message)
            )?;
        }
        for one in unjudged {
            let places =
                if one.places.is_empty() { String::new() } else { format!(": {}", one.places) };
            writeln!(out, "\n{DIM}not judged{DIM:#}  {}{}", Plain(&one.reason), Plain(&places))?;
            if let Some(remedy) = &one.remedy {
                writeln!(out, "            to judge  {}", Plain(remedy))?;
            }
        }
        if !fetched.is_empty() {
            writeln!(out)?;
        }
        for Fetched { location, bytes, size } in fetched {
            let (location, kib) = (Plain(location), bytes.div_ceil(1024));
            let size = size.div_ceil(1024);
            writeln!(out, "{DIM}fetched{DIM:#}  {kib} KiB of {size} KiB: {location}")?;
        }
        let changes = [("fix", &judged.change), ("or ", &judged.other_change)];
        for (word, change) in
            changes.into_iter().filter_map(|(word, one)| Some((word, one.as_ref()?)))
        {
            writeln!(out, "\n{EMPHASIS}{word}{EMPHASIS:#}  {}", Plain(&change.command()))?;
            for pin in &change.pins {
                let text = format!("{} instead of {}: {}", pin.requirement, pin.from, pin.reason);
                writeln!(out, "       {}", Plain(&text))?;
            }
            for open in &change.open {
                writeln!(out, "       no release is known that fits: {}", Plain(open))?;
            }
        }
        for refused in &judged.refused {
            writeln!(out, "\n{EMPHASIS}no fix{EMPHASIS:#}  {}", Plain(refused))?;
        }
        let broken = judged.pairs.iter().filter(|pair| pair.is_broken()).count();
        let fails = |party: &&Party| party.notes.iter().any(|one| one.severity == Severity::Error);
        match judged.alone.iter().filter(fails).count() {
            0 => {}
            1 => writeln!(out, "\n{BAD}1 package fails by itself{BAD:#}")?,
            many => writeln!(out, "\n{BAD}{many} packages fail by themselves{BAD:#}")?,
        }
        match broken {
            0 if judged.alone.iter().any(|party| fails(&party)) => Ok(()),
            // Silence is no promise.
            0 if environment.is_lock && judged.pairs.is_empty() && judged.compared == 0 => {
                writeln!(
                    out,
                    "\n{WARN}nothing was judged{WARN:#}: no pair of these packages has facts that meet"
                )
            }
            0 if environment.is_lock => {
                let (pairs, compared) = (judged.pairs.len(), judged.compared);
                writeln!(
                    out,
                    "\nno pair fails of what was judged: pairs {pairs}, declared requirements {compared}"
                )
            }
            0 => writeln!(out, "\nno pair fails"),
            1 => writeln!(out, "\n{BAD}1 pair fails{BAD:#}"),
            many => writeln!(out, "\n{BAD}{many} pairs fail{BAD:#}"),
        }
    }
}
