//! `SavedModel` and `MetaGraphDef`: graphs with what their exporter says about itself.

use unskew_core::DataVersions;
use unskew_source::wire::WireMessage;
use unskew_source::{ReadError, Source};

use super::graph_def::graph_in;
use super::interner::Interner;
use super::{op_def, values};
use crate::{GraphDef, OpDef};

/// What is read of a SavedModel's `saved_model.pb`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedModel {
    /// The number of its own schema: 1 in every real file; no TensorFlow looks at it.
    pub schema_version: Option<i64>,
    /// Its graphs, one for each set of tags.
    pub meta_graphs: Vec<MetaGraph>,
}

/// A graph and what its exporter says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetaGraph {
    /// The graph, with its library of functions.
    pub graph: GraphDef,
    /// What it is for: `serve`, `train`.
    pub tags: Vec<String>,
    /// The TensorFlow that wrote it, by its own account: `2.4.1`.
    pub tensorflow_version: Option<String>,
    /// Whether attributes that have their default were left out.
    pub stripped_defaults: bool,
    /// The ops that it uses, as its exporter defines them.
    pub ops: Vec<OpDef>,
    /// The objects of TensorFlow 2, if it has any; then TensorFlow 2 loads it as objects.
    pub objects: Option<Vec<SavedObject>>,
    /// How many of its objects are tensors that a function captured from another one.
    pub captured_tensors: usize,
    /// The op that restores its variables, by the saver that it was saved with.
    pub restore_op: Option<String>,
    /// What a session runs right after the restoring.
    pub init_ops: Vec<String>,
    /// What a session can be asked for.
    pub signatures: Vec<SignatureDef>,
}

/// A signature: a name, and the tensors that are its results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignatureDef {
    /// The name by which it is served: `serving_default`.
    pub name: String,
    /// Its results, as inputs are written: `StatefulPartitionedCall:0`.
    pub outputs: Vec<String>,
}

/// An object of a user's class in a SavedModel, with a version of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedObject {
    /// What revives it: `trackable_list`, `_tf_keras_layer`.
    pub identifier: String,
    /// The versions of whoever wrote the graph.
    pub versions: DataVersions,
    /// How many variables of other objects it keeps a slot for, as optimizers do.
    pub slots: usize,
}

/// The most objects whose versions are kept.
const OBJECTS: usize = 1 << 16;

/// The most signatures, and the most results of one.
const SIGNATURES: usize = 1 << 12;

/// The signature and the collections that name what a session runs after the restoring.
const INIT: [&str; 3] = ["__saved_model_init_op", "saved_model_main_op", "legacy_init_op"];

/// The SavedModel in `source`.
///
/// # Errors
/// If it is none, or larger than is kept; with the byte and the field.
pub fn saved_model(source: &dyn Source) -> Result<SavedModel, ReadError> {
    let (mut message, mut kept) = (WireMessage::whole(source), Interner::default());
    let mut model = SavedModel::default();
    while let Some(field) = message.next()? {
        match field.number {
            1 => model.schema_version = field.varint().map(|n| n as i64),
            2 => {
                let read = message.enter(&field, |message| meta_graph_in(message, &mut kept));
                model.meta_graphs.push(read.map_err(|e| e.in_field("meta_graphs"))?);
            }
            _ => {}
        }
    }
    Ok(model)
}

/// The MetaGraphDef in `source`, a `.meta` file.
///
/// # Errors
/// If it is none, or larger than is kept; with the byte and the field.
pub fn meta_graph(source: &dyn Source) -> Result<MetaGraph, ReadError> {
    meta_graph_in(&mut WireMessage::whole(source), &mut Interner::default())
}

fn meta_graph_in(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
) -> Result<MetaGraph, ReadError> {
    let mut meta = MetaGraph::default();
    kept.count(message, size_of::<MetaGraph>())?;
    while let Some(field) = message.next()? {
        match field.number {
            1 => {
                let read = message.enter(&field, |message| info(message, &mut meta, kept));
                read.map_err(|e| e.in_field("meta_info_def"))?;
            }
            2 => {
                let read = message.enter(&field, |message| graph_in(message, kept));
                meta.graph = read.map_err(|e| e.in_field("graph_def"))?;
            }
            3 => {
                let read = message.enter(&field, |message| saver(message, kept));
                meta.restore_op = read.map_err(|e| e.in_field("saver_def"))?;
            }
            4 => {
                let read = message.enter(&field, |message| collection(message, &mut meta, kept));
                read.map_err(|e| e.in_field("collection_def"))?;
            }
            5 => {
                let read = message.enter(&field, |message| signature(message, kept));
                let found = read.map_err(|e| e.in_field("signature_def"))?;
                if INIT.contains(&&*found.name) {
                    meta.init_ops.extend(found.outputs);
                } else if meta.signatures.len() < SIGNATURES {
                    meta.signatures.push(found);
                }
            }
            7 => {
                let captured = &mut meta.captured_tensors;
                let read = message.enter(&field, |message| objects(message, captured, kept));
                meta.objects = Some(read.map_err(|e| e.in_field("object_graph_def"))?);
            }
            _ => {}
        }
    }
    Ok(meta)
}

