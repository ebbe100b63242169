//! Model of a Keras file: who wrote it, the configuration of the model, how it was compiled, where its weights are.

use std::sync::Arc;

use serde_json::Value;
use unskew_core::Version;
use unskew_source::{Archive, ReadError, Source, SourceExt as _, SourceProblem, limits};

use crate::hdf5::{Hdf5File, Hdf5Object};

/// The attribute of a group of `.h5` weights that lists its layers, and its parts where it is too long for one.
const LAYER_NAMES: &str = "layer_names";

/// The group in which Keras 2.12 to 2.14 keeps layers.
const DEPENDENCIES: &str = "_layer_checkpoint_dependencies";

/// In which form a model was saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KerasFormat {
    /// A `.keras` file: a zip archive of JSON and HDF5.
    Archive,
    /// A whole model in an HDF5 file.
    Hdf5,
    /// The weights of a model in an HDF5 file, without the model.
    Weights,
}

impl KerasFormat {
    /// As parties and findings name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Archive => "Keras archive",
            Self::Hdf5 => "Keras model in HDF5",
            Self::Weights => "Keras weights in HDF5",
        }
    }
}

/// How the groups are named in which Keras since 2.12 keeps the weights of layers: three generations, each read by its own
/// releases only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KerasWeightPaths {
    /// Up to 2.13: below `_layer_checkpoint_dependencies`, where a layer with weights is counted twice.
    CountedTwice,
    /// 2.14: the same folder, counted once.
    CountedOnce,
    /// One of the two: no class has two layers with weights.
    CountedEither,
    /// Since 2.15: below `layers`.
    Layers,
}

impl KerasWeightPaths {
    /// What a release since 2.12 writes and reads. Measured: 2.13.1, 2.14.0, 2.15.0.
    pub fn of_release(keras: Version) -> Self {
        match keras {
            old if old < Version::pair(2, 14) => Self::CountedTwice,
            old if old < Version::pair(2, 15) => Self::CountedOnce,
            _ => Self::Layers,
        }
    }

    /// Whether weights under these names are read by a release that names them in `other`.
    pub fn is_read_as(self, other: Self) -> bool {
        let either = self == Self::CountedEither || other == Self::CountedEither;
        self == other || either && self != Self::Layers && other != Self::Layers
    }

    /// Whether two layers of a class lie below a group, which tells the older two apart: `dense` and `dense_2` are
    /// counted twice. A layer without weights is counted once by both.
    fn of_groups(file: &Hdf5File, root: &Hdf5Object, depth: usize) -> Result<Self, ReadError> {
        let Some(address) = root.link(DEPENDENCIES).filter(|_| depth < limits::DEPTH) else {
            return Ok(Self::CountedEither);
        };
        let group = file.object(address)?;
        let mut found = Self::CountedEither;
        for (name, address) in &group.links {
            let layer = file.object(*address)?;
            let (below, _) = count(file, &layer, 0, &mut Vec::new())?;
            let next = |number: u64| group.link(&format!("{name}_{number}")).is_some();
            let is_first =
                name.rsplit_once('_').is_none_or(|(_, number)| number.parse::<u64>().is_err());
            if is_first && below > 0 {
                match (next(1), next(2)) {
                    (true, _) => return Ok(Self::CountedOnce),
                    (false, true) => return Ok(Self::CountedTwice),
                    _ => {}
                }
            }
            let inner = Self::of_groups(file, &layer, depth + 1)?;
            if inner != Self::CountedEither {
                found = inner;
            }
        }
        Ok(found)
    }
}

