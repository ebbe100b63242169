//! The opset under which a release of ONNX Runtime has a kernel for every node.
//!
//! A release reads every opset up to its highest, and lacks kernels for some forms in between: `Relu` before opset 6,
//! `AveragePool` of opset 19 in releases that read opset 19. The opset that a model says is tried first, then others by
//! their distance, the lower one of two first. Each is converted and judged as a whole, since a node may become operators
//! that have no kernels themselves.

use unskew_core::Rewrite;
use unskew_source::{Assembly, ReadError};

use super::{
    ConversionInput, LOWEST, OnnxTarget, PlannedModel, four_bits, inlined, ir_version, under,
};
use crate::judge::{KernelFit, kernel_fit};
use crate::{NeighbourOpener, OnnxModel, OnnxRelease, rules};

/// The first IR version that has functions.
const FUNCTIONS: i64 = 8;

/// Plans a model for a goal: under the opsets that it says, or under the nearest that its release runs.
pub(super) fn convert(
    mut input: ConversionInput,
    goal: &OnnxTarget,
    beside: NeighbourOpener<'_>,
) -> Result<PlannedModel, ReadError> {
    input = four_bits::weights_as_floats(input, goal, beside)?;
    let mut has_calls = !input.model.functions.is_empty();
    if has_calls && ir_version(&input.model, goal) < FUNCTIONS {
        match inlined::calls_written_out(&input, goal)? {
            Ok(written_out) => input = written_out,
            Err(why) => return Ok(refused(input, goal, &why)),
        }
        has_calls = false;
    }
    let first = under(&input, goal, beside)?;
    let Some(release) = &goal.runtime else { return Ok(first) };
    let fit = fit_of(&first, release)?;
    if fit == KernelFit::Measured || first.is_final {
        return Ok(first);
    }
    let mut inputs = vec![input];
    if has_calls
        && let Some(Ok(written_out)) =
            inputs.first().map(|input| inlined::calls_written_out(input, goal)).transpose()?
    {
        let second = under(&written_out, goal, beside)?;
        if fit_of(&second, release)? == KernelFit::Measured {
            return Ok(second);
        }
        inputs.push(written_out);
    }
    if fit == KernelFit::Refused && inputs.len() == 1 {
        return Ok(first);
    }
    let mut uncertain = None;
    for opset in by_distance(inputs.first().map(|input| &input.model), goal, release) {
        let goal = OnnxTarget { own_opset: Some(opset), ..goal.clone() };
        for input in &inputs {
            let mut planned = under(input, &goal, beside)?;
            let found = fit_of(&planned, release)?;
            if !matches!(found, KernelFit::Measured | KernelFit::Unmeasured) {
                continue;
            }
            let kernels = match found {
                KernelFit::Measured => "has a kernel for every node",
                _ => "refuses no node",
            };
            let what =
                format!("opset {opset} is the nearest under which {} {kernels}", release.name());
            planned.plan.add(Rewrite::new("onnx-nearest-opset", what));
            if found == KernelFit::Measured {
                return Ok(planned);
            }
            uncertain.get_or_insert(planned);
        }
    }
    // What runs perhaps as it is need not be changed into what runs perhaps.
    Ok(uncertain.filter(|_| fit != KernelFit::Unmeasured).unwrap_or(first))
}

/// The other opsets of ONNX's own domain that a release reads, the nearest first; none if the model does not use it.
fn by_distance(
    model: Option<&OnnxModel>,
    goal: &OnnxTarget,
    release: &OnnxRelease,
) -> impl Iterator<Item = i64> + use<> {
    let own = model.and_then(|model| model.opsets.iter().find(|(domain, _)| domain.is_empty()));
    let own = own.map(|(domain, from)| (*from, goal.opset(domain, *from)));
    let most = release.opset("").unwrap_or(0);
    let (from, centre) = own.unwrap_or((0, 0));
    let farthest = if own.is_some() { most } else { 0 };
    (1..=farthest)
        .flat_map(move |distance| [centre - distance, centre + distance])
        .filter(move |opset| (1..=most).contains(opset) && (*opset >= LOWEST || *opset > from))
}

/// What the release makes of a planned model.
fn fit_of(planned: &PlannedModel, release: &OnnxRelease) -> Result<KernelFit, ReadError> {
    if !planned.plan.is_possible() {
        return Ok(if planned.is_final { KernelFit::Refused } else { KernelFit::RefusedForm });
    }
    let model = crate::read::in_bytes(&planned.output)?;
    Ok(model.map_or(KernelFit::Refused, |model| kernel_fit(&model, release)))
}

/// A model whose functions the goal does not have, and which cannot do without.
fn refused(input: ConversionInput, goal: &OnnxTarget, why: &str) -> PlannedModel {
    let ConversionInput { source, mut plan, .. } = input;
    let why = format!("functions of the model are new in IR version {FUNCTIONS}, and {why}");
    let rule = rules::OnnxNoExactForm { what: &"the model", goal: &goal.name, why: &why };
    plan.blockers.push(rule.finding());
    PlannedModel { plan, output: Assembly::from_source(&source), is_final: true }
}
