//! The promises of public documents, as data.

use std::sync::LazyLock;

use super::PromiseText;
use super::file::{BoundaryTable, PresetFile};

static PRESETS: LazyLock<Vec<PresetFile>> = LazyLock::new(|| {
    let texts = [
        include_str!("../../data/presets/pjrt.toml"),
        include_str!("../../data/presets/stream-executor.toml"),
        include_str!("../../data/presets/ifrt-serdes.toml"),
        include_str!("../../data/presets/torch-operators.toml"),
        include_str!("../../data/presets/tensorflow-data.toml"),
        include_str!("../../data/presets/onnx.toml"),
        include_str!("../../data/presets/semver.toml"),
        include_str!("../../data/presets/soname.toml"),
        include_str!("../../data/presets/none.toml"),
    ];
    texts.into_iter().filter_map(|text| toml::from_str(text).ok()).collect()
});

/// The presets, as promises.
pub fn presets() -> impl Iterator<Item = PromiseText> {
    PRESETS.iter().map(promise)
}

/// What a boundary need not say that names this preset.
pub fn named(name: &str) -> Option<(PromiseText, &'static BoundaryTable)> {
    let preset = PRESETS.iter().find(|preset| preset.name == name)?;
    Some((promise(preset), &preset.boundary))
}

fn promise(preset: &PresetFile) -> PromiseText {
    PromiseText {
        preset: preset.name.clone(),
        title: preset.title.clone(),
        text: preset.text.clone(),
        reference: preset.reference.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_read() {
        let names: Vec<String> = presets().map(|preset| preset.preset).collect();
        let all = [
            "pjrt",
            "stream-executor",
            "ifrt-serdes",
            "torch-operators",
            "tensorflow-data",
            "onnx",
            "semver",
            "soname",
            "none",
        ];
        assert_eq!(names, all);
    }
}
