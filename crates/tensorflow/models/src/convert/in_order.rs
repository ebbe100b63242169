//! A SavedModel in the order in which C++ serializes it, which is what TensorFlow's fingerprints are of.
//!
//! What Python wrote differs from that in the order of its maps: keys that are numbers stand backwards, and of two
//! texts of which one begins with the other, the longer one stands first. So every map is put in order, every
//! message by the numbers of its fields. Nothing is copied: the result is made of ranges of the file.

use std::collections::BTreeMap;

use foldhash::HashMap;
use unskew_source::ReadError;
use unskew_source::wire::{MessageField, MessageValue, WireMessage};

use super::edit::{MessageRewriter, walk};
use crate::read::{FieldContent, Fields, SAVED_MODEL};
use unskew_source::Rope;

/// A key of a map: a number, or a text.
type Key = (u64, Vec<u8>);

/// The `SavedModel` in order.
///
/// # Errors
/// If it is broken; with the byte and the field.
pub(super) fn saved_model(message: &mut WireMessage<'_>) -> Result<Rope, ReadError> {
    MapSorter::default().message(message, &SAVED_MODEL)
}

/// Remembers of each kind of message whether there are maps in it: tensors and the like need no look.
#[derive(Default)]
struct MapSorter {
    maps: HashMap<usize, bool>,
}

/// The fields of one message: what stands under a number, in order, and under a key if it is a map.
#[derive(Default)]
struct SortedFields {
    fields: BTreeMap<(u32, Key), Rope>,
    /// What this table of fields does not have; it stands last.
    unknown: Rope,
}

impl MapSorter {
    fn message(
        &mut self,
        message: &mut WireMessage<'_>,
        kind: &'static Fields,
    ) -> Result<Rope, ReadError> {
        let mut sorted = SortedFields::default();
        walk(message, &mut |walk, field| {
            let Some(holds) = kind.numbered(field.number) else {
                sorted.unknown.copy(field.offset..walk.message.position());
                return Ok(true);
            };
            let (mut key, mut map) = (Key::default(), false);
            let content = match inner(holds) {
                FieldContent::Message(inside)
                    if field.span().is_some() && self.has_maps(inside) =>
                {
                    map = inside.is_entry();
                    if map {
                        key = walk.message.enter(field, key_of)?;
                    }
                    self.inside(walk, field, inside)?
                }
                _ => whole(walk, field),
            };
            let place = sorted.fields.entry((field.number, key)).or_default();
            if map {
                // Of one key twice, the last counts.
                *place = content;
            } else {
                place.append(content);
            }
            Ok(true)
        })?;
        let mut rope = Rope::default();
        sorted.fields.into_values().chain([sorted.unknown]).for_each(|part| rope.append(part));
        Ok(rope)
    }

    fn inside(
        &mut self,
        walk: &mut MessageRewriter<'_, '_>,
        field: &MessageField,
        kind: &'static Fields,
    ) -> Result<Rope, ReadError> {
        let inner = walk.message.enter(field, |message| self.message(message, kind))?;
        let same = field
            .span()
            .is_some_and(|span| inner.is(&(span.start..span.start.saturating_add(span.len))));
        if same {
            return Ok(whole(walk, field));
        }
        let mut made = Rope::default();
        made.message(field.number, inner);
        Ok(made)
    }

    /// Whether such a message is the entry of a map, or has a map in it.
    fn has_maps(&mut self, kind: &'static Fields) -> bool {
        let place = std::ptr::from_ref(kind) as usize;
        if let Some(known) = self.maps.get(&place) {
            return *known;
        }
        // Messages contain each other: while it is looked for, there is none.
        self.maps.insert(place, false);
        let found = kind.is_entry()
            || kind.kinds().any(|holds| match inner(holds) {
                FieldContent::Message(inside) => self.has_maps(inside),
                _ => false,
            });
        self.maps.insert(place, found);
        found
    }
}

/// What a field holds, whether a verdict needs it or not.
fn inner(holds: FieldContent) -> FieldContent {
    match holds {
        FieldContent::Aside(inside) => inner(*inside),
        other => other,
    }
}

fn whole(walk: &MessageRewriter<'_, '_>, field: &MessageField) -> Rope {
    let mut rope = Rope::default();
    rope.copy(field.offset..walk.message.position());
    rope
}

fn key_of(message: &mut WireMessage<'_>) -> Result<Key, ReadError> {
    let mut key = Key::default();
    while let Some(field) = message.next()? {
        if field.number == 1 {
            key = match field.value {
                MessageValue::Varint(number) | MessageValue::Fixed64(number) => {
                    (number, Vec::new())
                }
                MessageValue::Bytes(_) => (0, message.bytes(&field)?),
                MessageValue::Fixed32(number) => (number.into(), Vec::new()),
            };
        }
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use unskew_source::{BytesSource, Source, SourceExt as _};

    use super::*;

    fn field(number: u32, inner: &[Rope]) -> Rope {
        let mut rope = Rope::default();
        let mut message = Rope::default();
        inner.iter().for_each(|part| message.append(copied(part)));
        rope.message(number, message);
        rope
    }

    fn copied(rope: &Rope) -> Rope {
        let mut copy = Rope::default();
        copy.bytes(&bytes(rope));
        copy
    }

    fn bytes(rope: &Rope) -> Vec<u8> {
        rope.new_bytes()
    }

    fn text(number: u32, text: &str) -> Rope {
        let mut rope = Rope::default();
        rope.text(number, text);
        rope
    }

    fn number(field: u32, number: u64) -> Rope {
        let mut rope = Rope::default();
        rope.number(field, number);
        rope
    }

    #[test]
    fn maps_are_sorted_by_their_keys_and_lists_are_not() {
        let attr = |name: &str| field(5, &[text(1, name), field(2, &[])]);
        let argument = |place: u64| field(7, &[number(1, place), field(2, &[])]);
        let model = |parts: &[Rope]| {
            let function = field(1, parts);
            bytes(&field(2, &[field(2, &[field(2, &[function])])]))
        };
        let node = |attrs: &[Rope]| {
            let head = [text(1, "n"), text(3, "b"), text(3, "a")];
            let parts: Vec<Rope> = head.iter().chain(attrs).map(copied).collect();
            field(3, &parts)
        };
        let python =
            model(&[node(&[attr("Tidx"), attr("T")]), argument(10), argument(2), argument(0)]);
        let cpp =
            model(&[node(&[attr("T"), attr("Tidx")]), argument(0), argument(2), argument(10)]);
        let source: Arc<dyn Source> = Arc::new(BytesSource::new("model", python));
        let rope = saved_model(&mut WireMessage::whole(&*source)).unwrap();
        assert_eq!(rope.assemble(&source, "in order").unwrap().all().unwrap(), cpp);
    }
}
