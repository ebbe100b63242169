//! From what a user names to what can be compared.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use unskew_artifact::TargetName;
use unskew_core::{Role, Side};
use unskew_releases::{Family, Release, find};
use unskew_report::Subject;
use unskew_source::{FileSource, Source, budget::count_file};
use unskew_tensorflow::diff::ReleaseRegistry;
use unskew_torch::DeviceTable;
use unskew_torch_schemas::OperatorTable;

use crate::kinds::tables;
use crate::sides;

/// Something that can be compared with another of its kind.
pub enum DiffSubject {
    /// An op registry of TensorFlow.
    Registry(ReleaseRegistry),
    /// An operator table of PyTorch, with what the one of a device says besides.
    Operators(OperatorTable, Option<DeviceTable>),
    /// What reads ONNX models.
    Onnx(Box<unskew_onnx::OnnxRelease>),
    /// An opset of ONNX.
    Opset(i64),
}

impl DiffSubject {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Registry(_) => "an op registry of TensorFlow",
            Self::Operators(..) => "an operator table of PyTorch",
            Self::Onnx(runtime) => unskew_onnx::diff::kind(runtime.reader),
            Self::Opset(_) => "an opset of ONNX",
        }
    }
}

/// The same with the name by which it is shown.
pub struct NamedSubject {
    pub subject: Subject,
    pub thing: DiffSubject,
}

/// What `name` names: a release, or what lies in a file.
///
/// # Errors
/// If it is neither, or cannot be read.
pub fn subject(name: &OsStr) -> anyhow::Result<NamedSubject> {
    let path = Path::new(name);
    let target = name.to_str().filter(|_| !path.exists()).and_then(TargetName::onnx);
    if let Some(TargetName::OnnxOpset(opset)) = target {
        count_file(1 << 20);
        let (name, origin) = (format!("onnx-opset {opset}"), "operators of ai.onnx".to_owned());
        let side = Side { role: Role::Runtime, name, origin };
        return Ok(NamedSubject {
            subject: Subject { path: None, side },
            thing: DiffSubject::Opset(opset),
        });
    }
    match name.to_str().filter(|_| !path.exists()) {
        Some(release) if sides::is_release(release) => of_release(find(release)?),
        _ => of_file(path),
    }
}

/// A release.
///
/// # Errors
/// If it has nothing to compare.
pub fn of_release(release: Release) -> anyhow::Result<NamedSubject> {
    count_file(1 << 20);
    let thing = match release.family() {
        Family::TensorFlow => unskew_releases::tensorflow::runtime(release.row())
            .map(|runtime| DiffSubject::Registry(ReleaseRegistry::of_release(&runtime))),
        Family::Torch => unskew_releases::torch::runtime(release.row())
            .map(|runtime| DiffSubject::Operators(runtime.operators, None)),
        Family::OnnxRuntime | Family::Onnx => {
            unskew_releases::onnx::runtime_of(release).map(|one| DiffSubject::Onnx(Box::new(one)))
        }
        _ => None,
    };
    let thing = thing.with_context(|| format!("no registry of operators is known of {release}"))?;
    Ok(NamedSubject { subject: Subject::from_party(&release.party()), thing })
}

fn of_file(path: &Path) -> anyhow::Result<NamedSubject> {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path)?);
    let (thing, origin) = if let Some(registry) = ReleaseRegistry::read(&source)? {
        let origin = format!("OpList, {} ops", registry.len());
        (DiffSubject::Registry(registry), origin)
    } else if let Some((device, table)) = tables::read(source.name(), text(&source)?.as_bytes())? {
        let count = device.operators.len();
        let origin = format!("operator table of {}, {count} schemas", device.name);
        (DiffSubject::Operators(table, Some(device)), origin)
    } else if let Some(table) = OperatorTable::read(source.name(), &text(&source)?)? {
        let origin = format!("operator table, {} schemas", table.texts().count());
        (DiffSubject::Operators(table, None), origin)
    } else {
        bail!(
            "{}: not a registry of operators, which is what `diff` compares: an OpList of TensorFlow (bytes or text), \
             a list of PyTorch operators, one schema a line, or what `unskew ops table` writes. `unskew inspect` shows \
             what is in a model",
            path.display()
        )
    };
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let side = Side { role: Role::Runtime, name, origin };
    let path = Some(path.display().to_string());
    Ok(NamedSubject { subject: Subject { path, side }, thing })
}

/// The file as text; what is no text holds no operators.
fn text(source: &Arc<dyn Source>) -> anyhow::Result<String> {
    use unskew_source::SourceExt as _;
    let head = source.head(4096)?;
    if head.contains(&0) || head.is_empty() {
        return Ok(String::new());
    }
    Ok(String::from_utf8(source.all()?).unwrap_or_default())
}
