//! A SavedModel folder as a whole.

use std::sync::Arc;

use unskew_core::{Conversion, Rewrite};
use unskew_source::{Assembly, ConvertedArtifact, ReadError, Source};

use super::fingerprint::{self, FingerprintUpdate};
use super::{GraphConvertOptions, TEXT_TO_BYTES, convert_file};
use crate::TensorFlowRuntime;

/// The graphs of a SavedModel as bytes.
const BYTES: &str = "saved_model.pb";

const TEXT: &str = "saved_model.pbtxt";

/// The file with the hashes of the others.
const FINGERPRINT: &str = "fingerprint.pb";

/// The adaptation that computes hashes of the graph anew.
const UPDATE_FINGERPRINT: &str = "update-fingerprint";

/// The adaptation that removes hashes that do not hold any more.
const DROP_FINGERPRINT: &str = "drop-fingerprint";

/// Plans a SavedModel folder anew for `to`; none if no file in it is a graph of TensorFlow's. `files` are all its
/// files by their paths below it. Graphs are converted; variables, assets and everything else are copied by range.
/// A `saved_model.pbtxt` that changes becomes a `saved_model.pb`.
///
/// A `fingerprint.pb` has hashes of the graph, which do not hold for another one. They are computed anew where the graph
/// changes; if they did not hold before, the file is left out: TensorFlow from 2.11 on takes a SavedModel without
/// one, and makes one where it is asked for it.
///
/// # Errors
/// If a graph is broken; with the byte and the field.
pub fn convert_saved_model(
    files: &[(String, Arc<dyn Source>)],
    to: &TensorFlowRuntime,
    options: &GraphConvertOptions,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    let mut plan = Conversion::default();
    let mut output: Vec<(String, Arc<Assembly>)> = Vec::new();
    let mut graphs = 0;
    // TensorFlow looks for the bytes first.
    let main = [BYTES, TEXT].into_iter().find(|name| files.iter().any(|(path, _)| path == name));
    for (path, source) in files {
        let is_graph = Some(path.as_str()) == main;
        let mut path = path.clone();
        let converted = if is_graph { convert_file(source, to, options)? } else { None };
        let assembly = match converted {
            Some((more, assembly)) => {
                graphs += 1;
                if more.rewrites.iter().any(|rewrite| rewrite.adaptation == TEXT_TO_BYTES) {
                    BYTES.clone_into(&mut path);
                }
                plan.extend(more);
                assembly
            }
            None => Assembly::from_source(source),
        };
        output.push((path, Arc::new(assembly)));
    }
    if graphs == 0 {
        return Ok(None);
    }
    let original = |path: &str| files.iter().find(|(known, _)| known == path).map(|(_, it)| it);
    let graph = output.iter().find(|(path, _)| path == BYTES).map(|(_, file)| file.clone());
    if let (false, Some(file), Some(after)) = (plan.changes_nothing(), original(FINGERPRINT), graph)
    {
        let after: Arc<dyn Source> = after;
        let updated = match original(BYTES) {
            Some(before) => fingerprint::update(file, before, &after)?,
            // The hashes are those of a file that is not there.
            None => FingerprintUpdate::Unknown("saved_model_checksum"),
        };
        plan.add(fingerprinted(updated, &mut output));
    }
    Ok(Some((plan, ConvertedArtifact::Folder(output))))
}

/// Puts the new fingerprint into the folder, or takes the old one out of it.
fn fingerprinted(updated: FingerprintUpdate, output: &mut Vec<(String, Arc<Assembly>)>) -> Rewrite {
    let rewrite = match updated {
        FingerprintUpdate::To(file) => {
            let file = Arc::new(file);
            for (_, old) in output.iter_mut().filter(|(path, _)| path == FINGERPRINT) {
                *old = file.clone();
            }
            let what = "fingerprint.pb updated: its hashes of the graph are those of the new one; a random name \
                        of the save is removed";
            Rewrite::new(UPDATE_FINGERPRINT, what)
        }
        FingerprintUpdate::Unknown(field) => {
            output.retain(|(path, _)| path != FINGERPRINT);
            let what = format!(
                "fingerprint.pb left out: its {field} is not that of the folder as it came; TensorFlow makes one \
                 where it is asked for it"
            );
            Rewrite::new(DROP_FINGERPRINT, what)
        }
    };
    rewrite.at(FINGERPRINT)
}
