//! Attributes of operations: what VHLO has apart, StableHLO has as one, and what says nothing is left out.

use super::attributes;
use super::operations::Printer;
use crate::module::{Field, Id, Operation, Raw, declared};
use crate::rewrite::values;

/// Dimensions that StableHLO has as an array of numbers.
pub(crate) const ARRAYS: [&str; 20] = [
    "base_dilations",
    "broadcast_dimensions",
    "broadcast_sizes",
    "dimensions",
    "edge_padding_high",
    "edge_padding_low",
    "fft_length",
    "interior_padding",
    "known_expanding_dimensions",
    "known_nonexpanding_dimensions",
    "lhs_dilation",
    "limit_indices",
    "permutation",
    "rhs_dilation",
    "slice_sizes",
    "start_indices",
    "strides",
    "window_dilations",
    "window_dimensions",
    "window_strides",
];

/// Numbers of dimensions that are one attribute in StableHLO: the operation, the name of the attribute, that of its kind, and
/// its parts.
pub(crate) const GROUPS: [(&[&str], &str, &str, &[&str]); 4] = [
    (
        &["gather", "dynamic_gather"],
        "dimension_numbers",
        "gather",
        &[
            "offset_dims",
            "collapsed_slice_dims",
            "operand_batching_dims",
            "start_indices_batching_dims",
            "start_index_map",
            "index_vector_dim",
        ],
    ),
    (
        &["scatter"],
        "scatter_dimension_numbers",
        "scatter",
        &[
            "update_window_dims",
            "inserted_window_dims",
            "input_batching_dims",
            "scatter_indices_batching_dims",
            "scatter_dims_to_operand_dims",
            "index_vector_dim",
        ],
    ),
    (
        &["dot_general"],
        "dot_dimension_numbers",
        "dot",
        &[
            "lhs_batching_dimensions",
            "rhs_batching_dimensions",
            "lhs_contracting_dimensions",
            "rhs_contracting_dimensions",
        ],
    ),
    (
        &["convolution", "dynamic_conv"],
        "dimension_numbers",
        "conv",
        &[
            "input_batch_dimension",
            "input_feature_dimension",
            "input_spatial_dimensions",
            "kernel_input_feature_dimension",
            "kernel_output_feature_dimension",
            "kernel_spatial_dimensions",
            "output_batch_dimension",
            "output_feature_dimension",
            "output_spatial_dimensions",
        ],
    ),
];

/// What the algorithm of a product of matrices says.
pub(crate) const ALGORITHM: [&str; 7] = [
    "lhs_precision_type",
    "rhs_precision_type",
    "accumulation_type",
    "lhs_component_count",
    "rhs_component_count",
    "num_primitive_operations",
    "allow_imprecise_accumulation",
];