/// A file of Keras. A capability of its party.
#[derive(Clone, Debug)]
pub struct KerasModel {
    /// How it was saved.
    pub form: KerasFormat,
    /// The Keras that wrote it, if it says so and as it says so.
    pub keras: Option<String>,
    /// The backend that it was written with: `tensorflow`, `jax`, `torch`.
    pub backend: Option<String>,
    /// The configuration of the model; none for weights alone.
    pub config: Option<Value>,
    /// How it was compiled, if it was.
    pub training: Option<Value>,
    /// How many datasets of weights there are, and how many bytes they have.
    pub weights: (u64, u64),
    /// How many of them are variables of the optimizer, in an archive.
    pub optimizer_variables: u64,
    /// How their groups are named, in weights alone since Keras 2.12.
    pub weight_paths: Option<KerasWeightPaths>,
    /// What was not read, in words.
    pub unread: Vec<String>,
}

impl KerasModel {
    /// The Keras that wrote it as a version.
    pub fn version(&self) -> Option<Version> {
        // TensorFlow's own Keras says `2.2.4-tf`.
        self.keras.as_deref()?.split('-').next()?.parse().ok()
    }

    /// The model in `source`; none if it is no file of Keras.
    ///
    /// # Errors
    /// If it is one, but broken.
    pub fn read(source: &Arc<dyn Source>) -> Result<Option<Self>, ReadError> {
        let head = source.head(8)?;
        if head.starts_with(b"PK\x03\x04") {
            let name = source.name().to_ascii_lowercase();
            return if name.ends_with(".keras") { archive(source) } else { Ok(None) };
        }
        match Hdf5File::open(source)? {
            Some(file) => hdf5(source, &file),
            None => Ok(None),
        }
    }
}

/// The value of a JSON text, counted in the budget of the file.
fn json(source: &dyn Source, record: &str, text: &[u8]) -> Result<Value, ReadError> {
    let values = text.iter().filter(|byte| matches!(byte, b',' | b'{' | b'[')).count();
    source.nodes(values as u64)?;
    serde_json::from_slice(text).map_err(|error| {
        ReadError::malformed(source.name(), format!("no JSON: {error}")).in_record(record)
    })
}

fn archive(source: &Arc<dyn Source>) -> Result<Option<KerasModel>, ReadError> {
    let archive = Archive::open(source.clone())?;
    let member = |name: &str| {
        let Some(entry) = archive.entry(name) else { return Ok(None) };
        let member = archive.member(entry)?;
        if member.size() > limits::RECORD {
            let (what, size) = (name.to_owned(), member.size());
            let problem = SourceProblem::TooLarge { what, size, limit: limits::RECORD };
            return Err(ReadError::new(source.name(), problem));
        }
        json(&*member, name, &member.all()?).map(Some)
    };
    let Some(mut config) = member("config.json")? else { return Ok(None) };
    let metadata = member("metadata.json")?.unwrap_or_default();
    let training = config.get_mut("compile_config").map(Value::take);
    let keras = metadata.get("keras_version").and_then(Value::as_str).map(str::to_owned);
    let stored = archive.entries().iter().find(|entry| entry.name.ends_with("model.weights.h5"));
    let mut unread = Vec::new();
    let mut weights = (0, 0);
    let mut optimizer_variables = 0;
    match stored {
        None => unread.push("the weights are not in model.weights.h5".to_owned()),
        Some(entry) => {
            let member = archive.member(entry)?;
            if let Some(file) = Hdf5File::open(&member)? {
                let root = file.root()?;
                weights = count(&file, &root, 0, &mut unread)?;
                optimizer_variables = variables_of_optimizer(&file, &root)?;
            }
        }
    }
    // Keras 3 writes an empty object for a model that was not compiled.
    let is_empty = |value: &Value| value.as_object().map_or(value.is_null(), |map| map.is_empty());
    let training = training.filter(|training| !is_empty(training));
    let config = Some(config);
    Ok(Some(KerasModel {
        form: KerasFormat::Archive,
        keras,
        backend: None,
        config,
        training,
        weights,
        optimizer_variables,
        weight_paths: None,
        unread,
    }))
}

