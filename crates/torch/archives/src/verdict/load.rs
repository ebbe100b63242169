//! Load check: by the form of a file, whether a release loads it.

use unskew_core::{Finding, Judgement, Phase, Places, Version};

use super::pair::FileAndRelease;
use crate::exported::loader::{self, LoadRefusal};
use crate::{TorchFormat, history, rules};

/// How many things of a program are named.
const NAMED: usize = 4;

/// The reasons for which `pair` fails by its form.
pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    let mut findings = Vec::new();
    findings.extend(legacy(pair));
    findings.extend(mobile(pair));
    findings.extend(refused(pair));
    findings.extend(exported(pair));
    findings.extend(program(pair));
    findings.extend(compiled(pair));
    findings.extend(carries_nothing(pair));
    findings.extend(classes(pair));
    findings.extend(types(pair));
    findings.into()
}

fn legacy(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let producer = pair.producer;
    if model.format != TorchFormat::LegacyScript {
        return None;
    }
    let place = Places::from_iter(["model.json"]);
    Some(if runtime.release.legacy_refused {
        rules::LegacyArchive { file, producer: &producer, runtime: runtime_name }
            .finding()
            .with_symptom("Legacy model format is not supported on mobile.")
            .at(place)
    } else {
        rules::LegacyArchiveStillRead { file, producer: &producer, runtime: runtime_name }
            .finding()
            .at(place)
    })
}

fn mobile(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let named_mobile = file.to_ascii_lowercase().ends_with(".ptl");
    if model.format == TorchFormat::Script && named_mobile {
        return Some(rules::NoBytecode { file, runtime: runtime_name }.finding().with_symptom(
            "PytorchStreamReader failed locating file bytecode.pkl: file not found",
        ));
    }
    let bytecode = model.bytecode.as_ref().filter(|_| runtime.release.bytecode.is_none())?;
    let found = &bytecode.version;
    let finding = rules::NoMobileInterpreter { file, found, runtime: runtime_name }.finding();
    Some(finding.at(Places::from_iter([&bytecode.place])))
}

fn refused(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let refusal = history::refusal(runtime.minor(), model)?;
    let what = &refusal.what;
    let other = || format!("Use another release than {runtime_name}, or export the model with it.");
    let fix = &refusal.fix.clone().unwrap_or_else(other);
    let mut finding = rules::RefusedAllTheSame { file, runtime: runtime_name, what, fix }.finding();
    if refusal.when_called {
        finding.phase = Some(Phase::FirstUse);
    }
    let places = refusal.holds.as_ref().and_then(|what| model.types.get(&**what));
    Some(finding.with_symptom(&*refusal.symptom).at(places.cloned().unwrap_or_default()))
}

fn exported(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    if let Some(since) = &model.package_since().filter(|since| runtime.minor() < *since) {
        let at = model.compiled_at.as_deref().unwrap_or_default();
        let what = &format!("compiled libraries are in {at}");
        let wanted = &runtime.calendar.span(|release| release.version >= *since);
        let fix = &format!("Install torch {wanted}.");
        let finding =
            rules::Pt2Container { file, what, wanted, runtime: runtime_name, fix }.finding();
        // What 2.5.1, and what 2.6.0 and 2.7.1 print.
        let symptom = match runtime.minor() < Version::pair(2, 6) {
            true => "module 'torch._inductor' has no attribute 'aoti_load_package'",
            false => "No AOTInductor generate cpp file or so file found in zip archive.",
        };
        return Some(finding.with_symptom(symptom).at(Places::from_iter([at])));
    }
    let schema = model.exported.as_ref().filter(|_| model.format.is_exported())?;
    let Some(_) = runtime.release.exported else {
        let major = schema.version.major();
        let reads =
            |release: &crate::TorchRelease| release.exported.is_some_and(|v| v.major() == major);
        let wanted = runtime.calendar.span(reads);
        let found = &schema.version;
        let missing = rules::NoExport { file, found, runtime: runtime_name, wanted: &wanted };
        return Some(missing.finding().at(Places::from_iter([&schema.place])));
    };
    None
}

