//! The records as protobuf messages, for `prost`.

use crate::{DTYPES, Spec};

#[derive(Clone, PartialEq, prost::Message)]
pub struct Axis {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(uint32, tag = "2")]
    pub size: u32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Record {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(uint32, tag = "2")]
    pub dtype: u32,
    #[prost(int64, repeated, tag = "3")]
    pub shape: Vec<i64>,
    #[prost(uint32, repeated, tag = "4")]
    pub devices: Vec<u32>,
    #[prost(message, repeated, tag = "5")]
    pub axes: Vec<Axis>,
    #[prost(bytes = "vec", optional, tag = "6")]
    pub layout: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Records {
    #[prost(message, repeated, tag = "1")]
    pub records: Vec<Record>,
}

impl From<&[Spec]> for Records {
    fn from(specs: &[Spec]) -> Self {
        Self { records: specs.iter().map(Record::from).collect() }
    }
}

impl From<&Spec> for Record {
    fn from(spec: &Spec) -> Self {
        let position = DTYPES.iter().position(|dtype| *dtype == spec.dtype);
        Self {
            name: spec.name.clone(),
            dtype: position.unwrap_or_default() as u32 + 1,
            shape: spec.shape.clone(),
            devices: spec.devices.clone(),
            axes: spec
                .axes
                .iter()
                .map(|axis| Axis { name: axis.name.clone(), size: axis.size })
                .collect(),
            layout: spec.layout.clone(),
        }
    }
}
