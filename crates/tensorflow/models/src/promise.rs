//! Promises of TensorFlow's makers about a graph and a release, apart from whether it works.

use std::sync::LazyLock;

use unskew_core::{Date, Policy, Promise, PromiseState, Span, Version};
use unskew_tables::toml_table;

use crate::{GraphUse, TensorFlowRuntime, infer};

/// The GraphDef version from which on the numbers are days.
const FIRST_DAY: (i64, Date) = (30, Date::constant(2019, 5, 9));

/// The policy that TensorFlow publishes.
pub fn policy() -> &'static Policy {
    static POLICY: LazyLock<Policy> = LazyLock::new(|| toml_table!("data/policy.toml"));
    &POLICY
}

/// How many days of GraphDef versions the forward window spans.
pub(crate) fn forward_days() -> i64 {
    let days = |span: &Span| match span {
        Span::Days(n) => Some(i64::from(*n)),
        Span::Weeks(n) => Some(i64::from(*n) * 7),
        Span::Months(_) | Span::Years(_) | Span::Releases(_) => None,
    };
    policy()
        .forward
        .as_ref()
        .and_then(|window| window.spans().iter().filter_map(days).max())
        .unwrap_or(0)
}

/// The day that a GraphDef version stands for, from 30 on.
pub(crate) fn day_of(graph_def: i64) -> Option<Date> {
    let (number, day) = FIRST_DAY;
    let days = graph_def.checked_sub(number).filter(|days| *days >= 0)?;
    // The number comes from a file: there may be no such day.
    day.checked_add(jiff::Span::new().try_days(days).ok()?).ok()
}

/// The GraphDef version of a day, from the first day on.
pub fn version_of(day: Date) -> Option<i64> {
    let (number, first) = FIRST_DAY;
    let days = first.until(day).ok().map(|span| i64::from(span.get_days()))?;
    (days >= 0).then(|| number.saturating_add(days))
}

/// The releases that may have written the graph, and how that is known.
pub(crate) fn producers(graph: &GraphUse, runtime: &TensorFlowRuntime) -> (Vec<Version>, String) {
    let said = graph.tensorflow_version.as_deref();
    // Release candidates are `2.4.0-rc1`.
    let said = said.and_then(|text| text.split(['-', '+']).next()?.parse::<Version>().ok());
    if let Some(version) = said {
        return (vec![version], format!("written by tensorflow {version}"));
    }
    let producer = graph.versions.as_ref().map_or(0, |versions| versions.producer);
    let same = runtime.known.iter().filter(|known| known.graph_def == producer);
    let same: Vec<Version> = same.map(|known| known.release).collect();
    if let (Some(first), Some(last)) = (same.first(), same.last()) {
        let which = if first == last { first.to_string() } else { format!("{first} to {last}") };
        return (same, format!("producer {producer} is tensorflow {which}"));
    }
    if producer > 0 {
        // Between two releases: a nightly, or a patch release that is not known.
        let below = runtime.known.iter().filter(|known| known.graph_def < producer);
        let below = below.max_by_key(|known| known.graph_def).map(|known| known.release);
        let above = runtime.known.iter().filter(|known| known.graph_def > producer);
        let above = above.min_by_key(|known| known.graph_def).map(|known| known.release);
        let both: Vec<Version> = below.into_iter().chain(above).collect();
        return (both, format!("producer {producer} is that of no release known"));
    }
    let bracket = infer::bracket(graph, runtime.ops.history());
    let how = format!("no versions; by its ops and attributes written by {bracket}");
    (bracket.releases, how)
}

/// What is promised if `producer` writes for `consumer`.
fn state(producer: Version, consumer: Version) -> PromiseState {
    let same_major = producer.major() == consumer.major();
    if same_major && producer.minor() <= consumer.minor() {
        PromiseState::Promised
    } else {
        PromiseState::NotPromised
    }
}

/// The promises about `graph` on `runtime`.
pub(crate) fn promises(graph: &GraphUse, runtime: &TensorFlowRuntime) -> Vec<Promise> {
    let policy = policy();
    let consumer = runtime.version;
    let (releases, how) = producers(graph, runtime);
    let mut states: Vec<PromiseState> = releases.iter().map(|p| state(*p, consumer)).collect();
    states.dedup();
    let (state, statement) = match (states.as_slice(), releases.first()) {
        ([PromiseState::Promised], _) => (
            PromiseState::Promised,
            format!("{how}; tensorflow {consumer} is of the same major version and not older"),
        ),
        ([state], Some(producer)) if producer.major() == consumer.major() => (
            *state,
            format!("{how}, newer than tensorflow {consumer}: forward within patch releases only"),
        ),
        ([state], Some(producer)) => (
            *state,
            format!(
                "{how}: from major version {} to {} nothing is promised",
                producer.major(),
                consumer.major()
            ),
        ),
        _ => (PromiseState::Unknown, format!("{how}: too wide a range to tell")),
    };
    let promise = |state, statement, window, from, until| Promise {
        policy: policy.name.clone(),
        state,
        window,
        from,
        until,
        statement,
        reference: policy.reference.clone(),
    };
    let mut promises = vec![promise(state, statement, None, None, None)];
    let producer = graph.versions.as_ref().map_or(0, |versions| versions.producer);
    let newer = producer - runtime.graph_def.version;
    if newer > 0 {
        let days = forward_days();
        let from = day_of(runtime.graph_def.version);
        let until = day_of(runtime.graph_def.version.saturating_add(days));
        let (state, how) = match (from, newer <= days) {
            (None, _) => (PromiseState::Unknown, "these numbers are no days"),
            (Some(_), true) => (PromiseState::Promised, "inside of the forward window"),
            (Some(_), false) => (PromiseState::Expired, "more than the forward window"),
        };
        let statement = format!(
            "producer {producer} is {newer} above version {} of tensorflow {consumer}: {how}",
            runtime.graph_def.version
        );
        let window = policy.forward.as_ref().map(ToString::to_string);
        promises.push(promise(state, statement, window, from, until));
    }
    promises
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graph_versions_count_days_from_thirty_on() {
        assert_eq!(day_of(30), Some(Date::constant(2019, 5, 9)));
        assert_eq!(day_of(1395), Some(Date::constant(2023, 2, 2)));
        assert_eq!(day_of(27), None);
        assert_eq!(version_of(Date::constant(2023, 2, 2)), Some(1395));
        assert_eq!(version_of(Date::constant(2019, 5, 8)), None);
    }

    #[test]
    fn the_forward_window_is_that_of_the_policy() {
        assert_eq!(forward_days(), 21);
    }

    #[test]
    fn within_a_major_version_the_older_may_write_and_patch_releases_may_both() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        for (producer, consumer, promised) in [
            ("2.4.1", "2.15.1", true),
            ("2.4.4", "2.4.1", true),
            ("2.5.0", "2.4.4", false),
            ("1.15.0", "2.15.1", false),
        ] {
            let state = state(version(producer), version(consumer));
            assert_eq!(state == PromiseState::Promised, promised, "{producer} {consumer}");
        }
    }
}
