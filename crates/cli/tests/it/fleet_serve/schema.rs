//! JSON Schema, as far as the description of the service uses it. A keyword that is not known here is an error, so
//! that nothing passes because it was not looked at.

use serde_json::Value;

/// What says something to people and nothing about values.
const WORDS: [&str; 6] = ["title", "description", "default", "$schema", "format", "examples"];

/// Notes at which places a value is not as a schema says.
pub fn hold(root: &Value, schema: &Value, value: &Value, place: &str, errors: &mut Vec<String>) {
    if let Some(all) = schema.as_bool() {
        if !all {
            errors.push(format!("{place}: not allowed"));
        }
        return;
    }
    for (keyword, said) in schema.as_object().unwrap() {
        let fits = match keyword.as_str() {
            word if WORDS.contains(&word) => true,
            "$ref" => {
                let pointer = said.as_str().unwrap().trim_start_matches('#');
                let there = root.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
                hold(root, there, value, place, errors);
                true
            }
            "type" => match said {
                Value::Array(any) => any.iter().any(|one| is(one, value)),
                one => is(one, value),
            },
            "const" => said == value,
            "enum" => said.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().is_none_or(|number| number >= said.as_f64().unwrap()),
            "maximum" => value.as_f64().is_none_or(|number| number <= said.as_f64().unwrap()),
            "minItems" => {
                value.as_array().is_none_or(|list| list.len() as u64 >= said.as_u64().unwrap())
            }
            "maxItems" => {
                value.as_array().is_none_or(|list| list.len() as u64 <= said.as_u64().unwrap())
            }
            "pattern" => value.as_str().is_none_or(|text| matches(said.as_str().unwrap(), text)),
            "anyOf" => said.as_array().unwrap().iter().any(|one| sound(root, one, value)),
            "oneOf" => {
                said.as_array().unwrap().iter().filter(|one| sound(root, one, value)).count() == 1
            }
            "allOf" => said.as_array().unwrap().iter().all(|one| sound(root, one, value)),
            "required" => value.as_object().is_none_or(|object| {
                said.as_array()
                    .unwrap()
                    .iter()
                    .all(|name| object.contains_key(name.as_str().unwrap()))
            }),
            "properties" => {
                for (name, one) in said.as_object().unwrap() {
                    if let Some(inner) = value.get(name) {
                        hold(root, one, inner, &format!("{place}/{name}"), errors);
                    }
                }
                true
            }
            "items" => {
                for (at, inner) in value.as_array().into_iter().flatten().enumerate() {
                    hold(root, said, inner, &format!("{place}/{at}"), errors);
                }
                true
            }
            "additionalProperties" | "unevaluatedProperties" => {
                let known = |name: &String| schema["properties"].get(name).is_some();
                for (name, inner) in value.as_object().into_iter().flatten() {
                    if !known(name) {
                        hold(root, said, inner, &format!("{place}/{name}"), errors);
                    }
                }
                true
            }
            other => panic!("{place}: the keyword {other} is not known here: {schema}"),
        };
        if !fits {
            errors.push(format!("{place}: not as {keyword} says: {said}"));
        }
    }
}

fn sound(root: &Value, schema: &Value, value: &Value) -> bool {
    let mut errors = Vec::new();
    hold(root, schema, value, "", &mut errors);
    errors.is_empty()
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type: {other}"),
    }
}

/// The one pattern that there is: that of a digest.
fn matches(pattern: &str, text: &str) -> bool {
    assert_eq!(pattern, "^sha256:[0-9a-f]{64}$");
    text.parse::<unskew_fleet::Digest>().is_ok()
}

#[test]
fn what_is_not_as_described_is_noticed() {
    let root = serde_json::json!({ "one": {
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "type": ["integer", "null"], "minimum": 0 } },
    }});
    let schema = serde_json::json!({ "$ref": "#/one" });
    for (value, fits) in [
        (serde_json::json!({ "a": 1 }), true),
        (serde_json::json!({ "a": null }), true),
        (serde_json::json!({ "a": -1 }), false),
        (serde_json::json!({ "a": "1" }), false),
        (serde_json::json!({}), false),
        (serde_json::json!({ "a": 1, "b": 2 }), false),
        (serde_json::json!([]), false),
    ] {
        assert_eq!(sound(&root, &schema, &value), fits, "{value}");
    }
}
