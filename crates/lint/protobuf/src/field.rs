//! One number of a message on both sides.

use unskew_core::Finding;

use crate::change::Changes;
use crate::compatibility::{Fit, Sides, fit};
use crate::descriptor::camel;
use crate::message::{Pair, subject};
use crate::model::{FieldCardinality, Presence, ProtoField, ProtoScalar, ProtoType};
use crate::rules;

/// What changed from one field to the field of the same number.
pub(crate) fn changed(
    pair: &Pair<'_>,
    was: &ProtoField,
    is: &ProtoField,
    changes: &mut Changes<'_>,
) {
    let renames = changes.renamed.clone();
    let sides = Sides { old: changes.old, new: changes.new, renamed: &renames };
    let mut add = |finding: Finding| {
        let (new, old) = (pair.new_spot(is.line), pair.old_spot(was.line));
        changes.add((&subject(pair, &is.name), pair.scope), finding, new, old);
    };
    let mut fits = fit(&was.ty, &is.ty, sides);
    let entries = entries(was, is, sides);
    if entries {
        fits = Fit::Same;
    }
    let validated = fits == Fit::Same && was.verified != is.verified && has_text(&is.ty);
    if validated {
        let why = "texts that are not UTF-8";
        fits = if is.verified { Fit::Narrower(why) } else { Fit::Wider(why) };
    }
    // Another name and another type: another field.
    let other_name = was.name != is.name;
    // A name that another number had, or has now: another field as well, whatever its type is.
    // A deprecated field of the old name is there for programs that name it: the values have gone to the new name.
    let moved = pair.new.name(&was.name).is_some_and(|there| !there.deprecated);
    let elsewhere = other_name && (pair.old.name(&is.name).is_some() || moved);
    if elsewhere || (other_name && !matches!(fits, Fit::Same | Fit::Respelled)) {
        add(reused(pair, was, is));
        return;
    }
    if other_name {
        add(renamed(pair, was, is));
    } else if json(was) != json(is) {
        let rule = rules::JsonNameChanged {
            field: &is.name,
            message: &pair.name(),
            before: &json(was),
            after: &json(is),
        };
        add(rule.finding());
    }
    if let Some(finding) = if validated { Some(utf8(pair, is)) } else { typed(pair, was, is, fits) }
    {
        add(finding);
    }
    let (message, field) = (&pair.name(), &is.name);
    if entries {
        let (number, before, ty) = (&is.number, &was.ty, &is.ty);
        add(rules::MapRespelled { number, message, field, before, kind: ty }.finding());
    } else if was.label != is.label {
        add(labelled(pair, is));
    }
    for finding in [present(pair, was, is), chosen(pair, was, is), defaulted(pair, was, is)] {
        finding.into_iter().for_each(&mut add);
    }
    if was.packed != is.packed && was.label == is.label && is.label == FieldCardinality::Repeated {
        let how = if is.packed { "packed now" } else { "no longer packed" };
        add(rules::PackingChanged { message, field, how: &how, before: &was.packed }.finding());
    }
}

/// Whether a text stands in a type itself.
fn has_text(ty: &ProtoType) -> bool {
    match ty {
        ProtoType::Scalar(scalar) => *scalar == ProtoScalar::String,
        ProtoType::Map(key, value) => *key == ProtoScalar::String || has_text(value),
        _ => false,
    }
}

/// A map, and a list of messages with a key and a value.
fn entries(was: &ProtoField, is: &ProtoField, sides: Sides<'_>) -> bool {
    let (name, side, key, value) = match (&was.ty, &is.ty) {
        (ProtoType::Map(key, value), ProtoType::Message(name)) => (name, sides.new, key, value),
        (ProtoType::Message(name), ProtoType::Map(key, value)) => (name, sides.old, key, value),
        _ => return false,
    };
    let Some(entry) = side.messages.get(name) else { return false };
    let at =
        |number| entry.is.fields.iter().find(|field| field.number == number).map(|field| &field.ty);
    was.label == is.label
        && entry.is.fields.len() == 2
        && at(1) == Some(&ProtoType::Scalar(*key))
        && at(2) == Some(value)
}

