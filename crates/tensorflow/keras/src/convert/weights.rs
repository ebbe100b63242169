//! The weights of an archive in the order in which HDF5 files list them.
//!
//! An archive has a group for each layer, named after its class and counted in the order of the configuration, and in it a
//! group for each part: the cell of an LSTM, the halves of a Bidirectional. An HDF5 file has a list for each layer: first
//! what is trained, then the rest, with the parts in the order in which the class made them. That order is known for the
//! classes here; a part of any other class is refused.

use std::collections::BTreeMap;

use serde_json::Value;
use unskew_source::ReadError;

use crate::hdf5::write::CopiedDataset;
use crate::hdf5::{Hdf5File, Hdf5Object, Hdf5Scalar};
use crate::judge::{class_of, text};

/// The groups in which archives keep the layers of a model: since Keras 2.15, and before.
const FOLDERS: [&str; 2] = ["layers", "_layer_checkpoint_dependencies"];

/// How deep parts may be nested.
const DEPTH: usize = 32;

/// The parts of an attention of several heads, in the order of their weights. Keras 2 puts `_` before them.
const HEADS: [&str; 4] = ["query_dense", "key_dense", "value_dense", "output_dense"];

/// Groups of an archive: what a layer has itself, and its parts.
#[derive(Default)]
pub(super) struct Tree {
    /// Whether a layer with weights is counted twice, as Keras does up to 2.13.
    twice: bool,
    name: Option<String>,
    own: BTreeMap<usize, CopiedDataset>,
    parts: BTreeMap<String, Self>,
}

/// The weights of a layer by their names in the archive.
#[derive(Default)]
pub(super) struct Weights {
    trained: Vec<(String, CopiedDataset)>,
    fixed: Vec<(String, CopiedDataset)>,
}

impl Weights {
    /// In the order of an HDF5 file.
    pub(super) fn in_order(self) -> impl Iterator<Item = (String, CopiedDataset)> {
        self.trained.into_iter().chain(self.fixed)
    }
}

