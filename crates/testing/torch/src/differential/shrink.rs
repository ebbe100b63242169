//! Disagreements with as few pieces as show them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use unskew_releases::Release;

use super::{DifferentialCell, cells};
use crate::TorchHost;

/// The same disagreement with fewer pieces: each is left out in turn for as long as it stays. `seed` and the number in
/// the name of the file give the inputs.
///
/// # Errors
/// If a release cannot be run.
pub fn shrink(
    cell: DifferentialCell,
    (writer, reader): (&TorchHost, &TorchHost),
    release: Release,
    folder: &Path,
    limit: Duration,
) -> anyhow::Result<DifferentialCell> {
    let mut smallest = cell;
    let mut at = 0;
    while smallest.pieces.len() > 1 && at < smallest.pieces.len() {
        let mut pieces = smallest.pieces.clone();
        pieces.remove(at);
        let place = folder.join(format!("smaller-{}-{}", pieces.len(), pieces.join("-")));
        fs::create_dir_all(&place)?;
        let made = writer.write(&place, (0, 1), &pieces, limit)?;
        let all = cells(writer.version, &place, &made, reader, release, limit)?;
        let is_same = |one: &DifferentialCell| {
            let kind = |file: &str| file.ends_with(".ptl");
            !one.agrees()
                && (one.said, one.real, one.converted, kind(&one.file))
                    == (smallest.said, smallest.real, smallest.converted, kind(&smallest.file))
        };
        match all.into_iter().find(is_same) {
            Some(smaller) => smallest = smaller,
            None => at += 1,
        }
    }
    Ok(smallest)
}
