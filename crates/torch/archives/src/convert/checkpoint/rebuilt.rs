//! Functions that rebuild tensors, in the form in which a release has them.
//!
//! | written | for releases that lack it |
//! | --- | --- |
//! | `_rebuild_tensor_v2` with a seventh argument | `torch.conj` and `torch.neg` of the tensor without it |
//! | `_rebuild_parameter_with_state` | `_rebuild_from_type_v2` of the parameter, where the release has that |
//! | `_rebuild_sparse_tensor` of a `sparse_coo` with four parts | three: whether it is coalesced is left out |
//! | `_rebuild_sparse_tensor` of a `sparse_csr`, and `_rebuild_sparse_csr_tensor` | the other one of the two |

use unskew_core::{Conversion, Places, Rewrite};

use super::OBJECTS;
use crate::TorchModel;
use crate::convert::task::{ConversionSides, block_for};
use crate::pickle::{Id, Pickle, PickleCall, PickleValue};
use crate::pickled::alternatives::LackingForms;

const ADAPTATION: &str = "rebuilt-tensor";

const UTILS: &str = "torch._utils";

/// Whether a file has calls that a release lacks and has another form of.
pub(super) fn are_wanted(model: &TorchModel, lacking: &LackingForms) -> bool {
    model.pickled.calls.iter().any(|(name, given)| lacking.has(name, *given))
}

/// Puts the forms of a release in the place of those that it lacks.
pub(super) fn put(
    sides: &ConversionSides<'_>,
    lacking: &LackingForms,
    pickle: &mut Pickle,
    plan: &mut Conversion,
) {
    let mut counts = [0_usize; 4];
    for id in 0..pickle.count() {
        let PickleValue::Call(call) = pickle.value(id).clone() else { continue };
        let PickleValue::Global(module, name) = pickle.value(call.callee) else { continue };
        if module != UTILS || call.builds {
            continue;
        }
        let kind = match name.as_str() {
            "_rebuild_tensor_v2" if lacking.metadata => computed(pickle, id, &call).map(|()| 0),
            "_rebuild_parameter_with_state" if lacking.state => {
                with_state(pickle, id, &call).map(|()| 1)
            }
            "_rebuild_sparse_tensor" | "_rebuild_sparse_csr_tensor" => {
                sparse(pickle, id, call, lacking)
            }
            _ => None,
        };
        if kind.is_none() && lacking.metadata && is_marked(pickle, id) {
            let what = "a tensor of conjugated values that is trained, or has other marks";
            block_for(sides, plan, what, Places::from_iter([OBJECTS]));
        }
        if let Some(count) = kind.and_then(|kind: usize| counts.get_mut(kind)) {
            *count += 1;
        }
    }
    let what = [
        "with conjugated or negated values: torch.conj or torch.neg computes them",
        "that are parameters with attributes: _rebuild_from_type_v2 makes them",
        "that are sparse: whether they are coalesced is left out, as this release does itself",
        "in sparse_csr: the function is asked for that this release has",
    ];
    for (count, what) in counts.iter().zip(what).filter(|(count, _)| **count > 0) {
        let tensors = if *count == 1 { "tensor" } else { "tensors" };
        plan.add(Rewrite::new(ADAPTATION, format!("{count} {tensors} {what}")).at(OBJECTS));
    }
}

/// Whether it is a call of `_rebuild_tensor_v2` with the seventh argument.
fn is_marked(pickle: &Pickle, id: Id) -> bool {
    let PickleValue::Call(call) = pickle.value(id) else { return false };
    let is_v2 = matches!(pickle.value(call.callee), PickleValue::Global(_, name) if name == "_rebuild_tensor_v2");
    is_v2 && arguments(pickle, call).is_some_and(|given| given.len() > 6)
}

fn arguments(pickle: &Pickle, call: &PickleCall) -> Option<Vec<Id>> {
    let PickleValue::Tuple(members) = pickle.value(call.arguments?) else { return None };
    Some(members.to_vec())
}

/// A tensor whose last argument says that its values are those of the storage, conjugated or negated.
fn computed(pickle: &mut Pickle, id: Id, call: &PickleCall) -> Option<()> {
    let mut given = arguments(pickle, call)?;
    let [.., requires_grad, _, metadata] = *given.as_slice() else { return None };
    let PickleValue::Dict(marks) = pickle.value(metadata) else { return None };
    let mut functions = Vec::new();
    for pair in marks.chunks_exact(2) {
        let name = pickle.value(pair[0]).text().filter(|name| matches!(*name, "conj" | "neg"))?;
        match pickle.value(pair[1]) {
            PickleValue::Bool(true) => functions.push(name.to_owned()),
            PickleValue::Bool(false) => {}
            _ => return None,
        }
    }
    // What a function computes is no leaf of a graph of gradients.
    if given.len() != 7 || *pickle.value(requires_grad) != PickleValue::Bool(false) {
        return None;
    }
    given.pop();
    let Some(last) = functions.pop() else {
        let arguments = Some(pickle.tuple(given));
        pickle.replace(id, PickleValue::Call(PickleCall { arguments, ..call.clone() }));
        return Some(());
    };
    let mut tensor = pickle.call(UTILS, "_rebuild_tensor_v2", given);
    for name in functions {
        tensor = pickle.call("torch", &name, [tensor]);
    }
    let made = pickle.call("torch", &last, [tensor]);
    pickle.replace(id, pickle.value(made).clone());
    Some(())
}

/// A parameter with attributes.
fn with_state(pickle: &mut Pickle, id: Id, call: &PickleCall) -> Option<()> {
    let given = arguments(pickle, call)?;
    let [data, requires_grad, hooks, state] = *given.as_slice() else { return None };
    let mut global = |module: &str, name: &str| {
        pickle.push(PickleValue::Global(module.to_owned(), name.to_owned()))
    };
    let function = global(UTILS, "_rebuild_parameter");
    let class = global("torch.nn.parameter", "Parameter");
    let inner = pickle.tuple([data, requires_grad, hooks]);
    let made =
        pickle.call("torch._tensor", "_rebuild_from_type_v2", [function, class, inner, state]);
    pickle.replace(id, pickle.value(made).clone());
    Some(())
}

fn sparse(pickle: &mut Pickle, id: Id, call: PickleCall, lacking: &LackingForms) -> Option<usize> {
    let given = arguments(pickle, &call)?;
    let [layout, data] = *given.as_slice() else { return None };
    let PickleValue::Call(lookup) = pickle.value(layout) else { return None };
    let name = pickle.members(pickle.value(lookup.arguments?)).next()?.text()?;
    let PickleValue::Tuple(parts) = pickle.value(data) else { return None };
    let (callee, arguments, kind) = match name {
        "torch.sparse_coo" if lacking.coalesced && parts.len() == 4 => {
            let parts = parts[..3].to_vec();
            let data = pickle.tuple(parts);
            (call.callee, pickle.tuple([layout, data]), 2)
        }
        "torch.sparse_csr" => {
            let global = PickleValue::Global(UTILS.to_owned(), lacking.csr?.to_owned());
            (pickle.push(global), call.arguments?, 3)
        }
        _ => return None,
    };
    let arguments = Some(arguments);
    pickle.replace(id, PickleValue::Call(PickleCall { callee, arguments, ..call }));
    Some(kind)
}
