//! A model that a release loads, made from one that it does not.
//!
//! Only the configuration changes, and only where what is written anew means the same: an argument that the release does
//! not take is removed if it says what the writer's class does without it; names and forms of values become those of the
//! other generation. What the walk of [`crate::judge()`] still finds stands in the way. Weights are copied as they are.

mod edit;

use std::sync::Arc;

use serde_json::Value;
use unskew_core::{Conversion, Finding, Phase};
use unskew_source::{Archive, ArchiveOutput, Assembly, Output, ReadError, Source, SourceExt as _};

use crate::hdf5::Hdf5;
use crate::{Form, Keras, Model, judge, rules};

/// Plans the model in `source` anew for `keras`; none if it is no whole model of Keras.
///
/// # Errors
/// If it cannot be read.
pub fn convert(
    source: &Arc<dyn Source>,
    keras: &Keras,
) -> Result<Option<(Conversion, Output)>, ReadError> {
    let Some(mut model) = Model::read(source)?.filter(|model| model.form != Form::Weights) else {
        return Ok(None);
    };
    let mut plan = Conversion::default();
    let before = failures(&model, keras);
    if before.is_empty() {
        return Ok(Some((plan, Output::File(Arc::new(Assembly::of(source))))));
    }
    edit::model(&mut model, keras, &mut plan);
    plan.blockers = failures(&model, keras);
    if !plan.is_possible() {
        return Ok(Some((plan, Output::File(Arc::new(Assembly::of(source))))));
    }
    let output = match model.form {
        Form::Archive => archive(source, &model)?,
        _ => match in_place(source, &model)? {
            Some(output) => output,
            None => {
                let what = "a configuration that is longer than the one in the file";
                let consumer = keras.name();
                let rule = rules::KerasValueRefused { consumer: &consumer, what: &what };
                plan.blockers.push(rule.finding());
                Assembly::of(source)
            }
        },
    };
    Ok(Some((plan, Output::File(Arc::new(output)))))
}

/// What stands against loading and calling a model.
fn failures(model: &Model, keras: &Keras) -> Vec<Finding> {
    let mut all = judge(model, keras).findings;
    all.retain(|one| matches!(one.rule.phase, Some(Phase::Load | Phase::FirstUse | Phase::Silent)));
    all
}

/// The archive with another configuration; all else is copied.
fn archive(source: &Arc<dyn Source>, model: &Model) -> Result<Assembly, ReadError> {
    let old = Archive::open(source.clone())?;
    let mut new = ArchiveOutput::new(source.name());
    let mut config = model.config.clone().unwrap_or_default();
    if let (Some(training), Some(config)) = (&model.training, config.as_object_mut()) {
        config.insert("compile_config".to_owned(), training.clone());
    }
    for entry in old.entries() {
        match &*entry.name {
            "config.json" => new.add(&entry.name, config.to_string(), false)?,
            name => new.copy(name, &old.raw(entry)?)?,
        }
    }
    new.finish()
}

/// The HDF5 file with other texts in the place of the old ones, blanks behind them; none if one is too long.
fn in_place(source: &Arc<dyn Source>, model: &Model) -> Result<Option<Assembly>, ReadError> {
    let Some(file) = Hdf5::open(source)? else { return Ok(None) };
    let root = file.root()?;
    let texts = [("model_config", &model.config), ("training_config", &model.training)];
    let mut changes = Vec::new();
    for (name, value) in texts {
        let (Some(attribute), Some(value)) = (root.attribute(name), value) else { continue };
        let Some((at, room)) = attribute.place(&file)? else { return Ok(None) };
        let old: Option<Value> = serde_json::from_slice(&source.bytes(at, room)?).ok();
        if old.as_ref() == Some(value) {
            continue;
        }
        let mut text = value.to_string().into_bytes();
        let Some(blanks) = usize::try_from(room).ok().and_then(|room| room.checked_sub(text.len()))
        else {
            return Ok(None);
        };
        text.extend(std::iter::repeat_n(b' ', blanks));
        changes.push((at, text));
    }
    changes.sort();
    let mut output = Assembly::new(source.name());
    let mut done = 0;
    for (at, text) in changes {
        let end = at.saturating_add(text.len() as u64);
        output.push_copy(source, done..at)?;
        output.push_bytes(text);
        done = end;
    }
    output.push_copy(source, done..source.size())?;
    Ok(Some(output))
}
