//! Changes of attributes.

use super::{OpChange, OpChangeKind};
use crate::op_def::AttrDef;
use crate::{AttrScalarType, AttrValue, OpDef};

pub(super) fn changes(old: &OpDef, new: &OpDef, found: &mut Vec<OpChange>) {
    for was in &old.attrs {
        match new.attr(&was.name) {
            Some(is) => attribute(was, is, found),
            None => {
                push(found, OpChangeKind::AttributeRemoved, &was.name, String::new(), String::new())
            }
        }
    }
    for is in new.attrs.iter().filter(|attr| old.attr(&attr.name).is_none()) {
        let kind = match is.default {
            Some(_) => OpChangeKind::AttributeAdded,
            None => OpChangeKind::RequiredAttributeAdded,
        };
        let default = is.default.as_ref().map(|d| format!("= {d}")).unwrap_or_default();
        push(found, kind, &is.name, String::new(), default);
    }
}

fn attribute(was: &AttrDef, is: &AttrDef, found: &mut Vec<OpChange>) {
    let mut add = |kind, was: String, is: String, name: &str| push(found, kind, name, was, is);
    let name = is.name.as_str();
    if was.kind != is.kind {
        add(OpChangeKind::AttributeRetyped, was.kind.to_string(), is.kind.to_string(), name);
        return;
    }
    if let Some(kind) = minimum(was.minimum, is.minimum) {
        let shown = |minimum: Option<i64>| minimum.map_or("none".to_owned(), |m| m.to_string());
        add(kind, shown(was.minimum), shown(is.minimum), name);
    }
    for kind in allowed(was, is) {
        let shown = |attr: &AttrDef| match &attr.allowed {
            Some(values) => AttrValue::List(values.clone()).to_string(),
            None => "any".to_owned(),
        };
        match (&was.allowed, &is.allowed) {
            // Of two lists only what one of them lacks.
            (Some(before), Some(after)) => {
                let (from, to) = match kind {
                    OpChangeKind::AllowedNarrowed => (before, after),
                    _ => (after, before),
                };
                let only = from.iter().filter(|value| !to.contains(value)).cloned().collect();
                let only = AttrValue::List(only).to_string();
                let narrowed = kind == OpChangeKind::AllowedNarrowed;
                let (lost, won) =
                    if narrowed { (only, String::new()) } else { (String::new(), only) };
                add(kind, lost, won, name);
            }
            _ => add(kind, shown(was), shown(is), name),
        }
    }
    let kind = match (&was.default, &is.default) {
        (None, Some(_)) => OpChangeKind::DefaultAdded,
        (Some(_), None) => OpChangeKind::DefaultRemoved,
        (Some(was), Some(is)) if was != is => OpChangeKind::DefaultChanged,
        _ => return,
    };
    let shown =
        |value: &Option<AttrValue>| value.as_ref().map(ToString::to_string).unwrap_or_default();
    add(kind, shown(&was.default), shown(&is.default), name);
}

fn minimum(was: Option<i64>, is: Option<i64>) -> Option<OpChangeKind> {
    match (was, is) {
        (None, Some(_)) => Some(OpChangeKind::MinimumRaised),
        (Some(_), None) => Some(OpChangeKind::MinimumLowered),
        (Some(was), Some(is)) if is > was => Some(OpChangeKind::MinimumRaised),
        (Some(was), Some(is)) if is < was => Some(OpChangeKind::MinimumLowered),
        _ => None,
    }
}

/// Of lists of values only those of types and texts are compared, as TensorFlow does.
fn allowed(was: &AttrDef, is: &AttrDef) -> Vec<OpChangeKind> {
    let narrowed = OpChangeKind::AllowedNarrowed;
    let widened = OpChangeKind::AllowedWidened;
    match (&was.allowed, &is.allowed) {
        (None, Some(_)) => vec![narrowed],
        (Some(_), None) => vec![widened],
        (Some(was), Some(now))
            if matches!(is.kind.single, AttrScalarType::Type | AttrScalarType::String) =>
        {
            let lost = was.iter().any(|value| !now.contains(value));
            let won = now.iter().any(|value| !was.contains(value));
            [(lost, narrowed), (won, widened)]
                .into_iter()
                .filter(|(is, _)| *is)
                .map(|(_, k)| k)
                .collect()
        }
        _ => Vec::new(),
    }
}

fn push(found: &mut Vec<OpChange>, kind: OpChangeKind, place: &str, was: String, is: String) {
    found.push(OpChange { kind, place: place.to_owned(), was, is });
}
