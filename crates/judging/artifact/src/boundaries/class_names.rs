//! What pickles of other boundaries look up in Python packages.

use unskew_class_names::{ClassNames, pickled_names, with_names, with_unread_names};
use unskew_core::Party;
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
        return Ok(match pickled_names(around.source) {
            Ok(names) => with_names(party, names.unwrap_or_default()),
            Err(error) => with_unread_names(party, &error),
        });
    }
    let names = ClassNames::of_pickle(model.globals.iter().cloned());
    Ok(with_names(party, names))
}

/// A model of scikit-learn with all that it looks up.
pub(super) fn with_names_of_model(party: Party, _: &Neighbourhood<'_>) -> Result<Party, ReadError> {
    let file = party.capability::<SklearnFile>();
    let names = file.map(|file| ClassNames::of_pickle(file.looked_up.iter().cloned()));
    Ok(with_names(party, names.unwrap_or_default()))
}
