//! The records for `versionize`, which writes for a target version; with one field more since version 2
//! of the type.

use versionize::{VersionMap, Versionize, VersionizeResult};
use versionize_derive::Versionize;

use crate::{DTYPES, Spec};

#[derive(Clone, Debug, PartialEq, Versionize)]
pub struct Axis {
    pub name: String,
    pub size: u32,
}

#[derive(Clone, Debug, PartialEq, Versionize)]
pub struct Record {
    pub name: String,
    pub dtype: u8,
    pub shape: Vec<i64>,
    pub devices: Vec<u32>,
    pub axes: Vec<Axis>,
    pub layout: Option<Vec<u8>>,
    #[version(start = 2)]
    pub tag: u32,
}

/// Version 1 is without the tag, 2 has it.
pub fn versions() -> VersionMap {
    let mut versions = VersionMap::new();
    versions.new_version().set_type_version(Record::type_id(), 2);
    versions
}

impl From<&Spec> for Record {
    fn from(spec: &Spec) -> Self {
        let position = DTYPES.iter().position(|dtype| *dtype == spec.dtype);
        Self {
            name: spec.name.clone(),
            dtype: position.unwrap_or_default() as u8,
            shape: spec.shape.clone(),
            devices: spec.devices.clone(),
            axes: spec
                .axes
                .iter()
                .map(|axis| Axis { name: axis.name.clone(), size: axis.size })
                .collect(),
            layout: spec.layout.clone(),
            tag: 0,
        }
    }
}
