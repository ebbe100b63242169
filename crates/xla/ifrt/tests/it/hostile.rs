//! Any bytes are a value or an error with its place, and any value reads back.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::sample::select;
use unskew_ifrt::types::*;
use unskew_serdes::proto::{
    Enumeration, FieldKind, FieldLabel, Message, MessageDescription, decode, encode,
};
use unskew_serdes::{DecodeError, DecodeProblem, default_version};

/// A type, by what can be done with bytes of it.
struct Type {
    description: &'static MessageDescription,
    /// What the value is written as, for the current version.
    again: fn(&[u8]) -> Result<Vec<u8>, DecodeError>,
}

fn of<M: Message<Ifrt> + Debug>() -> Type {
    fn again<M: Message<Ifrt> + Debug>(bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let value: M = decode(bytes)?;
        Ok(encode(&value, default_version()).unwrap_or_else(|error| panic!("{value:?}: {error}")))
    }
    Type { description: M::DESCRIPTION, again: again::<M> }
}

/// Every type that has a number of its own, and those around them.
fn every_type() -> Vec<Type> {
    vec![
        of::<Serialized>(),
        of::<Sharding>(),
        of::<Layout>(),
        of::<ShardingSpec>(),
        of::<Shape>(),
        of::<BoundedDynamicShapeTag>(),
        of::<DynamicShape>(),
        of::<DType>(),
        of::<DeviceList>(),
        of::<SingleDeviceSharding>(),
        of::<OpaqueSharding>(),
        of::<ConcreteSharding>(),
        of::<ConcreteEvenSharding>(),
        of::<ShardingParamSharding>(),
        of::<ShardingParam>(),
        of::<HloSharding>(),
        of::<HloShardingSpec>(),
        of::<PjRtLayout>(),
        of::<CompactLayout>(),
        of::<ArraySpec>(),
        of::<AbstractArraySpec>(),
        of::<AttributeMap>(),
        of::<RemapPlan>(),
        of::<ExecuteOptions>(),
        of::<XlaCompileOptions>(),
        of::<Index>(),
        of::<IndexDomain>(),
        of::<CustomCallProgram>(),
        of::<CustomCallCompileOptions>(),
        of::<IfrtIrProgram>(),
        of::<IfrtIrCompileOptions>(),
        of::<XlaExecutableVersion>(),
        of::<IfrtIrExecutableVersion>(),
    ]
}

