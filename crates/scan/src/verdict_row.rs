//! One line of the table.

use serde::{Deserialize, Serialize};

/// What the column `verdict` can say.
///
/// * `compatible`, `adaptable`, `incompatible`: what `unskew check` says of the pair;
/// * `unjudged`: nothing that was judged stands against the pair, but a part was not judged;
/// * `unrelated`: the artifact has nothing in common with any of the runtimes;
/// * `unrecognized`: the name looks like an artifact, the bytes are none that Unskew knows;
/// * `over budget`: to read it takes more bytes, nodes, memory or processor time than a check of it may take;
/// * `error`: it could not be read.
pub const VERDICTS: [&str; 8] = [
    "compatible",
    "unjudged",
    "adaptable",
    "incompatible",
    "unrelated",
    "unrecognized",
    OVER_BUDGET,
    ERROR,
];

/// The verdict on what takes more than a check may take.
pub(crate) const OVER_BUDGET: &str = "over budget";
/// The verdict on what could not be read.
pub(crate) const ERROR: &str = "error";

impl VerdictRow {
    /// Whether the artifact, or a part of it, could not be read.
    pub(crate) fn is_unread(&self) -> bool {
        [ERROR, OVER_BUDGET].contains(&self.verdict.as_str())
    }
}

/// One reason of a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictReason {
    /// The code of the rule.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// When it shows, if something fails.
    pub phase: Option<String>,
    /// One sentence with the numbers that clash.
    pub message: String,
    /// The fix: one command or edit.
    pub fix: Option<String>,
}

/// One artifact with one runtime; the columns of the table in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictRow {
    /// How users name the artifact.
    pub uri: String,
    /// What is judged in it, where that is not all of it: a member of a wheel.
    pub piece: Option<String>,
    /// What it belongs to: a repository, a registered model.
    pub collection: Option<String>,
    /// Which version of that it is.
    pub revision: Option<String>,
    /// What names the state of its bytes.
    pub etag: Option<String>,
    /// The SHA-256 of its bytes, where that is known without reading all of them.
    pub sha256: Option<String>,
    /// The bytes of all its files.
    pub size: u64,
    /// The bytes that were read to judge it, for all its rows.
    pub bytes_read: u64,
    /// What it is: `TorchScript archive`.
    pub kind: Option<String>,
    /// Who wrote it, as far as that can be told.
    pub producer: Option<String>,
    /// The versions that it carries: axis and version.
    pub versions: Vec<(String, String)>,
    /// The operators that it calls.
    pub operators: Vec<String>,
    /// The runtime; none where the row is about the artifact alone.
    pub runtime: Option<String>,
    /// The verdict, one of [`VERDICTS`].
    pub verdict: String,
    /// When the first failure shows: `load`, `first use`, `silent`.
    pub phase: Option<String>,
    /// The highest severity among the findings; none without findings.
    pub severity: Option<String>,
    /// The codes of all rules that speak, each once.
    pub rules: Vec<String>,
    /// What the rules of [`VerdictRow::rules`] say, each with its message.
    pub findings: Vec<VerdictReason>,
    /// The adaptations by which an adaptable artifact works.
    pub adaptations: Vec<String>,
    /// Why it could not be read; of what is over a budget, which one and where.
    pub error: Option<String>,
    /// The aspects that were not judged, each once.
    pub unjudged: Vec<String>,
}
