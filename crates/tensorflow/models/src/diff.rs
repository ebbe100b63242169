//! Two op registries, held against what the document on versions of TensorFlow's data asks for.
//!
//! | what happened | what the document asks for | so it is |
//! | --- | --- | --- |
//! | a new op | nothing | a note |
//! | a new attribute with a default | three weeks before it is used, and defaults left out when graphs are written | a warning |
//! | an op is gone | a deprecation, a major release, a higher `min_producer` | an error, or a note if all were there |
//! | anything that old graphs do not survive | a new op beside the old one | an error |
//! | another default | never | a silent error |
//!
//! ```
//! use std::sync::Arc;
//! use unskew_source::{BytesSource, Source};
//! use unskew_tensorflow::diff::{self, ReleaseRegistry};
//!
//! let registry = |name: &str, text: &str| -> ReleaseRegistry {
//!     let source: Arc<dyn Source> = Arc::new(BytesSource::new(name, text.as_bytes().to_vec()));
//!     ReleaseRegistry::read(&source).unwrap().unwrap()
//! };
//! let old = registry("old.pbtxt", r#"op { name: "A" } op { name: "B" }"#);
//! let new = registry("new.pbtxt", r#"op { name: "A" attr { name: "x" type: "int" } }"#);
//! let codes: Vec<&str> = diff::findings(&old, &new).iter().map(|f| f.rule.code).collect();
//! assert_eq!(codes, ["TF601", "TF606", "TF620"]);
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_core::{Finding, Phase, Places, Severity, Version};
use unskew_definitions::Rows;
use unskew_source::{ReadError, Source};

use crate::read::{self, Encoding, TensorFlowFileKind};
use crate::{
    OpChange, OpChangeKind, OpDef, OpHistory, OpRegistry, RegistryDiff, TensorFlowRuntime,
    registry_diff, rules,
};

/// The op registry of a release, or of a file.
#[derive(Clone, Debug)]
pub struct ReleaseRegistry {
    /// The release, if it is one.
    pub release: Option<Version>,
    /// Its GraphDef version, if that is known.
    pub graph_def: Option<i64>,
    /// The op definitions, by name.
    pub ops: OpRegistry,
}

impl ReleaseRegistry {
    /// The registry of a release.
    pub fn of_release(runtime: &TensorFlowRuntime) -> Self {
        Self {
            release: Some(runtime.version),
            graph_def: Some(runtime.graph_def.version),
            ops: runtime.ops.clone(),
        }
    }

    /// The registry in `source`, an `OpList` as bytes or as text; none if it is none.
    ///
    /// # Errors
    /// If it is one, but broken, or defines an op twice.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        let bytes: Arc<dyn Source> = match read::recognize(&**source)? {
            Some((TensorFlowFileKind::OpList, Encoding::Binary)) => source.clone(),
            Some((TensorFlowFileKind::OpList, Encoding::Text)) => {
                Arc::new(read::transcode(&**source, TensorFlowFileKind::OpList)?)
            }
            _ => return Ok(None),
        };
        let ops = read::op_list(&*bytes)?;
        let malformed = |what: String| ReadError::malformed(source.name(), what);
        let mut names = BTreeSet::new();
        for op in &ops {
            if op.name.is_empty() {
                return Err(malformed("an op without a name".to_owned()));
            }
            if !names.insert(op.name.as_str()) {
                return Err(malformed(format!("an op that is defined twice: {}", op.name)));
            }
        }
        Self::of_ops(&ops).map(Some).map_err(malformed)
    }

    fn of_ops(ops: &[OpDef]) -> Result<Self, String> {
        let version = Version::number(0);
        let (text, _) =
            Rows::with_release(None, version, ops.iter().map(OpDef::to_string).collect());
        let history = OpHistory::from_text(text).map_err(|error| error.to_string())?;
        // An op whose names are no words cannot be written on a line and read again.
        history.validate().map_err(|error| error.to_string())?;
        let ops = OpRegistry::new(Arc::new(history), version, false);
        Ok(Self { release: None, graph_def: None, ops })
    }

    /// How many ops it lists.
    pub fn len(&self) -> usize {
        self.ops.texts().count()
    }

    /// Whether it lists none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A finding for every change from `old` to `new`, one for all ops that were added, and a summary if there is anything;
/// gravest first.
pub fn findings(old: &ReleaseRegistry, new: &ReleaseRegistry) -> Vec<Finding> {
    let diff = registry_diff(&old.ops, &new.ops);
    let mut found = Vec::new();
    if !diff.added.is_empty() {
        let rule = rules::ChangeOpAdded { count: &diff.added.len() };
        found.push(rule.finding().at(diff.added.iter().map(|op| &op.name).collect()));
    }
    for (op, changes) in &diff.changed {
        found.extend(changes.iter().filter_map(|change| finding(op, change, old, new)));
    }
    if !diff.added.is_empty() || !diff.changed.is_empty() {
        found.push(summary(&diff, old, new));
    }
    found.sort_by_key(Finding::gravity);
    found
}

/// The numbers of ops, of which each counts once, however much of it changed.
fn summary(diff: &RegistryDiff, old: &ReleaseRegistry, new: &ReleaseRegistry) -> Finding {
    let incompatible = diff.with(OpChangeKind::is_refused_by_the_registry).count();
    let redefaulted = diff.with(OpChangeKind::is_of_a_default).count();
    let removed = diff.removed().count();
    rules::ChangeSummary {
        old: &old.len(),
        new: &new.len(),
        added: &diff.added.len(),
        removed: &removed,
        incompatible: &incompatible,
        redefaulted: &redefaulted,
        changed: &diff.changed.len().saturating_sub(removed),
    }
    .finding()
}

