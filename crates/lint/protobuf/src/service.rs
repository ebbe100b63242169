//! Services that changed.

use crate::change::Changes;
use crate::compatibility::{Sides, alike};
use crate::model::Method;
use crate::rules;
use crate::scope::MessageScope;

pub(crate) fn all(changes: &mut Changes<'_>) {
    let (old, new) = (changes.old, changes.new);
    for (name, was) in &old.services {
        let Some(is) = new.services.get(name) else {
            let rule = rules::ServiceRemoved { service: name };
            changes.add(
                (name, MessageScope::Rpc),
                rule.finding(),
                None,
                Some((&was.file, was.is.line)),
            );
            continue;
        };
        let new_spot = |line| Some((is.file.as_str(), line));
        let old_spot = |line| Some((was.file.as_str(), line));
        for before in &was.is.methods {
            let subject = format!("{name}.{}", before.name);
            let Some(after) = is.is.methods.iter().find(|method| method.name == before.name) else {
                let rule = rules::MethodRemoved { service: name, method: &before.name };
                let spots = (new_spot(is.is.line), old_spot(before.line));
                changes.add((&subject, MessageScope::Rpc), rule.finding(), spots.0, spots.1);
                continue;
            };
            for finding in changed(name, before, after, changes) {
                let spots = (new_spot(after.line), old_spot(before.line));
                changes.add((&subject, MessageScope::Rpc), finding, spots.0, spots.1);
            }
        }
        let known = |method: &&Method| was.is.methods.iter().any(|old| old.name == method.name);
        for method in is.is.methods.iter().filter(|method| !known(method)) {
            let rule = rules::MethodAdded { service: name, method: &method.name };
            let subject = format!("{name}.{}", method.name);
            changes.add((&subject, MessageScope::Rpc), rule.finding(), new_spot(method.line), None);
        }
    }
}

fn changed(
    service: &str,
    was: &Method,
    is: &Method,
    changes: &Changes<'_>,
) -> Vec<unskew_core::Finding> {
    let mut found = Vec::new();
    let sides = Sides { old: changes.old, new: changes.new, renamed: &changes.renamed };
    let method = &is.name;
    let messages = [("takes", &was.input, &is.input), ("gives", &was.output, &is.output)];
    for (what, before, after) in messages {
        if before != after && !alike(before, after, sides) {
            let rule = rules::MethodMessageChanged {
                service: &service,
                method,
                what: &what,
                before,
                after,
            };
            found.push(rule.finding());
        }
    }
    let words = [
        ["takes one message now", "takes many messages now"],
        ["gives one message now", "gives many messages now"],
    ];
    for ((before, after), words) in was.streams.iter().zip(is.streams).zip(words) {
        if *before != after {
            let [one, many] = words;
            let what = if after { many } else { one };
            found.push(
                rules::MethodStreamingChanged { service: &service, method, what: &what }.finding(),
            );
        }
    }
    found
}
