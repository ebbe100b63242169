//! Special cases of single classes and their configuration: each is what real releases did with real files.

use serde_json::Value;
use unskew_core::Version;

use super::layers::MODELS;
use super::{ConfigWalk, Problem, class_of, text};
use crate::KerasFormat;
use crate::table::KerasClass;

/// The first Keras that does not load the code of a lambda unless it is told to.
const SAFE: Version = Version::pair(2, 13);

/// The first Keras 3 that does not load it from HDF5 either. Measured: not 3.0.5 to 3.10.0, and 3.11.3.
const SAFE_HDF5: Version = Version::pair(3, 11);

/// Why the code of a Lambda layer is not judged.
const CODE_OF_PYTHON: &str =
    "a Lambda layer holds code of the Python that wrote it, which another may not read";

/// The first Keras whose attention layer writes the shapes that it was built with.
const SHAPES: Version = Version::pair(2, 5);

/// The first Keras 3 that reads the weights of a Bidirectional from an archive; before, not even from its own. Measured: not
/// 3.0.5, 3.1.1 and 3.2.1, and 3.3.3.
const BIDIRECTIONAL: Version = Version::pair(3, 3);

/// The first Keras 3 whose models say the shape of what they give. Measured: not 3.1.1 and 3.3.3, and 3.5.0; read in the
/// source of 3.4.1.
const MODEL_IN_TIME: Version = Version::pair(3, 4);

/// The first Keras 3 that builds a Dot with the shapes of an archive. Measured: not 3.0.5 and 3.1.1, not even with their own
/// files, and 3.2.1.
pub(crate) const DOT_OF_LISTS: Version = Version::pair(3, 2);

/// The first Keras that takes the text `dot` in an HDF5 file for a function. Measured: not 3.0.5 to 3.13.2, and 3.14.1 and
/// 3.15.1.
pub(crate) const DOT_IS_FUNCTION: Version = Version::pair(3, 14);

/// Whether a layer was built with several shapes.
pub(crate) fn built_by_lists(layer: &Value) -> bool {
    layer["build_config"]["input_shape"][0].is_array()
}

/// Whether a class fails without an argument that has no default. Some make it of others in `from_config`.
pub(super) fn is_needed(class: &KerasClass, argument: &str) -> bool {
    !matches!(argument, "args" | "kwargs") && matches!(&*class.kind, "layer" | "initializer")
}

