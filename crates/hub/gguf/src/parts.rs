//! The parts of a split model: `NAME-00001-of-00003.gguf` and what lies beside it.

use std::sync::Arc;

use unskew_core::Party;
use unskew_source::Source;

use crate::file::{GgufFile, OtherParts, PartOf};
use crate::party::party_of;

/// How many parts are opened. The largest models that are shared have some dozens.
const MOST_PARTS: u64 = 512;

/// The same party with the other parts of its model, which `open` finds by their names beside the file. A whole model
/// stays as it is.
pub fn with_parts(party: Party, open: &dyn Fn(&str) -> Option<Arc<dyn Source>>) -> Party {
    let Some(file) = party.capability::<GgufFile>() else { return party };
    let Some(part) = file.part().filter(|part| part.count <= MOST_PARTS) else { return party };
    let mut file = file.clone();
    look_beside(&mut file, &party.name, part, open);
    party_of(&party.name, file)
}

/// The name of a part by that of another one.
fn name_of_part(name: &str, part: PartOf, number: u64) -> Option<String> {
    let own = format!("-{:05}-of-{:05}.gguf", part.number + 1, part.count);
    let stem = name.strip_suffix(&own)?;
    Some(format!("{stem}-{:05}-of-{:05}.gguf", number + 1, part.count))
}

/// Adds to `file` what its other parts have: their tensors are of the same model.
fn look_beside(
    file: &mut GgufFile,
    name: &str,
    part: PartOf,
    open: &dyn Fn(&str) -> Option<Arc<dyn Source>>,
) {
    let mut found = OtherParts { tensors: file.tensors, ..OtherParts::default() };
    for number in (0..part.count).filter(|number| *number != part.number) {
        let Some(other) = name_of_part(name, part, number) else {
            found.missing.add(format!("part {} of {}", number + 1, part.count));
            continue;
        };
        let read = open(&other).and_then(|source| GgufFile::read(&source).ok().flatten());
        let Some(read) = read else {
            found.missing.add(other);
            continue;
        };
        if read.number("split.no").unwrap_or(0) != number {
            found.misplaced.add(other);
        }
        found.tensors = found.tensors.saturating_add(read.tensors);
        file.beyond.extend(&read.beyond);
        for (number, count) in read.types {
            let all = file.types.entry(number).or_default();
            all.tensors += count.tensors;
            all.places.extend(&count.places);
        }
    }
    file.parts = Some(found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_by_the_name_of_another_one() {
        let part = PartOf { number: 0, count: 3, tensors: None };
        let name = "net-00001-of-00003.gguf";
        assert_eq!(name_of_part(name, part, 2).as_deref(), Some("net-00003-of-00003.gguf"));
        assert_eq!(name_of_part("net.gguf", part, 2), None);
    }
}
