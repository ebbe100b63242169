//! Modes of quantization, which a release has or does not have.

use serde_json::Value;
use unskew_core::Version;

use super::{ConfigWalk, text};

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

impl ConfigWalk<'_> {
    /// The mode of a quantized policy, by itself or in the name of the policy: `int8_from_float32`.
    pub(super) fn quantization(&mut self, policy: &Value, place: &str) {
        if !self.three() {
            return;
        }
        let name = policy.as_str().or_else(|| text(&policy["config"], "name"));
        let mode = text(&policy["config"], "mode").or_else(|| Some(name?.split_once("_from_")?.0));
        let Some(mode) = mode else { return };
        // `int4/128_from_float32` has the size of its blocks behind it.
        let mode = mode.split('/').next().unwrap_or(mode);
        let known = MODES.iter().find(|(known, _)| *known == mode);
        if let Some((_, since)) = known.filter(|(_, since)| self.keras.version < *since) {
            let what = format!("quantization {mode}, which Keras {since} is the first to have");
            self.refused(place, what, "Invalid quantization mode");
        }
        let Some(writer) = self.writer.filter(|_| mode == "int4" && self.has_weights) else {
            return;
        };
        if (writer < PACKED_BY_COLUMN) != (self.keras.version < PACKED_BY_COLUMN) {
            let what =
                "int4 weights, which Keras packs by rows up to 3.13 and by columns since 3.14";
            self.refused(place, what, "must match");
        }
    }
}
