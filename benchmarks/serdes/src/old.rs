//! The records with one field more since version 1, for `unskew-serdes` and `revision`: what writing and
//! reading for an older version costs.

use revision::revisioned;
use unskew_serdes::Format;

use crate::{Axis, Dtype, Spec, Stored};

/// A [`Spec`] as it was before the tag, for `revision`, which does not write for older readers.
#[revisioned(revision = 1)]
#[derive(Clone, Debug, PartialEq)]
pub struct Before {
    pub name: String,
    pub dtype: Dtype,
    pub shape: Vec<i64>,
    pub devices: Vec<u32>,
    pub axes: Vec<Axis>,
    pub layout: Option<Vec<u8>>,
}

/// A [`Spec`] with a tag since version 1 (of `revision`: since revision 2).
#[revisioned(revision = 2)]
#[derive(Clone, Debug, PartialEq, Format)]
#[format(family = Stored)]
pub struct Tagged {
    pub name: String,
    pub dtype: Dtype,
    pub shape: Vec<i64>,
    pub devices: Vec<u32>,
    pub axes: Vec<Axis>,
    pub layout: Option<Vec<u8>>,
    #[revision(start = 2)]
    #[format(since = 1)]
    pub tag: u32,
}

impl From<&Spec> for Before {
    fn from(spec: &Spec) -> Self {
        let Spec { name, dtype, shape, devices, axes, layout } = spec.clone();
        Self { name, dtype, shape, devices, axes, layout }
    }
}

impl Tagged {
    /// The record with a tag; 0 is what older readers take for granted.
    pub fn of(spec: &Spec, tag: u32) -> Self {
        let Spec { name, dtype, shape, devices, axes, layout } = spec.clone();
        Self { name, dtype, shape, devices, axes, layout, tag }
    }
}
