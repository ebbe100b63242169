//! An archive as HDF5, for releases that read no archives.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use unskew_source::{Archive, Assembly, ReadError, Source};

use super::weights::Tree;
use crate::hdf5::Hdf5File;
use crate::hdf5::write::{self, Group, LinkTarget};
use crate::judge::class_of;
use crate::{KerasFormat, KerasModel, KerasWeightPaths};

const WEIGHTS: &str = "model.weights.h5";

/// The weights of an archive, in the order of an HDF5 file.
pub(super) struct StoredWeights {
    source: Arc<dyn Source>,
    layers: Vec<(String, super::weights::Weights)>,
}

/// The model of an archive as an HDF5 file says it, without its compilation, and its weights; a sentence about what has
/// no form there.
pub(super) fn hdf5(
    source: &Arc<dyn Source>,
    model: &KerasModel,
) -> Result<Result<(KerasModel, StoredWeights), String>, ReadError> {
    let archive = Archive::open(source.clone())?;
    if let Some(asset) = archive.entries().iter().find(|one| {
        let name = &one.name;
        name.starts_with("assets/") && !name.ends_with('/') && one.size > 0
    }) {
        return Ok(Err(format!("{}, for which HDF5 files have no place", asset.name)));
    }
    let Some(entry) = archive.entry(WEIGHTS).filter(|_| model.unread.is_empty()) else {
        return Ok(Err("weights that are not read".to_owned()));
    };
    let member = archive.member(entry)?;
    let Some(file) = Hdf5File::open(&member)? else {
        return Ok(Err(format!("{WEIGHTS}, which is no HDF5")));
    };
    let paths = model.version().map(KerasWeightPaths::of_release);
    let twice = paths == Some(KerasWeightPaths::CountedTwice);
    let tree = match Tree::read(&file, &file.root()?, twice, 0)? {
        Ok(tree) => tree,
        Err(why) => return Ok(Err(why)),
    };
    let config = model.config.clone().unwrap_or_default();
    let mut old = config.clone();
    let made = tree.layers(&config["config"]).and_then(|layers| {
        let mut shared = BTreeSet::new();
        plain(&mut old, &mut shared)?;
        Ok(layers)
    });
    Ok(made.map(|layers| {
        let model = KerasModel {
            form: KerasFormat::Hdf5,
            config: Some(old),
            training: None,
            backend: model.backend.clone().or_else(|| Some("tensorflow".to_owned())),
            ..model.clone()
        };
        (model, StoredWeights { source: member.clone(), layers })
    }))
}

/// Values of an archive as HDF5 files have them: classes by their names, tuples as lists.
fn plain(value: &mut Value, shared: &mut BTreeSet<u64>) -> Result<(), String> {
    match value {
        Value::Array(all) => all.iter_mut().try_for_each(|one| plain(one, shared)),
        Value::Object(map) => {
            let class = map.get("class_name").and_then(Value::as_str).unwrap_or_default();
            match class {
                "__tuple__" => {
                    let mut items = map.remove("items").unwrap_or_default();
                    plain(&mut items, shared)?;
                    *value = items;
                    return Ok(());
                }
                "__numpy__" | "__tensor__" => {
                    let values = map.get_mut("config").and_then(|one| one.get_mut("value"));
                    *value = values.map(Value::take).unwrap_or_default();
                    return Ok(());
                }
                "Lambda" if map["config"]["function_type"] == "lambda" => {
                    let why = "a Lambda layer, whose code only the Python that wrote it reads";
                    return Err(why.to_owned());
                }
                "function" | "__lambda__" | "__typespec__" | "__bytes__" | "__ellipsis__" => {
                    return Err(format!("a value of the kind {class}"));
                }
                _ => {}
            }
            if class_of(value).is_some_and(|class| class != "__keras_tensor__") {
                name(value, shared)?;
            }
            value
                .as_object_mut()
                .into_iter()
                .flat_map(Map::values_mut)
                .try_for_each(|one| plain(one, shared))
        }
        _ => Ok(()),
    }
}

/// The class of an object by its name alone.
fn name(value: &mut Value, shared: &mut BTreeSet<u64>) -> Result<(), String> {
    let Some(map) = value.as_object_mut() else { return Ok(()) };
    let module = map.shift_remove("module");
    let registered = map.shift_remove("registered_name");
    map.shift_remove("build_config");
    map.shift_remove("compile_config");
    let class = map["class_name"].as_str().unwrap_or_default().to_owned();
    if let Some(id) = map.shift_remove("shared_object_id").and_then(|id| id.as_u64())
        && map["config"].get("trainable").is_some()
        && !shared.insert(id)
    {
        return Err(format!("a layer {class} that is part of several"));
    }
    // A class of the user's own that is called like one of Keras stays one of the user's own.
    let module = module.as_ref().and_then(Value::as_str);
    let registered = registered.as_ref().and_then(Value::as_str);
    if let Some(registered) = registered.filter(|name| name.contains('>')) {
        map.insert("class_name".to_owned(), registered.into());
    } else if let Some(module) = module.filter(|one| *one != "keras" && !one.starts_with("keras."))
    {
        map.insert("class_name".to_owned(), format!("{module}.{class}").into());
    }
    Ok(())
}

/// A value as JSON in ASCII, as Python writes it.
pub(super) fn ascii(value: &Value) -> String {
    let mut text = String::new();
    for letter in value.to_string().chars() {
        match letter.is_ascii() {
            true => text.push(letter),
            false => {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    text.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    text
}

/// The file of a model as HDF5.
pub(super) fn write(
    source_name: &str,
    model: &KerasModel,
    stored: StoredWeights,
) -> Result<Assembly, ReadError> {
    let mut root = Group::default();
    let mut said = vec![("backend".to_owned(), model.backend.clone().unwrap_or_default())];
    said.extend(model.keras.clone().map(|keras| ("keras_version".to_owned(), keras)));
    let mut all = Group { texts: said.clone(), ..Group::default() };
    root.texts = said;
    let config = model.config.as_ref().map(ascii).unwrap_or_default();
    root.texts.push(("model_config".to_owned(), config));
    let mut names = Vec::new();
    for (name, weights) in stored.layers {
        let mut group = Group::default();
        let mut listed = Vec::new();
        for (own, values) in weights.in_order() {
            group.links.insert(own.clone(), LinkTarget::Dataset(values));
            listed.push(own);
        }
        group.lists.push(("weight_names".to_owned(), listed));
        // A slash in the name of a layer would be a group in a group, as it is where Keras writes one.
        insert(&mut all, &name, group);
        names.push(name);
    }
    all.lists.push(("layer_names".to_owned(), names));
    root.links.insert("model_weights".to_owned(), LinkTarget::Group(all));
    write::file(source_name, &root, &stored.source)
}

fn insert(into: &mut Group, path: &str, group: Group) {
    match path.split_once('/') {
        None => match into.links.entry(path.to_owned()) {
            std::collections::btree_map::Entry::Occupied(mut one) => {
                if let LinkTarget::Group(known) = one.get_mut() {
                    known.links.extend(group.links);
                    known.lists.extend(group.lists);
                }
            }
            std::collections::btree_map::Entry::Vacant(one) => {
                one.insert(LinkTarget::Group(group));
            }
        },
        Some((first, rest)) => {
            let node = into
                .links
                .entry(first.to_owned())
                .or_insert_with(|| LinkTarget::Group(Group::default()));
            if let LinkTarget::Group(inner) = node {
                insert(inner, rest, group);
            }
        }
    }
}
