//! The findings of one pair: those that say the same are one, with the places of all.

use foldhash::HashMap;
use unskew_core::{Finding, Phase};

use super::stops_import;
use crate::{GraphUse, TensorFlowRuntime, promise};

/// The rule, the phase, the message and the adaptation.
type Key = (&'static str, Option<Phase>, String, Option<String>);

#[derive(Default)]
pub(super) struct Report {
    findings: Vec<Finding>,
    /// Where a finding stands, by what makes it the same as another: one that can be mended is another.
    found: HashMap<Key, usize>,
}

impl Report {
    /// Adds a finding; one that says the same as another only adds its places to it.
    pub(super) fn add(&mut self, finding: Finding) {
        let key =
            (finding.rule.code, finding.phase, finding.message.clone(), finding.adaptation.clone());
        match self.found.get(&key).and_then(|at| self.findings.get_mut(*at)) {
            Some(known) => known.places.extend(&finding.places),
            None => {
                self.found.insert(key, self.findings.len());
                self.findings.push(finding);
            }
        }
    }

    /// All findings. What stops the import of a graph that is more than the forward window newer
    /// gets the words around it that TensorFlow prints then.
    pub(super) fn finish(mut self, graph: &GraphUse, runtime: &TensorFlowRuntime) -> Vec<Finding> {
        let producer = graph.effective_versions().producer;
        let consumer = runtime.graph_def.version;
        let beyond = producer.saturating_sub(consumer) > promise::forward_days();
        if beyond && runtime.names_the_window() {
            for finding in self.findings.iter_mut().filter(|finding| stops_import(finding)) {
                let inner = finding.symptom.take().unwrap_or_default();
                finding.symptom = Some(match runtime.names_the_window_first() {
                    true => format!(
                        "Converting GraphDef to Graph has failed. The binary trying to import the GraphDef was \
                         built when GraphDef version was {consumer}. The GraphDef was produced by a binary built \
                         when GraphDef version was {producer}. The difference between these versions is larger \
                         than TensorFlow's forward compatibility guarantee. The following error might be due to \
                         the binary trying to import the GraphDef being too old: {inner}"
                    ),
                    false => format!(
                        "Converting GraphDef to Graph has failed with an error: '{inner}…' The binary \
                         trying to import the GraphDef was built when GraphDef version was {consumer}. \
                         The GraphDef was produced by a binary built when GraphDef version was \
                         {producer}. The difference between these versions is larger than TensorFlow's forward \
                         compatibility guarantee, and might be the root cause for failing to import the GraphDef."
                    ),
                });
            }
        }
        self.findings
    }
}
