//! The registry of PyTorch's operators, and the operators of its releases, as other crates have them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unskew_torch_operators::{OperatorRegistry, RegistrySources, function_files};
use unskew_torch_schemas::OperatorHistory;

/// A file of the repository.
pub fn data(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("UNSKEW_ROOT")).join(path)).unwrap()
}

/// The texts of the registry: versions, upgraders, downgraders.
pub fn texts() -> [String; 3] {
    let folder = PathBuf::from(env!("UNSKEW_ROOT")).join("crates/torch/operators/data");
    let functions = |stem| function_files::read(&folder, stem).unwrap();
    let versions = std::fs::read_to_string(folder.join("operator_versions.yaml")).unwrap();
    [versions, functions("operator_upgraders"), functions("operator_downgraders")]
}

pub fn registry() -> OperatorRegistry {
    let [versions, upgraders, downgraders] = &texts();
    OperatorRegistry::load(RegistrySources { versions, upgraders, downgraders }).unwrap()
}

/// The operators of every release.
pub fn history() -> Arc<OperatorHistory> {
    Arc::new(
        OperatorHistory::from_text(data("crates/judging/releases/data/torch/operators.tsv"))
            .unwrap(),
    )
}
