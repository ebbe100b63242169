//! What is in a file: the boundaries are asked in their order, and what lies beside the file is added.

use std::path::Path;
use std::sync::Arc;

use unskew_core::Party;
use unskew_onnx::Neighbour;
use unskew_source::{FileSource, ReadError, Source};

use crate::boundaries::{BOUNDARIES, Read, is_known};
use crate::location::Location;
use crate::{Options, plugin, verify};

/// The parties in `source`; none if no boundary
/// recognizes it, and several for a plug-in that serves several interfaces.
///
/// # Errors
/// Of the boundary whose file it is.
pub(crate) fn parties(
    source: &Arc<dyn Source>,
    location: Location<'_>,
    options: &Options,
) -> Result<Vec<Party>, ReadError> {
    for boundary in &BOUNDARIES {
        match boundary.read {
            Read::Plugin => {
                let plugins = plugin::parties(source, location, options)?;
                if !plugins.is_empty() {
                    return Ok(plugins);
                }
            }
            Read::File(party) | Read::Folder(_, party) => {
                if let Some(party) = party(source)? {
                    let party = beside(party, source, location, options)?;
                    let party = verify::with_data(party, source, options.verify)?;
                    return Ok(vec![if options.infer { inferred(party) } else { party }]);
                }
            }
        }
    }
    Ok(Vec::new())
}

/// Adds what the files beside that of a party tell: the data files of a checkpoint, the checkpoint of a graph.
fn beside(
    party: Party,
    source: &Arc<dyn Source>,
    location: Location<'_>,
    options: &Options,
) -> Result<Party, ReadError> {
    let open = |name: &str| -> Option<Arc<dyn Source>> {
        match location {
            Location::Within => None,
            Location::At(path) | Location::Found(path) => {
                let file = FileSource::open(&path.with_file_name(name)).ok()?;
                Some(Arc::new(file))
            }
            Location::Among(neighbours) => neighbours(name),
        }
    };
    match location {
        Location::Within => Ok(unskew_onnx::with_external_data(party, None)),
        _ => {
            let beside = |name: &str| {
                let size = open(name)?.size();
                let (link, outside) = links(location, name);
                Some(Neighbour { size, link, outside })
            };
            let party = unskew_onnx::with_external_data(party, Some(&beside));
            let party = unskew_onnx::with_triton(party, &path_of(location, source), &open)?;
            let party = unskew_tfjs::with_shards(party, &open);
            let party = unskew_tensorflow::with_what_lies_beside(party, source.name(), &open)?;
            unskew_tensorflow::with_data(party, source, &open, options.verify)
        }
    }
}

/// Whether a file beside another is a link; and whether links lead from it out of its folder, and out of the folder in which
/// the other really lies: in the cache of the Hugging Face hub both are links into one folder.
fn links(location: Location<'_>, name: &str) -> (bool, bool) {
    let (Location::At(path) | Location::Found(path)) = location else { return (false, false) };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let file = folder.join(name);
    let link = file.is_symlink();
    let Ok(file) = file.canonicalize() else { return (link, false) };
    let real = path.canonicalize().ok();
    let real = real.as_deref().and_then(Path::parent).map(Path::to_owned);
    let inside = [folder.canonicalize().ok(), real];
    (link, !inside.iter().flatten().any(|folder| file.starts_with(folder)))
}

/// Where a file lies, with the names of the folders that it lies in.
fn path_of(location: Location<'_>, source: &Arc<dyn Source>) -> String {
    match location {
        Location::At(path) | Location::Found(path) => std::path::absolute(path)
            .map_or_else(|_| source.name().to_owned(), |path| path.display().to_string()),
        Location::Within | Location::Among(_) => source.name().to_owned(),
    }
}

/// Adds what the database tells about a party that does not say it itself.
fn inferred(mut party: Party) -> Party {
    let history = unskew_releases::tensorflow::history();
    let facts = history.map(|h| unskew_tensorflow::producer_facts(&party, h));
    party.facts.extend(facts.into_iter().flatten());
    if let Some((operators, calendar)) = unskew_releases::torch::database() {
        let needs = unskew_torch::needs_facts(&party, operators, calendar);
        party.facts.extend(needs);
    }
    party
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