/// What the loader of a release with the same schema does not find or does not know in a program.
fn program(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let refusals = loader::refusals(model, &runtime.release, &runtime.calendar);
    let major = model.exported.as_ref()?.version.major();
    let takes = |release: &crate::TorchRelease| {
        release.exported.is_some_and(|own| own.major() == major)
            && loader::refusals(model, release, &runtime.calendar).is_empty()
    };
    let wanted = &runtime.calendar.span(takes);
    let fix = &format!(
        "Run `unskew convert {file} --to torch@{} -o OUT`, or install torch {wanted}.",
        runtime.release.version
    );
    let unloaded = |what: &str, symptom: &str| {
        let rule = rules::Pt2Container { file, what: &what, wanted, runtime: runtime_name, fix };
        let finding = rule.finding().at(Places::from_iter([&model.exported.as_ref()?.place]));
        Some(if symptom.is_empty() { finding } else { finding.with_symptom(symptom) })
    };
    match refusals.first()? {
        LoadRefusal::Archive => return unloaded("the graph is in models/", ""),
        LoadRefusal::Record(row) => {
            return unloaded(&format!("it has no record {}", row.name), row.said);
        }
        LoadRefusal::Element { .. }
        | LoadRefusal::Input { .. }
        | LoadRefusal::Output { .. }
        | LoadRefusal::Region { .. }
        | LoadRefusal::Size { .. }
        | LoadRefusal::Result { .. } => {}
    }
    let words: Vec<String> = refusals.iter().take(NAMED).map(ToString::to_string).collect();
    let more = match refusals.len() - words.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let what = &format!("{}{more}", words.join(", "));
    let finding = rules::Pt2Element { file, what, wanted, runtime: runtime_name, fix }.finding();
    let places = refusals.iter().filter_map(LoadRefusal::place);
    let finding = finding.at(Places::from_iter(places));
    // A loader makes the outer things first.
    let first = refusals.iter().min_by_key(|one| one.place().map(|at| at.matches('.').count()));
    let said = first.map_or("", LoadRefusal::said);
    Some(if said.is_empty() { finding } else { finding.with_symptom(said) })
}

fn compiled(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime_name, .. } = pair;
    model
        .compiled
        .then(|| rules::CompiledPackage { file, runtime: runtime_name }.finding())
        .map(|finding| finding.at(Places::from_iter(["data/aotinductor"])))
}

fn carries_nothing(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime_name, .. } = pair;
    let kind = model.format.as_str();
    let plain = matches!(
        model.format,
        TorchFormat::Checkpoint | TorchFormat::LegacyCheckpoint | TorchFormat::Pickle
    );
    plain.then(|| rules::NoVersionCarried { file, kind: &kind, runtime: runtime_name }.finding())
}

/// Types that the release does not know. The mobile interpreter does not read the code beside bytecode.
fn types(pair: &FileAndRelease<'_>) -> Vec<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let unknown = model.types.iter().filter_map(|(ty, places)| {
        let since = &history::type_since(ty).filter(|since| runtime.minor() < *since)?;
        let finding = rules::TypeUnknown { file, ty, since, runtime: runtime_name }.finding();
        Some(finding.with_symptom(format!("Unknown type name '{ty}'")).at(places.clone()))
    });
    unknown.collect()
}

fn classes(pair: &FileAndRelease<'_>) -> Vec<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let gone = model.classes.iter().filter_map(|(class, places)| {
        let gone_in = history::class_gone_in(class)?;
        (runtime.minor() >= gone_in).then(|| {
            let missing =
                rules::ClassMissing { file, class, gone_in: &gone_in, runtime: runtime_name };
            missing
                .finding()
                .with_symptom(format!("Unknown type name '__torch__.torch.classes.{class}'"))
                .at(places.clone())
        })
    });
    gone.collect()
}
