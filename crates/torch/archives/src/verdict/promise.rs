//! Promises of PyTorch's makers about a file and a release.
//!
//! The RFC counts the window from the release that breaks something. Any release after the writer's
//! may be that one, so what a file can rely on is: the window that opens with the first release after
//! its writer's.

use std::sync::LazyLock;

use unskew_core::{Date, Judgement, Policy, Promise, PromiseState, Version, Window};
use unskew_tables::toml_table;

use super::pair::FileAndRelease;

static POLICY: LazyLock<Policy> = LazyLock::new(|| toml_table!("data/policy.toml"));

/// The promises about `pair`.
pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    if pair.model.package_since().is_some() {
        // There is no graph whose schema could be promised; what the libraries call has a promise of its own.
        return Judgement::default();
    }
    if pair.model.format.is_exported() {
        return vec![exported(pair)].into();
    }
    if pair.model.uses.is_empty() {
        return Judgement::default();
    }
    vec![operators(pair, &POLICY)].into()
}

fn exported(pair: &FileAndRelease<'_>) -> Promise {
    let (file, runtime) = (pair.file, &pair.runtime_name);
    let found =
        pair.model.exported.as_ref().map(|stamp| stamp.version).unwrap_or(Version::number(0));
    let same = pair.runtime.release.exported.is_some_and(|own| own.major() == found.major());
    let statement = if same {
        format!("{file} has schema {found}; torch.export loads its own major, and promises no more")
    } else {
        format!(
            "{file} has schema {found}; torch.export promises nothing across majors, and {runtime} has another"
        )
    };
    Promise {
        policy: "torch.export".to_owned(),
        state: PromiseState::NotPromised,
        window: None,
        from: None,
        until: None,
        statement,
        reference: "pytorch-rfc-0017-operator-versioning".to_owned(),
    }
}

fn operators(pair: &FileAndRelease<'_>, policy: &Policy) -> Promise {
    let mut promise = Promise {
        policy: policy.name.clone(),
        state: PromiseState::Unknown,
        window: None,
        from: None,
        until: None,
        statement: String::new(),
        reference: policy.reference.clone(),
    };
    let days = pair.runtime.calendar.days();
    let producer = pair.producer;
    let minor = |version: Version| Version::pair(version.major(), version.minor());
    let possible: Vec<(Version, Date)> = days
        .iter()
        .copied()
        .filter(|(version, _)| producer.since.is_none_or(|since| minor(*version) >= since))
        .filter(|(version, _)| producer.until.is_none_or(|until| minor(*version) <= until))
        .collect();
    let (Some(first), Some(last)) = (possible.first(), possible.last()) else {
        promise.statement = format!("{producer} is not dated, so no window can be computed");
        return promise;
    };
    let runtime = (pair.runtime.release.version, pair.runtime.release.released);
    let old = one_writer(*first, runtime, &days, policy);
    let new = one_writer(*last, runtime, &days, policy);
    if old.state == new.state {
        // The older writer's window ends first; it is what can be relied on.
        promise.statement = old.statement;
        (promise.state, promise.window, promise.from, promise.until) =
            (old.state, old.window, old.from, old.until);
    } else {
        promise.window = old.window.or(new.window);
        promise.statement = format!(
            "the writer is not certain ({producer})\nif by torch {}: {}\nif by torch {}: {}",
            first.0, old.statement, last.0, new.statement
        );
    }
    promise
}

struct OneWriter {
    state: PromiseState,
    window: Option<String>,
    from: Option<Date>,
    until: Option<Date>,
    statement: String,
}

fn one_writer(
    (writer, written): (Version, Date),
    (runtime, released): (Version, Date),
    days: &[(Version, Date)],
    policy: &Policy,
) -> OneWriter {
    if writer.major() == runtime.major() && writer.minor() == runtime.minor() {
        return OneWriter {
            state: PromiseState::Promised,
            window: None,
            from: None,
            until: None,
            statement: format!("torch {runtime} is of the minor release that wrote it"),
        };
    }
    if writer > runtime {
        forward((writer, written), (runtime, released), policy.forward.as_ref())
    } else {
        backward(writer, (runtime, released), days, policy.backward.as_ref())
    }
}

fn forward(
    (writer, written): (Version, Date),
    (runtime, released): (Version, Date),
    window: Option<&Window>,
) -> OneWriter {
    let end = window.and_then(|window| window.end(released, &[]).ok().flatten());
    let inside = end.is_some_and(|end| written <= end);
    let window = window.map(ToString::to_string);
    let words = window.clone().unwrap_or_else(|| "no time".to_owned());
    OneWriter {
        state: if inside { PromiseState::Promised } else { PromiseState::NotPromised },
        window,
        from: Some(released),
        until: end,
        statement: format!(
            "torch {runtime} ({released}) reads files that are up to {words} newer, torch {writer} is of {written}"
        ),
    }
}

fn backward(
    writer: Version,
    (runtime, released): (Version, Date),
    days: &[(Version, Date)],
    window: Option<&Window>,
) -> OneWriter {
    let same_minor = |v: Version| v.major() == writer.major() && v.minor() == writer.minor();
    let next = days.iter().find(|(version, _)| *version > writer && !same_minor(*version));
    let dates: Vec<Date> = days.iter().map(|(_, day)| *day).collect();
    let from = next.map(|(_, day)| *day);
    let end = window.zip(from).and_then(|(window, from)| window.end(from, &dates).ok().flatten());
    let inside = end.is_none_or(|end| released <= end);
    let state = if inside { PromiseState::Promised } else { PromiseState::Expired };
    let window = window.map(ToString::to_string);
    let words = window.clone().unwrap_or_default();
    let statement = match (next, end) {
        (Some((next, from)), Some(end)) => format!(
            "what torch {writer} wrote stays runnable for {words} after torch {next} ({from}), so until {end}; torch {runtime} is of {released}"
        ),
        _ => format!(
            "what torch {writer} wrote stays runnable for {words} after its successor; the window is open"
        ),
    };
    OneWriter { state, window, from, until: end, statement }
}