fn hdf5(source: &Arc<dyn Source>, file: &Hdf5File) -> Result<Option<KerasModel>, ReadError> {
    let root = file.root()?;
    let stored = root.link("model_weights");
    let group = stored.map(|address| file.object(address)).transpose()?;
    let said = |name: &str| -> Result<Option<Vec<u8>>, ReadError> {
        let of = |object: &Hdf5Object| object.attribute(name).map(|one| one.text(file)).transpose();
        if let Some(text) = of(&root)?.flatten() {
            return Ok(Some(text));
        }
        Ok(group.as_ref().map(of).transpose()?.flatten().flatten())
    };
    let text = |name: &str| -> Result<Option<String>, ReadError> {
        Ok(said(name)?.map(|text| String::from_utf8_lossy(&text).into_owned()))
    };
    let value = |name: &str| -> Result<Option<Value>, ReadError> {
        said(name)?.map(|text| json(&**source, name, &text)).transpose()
    };
    let (keras, backend) = (text("keras_version")?, text("backend")?);
    let config = value("model_config")?;
    let named = source.name().to_ascii_lowercase().ends_with(".weights.h5");
    let listed = root.attributes.iter().any(|one| one.name.starts_with(LAYER_NAMES));
    let form = match config {
        Some(_) => KerasFormat::Hdf5,
        None if named || listed || keras.is_some() => KerasFormat::Weights,
        // Keras 3 writes weights without a word of who wrote them: a group of layers, each with `vars`.
        None if root.link("layers").is_some() || root.link(DEPENDENCIES).is_some() => {
            KerasFormat::Weights
        }
        None => return Ok(None),
    };
    let training = value("training_config")?;
    let mut unread: Vec<String> = root.unread.iter().map(|part| (*part).to_owned()).collect();
    let weights = match &group {
        Some(group) => count(file, group, 0, &mut unread)?,
        None => count(file, &root, 0, &mut unread)?,
    };
    let weight_paths = match form {
        KerasFormat::Weights if root.link(DEPENDENCIES).is_some() => {
            Some(KerasWeightPaths::of_groups(file, &root, 0)?)
        }
        KerasFormat::Weights if root.link("layers").is_some() && !listed => {
            Some(KerasWeightPaths::Layers)
        }
        _ => None,
    };
    Ok(Some(KerasModel {
        form,
        keras,
        backend,
        config,
        training,
        weights,
        optimizer_variables: 0,
        weight_paths,
        unread,
    }))
}

/// The variables of the optimizer itself, without those of another one inside of it.
fn variables_of_optimizer(file: &Hdf5File, root: &Hdf5Object) -> Result<u64, ReadError> {
    let Some(address) = root.link("optimizer") else { return Ok(0) };
    let Some(address) = file.object(address)?.link("vars") else { return Ok(0) };
    Ok(file.object(address)?.links.len() as u64)
}

/// The datasets below a group, and their bytes.
fn count(
    file: &Hdf5File,
    group: &Hdf5Object,
    depth: usize,
    unread: &mut Vec<String>,
) -> Result<(u64, u64), ReadError> {
    let (mut datasets, mut bytes) = (0_u64, 0_u64);
    if depth > limits::DEPTH {
        return Ok((0, 0));
    }
    if let Some(part) = group.unread.first()
        && unread.is_empty()
    {
        unread.push((*part).to_owned());
    }
    for (_, address) in &group.links {
        let object = file.object(*address)?;
        if let Some(dataset) = &object.dataset {
            datasets += 1;
            let values = dataset.shape.iter().fold(1_u64, |all, one| all.saturating_mul(*one));
            bytes = bytes.saturating_add(values.saturating_mul(dataset.scalar.size()));
            continue;
        }
        let below = count(file, &object, depth + 1, unread)?;
        datasets = datasets.saturating_add(below.0);
        bytes = bytes.saturating_add(below.1);
    }
    Ok((datasets, bytes))
}
