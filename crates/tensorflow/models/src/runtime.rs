//! The other side: a released TensorFlow.

use std::sync::Arc;

use unskew_core::{DataConsumer, Date, Party, Provision, Role, Version, VersionRange};

use crate::behaviour::{self, NOTED_SHAPES};
use crate::{DeviceType, GraphUse, KernelTable, NodeScope, OpRegistry};

/// The axis of GraphDef versions.
pub const GRAPH_AXIS: &str = "tf.graph_def";

/// The axis of checkpoint versions.
pub const CHECKPOINT_AXIS: &str = "tf.checkpoint";

/// The GraphDef version of one release, for telling which releases a producer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleaseNumber {
    /// The release of TensorFlow.
    pub release: Version,
    /// Its GraphDef version. Not monotone: 1.15.0 has 134, 2.0.4 has 119.
    pub graph_def: i64,
}

/// What loads a SavedModel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SavedModelLoader {
    /// `tf.saved_model.load` of TensorFlow 2, which builds its functions and objects.
    Objects,
    /// A session of Python: `saved_model_cli`, `tf.compat.v1.saved_model.load`.
    Session,
    /// `LoadSavedModel` of the C++ library, which the C API and through it Go and Java call.
    Cpp,
    /// TensorFlow Serving, which calls `LoadSavedModel` for the tag `serve`.
    Serving,
    /// `keras.models.load_model`.
    Keras,
}

/// What a model is run on, and what loads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RuntimeUsage {
    /// What it runs on.
    pub device: DeviceType,
    /// What loads it; the loader for which a file of its kind is made if none is named.
    pub loader: Option<SavedModelLoader>,
}

/// A released TensorFlow: its numbers and its registry. A capability of its party.
#[derive(Clone, Debug)]
pub struct TensorFlowRuntime {
    /// The release of TensorFlow.
    pub version: Version,
    /// The day of the release.
    pub released: Date,
    /// Its numbers as a reader of graphs.
    pub graph_def: DataConsumer,
    /// Its numbers as a reader of checkpoints.
    pub checkpoint: DataConsumer,
    /// The ops that the release registers.
    pub ops: OpRegistry,
    /// The kernels that it has, if they are listed.
    pub kernels: Option<KernelTable>,
    /// How models are used.
    pub usage: RuntimeUsage,
    /// The numbers of all releases that are known.
    pub known: Arc<[ReleaseNumber]>,
}

impl TensorFlowRuntime {
    /// The release as one side of a check. Its requirements stand with the files, which know what to
    /// ask of it.
    pub fn party(&self) -> Party {
        let range = |reader: DataConsumer| {
            VersionRange::between(
                Version::number(reader.min_producer),
                Version::number(reader.version),
            )
        };
        Party::new(format!("tensorflow {}", self.version), Role::Runtime, "TensorFlow release")
            .from_origin(format!("released {}", self.released))
            .dated(self.released)
            .provide(Provision::new(GRAPH_AXIS, range(self.graph_def)))
            .provide(Provision::new(CHECKPOINT_AXIS, range(self.checkpoint)))
            .with_capability(Arc::new(self.ops.clone()))
            .with_capability(Arc::new(self.clone()))
    }

    /// Whether graphs are imported by Python code, up to 1.7: then what TensorFlow's core refuses
    /// shows only when the graph runs. Measured up to 1.4 and from 1.15 on.
    pub(crate) fn imports_in_python(&self) -> bool {
        self.version < Version::pair(1, 8)
    }

    /// Whether an importer in Python says of an op that it does not know the name.
    pub(crate) fn names_missing_ops(&self) -> bool {
        self.version >= Version::pair(1, 0)
    }

    /// Whether graphs may call functions of their library.
    pub(crate) fn imports_functions(&self) -> bool {
        self.version >= Version::pair(1, 1)
    }

    /// Whether anybody looks at nodes that stand there. Of functions the loader of objects builds all, and the importer
    /// those that are called, where it imports any.
    pub(crate) fn looks_at(&self, scope: NodeScope, as_objects: bool) -> bool {
        match scope {
            NodeScope::Graph => true,
            NodeScope::Called => self.imports_functions(),
            NodeScope::Uncalled => as_objects,
        }
    }

    /// Whether the loader of objects writes "cyclic-dependency" of functions without an order, and not "cyclic dependency".
    pub(crate) fn hyphenates_cyclic(&self) -> bool {
        self.version < Version::pair(2, 7)
    }

    /// Whether unknown attributes are ignored.
    pub fn ignores_unknown_attributes(&self) -> bool {
        self.version >= Version::pair(2, 5)
    }

    /// Whether the Keras that comes with it revives the optimizers of Keras 2: from 2.16 on it is Keras
    /// 3, which does not.
    pub(crate) fn revives_optimizers(&self) -> bool {
        self.version < Version::pair(2, 16)
    }

    /// Whether SavedModels may hold tensors that a function captured from another one.
    pub(crate) fn knows_captured_tensors(&self) -> bool {
        self.version >= Version::pair(2, 5)
    }

    /// Whether SavedModels with objects are loaded as objects.
    pub fn loads_objects(&self) -> bool {
        let session = matches!(
            self.usage.loader,
            Some(SavedModelLoader::Session | SavedModelLoader::Cpp | SavedModelLoader::Serving)
        );
        self.version >= Version::pair(2, 0) && !session
    }

    /// Whether no Python is in the process that loads a SavedModel.
    pub(crate) fn without_python(&self) -> bool {
        matches!(self.usage.loader, Some(SavedModelLoader::Cpp | SavedModelLoader::Serving))
    }

    /// Whether attributes that the release does not know are dropped where they have the default of whoever wrote the
    /// file, which says so: importers in Python do, from 1.15 on measured.
    pub(crate) fn drops_defaults(&self) -> bool {
        self.version >= Version::pair(1, 15) && !self.without_python()
    }

    /// Whether a node that is assigned to a device that is not there is placed elsewhere unless the caller says
    /// otherwise: Python's sessions of TensorFlow 2 do.
    pub(crate) fn places_softly(&self) -> bool {
        self.version >= Version::pair(2, 0) && !self.without_python()
    }

    /// Whether this graph is loaded as objects: function by function.
    pub(crate) fn as_objects(&self, graph: &GraphUse) -> bool {
        graph.objects.is_some() && self.loads_objects()
    }

    /// Whether its Keras reads no SavedModels: from 2.16 on it is Keras 3.
    pub(crate) fn keras_reads_no_saved_model(&self) -> bool {
        self.version >= Version::pair(2, 16)
    }

    /// Whether the shapes of unused outputs of batch norms are other than before.
    pub(crate) fn computes_empty_reserves(&self) -> bool {
        let noted = behaviour::named(NOTED_SHAPES);
        noted.is_some_and(|(_, noted)| noted.era(self.version, 0).is_some())
    }

    /// Whether a failing import says that the graph is more than the forward window newer.
    pub(crate) fn names_the_window(&self) -> bool {
        self.version >= Version::pair(2, 3)
    }

    /// Whether it says so in the words of 2.3, which no other release uses.
    pub(crate) fn names_the_window_first(&self) -> bool {
        self.names_the_window() && self.version < Version::pair(2, 4)
    }
}
