//! Facts of a value, for people.

use std::fmt::Display;

use unskew_serdes::StableName;
use unskew_serdes::proto::{Message, MessageDescription};

use super::{
    AtomProgram, ConcreteSharding, CustomCallProgram, DeviceList, DynamicShape, HloProgram, Ifrt,
    IfrtIrProgram, OpSharding, Serialized, Shape, ShardShapes, ShardingParamSharding,
    XlaCompileOptions,
};

/// The most numbers of a list that are shown.
const SHOWN: usize = 16;

type Facts = Vec<(&'static str, String)>;

impl Serialized {
    /// The name of its type, and what that looks like.
    pub fn type_of(&self) -> (&'static str, &'static MessageDescription) {
        fn type_facts<M: Message<Ifrt> + StableName>(
            _: &M,
        ) -> (&'static str, &'static MessageDescription) {
            (M::TYPE_NAME, M::DESCRIPTION)
        }
        match self {
            Self::SingleDeviceSharding(value) => type_facts(value),
            Self::OpaqueSharding(value) => type_facts(value),
            Self::ConcreteSharding(value) => type_facts(value),
            Self::ConcreteEvenSharding(value) => type_facts(value),
            Self::ShardingParamSharding(value) => type_facts(value),
            Self::HloSharding(value) => type_facts(value),
            Self::HloShardingSpec(value) => type_facts(value),
            Self::PjRtLayout(value) => type_facts(value),
            Self::CompactLayout(value) => type_facts(value),
            Self::HloProgram(value) => type_facts(value),
            Self::XlaCompileOptions(value) => type_facts(value),
            Self::CustomCallProgram(value) => type_facts(value),
            Self::CustomCallCompileOptions(value) => type_facts(value),
            Self::IfrtIrProgram(value) => type_facts(value),
            Self::IfrtIrCompileOptions(value) => type_facts(value),
            Self::XlaExecutableVersion(value) => type_facts(value),
            Self::IfrtIrExecutableVersion(value) => type_facts(value),
        }
    }

    /// What is in it: a label and a text for each part.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::SingleDeviceSharding(value) => {
                let device = vec![("device", value.device_id.to_string())];
                with_memory(device, value.memory_kind.as_deref())
            }
            Self::OpaqueSharding(value) => {
                with_memory(vec![devices(&value.devices)], value.memory_kind.as_deref())
            }
            Self::ConcreteSharding(value) => concrete(value),
            Self::ConcreteEvenSharding(value) => {
                let replicated = if value.is_fully_replicated { "yes" } else { "no" };
                let facts = vec![
                    devices(&value.devices),
                    ("shape", shape(&value.shape)),
                    ("shard shape", shape(&value.shard_shape)),
                    ("fully replicated", replicated.to_owned()),
                ];
                with_memory(facts, value.memory_kind.as_deref())
            }
            Self::ShardingParamSharding(value) => parameters(value),
            Self::HloSharding(value) => {
                let facts = vec![devices(&value.devices), sharding(&value.xla_op_sharding)];
                with_memory(facts, value.memory_kind.as_deref())
            }
            Self::HloShardingSpec(value) => {
                vec![("shards", value.num_shards.to_string()), sharding(&value.xla_op_sharding)]
            }
            Self::PjRtLayout(value) => vec![("xla.LayoutProto", bytes(&value.xla_layout.0))],
            Self::CompactLayout(value) => vec![("major to minor", list(&value.major_to_minor))],
            Self::HloProgram(value) => program(value),
            Self::XlaCompileOptions(value) => compile_options(value),
            Self::CustomCallProgram(value) => custom_call(value),
            Self::CustomCallCompileOptions(value) => bundles(&value.outputs_bundle_slice_sizes),
            Self::IfrtIrProgram(value) => ifrt_ir(value),
            Self::IfrtIrCompileOptions(value) => {
                let overrides = value.compile_option_overrides.iter();
                let mut facts = vec![
                    ("devices", list(&value.device_ids)),
                    ("options of programs", several(overrides.map(|entry| entry.name.clone()))),
                ];
                facts.extend(bundles(&value.outputs_bundle_slice_sizes));
                facts
            }
            Self::XlaExecutableVersion(value) => vec![
                ("platform", value.platform_id.to_string()),
                ("runtime version", bytes(&value.runtime_abi_version)),
            ],
            Self::IfrtIrExecutableVersion(value) => vec![
                ("IFRT IR", value.ifrt_ir_version.clone()),
                ("programs", value.executable_versions.len().to_string()),
            ],
        }
    }
}