impl Tree {
    /// The tree below a group; a sentence if it has what cannot be copied.
    pub(super) fn read(
        file: &Hdf5File,
        group: &Hdf5Object,
        twice: bool,
        depth: usize,
    ) -> Result<Result<Self, String>, ReadError> {
        let mut tree = Self { twice, ..Self::default() };
        if depth > DEPTH || !group.unread.is_empty() {
            return Ok(Err("weights that are nested too deep, or not read".to_owned()));
        }
        for (name, address) in &group.links {
            let object = file.object(*address)?;
            if name == "vars" {
                if let Some(said) = object.attribute("name") {
                    let text = said.text(file)?.unwrap_or_default();
                    tree.name = Some(String::from_utf8_lossy(&text).into_owned());
                }
                for (number, address) in &object.links {
                    let values = file.object(*address)?.dataset;
                    let values = values.filter(|one| {
                        matches!(
                            one.scalar,
                            Hdf5Scalar::Float(2 | 4 | 8) | Hdf5Scalar::Integer(1..=8)
                        )
                    });
                    let values =
                        values.and_then(|values| CopiedDataset::from_dataset(file, &values));
                    let (Ok(number), Some(values)) = (number.parse(), values) else {
                        return Ok(Err(format!(
                            "the values of {name}/{number}, which are of a type or in a form that is not copied"
                        )));
                    };
                    tree.own.insert(number, values);
                }
            } else if object.dataset.is_none() {
                match Self::read(file, &object, twice, depth + 1)? {
                    Ok(part) => drop(tree.parts.insert(name.clone(), part)),
                    Err(why) => return Ok(Err(why)),
                }
            }
        }
        Ok(Ok(tree))
    }

    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.parts.values().all(Self::is_empty)
    }

    /// The weights of the layers of a model, by the names of the layers.
    pub(super) fn layers(&self, config: &Value) -> Result<Vec<(String, Weights)>, String> {
        let listed = config["layers"].as_array().map(Vec::as_slice).unwrap_or_default();
        let empty = Self::default();
        let folder = FOLDERS.iter().find_map(|folder| self.parts.get(*folder));
        if folder.is_none() && !self.is_empty() {
            return Err("weights that are in no folder of layers".to_owned());
        }
        let all = folder.unwrap_or(&empty);
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        let mut done = Vec::new();
        let mut found = Vec::new();
        for layer in listed {
            let Some(class) = class_of(layer) else { continue };
            let mut key = snake(class);
            let count = counted.entry(key.clone()).or_default();
            if *count > 0 {
                key = format!("{key}_{count}");
            }
            let has_weights = all.parts.get(&key).is_some_and(|tree| !tree.is_empty());
            *count += 1 + usize::from(self.twice && has_weights);
            let name = text(&layer["config"], "name").or_else(|| text(layer, "name"));
            let name = name.ok_or_else(|| format!("a layer {class} without a name"))?;
            let mut weights = Weights::default();
            if let Some(tree) = all.parts.get(&key) {
                if tree.name.as_deref().is_some_and(|said| said != name) {
                    return Err(format!("weights of {key}, which are not those of {name}"));
                }
                tree.layer(layer, "", 0, &mut weights)?;
            }
            found.push((name.to_owned(), weights));
            done.push(key);
        }
        let more = all.parts.iter().find(|(key, tree)| !done.contains(key) && !tree.is_empty());
        match more {
            Some((key, _)) => Err(format!("weights of {key}, which is no layer of the model")),
            None => Ok(found),
        }
    }

    fn layer(
        &self,
        layer: &Value,
        place: &str,
        depth: usize,
        into: &mut Weights,
    ) -> Result<(), String> {
        let Some(class) = class_of(layer).filter(|_| depth < DEPTH) else {
            return Err("weights of what has no class".to_owned());
        };
        let config = &layer["config"];
        let fixed = match class {
            _ if config["trainable"] == Value::Bool(false) => self.own.len(),
            "Normalization" => self.own.len(),
            "BatchNormalization" | "SyncBatchNormalization" => 2.min(self.own.len()),
            _ => 0,
        };
        let trained = self.own.len() - fixed;
        for (at, (number, values)) in self.own.iter().enumerate() {
            let list = if at < trained { &mut into.trained } else { &mut into.fixed };
            list.push((format!("{place}{number}"), values.clone()));
        }
        let mut done: Vec<String> = Vec::new();
        let mut part = |name: &str, of: &Value, into: &mut Weights| {
            let Some(tree) = self.parts.get(name) else { return Ok(()) };
            done.push(name.to_owned());
            tree.layer(of, &format!("{place}{name}."), depth + 1, into)
        };
        match class {
            "Functional" | "Sequential" | "Model" => {
                done.extend(FOLDERS.map(str::to_owned));
                for (name, weights) in self.layers(config)? {
                    let named = |(own, values)| (format!("{place}{name}.{own}"), values);
                    into.trained.extend(weights.trained.into_iter().map(named));
                    into.fixed.extend(weights.fixed.into_iter().map(named));
                }
            }
            "MultiHeadAttention" => {
                let dense = plain("Dense", config);
                for head in HEADS {
                    part(head, &dense, into)?;
                    part(&format!("_{head}"), &dense, into)?;
                }
            }
            "Bidirectional" => {
                let forward = &config["layer"];
                let backward = config.get("backward_layer").filter(|one| one.is_object());
                part("forward_layer", forward, into)?;
                part("backward_layer", backward.unwrap_or(forward), into)?;
            }
            "StackedRNNCells" => {
                done.push("cells".to_owned());
                if let Some(cells) = self.parts.get("cells") {
                    cells.cells(config, &format!("{place}cells."), depth, into)?;
                }
            }
            _ => {
                for key in ["layer", "cell"] {
                    match config.get(key).filter(|one| one.is_object()) {
                        Some(of) => part(key, of, into)?,
                        // An LSTM has its cell without naming it.
                        None => part(key, &plain("Cell", config), into)?,
                    }
                }
            }
        }
        // The state of a generator of random numbers is no weight of an HDF5 file.
        let more = self.parts.iter().find(|(name, tree)| {
            !done.contains(name)
                && !tree.is_empty()
                && !name.contains("seed_generator")
                && !name.contains("random_generator")
        });
        match more {
            Some((name, _)) => {
                Err(format!("weights of {class} in `{name}`, whose order in HDF5 is not known"))
            }
            None => Ok(()),
        }
    }

    /// The cells of a stack, each named after its class and counted.
    fn cells(
        &self,
        config: &Value,
        place: &str,
        depth: usize,
        into: &mut Weights,
    ) -> Result<(), String> {
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        for cell in config["cells"].as_array().into_iter().flatten() {
            let mut key = snake(class_of(cell).unwrap_or_default());
            let count = counted.entry(key.clone()).or_default();
            if *count > 0 {
                key = format!("{key}_{count}");
            }
            *count += 1;
            if let Some(tree) = self.parts.get(&key) {
                tree.layer(cell, &format!("{place}{key}."), depth + 1, into)?;
            }
        }
        Ok(())
    }
}

/// A part that the configuration does not name, trained if what it is a part of is.
fn plain(class: &str, config: &Value) -> Value {
    serde_json::json!({"class_name": class, "config": {"trainable": config["trainable"]}})
}

/// The name of a class in small letters, as Keras names groups: `conv_lstm2d`, `p_re_lu`.
pub(super) fn snake(class: &str) -> String {
    let letters: Vec<char> =
        class.chars().filter(|one| one.is_alphanumeric() || *one == '_').collect();
    let lower = |at: usize| letters.get(at).is_some_and(char::is_ascii_lowercase);
    let upper = |at: usize| letters.get(at).is_some_and(char::is_ascii_uppercase);
    let mut first = String::new();
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        first.push(*letter);
        at += 1;
        if upper(at) && lower(at + 1) {
            first.push('_');
            first.extend(letters.get(at));
            at += 1;
            while lower(at) {
                first.extend(letters.get(at));
                at += 1;
            }
        }
    }
    let mut name = String::new();
    let mut before = ' ';
    for letter in first.chars() {
        if before.is_ascii_lowercase() && letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
        before = letter;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::snake;

    #[test]
    fn classes_are_named_as_keras_names_groups() {
        for (class, name) in [
            ("Dense", "dense"),
            ("LSTM", "lstm"),
            ("Conv1DTranspose", "conv1d_transpose"),
            ("ConvLSTM2D", "conv_lstm2d"),
            ("LSTMCell", "lstm_cell"),
            ("PReLU", "p_re_lu"),
            ("BatchNormalization", "batch_normalization"),
            ("SimpleRNN", "simple_rnn"),
            ("StackedRNNCells", "stacked_rnn_cells"),
            ("UpSampling1D", "up_sampling1d"),
        ] {
            assert_eq!(snake(class), name);
        }
    }
}
