//! Party of a PyTorch file: what it carries, and what it needs.

use std::collections::BTreeSet;
use std::sync::Arc;

use unskew_core::{Party, Provision, Requirement, Role, Unjudged, Version, aspect};
use unskew_extensions::Framework;
use unskew_source::{ReadError, Source};

use crate::runtime::axes;
use crate::verdict::ArchiveMatcher;
use crate::{
    ProducerReleases, TorchConvertOptions, TorchFormat, TorchModel, TorchRuntime, format, rules,
};

/// The PyTorch file in `source` as a party; none if it is no PyTorch file.
///
/// Read are the directory, the code, the pickles of structure and the graph; tensors are not.
///
/// # Errors
/// If it is a PyTorch file, but broken: with the file, the record and the place.
pub fn party(source: &Arc<dyn Source>) -> Result<Option<Party>, ReadError> {
    let Some(model) = format::read(source)? else { return Ok(None) };
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    Ok(Some(of_model(name, model)))
}

/// What is known of a converted file beside itself.
#[derive(Clone, Debug)]
pub struct ConversionOrigin {
    /// Who wrote the file that it was converted from. The layout shows it no longer.
    pub writer: ProducerReleases,
    /// The release that it was converted for, if its writer was stated: then every call whose meaning the registry of
    /// operators knows means what that release means by it.
    pub meant_for: Option<Version>,
}

impl ConversionOrigin {
    /// The origin of what a file that was read as `model` is converted to for a release.
    pub(crate) fn new(
        model: &TorchModel,
        to: &TorchRuntime,
        options: &TorchConvertOptions,
    ) -> Self {
        match options.written_by {
            Some(writer) => {
                let writer = ProducerReleases::stated(&writer.to_string(), "stated");
                Self { writer, meant_for: Some(to.release.version) }
            }
            None => Self { writer: model.producer_by(to.operators.history()), meant_for: None },
        }
    }
}

/// A file that was converted. None if it is no PyTorch file.
///
/// # Errors
/// As [`party`].
pub fn party_converted(
    source: &Arc<dyn Source>,
    origin: &ConversionOrigin,
) -> Result<Option<Party>, ReadError> {
    let Some(mut model) = format::read(source)? else { return Ok(None) };
    model.before = Some(origin.writer.clone());
    if let Some(release) = origin.meant_for.filter(|_| model.producer.exact.is_none()) {
        model.producer = ProducerReleases::stated(&release.to_string(), "converted for it");
    }
    let name = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    Ok(Some(of_model(name, model)))
}

/// A file that was read, as a party of this name.
pub(crate) fn of_model(name: &str, model: TorchModel) -> Party {
    let mut party = Party::new(name, Role::Artifact, model.format.as_str());
    if model.format != TorchFormat::Safetensors && model.format != TorchFormat::Pickle {
        let signs = model.producer.signs.join("; ");
        let origin = format!("written by {}", model.producer);
        party = party.from_origin(if signs.is_empty() {
            origin
        } else {
            format!("{origin} ({signs})")
        });
    }
    let exported =
        if model.format == TorchFormat::ExecuTorch { axes::EXECUTORCH } else { axes::EXPORTED };
    for (axis, stamp) in [
        (axes::FILE_FORMAT, &model.file_format),
        (axes::BYTECODE, &model.bytecode),
        (exported, &model.exported),
    ] {
        if let Some(stamp) = stamp {
            party = party.provide(Provision::version(axis, stamp.version).at(&*stamp.place));
        }
    }
    let operators: BTreeSet<String> =
        model.uses.keys().map(crate::OperatorUse::full_name).collect();
    if !operators.is_empty() {
        let first: Vec<&str> = operators.iter().take(8).map(String::as_str).collect();
        let more = operators.len() - first.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        party = party.fact("operators", format!("{}: {}{more}", operators.len(), first.join(", ")));
    }
    if !model.classes.is_empty() {
        let classes: Vec<&str> = model.classes.keys().take(8).map(String::as_str).collect();
        party = party.fact("classes", classes.join(", "));
    }
    for (label, value) in &model.facts {
        party = party.fact(*label, value);
    }
    if model.compiled {
        let reason = "compiled libraries whose symbols cannot be read";
        party = party.not_judged(Unjudged::new(aspect::CONTENTS, reason));
    }
    if let Some(directory) = model.directory {
        party = party.with_capability(Arc::new(directory));
    }
    for needs in &model.libraries {
        party = unskew_extensions::requirements(needs, Framework::Torch)
            .into_iter()
            .fold(party, Party::require);
    }
    let inferred = model.producer.exact.is_none() && model.format != TorchFormat::ExecuTorch;
    if inferred && !model.uses.is_empty() {
        let (file, producer) = (&name, &model.producer);
        party = party.note(rules::ExactProducerUnknown { file, producer }.finding());
    }
    if model.format == TorchFormat::ExecuTorch {
        return party.with_capability(Arc::new(model));
    }
    let model = Arc::new(model);
    let operators = Requirement::matches(axes::OPERATORS, ArchiveMatcher::new(model.clone()));
    // Objects of any package may be pickled, and a release of one tells nothing of PyTorch.
    let operators = match model.format {
        TorchFormat::Checkpoint | TorchFormat::LegacyCheckpoint | TorchFormat::Pickle => {
            operators.irrelevant_if_absent()
        }
        _ => operators,
    };
    party.require(operators).with_capability(model)
}
