//! The shapes of the tensors that calls are tried with.

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
    (
        "gru_cell",
        &[
            ("input", "2,3"),
            ("hx", "2,3"),
            ("w_ih", "9,3"),
            ("w_hh", "9,3"),
            ("b_ih", "9"),
            ("b_hh", "9"),
        ],
    ),
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
    pub fn for_operator(operator: &str) -> Vec<Self> {
        let name = operator.split('.').next().unwrap_or_default().trim_start_matches("aten::");
        let own = OWN.iter().find(|(of, _)| *of == name).map(|(_, shapes)| Self::Own(shapes));
        own.into_iter().chain(SHAPES.map(Self::Same)).collect()
    }

    pub(super) fn shape(self, argument: &str) -> &'static str {
        match self {
            Self::Same(shape) => shape,
            Self::Own(all) => {
                all.iter().find(|(name, _)| *name == argument).map_or("2,3", |(_, shape)| shape)
            }
        }
    }
}
