//! The other side: a released PyTorch.

use std::sync::Arc;

use unskew_core::{
    Clash, Finding, Need, Party, Provision, Requirement, Role, Version, VersionRange,
};
use unskew_torch_schemas::OperatorTable;

use crate::release::{ReleaseCalendar, TorchRelease};
use crate::{DeviceDescription, rules};

/// The axes of this boundary.
pub mod axes {
    /// The file format version, which is the operator version too.
    pub(crate) const FILE_FORMAT: &str = "torch.file_format";
    /// The version of mobile bytecode.
    pub(crate) const BYTECODE: &str = "torch.bytecode";
    /// The schema version of `torch.export` archives.
    pub const EXPORTED: &str = "torch.export_schema";
    /// The version of an ExecuTorch program.
    pub(crate) const EXECUTORCH: &str = "executorch.program";
    /// The axis of release numbers themselves, for files that name one.
    pub const RELEASE: &str = "torch.release";
    /// The operators of a file against those of a release.
    pub const OPERATORS: &str = "torch.operators";
}

/// A released PyTorch: its numbers, its operators, and the releases around it.
#[derive(Clone, Debug)]
pub struct TorchRuntime {
    /// Its numbers and its day.
    pub release: TorchRelease,
    /// The schemas that the runtime has, with their overloads.
    pub operators: OperatorTable,
    /// All releases, to name one that would do.
    pub calendar: Arc<ReleaseCalendar>,
    /// What it says of itself, if it is no release but a device that was built from one.
    pub device: Option<Arc<DeviceDescription>>,
}

impl TorchRuntime {
    /// The name that findings show: `torch 2.15.0`.
    pub fn name(&self) -> String {
        match &self.device {
            Some(device) => device.name.clone(),
            None => format!("torch {}", self.release.version),
        }
    }

    /// `major.minor` of the release, which is what files are dated by.
    pub fn minor(&self) -> Version {
        self.release.minor()
    }

    /// The release as a party: what it reads, and what it requires of a file.
    pub fn party(&self) -> Party {
        let TorchRelease { version, released, file_format, bytecode, exported, .. } = self.release;
        let (kind, origin) = match &self.device {
            Some(_) => ("device with PyTorch", format!("built from torch {version}")),
            None => ("PyTorch release", format!("released {released}")),
        };
        let mut party = Party::new(self.name(), Role::Runtime, kind)
            .from_origin(origin)
            .dated(released)
            .provide(Provision::version(axes::RELEASE, version))
            .provide(Provision::new(axes::FILE_FORMAT, file_format))
            .require(self.file_format_requirement())
            .fact("reads file formats", file_format)
            .fact(
                "writes file format",
                format!("{} and what its operators need", self.release.produces),
            );
        if let Some(range) = bytecode {
            party = party
                .provide(Provision::new(axes::BYTECODE, range))
                .require(self.bytecode_requirement(range))
                .fact("reads bytecode", range);
        }
        if let Some(schema) = exported {
            party = party
                .provide(Provision::new(axes::EXPORTED, VersionRange::same_major(schema.major())))
                .require(self.exported_requirement(schema))
                .fact("torch.export schema", schema);
        }
        let legacy = if self.release.legacy_refused { "refused" } else { "not measured" };
        party.fact("archives of 1.1 and 1.2", legacy).with_capability(Arc::new(self.clone()))
    }

    fn file_format_requirement(&self) -> Requirement {
        let (range, calendar) = (self.release.file_format, self.calendar.clone());
        let wording = move |clash: &Clash<'_>| -> Finding {
            let found = clash.found.single().unwrap_or(Version::number(0));
            let (file, runtime) = (&clash.other.name, &clash.owner.name);
            let reads = calendar.first(|release| release.file_format.contains(found));
            let wanted = reads.map_or_else(
                || "of a release that is not in the database".to_owned(),
                |release| release.version.to_string(),
            );
            if range.min.is_some_and(|min| found < min) {
                let (min, max) = (range.min.unwrap_or(found), range.max.unwrap_or(found));
                return rules::FileFormatTooOld { file, runtime, range: &range, found: &found, wanted: &"1.3" }
                    .finding()
                    .with_symptom(format!(
                        "Attempted to read a PyTorch file with version {found}, but the minimum supported version for reading is {min}. (reads up to {max})"
                    ));
            }
            let max = range.max.unwrap_or(found);
            let limit = &clash.owner.name.trim_start_matches("torch ").to_owned();
            rules::FileFormatTooNew { file, runtime, range: &range, found: &found, wanted: &wanted, limit }
                .finding()
                .with_symptom(format!(
                    "Attempted to read a PyTorch file with version {found}, but the maximum supported version for reading is {max}."
                ))
        };
        Requirement::new(axes::FILE_FORMAT, Need::Within(range), wording).irrelevant_if_absent()
    }

    fn bytecode_requirement(&self, range: VersionRange) -> Requirement {
        let calendar = self.calendar.clone();
        // Up to 1.9 with a slip of the pen and without a blank.
        let (version, but) = match self.minor() < Version::pair(1, 10) {
            true => ("verson", "But"),
            false => ("version", " but"),
        };
        let wording = move |clash: &Clash<'_>| {
            let found = clash.found.single().unwrap_or(Version::number(0));
            let wanted = calendar.span(|release| {
                let writes = release.bytecode_produces.map(Version::number);
                writes.is_some_and(|writes| range.contains(writes))
            });
            rules::BytecodeVersion {
                file: &clash.other.name,
                runtime: &clash.owner.name,
                range: &range,
                found: &found,
                wanted: &wanted,
            }
            .finding()
            .with_symptom(format!(
                "Lite Interpreter {version} number does not match. The model version must be between {} and {}{but} the model version is {found}",
                range.min.unwrap_or(found), range.max.unwrap_or(found),
            ))
        };
        Requirement::new(axes::BYTECODE, Need::Within(range), wording).irrelevant_if_absent()
    }

    fn exported_requirement(&self, schema: Version) -> Requirement {
        let range = VersionRange::same_major(schema.major());
        let calendar = self.calendar.clone();
        let wording = move |clash: &Clash<'_>| {
            let found = clash.found.single().unwrap_or(Version::number(0));
            let wanted = calendar
                .span(|release| release.exported.is_some_and(|v| v.major() == schema.major()));
            rules::Pt2SchemaMajor {
                file: &clash.other.name,
                runtime: &clash.owner.name,
                range: &range,
                found: &found,
                wanted: &wanted,
            }
            .finding()
            .with_symptom(format!(
                "Serialized version {found} does not match our current schema version {schema}."
            ))
        };
        Requirement::new(axes::EXPORTED, Need::Within(range), wording).irrelevant_if_absent()
    }
}
