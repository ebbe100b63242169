//! The records that the benchmarks write and read: 10,000 descriptions of arrays, in the types that
//! each library wants.
//!
//! All hold the same: a name, one of 18 element types, a shape, the ids of 1 to 64 devices, 1 to 3 named
//! axes, and for three of ten some bytes of layout; 164 bytes on average when counted as they are used
//! ([`Spec::logical_bytes`]).
#![allow(missing_docs, reason = "the names say it, and most code here is derived")]

mod made;
pub mod message;
pub mod old;
pub mod target;

pub use made::records;

use savefile_derive::Savefile;
use serde::{Deserialize, Serialize};
use unskew_serdes::{Format, family};

family!(/** What the benchmarks store. */ pub Stored = "src/stored.history.toml");

/// An element type; 18 of them, as XLA numbers them.
#[revision::revisioned(revision = 1)]
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Format,
    Serialize,
    Deserialize,
    Savefile,
    bitcode::Encode,
    bitcode::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
)]
#[format(family = Stored, plain, view)]
#[repr(u8)]
pub enum Dtype {
    #[format(id = 1)]
    Pred,
    #[format(id = 2)]
    S8,
    #[format(id = 3)]
    S16,
    #[format(id = 4)]
    S32,
    #[format(id = 5)]
    S64,
    #[format(id = 6)]
    U8,
    #[format(id = 7)]
    U16,
    #[format(id = 8)]
    U32,
    #[format(id = 9)]
    U64,
    #[format(id = 10)]
    F16,
    #[format(id = 11)]
    F32,
    #[format(id = 12)]
    F64,
    #[format(id = 15)]
    C64,
    #[format(id = 16)]
    Bf16,
    #[format(id = 18)]
    C128,
    #[format(id = 19)]
    F8e5m2,
    #[format(id = 20)]
    F8e4m3fn,
    #[format(id = 21)]
    S4,
}

/// Every element type, in the order of their numbers in the formats.
pub const DTYPES: [Dtype; 18] = {
    use Dtype::*;
    [
        Pred, S8, S16, S32, S64, U8, U16, U32, U64, F16, F32, F64, C64, Bf16, C128, F8e5m2,
        F8e4m3fn, S4,
    ]
};

/// An axis of a mesh of devices.
#[revision::revisioned(revision = 1)]
#[derive(
    Clone,
    Debug,
    PartialEq,
    Format,
    Serialize,
    Deserialize,
    Savefile,
    bitcode::Encode,
    bitcode::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
)]
#[format(family = Stored, view)]
pub struct Axis {
    pub name: String,
    pub size: u32,
}

/// The description of an array.
#[revision::revisioned(revision = 1)]
#[derive(
    Clone,
    Debug,
    PartialEq,
    Format,
    Serialize,
    Deserialize,
    Savefile,
    bitcode::Encode,
    bitcode::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
)]
#[format(family = Stored, view)]
pub struct Spec {
    pub name: String,
    pub dtype: Dtype,
    pub shape: Vec<i64>,
    pub devices: Vec<u32>,
    pub axes: Vec<Axis>,
    pub layout: Option<Vec<u8>>,
}

impl Spec {
    /// How many bytes its contents have: 8 an extent, 4 a device, texts and bytes as they are.
    pub fn logical_bytes(&self) -> usize {
        let axes: usize = self.axes.iter().map(|axis| axis.name.len() + 4).sum();
        let layout = self.layout.as_ref().map_or(0, Vec::len);
        self.name.len() + 1 + 8 * self.shape.len() + 4 * self.devices.len() + axes + layout
    }
}

/// A version of the records.
///
/// # Panics
/// If there is none of this number.
pub fn at(number: i64) -> unskew_serdes::FamilyVersion<Stored> {
    Stored::access().any().get(number).expect("a version that is written")
}
