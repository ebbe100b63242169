//! Modules of numpy that a pickle imports, which not every numpy has.

use unskew_core::{Finding, Places, Unjudged, Version, aspect};

use super::pair::FileAndRelease;
use crate::{TorchFormat, TorchModel, rules};

/// The first release that was built for numpy 2.
const NUMPY_2: Version = Version::pair(2, 3);

/// Modules that numpy has since 1.26.3 or 2.0, for a release that was built for numpy 1.
pub(super) fn finding(pair: &FileAndRelease<'_>) -> Option<Finding> {
    let FileAndRelease { file, model, runtime, runtime_name, .. } = pair;
    let (import, since) = of_numpy_2(&model.globals)?;
    let advice = match model.format {
        TorchFormat::Checkpoint | TorchFormat::LegacyCheckpoint if !model.pickle_cut => {
            "Run `unskew convert`, which asks for numpy.core instead, or install"
        }
        _ => "Install",
    };
    (runtime.minor() < NUMPY_2).then(|| {
        let finding = rules::NumpyTooOld {
            file,
            runtime: runtime_name,
            import: &import,
            wanted: &since,
            advice: &advice,
        };
        let finding = finding.finding();
        finding.with_symptom("No module named 'numpy._core'").at(Places::from_iter(["data.pkl"]))
    })
}

/// Whether a file asks for modules of numpy 2, and a release was built for numpy 1.
pub(crate) fn asks_for_newer(model: &TorchModel, minor: Version) -> bool {
    minor < NUMPY_2 && of_numpy_2(&model.globals).is_some()
}

/// The same for a release that works with numpy 1 and numpy 2.
pub(super) fn unjudged(pair: &FileAndRelease<'_>) -> Option<Unjudged> {
    let (import, since) = of_numpy_2(&pair.model.globals)?;
    (pair.runtime.minor() >= NUMPY_2).then(|| {
        let reason = format!(
            "{import} needs numpy {since} or later, and which one is installed is not known"
        );
        Unjudged::new(aspect::VERSION, reason)
    })
}

/// The import that wants the newest numpy, and the first numpy that has its module.
fn of_numpy_2(globals: &[String]) -> Option<(&String, &'static str)> {
    let imports = globals.iter().filter_map(|one| Some((one, crate::pickle::numpy_since(one)?)));
    imports.max_by_key(|(_, since)| *since)
}
