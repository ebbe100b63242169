//! Model of a PyTorch file, whatever its format.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unskew_core::{Places, Version};
use unskew_extensions::Needs;
use unskew_script::typing::ScriptProgram;
use unskew_source::Directory;
use unskew_torch_schemas::CallShape;

use crate::ProducerReleases;
use crate::exported::elements::Elements;
use crate::pickled::PickledObjects;
use crate::prepacked_weights::PrepackedForm;

/// The most distinct ways in which one file may use operators.
const USES: usize = 1 << 18;

/// The label of the fact that there are more.
const CUT: &str = "uses of operators, cut";

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TorchFormat {
    /// TorchScript of PyTorch 1.1 and 1.2, described by `model.json`.
    LegacyScript,
    /// A TorchScript archive: `code/` and `data.pkl`.
    Script,
    /// A TorchScript archive with bytecode, for the mobile interpreter.
    Mobile,
    /// Bytecode as a flatbuffer.
    MobileFlatbuffer,
    /// A `torch.package` archive, with Python source of its own.
    Package,
    /// `torch.export`, with its graph in `serialized_exported_program.json`.
    ExportedJson,
    /// `torch.export` in the archive container of 2.8 and later.
    ExportedArchive,
    /// An ExecuTorch program, a flatbuffer that ends in `.pte`.
    ExecuTorch,
    /// A pickled checkpoint, as `torch.save` writes it.
    Checkpoint,
    /// What `torch.save` wrote before 1.6.
    LegacyCheckpoint,
    /// A pickle of anything.
    Pickle,
    /// Tensors and nothing else.
    Safetensors,
}

impl TorchFormat {
    /// The name that users see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LegacyScript => "TorchScript archive (model.json)",
            Self::Script => "TorchScript archive",
            Self::Mobile => "TorchScript archive with mobile bytecode",
            Self::MobileFlatbuffer => "mobile flatbuffer",
            Self::Package => "torch.package archive",
            Self::ExportedJson | Self::ExportedArchive => "torch.export archive",
            Self::ExecuTorch => "ExecuTorch program",
            Self::Checkpoint => "PyTorch checkpoint",
            Self::LegacyCheckpoint => "PyTorch checkpoint (pickle)",
            Self::Pickle => "pickle",
            Self::Safetensors => "safetensors file",
        }
    }

    /// Whether the mobile interpreter loads it.
    pub(crate) const fn is_mobile(self) -> bool {
        matches!(self, Self::Mobile | Self::MobileFlatbuffer)
    }

    /// Whether it is a `torch.export` archive.
    pub const fn is_exported(self) -> bool {
        matches!(self, Self::ExportedJson | Self::ExportedArchive)
    }
}

/// A number and the record in which it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionStamp {
    /// The version that the record carries.
    pub version: Version,
    /// The record, and the field if there is one.
    pub place: String,
}

/// How a use of an operator says what it gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GivenArguments {
    /// By the shape of the call; the overload is found by the runtime.
    Shape(CallShape),
    /// An overload, and how many of its arguments are given; none if all are.
    Overload(String, Option<u64>),
    /// An overload, and the names that are given.
    Named(String, CallShape),
}

/// One way in which a file uses an operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperatorUse {
    /// The qualified name without the overload: `aten::add`.
    pub name: String,
    /// The arguments of the call, as far as the file shows them.
    pub given: GivenArguments,
}

/// The places of one use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UseLocations {
    /// Where it is used.
    pub places: Places,
    /// Whether every one of them lies in a branch.
    pub only_in_branches: bool,
}

