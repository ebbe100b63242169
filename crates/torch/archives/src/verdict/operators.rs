//! The operators of a file in the table of a release.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{Finding, Judgement, Phase, Places, Severity, Version};
use unskew_extensions::wheels;
use unskew_torch_schemas::OperatorTable;

use super::pair::FileAndRelease;
use crate::bytecode::{COUNTED, UNSAID};
use crate::history::{self, Upgrader};
use crate::model::{GivenArguments, UseLocations};
use crate::{OperatorUse, rules};

/// The operator that ends a run with an exception: what has come to it was to fail anyway.
const RAISE: &str = "prim::RaiseException";

/// How words of a misfit begin, if a call names an argument that no overload has.
const UNKNOWN_KEYWORD: &str = "no argument ";

/// What is wrong with a use. In the order in which they are told apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UseFault {
    /// No operator of this name.
    Missing,
    /// The name belongs to a library.
    Library,
    /// The operator is there, the overload is not.
    Overload,
    /// No overload takes the call; says why.
    Misfit(String),
    /// A class is wanted where the file has a tensor.
    Class(String),
    /// The operator is there and refuses every call, since this release.
    Refusing(Version),
    /// The upgrader takes more than is pushed: given and taken.
    Upgrader(u64, usize),
    /// The operator takes more than the file pushes, which does not say how many it pushes.
    Grew(usize, usize),
    /// The upgrader takes care of it: nothing is wrong.
    Upgraded(i64),
}

/// One finding for each operator and fault, with its places.
pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    let mut faults: BTreeMap<(UseFault, String), Places> = BTreeMap::new();
    // What runs whenever the model does.
    let mut certain = BTreeSet::new();
    for (one, UseLocations { places, only_in_branches }) in &pair.model.uses {
        let Some(fault) = fault(pair, one) else { continue };
        let named = matches!(fault, UseFault::Missing | UseFault::Library);
        let operator = if named { one.name.clone() } else { one.full_name() };
        if !only_in_branches && one.name != RAISE {
            certain.insert((fault.clone(), operator.clone()));
        }
        let kept = faults.entry((fault, operator)).or_default();
        let branch = if *only_in_branches { " (in a branch)" } else { "" };
        add_all(kept, places, branch);
    }
    let worded = faults.into_iter().map(|(key, at)| {
        let finding = word(pair, &key.0, &key.1).at(at);
        match key.0 {
            UseFault::Grew(..) if !certain.contains(&key) => {
                finding.with_severity(Severity::Warning)
            }
            _ => finding,
        }
    });
    worded.collect::<Vec<_>>().into()
}

/// Whether a mobile interpreter of 1.4 to 1.6 has the overload in its own registry, where `prim::x`
/// stands as `_prim::x`. Its bytecode has version 3.
fn in_early_mobile_registry(pair: &FileAndRelease<'_>, name: &str, overload: &str) -> bool {
    let bytecode = pair.model.bytecode.as_ref().map(|stamp| stamp.version.major());
    bytecode == Some(3)
        && pair.runtime.operators.find(&format!("_{name}"), |definition| {
            (definition.overload() == overload).then_some(())
        }) == Some(())
}

fn fault(pair: &FileAndRelease<'_>, one: &OperatorUse) -> Option<UseFault> {
    if matches!(one.given, GivenArguments::Shape(_)) {
        return None;
    }
    let table = &pair.runtime.operators;
    if let GivenArguments::Overload(overload, _) = &one.given
        && in_early_mobile_registry(pair, &one.name, overload)
    {
        return None;
    }
    // Under its full name an overload is found without reading the others, and says that the operator is there.
    let named = match &one.given {
        GivenArguments::Named(overload, shape) => table.find(&one.full_name(), |definition| {
            (definition.overload() == overload)
                .then(|| Some(definition.schema()?.accepts(shape)))?
        }),
        _ => None,
    };
    if named.is_none() && !table.knows(&one.name) {
        return Some(missing(table, &one.name));
    }
    if let Some(since) = history::refusing_since(&one.name)
        && pair.runtime.minor() >= since
    {
        return Some(UseFault::Refusing(since));
    }
    match &one.given {
        // Code is judged by its types.
        GivenArguments::Shape(_) => None,
        GivenArguments::Overload(overload, given) => by_overload(pair, one, overload, *given),
        GivenArguments::Named(..) => match named {
            None => Some(UseFault::Overload),
            Some(Err(misfit)) => Some(UseFault::Misfit(misfit.to_string())),
            Some(Ok(())) => None,
        },
    }
}

pub(super) fn missing(table: &OperatorTable, name: &str) -> UseFault {
    let namespace = name.split("::").next().unwrap_or(name);
    if table.history().has_namespace(namespace) { UseFault::Missing } else { UseFault::Library }
}