impl Printer<'_> {
    /// The attributes that belong to the operation, and those that somebody put on it.
    pub(super) fn split(
        &self,
        operation: &Operation,
        name: &str,
        is_own: bool,
    ) -> (Vec<String>, Vec<String>) {
        let module = self.module;
        let declared = declared(&operation.dialect, &operation.name);
        let (mut inherent, mut others) = (Vec::new(), Vec::new());
        let group = GROUPS.iter().find(|(names, ..)| is_own && names.contains(&name));
        let algorithm = is_own && name == "dot_general";
        let parts = group.map_or(&[][..], |(.., parts)| parts);
        for (key, value) in &operation.attributes {
            let key = String::from_utf8_lossy(module.bytes(*key)).into_owned();
            let is_inherent = declared.iter().any(|one| one.trim_end_matches('?') == key);
            let in_group = parts.contains(&&*key) || algorithm && ALGORITHM.contains(&&*key);
            if is_inherent && in_group {
                continue;
            }
            if is_own && is_inherent {
                inherent.extend(self.own(operation, name, &key, *value));
                continue;
            }
            let said = format!("{} = {}", attributes::bare(key.as_bytes()), self.value(*value));
            if is_inherent { inherent.push(said) } else { others.push(said) }
        }
        if let Some((_, key, kind, parts)) = group {
            inherent.insert(0, format!("{key} = {}", self.group(operation, kind, parts)));
        }
        if algorithm {
            inherent.extend(self.algorithm(operation));
        }
        (inherent, others)
    }

    /// An attribute of a VHLO operation as StableHLO has it; none if it says nothing there.
    fn own(&self, whole: &Operation, operation: &str, key: &str, value: Id) -> Option<String> {
        let module = self.module;
        let kind = module.attribute(whole, "channel_type");
        let kind = kind.and_then(|id| values::integer(module, id)).map(|kind| kind.to_string());
        let said = || self.value(value);
        let symbol = || attributes::reference(module.text_of(value).unwrap_or_default());
        let made = match key {
            "callee" | "decomposition" => symbol(),
            "called_computations" => {
                let all = values::list(module, value)?;
                let names = all
                    .iter()
                    .map(|id| attributes::reference(module.text_of(*id).unwrap_or_default()));
                let names: Vec<String> = names.collect();
                (!names.is_empty()).then(|| format!("[{}]", names.join(", ")))?
            }
            "operand_layouts"
            | "result_layouts"
            | "result_tilings"
            | "output_operand_aliases"
            | "layout"
                if values::list(module, value).is_some_and(|all| all.is_empty()) =>
            {
                // A side without layouts beside one that has them is empty, and not missing.
                return None;
            }
            "channel_id" => {
                let number = values::integer(module, value)?;
                let needed = ["send", "recv"].contains(&operation);
                let kind = kind.unwrap_or("0".to_owned());
                (needed || number > 0).then(|| {
                    format!("#stablehlo.channel_handle<handle = {number}, type = {kind}>")
                })?
            }
            "channel_type" => return None,
            "version" if operation == "composite" => {
                format!("{} : i32", values::integer(module, value)?)
            }
            "use_global_device_ids" | "has_dynamic_root" => {
                let yes = said() == "true";
                return yes.then(|| {
                    format!("{key}{}", if key == "has_dynamic_root" { " = true" } else { "" })
                });
            }
            // None is what is said without it.
            "source_target_pairs"
                if ["send", "recv"].contains(&operation) && is_zeros(module, value) =>
            {
                return None;
            }
            // Its padding is an operand; what stands there has no words, and is zeros.
            "padding" if operation == "dynamic_conv" && is_zeros(module, value) => return None,
            "compare_type" if said().contains("NOTYPE") => return None,
            "result_accuracy" if said().contains("DEFAULT") => return None,
            "window_reversal" => format!("array<i1: {}>", attributes::dimensions(module, value)?),
            _ if ARRAYS.contains(&key) && !(operation == "fft" && key != "fft_length") => {
                match attributes::dimensions(module, value) {
                    Some(numbers) if numbers.is_empty() => "array<i64>".to_owned(),
                    Some(numbers) => format!("array<i64: {numbers}>"),
                    None => said(),
                }
            }
            _ => said(),
        };
        let key = match key {
            "channel_id" => "channel_handle",
            key => key,
        };
        Some(format!("{key} = {made}"))
    }

    fn group(&self, operation: &Operation, kind: &str, parts: &[&str]) -> String {
        if kind == "conv" {
            return self.convolution(operation).unwrap_or_default();
        }
        let mut all = Vec::new();
        for part in parts {
            let Some(id) = self.module.attribute(operation, part) else { continue };
            match values::integer(self.module, id) {
                Some(number) => all.push(format!("{part} = {number}")),
                None => {
                    let dims = attributes::dimensions(self.module, id).unwrap_or_default();
                    if !dims.is_empty() {
                        all.push(format!("{part} = [{dims}]"));
                    }
                }
            }
        }
        format!("#stablehlo.{kind}<{}>", all.join(", "))
    }

    /// What each dimension is for: `#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>`.
    fn convolution(&self, operation: &Operation) -> Option<String> {
        let mut sides = Vec::new();
        for (side, first, second, names) in [
            ("input", "batch", "feature", ["b", "f"]),
            ("kernel", "input_feature", "output_feature", ["i", "o"]),
            ("output", "batch", "feature", ["b", "f"]),
        ] {
            let own = |part: &str| self.module.attribute(operation, &format!("{side}_{part}"));
            let spatial = attributes::dimensions(self.module, own("spatial_dimensions")?)?;
            let spatial = spatial.split(", ").filter(|one| !one.is_empty());
            let mut places: Vec<(i64, String)> = Vec::new();
            for (at, place) in spatial.enumerate() {
                places.push((place.parse().ok()?, at.to_string()));
            }
            for (part, name) in [first, second].into_iter().zip(names) {
                let id = own(&format!("{part}_dimension"))?;
                places.push((values::integer(self.module, id)?, name.to_owned()));
            }
            places.sort_unstable();
            let names: Vec<String> = places.into_iter().map(|(_, name)| name).collect();
            sides.push(format!("[{}]", names.join(", ")));
        }
        let [input, kernel, output] = &sides[..] else { return None };
        Some(format!("#stablehlo.conv<{input}x{kernel}->{output}>"))
    }

    fn algorithm(&self, operation: &Operation) -> Option<String> {
        let mut all = Vec::new();
        for part in ALGORITHM {
            let id = self.module.attribute(operation, part)?;
            let said = self.value(id);
            if said == "none" {
                return None;
            }
            let said = said.split(" : ").next().unwrap_or_default().to_owned();
            all.push(format!("{part} = {said}"));
        }
        Some(format!("algorithm = #stablehlo.dot_algorithm<{}>", all.join(", ")))
    }
}

/// Whether a short tensor has nothing but zeros.
fn is_zeros(module: &crate::module::Module, id: Id) -> bool {
    let item = module.attributes.get(id);
    match item.and_then(|item| item.fields.get(2)) {
        Some(Field::Raw(Raw::Bytes(bytes))) => bytes.iter().skip(1).all(|byte| *byte == 0),
        _ => false,
    }
}
