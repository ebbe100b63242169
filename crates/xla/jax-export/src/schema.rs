//! The numbers of the fields and kinds in the flatbuffer of `jax.export`, by JAX's published packages.

/// The fields of an exported function, the table at the root.
pub(crate) mod exported {
    pub(crate) const STORED_VERSION: u64 = 0;
    pub(crate) const FUNCTION: u64 = 1;
    pub(crate) const IN_TREE: u64 = 2;
    pub(crate) const IN_AVALS: u64 = 3;
    pub(crate) const OUT_TREE: u64 = 4;
    pub(crate) const OUT_AVALS: u64 = 5;
    pub(crate) const DEVICES_SHORT: u64 = 6;
    pub(crate) const IN_SHARDINGS: u64 = 7;
    pub(crate) const OUT_SHARDINGS: u64 = 8;
    pub(crate) const PLATFORMS: u64 = 9;
    pub(crate) const ORDERED_EFFECTS: u64 = 10;
    pub(crate) const UNORDERED_EFFECTS: u64 = 11;
    pub(crate) const DISABLED_CHECKS: u64 = 12;
    pub(crate) const PROGRAM: u64 = 13;
    pub(crate) const CALLING_CONVENTION: u64 = 14;
    pub(crate) const GLOBAL_CONSTANTS: u64 = 16;
    pub(crate) const VJP: u64 = 17;
    pub(crate) const DEVICES: u64 = 18;
    pub(crate) const UNIQUE_AVALS: u64 = 19;
    pub(crate) const UNIQUE_MESHES: u64 = 20;
    pub(crate) const UNIQUE_SHARDINGS: u64 = 21;
    pub(crate) const IN_AVAL_INDICES: u64 = 22;
    pub(crate) const OUT_AVAL_INDICES: u64 = 23;
    pub(crate) const IN_SHARDING_INDICES: u64 = 24;
    pub(crate) const OUT_SHARDING_INDICES: u64 = 25;
    pub(crate) const JAX_VERSION: u64 = 26;
}

/// The fields of a node of a pytree.
pub(crate) mod tree {
    pub(crate) const KIND: u64 = 0;
    pub(crate) const CHILDREN: u64 = 1;
    pub(crate) const CUSTOM_NAME: u64 = 3;
    /// The kind of a node whose class the program registers.
    pub(crate) const CUSTOM: u64 = 5;
}

/// The fields of an abstract value: the shape and dtype of an array.
pub(crate) mod aval {
    pub(crate) const DTYPE: u64 = 2;
    pub(crate) const MEMORY_SPACE: u64 = 3;
}

pub(crate) mod sharding {
    pub(crate) const HLO: u64 = 1;
    pub(crate) const NAMED: u64 = 2;
}

/// The fields of an abstract mesh.
pub(crate) mod mesh {
    pub(crate) const DEVICE: u64 = 3;
}

/// The fields of an abstract device.
pub(crate) mod device {
    pub(crate) const PLATFORM: u64 = 2;
}

/// The field of an effect, and those of a safety check that is disabled.
pub(crate) mod effect {
    pub(crate) const TYPE_NAME: u64 = 0;
}

pub(crate) mod check {
    pub(crate) const KIND: u64 = 0;
    pub(crate) const TARGET: u64 = 1;
    /// The names of the kinds, by number.
    pub(crate) const KINDS: [&str; 3] = ["platform", "custom call", "shape assertions"];
}

/// The names of dtypes, by number.
const DTYPES: [&str; 30] = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "bfloat16",
    "int4",
    "uint4",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float0",
    "float8_e4m3",
    "float8_e3m4",
    "float8_e8m0fnu",
    "float4_e2m1fn",
    "key<fry>",
    "key<rbg>",
    "key<urbg>",
];

/// The name of a dtype: `float32`; `dtype 41` for one that came later.
pub(crate) fn dtype(number: &u64) -> String {
    let name = usize::try_from(*number).ok().and_then(|number| DTYPES.get(number));
    name.map_or_else(|| format!("dtype {number}"), |name| (*name).to_owned())
}
