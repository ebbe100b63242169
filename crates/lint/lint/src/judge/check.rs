//! One boundary while it is checked.

use unskew_kinds::{CompareOptions, FileChange, FileComparison};
use unskew_source::{Files, NotRead};

use super::apply_levels;
use super::lint_result::LintRequest;
use super::sides::Old;
use crate::boundary::Boundary;

/// A boundary, what is asked of it, and its two sides.
pub(super) struct Check<'a> {
    pub(super) request: &'a LintRequest<'a>,
    pub(super) boundary: &'a Boundary,
    pub(super) terms: CompareOptions<'a>,
    pub(super) new: Files,
    /// What they are compared with.
    pub(super) old: Old,
}

impl Check<'_> {
    pub(super) fn compare(&self, old: &Files) -> Result<FileComparison, NotRead> {
        self.boundary.kind.compare(old, &self.new, &self.terms)
    }

    /// What the boundary wants to hear of some changes since `old`, with its weights.
    pub(super) fn weighed(&self, changes: Vec<FileChange>, old: &Old) -> Vec<FileChange> {
        let weighed = changes
            .into_iter()
            .filter_map(|change| apply_levels::apply_levels(self.boundary, change));
        weighed.map(|change| apply_levels::since(change, old)).collect()
    }
}
