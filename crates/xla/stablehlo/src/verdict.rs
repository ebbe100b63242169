//! Verdict of a reader and an artifact, and what is promised about the pair.
//!
//! Readers do not look at the version in the header. They refuse the first attribute, type or
//! operation that they do not know, so a verdict is about those.

use unskew_core::{
    Axis, Context, Date, Finding, Judgement, Matcher, Party, Places, Promise, PromiseState, Role,
    Severity, Unjudged, Version, VersionRange, aspect,
};

use crate::artifact::PortableArtifact;
use crate::features::{self, Feature, FeatureKind, KNOWN};
use crate::party::ReadsOnly;
use crate::requirements::{Compiler, CpuBackend, Program};
use crate::{AXIS, beside, history, rules};

/// The version from which on today's windows are promised.
const PROMISING: Version = Version::triple(1, 0, 0);

/// Custom calls that XLA's compiler itself takes away, for which no handler is needed. Others are taken away by some
/// builds of it (`annotate_device_placement`), or by JAX.
const OF_THE_COMPILER: [&str; 12] = [
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "LayoutConstraint",
    "CreateBuffer",
    "Pin",
    "Unpin",
    "stablehlo.dynamic_top_k",
    "mhlo.erf",
    "mhlo.topk",
    "xla.sdy.FuncResultSharding",
    "shape_assertion",
];

/// Whether XLA's compiler itself takes a call away.
pub(crate) fn is_of_the_compiler(target: &str) -> bool {
    OF_THE_COMPILER.contains(&target)
}

/// The first version of which not everything is known.
const NEXT: Version = Version::triple(KNOWN.major(), KNOWN.minor() + 1, 0);

/// The artifact's requirement: a reader that accepts it.
pub(crate) struct ArtifactRequirement {
    pub(crate) artifact: PortableArtifact,
    pub(crate) program: Program,
}

impl Matcher for ArtifactRequirement {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if other.role == Role::Artifact {
            return None;
        }
        let versions = other.provision(&Axis::from(AXIS))?.versions;
        let artifact = &self.artifact;
        let mut findings = artifact.judge(&other.name, versions);
        let readable = findings.iter().all(|finding| finding.severity != Severity::Error);
        let promise = artifact.promise(other, versions, readable);
        if let Some(promise) = promise.as_ref().filter(|_| readable) {
            findings.extend(artifact.outside(other, versions, promise));
        }
        let asked = match other.capability::<Compiler>().filter(|_| readable) {
            Some(compiler) => self.program.judge(&other.name, compiler, artifact),
            None => None,
        };
        let backend = other.capability::<CpuBackend>().filter(|_| readable);
        let on_cpu = backend.map(|backend| self.program.on_cpu(&other.name, *backend, artifact));
        let mut unjudged = match (&asked, readable) {
            (_, false) => Vec::new(),
            (Some(_), _) => artifact.unknown(),
            (None, _) => artifact.unjudged(other),
        };
        if on_cpu.is_some() {
            unjudged.retain(|one| one.aspect != aspect::CUSTOM_CALLS);
        }
        let mut judgement =
            Judgement { unjudged, findings, promises: promise.into_iter().collect() };
        for asked in asked.into_iter().chain(on_cpu) {
            judgement.findings.extend(asked.findings);
            judgement.unjudged.extend(asked.unjudged);
        }
        Some(judgement)
    }
}

impl PortableArtifact {
    /// Why the reader of this name, which reads `versions`, refuses this artifact, or what else is
    /// to be said about the pair; empty if it is read and nothing is.
    pub fn judge(&self, reader: &str, versions: VersionRange) -> Vec<Finding> {
        if let Some(min) = versions.min.filter(|min| self.version < *min) {
            let rule =
                rules::OlderThanTheReader { reader: &reader, min: &min, version: &self.version };
            return vec![rule.finding()];
        }
        let Some(max) = versions.max else { return Vec::new() };
        let missing: Vec<&Feature> =
            self.features.iter().filter(|feature| self.is_missing(feature, max)).collect();
        if let Some(first) = missing.first() {
            return vec![self.refused(reader, max, &missing).with_symptom(symptom(first, max))];
        }
        if history::minor(self.version) <= max {
            return Vec::new();
        }
        vec![self.written_for_newer(reader, max)]
    }

