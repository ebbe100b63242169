//! Verdict of a release and a serialized value.

use std::sync::Arc;

use unskew_core::{Context, Finding, Judgement, Matcher, Party, Role, Version, VersionRange};
use unskew_serdes::proto::{Message, encode};
use unskew_serdes::{EncodeError, EncodeProblem, Family};

use crate::party::SerializedValue;
use crate::release::IfrtRelease;
use crate::rules;
use crate::types::{Ifrt, Serialized, Sharding, ShardingParamSharding, any};

/// A value's requirement: a reader that reads it.
pub(crate) struct ValueRequirement(pub(crate) Arc<SerializedValue>);

impl Matcher for ValueRequirement {
    fn judge(&self, _: &Party, other: &Party, _: &Context) -> Option<Judgement> {
        if other.role == Role::Artifact {
            return None;
        }
        let release = other.capability::<IfrtRelease>()?;
        let findings = self.0.judge(&release.name, release.serdes?);
        Some(Judgement { findings, ..Judgement::default() })
    }
}

impl SerializedValue {
    /// Why the reader of this name, which reads these versions, does not read the value, or reads it
    /// as something else; empty if it reads it.
    pub fn judge(&self, reader: &str, versions: VersionRange) -> Vec<Finding> {
        let number = |version: Option<Version>| {
            version.map_or(0, |version| u32::try_from(version.major()).unwrap_or(0))
        };
        let (min, max) = (number(versions.min), number(versions.max));
        if let Some((what, removed)) = self.removed().filter(|(_, removed)| min >= *removed) {
            let last = &removed.saturating_sub(1);
            let rule = rules::ValueNoLongerRead { reader: &reader, min: &min, last, what: &what };
            return vec![rule.finding()];
        }
        let too_new = |since: u32, what: &str| {
            rules::ValueTooNew { reader: &reader, max: &max, since: &since, what: &what }.finding()
        };
        let recorded = self.format.filter(|format| *format > max);
        match (missing(&self.value, max), recorded) {
            (None, None) => Vec::new(),
            // Its number alone stands in the way.
            (None, Some(format)) => vec![too_new(format, "the version that it records")],
            (Some(Missing { since, what, whole }), recorded) if whole || recorded.is_some() => {
                vec![too_new(since, &what)]
            }
            (Some(Missing { since, what, .. }), _) => {
                let (since, what) = (&since, &what);
                let rule = rules::ValueReadWrongly { reader: &reader, max: &max, since, what };
                vec![rule.finding()]
            }
        }
    }

    /// What is in the value that newer builds do not know any more, and the minimum of the first that
    /// does not.
    fn removed(&self) -> Option<(&'static str, u32)> {
        let param = |sharding: &Sharding| matches!(sharding, Sharding::ShardingParam(_));
        let description = match &self.value {
            Serialized::CustomCallProgram(program) => {
                let mut specs = program.input_specs.iter().chain(&program.output_specs);
                specs
                    .any(|spec| param(&spec.sharding))
                    .then_some(<ShardingParamSharding as Message<Ifrt>>::DESCRIPTION)?
            }
            value => value.type_of().1,
        };
        description.removed_with_minimum.map(|minimum| (description.rust, minimum))
    }
}

/// What a version does not have.
struct Missing {
    since: u32,
    what: String,
    /// Whether it is the value as a whole, or a value in it that records its own number: a reader
    /// refuses these.
    whole: bool,
}

/// What of a value readers up to `max` do not know; none if they know all of it.
fn missing<M: Message<Ifrt>>(value: &M, max: u32) -> Option<Missing> {
    let version = any().get(max.min(Ifrt::CURRENT).into()).ok()?;
    let error: EncodeError = encode(value, version).err()?;
    let EncodeProblem::TooYoung { since, .. } = *error.problem() else { return None };
    let what = error.path().to_string();
    let whole = what == "the value" || what.ends_with("unreduced_axes");
    Some(Missing { since, what, whole })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::*;

    fn judge(value: Serialized, format: Option<u32>, (min, max): (i64, i64)) -> Vec<Finding> {
        let range = VersionRange::between(Version::number(min), Version::number(max));
        SerializedValue { value, format }.judge("a reader", range)
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

    #[test]
    fn what_came_without_a_version_is_read_wrongly() {
        let program = |kind: DTypeKind, sharding: Sharding| {
            let spec =
                ArraySpec { dtype: kind.into(), shape: Shape::default(), sharding, layout: None };
            let input_specs = vec![spec];
            Serialized::CustomCallProgram(CustomCallProgram {
                input_specs,
                ..CustomCallProgram::default()
            })
        };
        let plain = Sharding::SingleDevice(SingleDeviceSharding::default());
        let findings = judge(program(DTypeKind::F6e3m2fn, plain.clone()), Some(0), (0, 3));
        let (code, text) = only(&findings);
        assert_eq!(code, "IF203");
        assert!(text.contains("input_specs[0].dtype.kind"), "{text}");
        assert!(judge(program(DTypeKind::F32, plain), Some(0), (0, 0)).is_empty());
        // Inside other values, too, a type may be gone, or record a number of its own.
        let param = |unreduced_axes: Vec<i32>| {
            let sharding_param = ShardingParam { unreduced_axes, ..ShardingParam::default() };
            let sharding = ShardingParamSharding { sharding_param, ..Default::default() };
            program(DTypeKind::F32, Sharding::ShardingParam(sharding))
        };
        assert_eq!(only(&judge(param(vec![]), Some(0), (2, 6))).0, "IF202");
        assert_eq!(only(&judge(param(vec![1]), Some(0), (0, 0))).0, "IF201");
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
