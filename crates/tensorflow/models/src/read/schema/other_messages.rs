//! Messages that no verdict needs, as TensorFlow 2.21 has them: how a graph is saved and called, where its nodes come
//! from, and what the objects of a SavedModel are.

use super::FieldContent::{Double, Fixed64, Float, Message, Named, Number, Text, Type, Zigzag};
use super::named::{
    AGGREGATION, FULL_TYPE_IDS, JIT_COMPILE, SAVER_FORMATS, SYNCHRONIZATION, TYPE_SPECS,
};
use super::{ATTR_ENTRY, Fields, SHAPE, TENSOR};

pub(super) static TYPED_SHAPE: Fields =
    Fields(&[("dtype", 1, Type), ("shape", 2, Message(&SHAPE))]);

pub(super) static FULL_TYPE: Fields = Fields(&[
    ("type_id", 1, Named(&FULL_TYPE_IDS)),
    ("args", 2, Message(&FULL_TYPE)),
    ("s", 3, Text),
    ("i", 4, Number),
]);

pub(super) static HANDLE: Fields = Fields(&[
    ("device", 1, Text),
    ("container", 2, Text),
    ("name", 3, Text),
    ("hash_code", 4, Number),
    ("maybe_type_name", 5, Text),
    ("dtypes_and_shapes", 6, Message(&TYPED_SHAPE)),
]);

pub(super) static VARIANT: Fields =
    Fields(&[("type_name", 1, Text), ("metadata", 2, Text), ("tensors", 3, Message(&TENSOR))]);

pub(super) static ANY: Fields = Fields(&[("type_url", 1, Text), ("value", 2, Text)]);

pub(super) static FUNCTION_ALIAS: Fields = Fields(&[("key", 1, Text), ("value", 2, Text)]);

pub(super) static NODE_ORIGIN: Fields =
    Fields(&[("original_node_names", 1, Text), ("original_func_names", 2, Text)]);

pub(super) static ARG_ATTRS_ENTRY: Fields =
    Fields(&[("key", 1, Number), ("value", 2, Message(&ARG_ATTRS))]);

pub(super) static ARG_ATTRS: Fields = Fields(&[("attr", 1, Message(&ATTR_ENTRY))]);

pub(super) static RESOURCE_ID: Fields = Fields(&[("key", 1, Number), ("value", 2, Number)]);

pub(super) static CONTROL_RESULT: Fields = Fields(&[("key", 1, Text), ("value", 2, Text)]);

pub(super) static REGISTERED_GRADIENT: Fields =
    Fields(&[("gradient_func", 1, Text), ("registered_op_type", 2, Text)]);

pub(super) static GRAPH_DEBUG_INFO: Fields = Fields(&[
    ("files", 1, Text),
    ("frames_by_id", 4, Message(&GRAPH_DEBUG_INFO_FRAMES_BY_ID_ENTRY)),
    ("traces_by_id", 6, Message(&GRAPH_DEBUG_INFO_TRACES_BY_ID_ENTRY)),
    ("traces", 2, Message(&GRAPH_DEBUG_INFO_TRACES_ENTRY)),
    ("name_to_trace_id", 5, Message(&GRAPH_DEBUG_INFO_NAME_TO_TRACE_ID_ENTRY)),
]);

pub(super) static GRAPH_DEBUG_INFO_FRAMES_BY_ID_ENTRY: Fields =
    Fields(&[("key", 1, Fixed64), ("value", 2, Message(&FILE_LINE_COL))]);

pub(super) static FILE_LINE_COL: Fields = Fields(&[
    ("file_index", 1, Number),
    ("line", 2, Number),
    ("col", 3, Number),
    ("func", 4, Text),
    ("code", 5, Text),
]);

pub(super) static GRAPH_DEBUG_INFO_TRACES_BY_ID_ENTRY: Fields =
    Fields(&[("key", 1, Fixed64), ("value", 2, Message(&STACK_TRACE))]);

pub(super) static STACK_TRACE: Fields =
    Fields(&[("file_line_cols", 1, Message(&FILE_LINE_COL)), ("frame_id", 2, Fixed64)]);

pub(super) static GRAPH_DEBUG_INFO_TRACES_ENTRY: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Message(&STACK_TRACE))]);

pub(super) static GRAPH_DEBUG_INFO_NAME_TO_TRACE_ID_ENTRY: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Fixed64)]);

