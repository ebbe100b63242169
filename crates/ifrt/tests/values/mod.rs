//! One value of every type that makes use of everything in it.

use unskew_ifrt::types::*;

pub fn shape(dims: &[i64]) -> Shape {
    Shape { dims: dims.to_vec() }
}

pub fn devices(ids: &[i32]) -> DeviceList {
    DeviceList { device_ids: ids.to_vec() }
}

pub fn dynamic_shape() -> DynamicShape {
    let tag = BoundedDynamicShapeTag { is_dynamic_dims: vec![true, false] };
    DynamicShape { shape: shape(&[8, 3]), bounded_dynamic_shape_tag: tag }
}

pub fn memory() -> Option<String> {
    Some("pinned_host".to_owned())
}

/// Tiled over two devices: the fields 1 and 3 of an `xla.OpSharding`.
pub fn op_sharding() -> OpSharding {
    OpSharding(vec![8, 3, 26, 2, 2, 1])
}

pub fn single_device() -> SingleDeviceSharding {
    SingleDeviceSharding { device_id: -1, memory_kind: memory() }
}

pub fn opaque() -> OpaqueSharding {
    OpaqueSharding { devices: devices(&[0, 300, -2]), memory_kind: None }
}

pub fn concrete() -> ConcreteSharding {
    let shapes =
        ShardShapes::Static { shape: shape(&[4, 3]), shards: vec![shape(&[3, 3]), shape(&[1, 3])] };
    ConcreteSharding { devices: devices(&[0, 1]), memory_kind: memory(), shapes }
}

pub fn concrete_dynamic() -> ConcreteSharding {
    let shapes = ShardShapes::Dynamic { shape: dynamic_shape(), shards: vec![dynamic_shape()] };
    ConcreteSharding { devices: devices(&[0]), memory_kind: Some(String::new()), shapes }
}

pub fn concrete_even() -> ConcreteEvenSharding {
    ConcreteEvenSharding {
        devices: devices(&[0, 1]),
        shape: shape(&[4, 3]),
        shard_shape: shape(&[2, 3]),
        memory_kind: memory(),
        is_fully_replicated: true,
    }
}

pub fn sharding_param(unreduced_axes: &[i32]) -> ShardingParamSharding {
    let sharding_param = ShardingParam {
        dim_shards: vec![2, 1],
        permutation: vec![0, 1],
        axis_sizes: vec![2, 2],
        unreduced_axes: unreduced_axes.to_vec(),
    };
    ShardingParamSharding { sharding_param, devices: devices(&[0, 1, 2, 3]), memory_kind: memory() }
}

pub fn hlo() -> HloSharding {
    HloSharding {
        devices: devices(&[0, 1]),
        xla_op_sharding: op_sharding(),
        memory_kind: Some("device".to_owned()),
    }
}

pub fn hlo_spec() -> HloShardingSpec {
    HloShardingSpec { num_shards: 2, xla_op_sharding: op_sharding() }
}

pub fn pjrt_layout() -> PjRtLayout {
    PjRtLayout { xla_layout: XlaLayout(vec![10, 2, 1, 0]) }
}

pub fn compact_layout() -> CompactLayout {
    CompactLayout { major_to_minor: vec![0, 1] }
}

pub fn array_spec() -> ArraySpec {
    ArraySpec {
        dtype: DTypeKind::Bf16.into(),
        shape: shape(&[4, 3]),
        sharding: Sharding::Hlo(hlo()),
        layout: Some(b"{1,0}".to_vec()),
    }
}

pub fn abstract_array_spec() -> AbstractArraySpec {
    AbstractArraySpec {
        dtype: DTypeKind::F6e3m2fn.into(),
        shape: shape(&[]),
        sharding_spec: ShardingSpec::Hlo(hlo_spec()),
        memory_kind: "device".to_owned(),
        layout: Some(Vec::new()),
    }
}

pub fn attributes() -> AttributeMap {
    let mut attributes = AttributeMap::default();
    attributes.set("text", AttributeValue::Bytes(b"a\xff".to_vec()));
    attributes.set("no", AttributeValue::Bool(false));
    attributes.set("least", AttributeValue::Int(i64::MIN));
    attributes.set("list", AttributeValue::Ints(IntList { elements: vec![0, -1, 7] }));
    attributes.set("half", AttributeValue::Float(0.5));
    attributes
}

pub fn remap_plan() -> RemapPlan {
    let mapping = Mapping {
        in_array: 0,
        out_array: 1,
        from_start: vec![0, 4],
        from_end: vec![2, 8],
        from_step: vec![1, 2],
        to_start: vec![0, 1],
        to_end: vec![2, 5],
        to_step: vec![1, 2],
    };
    RemapPlan {
        input_specs: vec![array_spec(), array_spec()],
        output_specs: vec![array_spec()],
        mappings: vec![mapping],
        input_devices_for_output: Vec::new(),
    }
}

pub fn remap_plan_with_devices() -> RemapPlan {
    let inputs = InputDevices { in_array: 1, device_list: devices(&[0, 1]) };
    let of_output = InputDevicesForOutput { out_array: 0, input_devices: vec![inputs] };
    RemapPlan { input_devices_for_output: vec![of_output], ..remap_plan() }
}

pub fn execute_options() -> ExecuteOptions {
    ExecuteOptions {
        untuple_result: true,
        launch_id: -412_020_962,
        non_donatable_input_indices: vec![0, 5],
        fill_status: true,
        custom_options: Some(attributes()),
        execution_stream_id: -1,
    }
}

pub fn compile_options(outputs_bundle_slice_sizes: &[i32]) -> XlaCompileOptions {
    XlaCompileOptions {
        compile_options: CompileOptions(vec![32, 1]),
        outputs_bundle_slice_sizes: outputs_bundle_slice_sizes.to_vec(),
    }
}

pub fn program() -> HloProgram {
    HloProgram::new(b"ML\xefR\x0dStableHLO_v1.13.7\0\x01".to_vec()).unwrap()
}

pub fn index_domain() -> IndexDomain {
    let origin = Index { elements: vec![0, -1] };
    IndexDomain { origin, shape: shape(&[4, 3]) }
}
