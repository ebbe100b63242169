//! Runtimes of which is known what their makers state, and builds of ONNX Runtime with a part of its operators: a table of
//! operators, and no more. What is not in such a table is refused or runs elsewhere; what is in it is not judged further.

mod build;
mod judge;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use unskew_core::{Party, Role};

use crate::OpSchemas;

pub use build::reduced_build;
pub(crate) use judge::judge;
pub use table::DocumentedSupportTable;

/// What somebody says of operators. A capability of its party.
#[derive(Clone, Debug)]
pub struct DocumentedSupport {
    /// What it is, for people: `TensorRT 10.1`.
    pub name: String,
    /// Where this is said.
    pub source: String,
    /// The operators that are named, by their names with their domains.
    pub operators: BTreeMap<String, DocumentedOperator>,
    /// The lowest and the highest opset of ONNX's own domain, if they are stated.
    pub opsets: Option<(i64, i64)>,
    /// What becomes of an operator that is not supported.
    pub otherwise: OperatorFallback,
    /// The forms of operators; a build has a form, not an opset.
    pub schemas: Arc<OpSchemas>,
}

/// What is said of one operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentedOperator {
    /// The opsets under which it is supported; none for all of them, an empty list for no one.
    pub opsets: Option<Vec<(i64, i64)>>,
    /// Whether only under conditions.
    pub restricted: bool,
}

/// What becomes of an operator that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorFallback {
    /// The model is refused.
    Refused,
    /// The model is refused, unless a plug-in for an operator that is not named is there.
    Plugin,
    /// The CPU runs it.
    Cpu,
    /// The build has no kernel for it.
    NotBuilt,
}

impl DocumentedSupport {
    /// As one side of a check.
    pub fn party(&self) -> Party {
        let kind = match self.otherwise {
            OperatorFallback::NotBuilt => "reduced build of ONNX Runtime",
            _ => "runtime by what is stated of it",
        };
        Party::new(&*self.name, Role::Runtime, kind)
            .from_origin(self.source.clone())
            .fact("operators", self.operators.len())
            .with_capability(Arc::new(self.clone()))
    }

    /// The version since which the form of an operator stands that an opset means; 0 if no onnx has it.
    fn form(&self, name: &str, opset: i64) -> i64 {
        let forms = self.schemas.named(name);
        forms
            .iter()
            .map(|(schema, _)| schema.since)
            .filter(|since| *since <= opset)
            .max()
            .unwrap_or(0)
    }
}
