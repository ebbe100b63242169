//! The operators: one table, a file for each family.
//!
//! A family is a list of [`Operator`]s: a schema as PyTorch writes it, and a function that takes the
//! arguments in the order of the schema, defaults filled in. The forms that write their result into
//! `self` (`relu_`) or `out` come from the plain one where a row says so: [`declaration::Forms`].

mod activation;
mod arguments;
mod arithmetic;
mod attention;
mod bind;
mod comparison;
mod complex;
mod composed;
pub(crate) mod compositions;
mod containers;
mod convolution;
mod creation;
mod declaration;
mod decompose;
mod detection;
mod dicts;
mod einsum;
mod encoder;
mod floats;
mod fourier;
mod histogram;
mod index;
mod integers;
mod lookup;
mod losses;
mod matrices;
mod matrix;
mod normalization;
mod operator_entry;
mod pad;
mod pointwise;
mod pool;
mod prim;
mod quantized;
mod rank_statistics;
mod recurrent;
mod reduction;
mod sampler;
mod scalars;
mod scatter;
mod scatter_reduce;
mod shape;
mod solve;
mod sort;
mod special;
mod split;
mod strided;
mod symmetric;
mod table;
mod text;
mod unary;
mod upsample;
mod view_writes;

pub(crate) use arguments::Arguments;
pub(crate) use bind::{bind, default, given};
pub(crate) use containers::same;
pub(crate) use declaration::Context;
use declaration::Operator;
pub(crate) use index::item;
pub(crate) use operator_entry::OperatorEntry;
pub(crate) use quantized::packed;
pub(crate) use table::find;
pub use table::operators;

const FAMILIES: &[&[Operator]] = &[
    arithmetic::OPERATORS,
    comparison::OPERATORS,
    unary::OPERATORS,
    activation::OPERATORS,
    creation::OPERATORS,
    shape::OPERATORS,
    split::OPERATORS,
    pad::OPERATORS,
    index::OPERATORS,
    scatter::OPERATORS,
    lookup::OPERATORS,
    view_writes::OPERATORS,
    sort::OPERATORS,
    special::OPERATORS,
    complex::OPERATORS,
    histogram::OPERATORS,
    scatter_reduce::OPERATORS,
    rank_statistics::OPERATORS,
    sampler::OPERATORS,
    symmetric::OPERATORS,
    strided::OPERATORS,
    integers::OPERATORS,
    floats::OPERATORS,
    reduction::OPERATORS,
    matrix::OPERATORS,
    decompose::OPERATORS,
    solve::OPERATORS,
    convolution::OPERATORS,
    pool::OPERATORS,
    upsample::OPERATORS,
    normalization::OPERATORS,
    attention::OPERATORS,
    encoder::OPERATORS,
    composed::OPERATORS,
    losses::OPERATORS,
    dicts::OPERATORS,
    fourier::OPERATORS,
    einsum::OPERATORS,
    detection::OPERATORS,
    recurrent::OPERATORS,
    quantized::tensors::OPERATORS,
    quantized::packing::OPERATORS,
    quantized::products::OPERATORS,
    quantized::elementwise::OPERATORS,
    quantized::embedding::OPERATORS,
    quantized::norms::OPERATORS,
    quantized::recurrent::OPERATORS,
    prim::OPERATORS,
    containers::OPERATORS,
    text::OPERATORS,
    scalars::OPERATORS,
];
