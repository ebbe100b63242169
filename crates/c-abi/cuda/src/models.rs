//! Models of GPUs by their names.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::ComputeCapability;

/// Words before the name of a model that do not belong to it.
const BRANDS: [&str; 5] = ["nvidia", "geforce", "tesla", "quadro", "graphics"];

/// Capabilities by the letters and digits of a model's name: `rtx5090`.
static MODELS: LazyLock<BTreeMap<String, ComputeCapability>> = LazyLock::new(|| {
    let table: BTreeMap<String, Vec<String>> = unskew_tables::toml_table!("data/gpus.toml");
    let rows = table.into_iter().flat_map(|(capability, names)| {
        let capability = capability.parse();
        names
            .into_iter()
            .filter_map(move |name: String| Some((words(&name).concat(), capability.clone().ok()?)))
    });
    rows.collect()
});

/// The capability of a model, as a user or the driver names it: `RTX 5090`, `NVIDIA A100-SXM4-80GB`. Of several models whose
/// names it begins with, the longest counts.
pub(crate) fn capability_of(name: &str) -> Option<ComputeCapability> {
    let words = words(name);
    (1..=words.len()).rev().find_map(|count| MODELS.get(&words[..count].concat()).copied())
}

fn words(name: &str) -> Vec<String> {
    let lower = name.to_ascii_lowercase();
    let words = lower.split([' ', '-', '_']).filter(|word| !word.is_empty()).take(10);
    words.skip_while(|word| BRANDS.contains(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_of_the_table_has_one_capability() {
        let table: BTreeMap<String, Vec<String>> = unskew_tables::toml_table!("data/gpus.toml");
        let count: usize = table.values().map(Vec::len).sum();
        assert_eq!(MODELS.len(), count);
        assert!(table.keys().all(|capability| capability.parse::<ComputeCapability>().is_ok()));
    }
}