/// Bytes that builds wrote.
fn golden() -> Vec<Vec<u8>> {
    let line = |line: &str| {
        let hex = line.split(' ').nth(2)?;
        let byte = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok();
        (0..hex.len() / 2).map(byte).collect()
    };
    include_str!("../golden.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(line)
        .collect()
}

/// Reads bytes as every type. What is read is written, and that is read as the same again.
fn read_as_all(bytes: &[u8]) -> usize {
    let mut read = 0;
    for Type { description, again } in every_type() {
        match again(bytes) {
            Ok(first) => {
                read += 1;
                let second = again(&first).unwrap_or_else(|e| panic!("{}: {e}", description.rust));
                assert_eq!(first, second, "{}", description.rust);
            }
            Err(error) => assert!(error.offset() <= bytes.len(), "{error}"),
        }
    }
    read
}

fn varint(field: u32, number: u64) -> Vec<u8> {
    let mut bytes = vec![];
    for mut rest in [u64::from(field) << 3, number] {
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}

#[test]
fn a_version_that_is_not_read_is_refused_by_every_type_that_has_one() {
    let mut with_version = 0;
    for Type { description, again } in every_type() {
        let Some(field) = description.version else { continue };
        with_version += 1;
        let problem = |number: u64| {
            let bytes = varint(field, number);
            let error = again(&bytes).unwrap_err();
            assert_eq!(error.offset(), bytes.len(), "{}: {error}", description.rust);
            error.problem().clone()
        };
        let type_name = description.rust;
        for future in [6, 7, 9999, i64::MAX as u64] {
            let found = problem(future);
            assert!(
                matches!(found, DecodeProblem::TooNew { found, minimum: 0, current: 5, .. } if found == future),
                "{type_name}: {found}"
            );
        }
        for negative in [-1, i64::MIN] {
            let found = negative;
            let negative = DecodeProblem::Negative { type_name, found };
            assert_eq!(problem(found.cast_unsigned()), negative, "{type_name}");
        }
        // A version that there is, and that changed nothing here.
        assert_eq!(problem(3), DecodeProblem::NoFormat { type_name, found: 3 });
    }
    assert_eq!(with_version, 29);
}

#[test]
fn a_field_that_stands_twice_is_refused_unless_it_is_repeated() {
    let mut refused = 0;
    for Type { description, again } in every_type() {
        for field in description.fields {
            let one = match field.kind {
                FieldKind::Int32 | FieldKind::Int64 | FieldKind::Bool => varint(field.number, 1),
                FieldKind::Text | FieldKind::Bytes | FieldKind::Opaque(_) => {
                    [varint(field.number, 0)[..1].iter().map(|b| b | 2).collect(), vec![0]].concat()
                }
                _ => continue,
            };
            let problem = again(&[&one[..], &one].concat()).unwrap_err_or_none();
            let twice =
                DecodeProblem::FieldTwice { message: description.rust, field: field.number };
            if field.label == FieldLabel::Repeated {
                assert_ne!(problem, Some(twice), "{}", description.rust);
            } else {
                refused += 1;
                assert_eq!(problem, Some(twice), "{}", description.rust);
            }
        }
    }
    assert!(refused > 15, "{refused}");
}

trait Problem {
    fn unwrap_err_or_none(self) -> Option<DecodeProblem>;
}

impl Problem for Result<Vec<u8>, DecodeError> {
    fn unwrap_err_or_none(self) -> Option<DecodeProblem> {
        self.err().map(|error| error.problem().clone())
    }
}

#[test]
fn what_is_cut_off_or_goes_on_is_a_value_or_an_error_with_its_place() {
    let mut truncated = 0;
    for bytes in golden() {
        for length in 0..bytes.len() {
            read_as_all(&bytes[..length]);
        }
        assert!(read_as_all(&bytes) > 0);
        let longer = [&bytes[..], b"\xff"].concat();
        assert_eq!(read_as_all(&longer), 0);
        truncated += bytes.len();
    }
    assert!(truncated > 5000, "{truncated}");
}

#[test]
fn names_and_values_that_are_not_known_are_named() {
    let problem = |bytes: &[u8]| decode::<Ifrt, Serialized>(bytes).unwrap_err().problem().clone();
    let name = b"\x0a\x17xla::ifrt::HloSharding";
    assert_eq!(problem(name), DecodeProblem::Truncated { needed: 1 });
    let name = b"\x0a\x15xla::ifrt::HloShardin";
    assert_eq!(problem(name), DecodeProblem::UnknownType("xla::ifrt::HloShardin".to_owned()));
    assert_eq!(problem(b"\x0a\x02\xff\xff"), DecodeProblem::NotText);
    let missing = DecodeProblem::FieldMissing { message: "Serialized", field: "type_name" };
    assert_eq!(problem(b""), missing);
    let dtype = |bytes: &[u8]| decode::<Ifrt, DType>(bytes).unwrap_err().problem().clone();
    // Builds of IFRT read it as an invalid type, without an error.
    let unknown = DecodeProblem::UnknownValue { type_name: "DTypeKind", found: 36 };
    assert_eq!(dtype(b"\x08\x24"), unknown);
    let none = DecodeProblem::FieldMissing { message: "DType", field: "kind" };
    assert_eq!(dtype(b""), none);
    let twice = b"\x0a\x07\x0a\x01a\x12\x02\x10\x01\x0a\x07\x0a\x01a\x12\x02\x10\x00";
    let error = decode::<Ifrt, AttributeMap>(twice).unwrap_err();
    assert!(error.to_string().contains("the attribute is there twice: a"), "{error}");
}

/// What others defined is kept as bytes, however deep it goes.
#[test]
fn a_depth_bomb_in_what_is_kept_as_bytes_is_not_walked() {
    let mut bomb = Vec::new();
    for _ in 0..10_000 {
        let mut outer = vec![0x2a];
        outer.extend(&varint(1, bomb.len() as u64)[1..]);
        outer.extend(&bomb);
        bomb = outer;
    }
    let sharding = HloSharding { xla_op_sharding: OpSharding(bomb), ..HloSharding::default() };
    let bytes = encode(&sharding, default_version()).unwrap();
    assert_eq!(decode::<Ifrt, HloSharding>(&bytes).unwrap(), sharding);
}

fn shape() -> impl Strategy<Value = Shape> {
    prop::collection::vec(any::<i64>(), 0..4).prop_map(|dims| Shape { dims })
}

fn devices() -> impl Strategy<Value = DeviceList> {
    prop::collection::vec(any::<i32>(), 0..4).prop_map(|device_ids| DeviceList { device_ids })
}

fn memory() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[a-z]{0,8}")
}

fn opaque() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0_u8..0x80, 0..4)
        .prop_map(|bytes| bytes.into_iter().flat_map(|byte| [0x08, byte]).collect())
}

