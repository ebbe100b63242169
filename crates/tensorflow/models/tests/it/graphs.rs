//! Small graphs, each with one fault or with none, and releases of the database to judge them for.

use std::sync::Arc;

use unskew_core::{DataConsumer, Date};
use unskew_tables::toml_as_json;
use unskew_tensorflow::{OpHistory, OpRegistry, TensorFlowRuntime};

/// A release of the database.
pub fn runtime(version: &str) -> TensorFlowRuntime {
    let data = concat!(env!("UNSKEW_ROOT"), "/crates/judging/releases/data/tensorflow");
    let read = |name: &str| std::fs::read_to_string(format!("{data}/{name}")).unwrap();
    let history = Arc::new(OpHistory::from_text(read("ops.tsv")).unwrap());
    let releases: serde_json::Value =
        serde_json::from_str(toml_as_json!("../../judging/releases/data/tensorflow/releases.toml"))
            .unwrap();
    let rows = releases["release"].as_array().unwrap();
    let row = rows.iter().find(|row| row["version"].as_str() == Some(version)).unwrap();
    let number = row["graph_def"].as_i64().unwrap();
    let version = version.parse().unwrap();
    TensorFlowRuntime {
        version,
        released: Date::constant(2026, 1, 1),
        graph_def: DataConsumer { version: number, min_producer: 0 },
        checkpoint: DataConsumer { version: 1, min_producer: 0 },
        ops: OpRegistry::new(history, version, false),
        known: Arc::new([]),
        kernels: None,
        usage: unskew_tensorflow::RuntimeUsage::default(),
    }
}

/// Graphs as text, by name; `o` is what is computed, `@own@` the GraphDef version of the release.
pub const ALL: [(&str, &str); 23] = [
    (
        "plain_call",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "call_of_nothing",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "gone" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "call_of_nothing_in_a_function",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "PartitionedCall" input: "x" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "gone" } } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "call_of_nothing_that_is_not_called",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "Identity" input: "c" attr { key: "T" value { type: DT_FLOAT } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "PartitionedCall" input: "x" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "gone" } } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "endless_call",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "PartitionedCall" input: "x" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "endless_call_of_two",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "PartitionedCall" input: "x" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "g" } } } } ret { key: "r" value: "y:output:0" } } function { signature { name: "g" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "PartitionedCall" input: "x" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "endless_and_not_called",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "Identity" input: "c" attr { key: "T" value { type: DT_FLOAT } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "PartitionedCall" input: "x" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "function_named_as_op",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "Identity" input: "c" attr { key: "T" value { type: DT_FLOAT } } } library { function { signature { name: "Identity" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "function_twice",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "Identity" input: "c" attr { key: "T" value { type: DT_FLOAT } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "z" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "z:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "same_function_twice",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "Identity" input: "c" attr { key: "T" value { type: DT_FLOAT } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "gradient_of_nothing",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "Identity" input: "c" attr { key: "T" value { type: DT_FLOAT } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } gradient { function_name: "f" gradient_func: "gone" } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "call_without_input",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "f" } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "cycle_in_function",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "z:output:0" attr { key: "T" value { type: DT_FLOAT } } } node_def { name: "z" op: "Identity" input: "y:output:0" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "dangling_in_function",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "gone:output:0" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "unknown_op_in_function",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "NoSuchOp" input: "x" } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "refused_value_in_function",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_BOOL } } attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { } bool_val: true } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_BOOL } } } attr { key: "Tout" value { list { type: DT_BOOL } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_BOOL } output_arg { name: "r" type: DT_BOOL } } node_def { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_BOOL } } } ret { key: "r" value: "y:activations:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "missing_attribute_in_function",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "x"  } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "deprecated_in_function_of_new_graph",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "BatchMatrixDeterminant" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } } versions { producer: 13 min_consumer: 12 }"#,
    ),
    (
        "deprecated_in_function_of_old_graph",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "BatchMatrixDeterminant" input: "x" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "r" value: "y:output:0" } } } versions { producer: 12 min_consumer: 12 }"#,
    ),
    (
        "deep_indices_of_old_graph",
        r#"node { name: "x" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: 1 } } } } node { name: "i" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } dim { size: 1 } } int_val: 1 } } } } node { name: "o" op: "Sum" input: "x" input: "i" attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tidx" value { type: DT_INT32 } } attr { key: "keep_dims" value { b: false } } } versions { producer: 20 min_consumer: 12 }"#,
    ),
    (
        "deep_indices_of_new_graph",
        r#"node { name: "x" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: 1 } } } } node { name: "i" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } dim { size: 1 } } int_val: 1 } } } } node { name: "o" op: "Sum" input: "x" input: "i" attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tidx" value { type: DT_INT32 } } attr { key: "keep_dims" value { b: false } } } versions { producer: 21 min_consumer: 12 }"#,
    ),
    (
        "colocated",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "Identity" input: "c" attr { key: "T" value { type: DT_FLOAT } } attr { key: "_class" value { list { s: "loc:@gone" } } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
    (
        "colocated_in_function",
        r#"node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2 } } } } node { name: "o" op: "PartitionedCall" input: "c" attr { key: "Tin" value { list { type: DT_FLOAT } } } attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "f" value { func { name: "f" } } } } library { function { signature { name: "f" input_arg { name: "x" type: DT_FLOAT } output_arg { name: "r" type: DT_FLOAT } } node_def { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_FLOAT } } attr { key: "_class" value { list { s: "loc:@gone" } } } } ret { key: "r" value: "y:output:0" } } } versions { producer: @own@ min_consumer: 12 }"#,
    ),
];
