//! The operators: one table, a file for each family.
//!
//! A family is a list of [`Operator`]s: a schema as PyTorch writes it, and a function that takes the
//! arguments in the order of the schema, defaults filled in. The forms that write their result into
//! `self` (`relu_`) or `out` come from the plain one where a row says so: [`form::Forms`].

mod activation;
mod arguments;
mod arithmetic;
mod attention;
mod bind;
mod comparison;
mod complex;
mod composed;
pub(crate) mod compositions;
mod convolution;
mod creation;
mod decompose;
mod detection;
mod dicts;
mod einsum;
mod encoder;
mod entry;
mod factors;
mod floats;
mod form;
mod fourier;
mod gathered;
mod histogram;
mod index;
mod integers;
mod lists;
mod lookup;
mod losses;
mod matrix;
mod normalization;
mod pad;
mod pointwise;
mod pool;
mod prim;
mod put_back;
mod quantized;
mod ranks;
mod recurrent;
mod reduction;
mod sampler;
mod scalars;
mod scatter;
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

pub(crate) use arguments::Arguments;
pub(crate) use bind::{bind, default, given};
pub(crate) use entry::Entry;
pub(crate) use form::Context;
use form::Operator;
pub(crate) use index::item;
pub(crate) use lists::same;
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
    put_back::OPERATORS,
    sort::OPERATORS,
    special::OPERATORS,
    complex::OPERATORS,
    histogram::OPERATORS,
    gathered::OPERATORS,
    ranks::OPERATORS,
    sampler::OPERATORS,
    symmetric::OPERATORS,
    strided::OPERATORS,
    integers::OPERATORS,
    factors::OPERATORS,
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
    lists::OPERATORS,
    text::OPERATORS,
    scalars::OPERATORS,
];
