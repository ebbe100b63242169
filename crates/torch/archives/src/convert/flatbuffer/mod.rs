//! Mobile flatbuffers as archives, for releases that read no bytecode of version 9.
//!
//! Both forms hold the same: the functions with their instructions, the module, its tensors. Version 9 in a
//! flatbuffer is version 8 in an archive, so the archive is made first, in the form of version 8, and then
//! converted like any other ([`super::mobile`]).
//!
//! | in the flatbuffer | in the archive |
//! | --- | --- |
//! | functions among the values | `bytecode.pkl` |
//! | the state, a value that leads to others | `data.pkl` |
//! | storages | `data/N`, copied by range, and `constants/N` for those that functions name |
//! | extra files | `extra/NAME` |
//! | `operator_version` | the version record |

mod functions;
mod module;
mod values;

use std::sync::Arc;

use unskew_core::{Conversion, Places, Rewrite};
use unskew_source::{ConvertedArtifact, RawMember, ReadError, Source, SourceExt as _};

use super::TorchConvertOptions;
use super::archive_builder::ArchiveBuilder;
use crate::{TorchFormat, TorchModel, TorchRuntime, rules};
use module::ModuleDraft;
use values::Values;

const ARCHIVE: &str = "flatbuffer-to-archive";

/// The version of bytecode in a flatbuffer.
const FLATBUFFER: i64 = 9;

/// The lowest operator version of an archive with such bytecode. A flatbuffer may say less; no operator changed below 4.
const LOWEST: i64 = 3;

/// How much of a storage is read at a time for its checksum.
const BLOCK: u64 = 1 << 20;

/// Plans the flatbuffer in `source` anew for the release. It stays if that reads flatbuffers and runs its operators as they
/// are.
pub(super) fn plan(
    source: &Arc<dyn Source>,
    file: &str,
    model: &TorchModel,
    to: &TorchRuntime,
    options: &TorchConvertOptions,
    plan: &mut Conversion,
) -> Result<Option<ConvertedArtifact>, ReadError> {
    let highest = to.release.bytecode.and_then(|range| range.max).map_or(0, |max| max.major());
    let reads = highest >= FLATBUFFER;
    let block = |plan: &mut Conversion, what: &str, place: &str| {
        let (file, runtime) = (&file, &to.name());
        let finding = rules::ArchiveHasNoForm { file, runtime, what: &what }.finding();
        plan.blockers.push(finding.at(Places::from_iter([place])));
    };
    if highest < 4 {
        let what =
            "it reads no bytecode with a version, and none is converted to the form before that";
        block(plan, what, "the whole file");
        return Ok(None);
    }
    let mut found = Values::default();
    let version = model.operator_version().unwrap_or(0).max(LOWEST);
    let draft = archive(source, version, &mut found)?;
    if reads && !found.blocked.is_empty() {
        // It cannot be looked at as an archive; the verdict on the file says what the release lacks.
        return Ok(None);
    }
    for (what, place) in &found.blocked {
        block(plan, what, place);
    }
    let (Some(draft), true) = (draft, plan.is_possible()) else { return Ok(None) };
    let archive: Arc<dyn Source> = Arc::new(draft.finish(source.name())?);
    let options = TorchConvertOptions { written_by: None, ..options.clone() };
    let Some((rest, output)) = super::convert(&archive, to, &options)? else { return Ok(None) };
    if reads && rest.changes_nothing() {
        plan.blockers.extend(rest.blockers);
        return Ok(None);
    }
    plan.add(
        Rewrite::new(ARCHIVE, "the flatbuffer is an archive with bytecode 8").at("the whole file"),
    );
    rest.rewrites.into_iter().for_each(|rewrite| plan.add(rewrite));
    plan.blockers.extend(rest.blockers);
    Ok(Some(output))
}

/// The archive with bytecode 8 that holds what the flatbuffer in `source` holds, for who runs bytecode; none if it is no
/// flatbuffer with bytecode.
///
/// # Errors
/// If the flatbuffer is broken, or holds what has no form in an archive.
pub fn archive_of_flatbuffer(
    source: &Arc<dyn Source>,
) -> Result<Option<Arc<dyn Source>>, ReadError> {
    let Some(model) = crate::format::read(source)? else { return Ok(None) };
    if model.format != TorchFormat::MobileFlatbuffer {
        return Ok(None);
    }
    let mut found = Values::default();
    let version = model.operator_version().unwrap_or(0).max(LOWEST);
    let draft = archive(source, version, &mut found)?;
    match (draft, found.blocked.first()) {
        (Some(draft), None) => Ok(Some(Arc::new(draft.finish(source.name())?))),
        (_, blocked) => {
            let (what, place) = blocked.cloned().unwrap_or_default();
            Err(ReadError::malformed(source.name(), format!("{place}: {what}")))
        }
    }
}

/// The archive; none if something has no form there, which is then in `found`.
fn archive(
    source: &Arc<dyn Source>,
    version: i64,
    found: &mut Values,
) -> Result<Option<ArchiveBuilder>, ReadError> {
    let module = ModuleDraft::from_source(&**source)?;
    let state = module.state()?;
    let data = values::pickle(&module, state, found)?;
    let data_storages = std::mem::take(&mut found.storages);
    let bytecode = functions::pickle(&module, found)?;
    if !found.blocked.is_empty() {
        return Ok(None);
    }
    let stem = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("archive");
    let mut draft = ArchiveBuilder::empty(&format!("{stem}/"));
    for (folder, storages) in [("data", data_storages), ("constants", found.storages.clone())] {
        for number in storages {
            draft.keep(&format!("{folder}/{number}"), storage(source, &module, number)?);
        }
    }
    for (name, pickle) in [("data.pkl", data), ("bytecode.pkl", bytecode)] {
        match pickle.write() {
            Ok(bytes) => draft.add(name, bytes, false),
            Err(why) => {
                found.blocked.push((format!("it cannot be written: {why}"), name.to_owned()))
            }
        }
    }
    let extra = module.extra_files()?;
    for n in 0..extra.len {
        let one = module.buffer.element(extra, n)?;
        let name = module.buffer.text(one, 0)?;
        let content = module.buffer.place(one, 1)?;
        let content = content.map(|at| module.buffer.text_at(at, values::TEXT)).transpose()?;
        draft.add(&format!("extra/{name}"), content.unwrap_or_default().into_bytes(), false);
    }
    let record = if version > 5 { ".data/version" } else { "version" };
    draft.add(record, format!("{version}\n").into_bytes(), false);
    Ok(found.blocked.is_empty().then_some(draft))
}

/// The bytes of a storage as a record, with their checksum.
fn storage(
    source: &Arc<dyn Source>,
    module: &ModuleDraft<'_>,
    number: u64,
) -> Result<RawMember, ReadError> {
    let bytes = module.storage(number)?;
    let mut hasher = crc32fast::Hasher::new();
    let mut at = bytes.at;
    let end = bytes.at + bytes.len;
    while at < end {
        let size = BLOCK.min(end - at);
        hasher.update(&source.bytes(at, size)?);
        at += size;
    }
    Ok(RawMember {
        source: source.clone(),
        range: bytes.at..end,
        size: bytes.len,
        crc32: hasher.finalize(),
        deflated: false,
    })
}
