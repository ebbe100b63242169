//! `XlaCallModule`, the op that has a program of StableHLO inside: `jax2tf` and `torch_xla` write it.

use unskew_core::{Finding, Judgement, Places, Severity, Unjudged, Version, aspect};

use crate::{AttrValue, GraphFile, NodeScope, rules};

/// The op, and its attribute with the version of its calling convention.
pub(super) const OP: &str = "XlaCallModule";
const VERSION: &str = "version";

/// The `XlaCallModule` of a release. A capability of its party.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallModuleSupport {
    /// The release of TensorFlow.
    pub tensorflow: Version,
    /// The least version of the op that it runs.
    pub least: i64,
    /// The newest one.
    pub newest: i64,
    /// The newest StableHLO that it reads in it.
    pub stablehlo: Version,
}

impl CallModuleSupport {
    fn symptom(&self, version: i64) -> String {
        let begin = format!("XlaCallModuleOp with version {version} is not supported");
        match version < self.least {
            true => format!("{begin} anymore. Must be >= {}", self.least),
            false => format!("{begin} by this build. Must be <= {}", self.newest),
        }
    }
}

impl GraphFile {
    /// Whether a node has a program of StableHLO inside.
    pub fn calls_modules(&self) -> bool {
        self.graphs.iter().flat_map(|graph| &graph.uses).any(|one| &*one.op == OP)
    }
}

/// What is to be said of the versions of the op in a file; of a release of which none is known, that nothing is.
pub(super) fn judge(
    file: &GraphFile,
    release: Version,
    support: Option<&CallModuleSupport>,
    judgement: &mut Judgement,
) {
    let mut open = Places::default();
    for graph in &file.graphs {
        for one in graph.uses.iter().filter(|one| &*one.op == OP) {
            let Some(AttrValue::Int(version)) = one.attr(VERSION) else { continue };
            let Some(support) = support else {
                open.extend(&one.places);
                continue;
            };
            if (support.least..=support.newest).contains(version) {
                continue;
            }
            let is_called = graph.objects.is_some() || one.scope != NodeScope::Uncalled;
            let finding = refused(support, *version).at(one.places.clone());
            judgement.findings.push(match is_called {
                true => finding,
                false => finding.with_severity(Severity::Warning),
            });
        }
    }
    if !open.is_empty() {
        let why = format!("which programs the {OP} of TensorFlow {release} runs was not measured");
        judgement.unjudged.push(Unjudged::new(aspect::CONTENTS, why).at(open));
    }
}

fn refused(support: &CallModuleSupport, version: i64) -> Finding {
    let CallModuleSupport { tensorflow, least, newest, .. } = support;
    let rule = rules::CallModuleVersion {
        version: &version,
        consumer: &format!("TensorFlow {tensorflow}"),
        least,
        newest,
    };
    let finding = rule.finding().with_symptom(support.symptom(version));
    match version < *least {
        true => finding.with_fix(format!(
            "Export the model again with a JAX of today, or use a TensorFlow that still runs version {version}."
        )),
        false => finding,
    }
}
