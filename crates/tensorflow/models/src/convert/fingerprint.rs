//! `fingerprint.pb`: hashes by which TensorFlow from 2.11 on tells SavedModels apart.
//!
//! | field | of what |
//! | --- | --- |
//! | 1 | the whole of `saved_model.pb`, as C++ serializes it; with TensorFlow 2.11 its first `GraphDef` alone |
//! | 2 | the nodes of the first graph, without what differs from save to save |
//! | 3, 4, 5 | the signatures, the functions of the objects, the index of the variables |
//! | 6 | the version of the recipe |
//! | 7 | a random name of the save |
//!
//! A conversion changes the graph, so fields 1 and 2. Both are computed anew, after they were found to be what this
//! module computes for the folder as it came: a recipe that it does not know writes no wrong hash. The name goes,
//! for the folder is not what was saved under it.

use std::sync::Arc;

use unskew_source::wire::{MessageField, WireMessage};
use unskew_source::{Assembly, ReadError, Source};

use super::edit::{MessageRewriter, name_of, walk};
use super::{farm, in_order};
use unskew_source::Rope;

/// The hash of the whole file, or of the first graph.
const CHECKSUM: u32 = 1;
/// The hash of the nodes.
const PROGRAM: u32 = 2;
/// The random name of the save.
const UUID: u32 = 7;

/// The ops of calls, whose function is named after the session that traced it.
const CALLS: [&str; 2] = ["PartitionedCall", "StatefulPartitionedCall"];

/// The number of the element type of texts.
const STRING: u64 = 7;

