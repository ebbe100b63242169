//! The calls of TorchScript code in the operators of a release.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::{Judgement, Places, Version};
use unskew_torch_schemas::SchemaArgument;
use unskew_torch_schemas::matching::{
    Mismatch, OverloadChoice, OverloadSource, ScriptType, TypedSchema, choose,
};

use super::operators::{UseFault, missing, upgraders, word};
use super::pair::FileAndRelease;
use crate::code::{Callable, TypedUse};
use crate::{TorchRuntime, history};

/// What removes branches that are never taken.
pub(super) const PRUNE: &str = "prune-dead-branch";

const CONVOLUTIONS: [&str; 2] =
    ["nn/quantized/modules/conv", "nn/intrinsic/quantized/modules/conv_relu"];

/// The first release that packs no weights of a linear layer as a tensor.
const NO_TENSORS: Version = Version::pair(1, 12);

/// The most reasons for which a call fits nothing.
const REASONS: usize = 3;

/// One finding for each operator and fault, with its places.
pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    let mut faults: BTreeMap<(UseFault, String), (Places, bool)> = BTreeMap::new();
    // What the language writes without a name every release has; a device may not.
    let device = pair.runtime.device.is_some();
    for call in pair.calls.iter().filter(|call| device || !call.language) {
        let Some(fault) = fault(pair, call) else { continue };
        let named = matches!(fault, UseFault::Missing | UseFault::Library);
        let operator = if named { call.operator.to_string() } else { call.full_name() };
        let (places, removable) =
            faults.entry((fault, operator)).or_insert((Places::default(), true));
        places.extend(&call.places);
        *removable &= call.removable;
    }
    let finding = |((fault, operator), (places, removable)): (
        (UseFault, String),
        (Places, bool),
    )| {
        let finding = word(pair, &fault, &operator).at(places);
        if !removable {
            return finding;
        }
        let release = pair.runtime.release.version;
        let fix = format!(
            "It never runs, and the loader looks for it all the same: `unskew convert {} --to torch@{release}` removes the branch.",
            pair.file
        );
        finding.with_adaptation(PRUNE).with_fix(fix)
    };
    faults.into_iter().map(finding).collect::<Vec<_>>().into()
}

fn fault(pair: &FileAndRelease<'_>, call: &TypedUse) -> Option<UseFault> {
    let table = &pair.runtime.operators;
    let mut overloads = Callable(table).overloads(&call.operator);
    if overloads.is_empty() {
        return Some(missing(table, &call.operator));
    }
    if let Some(since) = history::refusing_since(&call.operator)
        && pair.runtime.minor() >= since
    {
        return Some(UseFault::Refusing(since));
    }
    // What its writer meant takes it, which is nearly always there.
    let meant = call.meant.as_ref().filter(|_| pair.runtime.device.is_none());
    if let Some(meant) = meant
        && overloads.iter().any(|one| one.is(meant))
    {
        return returned_class(pair, call, meant).map(UseFault::Class);
    }
    let upgraded = upgraders(pair, &call.operator).map(|one| TypedSchema::new(one.schema.clone()));
    overloads.extend(upgraded.map(|signature| Arc::new(signature).into()));
    match choose(&overloads, &call.given) {
        OverloadChoice::One(signature, _) if is_another(pair, call, &signature) => {
            Some(UseFault::Overload)
        }
        OverloadChoice::One(signature, _) => {
            returned_class(pair, call, &signature).map(UseFault::Class)
        }
        OverloadChoice::Several(_) | OverloadChoice::Missing => None,
        OverloadChoice::Misfit(reasons) => match misfit(call, &reasons) {
            UseFault::Class(_)
                if is_packed_by_loader(pair.runtime, &call.operator, call.places.named()) =>
            {
                None
            }
            fault => Some(fault),
        },
    }
}

/// Whether a device takes another overload than the one that is meant, because it lacks that.
fn is_another(pair: &FileAndRelease<'_>, call: &TypedUse, found: &TypedSchema) -> bool {
    let meant = call.meant.as_ref().map(|meant| &meant.schema.overload);
    pair.runtime.device.is_some() && meant.is_some_and(|meant| *meant != found.schema.overload)
}

/// Why a call fits nothing: what the overload says that its writer meant, or the first few.
fn misfit(call: &TypedUse, reasons: &[(Arc<TypedSchema>, Mismatch)]) -> UseFault {
    let meant = call.meant.as_ref().map(|meant| meant.schema.overload.as_str());
    let (same, others): (Vec<_>, Vec<_>) = reasons
        .iter()
        .partition(|(signature, _)| Some(signature.schema.overload.as_str()) == meant);
    let reasons = if same.is_empty() { others } else { same };
    // Packed weights, which were tensors once.
    let packed = |(_, mismatch): &&&(Arc<TypedSchema>, Mismatch)| match mismatch {
        Mismatch::Type { has: ScriptType::Tensor, wants: ScriptType::Class(class), .. } => {
            Some(class.to_string())
        }
        _ => None,
    };
    if let Some(class) = reasons.iter().find_map(|reason| packed(&reason)) {
        return UseFault::Class(class);
    }
    let mut words: Vec<String> = reasons.iter().map(|(_, mismatch)| mismatch.to_string()).collect();
    words.sort_unstable();
    words.dedup();
    words.truncate(REASONS);
    UseFault::Misfit(words.join("; or "))
}

/// Whether the loader has the class in the place of the tensor that the file declares. Since 1.5 it does so for the
/// attribute `_packed_params` of the modules of quantized linear layers and convolutions, and since 1.6 of those that are fused
/// with `relu`. In files of 1.3 these have other names.
pub(crate) fn is_packed_by_loader<S: AsRef<str>>(
    runtime: &TorchRuntime,
    operator: &str,
    places: &[S],
) -> bool {
    let is_linear = operator.starts_with("quantized::linear");
    let is_conv = |place: &S| CONVOLUTIONS.iter().any(|module| place.as_ref().contains(module));
    runtime.minor() >= Version::pair(1, 5) && (is_linear || places.iter().all(is_conv))
}

/// The class that an operator gives where the file keeps a tensor: the dynamic LSTM of versions 1 and 2, which
/// keeps packed weights as a tensor. Of version 1 it is read up to 1.11, by an operator that has refused every call since.
fn returned_class(
    pair: &FileAndRelease<'_>,
    call: &TypedUse,
    signature: &TypedSchema,
) -> Option<String> {
    let lstm = |place: &String| place.contains("quantized/dynamic/modules/rnn");
    let old = match pair.model.operator_version() {
        Some(1) => pair.runtime.minor() >= NO_TENSORS,
        version => version == Some(2),
    };
    let old = old
        && call.operator.starts_with("quantized::linear_prepack")
        && call.places.named().iter().any(lstm);
    let class =
        |all: &[SchemaArgument]| all.iter().find_map(|one| one.ty.class().map(str::to_owned));
    if old { class(&signature.schema.returns) } else { None }
}
