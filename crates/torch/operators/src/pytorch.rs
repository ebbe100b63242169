//! The registry of PyTorch's operators, from `data/`.

use std::sync::LazyLock;

use crate::{BuiltIn, Registry, Sources};

/// The registry of PyTorch's operators: its own upgraders, and those that it does not have. A test holds its files
/// against each other.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
        Registry::built_in(BuiltIn {
            operators: include_str!(concat!(env!("OUT_DIR"), "/operators.tsv")),
            upgraders: REGISTRY_SOURCES.upgraders,
            downgraders: REGISTRY_SOURCES.downgraders,
        })
    });
    &REGISTRY
}

/// The files of the registry.
pub(crate) const REGISTRY_SOURCES: Sources<'static> = Sources {
    versions: include_str!("../data/operator_versions.yaml"),
    upgraders: include_str!(concat!(env!("OUT_DIR"), "/operator_upgraders.py")),
    downgraders: include_str!(concat!(env!("OUT_DIR"), "/operator_downgraders.py")),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_is_what_the_files_say() {
        let read = Registry::load(REGISTRY_SOURCES).unwrap();
        let all = |registry: &Registry| format!("{:?}", registry.operators().collect::<Vec<_>>());
        assert_eq!(all(&read), all(registry()));
    }
}