pub(super) static SAVER: Fields = Fields(&[
    ("filename_tensor_name", 1, Text),
    ("save_tensor_name", 2, Text),
    ("restore_op_name", 3, Text),
    ("max_to_keep", 4, Number),
    ("sharded", 5, Number),
    ("keep_checkpoint_every_n_hours", 6, Float),
    ("version", 7, Named(&SAVER_FORMATS)),
]);

pub(super) static META_GRAPH_COLLECTION_DEF_ENTRY: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Message(&COLLECTION))]);

pub(super) static COLLECTION: Fields = Fields(&[
    ("node_list", 1, Message(&NODE_LIST)),
    ("bytes_list", 2, Message(&BYTES_LIST)),
    ("int64_list", 3, Message(&INT64_LIST)),
    ("float_list", 4, Message(&FLOAT_LIST)),
    ("any_list", 5, Message(&ANY_LIST)),
]);

pub(super) static NODE_LIST: Fields = Fields(&[("value", 1, Text)]);

pub(super) static BYTES_LIST: Fields = Fields(&[("value", 1, Text)]);

pub(super) static INT64_LIST: Fields = Fields(&[("value", 1, Number)]);

pub(super) static FLOAT_LIST: Fields = Fields(&[("value", 1, Float)]);

pub(super) static ANY_LIST: Fields = Fields(&[("value", 1, Message(&ANY))]);

pub(super) static META_GRAPH_SIGNATURE_DEF_ENTRY: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Message(&SIGNATURE))]);

pub(super) static SIGNATURE: Fields = Fields(&[
    ("inputs", 1, Message(&SIGNATURE_INPUTS_ENTRY)),
    ("outputs", 2, Message(&SIGNATURE_OUTPUTS_ENTRY)),
    ("method_name", 3, Text),
    ("defaults", 4, Message(&SIGNATURE_DEFAULTS_ENTRY)),
]);

pub(super) static SIGNATURE_INPUTS_ENTRY: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Message(&TENSOR_INFO))]);

pub(super) static TENSOR_INFO: Fields = Fields(&[
    ("name", 1, Text),
    ("coo_sparse", 4, Message(&COO_SPARSE)),
    ("composite_tensor", 5, Message(&COMPOSITE_TENSOR)),
    ("dtype", 2, Type),
    ("tensor_shape", 3, Message(&SHAPE)),
]);

pub(super) static COO_SPARSE: Fields = Fields(&[
    ("values_tensor_name", 1, Text),
    ("indices_tensor_name", 2, Text),
    ("dense_shape_tensor_name", 3, Text),
]);

pub(super) static COMPOSITE_TENSOR: Fields =
    Fields(&[("type_spec", 1, Message(&TYPE_SPEC)), ("components", 2, Message(&TENSOR_INFO))]);

pub(super) static TYPE_SPEC: Fields = Fields(&[
    ("type_spec_class", 1, Named(&TYPE_SPECS)),
    ("type_state", 2, Message(&STRUCTURED_VALUE)),
    ("type_spec_class_name", 3, Text),
    ("num_flat_components", 4, Number),
]);

pub(super) static STRUCTURED_VALUE: Fields = Fields(&[
    ("none_value", 1, Message(&NONE_VALUE)),
    ("float64_value", 11, Double),
    ("int64_value", 12, Zigzag),
    ("string_value", 13, Text),
    ("bool_value", 14, Number),
    ("tensor_shape_value", 31, Message(&SHAPE)),
    ("tensor_dtype_value", 32, Type),
    ("tensor_spec_value", 33, Message(&TENSOR_SPEC)),
    ("type_spec_value", 34, Message(&TYPE_SPEC)),
    ("bounded_tensor_spec_value", 35, Message(&BOUNDED_TENSOR_SPEC)),
    ("list_value", 51, Message(&LIST_OF_VALUES)),
    ("tuple_value", 52, Message(&TUPLE)),
    ("dict_value", 53, Message(&DICT_VALUE)),
    ("named_tuple_value", 54, Message(&NAMED_TUPLE_VALUE)),
    ("tensor_value", 55, Message(&TENSOR)),
    ("numpy_value", 56, Message(&TENSOR)),
]);

pub(super) static NONE_VALUE: Fields = Fields(&[]);

pub(super) static TENSOR_SPEC: Fields =
    Fields(&[("name", 1, Text), ("shape", 2, Message(&SHAPE)), ("dtype", 3, Type)]);

