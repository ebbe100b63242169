//! The fields of TensorFlow's messages by name, as its text files use them: one table, from which the
//! text reader makes the same bytes that the binary readers read.

use super::Kind;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A whole number or a truth value.
    Number,
    /// A 32-bit float.
    Float,
    /// Text or bytes.
    Text,
    /// The name or number of an element type.
    Type,
    /// Another message.
    Message(&'static Fields),
    /// Nothing that a verdict needs: the values of tensors, documentation.
    Skipped,
}

/// The fields of one message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fields(&'static [(&'static str, u32, Holds)]);

impl Fields {
    /// The number of a field and what it holds; none for names that the table does not have, which
    /// are skipped.
    pub(crate) fn get(&self, name: &str) -> Option<(u32, Holds)> {
        self.0.iter().find(|(known, ..)| *known == name).map(|(_, number, holds)| (*number, *holds))
    }
}

use Holds::{Float, Message, Number, Skipped, Text, Type};

/// `SavedModel`.
pub(crate) static SAVED_MODEL: Fields =
    Fields(&[("saved_model_schema_version", 1, Number), ("meta_graphs", 2, Message(&META_GRAPH))]);

/// `MetaGraphDef`.
pub(crate) static META_GRAPH: Fields = Fields(&[
    ("meta_info_def", 1, Message(&META_INFO)),
    ("graph_def", 2, Message(&GRAPH)),
    ("saver_def", 3, Skipped),
    ("collection_def", 4, Skipped),
    ("signature_def", 5, Skipped),
    ("asset_file_def", 6, Skipped),
    ("object_graph_def", 7, Message(&OBJECT_GRAPH)),
]);

static META_INFO: Fields = Fields(&[
    ("stripped_op_list", 2, Message(&OP_LIST)),
    ("tags", 4, Text),
    ("tensorflow_version", 5, Text),
    ("stripped_default_attrs", 7, Number),
]);

static OBJECT_GRAPH: Fields = Fields(&[("nodes", 1, Message(&OBJECT))]);
static OBJECT: Fields =
    Fields(&[("slot_variables", 3, Message(&SLOT)), ("user_object", 4, Message(&USER_OBJECT))]);
static SLOT: Fields = Fields(&[
    ("original_variable_node_id", 1, Number),
    ("slot_name", 2, Skipped),
    ("slot_variable_node_id", 3, Number),
]);
static USER_OBJECT: Fields = Fields(&[("identifier", 1, Text), ("version", 2, Message(&VERSIONS))]);

/// `OpList`.
pub(crate) static OP_LIST: Fields = Fields(&[("op", 1, Message(&OP))]);

/// `GraphDef`.
pub(crate) static GRAPH: Fields = Fields(&[
    ("node", 1, Message(&NODE)),
    ("library", 2, Message(&LIBRARY)),
    ("version", 3, Skipped),
    ("versions", 4, Message(&VERSIONS)),
    ("debug_info", 5, Skipped),
]);

static VERSIONS: Fields =
    Fields(&[("producer", 1, Number), ("min_consumer", 2, Number), ("bad_consumers", 3, Number)]);

static NODE: Fields = Fields(&[
    ("name", 1, Text),
    ("op", 2, Text),
    ("input", 3, Text),
    ("device", 4, Skipped),
    ("attr", 5, Message(&ATTR_ENTRY)),
]);

static ATTR_ENTRY: Fields = Fields(&[("key", 1, Text), ("value", 2, Message(&ATTR_VALUE))]);

static ATTR_VALUE: Fields = Fields(&[
    ("list", 1, Message(&LIST_VALUE)),
    ("s", 2, Text),
    ("i", 3, Number),
    ("f", 4, Float),
    ("b", 5, Number),
    ("type", 6, Type),
    ("shape", 7, Message(&SHAPE)),
    ("tensor", 8, Message(&TENSOR)),
    ("placeholder", 9, Text),
    ("func", 10, Message(&FUNC)),
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

static FUNC: Fields = Fields(&[("name", 1, Text), ("attr", 2, Skipped)]);
static SHAPE: Fields = Fields(&[("dim", 2, Message(&DIM)), ("unknown_rank", 3, Number)]);
static DIM: Fields = Fields(&[("size", 1, Number), ("name", 2, Skipped)]);
static TENSOR: Fields = Fields(&[("dtype", 1, Type), ("tensor_shape", 2, Message(&SHAPE))]);

static LIBRARY: Fields =
    Fields(&[("function", 1, Message(&FUNCTION)), ("gradient", 2, Message(&GRADIENT))]);
static GRADIENT: Fields = Fields(&[("function_name", 1, Text), ("gradient_func", 2, Text)]);
static RESULT: Fields = Fields(&[("key", 1, Skipped), ("value", 2, Text)]);
static FUNCTION: Fields = Fields(&[
    ("signature", 1, Message(&OP)),
    ("node_def", 3, Message(&NODE)),
    ("ret", 4, Message(&RESULT)),
    ("attr", 5, Skipped),
]);

static OP: Fields = Fields(&[
    ("name", 1, Text),
    ("input_arg", 2, Message(&ARG)),
    ("output_arg", 3, Message(&ARG)),
    ("attr", 4, Message(&ATTR_DEF)),
    ("deprecation", 8, Message(&DEPRECATION)),
    ("is_aggregate", 16, Number),
    ("is_stateful", 17, Number),
    ("is_commutative", 18, Number),
    ("allows_uninitialized_input", 19, Number),
    ("is_distributed_communication", 21, Number),
]);

static ARG: Fields = Fields(&[
    ("name", 1, Text),
    ("type", 3, Type),
    ("type_attr", 4, Text),
    ("number_attr", 5, Text),
    ("type_list_attr", 6, Text),
    ("is_ref", 16, Number),
]);

static ATTR_DEF: Fields = Fields(&[
    ("name", 1, Text),
    ("type", 2, Text),
    ("default_value", 3, Message(&ATTR_VALUE)),
    ("has_minimum", 5, Number),
    ("minimum", 6, Number),
    ("allowed_values", 7, Message(&ATTR_VALUE)),
]);

static DEPRECATION: Fields = Fields(&[("version", 1, Number), ("explanation", 2, Text)]);

/// Which message a text begins like: by the name of its first field, and by what that field begins
/// with where several messages have a field of this name.
pub(crate) fn kind_of_text(head: &[u8]) -> Option<Kind> {
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
            Some(Kind::SavedModel)
        }
        "meta_graphs" if opens => Some(Kind::SavedModel),
        "meta_info_def" | "graph_def" if opens => Some(Kind::MetaGraph),
        "library" | "versions" if opens => Some(Kind::Graph),
        "node" if opens => {
            let inner = rest.trim_start_matches([' ', ':', '{', '<']).trim();
            let next = if inner.is_empty() { lines.find(|line| !line.is_empty())? } else { inner };
            (next.starts_with("name:") || next.starts_with("op:")).then_some(Kind::Graph)
        }
        "op" if opens => {
            let inner = rest.trim_start_matches([' ', ':', '{', '<']).trim();
            let next = if inner.is_empty() { lines.find(|line| !line.is_empty())? } else { inner };
            next.starts_with("name:").then_some(Kind::OpList)
        }
        _ => None,
    }
}
