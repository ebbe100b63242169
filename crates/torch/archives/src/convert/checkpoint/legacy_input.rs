//! Checkpoints in the form of `torch.save` before 1.6, planned anew. They keep that form, which every release reads.
//!
//! All their pickles are written again, because a loader that lacks an instruction lacks it in each of them. The storages
//! behind the pickles are copied.

use std::sync::Arc;

use unskew_core::{Conversion, Places};
use unskew_source::{Assembly, ReadError, Source, SourceExt as _};

use super::{OBJECTS, WantedRewrites, written};
use crate::convert::task::{ConversionSides, block_for};
use crate::pickle;

/// The pickles in front of the storages: the magic number, the version, the system, the objects, the keys.
const PICKLES: usize = 5;

/// The number of the pickle of the objects among them.
const OF_OBJECTS: usize = 3;

/// How much of the file they may take.
const HEAD: u64 = 16 << 20;

/// Plans the checkpoint anew for the release; none if it stays as it is or cannot be converted.
pub(crate) fn plan(
    source: &Arc<dyn Source>,
    sides: &ConversionSides<'_>,
    plan: &mut Conversion,
) -> Result<Option<Assembly>, ReadError> {
    let wanted = WantedRewrites::new(sides, true);
    if !wanted.any() {
        return Ok(None);
    }
    let bytes = source.head(HEAD)?;
    let mut output = Assembly::new(sides.file);
    let mut at = 0;
    for number in 0..PICKLES {
        let Ok(mut one) = pickle::scan(source.name(), bytes.get(at..).unwrap_or_default()) else {
            let what = "pickles that do not end within 16 MiB, or are broken";
            block_for(sides, plan, what, Places::from_iter([OBJECTS]));
            return Ok(None);
        };
        at += one.len;
        if number == OF_OBJECTS && !wanted.put(sides, &mut one, plan) {
            return Ok(None);
        }
        let Some(one) = written(sides, plan, &one) else { return Ok(None) };
        output.push_bytes(one);
    }
    if plan.changes_nothing() {
        return Ok(None);
    }
    output.push_copy(source, at as u64..source.size())?;
    Ok(Some(output))
}
