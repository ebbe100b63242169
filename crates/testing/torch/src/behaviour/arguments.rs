//! Arguments of calls, by their types and names: given as parameters, or as values that stand in the code.

use serde::{Deserialize, Serialize};
use unskew_torch_schemas::{FunctionSchema, SchemaArgument, SchemaType};

use super::cases::annotation;

/// What a parameter is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParameterRole {
    /// A tensor that is calculated with.
    Data,
    /// A tensor of places.
    Index,
    /// A tensor that says which.
    Mask,
    /// Several tensors that are calculated with.
    Several,
    /// Something else than a tensor, of this type of TorchScript.
    Value(String),
}

impl ParameterRole {
    /// The type of the parameter.
    pub fn ty(&self) -> &str {
        match self {
            Self::Data | Self::Index | Self::Mask => "Tensor",
            Self::Several => "List[Tensor]",
            Self::Value(ty) => ty,
        }
    }
}

/// The role of an argument, if it is to be a parameter. What operators without tensors take is always one.
pub(super) fn role(
    schema: &FunctionSchema,
    one: &SchemaArgument,
    ty: &SchemaType,
    with_tensors: bool,
) -> Option<ParameterRole> {
    match ty {
        SchemaType::Named(name) if name == "Tensor" => Some(match &*one.name {
            "index" | "indices" | "idx" | "target" | "offsets" | "sorter" | "input_lengths"
            | "target_lengths" | "labels" => ParameterRole::Index,
            "repeats" | "pivots" | "LU_pivots" => ParameterRole::Index,
            "mask" | "condition" => ParameterRole::Mask,
            _ if one.name == "self" && schema.name == "aten::bincount" => ParameterRole::Index,
            _ => ParameterRole::Data,
        }),
        SchemaType::List(item, _) => match &**item {
            SchemaType::Named(name) if name == "Tensor" => Some(ParameterRole::Several),
            _ if !with_tensors => annotation(ty).map(ParameterRole::Value),
            _ => None,
        },
        _ if with_tensors => None,
        SchemaType::Named(name)
            if matches!(&**name, "Device" | "Layout" | "MemoryFormat" | "ScalarType") =>
        {
            None
        }
        _ => annotation(ty).filter(|ty| ty != "number").map(ParameterRole::Value),
    }
}

/// How many values an optional argument is tried with.
pub(super) fn extras(one: &SchemaArgument) -> usize {
    let ty = match &one.ty {
        SchemaType::Optional(inner) => inner,
        ty => ty,
    };
    match ty {
        // Memory of another device ends the process of a machine without one.
        _ if matches!(&*one.name, "pin_memory" | "device" | "layout" | "out_dtype") => 0,
        SchemaType::Named(name) if matches!(&**name, "int" | "Scalar" | "ScalarType") => 2,
        SchemaType::Named(name) if matches!(&**name, "Generator" | "Dimname" | "Storage") => 0,
        _ => 1,
    }
}

/// The text of a value for an argument, if there is one for its type.
pub(super) fn literal(one: &SchemaArgument, ty: &SchemaType, which: usize) -> Option<String> {
    let name = &*one.name;
    Some(match ty {
        SchemaType::Named(ty) => match &**ty {
            "int" | "SymInt" => int(name, which).to_string(),
            "float" => float(name).to_owned(),
            "bool" if matches!(name, "train" | "training" | "use_input_stats") => {
                "False".to_owned()
            }
            "bool" => {
                if one.default.as_deref() == Some("True") { "False" } else { "True" }.to_owned()
            }
            "Scalar" => if which == 0 { "2" } else { "1.5" }.to_owned(),
            "complex" => "1j".to_owned(),
            "str" => format!("\"{}\"", text(name)),
            "ScalarType" => if which == 0 { "7" } else { "4" }.to_owned(),
            "Device" => "torch.device(\"cpu\")".to_owned(),
            "Layout" | "MemoryFormat" => "0".to_owned(),
            _ => return None,
        },
        SchemaType::List(item, size) => {
            let SchemaType::Named(item) = &**item else { return None };
            let count =
                size.map_or_else(|| length(name), |size| usize::try_from(size).unwrap_or(1));
            let one = |at: usize| match &**item {
                "int" | "SymInt" => Some(ints(name, at).to_string()),
                "float" => Some("0.5".to_owned()),
                "bool" => Some("True".to_owned()),
                "str" => Some(format!("\"{}\"", text(name))),
                "Scalar" => Some("2".to_owned()),
                _ => None,
            };
            let all: Option<Vec<String>> = (0..count).map(one).collect();
            format!("[{}]", all?.join(", "))
        }
        _ => return None,
    })
}

