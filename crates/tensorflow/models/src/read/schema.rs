//! The fields of TensorFlow's messages by name, as its text files use them: one table, from which the
//! text reader makes the same bytes that the binary readers read.
//!
//! What a verdict does not need is marked: it is passed over where a file is judged, and kept where the whole of
//! it becomes bytes. Messages that only that needs stand in `other_messages`, names of values in `named`.

use super::TensorFlowFileKind;

mod named;
mod other_messages;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldContent {
    /// A whole number or a truth value.
    Number,
    /// A float of 32 bits.
    Float,
    /// A string or bytes, quoted.
    Text,
    /// The name or number of an element type.
    Type,
    /// A float of 64 bits.
    Double,
    /// A whole number of 64 bits that is written as it is.
    Fixed64,
    /// A whole number that is written with its sign in the lowest bit.
    Zigzag,
    /// One of these names, or its number.
    Named(&'static [(&'static str, i64)]),
    Message(&'static Fields),
    /// Something that no verdict needs, such as documentation.
    Aside(&'static Self),
    /// Values of tensors, of which a verdict needs whether there are any, and whether all are zero.
    Sample,
}

/// The fields of one message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fields(&'static [(&'static str, u32, FieldContent)]);

impl Fields {
    /// The number of a field and what it holds; none for names that the table does not have.
    pub(crate) fn get(&self, name: &str) -> Option<(u32, FieldContent)> {
        self.0.iter().find(|(known, ..)| *known == name).map(|(_, number, holds)| (*number, *holds))
    }

    /// What the field of this number holds; none for numbers that the table does not have.
    pub(crate) fn numbered(&self, number: u32) -> Option<FieldContent> {
        self.0.iter().find(|(_, known, _)| *known == number).map(|(.., holds)| *holds)
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = FieldContent> {
        self.0.iter().map(|(.., holds)| *holds)
    }

    /// Whether this is the entry of a map: a key and a value. One message that is no entry looks the same.
    pub(crate) fn is_entry(&self) -> bool {
        let pair = matches!(self.0, [("key", 1, _), ("value", 2, _)]);
        pair && !std::ptr::eq(self, &PAIR_VALUE)
    }
}

use FieldContent::{Aside, Double, Float, Message, Number, Text, Type};
use other_messages::*;

pub(crate) static SAVED_MODEL: Fields =
    Fields(&[("saved_model_schema_version", 1, Number), ("meta_graphs", 2, Message(&META_GRAPH))]);

pub(crate) static META_GRAPH: Fields = Fields(&[
    ("meta_info_def", 1, Message(&META_INFO)),
    ("graph_def", 2, Message(&GRAPH)),
    ("saver_def", 3, Message(&SAVER)),
    ("collection_def", 4, Message(&META_GRAPH_COLLECTION_DEF_ENTRY)),
    ("signature_def", 5, Message(&META_GRAPH_SIGNATURE_DEF_ENTRY)),
    ("asset_file_def", 6, Aside(&Message(&ASSET_FILE))),
    ("object_graph_def", 7, Message(&OBJECT_GRAPH)),
]);

static META_INFO: Fields = Fields(&[
    ("meta_graph_version", 1, Aside(&Text)),
    ("stripped_op_list", 2, Message(&OP_LIST)),
    ("any_info", 3, Aside(&Message(&ANY))),
    ("tags", 4, Text),
    ("tensorflow_version", 5, Text),
    ("tensorflow_git_version", 6, Aside(&Text)),
    ("stripped_default_attrs", 7, Number),
    ("function_aliases", 8, Aside(&Message(&FUNCTION_ALIAS))),
]);

static OBJECT_GRAPH: Fields = Fields(&[
    ("nodes", 1, Message(&OBJECT)),
    ("concrete_functions", 2, Aside(&Message(&SAVED_OBJECT_GRAPH_CONCRETE_FUNCTIONS_ENTRY))),
]);
static OBJECT: Fields = Fields(&[
    ("children", 1, Aside(&Message(&CHILD))),
    ("dependencies", 15, Aside(&Message(&CHILD))),
    ("slot_variables", 3, Message(&SLOT)),
    ("user_object", 4, Message(&USER_OBJECT)),
    ("asset", 5, Aside(&Message(&SAVED_ASSET))),
    ("function", 6, Aside(&Message(&SAVED_FUNCTION))),
    ("variable", 7, Aside(&Message(&SAVED_VARIABLE))),
    ("bare_concrete_function", 8, Aside(&Message(&SAVED_BARE_CONCRETE_FUNCTION))),
    ("constant", 9, Aside(&Message(&SAVED_CONSTANT))),
    ("resource", 10, Aside(&Message(&SAVED_RESOURCE))),
    ("captured_tensor", 12, Message(&CAPTURED_TENSOR)),
    ("saveable_objects", 11, Aside(&Message(&SAVED_OBJECT_SAVEABLE_OBJECTS_ENTRY))),
    ("registered_name", 13, Aside(&Text)),
    ("serialized_user_proto", 14, Aside(&Message(&ANY))),
    ("registered_saver", 16, Aside(&Text)),
]);
static SLOT: Fields = Fields(&[
    ("original_variable_node_id", 1, Number),
    ("slot_name", 2, Aside(&Text)),
    ("slot_variable_node_id", 3, Number),
]);
static USER_OBJECT: Fields = Fields(&[
    ("identifier", 1, Text),
    ("version", 2, Message(&VERSIONS)),
    ("metadata", 3, Aside(&Text)),
]);

pub(crate) static OP_LIST: Fields = Fields(&[("op", 1, Message(&OP))]);

pub(crate) static GRAPH: Fields = Fields(&[
    ("node", 1, Message(&NODE)),
    ("versions", 4, Message(&VERSIONS)),
    ("version", 3, Aside(&Number)),
    ("library", 2, Message(&LIBRARY)),
    ("debug_info", 5, Aside(&Message(&GRAPH_DEBUG_INFO))),
]);

static VERSIONS: Fields =
    Fields(&[("producer", 1, Number), ("min_consumer", 2, Number), ("bad_consumers", 3, Number)]);

static NODE: Fields = Fields(&[
    ("name", 1, Text),
    ("op", 2, Text),
    ("input", 3, Text),
    ("device", 4, Text),
    ("attr", 5, Message(&ATTR_ENTRY)),
    ("experimental_debug_info", 6, Aside(&Message(&NODE_ORIGIN))),
    ("experimental_type", 7, Aside(&Message(&FULL_TYPE))),
]);

static ATTR_ENTRY: Fields = Fields(&[("key", 1, Text), ("value", 2, Message(&ATTR_VALUE))]);

static ATTR_VALUE: Fields = Fields(&[
    ("s", 2, Text),
    ("i", 3, Number),
    ("f", 4, Float),
    ("b", 5, Number),
    ("type", 6, Type),
    ("shape", 7, Message(&SHAPE)),
    ("tensor", 8, Message(&TENSOR)),
    ("list", 1, Message(&LIST_VALUE)),
    ("func", 10, Message(&FUNC)),
    ("placeholder", 9, Text),
]);

static LIST_VALUE: Fields = Fields(&[
    ("s", 2, Text),
    ("i", 3, Number),
    ("f", 4, Float),
    ("b", 5, Number),
    ("type", 6, Type),
    ("shape", 7, Message(&SHAPE)),
    ("tensor", 8, Message(&TENSOR)),
    ("func", 9, Message(&FUNC)),
]);

static FUNC: Fields = Fields(&[("name", 1, Text), ("attr", 2, Aside(&Message(&ATTR_ENTRY)))]);
static SHAPE: Fields = Fields(&[("dim", 2, Message(&DIM)), ("unknown_rank", 3, Number)]);
static DIM: Fields = Fields(&[("size", 1, Number), ("name", 2, Aside(&Text))]);
pub(super) static TENSOR: Fields = Fields(&[
    ("dtype", 1, Type),
    ("tensor_shape", 2, Message(&SHAPE)),
    ("version_number", 3, Aside(&Number)),
    ("tensor_content", 4, Aside(&Text)),
    ("half_val", 13, Aside(&Number)),
    ("float_val", 5, Aside(&Float)),
    ("double_val", 6, Aside(&Double)),
    ("int_val", 7, Aside(&Number)),
    ("string_val", 8, Aside(&Text)),
    ("scomplex_val", 9, Aside(&Float)),
    ("int64_val", 10, Aside(&Number)),
    ("bool_val", 11, Aside(&Number)),
    ("dcomplex_val", 12, Aside(&Double)),
    ("resource_handle_val", 14, Aside(&Message(&HANDLE))),
    ("variant_val", 15, Aside(&Message(&VARIANT))),
    ("uint32_val", 16, Aside(&Number)),
    ("uint64_val", 17, Aside(&Number)),
    ("float8_val", 18, Aside(&Text)),
]);

static LIBRARY: Fields = Fields(&[
    ("function", 1, Message(&FUNCTION)),
    ("gradient", 2, Message(&GRADIENT)),
    ("registered_gradients", 3, Aside(&Message(&REGISTERED_GRADIENT))),
]);
static GRADIENT: Fields = Fields(&[("function_name", 1, Text), ("gradient_func", 2, Text)]);
static RESULT: Fields = Fields(&[("key", 1, Text), ("value", 2, Text)]);
static FUNCTION: Fields = Fields(&[
    ("signature", 1, Message(&OP)),
    ("attr", 5, Message(&ATTR_ENTRY)),
    ("arg_attr", 7, Aside(&Message(&ARG_ATTRS_ENTRY))),
    ("resource_arg_unique_id", 8, Aside(&Message(&RESOURCE_ID))),
    ("node_def", 3, Message(&NODE)),
    ("ret", 4, Message(&RESULT)),
    ("control_ret", 6, Aside(&Message(&CONTROL_RESULT))),
]);

static OP: Fields = Fields(&[
    ("name", 1, Text),
    ("input_arg", 2, Message(&ARG)),
    ("output_arg", 3, Message(&ARG)),
    ("control_output", 20, Aside(&Text)),
    ("attr", 4, Message(&ATTR_DEF)),
    ("deprecation", 8, Message(&DEPRECATION)),
    ("summary", 5, Aside(&Text)),
    ("description", 6, Aside(&Text)),
    ("is_commutative", 18, Number),
    ("is_aggregate", 16, Number),
    ("is_stateful", 17, Number),
    ("allows_uninitialized_input", 19, Number),
    ("is_distributed_communication", 21, Number),
]);

static ARG: Fields = Fields(&[
    ("name", 1, Text),
    ("description", 2, Aside(&Text)),
    ("type", 3, Type),
    ("type_attr", 4, Text),
    ("number_attr", 5, Text),
    ("type_list_attr", 6, Text),
    ("handle_data", 7, Aside(&Message(&TYPED_SHAPE))),
    ("is_ref", 16, Number),
    ("experimental_full_type", 17, Aside(&Message(&FULL_TYPE))),
]);

static ATTR_DEF: Fields = Fields(&[
    ("name", 1, Text),
    ("type", 2, Text),
    ("default_value", 3, Message(&ATTR_VALUE)),
    ("description", 4, Aside(&Text)),
    ("has_minimum", 5, Number),
    ("minimum", 6, Number),
    ("allowed_values", 7, Message(&ATTR_VALUE)),
]);

static DEPRECATION: Fields = Fields(&[("version", 1, Number), ("explanation", 2, Text)]);

/// Which message a text begins like: by the name of its first field, and by what that field begins
/// with where several messages have a field of this name.
pub(crate) fn kind_of_text(head: &[u8]) -> Option<TensorFlowFileKind> {
    let head = std::str::from_utf8(head).or_else(|error| {
        // The head may end in the middle of a character.
        std::str::from_utf8(&head[..error.valid_up_to()])
    });
    let mut lines = head.ok()?.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'))?;
    let end = first.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = first.split_at(end);
    let opens = rest.trim_start().starts_with(['{', '<']) || rest.trim_start().starts_with(": {");
    match name {
        "saved_model_schema_version" if rest.trim_start().starts_with(':') => {
            Some(TensorFlowFileKind::SavedModel)
        }
        "meta_graphs" if opens => Some(TensorFlowFileKind::SavedModel),
        "meta_info_def" | "graph_def" if opens => Some(TensorFlowFileKind::MetaGraph),
        "library" | "versions" if opens => Some(TensorFlowFileKind::Graph),
        "node" if opens => {
            let inner = rest.trim_start_matches([' ', ':', '{', '<']).trim();
            let next = if inner.is_empty() { lines.find(|line| !line.is_empty())? } else { inner };
            (next.starts_with("name:") || next.starts_with("op:"))
                .then_some(TensorFlowFileKind::Graph)
        }
        "op" if opens => {
            let inner = rest.trim_start_matches([' ', ':', '{', '<']).trim();
            let next = if inner.is_empty() { lines.find(|line| !line.is_empty())? } else { inner };
            next.starts_with("name:").then_some(TensorFlowFileKind::OpList)
        }
        _ => None,
    }
}
