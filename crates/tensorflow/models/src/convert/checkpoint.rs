//! The versions of a checkpoint, set or cleared on request. They stand in the first entry of its table; the data
//! files have nothing of them.

use std::sync::Arc;

use unskew_core::Conversion;
use unskew_source::wire::WireMessage;
use unskew_source::{Assembly, BytesSource, ReadError, Source, SourceExt as _};

use super::edit::{self, VersionsEdit};
use super::{VersionOptions, versions};
use crate::read::{self, Checkpoint};

/// Plans the versions of the checkpoint in `source` anew, and makes its table.
///
/// # Errors
/// If the table is torn.
pub(super) fn convert(
    source: &Arc<dyn Source>,
    checkpoint: &Checkpoint,
    options: &VersionOptions,
) -> Result<(Conversion, Assembly), ReadError> {
    let (edit, plan) = versions::plan_checkpoint(&checkpoint.versions, options);
    let versions = match edit {
        VersionsEdit::Keep => return Ok((plan, Assembly::from_source(source))),
        VersionsEdit::Clear => None,
        VersionsEdit::Set(versions) => Some(versions),
    };
    let header = Arc::new(BytesSource::new(source.name(), read::first_value(&**source)?));
    let header: Arc<dyn Source> = header;
    let mut message = WireMessage::whole(&*header);
    let changed = edit::header(&mut message, checkpoint.format, versions.as_deref())?;
    let value = changed.assemble(&header, source.name())?.all()?;
    Ok((plan, read::with_first_value(source, &value)?))
}