fn int(name: &str, which: usize) -> i64 {
    let first = match name {
        "dim" | "axis" | "dim0" | "axis0" | "index" | "start" | "diagonal" | "offset"
        | "storage_offset" | "start_dim" | "from" | "source" | "low" | "padding_idx" | "k_low" => 0,
        "dim1" | "axis1" | "dim2" | "end_dim" | "destination" | "step" | "length" | "reduction"
        | "chunks" | "groups" | "num_groups" | "sections" | "split_size" | "correction" | "n"
        | "size" | "k" => 1,
        "end" | "high" | "num_classes" | "m" | "upscale_factor" | "downscale_factor" | "times"
        | "p" => 2,
        "steps" | "num_samples" | "N" | "minlength" => 5,
        "bins" | "hop_length" | "n_freqs" => 4,
        "n_fft" | "win_length" | "window_length" => 16,
        "ignore_index" => -100,
        "dtype" => 7,
        "layout" | "memory_format" | "interpolation_mode" | "padding_mode" => 0,
        _ => 1,
    };
    match (which, name) {
        (0, _) => first,
        (_, "dtype") => 4,
        (_, "dim" | "axis" | "dim0" | "dim1" | "dim2" | "start" | "offset" | "diagonal") => -1,
        _ => 2,
    }
}

fn float(name: &str) -> &'static str {
    match name {
        "eps" => "1.0e-05",
        "p" => "2.0",
        "momentum" => "0.1",
        "end" | "to" | "max" | "max_val" | "base" | "upper" => "3.5",
        "low" | "from" | "min" | "start" => "0.5",
        _ => "0.5",
    }
}

fn text(name: &str) -> &'static str {
    match name {
        "rounding_mode" => "floor",
        "approximate" => "tanh",
        "reduce" => "sum",
        "reduction" => "mean",
        "mode" => "constant",
        "pad_mode" => "reflect",
        "padding" => "same",
        "indexing" => "ij",
        "side" => "right",
        "interpolation" => "linear",
        "equation" => "ij,jk->ik",
        "ord" | "p" => "fro",
        "UPLO" | "uplo" => "U",
        "norm" => "ortho",
        "driver" => "gelsd",
        _ => "a",
    }
}

/// How many items a list without a fixed size gets.
fn length(name: &str) -> usize {
    match name {
        "size" | "repeats" | "output_size" | "self" | "sizes" | "target_shape" => 2,
        "dims" | "dim" | "shifts" | "normalized_shape" | "axis" => 1,
        "pad" | "padding" | "kernel_size" | "stride" | "dilation" | "output_padding" => 2,
        _ => 1,
    }
}

fn ints(name: &str, at: usize) -> i64 {
    match (name, at) {
        ("size" | "sizes", 0) => 2,
        ("size" | "sizes" | "normalized_shape", _) => 3,
        ("dim" | "dims" | "axis" | "dims_self" | "dims_other", at) => {
            i64::try_from(at).unwrap_or(0)
        }
        ("padding" | "output_padding", _) => 0,
        ("kernel_size" | "output_size" | "repeats" | "block_size", _) => 2,
        _ => 1,
    }
}
