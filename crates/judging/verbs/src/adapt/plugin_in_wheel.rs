//! Plug-ins in wheels: nobody loads a wheel, so the plug-in is copied out of it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use unskew_artifact::{OpenOptions, WheelPath};
use unskew_core::Role;
use unskew_source::OutputFile;

use super::AdaptError;
use super::output::Output;
use crate::{VerbError, side};

/// The folder for the plug-in below that of the result.
const FOLDER: &str = "original";

/// The plug-in that a path into a wheel names, or the only one in a wheel; none if the path is that of no wheel.
pub(super) fn find(path: &Path) -> Result<Option<WheelPath>, VerbError> {
    let is_wheel = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("whl"));
    if !is_wheel || !path.is_file() {
        return Ok(WheelPath::find(path));
    }
    let found = side(path.as_os_str(), &OpenOptions::default())?;
    let plugins = found.members.iter().filter(|member| member.party.role == Role::Plugin);
    let mut labels: Vec<&str> = plugins.map(|member| &*member.label).collect();
    labels.dedup();
    match *labels {
        [label] => Ok(WheelPath::find(Path::new(label))),
        [] => Err(AdaptError::NoneInWheel(path.to_owned()).into()),
        _ => Err(AdaptError::SeveralInWheel(labels.join(", ")).into()),
    }
}

/// A plug-in that was copied out of a wheel. It goes again unless it is kept.
pub(super) struct UnpackedPlugin {
    pub(super) path: PathBuf,
    output: Output,
    is_kept: bool,
}

impl UnpackedPlugin {
    /// Copies the member below the folder of the result.
    pub(super) fn write(member: &WheelPath, folder: &Path) -> Result<Self, VerbError> {
        let folder = folder.join(FOLDER);
        let output = Output::prepare(&folder)?;
        let path = folder.join(member.file_name());
        let cannot = |source: io::Error| {
            let what = format!("cannot write {}", path.display());
            AdaptError::Io { what, source }
        };
        let mut file = OutputFile::in_folder(&folder, member.file_name()).map_err(cannot)?;
        member.copy(&mut file)?;
        file.flush().and_then(|()| file.commit()).map_err(cannot)?;
        Ok(Self { path, output, is_kept: false })
    }

    pub(super) fn keep(mut self) {
        self.is_kept = true;
        self.output.made.clear();
    }
}

impl Drop for UnpackedPlugin {
    fn drop(&mut self) {
        if !self.is_kept {
            // Nothing can be done where it stays.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
