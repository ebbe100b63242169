//! Placement of the fields of structs, worked out while all declarations are at hand.

use crate::header::{
    Declaration, Header, LayoutError, Layouts, RecordDeclaration, RecordKind, RecordLayout,
    changes_layout,
};
use foldhash::{HashSet, HashSetExt as _};

/// Where the fields of a struct lie.
pub struct StructPlacement {
    /// All of them, or why that cannot be told.
    pub layout: Result<RecordLayout, LayoutError>,
    /// Offset and size of every field in front of the first one whose type is not known, if not all are.
    pub known: Vec<(u64, u64)>,
}

/// The structs and unions of some headers, each at its first declaration.
pub fn all<'h>(headers: &'h [Header], foreign: &'h Header) -> Vec<StructPlacement> {
    let mut layouts = Layouts::for_headers(headers.iter().chain([foreign]));
    let mut seen = HashSet::new();
    let records =
        headers.iter().flat_map(|header| &header.declarations).filter_map(Declaration::record);
    let first = records.filter(|record| seen.insert(record.name.as_str()));
    let place = |record: &'h RecordDeclaration| match layouts.find(&record.name) {
        Ok(_) => (record, Vec::new()),
        Err(_) => (record, as_far_as_known(record, &mut layouts)),
    };
    // No layout is given away before all are there: one struct may be a field of another.
    let known: Vec<_> = first.map(place).collect();
    let give = |(record, known): (&RecordDeclaration, _)| StructPlacement {
        layout: layouts.take(&record.name),
        known,
    };
    known.into_iter().map(give).collect()
}

/// Offsets and sizes of the fields before the first one whose type is not known.
fn as_far_as_known<'h>(
    record: &'h RecordDeclaration,
    layouts: &mut Layouts<'h>,
) -> Vec<(u64, u64)> {
    let (mut known, mut end) = (Vec::new(), 0_u64);
    if record.attributes.iter().any(|attribute| changes_layout(attribute)) {
        return known;
    }
    for field in record.fields.iter().take_while(|field| field.bits.is_none()) {
        let Ok((size, align)) = layouts.measure(&field.r#type) else { break };
        let offset = match record.kind {
            RecordKind::Struct => end.checked_next_multiple_of(align),
            RecordKind::Union => Some(0),
        };
        let Some(offset) = offset else { break };
        let Some(next) = offset.checked_add(size) else { break };
        known.push((offset, size));
        end = next;
    }
    known
}
