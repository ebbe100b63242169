//! Changes of inputs and outputs.

use super::{OpChange, OpChangeKind};
use crate::op_def::{ArgDef, ArgKind, ElementType};
use crate::{AttrValue, OpDef};

pub(super) fn changes(old: &OpDef, new: &OpDef, found: &mut Vec<OpChange>) {
    // Nodes have no names for their inputs; outputs are found by name.
    for (place, kind, old_args, new_args, named) in [
        ("inputs", OpChangeKind::InputsChanged, &old.inputs, &new.inputs, false),
        ("outputs", OpChangeKind::OutputsChanged, &old.outputs, &new.outputs, true),
    ] {
        let was = signature(old_args, old, old, named);
        let is = signature(new_args, old, new, named);
        if was != is {
            found.push(OpChange { kind, place: place.to_owned(), was, is });
            continue;
        }
        for (was, is) in old_args.iter().zip(new_args).filter(|(a, b)| a.reference != b.reference) {
            let kind = match (named, is.reference) {
                (false, true) | (true, false) => OpChangeKind::ReferenceWanted,
                (false, false) | (true, true) => OpChangeKind::ReferenceRelaxed,
            };
            let shown = |arg: &ArgDef| if arg.reference { "a reference" } else { "a value" };
            let [was, is] = [shown(was), shown(is)].map(str::to_owned);
            found.push(OpChange { kind, place: place.to_owned(), was, is });
        }
    }
}

/// The arguments as one text, in which attributes that the old definition does not have are replaced by
/// their defaults: to an old graph they are constants.
fn signature(args: &[ArgDef], old: &OpDef, op: &OpDef, named: bool) -> String {
    let resolve = |name: &str, shown: fn(&AttrValue) -> Option<String>| {
        if old.attr(name).is_some() {
            return name.to_owned();
        }
        let default = op.attr(name).and_then(|attr| attr.default.as_ref());
        default.and_then(shown).unwrap_or_else(|| name.to_owned())
    };
    let element = |kind: &ElementType| match kind {
        ElementType::Fixed(dtype) => dtype.to_string(),
        ElementType::Attr(name) => resolve(name, |value| Some(value.to_string())),
    };
    let one = |arg: &ArgDef| {
        let kind = match &arg.kind {
            ArgKind::One(kind) => element(kind),
            ArgKind::Many(number, kind) => {
                format!("{} * {}", resolve(number, |value| Some(value.to_string())), element(kind))
            }
            ArgKind::Each(types) => match resolve(types, |value| Some(value.to_string())) {
                // A list of types is as many arguments.
                list if list.starts_with('[') => list.trim_matches(['[', ']']).to_owned(),
                name => format!("[{name}]"),
            },
        };
        if named { format!("{}: {kind}", arg.name) } else { kind }
    };
    let all: Vec<String> = args.iter().map(one).filter(|text| !text.is_empty()).collect();
    all.join(", ")
}
