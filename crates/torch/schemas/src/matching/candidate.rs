//! An overload that a call may mean.

use std::sync::Arc;

use super::{Binding, Given, Signature};
use crate::Definition;

/// An overload that a call may mean: a row of a history, which is parsed when a call may fit it, or a signature that
/// stands alone.
#[derive(Clone, Debug)]
pub struct Candidate(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Row(Arc<[Definition]>, usize),
    Alone(Arc<Signature>),
}

impl From<Arc<Signature>> for Candidate {
    fn from(signature: Arc<Signature>) -> Self {
        Self(Kind::Alone(signature))
    }
}

impl Candidate {
    /// The row at this place.
    pub(crate) fn row(rows: &Arc<[Definition]>, at: usize) -> Self {
        Self(Kind::Row(rows.clone(), at))
    }

    /// Its signature; none if its row is no schema.
    pub fn signature(&self) -> Option<&Arc<Signature>> {
        match &self.0 {
            Kind::Row(rows, at) => rows.get(*at)?.signature(),
            Kind::Alone(signature) => Some(signature),
        }
    }

    /// Whether it is this signature, which then was read already.
    pub fn is(&self, signature: &Arc<Signature>) -> bool {
        let known = match &self.0 {
            Kind::Row(rows, at) => rows.get(*at).and_then(Definition::known_signature),
            Kind::Alone(known) => Some(known),
        };
        known.is_some_and(|known| Arc::ptr_eq(known, signature))
    }

    /// Its signature with what the values stand for, if they fit.
    pub(super) fn fit(
        &self,
        given: &[Given],
        conversions: bool,
    ) -> Option<(&Arc<Signature>, Binding)> {
        match &self.0 {
            Kind::Row(rows, at) => rows.get(*at)?.fit(given, conversions),
            Kind::Alone(signature) => {
                Some((signature, signature.matches(given, conversions).ok()?))
            }
        }
    }
}