/// The upgraders that the release applies to this file's uses of `name`.
pub(super) fn upgraders<'p>(
    pair: &'p FileAndRelease<'_>,
    name: &'p str,
) -> impl Iterator<Item = &'static Upgrader> + 'p {
    let version = pair.model.operator_version();
    let newest = pair.runtime.release.file_format.max.map_or(0, |max| max.major());
    let mobile = pair.model.format.is_mobile();
    let too_old = mobile && pair.runtime.minor() < history::mobile_upgraders_since();
    // The registry is read only if one of its versions lies between the two.
    let older = version.is_some_and(|version| version < newest);
    let all = older.then(|| history::upgraders_of(name)).into_iter().flatten();
    all.filter(move |upgrader| {
        version.is_some_and(|version| version < upgrader.bumped_at)
            && upgrader.bumped_at <= newest
            && (upgrader.mobile || !mobile)
            && !too_old
            && upgrader.gone_in.is_none_or(|gone| pair.runtime.minor() < gone)
    })
}

fn by_overload(
    pair: &FileAndRelease<'_>,
    one: &OperatorUse,
    overload: &str,
    given: Option<u64>,
) -> Option<UseFault> {
    let upgrader = upgraders(pair, &one.name).find(|u| u.schema.overload == overload);
    if let Some(upgrader) = upgrader {
        let taken = upgrader.schema.arguments.len();
        return Some(match given {
            Some(given) if given < taken as u64 => UseFault::Upgrader(given, taken),
            _ => UseFault::Upgraded(upgrader.bumped_at),
        });
    }
    let found = pair.runtime.operators.find(&one.name, |definition| {
        let schema = definition.schema().filter(|_| definition.overload() == overload)?;
        Some((schema.arguments.len(), schema.variadic))
    });
    match (found, given) {
        (None, _) => Some(UseFault::Overload),
        (Some((takes, false)), Some(given)) if given > takes as u64 => {
            Some(UseFault::Misfit(format!("{given} values, takes {takes}")))
        }
        (Some((takes, false)), None) => {
            let pushed = pushed(pair, one, overload)?;
            match pushed.cmp(&takes) {
                Ordering::Less => Some(UseFault::Grew(pushed, takes)),
                Ordering::Equal => None,
                Ordering::Greater => wrote_its_bytecode(pair)
                    .then(|| UseFault::Misfit(format!("{pushed} values, takes {takes}"))),
            }
        }
        _ => None,
    }
}

/// Whether who wrote the file writes such bytecode: what was converted pushes what its target takes.
fn wrote_its_bytecode(pair: &FileAndRelease<'_>) -> bool {
    let Some(bytecode) = &pair.model.bytecode else { return false };
    let mut writers = pair.runtime.calendar.releases().iter().filter(|release| {
        pair.producer.since.is_none_or(|since| release.minor() >= since)
            && pair.producer.until.is_none_or(|until| release.minor() <= until)
    });
    pair.model.before.is_none()
        && writers.any(|release| release.bytecode_produces == Some(bytecode.version.major()))
}

/// How many values bytecode of version 3 to 5 pushes for an overload: as many as it has in every
/// release that can have written the file.
fn pushed(pair: &FileAndRelease<'_>, one: &OperatorUse, overload: &str) -> Option<usize> {
    let bytecode = pair.model.bytecode.as_ref()?.version.major();
    if !(UNSAID..COUNTED).contains(&bytecode) {
        return None;
    }
    let history = pair.runtime.operators.history();
    let minor = |version: &Version| Version::pair(version.major(), version.minor());
    let wrote = |version: &&Version| {
        pair.producer.since.is_none_or(|since| minor(version) >= since)
            && pair.producer.until.is_none_or(|until| minor(version) <= until)
    };
    let writers: Vec<Version> = history.releases().iter().filter(wrote).copied().collect();
    let definitions = history.named(&one.name);
    let mut counts = definitions
        .iter()
        .filter(|d| d.overload() == overload)
        .filter(|d| writers.iter().any(|writer| d.runs.contains(*writer)))
        .filter_map(|d| Some(d.schema()?.arguments.len()));
    let first = counts.next()?;
    counts.all(|count| count == first).then_some(first)
}

pub(super) fn word(pair: &FileAndRelease<'_>, fault: &UseFault, operator: &str) -> Finding {
    let finding = by_rule(pair, fault, operator);
    let listed = matches!(fault, UseFault::Missing | UseFault::Overload | UseFault::Misfit(_));
    if !listed || pair.runtime.device.is_none() {
        return finding;
    }
    // A release that has the operator is no help to a device that was built without it.
    let list =
        format!("Build the runtime with the list that `unskew ops closure {}` prints.", pair.file);
    finding.with_fix(list)
}

