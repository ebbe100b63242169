//! The registry of PyTorch's operators, from `data/`.

use std::sync::LazyLock;

use unskew_tables::packed_text;

use crate::{BuiltInRegistry, OperatorRegistry};

/// The registry of PyTorch's operators: its own upgraders, and those that it does not have. A test holds its files
/// against each other.
pub fn registry() -> &'static OperatorRegistry {
    static REGISTRY: LazyLock<OperatorRegistry> = LazyLock::new(|| {
        OperatorRegistry::built_in(BuiltInRegistry {
            operators: packed_text!("OUT_DIR/operators.tsv"),
            upgraders: packed_text!("OUT_DIR/operator_upgraders.py"),
            downgraders: packed_text!("OUT_DIR/operator_downgraders.py"),
        })
    });
    &REGISTRY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RegistrySources;

    const SOURCES: RegistrySources<'static> = RegistrySources {
        versions: include_str!("../data/operator_versions.yaml"),
        upgraders: include_str!(concat!(env!("OUT_DIR"), "/operator_upgraders.py")),
        downgraders: include_str!(concat!(env!("OUT_DIR"), "/operator_downgraders.py")),
    };

    #[test]
    fn what_is_built_in_is_what_the_files_say() {
        let read = OperatorRegistry::load(SOURCES).unwrap();
        let all =
            |registry: &OperatorRegistry| format!("{:?}", registry.operators().collect::<Vec<_>>());
        assert_eq!(all(&read), all(registry()));
    }
}