fn reused(pair: &Pair<'_>, was: &ProtoField, is: &ProtoField) -> Finding {
    let rule = rules::TagReused {
        number: &is.number,
        message: &pair.name(),
        before: &was.name,
        before_type: &was.ty,
        field: &is.name,
        kind: &is.ty,
        free: &pair.free,
    };
    rule.finding()
}

fn renamed(pair: &Pair<'_>, was: &ProtoField, is: &ProtoField) -> Finding {
    let rule = rules::MessageFieldRenamed {
        number: &is.number,
        message: &pair.name(),
        before: &was.name,
        field: &is.name,
        json: &json(was),
    };
    rule.finding()
}

fn typed(pair: &Pair<'_>, was: &ProtoField, is: &ProtoField, fits: Fit) -> Option<Finding> {
    let (number, message, field) = (&is.number, &pair.name(), &is.name);
    let (before, kind, free) = (&was.ty, &is.ty, &pair.free);
    Some(match fits {
        Fit::Same => return None,
        Fit::Respelled => rules::FieldRespelled { number, message, field, before, kind }.finding(),
        Fit::Narrower(why) => {
            let why = &format!("{why} do not fit");
            rules::FieldNarrowed { number, message, field, before, kind, free, why }.finding()
        }
        Fit::Wider(why) => {
            let why = &format!("{why} do not fit the old type");
            rules::FieldWidened { number, message, field, before, kind, why }.finding()
        }
        Fit::Reinterpreted => {
            rules::FieldReinterpreted { number, message, field, before, kind, free }.finding()
        }
        Fit::Broken => {
            rules::FieldWireTypeChanged { number, message, field, before, kind, free }.finding()
        }
    })
}

/// The type stays, and only whether readers refuse texts that are not UTF-8 is another.
fn utf8(pair: &Pair<'_>, is: &ProtoField) -> Finding {
    let (number, message, field, free) = (&is.number, &pair.name(), &is.name, &pair.free);
    let (with, without) =
        (format!("{} with UTF-8 validation", is.ty), format!("{} without UTF-8 validation", is.ty));
    if is.verified {
        let (before, kind, why) = (&without, &with, &"texts that are not UTF-8 are refused");
        let rule = rules::FieldNarrowed { number, message, field, before, kind, free, why };
        let mut finding = rule.finding();
        let ty = &is.ty;
        finding.fix = Some(format!(
            "keep the field without validation (`features.utf8_validation = NONE`), or add `{ty} {field}` under the \
             number {free}"
        ));
        return finding;
    }
    let (before, kind, why) = (&with, &without, &"old readers refuse texts that are not UTF-8");
    rules::FieldWidened { number, message, field, before, kind, why }.finding()
}

fn labelled(pair: &Pair<'_>, is: &ProtoField) -> Finding {
    let (number, message, field, free) = (&is.number, &pair.name(), &is.name, &pair.free);
    if is.label == FieldCardinality::Singular {
        return rules::FieldMadeSingular { number, message, field, free }.finding();
    }
    let effect = match &is.ty {
        _ if is.packed => "old readers read nothing of a packed list",
        ProtoType::Message(_) | ProtoType::Group(_) | ProtoType::Map(..) => {
            "old readers merge all into one"
        }
        ProtoType::Scalar(ProtoScalar::String | ProtoScalar::Bytes) => "old readers take the last",
        _ => "old readers take the last",
    };
    rules::FieldMadeRepeated { number, message, field, free, effect: &effect }.finding()
}

