//! Real files of `jax.export`, written by five releases: what they hold, who reads them, and what broken ones do.

mod broken;
mod files;
mod verdicts;
