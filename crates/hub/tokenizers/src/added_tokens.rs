//! Whether a normalizer changes an added token, which it is then looked for as.

use serde_json::{Map, Value};

/// Whether `normalizer` may change `text`. What a pattern matches is not computed, so the answer is yes where that counts.
pub(crate) fn may_change(normalizer: &Value, text: &str) -> bool {
    let Some(fields) = normalizer.as_object() else { return false };
    let is_plain = text.chars().all(|c| c.is_ascii_graphic());
    match fields.get("type").and_then(Value::as_str).unwrap_or_default() {
        "Lowercase" => has_capitals(text),
        "BertNormalizer" => !is_plain || is_set(fields, "lowercase") && has_capitals(text),
        "Strip" => text.trim() != text,
        "Prepend" => {
            fields.get("prepend").and_then(Value::as_str).is_some_and(|one| !one.is_empty())
        }
        "Replace" => match fields.get("pattern").and_then(|one| one.get("String")) {
            Some(pattern) => pattern.as_str().is_none_or(|one| text.contains(one)),
            None => true,
        },
        "Sequence" => {
            let members = fields.get("normalizers").and_then(Value::as_array);
            members.is_some_and(|all| all.iter().any(|one| may_change(one, text)))
        }
        _ => !is_plain,
    }
}

fn has_capitals(text: &str) -> bool {
    text.chars().any(char::is_uppercase)
}

fn is_set(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get(name).and_then(Value::as_bool).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_normalizer_may_touch_is_changed() {
        let changes = |normalizer: &str, text: &str| {
            may_change(&serde_json::from_str(normalizer).unwrap(), text)
        };
        assert!(changes(r#"{"type": "Lowercase"}"#, "[MASK]"));
        assert!(!changes(r#"{"type": "Lowercase"}"#, "<s>"));
        assert!(changes(
            r#"{"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "_"}]}"#,
            "<s>"
        ));
        assert!(!changes(
            r#"{"type": "Replace", "pattern": {"String": " "}, "content": "_"}"#,
            "<s>"
        ));
        assert!(!changes(r#"{"type": "NFKC"}"#, "<s>"));
        assert!(!changes("null", "A"));
    }
}
