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

pub fn custom_call() -> CustomCallProgram {
    CustomCallProgram {
        kind: "kernel".to_owned(),
        name: "add".to_owned(),
        serialized_program_text: b"(a b)".to_vec(),
        devices: devices(&[0, 1]),
        input_specs: vec![array_spec()],
        output_specs: vec![array_spec(), array_spec()],
    }
}

pub fn custom_call_options(sizes: &[i32]) -> CustomCallCompileOptions {
    CustomCallCompileOptions { outputs_bundle_slice_sizes: sizes.to_vec() }
}

pub fn ifrt_ir_program() -> IfrtIrProgram {
    let atom = AtomProgram {
        name: "layer".to_owned(),
        version: Some("1.13.7".to_owned()),
        program: program().artifact().to_vec(),
    };
    IfrtIrProgram {
        ifrt_program: b"ML\xefR".to_vec(),
        ifrt_version: Some("0.1.0".to_owned()),
        atom_programs: vec![atom, AtomProgram::default()],
    }
}

pub fn ifrt_ir_options() -> IfrtIrCompileOptions {
    let options = CompileOptions(vec![32, 1]);
    IfrtIrCompileOptions {
        device_ids: vec![0, -1],
        compile_option_overrides: vec![CompileOptionOverride { name: String::new(), options }],
        propagate_shardings: true,
        ..IfrtIrCompileOptions::default()
    }
}

pub fn ifrt_ir_options_with_dumps() -> IfrtIrCompileOptions {
    IfrtIrCompileOptions {
        mlir_dump_to: Some("dumps".to_owned()),
        mlir_dump_pass_re: Some(String::new()),
        mlir_dump_func_re: Some("main".to_owned()),
        mlir_enable_timing: Some(false),
        dot_graph_dump_to: Some("graphs".to_owned()),
        dot_graph_min_executable_peak_memory_bytes: Some(-1),
        dot_graph_min_executable_flops: Some(0.0),
        dot_graph_min_per_device_transfer_size_bytes: Some(0),
        ..ifrt_ir_options()
    }
}

pub fn ifrt_ir_options_with_bundles() -> IfrtIrCompileOptions {
    IfrtIrCompileOptions {
        strict_memory_reservation: true,
        outputs_bundle_slice_sizes: vec![2, 2],
        ..ifrt_ir_options()
    }
}

pub fn executable() -> XlaExecutableVersion {
    XlaExecutableVersion { platform_id: u64::MAX, runtime_abi_version: vec![1, 0] }
}

pub fn ifrt_ir_executable() -> IfrtIrExecutableVersion {
    let atom =
        AtomExecutableVersion { executable_version: vec![7], logical_device_indexes: vec![0, 1] };
    IfrtIrExecutableVersion { ifrt_ir_version: "0.1.0".to_owned(), executable_versions: vec![atom] }
}