impl OpSharding {
    /// What kind of sharding it is, by the first field of the message; `other` if it has none that is
    /// known.
    pub fn kind(&self) -> &'static str {
        match *self.0 {
            [0x08, 1, ..] => "maximal",
            [0x08, 2, ..] => "tuple",
            [0x08, 3, ..] => "tiled",
            [0x08, 4, ..] => "manual",
            [0x08, 5, ..] => "unknown",
            [0x08, 6, ..] => "unreduced",
            [0x08, ..] => "other",
            // The first kind is 0, which is not written.
            _ => "replicated",
        }
    }
}

fn with_memory(mut facts: Facts, memory: Option<&str>) -> Facts {
    facts.push(("memory kind", memory.unwrap_or("default").to_owned()));
    facts
}

fn devices(devices: &DeviceList) -> (&'static str, String) {
    ("devices", list(&devices.device_ids))
}

fn sharding(sharding: &OpSharding) -> (&'static str, String) {
    ("sharding", sharding.kind().to_owned())
}

fn concrete(value: &ConcreteSharding) -> Facts {
    let mut facts = vec![devices(&value.devices)];
    match &value.shapes {
        ShardShapes::Static { shape: whole, shards } => {
            facts.push(("shape", shape(whole)));
            facts.push(("shard shapes", several(shards.iter().map(shape))));
        }
        ShardShapes::Dynamic { shape: whole, shards } => {
            facts.push(("dynamic shape", dynamic(whole)));
            facts.push(("dynamic shard shapes", several(shards.iter().map(dynamic))));
        }
    }
    with_memory(facts, value.memory_kind.as_deref())
}

fn parameters(value: &ShardingParamSharding) -> Facts {
    let param = &value.sharding_param;
    let mut facts = vec![
        devices(&value.devices),
        ("parts of each axis", list(&param.dim_shards)),
        ("order of device axes", list(&param.permutation)),
        ("device axes", list(&param.axis_sizes)),
    ];
    if !param.unreduced_axes.is_empty() {
        facts.push(("unreduced axes", list(&param.unreduced_axes)));
    }
    with_memory(facts, value.memory_kind.as_deref())
}

fn program(value: &HloProgram) -> Facts {
    let version = value.stablehlo().unwrap_or_default().to_owned();
    vec![("StableHLO", version), ("artifact", bytes(value.artifact()))]
}

fn compile_options(value: &XlaCompileOptions) -> Facts {
    let mut facts = vec![("xla.CompileOptionsProto", bytes(&value.compile_options.0))];
    facts.extend(bundles(&value.outputs_bundle_slice_sizes));
    facts
}

fn bundles(sizes: &[i32]) -> Facts {
    if sizes.is_empty() { Vec::new() } else { vec![("output bundles", list(sizes))] }
}

fn custom_call(value: &CustomCallProgram) -> Facts {
    vec![
        ("kind", value.kind.clone()),
        ("name", value.name.clone()),
        ("program", bytes(&value.serialized_program_text)),
        devices(&value.devices),
        ("arguments", value.input_specs.len().to_string()),
        ("results", value.output_specs.len().to_string()),
    ]
}

fn ifrt_ir(value: &IfrtIrProgram) -> Facts {
    let named = |atom: &AtomProgram| match &atom.version {
        Some(version) => format!("{} ({version})", atom.name),
        None => atom.name.clone(),
    };
    vec![
        ("IFRT IR", value.ifrt_version.clone().unwrap_or_default()),
        ("program", bytes(&value.ifrt_program)),
        ("programs in it", several(value.atom_programs.iter().map(named))),
    ]
}

fn shape(shape: &Shape) -> String {
    format!("[{}]", list(&shape.dims))
}

/// The axes that may be shorter are marked.
fn dynamic(shape: &DynamicShape) -> String {
    let tags = &shape.bounded_dynamic_shape_tag.is_dynamic_dims;
    let axis = |(dim, dynamic): (&i64, &bool)| format!("{}{dim}", if *dynamic { "<=" } else { "" });
    format!("[{}]", several(shape.shape.dims.iter().zip(tags).map(axis)))
}

fn list<T: Display>(items: &[T]) -> String {
    several(items.iter().map(ToString::to_string))
}

fn several(mut items: impl ExactSizeIterator<Item = String>) -> String {
    let shown: Vec<String> = items.by_ref().take(SHOWN).collect();
    let more = items.len();
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{tail}", shown.join(", "))
}

fn bytes(bytes: &[u8]) -> String {
    format!("{} bytes", bytes.len())
}
