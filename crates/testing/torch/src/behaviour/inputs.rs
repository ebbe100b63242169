//! The values that arguments get, by their types and names.

use serde::{Deserialize, Serialize};
use unskew_torch_schemas::{Argument, Schema, Type};

use super::cases::{Form, How, annotation};

/// What a parameter is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
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

impl Role {
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
pub(super) fn role(schema: &Schema, one: &Argument, ty: &Type, with_tensors: bool) -> Option<Role> {
    match ty {
        Type::Named(name) if name == "Tensor" => Some(match &*one.name {
            "index" | "indices" | "idx" | "target" | "offsets" | "sorter" | "input_lengths"
            | "target_lengths" | "labels" => Role::Index,
            "repeats" | "pivots" | "LU_pivots" => Role::Index,
            "mask" | "condition" => Role::Mask,
            _ if one.name == "self" && schema.name == "aten::bincount" => Role::Index,
            _ => Role::Data,
        }),
        Type::List(item, _) => match &**item {
            Type::Named(name) if name == "Tensor" => Some(Role::Several),
            _ if !with_tensors => annotation(ty).map(Role::Value),
            _ => None,
        },
        _ if with_tensors => None,
        Type::Named(name)
            if matches!(&**name, "Device" | "Layout" | "MemoryFormat" | "ScalarType") =>
        {
            None
        }
        _ => annotation(ty).filter(|ty| ty != "number").map(Role::Value),
    }
}

/// How many values an optional argument is tried with.
pub(super) fn extras(one: &Argument) -> usize {
    let ty = match &one.ty {
        Type::Optional(inner) => inner,
        ty => ty,
    };
    match ty {
        // Memory of another device ends the process of a machine without one.
        _ if matches!(&*one.name, "pin_memory" | "device" | "layout" | "out_dtype") => 0,
        Type::Named(name) if matches!(&**name, "int" | "Scalar" | "ScalarType") => 2,
        Type::Named(name) if matches!(&**name, "Generator" | "Dimname" | "Storage") => 0,
        _ => 1,
    }
}

/// The text of a value for an argument, if there is one for its type.
pub(super) fn literal(one: &Argument, ty: &Type, which: usize) -> Option<String> {
    let name = &*one.name;
    Some(match ty {
        Type::Named(ty) => match &**ty {
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
        Type::List(item, size) => {
            let Type::Named(item) = &**item else { return None };
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

/// The shapes that all tensors of a call are tried with.
pub const SHAPES: [&str; 8] = ["2,3", "3,3", "4", "1,2,4,4", "2,3,4", "1,2,4,4,4", "0", ""];

/// The shapes of what operators take that take no tensors of the same shape: by the name of the argument.
const OWN: &[(&str, &[(&str, &str)])] = &[
    ("conv1d", &[("input", "1,2,5"), ("weight", "3,2,2"), ("bias", "3")]),
    ("conv2d", &[("input", "1,2,4,4"), ("weight", "3,2,2,2"), ("bias", "3")]),
    ("conv3d", &[("input", "1,2,3,3,3"), ("weight", "3,2,2,2,2"), ("bias", "3")]),
    ("conv_transpose1d", &[("input", "1,2,5"), ("weight", "2,3,2"), ("bias", "3")]),
    ("conv_transpose2d", &[("input", "1,2,4,4"), ("weight", "2,3,2,2"), ("bias", "3")]),
    ("conv_transpose3d", &[("input", "1,2,3,3,3"), ("weight", "2,3,2,2,2"), ("bias", "3")]),
    ("conv_tbc", &[("self", "5,1,2"), ("weight", "2,2,3"), ("bias", "3")]),
    ("linear", &[("input", "2,3"), ("weight", "4,3"), ("bias", "4")]),
    ("bilinear", &[("input1", "2,3"), ("input2", "2,3"), ("weight", "2,3,3"), ("bias", "2")]),
    (
        "batch_norm",
        &[
            ("input", "2,3,4"),
            ("weight", "3"),
            ("bias", "3"),
            ("running_mean", "3"),
            ("running_var", "3"),
        ],
    ),
    (
        "instance_norm",
        &[
            ("input", "2,3,4"),
            ("weight", "3"),
            ("bias", "3"),
            ("running_mean", "3"),
            ("running_var", "3"),
        ],
    ),
    (
        "native_batch_norm",
        &[
            ("input", "2,3,4"),
            ("weight", "3"),
            ("bias", "3"),
            ("running_mean", "3"),
            ("running_var", "3"),
        ],
    ),
    ("layer_norm", &[("input", "2,3"), ("weight", "3"), ("bias", "3")]),
    ("native_layer_norm", &[("input", "2,3"), ("weight", "3"), ("bias", "3")]),
    ("rms_norm", &[("input", "2,3"), ("weight", "3")]),
    ("group_norm", &[("input", "2,3,4"), ("weight", "3"), ("bias", "3")]),
    ("embedding", &[("weight", "4,3"), ("indices", "2,2")]),
    ("embedding_bag", &[("weight", "4,3"), ("indices", "4"), ("offsets", "2")]),
    ("addmv", &[("self", "3"), ("mat", "3,3"), ("vec", "3")]),
    ("addmv_", &[("self", "3"), ("mat", "3,3"), ("vec", "3")]),
    ("addr", &[("self", "3,3"), ("vec1", "3"), ("vec2", "3")]),
    ("addr_", &[("self", "3,3"), ("vec1", "3"), ("vec2", "3")]),
    ("mv", &[("self", "3,3"), ("vec", "3")]),
    ("addbmm", &[("self", "3,3"), ("batch1", "2,3,3"), ("batch2", "2,3,3")]),
    ("addbmm_", &[("self", "3,3"), ("batch1", "2,3,3"), ("batch2", "2,3,3")]),
    ("baddbmm", &[("self", "2,3,3"), ("batch1", "2,3,3"), ("batch2", "2,3,3")]),
    ("baddbmm_", &[("self", "2,3,3"), ("batch1", "2,3,3"), ("batch2", "2,3,3")]),
    ("bmm", &[("self", "2,3,3"), ("mat2", "2,3,3")]),
    ("chain_matmul", &[]),
    ("grid_sampler", &[("input", "1,1,3,3"), ("grid", "1,2,2,2")]),
    ("grid_sampler_2d", &[("input", "1,1,3,3"), ("grid", "1,2,2,2")]),
    ("affine_grid_generator", &[("theta", "2,2,3")]),
    ("nll_loss", &[("self", "2,3"), ("target", "2"), ("weight", "3")]),
    ("nll_loss_nd", &[("self", "2,3"), ("target", "2"), ("weight", "3")]),
    ("nll_loss_forward", &[("self", "2,3"), ("target", "2"), ("weight", "3")]),
    ("nll_loss2d", &[("self", "1,2,4,4"), ("target", "1,4,4"), ("weight", "2")]),
    ("cross_entropy_loss", &[("self", "2,3"), ("target", "2"), ("weight", "3")]),
    ("multi_margin_loss", &[("self", "2,3"), ("target", "2"), ("weight", "3")]),
    ("multilabel_margin_loss", &[("self", "2,3"), ("target", "2,3")]),
    ("stft", &[("self", "64"), ("window", "16")]),
    ("istft", &[("self", "9,17,2"), ("window", "16")]),
    ("prelu", &[("self", "2,3"), ("weight", "3")]),
    ("index_select", &[("self", "2,3"), ("index", "2")]),
    ("index_add", &[("self", "2,3"), ("index", "2"), ("source", "2,3")]),
    ("index_add_", &[("self", "2,3"), ("index", "2"), ("source", "2,3")]),
    ("index_copy", &[("self", "2,3"), ("index", "2"), ("source", "2,3")]),
    ("index_copy_", &[("self", "2,3"), ("index", "2"), ("source", "2,3")]),
    ("index_fill", &[("self", "2,3"), ("index", "2"), ("value", "")]),
    ("index_fill_", &[("self", "2,3"), ("index", "2"), ("value", "")]),
    ("index_reduce", &[("self", "2,3"), ("index", "2"), ("source", "2,3")]),
    ("masked_fill", &[("self", "2,3"), ("mask", "2,3"), ("value", "")]),
    ("masked_fill_", &[("self", "2,3"), ("mask", "2,3"), ("value", "")]),
    ("fill_", &[("self", "2,3"), ("value", "")]),
    ("fill", &[("self", "2,3"), ("value", "")]),
    ("repeat_interleave", &[("self", "2,3"), ("repeats", "2")]),
    ("cosine_embedding_loss", &[("input1", "2,3"), ("input2", "2,3"), ("target", "2")]),
    ("margin_ranking_loss", &[("input1", "4"), ("input2", "4"), ("target", "4")]),
    ("searchsorted", &[("sorted_sequence", "4"), ("self", "2,3")]),
    ("bucketize", &[("self", "2,3"), ("boundaries", "4")]),
    ("vander", &[("x", "4")]),
    ("bincount", &[("self", "4"), ("weights", "4")]),
    ("lerp", &[("self", "2,3"), ("end", "2,3"), ("weight", "2,3")]),
    ("view_as_complex", &[("self", "3,2")]),
    ("pixel_shuffle", &[("self", "1,4,2,2")]),
    ("pixel_unshuffle", &[("self", "1,4,2,2")]),
    ("col2im", &[("self", "1,4,1")]),
    ("fold", &[("self", "1,4,1")]),
    ("cross", &[("self", "2,3"), ("other", "2,3")]),
    ("linalg_cross", &[("self", "2,3"), ("other", "2,3")]),
    ("kron", &[("self", "2,3"), ("other", "2,3")]),
    ("cdist", &[("x1", "2,3"), ("x2", "2,3")]),
    ("gather", &[("self", "2,3"), ("index", "2,3")]),
];

/// A plan for the shapes of a call: a shape that all have, or the operator's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shapes {
    /// All tensors have this one.
    Same(&'static str),
    /// By the names of the arguments.
    Own(&'static [(&'static str, &'static str)]),
}

impl Shapes {
    /// The plans for an operator, the likeliest first.
    pub fn of(operator: &str) -> Vec<Self> {
        let name = operator.split('.').next().unwrap_or_default().trim_start_matches("aten::");
        let own = OWN.iter().find(|(of, _)| *of == name).map(|(_, shapes)| Self::Own(shapes));
        own.into_iter().chain(SHAPES.map(Self::Same)).collect()
    }

    fn shape(self, argument: &str) -> &'static str {
        match self {
            Self::Same(shape) => shape,
            Self::Own(all) => {
                all.iter().find(|(name, _)| *name == argument).map_or("2,3", |(_, shape)| shape)
            }
        }
    }
}

/// The runs with floats by which it is found which shapes a call takes.
pub fn trial_runs(form: &Form, plans: &[Shapes]) -> Vec<Vec<String>> {
    let mut runs = Vec::new();
    for plan in plans {
        for dtype in ["float32", "int64", "bool"] {
            runs.push(run(form, *plan, &|_| (dtype, "plain"), None));
        }
    }
    runs
}

/// All runs of a form: types, values, shapes.
pub fn all_runs(form: &Form, plan: Shapes, is_first: bool) -> Vec<Vec<String>> {
    let mut runs = Vec::new();
    let mut add = |one: Vec<String>| {
        if !runs.contains(&one) {
            runs.push(one);
        }
    };
    let data = form
        .given
        .iter()
        .filter(|(_, how)| matches!(how, How::Param(_, Role::Data | Role::Several)));
    let data = data.count();
    if !form.params.is_empty() && form.params.iter().all(|one| !one.contains("Tensor")) {
        return values(form);
    }
    if form.has_out {
        for dtype in ["float32", "int64", "bool", "float64"] {
            add(run(form, plan, &|_| (dtype, "plain"), None));
        }
        add(run(
            form,
            plan,
            &|at| (if at + 1 == data { "float32" } else { "int64" }, "plain"),
            None,
        ));
        return runs;
    }
    let dtypes: &[&str] = if is_first || form.given.len() < 4 {
        &["float32", "int64", "bool", "uint8", "int32", "int16", "int8", "float64", "complex64"]
    } else {
        &["float32", "int64", "bool", "uint8", "int32", "float64", "complex64"]
    };
    for dtype in dtypes {
        add(run(form, plan, &|_| (dtype, "plain"), None));
    }
    if data > 1 {
        for pair in [
            ["int64", "float32"],
            ["float32", "int64"],
            ["uint8", "int64"],
            ["int64", "uint8"],
            ["bool", "int64"],
            ["bool", "float32"],
            ["float32", "float64"],
            ["float32", "bool"],
            ["int32", "int64"],
            ["int64", "bool"],
        ] {
            add(run(form, plan, &|at| (if at == 0 { pair[0] } else { pair[1] }, "plain"), None));
        }
        // A tensor without dimensions counts less for the type of the result.
        for pair in
            [["float32", "float64"], ["int64", "float32"], ["float32", "int64"], ["int32", "int64"]]
        {
            let first = |at| (if at == 0 { pair[0] } else { pair[1] }, "plain");
            add(run(form, plan, &first, Some((1, ""))));
        }
    }
    for values in ["neg", "zeros", "ties", "nan", "inf", "halves", "large", "strided"] {
        add(run(form, plan, &|_| ("float32", values), None));
    }
    for values in ["neg", "zeros", "ties", "large"] {
        add(run(form, plan, &|_| ("int64", values), None));
    }
    add(run(form, plan, &|_| ("uint8", "large"), None));
    if data > 1 {
        for (first, second) in
            [("neg", "plain"), ("plain", "neg"), ("plain", "zeros"), ("ties", "plain")]
        {
            for dtype in ["float32", "int64"] {
                add(run(form, plan, &|at| (dtype, if at == 0 { first } else { second }), None));
            }
        }
    }
    // Masks and places of other types.
    let others = |role: Role| {
        form.given.iter().any(|(_, how)| matches!(how, How::Param(_, one) if *one == role))
    };
    if others(Role::Mask) {
        for dtype in ["uint8", "int64", "float32"] {
            add(run(
                form,
                plan,
                &|at| if at == MASK { (dtype, "index") } else { ("float32", "plain") },
                None,
            ));
        }
    }
    if others(Role::Index) {
        for dtype in ["int32", "uint8", "bool", "float32"] {
            add(run(
                form,
                plan,
                &|at| if at == INDEX { (dtype, "index") } else { ("float32", "plain") },
                None,
            ));
        }
        add(run(
            form,
            plan,
            &|at| if at == INDEX { ("int64", "neg") } else { ("float32", "plain") },
            None,
        ));
    }
    for shape in SHAPES.into_iter().chain(["0,3", "2,0"]) {
        for dtype in ["float32", "int64"] {
            add(run(form, Shapes::Same(shape), &|_| (dtype, "plain"), None));
        }
    }
    runs
}

/// The numbers by which the runs know places and masks from data.
const INDEX: usize = 98;
const MASK: usize = 99;

type Kind<'k> = dyn Fn(usize) -> (&'static str, &'static str) + 'k;

/// One run: `kind` gives the type and the values of the tensor of a number, `other` the shape of one of them.
fn run(form: &Form, plan: Shapes, kind: &Kind<'_>, other: Option<(usize, &str)>) -> Vec<String> {
    let mut data = 0;
    let params = form.given.iter().filter_map(|(argument, how)| match how {
        How::Param(_, role) => Some((argument, role)),
        _ => None,
    });
    params
        .map(|(argument, role)| {
            let shape = plan.shape(argument);
            match role {
                Role::Index => match kind(INDEX) {
                    (dtype @ ("int32" | "uint8" | "bool"), "index") => {
                        format!("{dtype}:{shape}:index")
                    }
                    ("float32", "index") => format!("float32:{shape}:index"),
                    ("int64", "neg") => format!("int64:{shape}:negindex"),
                    _ => format!("int64:{shape}:index"),
                },
                Role::Mask => match kind(MASK) {
                    (dtype, "index") => format!("{dtype}:{shape}:index"),
                    _ => format!("bool:{shape}:index"),
                },
                Role::Value(ty) => value(ty, 0),
                Role::Data | Role::Several => {
                    let (dtype, values) = kind(data);
                    let shape =
                        other.filter(|(at, _)| *at == data).map_or(shape, |(_, shape)| shape);
                    data += 1;
                    let one = format!("{dtype}:{shape}:{values}");
                    if *role == Role::Several { format!("[{one}|{one}]") } else { one }
                }
            }
        })
        .collect()
}

const INTS: [&str; 6] = ["7", "-7", "2", "0", "3", "-2"];
const FLOATS: [&str; 10] =
    ["2.5", "-2.5", "0.5", "0.0", "3.0", "nan", "inf", "1e30", "-7.0", "2.0"];

/// A value that is no tensor, as Python writes it.
fn value(ty: &str, which: usize) -> String {
    let of = |all: &[&str]| all[which % all.len()].to_owned();
    match ty {
        "int" => of(&INTS),
        "float" => {
            let text = of(&FLOATS);
            if text.starts_with(['n', 'i']) { format!("float('{text}')") } else { text }
        }
        "bool" => of(&["True", "False"]),
        "str" => of(&["'a b'", "' '", "'Ab'", "'a'", "''"]),
        "complex" => of(&["(1+2j)", "(-1-1j)", "0j"]),
        "List[int]" => of(&["[3, 1, 2]", "[1]", "[]", "[2, 2, 1]"]),
        "List[float]" => of(&["[0.5, 2.5]", "[]", "[2.0]"]),
        "List[bool]" => of(&["[True, False]", "[]", "[True]"]),
        "List[str]" => of(&["['b', 'a']", "[]"]),
        _ if ty.starts_with("Optional[") => {
            value(ty.trim_start_matches("Optional[").trim_end_matches(']'), which)
        }
        _ if ty.starts_with("Dict[str") => of(&["{'a': 1, 'b': 2}", "{}"]),
        _ if ty.starts_with("Dict[int") => of(&["{1: 1, 7: 2}", "{}"]),
        _ if ty.starts_with("Dict[float") => of(&["{1.0: 1, 2.5: 2}", "{}"]),
        _ if ty.starts_with("Dict[bool") => of(&["{True: 1}", "{}"]),
        _ => "None".to_owned(),
    }
}

/// The runs of a form without tensors: pairs of values, as far as there are several.
fn values(form: &Form) -> Vec<Vec<String>> {
    let types: Vec<&str> =
        form.params.iter().filter_map(|one| one.split_once(": ")).map(|(_, ty)| ty).collect();
    let mut runs = Vec::new();
    for first in 0..10 {
        for second in if types.len() > 1 { 0..6 } else { 0..1 } {
            let which = |at: usize| if at == 0 { first } else { second + at - 1 };
            let one: Vec<String> =
                types.iter().enumerate().map(|(at, ty)| value(ty, which(at))).collect();
            if !runs.contains(&one) {
                runs.push(one);
            }
        }
    }
    runs
}
