//! Functions of `jax.export`, and what is converted of them.

use crate::{judge, source};

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    if let Ok(Some(party)) = unskew_jax_export::party(&source("f.jaxexp", bytes)) {
        judge(&party);
    }
}
