//! What `torch.export` archives are made of, by version and release: the one place that has it as data.
//!
//! `schema` has the types of the graph (`data/exported.tsv`), `elements` what one graph has of them, `loader` what
//! releases need of a file around its graph and refuse in it (`data/exported_loaders.toml`). Verdicts and conversions
//! ask the same tables.

pub(crate) mod elements;
pub(crate) mod loader;
pub(crate) mod schema;
