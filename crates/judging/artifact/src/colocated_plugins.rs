//! Plug-ins that lie in one folder, which TensorFlow loads into one process.

use std::sync::Arc;

use unskew_stream_executor::{beside, platform};

use crate::LabeledParty;

/// Marks every plug-in whose platform another one in the same folder registers too.
pub(crate) fn mark(pieces: &mut [LabeledParty]) {
    let rows: Vec<Option<(String, String, String)>> = pieces.iter().map(row).collect();
    for (i, piece) in pieces.iter_mut().enumerate() {
        let Some(Some((folder, platform, _))) = rows.get(i) else { continue };
        let same = |(at, row): &(usize, &Option<(String, String, String)>)| {
            *at != i && row.as_ref().is_some_and(|row| row.0 == *folder && row.1 == *platform)
        };
        let other = rows.iter().enumerate().find(same).and_then(|(_, row)| row.as_ref());
        if let Some((_, _, file)) = other {
            piece.party = Arc::new(beside((*piece.party).clone(), file));
        }
    }
}

/// The folder, the platform and the file of a plug-in.
fn row(piece: &LabeledParty) -> Option<(String, String, String)> {
    let (folder, file) = piece.label.rsplit_once(['/', '\\'])?;
    Some((folder.to_owned(), platform(&piece.party)?.to_owned(), file.to_owned()))
}