fn by_rule(pair: &FileAndRelease<'_>, fault: &UseFault, operator: &str) -> Finding {
    let FileAndRelease { file, runtime: release, runtime_name: runtime, .. } = pair;
    let table = &release.operators;
    let name = operator.split('.').next().unwrap_or(operator);
    let (wanted, nearest) = nearest(table, name);
    let operator = &operator;
    match fault {
        UseFault::Missing => {
            rules::OperatorMissing { file, operator, runtime, wanted: &wanted, nearest: &nearest }
                .finding()
                .with_symptom(if pair.model.format.is_mobile() {
                    format!("Following ops cannot be found: [{operator}]")
                } else {
                    format!("Unknown builtin op: {}", as_written(operator))
                })
        }
        UseFault::Library => {
            let library = name.split("::").next().unwrap_or(name);
            let finding = rules::LibraryNeeded { file, operator, runtime, library: &library }
                .finding()
                .with_symptom(format!("Unknown builtin op: {operator}"));
            match library_fix(library, release.release.version) {
                Some(fix) => finding.with_fix(fix),
                None => finding,
            }
        }
        UseFault::Overload => {
            let wanted = &overload_in(table, operator).unwrap_or(wanted);
            rules::OverloadMissing { file, operator, runtime, wanted }
                .finding()
                .with_symptom(format!("Following ops cannot be found: [{operator}]"))
        }
        UseFault::Misfit(misfit) => {
            let finding = rules::CallDoesNotFit { file, operator, runtime, misfit }.finding();
            // The mobile interpreter does not count arguments: the operator finds others than it looks for.
            match pair.model.format.is_mobile() {
                true => finding.in_phase(Phase::FirstUse),
                false => finding.with_symptom(misfit_symptom(table, name, misfit)),
            }
        }
        UseFault::Class(class) => rules::PackedParameters { file, operator, runtime, class }.finding(),
        UseFault::Refusing(since) => rules::OperatorRefuses { file, operator, runtime, since }
            .finding()
            .with_symptom("This model uses an outdated version of quantized.linear_prepack. Please re-export your model"),
        UseFault::Upgrader(given, taken) => {
            rules::UpgraderArgumentCount { file, operator, runtime, given, taken }
                .finding()
                .with_symptom("pop() called on empty stack")
        }
        UseFault::Grew(given, taken) => {
            rules::OperatorGrew { file, operator, runtime, given, taken }.finding()
        }
        UseFault::Upgraded(bumped_at) => {
            let found = &pair.model.operator_version().unwrap_or(0);
            rules::UpgradedOperator { file, operator, runtime, found, bumped_at }.finding()
        }
    }
}

/// The name by which a release without it looks for a method of the language: that of an operator of tensors.
fn as_written(operator: &str) -> &str {
    if operator == "prim::tolist" { "aten::tolist" } else { operator }
}

/// Packages whose namespaces of operators have another name than themselves.
const PACKAGES: [(&str, &str); 3] =
    [("image", "torchvision"), ("video_reader", "torchvision"), ("torchcodec_ns", "torchcodec")];

/// How to get a library whose published wheels are known, in the version that is made for the release.
fn library_fix(library: &str, release: Version) -> Option<String> {
    let package = PACKAGES.iter().find(|(namespace, _)| *namespace == library);
    let package = package.map_or(library, |(_, package)| package);
    let version = wheels::made_for(package, "torch", release)?;
    Some(format!(
        "Install {package}=={version}, which is made for this release, and import it before you load the file."
    ))
}

/// A release with an operator of this name: for the fix, and in words.
fn nearest(table: &OperatorTable, name: &str) -> (String, String) {
    let base = table.history().table(table.release());
    if table.is_of_device() && base.is_some_and(|base| base.knows(name)) {
        let release = table.release().to_string();
        return (release.clone(), format!("torch {release} has it, this build leaves it out"));
    }
    match table.nearest_with(name) {
        Some(release) if release > table.release() => {
            (format!("{release} or later"), format!("first in {release}"))
        }
        Some(release) => (release.to_string(), format!("last in {release}")),
        None => ("with that operator".to_owned(), "in no release of the database".to_owned()),
    }
}

/// What a loader says to a call that fits nothing: of an operator with one overload it says why.
fn misfit_symptom(table: &OperatorTable, name: &str, misfit: &str) -> String {
    let is_alone = table.overloads(name).count() == 1;
    let keyword = misfit.strip_prefix(UNKNOWN_KEYWORD).filter(|_| is_alone);
    match keyword {
        Some(keyword) => format!("Keyword argument {keyword} unknown."),
        None => {
            "Arguments for call are not valid. The following variants are available:".to_owned()
        }
    }
}

/// A release that has this overload.
fn overload_in(table: &OperatorTable, operator: &str) -> Option<String> {
    let (name, overload) = operator.split_once('.').unwrap_or((operator, ""));
    let definitions = table.history().named(name);
    let with = definitions.iter().find(|definition| definition.overload() == overload)?;
    with.runs.iter().last().map(|run| run.since.to_string())
}

/// Adds all of `more` to `places`, each with `remark`; those without a name are counted.
fn add_all(places: &mut Places, more: &Places, remark: &str) {
    for place in more.named() {
        places.add(format_args!("{place}{remark}"));
    }
    for _ in more.named().len()..more.count() {
        places.add("");
    }
}
