//! What pickles of other boundaries look up in Python packages.

use unskew_class_names::{ClassNames, with_names};
use unskew_core::Party;
use unskew_scikit_learn::SklearnFile;
use unskew_source::ReadError;
use unskew_torch::TorchModel;

use crate::neighbourhood::Neighbourhood;

/// A checkpoint or a pickle with all that it looks up.
pub(super) fn with_names_of_checkpoint(
    party: Party,
    _: &Neighbourhood<'_>,
) -> Result<Party, ReadError> {
    let model = party.capability::<TorchModel>();
    let names = model.map(|model| ClassNames::of_pickle(model.globals.iter().cloned()));
    Ok(with_names(party, names.unwrap_or_default()))
}

/// A model of scikit-learn with all that it looks up.
pub(super) fn with_names_of_model(party: Party, _: &Neighbourhood<'_>) -> Result<Party, ReadError> {
    let file = party.capability::<SklearnFile>();
    let names = file.map(|file| ClassNames::of_pickle(file.looked_up.iter().cloned()));
    Ok(with_names(party, names.unwrap_or_default()))
}
