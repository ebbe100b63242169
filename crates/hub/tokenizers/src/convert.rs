//! A file that a release reads, made from one that it does not.
//!
//! Only what means the same is changed: merges from pairs to texts, the two fields of Metaspace that say one thing, fields at
//! their default, fields that no release reads. What the release still refuses, or computes otherwise, stands in the way. Bytes
//! that do not change are copied.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};
use unskew_core::{Conversion, Rewrite};
use unskew_source::{Assembly, ConvertedArtifact, ReadError, Source, SourceExt as _};

use crate::component::{TokenizerComponent, TokenizerSection, kind};
use crate::edit::edit;
use crate::file::{is_one, model, utf8};
use crate::judge::{is_error, judged};
use crate::text::{WrittenMembers, merges_as_texts, range_in};
use crate::{TokenizerFile, TokenizersRelease};

/// A part of the text and what comes in its place.
type Replacement = (Range<usize>, String);

/// Plans the file in `source` anew for `release`; none if it is no `tokenizer.json`.
///
/// # Errors
/// If it cannot be read.
pub fn convert(
    source: &Arc<dyn Source>,
    release: &TokenizersRelease,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    if !is_one(&**source)? {
        return Ok(None);
    }
    let bytes = source.all()?;
    let text = utf8(&**source, &bytes)?;
    let mut plan = Conversion::default();
    let before = judged(&TokenizerFile::parse(&**source, text)?, release);
    let whole =
        |plan| Ok(Some((plan, ConvertedArtifact::File(Arc::new(Assembly::from_source(source))))));
    if !before.findings.iter().any(is_error) {
        return whole(plan);
    }
    let replacements = replacements(&**source, text, release, &mut plan)?;
    let written = replaced(text, replacements);
    let after = judged(&TokenizerFile::parse(&**source, &written)?, release);
    plan.blockers = after.findings.into_iter().filter(is_error).collect();
    if !plan.is_possible() {
        return whole(plan);
    }
    let mut output = Assembly::new(source.name());
    output.push_bytes(written.into_bytes());
    Ok(Some((plan, ConvertedArtifact::File(Arc::new(output)))))
}

/// What comes in the place of what, in the order of the text.
fn replacements(
    source: &dyn Source,
    text: &str,
    release: &TokenizersRelease,
    plan: &mut Conversion,
) -> Result<Vec<Replacement>, ReadError> {
    let wrong = |error| ReadError::malformed(source.name(), format!("not JSON: {error}"));
    let members = WrittenMembers::parse(text).map_err(wrong)?;
    let mut made = Vec::new();
    for section in TokenizerSection::TYPED.into_iter().chain([TokenizerSection::Truncation]) {
        let Some(written) = members.get(section.as_str()) else { continue };
        let mut value: Value = serde_json::from_str(written).map_err(wrong)?;
        if change(section, &mut value, section.to_string(), release, plan) {
            made.push((range_in(text, written), value.to_string()));
        }
    }
    if let Some(written) = members.get("model").filter(|written| written.starts_with('{')) {
        let fields = model(source, written)?;
        let section = TokenizerSection::Model;
        let component = component(section, "model".to_owned(), fields);
        if let Some((edited, adaptation)) = edit(&component, release) {
            describe(&component, &edited.fields, adaptation, plan);
            let inner = WrittenMembers::parse(written).map_err(wrong)?;
            let changed = model_text(&inner, &component.fields, &edited.fields);
            made.extend(changed.map(|changed| (range_in(text, written), changed)));
        }
    }
    made.sort_by_key(|(range, _)| range.start);
    Ok(made)
}

/// Changes a component, and those inside of it; whether it did.
fn change(
    section: TokenizerSection,
    value: &mut Value,
    place: String,
    release: &TokenizersRelease,
    plan: &mut Conversion,
) -> bool {
    let Value::Object(fields) = value else { return false };
    let component = component(section, place.clone(), fields.clone());
    let mut changes = false;
    if !component.is_untyped()
        && let Some((edited, adaptation)) = edit(&component, release)
    {
        describe(&component, &edited.fields, adaptation, plan);
        *fields = edited.fields;
        changes = true;
    }
    let members = section.members();
    if let Some((name, Value::Array(members))) =
        members.and_then(|name| Some((name, fields.get_mut(name)?)))
    {
        for (at, member) in members.iter_mut().enumerate() {
            let place = format!("{place}, {name}[{at}]");
            changes |= change(section, member, place, release, plan);
        }
    }
    changes
}

fn component(
    section: TokenizerSection,
    place: String,
    fields: Map<String, Value>,
) -> TokenizerComponent {
    TokenizerComponent { section, kind: kind(&fields), place, fields }
}

/// Says which fields change.
fn describe(
    component: &TokenizerComponent,
    edited: &Map<String, Value>,
    adaptation: &'static str,
    plan: &mut Conversion,
) {
    let shown = |field: &str| -> String { field.chars().take(100).collect() };
    let mut add = |what: String| plan.add(Rewrite::new(adaptation, what).at(&component.place));
    for (field, value) in &component.fields {
        match edited.get(field) {
            Some(same) if same == value => {}
            Some(_) if field == "merges" => add("merges written as texts, not as pairs".to_owned()),
            Some(other) => add(format!("{} {value} written as {other}", shown(field))),
            None => add(format!("{} removed, which says nothing there", shown(field))),
        }
    }
    for (field, value) in edited.iter().filter(|(field, _)| !component.fields.contains_key(*field))
    {
        add(format!("{} {value} added, which says what was meant", shown(field)));
    }
}

/// The model with its changed fields; none if its merges cannot be written so.
fn model_text(
    written: &WrittenMembers<'_>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Option<String> {
    let mut members = Vec::new();
    for (key, value) in &written.0 {
        let Some(new) = after.get(key) else { continue };
        let text = match before.get(key) == Some(new) {
            true => value.get().to_owned(),
            false if key == "merges" => merges_as_texts(value.get())?,
            false => new.to_string(),
        };
        members.push(format!("{}:{text}", Value::from(key.as_str())));
    }
    for (key, value) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
        members.push(format!("{}:{value}", Value::from(key.as_str())));
    }
    Some(format!("{{{}}}", members.join(",")))
}

/// The text with every replacement made.
fn replaced(text: &str, replacements: Vec<Replacement>) -> String {
    let mut made = String::with_capacity(text.len());
    let mut end = 0;
    for (range, new) in replacements {
        made.push_str(text.get(end..range.start).unwrap_or_default());
        made.push_str(&new);
        end = range.end;
    }
    made.push_str(text.get(end..).unwrap_or_default());
    made
}
