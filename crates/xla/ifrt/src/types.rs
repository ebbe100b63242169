//! The IFRT types: byte for byte what jaxlib writes, for readers of any age.
//!
//! Each type says in one place which fields it has, which number it records and since when; writer,
//! reader, reference and floors come from that. `cargo lab ifrt` holds it against the descriptors in
//! real packages of jaxlib.
//!
//! ```
//! use unskew_ifrt::types::{DeviceList, HloSharding, Ifrt, OpSharding, Sharding};
//! use unskew_serdes::proto::{decode, encode};
//! use unskew_serdes::default_version;
//!
//! // What the client of jaxlib 0.10.2 sends for an array on device 0.
//! let sharding = HloSharding {
//!     devices: DeviceList { device_ids: vec![0] },
//!     xla_op_sharding: OpSharding::default(),
//!     memory_kind: Some("device".to_owned()),
//! };
//! let bytes = encode(&sharding, default_version::<Ifrt>()).unwrap();
//! assert_eq!(bytes, b"\x0a\x03\x0a\x01\x00\x12\x00\x1a\x06device");
//! assert_eq!(decode::<Ifrt, HloSharding>(&bytes).unwrap(), sharding);
//!
//! // In other values it stands with its name.
//! let named = encode(&Sharding::Hlo(sharding), default_version::<Ifrt>()).unwrap();
//! assert!(named.windows(22).any(|part| part == b"xla::ifrt::HloSharding"));
//! ```
//!
//! A value that the requested version cannot hold is an error with the path of the field, also where
//! the makers of IFRT would have let an older reader misread it:
//!
//! ```
//! # #[cfg(feature = "any-version")] {
//! use unskew_ifrt::types::{DType, DTypeKind, any_version};
//! use unskew_serdes::proto::encode;
//!
//! let dtype = DType::from(DTypeKind::F6e2m3fn);
//! assert!(encode(&dtype, any_version().get(5).unwrap()).is_ok());
//! let error = encode(&dtype, any_version().get(4).unwrap()).unwrap_err();
//! assert_eq!(error.path().to_string(), "kind");
//! # }
//! ```

mod array_spec;
mod attributes;
mod custom_call;
mod device;
mod dtype;
mod executable;
mod facts;
mod ifrt_ir;
mod layout;
mod opaque;
mod program;
mod remap;
mod serialized;
mod shape;
mod sharding;
mod versions;

pub use array_spec::{AbstractArraySpec, ArraySpec};
pub use attributes::{Attribute, AttributeMap, AttributeValue, IntList};
pub use custom_call::{CustomCallCompileOptions, CustomCallProgram};
pub use device::DeviceList;
pub use dtype::{DType, DTypeKind};
pub use executable::{AtomExecutableVersion, IfrtIrExecutableVersion, XlaExecutableVersion};
pub use ifrt_ir::{AtomProgram, CompileOptionOverride, IfrtIrCompileOptions, IfrtIrProgram};
pub use layout::{CompactLayout, Layout, PjRtLayout};
pub use opaque::{CompileOptions, OpSharding, XlaLayout};
pub use program::{ExecuteOptions, HloProgram, XlaCompileOptions};
pub use remap::{InputDevices, InputDevicesForOutput, Mapping, RemapPlan};
pub use serialized::Serialized;
pub use shape::{BoundedDynamicShapeTag, DynamicShape, Index, IndexDomain, Shape};
pub use sharding::{
    ConcreteEvenSharding, ConcreteSharding, HloSharding, HloShardingSpec, OpaqueSharding,
    ShardShapes, Sharding, ShardingParam, ShardingParamSharding, ShardingSpec,
    SingleDeviceSharding,
};
pub use versions::Ifrt;
pub(crate) use versions::any;
#[cfg(feature = "any-version")]
pub use versions::any_version;
#[cfg(feature = "week-n-old")]
pub use versions::week_n_old;

use unskew_serdes::proto::{Message, MessageDescription};

/// What every message looks like that is no part of another, and with them all of them.
pub const ROOTS: &[&MessageDescription] = &[
    <Serialized as Message<Ifrt>>::DESCRIPTION,
    <Layout as Message<Ifrt>>::DESCRIPTION,
    <AbstractArraySpec as Message<Ifrt>>::DESCRIPTION,
    <RemapPlan as Message<Ifrt>>::DESCRIPTION,
    <ExecuteOptions as Message<Ifrt>>::DESCRIPTION,
    <IndexDomain as Message<Ifrt>>::DESCRIPTION,
];

/// Every message, each once, in the order of their names.
pub fn all() -> Vec<&'static MessageDescription> {
    let mut all: Vec<&'static MessageDescription> = Vec::new();
    for root in ROOTS {
        root.walk(&mut |message| all.push(message));
    }
    all.sort_by_key(|message| message.rust);
    all.dedup_by_key(|message| message.rust);
    all
}