fn dynamic() -> impl Strategy<Value = DynamicShape> {
    prop::collection::vec(any::<(i64, bool)>(), 0..4).prop_map(|axes| {
        let (dims, is_dynamic_dims) = axes.into_iter().unzip();
        let bounded_dynamic_shape_tag = BoundedDynamicShapeTag { is_dynamic_dims };
        DynamicShape { shape: Shape { dims }, bounded_dynamic_shape_tag }
    })
}

fn shapes() -> impl Strategy<Value = ShardShapes> {
    let shards = prop::collection::vec(shape(), 0..3);
    let dynamic_shards = prop::collection::vec(dynamic(), 0..3);
    prop_oneof![
        (shape(), shards).prop_map(|(shape, shards)| ShardShapes::Static { shape, shards }),
        (dynamic(), dynamic_shards)
            .prop_map(|(shape, shards)| ShardShapes::Dynamic { shape, shards }),
    ]
}

fn sharding() -> impl Strategy<Value = Sharding> {
    let ids = || prop::collection::vec(any::<i32>(), 0..3);
    let param = (prop::collection::vec(any::<i64>(), 0..3), ids(), ids(), ids());
    let param = param.prop_map(|(dim_shards, permutation, axis_sizes, unreduced_axes)| {
        ShardingParam { dim_shards, permutation, axis_sizes, unreduced_axes }
    });
    prop_oneof![
        (any::<i32>(), memory()).prop_map(|(device_id, memory_kind)| {
            Sharding::SingleDevice(SingleDeviceSharding { device_id, memory_kind })
        }),
        (devices(), memory()).prop_map(|(devices, memory_kind)| {
            Sharding::Opaque(OpaqueSharding { devices, memory_kind })
        }),
        (devices(), memory(), shapes()).prop_map(|(devices, memory_kind, shapes)| {
            Sharding::Concrete(ConcreteSharding { devices, memory_kind, shapes })
        }),
        (devices(), memory(), shape(), shape(), any::<bool>()).prop_map(
            |(devices, memory_kind, shape, shard_shape, is_fully_replicated)| {
                Sharding::ConcreteEven(ConcreteEvenSharding {
                    devices,
                    shape,
                    shard_shape,
                    memory_kind,
                    is_fully_replicated,
                })
            }
        ),
        (param, devices(), memory()).prop_map(|(sharding_param, devices, memory_kind)| {
            Sharding::ShardingParam(ShardingParamSharding { sharding_param, devices, memory_kind })
        }),
        (devices(), opaque(), memory()).prop_map(|(devices, bytes, memory_kind)| {
            let xla_op_sharding = OpSharding(bytes);
            Sharding::Hlo(HloSharding { devices, xla_op_sharding, memory_kind })
        }),
    ]
}

