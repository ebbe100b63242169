//! Views: whether a node gives new memory, the same tensor, a view of it, or one of these that the graph does not tell.

use unskew_torch_schemas::FunctionSchema;

use super::{Functionalizer, meta};
use crate::json::JsonValue;

/// What the results of a node are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ResultMemory {
    New,
    /// The very tensor that is given first.
    Same,
    View(ViewInverse),
    /// New memory or that of an argument.
    Perhaps,
}

/// How what was written to a view is put back into what it was taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ViewInverse {
    /// It is the whole.
    Itself,
    /// By the sizes of the whole.
    Reshape,
    /// By the same operator.
    Again,
    /// By the inverse order of dimensions.
    Permute,
    /// By the same operator, from the destination to the source.
    Swap,
    /// By the operator of this name with the arguments of the view, and what was written as `src`.
    Scatter(&'static str),
    /// The part of the number of the result, along the dimension: a slice of its size.
    Part,
    /// The element of the number of the result, along the dimension.
    Element,
    /// By nothing.
    Never,
}

/// Operators that give what they are given if it fits already, and have no annotation that says so, or are made of
/// others that do.
const PASSING: [&str; 41] = [
    "_autocast_to_full_precision",
    "_autocast_to_reduced_precision",
    "_pack_padded_sequence",
    "_pad_packed_sequence",
    "_reshape_from_tensor",
    "_to_cpu",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_tensors",
    "cartesian_prod",
    "chain_matmul",
    "chalf",
    "channel_shuffle",
    "combinations",
    "conj_physical",
    "data",
    "diag",
    "diagflat",
    "diff",
    "einsum",
    "flatten_dense_tensors",
    "gradient",
    "linalg_matrix_power",
    "linalg_multi_dot",
    "matrix_power",
    "meshgrid",
    "native_channel_shuffle",
    "norm_except_dim",
    "rot90",
    "sum_to_size",
    "tensordot",
    "to_dense",
    "to_mkldnn",
    "to_sparse",
    "to_sparse_bsc",
    "to_sparse_bsr",
    "to_sparse_csc",
    "to_sparse_csr",
    "unflatten_dense_tensors",
    "coalesce",
];

/// Operators that train a layer, and write what they learn to arguments without an annotation: the argument that
/// says whether they do so.
const TRAINING: [(&str, &str); 6] = [
    ("batch_norm", "training"),
    ("_batch_norm_impl_index", "training"),
    ("cudnn_batch_norm", "training"),
    ("instance_norm", "use_input_stats"),
    ("miopen_batch_norm", "training"),
    ("native_batch_norm", "training"),
];

/// The tensors that an operator writes to although its schema does not say so.
pub(super) fn written_unsaid(schema: &FunctionSchema, node: &JsonValue) -> Vec<String> {
    let name = schema.name.trim_start_matches("aten::");
    let Some((_, flag)) = TRAINING.iter().find(|(one, _)| *one == name) else { return Vec::new() };
    if meta::truth(node, flag) == Some(false) {
        return Vec::new();
    }
    let arguments = ["running_mean", "running_var"];
    let given = arguments.iter().filter_map(|name| meta::argument(node, name));
    given.flat_map(meta::tensors).map(str::to_owned).collect()
}

