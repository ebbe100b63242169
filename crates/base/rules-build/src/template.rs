//! Message templates: text with placeholders in braces.

use std::collections::BTreeSet;

/// The placeholders of some templates, each once, in alphabetical order. `{{` and `}}` are braces.
pub(crate) fn placeholders(templates: &[&str]) -> Result<BTreeSet<String>, String> {
    let mut names = BTreeSet::new();
    for template in templates {
        let text = template.replace("{{", "").replace("}}", "");
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            if before.contains('}') {
                return Err(format!("a }} without its {{ in: {template}"));
            }
            let (name, tail) = after
                .split_once('}')
                .ok_or_else(|| format!("a {{ without its }} in: {template}"))?;
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') {
                return Err(format!("a placeholder is small letters and underscores: {name}"));
            }
            names.insert(name.to_owned());
            rest = tail;
        }
        if rest.contains('}') {
            return Err(format!("a }} without its {{ in: {template}"));
        }
    }
    Ok(names)
}

/// A template as text for people: `{last_field}` becomes `LAST_FIELD`, and `{{` a brace.
pub(crate) fn metavariables(template: &str) -> String {
    let mut text = template.to_owned();
    for name in placeholders(&[template]).unwrap_or_default() {
        text = text.replace(&format!("{{{name}}}"), &name.to_ascii_uppercase());
    }
    text.replace("{{", "{").replace("}}", "}")
}
