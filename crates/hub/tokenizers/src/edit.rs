//! Changes of a component that mean the same, for a release that does not read it as it is.

use serde_json::{Map, Value};
use unskew_core::Version;

use crate::TokenizersRelease;
use crate::component::{TokenizerComponent, TokenizerSection};
use crate::condition::unknown_fields;
use crate::judge::failures;

/// The adaptation of all of these: a conversion makes it.
const REWRITTEN: &str = "rewrite-component";

/// Since this release `prepend_scheme` of Metaspace is read, and since the second it stands alone.
const SCHEMES: Version = Version::triple(0, 15, 0);
const SCHEME_ALONE: Version = Version::triple(0, 19, 0);

/// Since this release the text that Metaspace writes is not stored a second time.
const ONE_REPLACEMENT: Version = Version::triple(0, 10, 2);

/// The component as the release reads it, and the name of the adaptation; none if nothing can be changed.
pub(crate) fn edit(
    component: &TokenizerComponent,
    release: &TokenizersRelease,
) -> Option<(TokenizerComponent, &'static str)> {
    let mut edited = component.clone();
    match (component.section, component.kind.as_str()) {
        (TokenizerSection::Model, "BPE") => bpe(&mut edited.fields),
        (TokenizerSection::PreTokenizer | TokenizerSection::Decoder, "Metaspace") => {
            metaspace(&mut edited.fields, release.version);
        }
        (TokenizerSection::PreTokenizer, "Punctuation") => {
            punctuation(&mut edited.fields, component, release);
        }
        (TokenizerSection::Truncation, _) => {
            edited.fields.entry("direction").or_insert_with(|| Value::from("Right"));
        }
        _ => {}
    }
    drop_unknown(&mut edited, release);
    (edited != *component).then_some((edited, REWRITTEN))
}

/// Pairs as texts, where none has a space; a dropout of 0 drops nothing.
fn bpe(fields: &mut Map<String, Value>) {
    if fields.get("merges") == Some(&Value::from("pairs")) {
        fields.insert("merges".to_owned(), Value::from("texts"));
    }
    if fields.get("dropout").and_then(Value::as_f64) == Some(0.0) {
        fields.insert("dropout".to_owned(), Value::Null);
    }
}

/// `add_prefix_space` and `prepend_scheme`, of which each release reads one or both, so that they say the same.
fn metaspace(fields: &mut Map<String, Value>, release: Version) {
    let scheme = fields.get("prepend_scheme").and_then(Value::as_str);
    let prefix = fields.get("add_prefix_space").and_then(Value::as_bool);
    let scheme = match (prefix, scheme) {
        (Some(false), _) => "never",
        (_, Some("first")) => "first",
        (_, Some("never")) => "never",
        (_, Some("always") | None) => "always",
        // What is meant is not known.
        _ => return,
    };
    if release < SCHEME_ALONE {
        // Before there were schemes, a space comes before every part or before none.
        if release < SCHEMES && scheme == "first" {
            return;
        }
        fields.insert("add_prefix_space".to_owned(), Value::Bool(scheme != "never"));
    }
    let is_said = prefix != Some(false) || fields.get("prepend_scheme") == Some(&"never".into());
    if !is_said {
        fields.insert("prepend_scheme".to_owned(), Value::from(scheme));
    }
    if release < ONE_REPLACEMENT
        && let Some(replacement) = fields.get("replacement").cloned()
    {
        fields.entry("str_rep").or_insert(replacement);
    }
}

/// The default is left out where a release has no such field, and written where it wants one.
fn punctuation(
    fields: &mut Map<String, Value>,
    component: &TokenizerComponent,
    release: &TokenizersRelease,
) {
    let is_default = component.fields.get("behavior") == Some(&Value::from("Isolated"));
    let bare = TokenizerComponent { fields: without(fields, "behavior"), ..component.clone() };
    if is_default && failures(&bare, release).is_empty() {
        fields.shift_remove("behavior");
    } else if !component.fields.contains_key("behavior") {
        fields.insert("behavior".to_owned(), Value::from("Isolated"));
    }
}

fn without(fields: &Map<String, Value>, name: &str) -> Map<String, Value> {
    let mut fields = fields.clone();
    fields.shift_remove(name);
    fields
}

/// Fields that no release has mean nothing.
fn drop_unknown(component: &mut TokenizerComponent, release: &TokenizersRelease) {
    if component.section == TokenizerSection::Top {
        return;
    }
    let name = release.names.name(component);
    if name.ends_with(".Other") {
        return;
    }
    let unknown: Vec<String> = unknown_fields(&name, &component.fields, &release.names)
        .into_iter()
        .map(str::to_owned)
        .collect();
    for field in unknown {
        component.fields.shift_remove(&field);
    }
}
