//! A model that a release loads, made from one that it does not.
//!
//! Only the configuration changes, and only where what is written anew means the same: an argument that the release does
//! not take is removed if it says what the writer's class does without it; names and forms of values become those of the
//! other generation. What the walk of [`crate::judge()`] still finds stands in the way. Weights are copied as they are; in
//! another order where the form of the file is another ([`weights`]).

mod edit;
mod file_format;
mod graph;
mod placement;
mod weights;

use std::sync::Arc;

use unskew_core::{Conversion, Finding, Phase, Rewrite};
use unskew_source::{Archive, ArchiveOutput, Assembly, ConvertedArtifact, ReadError, Source};

use crate::{KerasFormat, KerasModel, KerasRelease, judge, rules};

/// The adaptation that leaves out how a model was compiled: lossy.
pub const UNCOMPILED: &str = "uncompiled";

/// What a conversion may do.
#[derive(Clone, Copy, Debug, Default)]
pub struct KerasConvertOptions {
    /// Whether the optimizer, its state, the loss and the metrics may be left out: [`UNCOMPILED`].
    pub uncompiled: bool,
}

/// Plans the model in `source` anew for `keras`; none if it is no whole model of Keras. An archive becomes HDF5 for a
/// release that reads no archives.
///
/// # Errors
/// If it cannot be read.
pub fn convert(
    source: &Arc<dyn Source>,
    keras: &KerasRelease,
    options: KerasConvertOptions,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    let Some(mut model) =
        KerasModel::read(source)?.filter(|model| model.form != KerasFormat::Weights)
    else {
        return Ok(None);
    };
    let mut plan = Conversion::default();
    let before = failures(&model, keras);
    if before.is_empty() {
        return Ok(Some((plan, ConvertedArtifact::File(Arc::new(Assembly::from_source(source))))));
    }
    if model.form == KerasFormat::Archive && !keras.reads_archives() {
        return as_hdf5(source, &model, keras, options, &before).map(Some);
    }
    edit::model(&mut model, keras, &mut plan);
    plan.blockers = failures(&model, keras);
    if !plan.is_possible() && model.training.is_some() {
        let bare = KerasModel { training: None, ..model.clone() };
        if failures(&bare, keras).is_empty() {
            uncompiled(&mut plan, options);
            model = bare;
        }
    }
    if !plan.is_possible() {
        // What an archive of Keras 2 cannot say, HDF5 may.
        if model.form == KerasFormat::Archive
            && !keras.is_three()
            && let Some(original) = KerasModel::read(source)?
        {
            let other = as_hdf5(source, &original, keras, options, &plan.blockers)?;
            if other.0.is_possible() {
                return Ok(Some(other));
            }
        }
        return Ok(Some((plan, ConvertedArtifact::File(Arc::new(Assembly::from_source(source))))));
    }
    let output = match model.form {
        KerasFormat::Archive => archive(source, &model)?,
        _ => match placement::in_place(source, &model)? {
            Some(output) => output,
            None => {
                let what = "a configuration that is longer than the one in the file, which has no room for it";
                let consumer = keras.name();
                let rule = rules::KerasValueRefused { consumer: &consumer, what: &what };
                plan.blockers.push(rule.finding());
                Assembly::from_source(source)
            }
        },
    };
    Ok(Some((plan, ConvertedArtifact::File(Arc::new(output)))))
}

/// Leaves out how the model was compiled, if that is permitted; what stood against it stays otherwise.
fn uncompiled(plan: &mut Conversion, options: KerasConvertOptions) {
    let what = "the optimizer, its state, the loss and the metrics left out: call `compile` before training";
    plan.add(Rewrite::new(UNCOMPILED, what).losing());
    if options.uncompiled {
        plan.blockers.clear();
        return;
    }
    let fix = format!(
        "Permit that the compilation is left out, which prediction does not need: `--allow {UNCOMPILED}`."
    );
    for blocker in &mut plan.blockers {
        blocker.fix = Some(fix.clone());
    }
}

/// The archive as HDF5. `before` is the finding that the release reads no archives.
fn as_hdf5(
    source: &Arc<dyn Source>,
    model: &KerasModel,
    keras: &KerasRelease,
    options: KerasConvertOptions,
    before: &[Finding],
) -> Result<(Conversion, ConvertedArtifact), ReadError> {
    let mut plan = Conversion::default();
    let whole = |plan| Ok((plan, ConvertedArtifact::File(Arc::new(Assembly::from_source(source)))));
    let (mut made, stored) = match file_format::hdf5(source, model)? {
        Ok(made) => made,
        Err(why) => {
            let consumer = keras.name();
            let what = format!("an archive, and HDF5 cannot be made of it: {why}");
            let rule = rules::KerasValueRefused { consumer: &consumer, what: &what };
            plan.blockers.push(rule.finding());
            return whole(plan);
        }
    };
    plan.add(Rewrite::new(
        "hdf5",
        "the archive written as HDF5, weights in the order of its layers",
    ));
    if model.training.is_some() {
        plan.blockers = before.to_vec();
        uncompiled(&mut plan, options);
        if !plan.is_possible() {
            return whole(plan);
        }
    }
    edit::model(&mut made, keras, &mut plan);
    plan.blockers = failures(&made, keras);
    if !plan.is_possible() {
        return whole(plan);
    }
    let output = file_format::write(source.name(), &made, stored)?;
    Ok((plan, ConvertedArtifact::File(Arc::new(output))))
}

/// What stands against loading and calling a model.
fn failures(model: &KerasModel, keras: &KerasRelease) -> Vec<Finding> {
    let mut all = judge(model, keras).findings;
    all.retain(|one| matches!(one.rule.phase, Some(Phase::Load | Phase::FirstUse | Phase::Silent)));
    all
}

/// The archive with another configuration; all else is copied.
fn archive(source: &Arc<dyn Source>, model: &KerasModel) -> Result<Assembly, ReadError> {
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
