//! Conditions of the database: `merges=pairs`, `-prepend_scheme & add_prefix_space=false`.

use serde_json::{Map, Value};

use crate::release::TokenizersNames;

/// What a condition says of any component.
const ANY: &str = "any";

/// Of one that has a field which is not known.
const UNKNOWN_FIELD: &str = "+";

/// The word for every name that the format does not give.
const OTHER: &str = "Other";

/// Whether a component `name` with these fields meets a condition.
pub(crate) fn holds(
    condition: &str,
    name: &str,
    fields: &Map<String, Value>,
    names: &TokenizersNames,
) -> bool {
    condition == ANY || condition.split(" & ").all(|one| holds_one(one, name, fields, names))
}

fn holds_one(
    condition: &str,
    name: &str,
    fields: &Map<String, Value>,
    names: &TokenizersNames,
) -> bool {
    if condition == UNKNOWN_FIELD {
        return !unknown_fields(name, fields, names).is_empty();
    }
    if let Some(field) = condition.strip_prefix('-') {
        return !fields.contains_key(field);
    }
    let Some((field, wanted)) = condition.split_once('=') else { return false };
    let Some(value) = fields.get(field) else { return false };
    let known = names.values(name, field);
    let given = match value {
        // Free words: only whether there are some.
        Value::String(text) if !known.is_empty() => text.split(" with ").next().unwrap_or(text),
        other => form(other),
    };
    given == wanted || wanted == OTHER && !known.is_empty() && !known.contains(&given)
}

/// The fields that no release in the database has.
pub(crate) fn unknown_fields<'f>(
    name: &str,
    fields: &'f Map<String, Value>,
    names: &TokenizersNames,
) -> Vec<&'f str> {
    let known = names.fields(name);
    let keys = fields.keys().map(String::as_str);
    keys.filter(|key| *key != "type" && !known.contains(key)).collect()
}

/// The form of a value, in the words of the database.
fn form(value: &Value) -> &str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => "0",
            _ => "number",
        },
        Value::String(text) if text.is_empty() => "empty",
        Value::String(_) => "text",
        Value::Array(members) if members.is_empty() => "empty",
        Value::Array(_) => "list",
        Value::Object(members) => match members.keys().next() {
            Some(only) if members.len() == 1 => only,
            _ => "object",
        },
    }
}

/// A condition in words: `with add_prefix_space false and without prepend_scheme`; empty for any component.
pub(crate) fn in_words(condition: &str) -> String {
    if condition == ANY {
        return String::new();
    }
    let one = |one: &str| match (one, one.strip_prefix('-'), one.split_once('=')) {
        (UNKNOWN_FIELD, ..) => "with a field that it does not have".to_owned(),
        (_, Some(field), _) => format!("without {field}"),
        (_, _, Some((field, OTHER))) => format!("with an unknown {field}"),
        (_, _, Some((field, "empty"))) => format!("with an empty {field}"),
        (_, _, Some((field, "number" | "text" | "list" | "object"))) => format!("with {field}"),
        (_, _, Some(("merges", form))) => format!("with merges as {form}"),
        (_, _, Some(("normalized", "changed"))) => "that the normalizer changes".to_owned(),
        (_, _, Some((field, value))) => format!("with {field} {value}"),
        _ => one.to_owned(),
    };
    let mut words: Vec<String> = condition.split(" & ").map(one).collect();
    // What is there comes before what is not.
    words.sort_by_key(|one| one.starts_with("without"));
    words.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_condition_names_what_is_there_and_what_is_not() {
        let names = "#releases\t0.19.1\nS(decoder)\t0.19.1-\ndecoder.S(field a)\t0.19.1-\n\
                     decoder.S(field mode)\t0.19.1-\ndecoder.S(value mode=one)\t0.19.1-\n";
        let names = TokenizersNames::from_text(names).unwrap();
        let holds =
            |condition: &str, text: &str| holds(condition, "decoder.S", &fields(text), &names);
        assert!(holds("any", "{}"));
        assert!(holds("-a & mode=one", r#"{"mode": "one"}"#));
        assert!(!holds("-a & mode=one", r#"{"mode": "one", "a": 1}"#));
        assert!(holds("mode=Other", r#"{"mode": "two"}"#));
        assert!(!holds("mode=Other", r#"{"mode": "one"}"#));
        assert!(holds("a=text", r#"{"a": "two"}"#));
        assert!(holds("a=Regex", r#"{"a": {"Regex": "x"}}"#));
        assert!(holds("a=0", r#"{"a": 0.0}"#));
        assert!(holds("+", r#"{"b": 0.0}"#));
        assert!(!holds("+", r#"{"a": 0.0, "type": "S"}"#));
    }

    #[test]
    fn words_say_what_is_there_first() {
        let words = in_words("-prepend_scheme & add_prefix_space=false");
        assert_eq!(words, "with add_prefix_space false and without prepend_scheme");
        assert_eq!(in_words("any"), "");
    }
}
