//! Whether a release reads a serialized value.

use std::sync::Arc;

use unskew_core::{Context, Finding, Judgement, Matcher, Party, Role, Version, VersionRange};
use unskew_serdes::proto::{Message, encode};
use unskew_serdes::{Family, WriteError, WriteProblem};

use crate::party::Value;
use crate::release::Release;
use crate::rules;
use crate::types::{Ifrt, any};

/// A value's requirement: a reader that reads it.
pub(crate) struct Reading(pub(crate) Arc<Value>);

impl Matcher for Reading {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if other.role == Role::Artifact {
            return None;
        }
        let release = other.capability::<Release>()?;
        let findings = self.0.judge(&release.name, release.serdes?);
        Some(Judgement { findings, promises: Vec::new() })
    }
}

impl Value {
    /// Why the reader of this name, which reads these versions, does not read the value; empty if it
    /// does.
    ///
    /// Every type that has a name of its own is refused by readers that are too old for it or for what
    /// is in it: none has a field that came without a version.
    pub fn judge(&self, reader: &str, versions: VersionRange) -> Vec<Finding> {
        let number = |version: Option<Version>| {
            version.map_or(0, |version| u32::try_from(version.major()).unwrap_or(0))
        };
        let (min, max) = (number(versions.min), number(versions.max));
        let (_, description) = self.value.type_of();
        if let Some(removed) = description.removed_with_minimum.filter(|removed| min >= *removed) {
            let rule = rules::ValueNoLongerRead {
                reader: &reader,
                min: &min,
                last: &removed.saturating_sub(1),
                what: &description.rust,
            };
            return vec![rule.finding()];
        }
        let too_new = |since: u32, what: &str| {
            rules::ValueTooNew { reader: &reader, max: &max, since: &since, what: &what }.finding()
        };
        let recorded = self.format.filter(|format| *format > max);
        match (missing(&self.value, max), recorded) {
            (None, None) => Vec::new(),
            (Some(missing), _) => vec![too_new(missing.since, &missing.what)],
            // Its number alone stands in the way.
            (None, Some(format)) => vec![too_new(format, "the version that it records")],
        }
    }
}

/// What a version does not have.
struct Missing {
    since: u32,
    what: String,
}

/// What of a value readers up to `max` do not know; none if they know all of it.
fn missing<M: Message<Ifrt>>(value: &M, max: u32) -> Option<Missing> {
    let version = any().get(max.min(Ifrt::CURRENT).into()).ok()?;
    let error: WriteError = encode(value, version).err()?;
    let WriteProblem::TooYoung { since, .. } = *error.problem() else { return None };
    Some(Missing { since, what: error.path().to_string() })
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::types::*;

    fn judge(value: Serialized, format: Option<u32>, (min, max): (i64, i64)) -> Vec<Finding> {
        let range = VersionRange::between(Version::number(min), Version::number(max));
        Value { value, format }.judge("a reader", range)
    }

    fn only(findings: &[Finding]) -> (&str, &str) {
        let [finding] = findings else { return ("", "") };
        (finding.rule.code, &finding.message)
    }

    #[test]
    fn a_value_of_a_later_version_is_refused_by_an_older_reader() {
        let options = |bundles: &[i32]| {
            Serialized::XlaCompileOptions(XlaCompileOptions {
                outputs_bundle_slice_sizes: bundles.to_vec(),
                ..XlaCompileOptions::default()
            })
        };
        let findings = judge(options(&[1]), Some(4), (0, 3));
        let (code, text) = only(&findings);
        assert_eq!(code, "IF201");
        assert!(text.contains("outputs_bundle_slice_sizes"), "{text}");
        assert!(judge(options(&[1]), Some(4), (0, 4)).is_empty());
        // Its makers record 4 whatever is in it: the number alone stands in the way.
        let findings = judge(options(&[]), Some(4), (0, 3));
        assert_eq!(only(&findings).0, "IF201");
        assert!(judge(options(&[]), Some(0), (0, 3)).is_empty());
    }

    #[test]
    fn a_type_that_came_without_a_version_is_refused_by_name() {
        let spec = Serialized::HloShardingSpec(HloShardingSpec::default());
        let findings = judge(spec.clone(), Some(0), (0, 4));
        assert_eq!(only(&findings).0, "IF201");
        assert!(judge(spec, Some(0), (2, 6)).is_empty());
    }

    /// What `judge` relies on: a field that came without a version would be dropped, not refused.
    #[test]
    fn no_type_with_a_name_has_a_field_that_came_without_a_version() {
        use unskew_serdes::proto::{Kind, Message};
        let Kind::Serialized(types) = Serialized::DESCRIPTION.fields[0].kind else { panic!() };
        for named in types {
            (named.description)().walk(&mut |message| {
                let fields = message.fields.iter();
                assert!(fields.filter(|f| f.since.version > 0).all(|f| !f.since.silent));
            });
        }
    }

    #[test]
    fn a_type_that_was_removed_is_refused_by_a_newer_reader() {
        let param = Serialized::ShardingParamSharding(ShardingParamSharding::default());
        assert!(judge(param.clone(), Some(0), (0, 6)).is_empty());
        let findings = judge(param, Some(0), (2, 6));
        let (code, text) = only(&findings);
        assert_eq!(code, "IF202");
        assert!(text.contains("ShardingParamSharding"), "{text}");
    }

    #[test]
    fn programs_and_what_has_always_been_there_are_read_by_all() {
        for range in [(0, 0), (0, 3), (2, 6)] {
            let sharding = Serialized::HloSharding(HloSharding::default());
            assert!(judge(sharding, Some(0), range).is_empty());
        }
    }
}
