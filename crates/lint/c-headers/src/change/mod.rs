//! From one contract to the next: what changed, which number that raises, and whether it was raised.
//!
//! A change is an instance of a rule. Which kind of change raises which number is not for the rules to
//! say but for a [`HeaderPolicy`], a data file; there is one for each public document:
//!
//! | policy | document | numbers |
//! | --- | --- | --- |
//! | `pjrt` | PJRT C API ABI versioning | major for what breaks, minor for what is added or renamed |
//! | `stream-executor` | StreamExecutor C API versioning | semantic versioning; a rename breaks too |
//! | `semver` | semantic versioning | what headers with a version of their own are held to |
//! | `soname` | libraries that keep their soname | none: no number allows a break |
//! | `none` | | none; what headers without a version are held to |
//!
//! Comparing goes field by field, by name first: a field that kept its place under another name was
//! renamed, a field that others were put in front of has moved. One cause makes one finding: the fields
//! that moved because of it are counted in its message. A type that is only spelled in another way
//! (`const`, `void*`, another name of the same type) is the same to a machine.
//!
//! What a finding weighs depends on the numbers. A change that breaks is an error unless its version has a
//! new major number; it is a warning where an extension has a new number, because that number is in no
//! message that the two sides exchange. A change of a class whose number was raised is a note.
//!
//! ```
//! use unskew_c_headers::change::{Class, HeaderPolicy, compare};
//! use unskew_c_headers::contract::{HeaderContract, HeaderSource};
//!
//! let read = |text: &str| {
//!     HeaderContract::read(&[HeaderSource { name: "thing.h", text: text.as_bytes() }], "")
//! };
//! let old = read("#define THING_MINOR 1
//!     struct Thing { size_t struct_size; int a; };
//!     #define THING_STRUCT_SIZE SIZE(Thing, a)");
//! let new = read("#define THING_MINOR 2
//!     struct Thing { size_t struct_size; int a; void* b; };
//!     #define THING_STRUCT_SIZE SIZE(Thing, a)");
//! let policy = HeaderPolicy::named("pjrt").ok_or("no such policy")?;
//! let comparison = compare(&old, &new, policy, None);
//! let codes: Vec<_> = comparison.changes.iter().map(|c| c.finding.rule.code).collect();
//! assert_eq!(codes, ["HD002", "HD101"], "appended, and announced with its old end");
//! assert_eq!(comparison.bumps[0].required, Class::Minor);
//! assert_eq!(comparison.bumps[0].made, Class::Minor);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod align;
mod callable;
mod constness;
mod embedded;
mod enumeration;
mod field;
mod header_change;
mod insertion;
mod neighbour;
mod new_header_checks;
mod pair;
mod policy;
mod record;
mod removals;
mod rename;
mod size;
mod type_equivalence;
mod version;
mod words;

pub use header_change::HeaderChange;
pub use policy::{Class, HeaderPolicy};
pub use type_equivalence::TypeEquivalence;
pub use version::{ALLOWED, AT_BUILD, Bump};

use unskew_core::{Date, Finding, Severity};

use crate::contract::HeaderContract;
use header_change::Changes;
use pair::ContractPair;

/// Everything that changed between two contracts.
#[derive(Clone, Debug)]
pub struct HeaderComparison {
    /// The changes, gravest first.
    pub changes: Vec<HeaderChange>,
    /// For every version: the number that was to be raised, and the one that was.
    pub bumps: Vec<Bump>,
    /// What changed and was not understood, each with its file.
    pub not_judged: Vec<(String, String)>,
}

impl HeaderComparison {
    /// The findings, gravest first.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.changes.iter().map(|change| &change.finding)
    }

    /// The most severe finding; none without findings.
    pub fn severity(&self) -> Option<Severity> {
        self.findings().map(|finding| finding.severity).max()
    }
}

/// Compares two contracts. `today` is the day on which deprecations with a date are judged.
pub fn compare(
    old: &HeaderContract,
    new: &HeaderContract,
    policy: &HeaderPolicy,
    today: Option<Date>,
) -> HeaderComparison {
    let pair = ContractPair::new(old, new, today);
    let mut changes = Changes::default();
    record::all(&pair, &mut changes);
    callable::all(&pair, &mut changes);
    enumeration::all(&pair, &mut changes);
    changes.guarded();
    new_header_checks::all(&pair, &mut changes);
    removals::unread(&pair, &mut changes);
    removals::headers(&pair, &mut changes);
    neighbour::place(&pair, &mut changes);
    let (mut changes, bumps) = version::judge(&pair, policy, changes.list);
    changes.retain(|change| policy.wants(change.finding.rule));
    let not_judged = not_judged(&mut changes);
    changes.sort_by_cached_key(|change| {
        (change.finding.gravity(), change.finding.places.named().to_vec())
    });
    HeaderComparison { changes, bumps, not_judged }
}

/// What was not understood, and is not what it was: nothing is claimed of it.
fn not_judged(changes: &mut [HeaderChange]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for change in changes {
        let finding = &mut change.finding;
        if finding.rule.code == "HD007" && finding.severity == Severity::Error {
            finding.severity = Severity::Warning;
            found.push((change.file.clone(), finding.message.clone()));
        }
    }
    found
}
