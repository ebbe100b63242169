//! Modes of quantization, which a release has or does not have.

use serde_json::Value;
use unskew_core::Version;

use super::{ConfigWalk, Problem, class_of, text};
use crate::KerasFormat;

/// Each mode, and the first Keras that has it: read in `dtype_policies` of each release, measured on 3.9.2 and 3.11.3.
const MODES: [(&str, Version); 5] = [
    ("int8", Version::pair(3, 1)),
    ("float8", Version::pair(3, 3)),
    ("int4", Version::pair(3, 11)),
    ("gptq", Version::pair(3, 12)),
    ("awq", Version::pair(3, 14)),
];

/// The first Keras that packs two numbers of an int4 kernel along its columns. Measured: files of 3.11.3 on 3.12.4, 3.14.1
/// and 3.15.1; read in the source of 3.13.2.
const PACKED_BY_COLUMN: Version = Version::pair(3, 14);

/// The first Keras whose Embedding has int4, and whose int4 layers can be called by TimeDistributed. Measured: not 3.11.3,
/// and 3.12.4.
const INT4_WIDELY: Version = Version::pair(3, 12);

/// The releases after which int8 weights have another form: scales with a dimension less, and no gap where a layer has no
/// bias. Measured: 3.1.1, 3.2.1 and 3.3.3, each with files of the others.
const INT8_FORMS: [Version; 2] = [Version::pair(3, 2), Version::pair(3, 3)];

/// Layers that have weights of their own in the mode float8.
const FLOAT8: [&str; 2] = ["Dense", "EinsumDense"];

/// The mode of a quantized policy, by itself or in the name of the policy: `int8_from_float32`.
fn mode(policy: &Value) -> Option<&str> {
    let name = policy.as_str().or_else(|| text(&policy["config"], "name"));
    let mode = text(&policy["config"], "mode").or_else(|| Some(name?.split_once("_from_")?.0));
    // `int4/128_from_float32` has the size of its blocks behind it.
    mode.and_then(|mode| mode.split('/').next())
}

impl ConfigWalk<'_> {
    /// The mode of a policy, which a release has or does not have.
    pub(super) fn quantization(&mut self, policy: &Value, place: &str) {
        let Some(mode) = mode(policy).filter(|_| self.three()) else { return };
        let known = MODES.iter().find(|(known, _)| *known == mode);
        if let Some((_, since)) = known.filter(|(_, since)| self.keras.version < *since) {
            let what = format!("quantization {mode}, which Keras {since} is the first to have");
            self.refused(place, what, "Invalid quantization mode");
        }
    }

    /// A layer that is quantized, or one around it.
    pub(super) fn quantized_layer(&mut self, class: &str, config: &Value, place: &str) {
        if !self.three() {
            return;
        }
        match mode(&config["dtype"]) {
            Some("float8") => self.float8(class, place),
            Some("int4") => self.int4(class, place),
            Some("int8") => self.int8(class, config, place),
            _ => {}
        }
        let inner = &config["layer"];
        if mode(&inner["config"]["dtype"]) != Some("int4") {
            return;
        }
        match class {
            "TimeDistributed"
                if self.keras.version < INT4_WIDELY && class_of(inner) != Some("Embedding") =>
            {
                let what =
                    format!("the int4 layer inside of {place}, which Keras 3.11 does not call");
                self.problem(Problem::FirstCall {
                    what,
                    symptom: "Exception encountered when calling",
                });
            }
            "SpectralNormalization" if self.has_weights => {
                let what =
                    "an int4 layer inside of SpectralNormalization, whose weights no Keras finds";
                self.refused(place, what, "variables during loading");
            }
            _ => {}
        }
    }

    /// HDF5 files list the weights that are trained first, and the scales are made before those: no release reads its own
    /// file. Measured: 3.4.1 to 3.15.1.
    fn float8(&mut self, class: &str, place: &str) {
        if self.form == KerasFormat::Hdf5 && self.has_weights && FLOAT8.contains(&class) {
            let what = "float8 weights in HDF5, which are not in the order in which they are read";
            self.refused(place, what, "shape");
        }
    }

    fn int8(&mut self, class: &str, config: &Value, place: &str) {
        let Some(writer) = self.writer.filter(|_| self.has_weights) else { return };
        let [first, second] = INT8_FORMS;
        let form = |version| usize::from(version >= first) + usize::from(version >= second);
        let (written, read) = (form(writer), form(self.keras.version));
        let archive = self.form == KerasFormat::Archive;
        let has_bias = match class {
            "EinsumDense" => !config["bias_axes"].is_null(),
            _ => config["use_bias"] != Value::Bool(false),
        };
        let has_another_form = match class {
            "Embedding" => written != read,
            "Dense" | "EinsumDense" if archive && !has_bias && (written == 1) != (read == 1) => {
                true
            }
            "Dense" => (written == 0) != (read == 0),
            "EinsumDense" => archive && has_bias && (written == 0) != (read == 0),
            _ => false,
        };
        if has_another_form {
            let what = format!("int8 weights of {class} as Keras {writer} keeps them");
            self.refused(place, what, "must match");
        }
    }

    fn int4(&mut self, class: &str, place: &str) {
        if class == "Embedding" {
            if self.keras.version < INT4_WIDELY {
                let what =
                    "quantization int4 of an Embedding, which Keras 3.12 is the first to have";
                self.refused(place, what, "Invalid quantization mode");
            }
            return;
        }
        let Some(writer) = self.writer.filter(|_| self.has_weights) else { return };
        if (writer < PACKED_BY_COLUMN) != (self.keras.version < PACKED_BY_COLUMN) {
            let what =
                "int4 weights, which Keras packs by rows up to 3.13 and by columns since 3.14";
            self.refused(place, what, "must match");
        }
    }
}