    /// The targets of custom calls that need a handler: all but those that XLA's compiler takes away.
    pub fn foreign_calls(&self) -> impl Iterator<Item = &str> {
        let names = self.targets.iter().map(|name| &**name);
        names.filter(|name| !OF_THE_COMPILER.contains(name))
    }

    /// What is not known of this reader and this artifact, though the reader takes all of VHLO that it uses.
    pub(crate) fn unjudged(&self, reader: &Party) -> Vec<Unjudged> {
        let mut all = Vec::new();
        let newest = reader.provision(&Axis::from(AXIS)).and_then(|it| it.versions.max);
        // A plug-in has what it was built with; JAX has the same dialects for all.
        let reads_only = reader.capability::<ReadsOnly>().is_some();
        let newest = newest.filter(|_| reader.role == Role::Host && !reads_only);
        let known = |name: &&str| {
            let dialect = self.bytecode.dialects.iter().find(|dialect| dialect.name == *name);
            newest.is_some_and(|newest| dialect.is_some_and(|it| beside::is_read(it, newest)))
        };
        let others: Places =
            self.other_dialects().into_iter().filter(|name| !known(name)).collect();
        if !others.is_empty() {
            let why = "nothing tells whether the reader has these dialects, and in this form";
            all.push(Unjudged::new(aspect::CONTENTS, why).at(others));
        }
        let calls: Places = self.foreign_calls().collect();
        if !calls.is_empty() {
            let what = match reader.role {
                Role::Plugin => "the plug-in",
                Role::Host if !reads_only => "the backend of this JAX",
                _ => "the reader",
            };
            let why = format!("nothing tells whether {what} has a handler for these custom calls");
            all.push(Unjudged::new(aspect::CUSTOM_CALLS, why).at(calls));
        }
        if reads_only {
            let name = &reader.name;
            let why =
                format!("what {name} makes of the operations: only whether it reads them is known");
            all.push(Unjudged::new(aspect::KERNELS, why));
        }
        all.extend(self.unknown());
        all
    }

    /// What of this artifact is not known here, whoever reads it.
    fn unknown(&self) -> Vec<Unjudged> {
        let mut all = Vec::new();
        let later: Places =
            self.features.iter().filter(|feature| feature.since.is_none()).collect();
        if !later.is_empty() {
            let why = format!("what came after StableHLO {KNOWN} is not known here");
            all.push(Unjudged::new(aspect::CONTENTS, why).at(later));
        }
        if let Some(error) = &self.unread {
            let why = format!("the operations could not be read one by one: {error}");
            all.push(Unjudged::new(aspect::CONTENTS, why));
        }
        all
    }

    /// Whether a reader up to `max` does not know `feature`. What came after the newest known
    /// version is surely missing only below it.
    fn is_missing(&self, feature: &Feature, max: Version) -> bool {
        match feature.since {
            Some(since) => since > max,
            None => history::minor(self.version) > max && max < NEXT,
        }
    }

    fn refused(&self, reader: &str, max: Version, missing: &[&Feature]) -> Finding {
        let places: Places = missing.iter().collect();
        let known = missing.iter().map(|feature| feature.since);
        let since = known.max_by_key(|since| since.unwrap_or(self.version)).flatten();
        let since = since.unwrap_or(self.version);
        let rule = rules::NewerThanTheReader {
            reader: &reader,
            max: &max,
            version: &self.version,
            since: &since,
            used: &places,
        };
        let finding = rule.finding().at(places.clone());
        let stuck = self.features.iter().filter(|feature| !feature.has_older_form());
        let stuck = stuck.filter(|feature| self.is_missing(feature, max));
        let Some(newest) = stuck.max_by_key(|feature| feature.since.unwrap_or(self.version)) else {
            return finding;
        };
        let first = newest.since.unwrap_or(self.version);
        let reader = format!("Use a reader with StableHLO {since} or later");
        finding.with_fix(match first < since {
            true => format!(
                "{reader}. An export for {first} needs a reader with {first} or later; nothing before has {newest}."
            ),
            false => format!("{reader}; nothing before has {newest}."),
        })
    }