/// The op that restores, of a `SaverDef`.
fn saver(message: &mut WireMessage<'_>, kept: &mut Interner) -> Result<Option<String>, ReadError> {
    let mut restore = None;
    while let Some(field) = message.next()? {
        if field.number == 3 {
            restore = Some(kept.text(message, &field)?.into());
        }
    }
    Ok(restore.filter(|op: &String| !op.is_empty()))
}

/// An entry of `collection_def`: the nodes of those that name what is run after the restoring.
fn collection(
    message: &mut WireMessage<'_>,
    meta: &mut MetaGraph,
    kept: &mut Interner,
) -> Result<(), ReadError> {
    let mut key: Box<str> = Box::default();
    while let Some(field) = message.next()? {
        match field.number {
            1 => key = kept.text(message, &field)?,
            2 if INIT.contains(&&*key) => message.enter(&field, |collection| {
                while let Some(field) = collection.next()? {
                    if field.number == 1 {
                        collection.enter(&field, |nodes| {
                            while let Some(field) = nodes.next()? {
                                if field.number == 1 && meta.init_ops.len() < SIGNATURES {
                                    meta.init_ops.push(kept.text(nodes, &field)?.into());
                                }
                            }
                            Ok(())
                        })?;
                    }
                }
                Ok(())
            })?,
            _ => {}
        }
    }
    Ok(())
}

/// An entry of `signature_def`.
fn signature(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
) -> Result<SignatureDef, ReadError> {
    let mut signature = SignatureDef::default();
    while let Some(field) = message.next()? {
        match field.number {
            1 => signature.name = kept.text(message, &field)?.into(),
            2 => message.enter(&field, |definition| {
                while let Some(field) = definition.next()? {
                    if field.number == 2 && signature.outputs.len() < SIGNATURES {
                        let output = definition.enter(&field, |entry| output(entry, kept))?;
                        signature.outputs.extend(output);
                    }
                }
                Ok(())
            })?,
            _ => {}
        }
    }
    Ok(signature)
}

/// The tensor of an entry of `outputs`; tensors of several parts are passed over.
fn output(message: &mut WireMessage<'_>, kept: &mut Interner) -> Result<Option<String>, ReadError> {
    let mut name = None;
    while let Some(field) = message.next()? {
        if field.number == 2 {
            message.enter(&field, |info| {
                while let Some(field) = info.next()? {
                    if field.number == 1 {
                        name = Some(String::from(kept.text(info, &field)?));
                    }
                }
                Ok(())
            })?;
        }
    }
    Ok(name)
}

fn info(
    message: &mut WireMessage<'_>,
    meta: &mut MetaGraph,
    kept: &mut Interner,
) -> Result<(), ReadError> {
    while let Some(field) = message.next()? {
        match field.number {
            2 => meta.ops = message.enter(&field, |message| op_def::ops(message, kept))?,
            4 => meta.tags.push(kept.text(message, &field)?.into()),
            5 => meta.tensorflow_version = Some(kept.text(message, &field)?.into()),
            7 => meta.stripped_defaults = field.varint() == Some(1),
            _ => {}
        }
    }
    Ok(())
}

/// The objects of a `SavedObjectGraph` that have versions, and how many are captured tensors.
fn objects(
    message: &mut WireMessage<'_>,
    captured: &mut usize,
    kept: &mut Interner,
) -> Result<Vec<SavedObject>, ReadError> {
    let mut objects = Vec::new();
    while let Some(field) = message.next()? {
        if field.number == 1 {
            let object = message.enter(&field, |message| object(message, captured, kept))?;
            if objects.len() < OBJECTS {
                objects.extend(object);
            }
        }
    }
    Ok(objects)
}

fn object(
    message: &mut WireMessage<'_>,
    captured: &mut usize,
    kept: &mut Interner,
) -> Result<Option<SavedObject>, ReadError> {
    let (mut found, mut slots) = (None, 0);
    while let Some(field) = message.next()? {
        match field.number {
            3 => slots += 1,
            12 => *captured += 1,
            4 => found = Some(message.enter(&field, |message| user_object(message, kept))?),
            _ => {}
        }
    }
    Ok(found.map(|object| SavedObject { slots, ..object }))
}

fn user_object(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
) -> Result<SavedObject, ReadError> {
    let mut object = SavedObject::default();
    while let Some(field) = message.next()? {
        match field.number {
            1 => object.identifier = kept.text(message, &field)?.into(),
            2 => object.versions = message.enter(&field, values::versions)?,
            _ => {}
        }
    }
    Ok(object)
}
