//! The other side: a released ONNX Runtime, or a release of onnx with its checker.

use std::fmt;
use std::sync::Arc;

use unskew_core::{Date, Party, Provision, Role, Version, VersionRange};

use crate::{KernelTypeTable, OpSchema, OpSchemas};

/// The axis of IR versions: the version of the format.
pub const IR_AXIS: &str = "onnx.ir";

/// The axis of opsets of ONNX's own domain.
pub const OPSET_AXIS: &str = "onnx.opset";

/// The axis of versions of the format `.ort`.
pub const ORT_AXIS: &str = "onnx.ort_format";

/// Which program reads a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelReader {
    /// ONNX Runtime with its CPU provider.
    OnnxRuntime,
    /// The checker of onnx.
    Onnx,
}

impl fmt::Display for ModelReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OnnxRuntime => "ONNX Runtime",
            Self::Onnx => "onnx",
        })
    }
}

/// A release that reads models. A capability of its party.
#[derive(Clone, Debug)]
pub struct OnnxRelease {
    /// Which of the two.
    pub reader: ModelReader,
    /// The version of the package on PyPI.
    pub version: Version,
    /// The day of the release.
    pub released: Date,
    /// The highest IR version that it accepts.
    pub ir: i64,
    /// The highest opset of each domain that it accepts; a domain that is not here has no limit.
    pub opsets: Vec<(Box<str>, i64)>,
    /// The versions of the format `.ort` that it reads; none if it reads no such files.
    pub ort_format: Option<(i64, i64)>,
    /// The schemas of onnx, of all its releases.
    pub schemas: Arc<OpSchemas>,
    /// The schemas that ONNX Runtime adds, of the releases that tell them.
    pub own: Arc<OpSchemas>,
    /// What its kernels take; none for what runs nothing.
    pub kernels: Option<Arc<KernelTypeTable>>,
    /// What kernels of its CUDA provider take; none if it runs on the CPU only.
    pub cuda: Option<CudaKernels>,
}

/// Kernels of the CUDA provider, as a package for GPUs was measured.
#[derive(Clone, Debug)]
pub struct CudaKernels {
    /// The version of that package: its patch may be another than that of the release.
    pub version: Version,
    /// What runs there; an operator that is not in it has no kernel there.
    pub table: Arc<KernelTypeTable>,
}

impl OnnxRelease {
    /// The release as one side of a check.
    pub fn party(&self) -> Party {
        let up_to = |number| VersionRange::at_most(Version::number(number));
        let (name, kind) = match self.reader {
            ModelReader::OnnxRuntime => ("onnxruntime", "ONNX Runtime release"),
            ModelReader::Onnx => ("onnx", "onnx release"),
        };
        let mut party = Party::new(format!("{name} {}", self.version), Role::Runtime, kind)
            .from_origin(format!("released {}", self.released))
            .dated(self.released)
            .provide(Provision::new(IR_AXIS, up_to(self.ir)))
            .provide(Provision::new(OPSET_AXIS, up_to(self.opset("").unwrap_or(i64::MAX))));
        if let Some((low, high)) = self.ort_format {
            let range = VersionRange::between(Version::number(low), Version::number(high));
            party = party.provide(Provision::new(ORT_AXIS, range));
        }
        party.with_capability(Arc::new(self.clone()))
    }

    /// The highest opset of a domain; none if it has no limit.
    pub fn opset(&self, domain: &str) -> Option<i64> {
        self.opsets.iter().find(|(one, _)| **one == *domain).map(|(_, version)| *version)
    }

    pub(crate) fn has_domain(&self, domain: &str) -> bool {
        self.schemas.has_domain(domain) || self.own.has_domain(domain)
    }

    /// Its name in messages: `ONNX Runtime 1.16.3`.
    pub fn name(&self) -> String {
        format!("{} {}", self.reader, self.version)
    }

    /// What it makes of an operator, under an opset of its domain.
    pub fn look_up(&self, domain: &str, op: &str, opset: i64) -> OperatorLookup {
        let name = full_name(domain, op);
        let of_onnx = self.schemas.named(&name);
        let newest = self.schemas.rows().releases().last().copied();
        // ONNX Runtime does not say which onnx it has. Forms hardly ever change once they are out: the newest is taken.
        let release = match self.reader {
            ModelReader::Onnx => Some(self.version),
            ModelReader::OnnxRuntime => newest,
        };
        let of_onnx: Vec<&OpSchema> = of_onnx
            .iter()
            .filter(|(_, runs)| release.is_some_and(|release| runs.contains(release)))
            .map(|(schema, _)| schema)
            .collect();
        let mut forms: Vec<OpSchema> = of_onnx.iter().map(|schema| (*schema).clone()).collect();
        let own = self.own.named(&name);
        let tells = self.own.rows().releases().first().is_some_and(|first| self.version >= *first);
        if self.reader == ModelReader::OnnxRuntime {
            let has = |runs: &unskew_definitions::Runs| !tells || runs.contains(self.version);
            // What the release itself says of a form counts more than what onnx says.
            forms.retain(|form| {
                !own.iter().any(|(one, runs)| {
                    one.since == form.since && tells && runs.contains(self.version)
                })
            });
            forms
                .extend(own.iter().filter(|(_, runs)| has(runs)).map(|(schema, _)| schema.clone()));
        }
        let ever = !self.schemas.named(&name).is_empty() || !own.is_empty();
        let kept = |form: &&OpSchema| match (&self.kernels, self.opset(domain)) {
            (Some(kernels), _) => kernels.supports_of(self.version, &name, form.since).is_some(),
            (None, Some(most)) => form.since <= most,
            (None, None) => true,
        };
        let known: Vec<&OpSchema> = forms.iter().filter(kept).collect();
        let form = known.iter().filter(|form| form.since <= opset).max_by_key(|form| form.since);
        match form {
            Some(form) if form.deprecated => OperatorLookup::Deprecated { since: form.since },
            Some(form) => OperatorLookup::Found {
                schema: Box::new((*form).clone()),
                exact: of_onnx.iter().any(|one| one.since == form.since) || tells,
            },
            None if ever => OperatorLookup::Missing {
                since: known.iter().map(|form| form.since).min(),
                first: forms.iter().map(|form| form.since).min(),
            },
            None => OperatorLookup::Never,
        }
    }
}

/// What a release makes of the name of an operator.
#[derive(Clone, Debug, PartialEq)]
pub enum OperatorLookup {
    /// It has the operator in this form.
    Found {
        /// The form that a node of this opset has.
        schema: Box<OpSchema>,
        /// Whether this is the form of this release; else that of a later one.
        exact: bool,
    },
    /// It says that the operator is gone since this version of the domain.
    Deprecated {
        /// The opset version that removed it.
        since: i64,
    },
    /// It does not have it under this opset.
    Missing {
        /// The first version of the domain under which this release has it.
        since: Option<i64>,
        /// The first version of the domain under which any release has it.
        first: Option<i64>,
    },
    /// No release has it.
    Never,
}

/// The name of an operator in tables: `Clip`, `com.microsoft:FusedConv`.
pub fn full_name(domain: &str, op: &str) -> String {
    if domain.is_empty() { op.to_owned() } else { format!("{domain}:{op}") }
}