fn present(pair: &Pair<'_>, was: &ProtoField, is: &ProtoField) -> Option<Finding> {
    let (message, field) = (&pair.name(), &is.name);
    if was.label == FieldCardinality::Repeated
        || is.label == FieldCardinality::Repeated
        || was.presence == is.presence
    {
        return None;
    }
    let message_like = matches!(is.ty, ProtoType::Message(_) | ProtoType::Group(_));
    match (was.presence, is.presence) {
        (_, Presence::Required) => Some(rules::FieldMadeRequired { message, field }.finding()),
        (Presence::Required, _) => {
            Some(rules::RequiredRelaxed { message, field, how: &"is not" }.finding())
        }
        // Whether a message is there is always known; so it is in a oneof, which says so itself.
        _ if message_like || was.oneof != is.oneof => None,
        (_, after) => {
            let how = match after {
                Presence::Explicit => "is there if it was set to zero",
                _ => "is not there if it is zero",
            };
            Some(rules::PresenceChanged { message, field, how: &how }.finding())
        }
    }
}

fn chosen(pair: &Pair<'_>, was: &ProtoField, is: &ProtoField) -> Option<Finding> {
    let (message, field) = (&pair.name(), &is.name);
    // The cases of a choice that were there on the other side as well, apart from this one.
    let cases = |oneof: &str, side: usize| -> Vec<String> {
        const MOST: usize = 20;
        let inside = pair.cases[side].get(oneof).map_or(&[][..], Vec::as_slice);
        let others = inside.iter().filter(|field| field.number != is.number);
        let mut named: Vec<String> =
            others.take(MOST).map(|field| format!("`{}`", field.name)).collect();
        if inside.len() > MOST + 1 {
            named.push("others".to_owned());
        }
        named
    };
    let (old, new) = (0, 1);
    match (&was.oneof, &is.oneof) {
        (None, Some(oneof)) => {
            let others = cases(oneof, new);
            // Alone in a choice that is new a field is what it was.
            (!others.is_empty()).then(|| {
                let others = &others.join(", ");
                rules::MovedIntoOneof { message, field, oneof, others }.finding()
            })
        }
        (Some(oneof), None) => {
            let others = cases(oneof, old);
            (!others.is_empty()).then(|| rules::MovedOutOfOneof { message, field, oneof }.finding())
        }
        (Some(a), Some(b)) if a != b => {
            // Who was a case beside it before, and who is one now, of those that are there on both sides.
            let (mates, now) = (cases(a, old), cases(b, new));
            let came: Vec<String> =
                now.iter().filter(|name| !mates.contains(name)).cloned().collect();
            let left = mates.iter().any(|name| !now.contains(name));
            if !came.is_empty() {
                let others = &came.join(", ");
                Some(rules::MovedIntoOneof { message, field, oneof: b, others }.finding())
            } else {
                // A choice under another name is the same choice.
                left.then(|| rules::MovedOutOfOneof { message, field, oneof: a }.finding())
            }
        }
        _ => None,
    }
}

fn defaulted(pair: &Pair<'_>, was: &ProtoField, is: &ProtoField) -> Option<Finding> {
    let plain = |field: &ProtoField| {
        let text = field.default.as_deref()?.trim_matches(['"', '\'']);
        let same = matches!(text, "0" | "0.0" | "false" | "");
        (!same).then(|| text.to_owned())
    };
    let (before, after) = (plain(was), plain(is));
    // An enumeration that says nothing has its first value, which the enumeration itself is judged by.
    let unsaid = matches!(is.ty, ProtoType::Enum(_)) && (before.is_none() || after.is_none());
    if before == after || unsaid || is.label == FieldCardinality::Repeated {
        return None;
    }
    let shown = |value: Option<String>| value.unwrap_or_else(|| "zero".to_owned());
    let (before, after) = (shown(before), shown(after));
    let rule = rules::DefaultChanged {
        message: &pair.name(),
        field: &is.name,
        before: &before,
        after: &after,
    };
    Some(rule.finding())
}

/// The name of a field in JSON.
fn json(field: &ProtoField) -> String {
    field.json_name.clone().unwrap_or_else(|| camel(&field.name))
}