impl ConfigWalk<'_> {
    pub(super) fn special(&mut self, class: &str, layer: &Value, place: &str) {
        let config = &layer["config"];
        self.differs(class, config, place);
        match class {
            "IntegerLookup" if !self.three() && !self.two => {
                let what = "IntegerLookup with the dtype that Keras 3 writes";
                self.refused(place, what, "`dtype` should be an integer type");
            }
            "MultiHeadAttention"
                if self.three() && self.two && self.form == KerasFormat::Archive =>
            {
                let what = "MultiHeadAttention in an archive of Keras 2";
                self.refused(place, what, "could not be deserialized properly");
            }
            "MultiHeadAttention"
                if !self.three() && !self.two && self.form == KerasFormat::Archive =>
            {
                let what = "MultiHeadAttention in an archive of Keras 3, which names its weights otherwise";
                self.refused(place, what, "received 0 variables during loading");
            }
            "MultiHeadAttention" => self.attention_shapes(layer, place),
            "Attention"
                if self.keras.version >= DOT_IS_FUNCTION
                    && self.form == KerasFormat::Hdf5
                    && text(config, "score_mode") == Some("dot") =>
            {
                let what = "`score_mode` of Attention: in HDF5 files `dot` is taken for a function";
                self.refused(place, what, "Invalid value for argument score_mode");
            }
            "BatchNormalization"
                if self.three()
                    && self.form == KerasFormat::Archive
                    && layer.get("module").is_some()
                    && config["axis"].is_array() =>
            {
                let what = "`axis` of BatchNormalization as a list, as Keras 2 writes it";
                self.refused(place, what, "int() argument must be a string");
            }
            "Bidirectional"
                if self.three()
                    && self.has_weights
                    && self.form == KerasFormat::Archive
                    && self.keras.version < BIDIRECTIONAL =>
            {
                let what =
                    "Bidirectional in an archive, whose weights Keras 3.3 is the first to read";
                self.refused(place, what, "objects could not be loaded");
            }
            "Dot" if built_by_lists(layer) && self.builds_dot_by_tuples() => {
                let what = "Dot as an archive says that it was built, with shapes as lists";
                self.refused(place, what, "should be called on a list of 2 inputs");
            }
            "TimeDistributed"
                if self.three()
                    && self.keras.version < MODEL_IN_TIME
                    && class_of(&config["layer"]).is_some_and(|inner| MODELS.contains(&inner)) =>
            {
                let what =
                    "a model inside of TimeDistributed, which Keras 3.4 is the first to call";
                self.refused(place, what, "should implement `def compute_output_shape");
            }
            // It is public since 2.13, and not among the layers that Keras 2 finds by name.
            "SpectralNormalization" if !self.three() => {
                let what = "SpectralNormalization, which Keras 2 writes and does not find";
                self.refused(place, what, "Unknown layer: 'SpectralNormalization'");
            }
            _ => {}
        }
    }

    fn builds_dot_by_tuples(&self) -> bool {
        self.three() && self.form == KerasFormat::Archive && self.keras.version < DOT_OF_LISTS
    }

    fn attention_shapes(&mut self, layer: &Value, place: &str) {
        // Keras 3 takes them from the call, where that has all tensors in a row.
        let nodes = layer["inbound_nodes"].as_array().filter(|nodes| !nodes.is_empty());
        let told = nodes.is_some_and(|nodes| nodes.iter().all(|node| node.get("args").is_some()));
        if layer["config"].get("query_shape").is_some()
            || self.keras.version < SHAPES
            || self.three() && told
        {
            return;
        }
        match self.three() {
            false => self.refused(
                place,
                "MultiHeadAttention without `query_shape`",
                "KeyError: 'query_shape'",
            ),
            true if self.form == KerasFormat::Hdf5 && self.two => self.refused(
                place,
                "MultiHeadAttention without `query_shape`",
                "build() missing 1 required positional argument: 'value_shape'",
            ),
            true => {}
        }
    }

    /// What computes something else in the other generation, as measured with real files.
    fn differs(&mut self, class: &str, config: &Value, place: &str) {
        if self.two != self.three() {
            return;
        }
        let hard = ["activation", "recurrent_activation"]
            .iter()
            .any(|key| text(config, key) == Some("hard_sigmoid"));
        if hard {
            let what = "`hard_sigmoid` is 0.2 x + 0.5 between 0 and 1 in Keras 2, and x / 6 + 0.5 in Keras 3";
            self.problem(Problem::Differs { place: place.to_owned(), what });
        }
        let what = match class {
            "Discretization" => {
                "a value that equals a boundary of Discretization falls into another bin"
            }
            "CategoryEncoding" if !self.two => {
                "CategoryEncoding of Keras 2 refuses values that Keras 3 leaves out"
            }
            "RandomCrop" => "RandomCrop crops at inference in Keras 2, and not in Keras 3",
            _ => return,
        };
        self.problem(Problem::Differs { place: place.to_owned(), what });
    }

    /// A Lambda layer: the code of a Python function, or its name.
    pub(super) fn lambda(&mut self, config: &Value, place: &str) {
        let function = &config["function"];
        let code = function.is_array() || class_of(function) == Some("__lambda__");
        if !code {
            if self.form == KerasFormat::Archive && class_of(function) == Some("function") {
                return self.function(function, place);
            }
            let name = function.as_str().or_else(|| text(function, "config")).unwrap_or("function");
            let (place, kind) = (place.to_owned(), "function".to_owned());
            let name = name.to_owned();
            self.problem(Problem::Unknown { place, kind, name, custom: true });
        } else if !self.three() && config.get("function_type").is_none() {
            self.refused(place, "a Lambda layer as Keras 3 writes it", "KeyError: 'function_type'");
        } else if self.three()
            && self.form == KerasFormat::Hdf5
            && self.keras.version < SAFE_HDF5
            && function.is_array()
        {
            self.unjudged(place, CODE_OF_PYTHON);
        } else if self.three() || (self.form == KerasFormat::Archive && self.keras.version >= SAFE)
        {
            self.problem(Problem::Lambda { place: place.to_owned() });
        } else {
            self.unjudged(place, CODE_OF_PYTHON);
        }
    }
}
