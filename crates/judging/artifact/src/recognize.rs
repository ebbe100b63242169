//! Recognition of a file: the boundaries are asked in their order, and what lies beside the file is added.

use std::sync::Arc;

use unskew_core::Party;
use unskew_source::{ReadError, Source};

use crate::boundaries::{BOUNDARIES, Boundary, Read, is_known};
use crate::location::Location;
use crate::neighbourhood::Neighbourhood;
use crate::{OpenOptions, plugin, verify};

/// The parties in `source`; none if no boundary
/// recognizes it, and several for a plug-in that serves several interfaces.
///
/// # Errors
/// Of the boundary whose file it is.
pub(crate) fn parties(
    source: &Arc<dyn Source>,
    location: Location<'_>,
    options: &OpenOptions,
) -> Result<Vec<Party>, ReadError> {
    for boundary in BOUNDARIES {
        match boundary.read {
            Read::Plugin => {
                let plugins = plugin::parties(source, location, options)?;
                if !plugins.is_empty() {
                    return Ok(plugins);
                }
            }
            Read::File(party) | Read::Folder(_, party) => {
                if let Some(party) = party(source)? {
                    let around = Neighbourhood::new(source, location);
                    return Ok(vec![completed(boundary, party, &around, options)?]);
                }
            }
        }
    }
    Ok(Vec::new())
}

/// A party with what its boundary adds to what it read.
fn completed(
    boundary: &Boundary,
    mut party: Party,
    around: &Neighbourhood<'_>,
    options: &OpenOptions,
) -> Result<Party, ReadError> {
    if let Some(beside) = boundary.beside {
        party = beside(party, around)?;
    }
    if let Some(verify) = boundary.verify {
        party = verify(party, around, options.verify)?;
    }
    party = verify::with_data(party, around.source, options.verify)?;
    Ok(match boundary.infer {
        Some(infer) if options.infer => infer(party),
        _ => party,
    })
}

/// Whether a file of this name is opened where there are many.
pub fn is_candidate(name: &str) -> bool {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let small = file.to_ascii_lowercase();
    let ending = small.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(is_known) || is_known(&small) || is_library(file)
}

/// Whether a file of this name is a shared object: `libtpu.so`, `libx.so.2`.
pub(crate) fn is_library(file: &str) -> bool {
    file.contains(".so.") || [".so", ".dylib", ".dll"].iter().any(|ending| file.ends_with(ending))
}