pub(super) static BOUNDED_TENSOR_SPEC: Fields = Fields(&[
    ("name", 1, Text),
    ("shape", 2, Message(&SHAPE)),
    ("dtype", 3, Type),
    ("minimum", 4, Message(&TENSOR)),
    ("maximum", 5, Message(&TENSOR)),
]);

pub(super) static LIST_OF_VALUES: Fields = Fields(&[("values", 1, Message(&STRUCTURED_VALUE))]);

pub(super) static TUPLE: Fields = Fields(&[("values", 1, Message(&STRUCTURED_VALUE))]);

pub(super) static DICT_VALUE: Fields = Fields(&[("fields", 1, Message(&DICT_VALUE_FIELDS_ENTRY))]);

pub(super) static DICT_VALUE_FIELDS_ENTRY: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Message(&STRUCTURED_VALUE))]);

pub(super) static NAMED_TUPLE_VALUE: Fields =
    Fields(&[("name", 1, Text), ("values", 2, Message(&PAIR_VALUE))]);

pub(super) static PAIR_VALUE: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Message(&STRUCTURED_VALUE))]);

pub(super) static SIGNATURE_OUTPUTS_ENTRY: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Message(&TENSOR_INFO))]);

pub(super) static SIGNATURE_DEFAULTS_ENTRY: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Message(&TENSOR))]);

pub(super) static ASSET_FILE: Fields =
    Fields(&[("tensor_info", 1, Message(&TENSOR_INFO)), ("filename", 2, Text)]);

pub(super) static CHILD: Fields = Fields(&[("node_id", 1, Number), ("local_name", 2, Text)]);

pub(super) static SAVED_ASSET: Fields = Fields(&[("asset_file_def_index", 1, Number)]);

pub(super) static SAVED_FUNCTION: Fields =
    Fields(&[("concrete_functions", 1, Text), ("function_spec", 2, Message(&FUNCTION_SPEC))]);

pub(super) static FUNCTION_SPEC: Fields = Fields(&[
    ("fullargspec", 1, Message(&STRUCTURED_VALUE)),
    ("is_method", 2, Number),
    ("input_signature", 5, Message(&STRUCTURED_VALUE)),
    ("jit_compile", 6, Named(&JIT_COMPILE)),
]);

pub(super) static SAVED_VARIABLE: Fields = Fields(&[
    ("dtype", 1, Type),
    ("shape", 2, Message(&SHAPE)),
    ("trainable", 3, Number),
    ("synchronization", 4, Named(&SYNCHRONIZATION)),
    ("aggregation", 5, Named(&AGGREGATION)),
    ("name", 6, Text),
    ("device", 7, Text),
    ("experimental_distributed_variable_components", 8, Message(&SAVED_VARIABLE)),
]);

pub(super) static SAVED_BARE_CONCRETE_FUNCTION: Fields = Fields(&[
    ("concrete_function_name", 1, Text),
    ("argument_keywords", 2, Text),
    ("allowed_positional_arguments", 3, Number),
    ("function_spec", 4, Message(&FUNCTION_SPEC)),
]);

pub(super) static SAVED_CONSTANT: Fields = Fields(&[("operation", 1, Text)]);

pub(super) static SAVED_RESOURCE: Fields = Fields(&[("device", 1, Text)]);

pub(super) static CAPTURED_TENSOR: Fields =
    Fields(&[("name", 1, Text), ("concrete_function", 2, Text)]);

pub(super) static SAVED_OBJECT_SAVEABLE_OBJECTS_ENTRY: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Message(&SAVEABLE_OBJECT))]);

pub(super) static SAVEABLE_OBJECT: Fields =
    Fields(&[("save_function", 2, Number), ("restore_function", 3, Number)]);

pub(super) static SAVED_OBJECT_GRAPH_CONCRETE_FUNCTIONS_ENTRY: Fields =
    Fields(&[("key", 1, Text), ("value", 2, Message(&SAVED_CONCRETE_FUNCTION))]);

pub(super) static SAVED_CONCRETE_FUNCTION: Fields = Fields(&[
    ("bound_inputs", 2, Number),
    ("canonicalized_input_signature", 3, Message(&STRUCTURED_VALUE)),
    ("output_signature", 4, Message(&STRUCTURED_VALUE)),
]);
