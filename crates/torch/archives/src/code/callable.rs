//! Callables of code: operators of a table, and functions of the language.

use std::sync::{Arc, LazyLock};

use unskew_torch_schemas::matching::{OverloadCandidate, OverloadSource, TypedSchema};

use crate::history;

/// The operators of a table, and the functions that every loader compiles itself, which no table shows.
#[derive(Clone, Copy, Debug)]
pub struct Callable<T>(pub T);

impl<T: OverloadSource> OverloadSource for Callable<T> {
    fn overloads(&self, name: &str) -> Vec<OverloadCandidate> {
        let mut overloads = self.0.overloads(name);
        overloads.extend(builtins(name).cloned().map(OverloadCandidate::from));
        overloads
    }
}

/// The functions of this name that the loader compiles itself.
pub(crate) fn builtins(name: &str) -> impl Iterator<Item = &'static Arc<TypedSchema>> {
    static BUILTINS: LazyLock<Vec<Arc<TypedSchema>>> = LazyLock::new(|| {
        let schemas = history::builtins().iter();
        schemas.map(|schema| Arc::new(TypedSchema::new(schema.clone()))).collect()
    });
    BUILTINS.iter().filter(move |signature| signature.schema.name == name)
}