    /// Certain only if all that is used is known.
    fn written_for_newer(&self, reader: &str, max: Version) -> Finding {
        let since = self.needs().unwrap_or(max);
        let rule = rules::WrittenForANewerReader {
            reader: &reader,
            max: &max,
            version: &self.version,
            since: &since,
        };
        let unknown: Places = self.features.iter().filter(|f| f.since.is_none()).collect();
        if unknown.is_empty() {
            return rule.finding();
        }
        rule.finding().with_severity(Severity::Warning).at(unknown)
    }

    /// What is promised about this artifact and a reader of `versions`.
    fn promise(&self, reader: &Party, versions: VersionRange, readable: bool) -> Option<Promise> {
        let policy = history::policy()?;
        let max = versions.max?;
        let days = history::landed(self.version).zip(released(reader, max));
        let forward = self.version > max;
        let window = if forward { &policy.forward } else { &policy.backward }.clone()?;
        let pair = format!("artifact for {}, {} with {max}", self.version, reader.name);
        let (mut from, mut until) = (None, None);
        let (state, what) = match days {
            _ if max < PROMISING => {
                (PromiseState::NotPromised, "readers before 1.0.0 promised some months".to_owned())
            }
            None => (PromiseState::Unknown, "the day of one of them is not known".to_owned()),
            Some(_) if forward && !readable => {
                (PromiseState::NotPromised, "what is newer than the reader is excepted".to_owned())
            }
            Some((written, read)) => {
                let inside = if forward {
                    from = window.start(written, &[]).ok();
                    from.is_some_and(|from| read >= from)
                } else {
                    until = window.end(written, &[]).ok().flatten();
                    until.is_some_and(|until| read <= until)
                };
                let side = if forward { "older" } else { "newer" };
                let (state, than) = if inside {
                    (PromiseState::Promised, "at most")
                } else {
                    (PromiseState::Expired, "more than")
                };
                (state, format!("the reader is {than} {window} {side}"))
            }
        };
        Some(Promise {
            policy: policy.name.clone(),
            state,
            window: Some(window.to_string()),
            from,
            until,
            statement: format!("{pair}: {what}"),
            reference: policy.reference.clone(),
        })
    }

    /// A warning about a pair that is further apart than promised, and works.
    fn outside(
        &self,
        reader: &Party,
        versions: VersionRange,
        promise: &Promise,
    ) -> Option<Finding> {
        if promise.state != PromiseState::Expired {
            return None;
        }
        let rule = rules::OutsideTheWindow {
            reader: &reader.name,
            window: &promise.window.as_deref().unwrap_or_default(),
            version: &self.version,
            landed: &history::landed(self.version)?,
            released: &released(reader, versions.max?)?,
        };
        Some(rule.finding())
    }
}

/// The day of a reader: its own, or that of its version.
fn released(reader: &Party, max: Version) -> Option<Date> {
    reader.dated.or_else(|| history::landed(max))
}

/// The version from which on jaxlib knows the dialect of shardings by name, though not in bytecode.
const BYTECODE_OF_DIALECTS: Version = Version::triple(1, 5, 0);

/// What the reader says, as it was measured.
fn symptom(feature: &Feature, max: Version) -> String {
    let name = &feature.name;
    let first = match feature.kind {
        FeatureKind::Dialect if max < BYTECODE_OF_DIALECTS => {
            format!("dialect '{name}' is unknown")
        }
        FeatureKind::Dialect => {
            format!("dialect '{name}' does not implement the bytecode interface")
        }
        FeatureKind::Constraint => return "Failed to deserialize StableHLO".to_owned(),
        FeatureKind::Builtin if feature.since == Some(features::MIXED) => {
            return "failed to legalize operation 'vhlo.func_v1' that was explicitly marked illegal".to_owned();
        }
        FeatureKind::Builtin => format!("unknown attribute code: {name}"),
        FeatureKind::Attribute => format!("unknown vhlo attribute code: {name}"),
        FeatureKind::Type => format!("unknown vhlo type code: {name}"),
        FeatureKind::Operation => format!(
            "unregistered operation 'vhlo.{name}' found in dialect ('vhlo') that does not allow \
             unknown operations"
        ),
    };
    format!("{first}; failed to deserialize portable artifact using StableHLO_v{max}")
}
