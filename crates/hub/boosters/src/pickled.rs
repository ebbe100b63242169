//! Pickles of models: an object with its attributes, one of which is the model in a format of its own.
//!
//! `Booster` of XGBoost and LightGBM, `CatBoost`, and the estimators around them, which a release may give attributes that
//! another one lacks.

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_pickle::{Id, Pickle, PickleCall, PickleFile, PickleValue};
use unskew_source::{BytesSource, Source};

use crate::model::{BoosterLibrary, BoosterModel};
use crate::{catboost, lightgbm, xgboost};

/// The attributes that hold a model: of XGBoost and of LightGBM before 4, of LightGBM since 4, of CatBoost.
const MODEL_ATTRIBUTES: [&str; 3] = ["handle", "_handle", "__model"];

/// The attribute of an estimator that holds its booster.
const BOOSTER_ATTRIBUTE: &str = "_Booster";

/// How many models of one file are looked at.
const MODELS: usize = 64;

/// Names that users give to attributes are longer, or many.
const LONGEST_ATTRIBUTE: usize = 64;

/// An object of one of the libraries.
struct PickledObject<'p> {
    library: BoosterLibrary,
    class: String,
    state: BTreeMap<&'p str, Id>,
}

/// The models that the objects of a pickle hold, each with the classes and attributes around it. A pickle may have several, such
/// as that of a pipeline.
pub fn pickled_models(file: &PickleFile) -> Vec<BoosterModel> {
    let mut models: Vec<BoosterModel> = Vec::new();
    let objects: BTreeMap<Id, PickledObject<'_>> = file
        .pickle
        .values()
        .zip(0..)
        .filter_map(|(value, id)| Some((id, object(&file.pickle, value)?)))
        .collect();
    for (id, object) in &objects {
        if models.len() >= MODELS {
            break;
        }
        let held = object.state.iter().find(|(name, _)| MODEL_ATTRIBUTES.contains(name));
        let Some(mut model) = held.and_then(|(_, held)| inner_model(file, *held)) else { continue };
        if model.library != object.library {
            continue;
        }
        add_object(&mut model, object);
        let is_around = |other: &&PickledObject<'_>| other.state.get(BOOSTER_ATTRIBUTE) == Some(id);
        objects.values().filter(is_around).for_each(|around| add_object(&mut model, around));
        if !models.contains(&model) {
            models.push(model);
        }
    }
    models
}

/// The object that a value is, if it is one of the libraries' with attributes.
fn object<'p>(pickle: &'p Pickle, value: &'p PickleValue) -> Option<PickledObject<'p>> {
    let PickleValue::Call(PickleCall { callee, state: Some(state), .. }) = value else {
        return None;
    };
    let PickleValue::Global(module, name) = pickle.value(*callee) else { return None };
    let library = BoosterLibrary::from_module(module)?;
    let PickleValue::Dict(members) = pickle.value(*state) else { return None };
    let (pairs, _) = members.as_chunks::<2>();
    let named = pairs.iter().filter_map(|[key, value]| Some((pickle.value(*key).text()?, *value)));
    Some(PickledObject { library, class: format!("{module}.{name}"), state: named.collect() })
}

fn add_object(model: &mut BoosterModel, object: &PickledObject<'_>) {
    model.add("class", &object.class);
    for name in object.state.keys().filter(|name| name.len() <= LONGEST_ATTRIBUTE) {
        model.add("attribute", &format!("{}.{name}", object.class));
    }
}

/// The model in an attribute: a text, bytes, or a `bytearray` of them.
fn inner_model(file: &PickleFile, held: Id) -> Option<BoosterModel> {
    let bytes = match file.pickle.value(held) {
        PickleValue::Text(text) => text.as_bytes().to_vec(),
        PickleValue::Bytes(range) => file.bytes.get(range.clone())?.to_vec(),
        PickleValue::Call(PickleCall { arguments: Some(arguments), .. }) => {
            let PickleValue::Tuple(arguments) = file.pickle.value(*arguments) else { return None };
            let PickleValue::Bytes(range) = file.pickle.value(*arguments.first()?) else {
                return None;
            };
            file.bytes.get(range.clone())?.to_vec()
        }
        _ => return None,
    };
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("the model in a pickle", bytes));
    let read = [xgboost::read_serialized, lightgbm::read, catboost::read];
    let mut model = read.into_iter().find_map(|read| read(&source).ok().flatten())?;
    model.pickle();
    Some(model)
}
