//! Names of the values of enumerations, as TensorFlow 2.21 has them; element types are in [`crate::DataType`].

pub(super) static FULL_TYPE_IDS: [(&str, i64); 34] = [
    ("TFT_UNSET", 0),
    ("TFT_VAR", 1),
    ("TFT_ANY", 2),
    ("TFT_PRODUCT", 3),
    ("TFT_NAMED", 4),
    ("TFT_FOR_EACH", 20),
    ("TFT_CALLABLE", 100),
    ("TFT_TENSOR", 1000),
    ("TFT_ARRAY", 1001),
    ("TFT_OPTIONAL", 1002),
    ("TFT_LITERAL", 1003),
    ("TFT_ENCODED", 1004),
    ("TFT_SHAPE_TENSOR", 1005),
    ("TFT_BOOL", 200),
    ("TFT_UINT8", 201),
    ("TFT_UINT16", 202),
    ("TFT_UINT32", 203),
    ("TFT_UINT64", 204),
    ("TFT_INT8", 205),
    ("TFT_INT16", 206),
    ("TFT_INT32", 207),
    ("TFT_INT64", 208),
    ("TFT_HALF", 209),
    ("TFT_FLOAT", 210),
    ("TFT_DOUBLE", 211),
    ("TFT_BFLOAT16", 215),
    ("TFT_COMPLEX64", 212),
    ("TFT_COMPLEX128", 213),
    ("TFT_STRING", 214),
    ("TFT_DATASET", 10102),
    ("TFT_RAGGED", 10103),
    ("TFT_ITERATOR", 10104),
    ("TFT_MUTEX_LOCK", 10202),
    ("TFT_LEGACY_VARIANT", 10203),
];

pub(super) static SAVER_FORMATS: [(&str, i64); 3] = [("LEGACY", 0), ("V1", 1), ("V2", 2)];

pub(super) static TYPE_SPECS: [(&str, i64); 13] = [
    ("UNKNOWN", 0),
    ("SPARSE_TENSOR_SPEC", 1),
    ("INDEXED_SLICES_SPEC", 2),
    ("RAGGED_TENSOR_SPEC", 3),
    ("TENSOR_ARRAY_SPEC", 4),
    ("DATA_DATASET_SPEC", 5),
    ("DATA_ITERATOR_SPEC", 6),
    ("OPTIONAL_SPEC", 7),
    ("PER_REPLICA_SPEC", 8),
    ("VARIABLE_SPEC", 9),
    ("ROW_PARTITION_SPEC", 10),
    ("REGISTERED_TYPE_SPEC", 12),
    ("EXTENSION_TYPE_SPEC", 13),
];

pub(super) static JIT_COMPILE: [(&str, i64); 3] = [("DEFAULT", 0), ("ON", 1), ("OFF", 2)];

pub(super) static SYNCHRONIZATION: [(&str, i64); 4] = [
    ("VARIABLE_SYNCHRONIZATION_AUTO", 0),
    ("VARIABLE_SYNCHRONIZATION_NONE", 1),
    ("VARIABLE_SYNCHRONIZATION_ON_WRITE", 2),
    ("VARIABLE_SYNCHRONIZATION_ON_READ", 3),
];

pub(super) static AGGREGATION: [(&str, i64); 4] = [
    ("VARIABLE_AGGREGATION_NONE", 0),
    ("VARIABLE_AGGREGATION_SUM", 1),
    ("VARIABLE_AGGREGATION_MEAN", 2),
    ("VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA", 3),
];
