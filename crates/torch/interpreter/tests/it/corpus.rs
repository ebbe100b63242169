//! The files that 24 releases wrote, with the inputs that they were given and what they gave, as
//! `unskew_torch_matrix` has them for the real releases.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use unskew_interpreter::ScriptValue;
use unskew_tables::toml_as_json;
use unskew_torch::{ReleaseCalendar, TorchRuntime};
use unskew_torch_matrix::recorded::{self, value};
use unskew_torch_schemas::OperatorHistory;

pub use unskew_torch_matrix::recorded::{difference, source};

/// Every file by `release/name`.
pub fn files() -> BTreeMap<String, Vec<u8>> {
    recorded::files().unwrap()
}

static DATABASE: LazyLock<(Arc<ReleaseCalendar>, Arc<OperatorHistory>)> = LazyLock::new(|| {
    let folder = Path::new(env!("UNSKEW_ROOT")).join("crates/judging/releases/data/torch");
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let calendar: ReleaseCalendar =
        serde_json::from_str(toml_as_json!("../../judging/releases/data/torch/releases.toml"))
            .unwrap();
    (calendar.into(), OperatorHistory::from_text(text("operators.tsv")).unwrap().into())
});

/// A release of the database.
pub fn runtime(name: &str) -> TorchRuntime {
    let (calendar, history) = &*DATABASE;
    let release = calendar.first(|release| release.version.to_string() == name).unwrap().clone();
    let operators = history.table(release.version).unwrap();
    TorchRuntime { release, operators, calendar: calendar.clone(), device: None }
}

/// What a release recorded for a model.
pub struct Recorded {
    /// The writer and the model: `1.10.2/add`.
    pub model: String,
    pub inputs: Vec<ScriptValue>,
    /// What it gave; none if it refused.
    pub output: Option<ScriptValue>,
}

pub fn recorded() -> Vec<Recorded> {
    let row = |row: recorded::RecordedModel| Recorded {
        inputs: row.values().unwrap(),
        output: row.output.as_ref().map(|output| value(output).unwrap()),
        model: row.model,
    };
    recorded::all().unwrap().into_iter().map(row).collect()
}
