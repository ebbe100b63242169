//! `SavedModel` and `MetaGraphDef`: graphs with what their exporter says about itself.

use unskew_core::DataVersions;
use unskew_source::wire::Message;
use unskew_source::{ReadError, Source};

use super::graph_def::graph_in;
use super::kept::Kept;
use super::{op_def, values};
use crate::{Graph, OpDef};

/// A SavedModel: `saved_model.pb`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedModel {
    /// The number of its own schema: 1 in every real file; no TensorFlow looks at it.
    pub schema_version: Option<i64>,
    /// Its graphs.
    pub meta_graphs: Vec<MetaGraph>,
}

/// A graph and what its exporter says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetaGraph {
    /// The graph.
    pub graph: Graph,
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
}

/// An object of a user's class in a SavedModel, with a version of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedObject {
    /// What revives it: `trackable_list`, `_tf_keras_layer`.
    pub identifier: String,
    /// Its versions.
    pub versions: DataVersions,
    /// How many variables of other objects it keeps a slot for, as optimizers do.
    pub slots: usize,
}

/// The most objects whose versions are kept.
const OBJECTS: usize = 1 << 16;

/// The SavedModel in `source`.
///
/// # Errors
/// If it is none, or larger than is kept; with the byte and the field.
pub fn saved_model(source: &dyn Source) -> Result<SavedModel, ReadError> {
    let (mut message, mut kept) = (Message::whole(source), Kept::default());
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
    meta_graph_in(&mut Message::whole(source), &mut Kept::default())
}

fn meta_graph_in(message: &mut Message<'_>, kept: &mut Kept) -> Result<MetaGraph, ReadError> {
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
            7 => {
                let read = message.enter(&field, |message| objects(message, kept));
                meta.objects = Some(read.map_err(|e| e.in_field("object_graph_def"))?);
            }
            _ => {}
        }
    }
    Ok(meta)
}

fn info(message: &mut Message<'_>, meta: &mut MetaGraph, kept: &mut Kept) -> Result<(), ReadError> {
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

/// The objects of a `SavedObjectGraph` that have versions.
fn objects(message: &mut Message<'_>, kept: &mut Kept) -> Result<Vec<SavedObject>, ReadError> {
    let mut objects = Vec::new();
    while let Some(field) = message.next()? {
        if field.number == 1 {
            let object = message.enter(&field, |message| object(message, kept))?;
            if objects.len() < OBJECTS {
                objects.extend(object);
            }
        }
    }
    Ok(objects)
}

fn object(message: &mut Message<'_>, kept: &mut Kept) -> Result<Option<SavedObject>, ReadError> {
    let (mut found, mut slots) = (None, 0);
    while let Some(field) = message.next()? {
        match field.number {
            3 => slots += 1,
            4 => found = Some(message.enter(&field, |message| user_object(message, kept))?),
            _ => {}
        }
    }
    Ok(found.map(|object| SavedObject { slots, ..object }))
}

fn user_object(message: &mut Message<'_>, kept: &mut Kept) -> Result<SavedObject, ReadError> {
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
