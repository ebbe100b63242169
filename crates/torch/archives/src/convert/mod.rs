//! Files as other releases want them: `unskew convert`.
//!
//! [`convert`] plans a file anew for a release. What the release loads as it is stays as it is, byte for
//! byte. What it does not load is rewritten where an exact form exists; what has none is a blocker with its
//! place, and nothing is written.
//!
//! An archive is made from the archive: records that do not change are copied by range with the checksum
//! that they have, so tensors are neither read nor held in memory. Only structure is read: the graph, the
//! code, the pickles.
//!
//! | module | what it changes |
//! | --- | --- |
//! | `script` | TorchScript: calls, branches that never run, the layout of older and later releases |
//! | `mobile` | bytecode, and the operators in it |
//! | `flatbuffer` | a mobile flatbuffer, which becomes an archive for releases that read none |
//! | `exported` | the graph of a `torch.export` archive between the schemas 1 to 8, and its container |
//! | `checkpoint` | what `torch.save` wrote: the form before 1.6, values for `weights_only=True`, functions and classes under other names |
//! | `specialize` | nothing: what a function of the registry comes to for one call of a graph |
//! | `writer` | nothing: who wrote the file, where it does not show it |
//! | `verify` | nothing: the checksums of all records, if asked for |
//!
//! What was converted is read again and judged like any other file before it is written.

mod archive_builder;
mod checkpoint;
mod exported;
mod flatbuffer;

mod mobile;
mod script;
mod specialize;
mod task;
mod verify;
mod writer;

pub use checkpoint::PLAIN_CHECKPOINT;
pub use flatbuffer::archive_of_flatbuffer;

use std::sync::Arc;

use unskew_core::{Conversion, Version};
use unskew_source::{Archive, Assembly, ConvertedArtifact, ReadError, Source};

use crate::format::{self, Records};
use crate::party::ConversionOrigin;
use crate::{TorchFormat, TorchModel, TorchRuntime};
use task::{ConversionSides, ConversionTask};

/// What the one who converts knows of a file, and asks for.
#[derive(Clone, Debug, Default)]
pub struct TorchConvertOptions {
    /// The release that wrote the file, where its layout does not show it. A file that shows another is
    /// refused.
    pub written_by: Option<Version>,
    /// Whether every record is read and held against its checksum first. Without it those that are copied
    /// by range are not read.
    pub verify: bool,
}

/// Plans the file in `source` anew for the release `to`; none if it is no PyTorch file. What no release
/// wants in another form, such as safetensors, stays as it is.
///
/// If the plan has a blocker, the output is the file as it is, which nobody should take for converted.
///
/// # Errors
/// If it is a PyTorch file, but broken; with [`TorchConvertOptions::verify`], if a record has another checksum, or the file
/// none at all.
pub fn convert(
    source: &Arc<dyn Source>,
    to: &TorchRuntime,
    options: &TorchConvertOptions,
) -> Result<Option<(Conversion, ConvertedArtifact)>, ReadError> {
    let converted = convert_with_origin(source, to, options)?;
    Ok(converted.map(|(plan, output, _)| (plan, output)))
}

/// The same, with what is known of the result beside itself.
///
/// # Errors
/// As [`convert`].
pub fn convert_with_origin(
    source: &Arc<dyn Source>,
    to: &TorchRuntime,
    options: &TorchConvertOptions,
) -> Result<Option<(Conversion, ConvertedArtifact, ConversionOrigin)>, ReadError> {
    let Some(model) = format::read(source)? else { return Ok(None) };
    let origin = ConversionOrigin::new(&model, to, options);
    let (plan, output) = planned(source, model, to, options)?;
    Ok(Some((plan, output, origin)))
}

fn planned(
    source: &Arc<dyn Source>,
    mut model: TorchModel,
    to: &TorchRuntime,
    options: &TorchConvertOptions,
) -> Result<(Conversion, ConvertedArtifact), ReadError> {
    let file = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let mut plan = Conversion::default();
    if options.verify {
        verify::records(source)?;
    }
    if let Some(release) = options.written_by
        && !writer::state(file, &mut model, release, to, &mut plan)
    {
        return Ok((plan, ConvertedArtifact::File(Arc::new(Assembly::from_source(source)))));
    }
    if !Archive::recognizes(&**source) {
        let converted = match model.format {
            TorchFormat::MobileFlatbuffer => {
                flatbuffer::plan(source, file, &model, to, options, &mut plan)?
            }
            TorchFormat::LegacyCheckpoint => {
                let sides = ConversionSides { file, model: &model, to };
                let output = checkpoint::plan_legacy(source, &sides, &mut plan)?;
                output.map(|output| ConvertedArtifact::File(Arc::new(output)))
            }
            _ => None,
        };
        let same = || ConvertedArtifact::File(Arc::new(Assembly::from_source(source)));
        return Ok((plan, converted.unwrap_or_else(same)));
    }
    let records = Records::open(source)?;
    let task = ConversionTask { file, records: &records, model: &model, to };
    if model.format == TorchFormat::Checkpoint {
        let output = checkpoint::plan(&task, &mut plan)?.filter(|_| plan.is_possible());
        let output = output.unwrap_or_else(|| Assembly::from_source(source));
        return Ok((plan, ConvertedArtifact::File(Arc::new(output))));
    }
    let draft = if model.format.is_exported() {
        exported::plan(&task, &mut plan)?
    } else if matches!(
        model.format,
        TorchFormat::Script | TorchFormat::LegacyScript | TorchFormat::Package
    ) {
        script::plan(&task, &mut plan, 0)?.map(|(draft, _)| draft)
    } else if model.format == TorchFormat::Mobile {
        mobile::plan(&task, &mut plan)?
    } else {
        None
    };
    let output = match draft {
        Some(draft) if plan.is_possible() && !plan.changes_nothing() => {
            draft.finish(source.name())?
        }
        _ => Assembly::from_source(source),
    };
    Ok((plan, ConvertedArtifact::File(Arc::new(output))))
}
