//! An overload that a call may mean.

use std::sync::Arc;

use super::{CallBinding, GivenValue, TypedSchema};
use crate::SchemaDefinition;

/// An overload that a call may mean: a row of a history, which is parsed when a call may fit it, or a signature that
/// stands alone.
#[derive(Clone, Debug)]
pub struct OverloadCandidate(CandidateSource);

#[derive(Clone, Debug)]
enum CandidateSource {
    Row(Arc<[SchemaDefinition]>, usize),
    Alone(Arc<TypedSchema>),
}

impl From<Arc<TypedSchema>> for OverloadCandidate {
    fn from(signature: Arc<TypedSchema>) -> Self {
        Self(CandidateSource::Alone(signature))
    }
}

impl OverloadCandidate {
    pub(crate) fn row(rows: &Arc<[SchemaDefinition]>, at: usize) -> Self {
        Self(CandidateSource::Row(rows.clone(), at))
    }

    /// Its signature; none if its row is no schema.
    pub fn signature(&self) -> Option<&Arc<TypedSchema>> {
        match &self.0 {
            CandidateSource::Row(rows, at) => rows.get(*at)?.signature(),
            CandidateSource::Alone(signature) => Some(signature),
        }
    }

    /// Whether it is this signature, which then was read already.
    pub fn is(&self, signature: &Arc<TypedSchema>) -> bool {
        let known = match &self.0 {
            CandidateSource::Row(rows, at) => {
                rows.get(*at).and_then(SchemaDefinition::known_signature)
            }
            CandidateSource::Alone(known) => Some(known),
        };
        known.is_some_and(|known| Arc::ptr_eq(known, signature))
    }

    /// Its signature with what the values stand for, if they fit.
    pub(super) fn fit(
        &self,
        given: &[GivenValue],
        conversions: bool,
    ) -> Option<(&Arc<TypedSchema>, CallBinding)> {
        match &self.0 {
            CandidateSource::Row(rows, at) => rows.get(*at)?.fit(given, conversions),
            CandidateSource::Alone(signature) => {
                Some((signature, signature.matches(given, conversions).ok()?))
            }
        }
    }
}
