//! The command that makes an ONNX model fit for a release that refuses it, with the opset under which it fits.

use std::path::Path;

use unskew_artifact::{Content, ConvertOptions, OpenOptions, convert_content};
use unskew_core::{Context, Outcome, Severity, Verdict, check};
use unskew_onnx::{OnnxModel, OnnxRelease, is_fixed_by_opset};

use crate::shell::quoted;
use crate::sides::ResolvedParty;

/// The most nodes of a model that is converted for a hint: each opset that is tried costs a walk over them.
const MOST_NODES: usize = 20_000;

/// The changes that say under which opset a model fits, the one that says most first.
const TELLING: [&str; 3] = ["onnx-nearest-opset", "onnx-opset", "onnx-ir-version"];

/// Puts into the fixes of errors what `unskew convert` would do, where it makes a model that the release accepts.
pub(crate) fn name_conversion(verdict: &mut Verdict, pair: [&ResolvedParty; 2], context: &Context) {
    if verdict.outcome != Outcome::Incompatible {
        return;
    }
    let errors = || verdict.findings.iter().filter(|one| one.severity == Severity::Error);
    if !errors().all(|one| is_fixed_by_opset(one.rule.code)) {
        return;
    }
    let Some(fix) = command(pair, context) else { return };
    let errors = verdict.findings.iter_mut().filter(|one| one.severity == Severity::Error);
    errors.for_each(|finding| finding.fix = Some(fix.clone()));
}

/// The command, and what it does; none if it makes nothing that fits.
fn command(pair: [&ResolvedParty; 2], context: &Context) -> Option<String> {
    let model = pair
        .into_iter()
        .find_map(|one| Some((one.path.as_deref()?, one.party.capability::<OnnxModel>()?)));
    let release = pair
        .into_iter()
        .find(|one| one.release.is_some() && one.party.capability::<OnnxRelease>().is_some())?;
    let (path, _) = model.filter(|(path, model)| {
        let nodes: usize = model.graph.all().iter().map(|graph| graph.nodes.len()).sum();
        Path::new(path).is_file() && nodes <= MOST_NODES
    })?;
    let content = Content::at(Path::new(path)).ok()?;
    let options = ConvertOptions::default();
    let made = convert_content(&content, &release.party, &release.label, &options).ok()?;
    let rewrites = &made.plan.rewrites;
    let what =
        TELLING.iter().find_map(|name| rewrites.iter().find(|one| one.adaptation == *name))?;
    let parties = made.plan.is_possible().then(|| made.parties(&OpenOptions::default()))?.ok()?;
    let fits = |party| {
        let outcome = check(party, &release.party, context).outcome;
        !matches!(outcome, Outcome::Incompatible | Outcome::Unrelated)
    };
    parties.iter().all(fits).then(|| {
        let (path, label) = (quoted(path), &release.label);
        format!("Run `unskew convert {path} --to {label} -o converted.onnx`: {}.", what.what)
    })
}
