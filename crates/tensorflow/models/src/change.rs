//! Changes between two definitions of an op, and between two registries.
//!
//! ```
//! use unskew_tensorflow::{OpChangeKind, OpDef, op_changes};
//!
//! let old: OpDef = "Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type}".parse().unwrap();
//! let new = "Cast(x: SrcT) -> (y: DstT) {SrcT: type, DstT: type, Truncate: bool = false}";
//! let found = op_changes(&old, &new.parse().unwrap());
//! assert_eq!(found[0].kind, OpChangeKind::AttributeAdded);
//! assert!(found[0].kind.is_backward_compatible());
//! // Releases up to 2.4 refuse graphs with it.
//! assert!(!found[0].kind.is_forward_compatible());
//! ```

mod attributes;
mod change_kind;
mod signature;

pub use change_kind::OpChangeKind;

use std::collections::BTreeMap;
use std::fmt;

use unskew_definitions::in_a_sentence;

use crate::{OpDef, OpRegistry};

/// One change of an op, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpChange {
    /// What kind it is.
    pub kind: OpChangeKind,
    /// What changed: an attribute by its name, `inputs`, `outputs`, or the op.
    pub place: String,
    /// What it was; empty for what was not there.
    pub was: String,
    /// What it is; empty for what is no longer there.
    pub is: String,
}

impl fmt::Display for OpChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, place, was, is } = self;
        let summary =
            in_a_sentence(kind.rule().map_or("the definition changed", |rule| rule.summary));
        write!(f, "{summary}: {place}")?;
        match (was.is_empty(), is.is_empty()) {
            (true, true) => Ok(()),
            (true, false) => write!(f, " ({is})"),
            (false, true) => write!(f, " ({was})"),
            (false, false) => write!(f, " ({was} -> {is})"),
        }
    }
}

/// What changed between two registries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegistryDiff {
    /// Ops that the old registry did not have.
    pub added: Vec<OpDef>,
    /// Ops that changed or were removed, by name, with every change.
    pub changed: BTreeMap<String, Vec<OpChange>>,
}

impl RegistryDiff {
    /// The ops that were removed.
    pub fn removed(&self) -> impl Iterator<Item = &str> {
        self.with(|kind| {
            matches!(kind, OpChangeKind::OpRemoved | OpChangeKind::DeprecatedOpRemoved)
        })
    }

    /// The ops with a change of such a kind.
    pub fn with(&self, is: impl Fn(OpChangeKind) -> bool) -> impl Iterator<Item = &str> {
        let changed = self.changed.iter();
        changed
            .filter(move |(_, changes)| changes.iter().any(|change| is(change.kind)))
            .map(|(name, _)| name.as_str())
    }
}

/// Every change from `old` to `new`, two definitions of one op.
pub fn op_changes(old: &OpDef, new: &OpDef) -> Vec<OpChange> {
    let mut found = Vec::new();
    attributes::changes(old, new, &mut found);
    signature::changes(old, new, &mut found);
    let version = |op: &OpDef| op.deprecation.as_ref().map(|deprecation| deprecation.version);
    let kind = match (version(old), version(new)) {
        (None, Some(_)) => Some(OpChangeKind::OpDeprecated),
        (old, new) if old != new => Some(OpChangeKind::DeprecationChanged),
        _ => None,
    };
    if let Some(kind) = kind {
        let [was, is] = [old, new].map(|op| version(op).map(|v| v.to_string()).unwrap_or_default());
        found.push(OpChange { kind, place: new.name.clone(), was, is });
    }
    found
}

/// What changed between two registries. If one of them lists public ops only, internal ones, whose
/// names begin with `_`, are left out.
pub fn registry_diff(old: &OpRegistry, new: &OpRegistry) -> RegistryDiff {
    let public_only = old.public_only() || new.public_only();
    let mut olds = by_name(old, public_only);
    let mut diff = RegistryDiff::default();
    for (name, new) in by_name(new, public_only) {
        match olds.remove(&name) {
            None => diff.added.extend(new.parse()),
            Some(old) if old == new => {}
            Some(old) => {
                let (Ok(old), Ok(new)) = (old.parse::<OpDef>(), new.parse::<OpDef>()) else {
                    continue;
                };
                let found = op_changes(&old, &new);
                if !found.is_empty() {
                    diff.changed.insert(name, found);
                }
            }
        }
    }
    for (name, old) in olds {
        let deprecated = old.parse::<OpDef>().is_ok_and(|op| op.deprecation.is_some());
        let kind = match deprecated {
            true => OpChangeKind::DeprecatedOpRemoved,
            false => OpChangeKind::OpRemoved,
        };
        let change = OpChange { kind, place: name.clone(), was: String::new(), is: String::new() };
        diff.changed.insert(name, vec![change]);
    }
    diff
}

fn by_name(registry: &OpRegistry, public_only: bool) -> BTreeMap<String, &str> {
    let ops = registry.texts().filter_map(|text| Some((text.split_once('(')?.0, text)));
    let wanted = ops.filter(|(name, _)| !(public_only && name.starts_with('_')));
    wanted.map(|(name, text)| (name.to_owned(), text)).collect()
}
