//! What a file says of its model.

use std::sync::Arc;

use unskew_boosters::{BoosterLibrary, BoosterModel};
use unskew_source::{BytesSource, Source};

fn read(bytes: &[u8]) -> Option<BoosterModel> {
    let source: Arc<dyn Source> = Arc::new(BytesSource::new("model", bytes.to_vec()));
    BoosterModel::read(&source).unwrap()
}

fn has(model: &BoosterModel, property: &str) -> bool {
    model.properties.contains(property)
}

const XGBOOST: &str = r#"{"learner": {"attributes": {"note": "x"}, "feature_types": ["q", "q", "q", "q", "q", "c"],
    "gradient_booster": {"model": {"trees": [{"split_type": [0, 0]}]}, "name": "gbtree"},
    "learner_model_param": {"base_score": "[5E-1]"}, "objective": {"name": "binary:logistic"}}, "version": [3, 1, 0]}"#;

#[test]
fn json_of_xgboost() {
    let model = read(XGBOOST.as_bytes()).unwrap();
    assert_eq!((model.library, model.property("format")), (BoosterLibrary::Xgboost, Some("JSON")));
    assert_eq!(model.written_by.as_deref(), Some("3.1.0"));
    for property in [
        "objective=binary:logistic",
        "booster=gbtree",
        "base_score=list of 0.5",
        "features=categorical",
        "version=3.1",
        "key=learner.gradient_booster.model.trees.split_type",
    ] {
        assert!(has(&model, property), "{property}: {:?}", model.properties);
    }
    for (span, is_in) in [("version>=3.1", true), ("version>=3.10", false), ("version<=3.0", false)]
    {
        assert_eq!(model.has(span), is_in, "{span}");
    }
    // What is added to all classes alike changes nothing; of other objectives it does.
    for (objective, form) in [("multi:softprob", "list of equals"), ("reg:squarederror", "list")] {
        let text = XGBOOST.replace("[5E-1]", "[3E-1,3E-1]").replace("binary:logistic", objective);
        assert_eq!(read(text.as_bytes()).unwrap().property("base_score"), Some(form));
    }
    // Names that users give are none of the format.
    assert!(!has(&model, "key=learner.attributes.note"));
}

/// The value of JSON in UBJSON.
fn ubjson(value: &serde_json::Value, out: &mut Vec<u8>) {
    let text = |text: &str, out: &mut Vec<u8>| {
        out.push(b'L');
        out.extend((text.len() as u64).to_be_bytes());
        out.extend(text.as_bytes());
    };
    match value {
        serde_json::Value::Object(map) => {
            out.push(b'{');
            for (key, value) in map {
                text(key, out);
                ubjson(value, out);
            }
            out.push(b'}');
        }
        // As lists of numbers are written.
        serde_json::Value::Array(list) if list.iter().all(serde_json::Value::is_i64) => {
            out.extend(b"[$l#L");
            out.extend((list.len() as u64).to_be_bytes());
            for number in list {
                out.extend((number.as_i64().unwrap() as i32).to_be_bytes());
            }
        }
        serde_json::Value::Array(list) => {
            out.extend(b"[#L");
            out.extend((list.len() as u64).to_be_bytes());
            list.iter().for_each(|one| ubjson(one, out));
        }
        serde_json::Value::String(string) => {
            out.push(b'S');
            text(string, out);
        }
        other => panic!("{other}"),
    }
}

#[test]
fn ubjson_of_xgboost_says_the_same() {
    let mut value: serde_json::Value = serde_json::from_str(XGBOOST).unwrap();
    // The version is a list of single values there.
    value["version"] = serde_json::json!(["3", "1", "0"]);
    let mut bytes = Vec::new();
    ubjson(&value, &mut bytes);
    let model = read(&bytes).unwrap();
    let json = read(XGBOOST.as_bytes()).unwrap();
    assert_eq!(model.property("format"), Some("UBJSON"));
    let but_format = |model: &BoosterModel| {
        let all = model.properties.iter().filter(|one| !one.starts_with("format="));
        all.cloned().collect::<Vec<_>>()
    };
    assert_eq!(but_format(&model), but_format(&json));
}

#[test]
fn binary_format_of_xgboost() {
    let mut bytes = vec![0; 136];
    bytes[20] = 1;
    bytes[24] = 7;
    for name in ["reg:squarederror", "gbtree"] {
        bytes.extend((name.len() as u64).to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    let model = read(&bytes).unwrap();
    assert_eq!(
        (model.property("format"), model.written_by.as_deref()),
        (Some("binary format"), Some("1.7"))
    );
    assert!(has(&model, "objective=reg:squarederror"));
    // Since 1.1 a mark stands in front.
    assert_eq!(read(&[b"binf", bytes.as_slice()].concat()), Some(model));
    // No booster has this name.
    let end = bytes.len() - 1;
    bytes[end] = b'x';
    assert_eq!(read(&bytes), None);
}

#[test]
fn text_of_lightgbm() {
    let text = "tree\nversion=v3\nnum_class=1\nobjective=binary sigmoid:1\n\nTree=0\nnum_cat=2\nis_linear=1\n\nend of trees\n\n\
                feature_importances:\na=3\n\nparameters:\n[boosting: dart]\n[linear_tree: 1]\n\nend of parameters\n[not: one]\n";
    let model = read(text.as_bytes()).unwrap();
    assert_eq!((model.library, model.property("format")), (BoosterLibrary::Lightgbm, Some("text")));
    for property in [
        "version=v3",
        "objective=binary",
        "booster=dart",
        "trees=linear",
        "features=categorical",
        "parameter=linear_tree",
        "key=num_class",
    ] {
        assert!(has(&model, property), "{property}: {:?}", model.properties);
    }
    assert!(!has(&model, "parameter=not"));
}

#[test]
fn files_of_catboost() {
    let json = r#"{"ctr_data": {}, "features_info": {"float_features": []}, "model_info": {"params": {"loss_function":
        {"type": "RMSE"}}}, "oblivious_trees": [{"leaf_values": [1.5]}]}"#;
    let model = read(json.as_bytes()).unwrap();
    assert_eq!((model.library, model.property("format")), (BoosterLibrary::Catboost, Some("JSON")));
    assert!(has(&model, "objective=RMSE"));
    let params = br#"..."loss_function":{"type":"Logloss"}..."#;
    let cbm = [b"CBM1".as_slice(), &(params.len() as u32).to_le_bytes(), params].concat();
    assert!(has(&read(&cbm).unwrap(), "objective=Logloss"));
}
