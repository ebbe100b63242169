//! What was measured of releases of XGBoost, LightGBM and CatBoost: `data/boosters.tsv`.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use unskew_boosters::BoosterRelease;
use unskew_core::{CompressedText, Party, Unjudged, aspect};
use unskew_definitions::SpanTable;

static TABLE: LazyLock<&'static CompressedText> =
    LazyLock::new(|| unskew_tables::packed_text!("data/boosters.tsv"));

/// The lines of each package.
static SECTIONS: LazyLock<BTreeMap<&'static str, &'static str>> =
    LazyLock::new(|| SpanTable::sections(TABLE.text()));

/// A release of a package with what was measured of the models that it loads. Of one of these packages that was not measured, that
/// is said.
pub(crate) fn with_measured(party: Party, package: &str, version: &str) -> Party {
    let Some(lines) = SECTIONS.get(package) else { return party };
    match BoosterRelease::select(lines, version) {
        Some(release) => party.with_capability(Arc::new(release)),
        None => {
            let why = format!(
                "models in {package} {version}: no release of its minor version was measured"
            );
            party.not_judged(Unjudged::new(aspect::CONTENTS, why))
        }
    }
}
