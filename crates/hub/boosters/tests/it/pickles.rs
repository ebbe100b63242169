//! Models inside pickles: which objects hold one, and what is around it.

use std::sync::Arc;

use unskew_boosters::{BoosterLibrary, BoosterModel, pickled_models};
use unskew_pickle::PickleFile;
use unskew_source::{BytesSource, Source};

fn text(value: &str) -> Vec<u8> {
    let length = u32::try_from(value.len()).unwrap().to_le_bytes();
    [b"X", &length[..], value.as_bytes()].concat()
}

/// `bytearray(b"…")`, as protocol 2 to 4 write it.
fn byte_array(value: &[u8]) -> Vec<u8> {
    let length = u32::try_from(value.len()).unwrap().to_le_bytes();
    [b"cbuiltins\nbytearray\nB", &length[..], value, b"\x85R"].concat()
}

/// An object of a class with these attributes.
fn object(module: &str, class: &str, attributes: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = format!("c{module}\n{class}\n").into_bytes();
    bytes.extend(b")\x81}(");
    for (name, value) in attributes {
        bytes.extend(text(name));
        bytes.extend(value);
    }
    bytes.extend(b"ub");
    bytes
}

fn models(value: &[u8]) -> Vec<BoosterModel> {
    let bytes = [b"\x80\x04", value, b"."].concat();
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("model.pkl", bytes));
    pickled_models(&PickleFile::read(&source, |_| true).unwrap().unwrap())
}

const LIGHTGBM: &str = "tree\nversion=v3\nobjective=binary sigmoid:1\n\nend of trees\n";

fn booster(attribute: &str) -> Vec<u8> {
    object("lightgbm.basic", "Booster", &[(attribute, text(LIGHTGBM)), ("params", b"}".to_vec())])
}

#[test]
fn a_booster_holds_its_model_as_text() {
    let found = models(&booster("handle"));
    let [model] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(model.library, BoosterLibrary::Lightgbm);
    for property in [
        "format=pickle",
        "pickled=text",
        "objective=binary",
        "class=lightgbm.basic.Booster",
        "attribute=lightgbm.basic.Booster.handle",
        "lacks=lightgbm.basic.Booster._handle",
    ] {
        assert!(model.has(property), "{property}: {model:?}");
    }
    assert!(!model.has("lacks=lightgbm.basic.Booster.handle"));
    assert!(!model.has("lacks=lightgbm.sklearn.LGBMModel.fitted_"), "of another class");
}

#[test]
fn an_estimator_is_around_the_booster_that_it_has() {
    let estimator = |attribute: &str, name: &str| {
        let attributes = [("_Booster", booster("_handle")), (attribute, b"K\x01".to_vec())];
        object("lightgbm.sklearn", name, &attributes)
    };
    let one = estimator("fitted_", "LGBMClassifier");
    let found = models(&one);
    let [model] = found.as_slice() else { panic!("{found:?}") };
    assert!(model.has("attribute=lightgbm.sklearn.LGBMClassifier.fitted_"), "{model:?}");
    assert!(model.has("attribute=lightgbm.basic.Booster._handle"), "{model:?}");
    // A list of two: each with its own attributes; of two that are the same, one.
    let other = estimator("_le", "LGBMRanker");
    let both = models(&[&b"]("[..], &one, &other, &one, b"e"].concat());
    assert_eq!(both.len(), 2, "{both:?}");
    assert!(both.iter().all(|model| !(model.has("class=lightgbm.sklearn.LGBMClassifier")
        && model.has("class=lightgbm.sklearn.LGBMRanker"))));
}

#[test]
fn boosters_of_xgboost_hold_bytes_with_a_configuration() {
    let json = br#"{"Config":{"learner":{"generic_param":{"seed":"0"}}},"Model":{"learner":{"objective":{"name":"reg:tweedie"},
        "feature_types":["q","q","q","q","q","c"]},"version":[1,7,6]}}"#;
    let found = models(&object("xgboost.core", "Booster", &[("handle", byte_array(json))]));
    let [model] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(model.written_by.as_deref(), Some("1.7.6"));
    for property in [
        "pickled=JSON",
        "objective=reg:tweedie",
        "features=categorical",
        "key=learner.objective.name",
        "configuration=learner.generic_param.seed",
        "class=xgboost.core.Booster",
    ] {
        assert!(model.has(property), "{property}: {model:?}");
    }
    // The binary format of 1.0 to 1.2 behind the place of the configuration.
    let name = |name: &str| [&(name.len() as u64).to_le_bytes()[..], name.as_bytes()].concat();
    let binary = [
        &b"CONFIG-offset:"[..],
        &[0; 8],
        b"binf",
        &[0; 136],
        &name("reg:squarederror"),
        &name("gbtree"),
        &[0; 64],
    ]
    .concat();
    let found = models(&object("xgboost.core", "Booster", &[("handle", byte_array(&binary))]));
    assert!(found[0].has("pickled=binary format") && found[0].has("booster=gbtree"), "{found:?}");
}

#[test]
fn other_objects_hold_none() {
    // Another library's class, no model, one that is broken, and one of another library.
    for value in [
        object("app.models", "Booster", &[("handle", text(LIGHTGBM))]),
        object("lightgbm.basic", "Booster", &[("handle", b"N".to_vec())]),
        object("lightgbm.basic", "Booster", &[("handle", text("{"))]),
        object("xgboost.core", "Booster", &[("handle", text(LIGHTGBM))]),
        object("lightgbm.basic", "Booster", &[]),
    ] {
        assert_eq!(models(&value), [], "{value:?}");
    }
}