/// What a file is and what it uses.
#[derive(Clone, Debug)]
pub struct TorchModel {
    /// The container that the file was recognized as.
    pub format: TorchFormat,
    /// The file format version, which is the operator version too.
    pub file_format: Option<VersionStamp>,
    /// The version of the mobile bytecode; none without bytecode.
    pub bytecode: Option<VersionStamp>,
    /// The schema version of a `torch.export` archive.
    pub exported: Option<VersionStamp>,
    /// What the program of such an archive has of its schema.
    pub(crate) elements: Elements,
    /// The records of such an archive that some release does not load it without.
    pub(crate) export_records: BTreeSet<&'static str>,
    /// Who wrote it, as far as it can be told.
    pub producer: ProducerReleases,
    /// Who wrote the file that it was converted from, if it was.
    pub before: Option<ProducerReleases>,
    /// Types that its code names and that some releases do not know.
    pub types: BTreeMap<&'static str, Places>,
    /// Every use of an operator, once.
    pub uses: BTreeMap<OperatorUse, UseLocations>,
    /// The classes registered in C++ that it names.
    pub classes: BTreeMap<String, Places>,
    /// The forms in which it keeps quantized weights.
    pub packed: BTreeMap<PrepackedForm, Places>,
    /// The code, if it has some.
    pub program: Option<Arc<ScriptProgram>>,
    /// Whether its code says `op_version_set`, without which no file is of version 1.
    pub op_version_set: bool,
    /// What the pickle of its attributes imports, `torch.device`.
    pub imports: BTreeSet<String>,
    /// What a checkpoint or a pickle would import, `module.name`, in the order of first use.
    pub globals: Vec<String>,
    /// The protocol of the pickle of a checkpoint.
    pub pickle_protocol: Option<u8>,
    /// The instructions of that pickle, in the order of first use.
    pub pickle_opcodes: Vec<u8>,
    /// What a checkpoint or a pickle asks of the functions and classes that it imports.
    pub(crate) pickled: PickledObjects,
    /// Whether its pickle goes on behind what was read.
    pub pickle_cut: bool,
    /// The types of its tensors, as a safetensors file names them, and the tensors.
    pub dtypes: BTreeMap<String, Places>,
    /// The instructions of its bytecode by name.
    pub instructions: BTreeSet<String>,
    /// The libraries that AOTInductor compiled, and what they need of PyTorch.
    pub libraries: Vec<Arc<Needs>>,
    /// Whether it holds compiled libraries of which that is not known.
    pub compiled: bool,
    /// Where compiled libraries lie in the file: `net/data/aotinductor/`, without `net/` before 2.8.
    pub compiled_at: Option<String>,
    /// What the directory of its archive says, if it is one.
    pub directory: Option<Directory>,
    /// What else is to be known about it.
    pub facts: Vec<(&'static str, String)>,
}

impl TorchModel {
    /// A file of `format` of which nothing is known yet.
    pub fn new(format: TorchFormat) -> Self {
        Self {
            format,
            file_format: None,
            bytecode: None,
            exported: None,
            elements: Elements::new(),
            export_records: BTreeSet::new(),
            producer: ProducerReleases::unknown(),
            before: None,
            types: BTreeMap::new(),
            uses: BTreeMap::new(),
            classes: BTreeMap::new(),
            packed: BTreeMap::new(),
            program: None,
            op_version_set: false,
            imports: BTreeSet::new(),
            globals: Vec::new(),
            pickle_protocol: None,
            pickle_opcodes: Vec::new(),
            pickled: PickledObjects::default(),
            pickle_cut: false,
            dtypes: BTreeMap::new(),
            instructions: BTreeSet::new(),
            libraries: Vec::new(),
            compiled: false,
            compiled_at: None,
            directory: None,
            facts: Vec::new(),
        }
    }

    /// Adds a use at `place`.
    pub(crate) fn add_use(
        &mut self,
        one: OperatorUse,
        place: impl std::fmt::Display,
        in_branch: bool,
    ) {
        let full = self.uses.len() >= USES;
        match self.uses.entry(one) {
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                known.places.add(place);
                known.only_in_branches &= in_branch;
            }
            Entry::Vacant(_) if full => {
                if !self.facts.iter().any(|(label, _)| *label == CUT) {
                    self.facts.push((CUT, format!("after {USES}; the others were not looked at")));
                }
            }
            Entry::Vacant(entry) => {
                let mut places = Places::default();
                places.add(place);
                entry.insert(UseLocations { places, only_in_branches: in_branch });
            }
        }
    }

    /// The first release whose loader of compiled packages finds the libraries in this one, if it is one without a graph.
    pub fn package_since(&self) -> Option<Version> {
        let at = self.compiled_at.as_ref().filter(|_| self.exported.is_none())?;
        // 2.6 is the first with `torch._inductor.aoti_load_package`, and 2.8 with archives that have a folder.
        Some(Version::pair(2, if at.starts_with("data/") { 6 } else { 8 }))
    }

    /// The operator version: the file format version, as a plain number.
    pub fn operator_version(&self) -> Option<i64> {
        self.file_format.as_ref().map(|stamp| stamp.version.major())
    }
}

impl OperatorUse {
    /// The operator as users see it: with its overload, if the file names one.
    pub fn full_name(&self) -> String {
        match &self.given {
            GivenArguments::Overload(overload, _) | GivenArguments::Named(overload, _)
                if !overload.is_empty() =>
            {
                format!("{}.{overload}", self.name)
            }
            _ => self.name.clone(),
        }
    }

    pub(crate) fn overload(name: &str, overload: &str, count: Option<u64>) -> Self {
        Self { name: name.to_owned(), given: GivenArguments::Overload(overload.to_owned(), count) }
    }
}