impl Functionalizer<'_, '_> {
    /// What a node that writes to nothing gives.
    pub(super) fn kind(&self, node: &JsonValue, schema: Option<&FunctionSchema>) -> ResultMemory {
        let Some(schema) = schema else { return ResultMemory::Perhaps };
        let Some(name) = schema.name.strip_prefix("aten::") else { return ResultMemory::Perhaps };
        if PASSING.contains(&name) {
            return ResultMemory::Perhaps;
        }
        let first = meta::inputs(node).next().and_then(|name| self.rows.get(name));
        let output = node.get("outputs").into_iter().flat_map(meta::tensors).next();
        let result = output.and_then(|name| self.rows.get(name));
        let by_layout = |whole: Option<&JsonValue>| self.reshaped(whole, result);
        let is_view = schema.returns.iter().any(|one| one.alias.is_some());
        match name {
            "alias" | "detach" => ResultMemory::View(ViewInverse::Itself),
            "lift_fresh" | "lift" | "positive" | "resolve_neg" => ResultMemory::Same,
            "dropout" | "alpha_dropout" | "feature_dropout" | "feature_alpha_dropout" => {
                match (meta::truth(node, "train"), meta::argument(node, "p")) {
                    (Some(false), _) => ResultMemory::Same,
                    (Some(true), Some(p)) if p.get("as_float").is_some_and(is_positive) => {
                        ResultMemory::New
                    }
                    _ => ResultMemory::Perhaps,
                }
            }
            "contiguous" => same_layout(first, result),
            "to" | "type_as" => self.cast(node, first, result),
            name if name.starts_with("_cast_") => self.cast(node, first, result),
            "flatten" if first.and_then(meta::rank) == result.and_then(meta::rank) => {
                if first.and_then(meta::rank) == Some(0) {
                    ResultMemory::View(ViewInverse::Reshape)
                } else {
                    ResultMemory::Same
                }
            }
            "reshape" | "reshape_as" | "flatten" | "ravel" => by_layout(first),
            "view" if schema.overload == "dtype" => ResultMemory::View(ViewInverse::Never),
            "view" | "_unsafe_view" | "view_as" | "_reshape_alias" | "unflatten" | "squeeze"
            | "unsqueeze" => ResultMemory::View(ViewInverse::Reshape),
            "transpose" | "swapaxes" | "swapdims" | "t" | "mT" | "numpy_T" => {
                ResultMemory::View(ViewInverse::Again)
            }
            "permute" => ResultMemory::View(ViewInverse::Permute),
            "movedim" | "moveaxis" => ResultMemory::View(ViewInverse::Swap),
            "slice" => ResultMemory::View(ViewInverse::Scatter("slice_scatter.default")),
            "select" if schema.overload == "int" => {
                ResultMemory::View(ViewInverse::Scatter("select_scatter.default"))
            }
            "diagonal" => ResultMemory::View(ViewInverse::Scatter("diagonal_scatter.default")),
            "unbind" => ResultMemory::View(ViewInverse::Element),
            "split"
            | "split_with_sizes"
            | "chunk"
            | "tensor_split"
            | "unsafe_split"
            | "unsafe_split_with_sizes"
            | "unsafe_chunk" => ResultMemory::View(ViewInverse::Part),
            _ if is_view => ResultMemory::View(ViewInverse::Never),
            _ => ResultMemory::New,
        }
    }

    /// Whether `reshape` gives a view.
    fn reshaped(&self, whole: Option<&JsonValue>, result: Option<&JsonValue>) -> ResultMemory {
        let told = || {
            let (whole, result) = (whole?, result?);
            if meta::is_contiguous(whole) == Some(true) {
                return Some(true);
            }
            let sizes = meta::numbers(meta::list(whole, "sizes")?)?;
            let strides = meta::numbers(meta::list(whole, "strides")?)?;
            let new = meta::numbers(meta::list(result, "sizes")?)?;
            Some(meta::can_be_viewed(&sizes, &strides, &new))
        };
        match told() {
            Some(true) => ResultMemory::View(ViewInverse::Reshape),
            Some(false) => ResultMemory::New,
            None => ResultMemory::Perhaps,
        }
    }

    /// Whether `to` and its like give what they are given.
    fn cast(
        &self,
        node: &JsonValue,
        first: Option<&JsonValue>,
        result: Option<&JsonValue>,
    ) -> ResultMemory {
        let (Some(first), Some(result)) = (first, result) else { return ResultMemory::Perhaps };
        let differs = |field| first.get(field) != result.get(field);
        if meta::truth(node, "copy") == Some(true)
            || ["dtype", "device", "layout"].into_iter().any(differs)
        {
            return ResultMemory::New;
        }
        let is_none = |arg: &JsonValue| arg.get("as_none").is_some();
        match meta::argument(node, "memory_format") {
            Some(format) if !is_none(format) => ResultMemory::Perhaps,
            _ => ResultMemory::Same,
        }
    }
}

/// `contiguous` gives what it is given if that is laid out so already, and then nothing changes.
fn same_layout(first: Option<&JsonValue>, result: Option<&JsonValue>) -> ResultMemory {
    let (Some(first), Some(result)) = (first, result) else { return ResultMemory::Perhaps };
    if first.get("strides") == result.get("strides") {
        ResultMemory::Same
    } else {
        ResultMemory::New
    }
}

fn is_positive(number: &JsonValue) -> bool {
    number.to_string().parse::<f64>().is_ok_and(|number| number > 0.0)
}
