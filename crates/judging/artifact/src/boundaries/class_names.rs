//! What pickles of other boundaries look up in Python packages.

use std::sync::Arc;

use unskew_boosters::{BoosterLibrary, pickled_models};
use unskew_class_names::{
    ClassNames, ModelsAreJudged, pickled_names, with_names, with_unread_names,
};
use unskew_core::Party;
use unskew_pickle::PickleFile;
use unskew_scikit_learn::SklearnFile;
use unskew_source::ReadError;
use unskew_torch::{TorchFormat, TorchModel};

use crate::neighbourhood::Neighbourhood;

/// A checkpoint or a pickle with all that it looks up.
pub(super) fn with_names_of_checkpoint(
    party: Party,
    around: &Neighbourhood<'_>,
) -> Result<Party, ReadError> {
    let Some(model) = party.capability::<TorchModel>() else { return Ok(party) };
    // What PyTorch reads of a long pickle is its head. The last classes that it looks up stand behind the numbers.
    if model.format == TorchFormat::Pickle && model.pickle_cut {
        return match pickled_names(around.source) {
            Ok(names) => with_models(with_names(party, names.unwrap_or_default()), around),
            Err(error) => Ok(with_unread_names(party, &error)),
        };
    }
    let names = ClassNames::of_pickle(model.globals.iter().cloned());
    with_models(with_names(party, names), around)
}

/// A model of scikit-learn with all that it looks up.
pub(super) fn with_names_of_model(
    party: Party,
    around: &Neighbourhood<'_>,
) -> Result<Party, ReadError> {
    let file = party.capability::<SklearnFile>();
    let names = file.map(|file| ClassNames::of_pickle(file.looked_up.iter().cloned()));
    with_models(with_names(party, names.unwrap_or_default()), around)
}

/// A pickle with the models of gradient boosting in it.
pub(super) fn with_models(party: Party, around: &Neighbourhood<'_>) -> Result<Party, ReadError> {
    let is_of_library = |name: &String| BoosterLibrary::from_module(name).is_some();
    let names = party.capability::<ClassNames>();
    if !names.is_some_and(|names| names.names.iter().any(is_of_library)) {
        return Ok(party);
    }
    let Some(file) = PickleFile::read(around.source, |_| true)? else { return Ok(party) };
    let models = pickled_models(&file);
    if models.is_empty() {
        return Ok(party);
    }
    Ok(unskew_boosters::with_models(party, models).with_capability(Arc::new(ModelsAreJudged)))
}