/// Whether a major release lies between the two; none if one of them is a file.
fn passes_a_major(old: &ReleaseRegistry, new: &ReleaseRegistry) -> Option<bool> {
    Some(old.release?.major() < new.release?.major())
}

fn finding(
    op: &str,
    change: &OpChange,
    old: &ReleaseRegistry,
    new: &ReleaseRegistry,
) -> Option<Finding> {
    let rule = change.kind.rule()?;
    let place = Places::from_iter([op]);
    let finding = |what: &str| {
        let finding = Finding::new(rule, format!("op `{op}`: {what}")).at(place.clone());
        if rule.fix.is_empty() { finding } else { finding.with_fix(rule.fix) }
    };
    let text = match change.place == op {
        // The op is named in front already.
        true => change.to_string().replacen(&format!(": {op}"), "", 1),
        false => change.to_string(),
    };
    Some(match (change.kind, passes_a_major(old, new)) {
        (OpChangeKind::DeprecatedOpRemoved, Some(true)) => {
            finding(&format!("{text}, after a major release")).with_severity(Severity::Note)
        }
        (OpChangeKind::DeprecatedOpRemoved, Some(false)) => {
            finding(&format!("{text}, within a major version"))
        }
        (OpChangeKind::DeprecatedOpRemoved, None) => {
            finding(&format!("{text}; whether a major release lies between the files is not known"))
                .with_severity(Severity::Warning)
        }
        (OpChangeKind::OpDeprecated, _) => return Some(deprecated(finding, &text, change, old)),
        // Backward compatibility is promised within a major version; the change is one all the same.
        (kind, Some(true))
            if rule.severity == Severity::Error && kind != OpChangeKind::DefaultChanged =>
        {
            finding(&format!("{text}; a major release lies between"))
        }
        (OpChangeKind::AttributeAdded, _) => {
            let refused = old.release.map(|release| release < Version::pair(2, 5));
            match refused {
                Some(true) => finding(&format!("{text}; the old release refuses graphs with it")),
                Some(false) => finding(&format!("{text}; the old release ignores it")),
                None => finding(&text),
            }
        }
        _ => finding(&text),
    })
}

/// A deprecation counts from a version on, which must be above those that wrote graphs before.
fn deprecated(
    finding: impl Fn(&str) -> Finding,
    text: &str,
    change: &OpChange,
    old: &ReleaseRegistry,
) -> Finding {
    let version: Option<i64> = change.is.parse().ok();
    match (version, old.graph_def) {
        (Some(version), Some(before)) if version <= before => finding(&format!(
            "{text}: from producer {version} on, which refuses graphs of the old release, of producer {before}"
        ))
        .with_severity(Severity::Warning)
        .in_phase(Phase::Load)
        .with_fix("Deprecate it at the version of the new release."),
        _ => finding(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unskew_source::BytesSource;

    fn read(text: &str) -> Result<Option<ReleaseRegistry>, ReadError> {
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("r", text.as_bytes().to_vec()));
        ReleaseRegistry::read(&source)
    }

    fn codes(old: &str, new: &str, releases: Option<(i64, i64)>) -> Vec<(&'static str, Severity)> {
        let [mut old, mut new] = [old, new].map(|text| read(text).unwrap().unwrap());
        if let Some((a, b)) = releases {
            (old.release, new.release) = (Some(Version::number(a)), Some(Version::number(b)));
        }
        let found = findings(&old, &new);
        let found = found.iter().filter(|finding| finding.rule.code != "TF620");
        found.map(|finding| (finding.rule.code, finding.severity)).collect()
    }

    #[test]
    fn an_op_may_go_after_a_deprecation_and_a_major_release() {
        let old =
            r#"op { name: "A" } op { name: "B" deprecation { version: 9 explanation: "Use A." } }"#;
        let new = r#"op { name: "A" }"#;
        assert_eq!(codes(old, new, Some((1, 2))), [("TF602", Severity::Note)]);
        assert_eq!(codes(old, new, Some((2, 2))), [("TF602", Severity::Error)]);
        assert_eq!(codes(old, new, None), [("TF602", Severity::Warning)]);
        assert_eq!(codes(new, old, None), [("TF600", Severity::Note)]);
    }

    #[test]
    fn a_deprecation_must_spare_the_graphs_of_the_release_before() {
        let old = r#"op { name: "A" }"#;
        let new = r#"op { name: "A" deprecation { version: 9 explanation: "Use B." } }"#;
        let [mut old, new] = [old, new].map(|text| read(text).unwrap().unwrap());
        for (graph_def, severity) in [(8, Severity::Note), (9, Severity::Warning)] {
            old.graph_def = Some(graph_def);
            assert_eq!(findings(&old, &new)[0].severity, severity);
        }
    }

    #[test]
    fn what_is_torn_or_doubled_is_an_error_and_what_is_something_else_is_not_ours() {
        assert!(
            read(r#"op { name: "A" } op { name: "A" }"#)
                .unwrap_err()
                .to_string()
                .contains("twice: A")
        );
        assert!(read(r#"op { name: "A" attr { name "T" } }"#).is_err());
        assert!(read(r#"op { name: "A""#).is_err());
        assert!(read("just words").unwrap().is_none());
        assert!(read("").unwrap().is_none());
    }
}