/// What came of a fingerprint.
pub(super) enum FingerprintUpdate {
    /// The file with the hashes of the folder as it is now.
    To(Assembly),
    /// The hash of this field is not that of the folder as it came.
    Unknown(&'static str),
}

/// The hashes of a graph file that a conversion changes.
struct Hashes {
    file: u64,
    /// Of the first `GraphDef`.
    graph: u64,
    /// Of the nodes of the first `GraphDef`.
    program: u64,
}

/// The fingerprint `file` of a folder whose graphs were `before`, now that they are `after`.
///
/// # Errors
/// If one of the three is broken, or cannot be read.
pub(super) fn update(
    file: &Arc<dyn Source>,
    before: &Arc<dyn Source>,
    after: &Arc<dyn Source>,
) -> Result<FingerprintUpdate, ReadError> {
    let (mut checksum, mut program) = (0, 0);
    let mut message = WireMessage::whole(&**file);
    while let Some(field) = message.next()? {
        match field.number {
            CHECKSUM => checksum = field.varint().unwrap_or(0),
            PROGRAM => program = field.varint().unwrap_or(0),
            _ => {}
        }
    }
    let old = Hashes::from_source(before)?;
    if program != old.program {
        return Ok(FingerprintUpdate::Unknown("graph_def_program_hash"));
    }
    let new = Hashes::from_source(after)?;
    let checksum = match checksum {
        known if known == old.file => new.file,
        known if known == old.graph => new.graph,
        _ => return Ok(FingerprintUpdate::Unknown("saved_model_checksum")),
    };
    let rope = walk(&mut WireMessage::whole(&**file), &mut |walk, field| match field.number {
        CHECKSUM | PROGRAM => {
            let hash = if field.number == CHECKSUM { checksum } else { new.program };
            walk.out.number(field.number, hash);
            Ok(true)
        }
        UUID => Ok(true),
        _ => Ok(false),
    })?;
    Ok(FingerprintUpdate::To(rope.assemble(file, file.name())?))
}

impl Hashes {
    fn from_source(source: &Arc<dyn Source>) -> Result<Self, ReadError> {
        let rope = in_order::saved_model(&mut WireMessage::whole(&**source))?;
        let file: Arc<dyn Source> = Arc::new(rope.assemble(source, source.name())?);
        let graph = first_graph(&file, |message| walk(message, &mut |_, _| Ok(false)))?;
        let program = first_graph(&file, program_of)?;
        Ok(Self {
            file: farm::fingerprint(&*file)?,
            graph: hash(&file, graph)?,
            program: hash(&file, program)?,
        })
    }
}

fn hash(source: &Arc<dyn Source>, rope: Rope) -> Result<u64, ReadError> {
    farm::fingerprint(&rope.assemble(source, source.name())?)
}

/// The graph of the first `MetaGraphDef` as `read` makes it; nothing without one.
fn first_graph(
    source: &Arc<dyn Source>,
    read: impl Fn(&mut WireMessage<'_>) -> Result<Rope, ReadError>,
) -> Result<Rope, ReadError> {
    let mut message = WireMessage::whole(&**source);
    while let Some(field) = message.next()? {
        if field.number == 2 {
            return message.enter(&field, |message| {
                while let Some(field) = message.next()? {
                    if field.number == 2 {
                        return message.enter(&field, read);
                    }
                }
                Ok(Rope::default())
            });
        }
    }
    Ok(Rope::default())
}

/// The message with every field of this number made anew.
fn walk_into<'s>(
    message: &mut WireMessage<'s>,
    number: u32,
    name: &str,
    read: &mut dyn FnMut(&mut WireMessage<'s>) -> Result<Rope, ReadError>,
) -> Result<Rope, ReadError> {
    walk(message, &mut |walk, field| match field.number == number {
        true => walk.inside(field, name, &mut *read),
        false => Ok(false),
    })
}

/// A `GraphDef` with nothing but its nodes, and these without what differs from save to save.
fn program_of(message: &mut WireMessage<'_>) -> Result<Rope, ReadError> {
    let mut rest = Rope::default();
    let mut program = walk(message, &mut |walk, field| match field.number {
        1 => walk.inside(field, "node", regular),
        // The library and the versions are emptied, which is not the same as left out.
        2 | 4 => Ok(true),
        _ => {
            rest.copy(field.offset..walk.message.position());
            Ok(true)
        }
    })?;
    program.message(2, Rope::default());
    program.message(4, Rope::default());
    program.append(rest);
    Ok(program)
}

/// A node without what differs from save to save: the number in the name of a called function, the device
/// options of the call, texts.
fn regular(message: &mut WireMessage<'_>) -> Result<Rope, ReadError> {
    let (mut op, mut text) = (String::new(), false);
    walk(message, &mut |walk, field| {
        match field.number {
            2 => op = walk.message.string(field)?,
            5 => return attribute(walk, field, &op, &mut text),
            _ => {}
        }
        Ok(false)
    })
}

/// `text`: whether the type of a constant was that of texts.
fn attribute(
    walk: &mut MessageRewriter<'_, '_>,
    field: &MessageField,
    op: &str,
    text: &mut bool,
) -> Result<bool, ReadError> {
    let calls = CALLS.contains(&op);
    if !calls && op != "Const" {
        return Ok(false);
    }
    match &*name_of(walk.message, field)? {
        "f" if calls => walk.inside(field, "attr", |message| {
            walk_into(message, 2, "value", &mut |message| {
                walk_into(message, 10, "func", &mut without_number)
            })
        }),
        "config_proto" if calls => {
            let mut empty = Rope::default();
            empty.text(2, "");
            walk.inside(field, "attr", |message| value_is(message, empty))
        }
        "dtype" if op == "Const" => {
            *text = walk.message.enter(field, type_of)? == STRING;
            Ok(false)
        }
        "value" if *text => {
            walk.inside(field, "attr", |message| value_is(message, Rope::default()))
        }
        _ => Ok(false),
    }
}

/// The entry of an attribute with this value.
fn value_is(message: &mut WireMessage<'_>, value: Rope) -> Result<Rope, ReadError> {
    let mut entry = walk(message, &mut |_, field| Ok(field.number == 2))?;
    entry.message(2, value);
    Ok(entry)
}

/// The element type in the entry of an attribute.
fn type_of(message: &mut WireMessage<'_>) -> Result<u64, ReadError> {
    let mut dtype = 0;
    while let Some(field) = message.next()? {
        if field.number == 2 {
            dtype = message.enter(&field, |message| {
                let mut dtype = 0;
                while let Some(field) = message.next()? {
                    if field.number == 6 {
                        dtype = field.varint().unwrap_or(0);
                    }
                }
                Ok(dtype)
            })?;
        }
    }
    Ok(dtype)
}

/// The name of a function without the number at its end.
fn without_number(message: &mut WireMessage<'_>) -> Result<Rope, ReadError> {
    walk(message, &mut |walk, field| {
        if field.number != 1 {
            return Ok(false);
        }
        let name = walk.message.string(field)?;
        let stem = stem(&name);
        if stem != name {
            walk.out.text(1, stem);
        }
        Ok(stem != name)
    })
}

/// What stands before the number after the last underscore, if one stands there.
fn stem(name: &str) -> &str {
    let last = name.rsplit('_').next().unwrap_or(name).trim_ascii();
    let Ok(number) = last.parse::<i64>() else { return name };
    // TensorFlow strips the number as it would print it.
    name.strip_suffix(&*number.to_string()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_at_the_end_of_a_function_goes() {
        assert_eq!(stem("__inference_call_435"), "__inference_call_");
        assert_eq!(stem("f_007"), "f_00");
        assert_eq!(stem("f_7x"), "f_7x");
        assert_eq!(stem("12"), "");
        assert_eq!(stem(""), "");
    }
}