fn dtype() -> impl Strategy<Value = DType> {
    let numbers: Vec<i32> = DTypeKind::DESCRIPTION.values.iter().map(|v| v.number).collect();
    select(numbers).prop_map(|number| DTypeKind::from_number(number.into()).unwrap().into())
}

fn array_spec() -> impl Strategy<Value = ArraySpec> {
    let layout = prop::option::of(prop::collection::vec(any::<u8>(), 0..8));
    (dtype(), shape(), sharding(), layout).prop_map(|(dtype, shape, sharding, layout)| ArraySpec {
        dtype,
        shape,
        sharding,
        layout,
    })
}

fn attributes() -> impl Strategy<Value = AttributeMap> {
    let value = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..4).prop_map(AttributeValue::Bytes),
        any::<bool>().prop_map(AttributeValue::Bool),
        any::<i64>().prop_map(AttributeValue::Int),
        prop::collection::vec(any::<i64>(), 0..4)
            .prop_map(|elements| AttributeValue::Ints(IntList { elements })),
        any::<i16>().prop_map(|number| AttributeValue::Float(f32::from(number) / 8.0)),
    ];
    prop::collection::vec(("[a-c]{0,2}", value), 0..5).prop_map(|all| {
        let mut map = AttributeMap::default();
        all.into_iter().for_each(|(name, value)| map.set(&name, value));
        map
    })
}

/// A value is written for all versions from some version on, and reads back from each.
fn holds_from_some_version_on<M: Message<Ifrt> + PartialEq + Debug>(value: &M) {
    let mut written = false;
    for version in 0..=5 {
        match encode(value, any_version().get(version).unwrap()) {
            Ok(bytes) => {
                written = true;
                assert_eq!(&decode::<Ifrt, M>(&bytes).unwrap(), value, "at {version}");
            }
            Err(error) => assert!(!written, "{version}: {error}"),
        }
    }
    assert!(written);
}

proptest! {
    #[test]
    fn any_array_spec_reads_back(spec in array_spec()) {
        holds_from_some_version_on(&spec);
    }

    #[test]
    fn any_options_read_back(
        custom in prop::option::of(attributes()),
        launch_id in any::<i32>(),
        execution_stream_id in any::<i64>(),
        bundles in prop::collection::vec(any::<i32>(), 0..3),
        bytes in opaque(),
    ) {
        holds_from_some_version_on(&ExecuteOptions {
            launch_id,
            custom_options: custom,
            execution_stream_id,
            ..ExecuteOptions::default()
        });
        let compile_options = CompileOptions(bytes);
        let outputs_bundle_slice_sizes = bundles;
        holds_from_some_version_on(&XlaCompileOptions { compile_options, outputs_bundle_slice_sizes });
    }

    #[test]
    fn any_plan_reads_back(
        specs in prop::collection::vec(array_spec(), 0..3),
        intervals in prop::collection::vec(any::<[i64; 6]>(), 0..3),
        devices in prop::option::of(devices()),
    ) {
        let all = |at: usize| intervals.iter().map(|interval| interval[at]).collect();
        let mapping = Mapping {
            in_array: 1, out_array: 0,
            from_start: all(0), from_end: all(1), from_step: all(2),
            to_start: all(3), to_end: all(4), to_step: all(5),
        };
        let inputs = devices.map(|device_list| InputDevicesForOutput {
            out_array: 0,
            input_devices: vec![InputDevices { in_array: 0, device_list }],
        });
        holds_from_some_version_on(&RemapPlan {
            input_specs: specs.clone(),
            output_specs: specs,
            mappings: vec![mapping],
            input_devices_for_output: inputs.into_iter().collect(),
        });
    }

    #[test]
    fn any_bytes_are_a_value_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        read_as_all(&bytes);
    }

    /// Real bytes with some others in them get further than any bytes do.
    #[test]
    fn changed_bytes_are_a_value_or_an_error(
        bytes in select(golden()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = bytes;
        for (place, byte) in changes {
            if !bytes.is_empty() {
                let at = place.index(bytes.len());
                bytes[at] = byte;
            }
        }
        read_as_all(&bytes);
    }
}
