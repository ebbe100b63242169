//! Inputs and outputs of a configuration against those of its model.

use unskew_core::{Finding, Places};

use super::config::ConfigMessage;
use crate::{Dim, OnnxElementType, OnnxModel, ValueInfo, ValueType, rules};

/// The types of configurations with the elements of ONNX.
const TYPES: [(&str, i32); 14] = [
    ("TYPE_BOOL", 9),
    ("TYPE_UINT8", 2),
    ("TYPE_UINT16", 4),
    ("TYPE_UINT32", 12),
    ("TYPE_UINT64", 13),
    ("TYPE_INT8", 3),
    ("TYPE_INT16", 5),
    ("TYPE_INT32", 6),
    ("TYPE_INT64", 7),
    ("TYPE_BF16", 16),
    ("TYPE_FP16", 10),
    ("TYPE_FP32", 1),
    ("TYPE_FP64", 11),
    ("TYPE_STRING", 8),
];

/// What was found, and what could not be told.
#[derive(Default)]
pub(super) struct ConfigComparison {
    pub(super) findings: Vec<Finding>,
    pub(super) open: Vec<String>,
}

impl ConfigComparison {
    pub(super) fn add(&mut self, finding: Finding, place: &str) {
        self.findings.push(finding.at(Places::from_iter([place])));
    }

    pub(super) fn open(&mut self, why: String) {
        self.open.push(why);
    }

    /// Compares all inputs and outputs. A side that the configuration leaves out Triton fills in by itself.
    pub(super) fn all(&mut self, config: &ConfigMessage, model: &OnnxModel) {
        let graph = &model.graph;
        let stored =
            |value: &&ValueInfo| graph.initializers.iter().any(|one| one.name == value.name);
        let needed: Vec<&ValueInfo> = graph.inputs.iter().filter(|one| !stored(one)).collect();
        let batches = config.numbers("max_batch_size").last().is_some_and(|most| *most > 0);
        let more = ["batch_input", "sequence_batching"].iter().any(|name| config.has(name));
        let said = config.messages("input").count();
        if more {
            self.open("config.pbtxt: inputs that batches and sequences add".to_owned());
        } else if said > 0 && said != needed.len() {
            let rule = rules::TritonCount { said: &said, has: &needed.len() };
            self.add(rule.finding(), "config.pbtxt");
        }
        for input in config.messages("input") {
            // A tensor that is an input too may be given by a request.
            self.one("input", input, &graph.inputs, batches);
        }
        for output in config.messages("output") {
            let name = output.text("name");
            let computed = config
                .messages("batch_output")
                .any(|one| one.texts("target_name").any(|target| target == name));
            if !computed {
                self.one("output", output, &graph.outputs, batches);
            }
        }
    }

    fn one(&mut self, what: &str, said: &ConfigMessage, values: &[ValueInfo], batches: bool) {
        let name = said.text("name");
        let place = format!("{what} {name}");
        let Some(value) = values.iter().find(|value| *value.name == *name) else {
            let known: Vec<&str> = values.iter().map(|value| &*value.name).collect();
            let known = known.join(", ");
            let rule = rules::TritonName { what: &what, name: &name, known: &known };
            return self.add(rule.finding(), &place);
        };
        let kind = said.text("data_type");
        let element = TYPES.iter().find(|(one, _)| *one == kind).map(|(_, number)| *number);
        if let Some(has) = value.kind.as_ref().filter(|has| !matches!(has, ValueType::Tensor(_))) {
            let rule = rules::TritonNoSuchType { what: &what, name: &name, has };
            return self.add(rule.finding(), &place);
        }
        if let Some(has) = &value.kind {
            let same =
                element.is_some_and(|number| *has == ValueType::Tensor(OnnxElementType(number)));
            if !same {
                let kind = if kind.is_empty() { "no type" } else { kind };
                let rule = rules::TritonType { what: &what, name: &name, said: &kind, has };
                return self.add(rule.finding(), &place);
            }
        }
        let reshape = said.messages("reshape").last();
        let dims = match reshape {
            Some(reshape) => reshape.numbers("shape"),
            None => said.numbers("dims"),
        };
        let ragged = said.text("allow_ragged_batch") == "true";
        self.dims(what, name, &dims, value, batches, ragged);
    }

    fn dims(
        &mut self,
        what: &str,
        name: &str,
        dims: &[i64],
        value: &ValueInfo,
        batches: bool,
        ragged: bool,
    ) {
        let place = format!("{what} {name}");
        let Some(has) = value.dims.as_deref() else {
            let why = format!("config.pbtxt: dimensions of {place}, which the model does not say");
            return self.open(why);
        };
        let size = |dim: &Dim| if let Dim::Size(size) = dim { *size } else { -1 };
        let has: Vec<i64> = has.iter().map(size).collect();
        let differ = |expected: &str, compared: &mut Self| {
            let rule = rules::TritonDims {
                what: &what,
                name: &name,
                said: &expected,
                has: &DisplayedSizes(&has),
            };
            compared.add(rule.finding(), &place);
        };
        if ragged {
            if has != [-1] {
                differ("[-1] for a ragged batch", self);
            }
            return;
        }
        if has.is_empty() {
            if dims.iter().any(|dim| *dim != 1) {
                differ(&DisplayedSizes(dims).to_string(), self);
            }
            return;
        }
        let all: Vec<i64> = if batches { [&[-1], dims].concat() } else { dims.to_vec() };
        let fits = |(own, said): (&i64, &i64)| *own == -1 || own == said;
        if batches && has.first() != Some(&-1) {
            let shown =
                format!("{}, the first of which is the size of the batch", DisplayedSizes(&all));
            differ(&shown, self);
        } else if has.len() != all.len() || !has.iter().zip(&all).all(fits) {
            differ(&DisplayedSizes(&all).to_string(), self);
        } else if what == "output" && has.iter().zip(&all).any(|(own, said)| own != said) {
            // Of outputs Triton wants the very sizes that ONNX Runtime infers.
            self.open(format!("config.pbtxt: dimensions of {place} that the model leaves open"));
        }
    }
}

/// Sizes as `config.pbtxt` has them: `[-1, 3]`.
struct DisplayedSizes<'d>(&'d [i64]);

impl std::fmt::Display for DisplayedSizes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes: Vec<String> = self.0.iter().map(i64::to_string).collect();
        write!(f, "[{}]", sizes.join(", "))
    }
}
