//! Runtimes of which is known what is stated of their operators: `tensorrt@10.1`, `coreml-mlprogram`. They are no families
//! of releases: nothing of them was measured but, of OpenVINO, which operators it knows.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use unskew_core::{Party, Version};
use unskew_definitions::Blocks;
use unskew_onnx::{DocumentedSupport, DocumentedSupportTable, OperatorFallback};
use unskew_tables::{packed_rows, toml_as_json};

use crate::embedded;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Runtimes {
    runtime: Vec<Runtime>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Runtime {
    name: String,
    title: String,
    source: String,
    otherwise: String,
    opsets: Vec<Opsets>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opsets {
    release: String,
    low: i64,
    high: i64,
}

/// The tables by the names of their runtimes.
static TABLES: [(&str, &Blocks); 5] = [
    ("tensorrt", packed_rows!("data/stated/tensorrt.tsv")),
    ("openvino", packed_rows!("data/stated/openvino.tsv")),
    ("coreml-mlprogram", packed_rows!("data/stated/coreml-mlprogram.tsv")),
    ("coreml-neuralnetwork", packed_rows!("data/stated/coreml-neuralnetwork.tsv")),
    ("onnxruntime-webgl", packed_rows!("data/stated/onnxruntime-webgl.tsv")),
];

/// The number in place of a release, where none is stated.
const NO_RELEASE: &str = "0";

static RUNTIMES: LazyLock<Vec<Runtime>> = LazyLock::new(|| {
    embedded::table::<Runtimes>(toml_as_json!("data/stated/runtimes.toml")).runtime
});

fn table(name: &str) -> Option<DocumentedSupportTable> {
    let (_, blocks) = TABLES.iter().find(|(one, _)| *one == name)?;
    DocumentedSupportTable::from_text(*blocks).ok()
}

/// Why a name is none of a release of which something is stated.
#[derive(Debug, thiserror::Error)]
#[error("nothing is known of {name} {version} here; known are: {known}")]
pub struct NotStated {
    /// The runtime, as in `tensorrt@10.1`.
    pub name: String,
    /// The release that was asked for.
    pub version: String,
    /// The releases of which something is known.
    pub known: String,
}

/// Runtimes with their names: `tensorrt@10.1`.
pub type NamedParties = Vec<(String, Arc<Party>)>;

/// The names of all runtimes of which something is stated.
pub fn names() -> impl Iterator<Item = &'static str> {
    RUNTIMES.iter().map(|runtime| &*runtime.name)
}

/// The runtimes that `text` names, with their names: one release (`tensorrt@10.1`), or all of which something is stated
/// (`tensorrt`); none if it names something else.
///
/// ```
/// let found = unskew_releases::vendor_docs::select("tensorrt@10.1").unwrap().unwrap();
/// assert_eq!(found[0].0, "tensorrt@10.1");
/// assert!(unskew_releases::vendor_docs::select("torch@2.1").is_none());
/// assert!(unskew_releases::vendor_docs::select("tensorrt@99").unwrap().is_err());
/// ```
///
/// # Errors
/// If nothing is stated of this release.
pub fn select(text: &str) -> Option<Result<NamedParties, NotStated>> {
    let (name, version) = match text.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (text, None),
    };
    let runtime = RUNTIMES.iter().find(|runtime| runtime.name == name)?;
    let table = table(name)?;
    let releases = table.releases();
    let bare = releases.iter().all(|release| release.to_string() == NO_RELEASE);
    let is = |release: &&Version| version.is_none_or(|version| !bare && means(version, **release));
    let found: NamedParties = releases
        .iter()
        .filter(is)
        .filter_map(|release| {
            let label = if bare { name.to_owned() } else { format!("{name}@{release}") };
            Some((label, Arc::new(stated(runtime, &table, *release, bare)?.party())))
        })
        .collect();
    if found.is_empty() {
        let known: Vec<String> = releases.iter().map(Version::to_string).collect();
        let known = if bare { format!("{name}, without a release") } else { known.join(", ") };
        let version = version.unwrap_or_default().to_owned();
        return Some(Err(NotStated { name: name.to_owned(), version, known }));
    }
    Some(Ok(found))
}

/// Whether `text` means a release: its number, more of it (`10.1.0` for 10.1) or its beginning (`2024.6`).
fn means(text: &str, release: Version) -> bool {
    let release = release.to_string();
    let begins = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let minor = |text: &str| text.contains('.');
    begins(text, &release) && minor(&release) || begins(&release, text) && minor(text)
}

fn stated(
    runtime: &Runtime,
    table: &DocumentedSupportTable,
    release: Version,
    bare: bool,
) -> Option<DocumentedSupport> {
    let number = release.to_string();
    let opsets = runtime.opsets.iter().find(|one| one.release == number);
    Some(DocumentedSupport {
        name: if bare { runtime.title.clone() } else { format!("{} {number}", runtime.title) },
        source: runtime.source.clone(),
        operators: table.operators_of(release),
        opsets: opsets.map(|one| (one.low, one.high)),
        otherwise: match &*runtime.otherwise {
            "plugin" => OperatorFallback::Plugin,
            "cpu" => OperatorFallback::Cpu,
            _ => OperatorFallback::Refused,
        },
        schemas: crate::onnx::schemas()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_has_a_table_and_every_table_a_runtime() {
        assert_eq!(RUNTIMES.len(), TABLES.len());
        for runtime in RUNTIMES.iter() {
            let table = table(&runtime.name).unwrap();
            table.validate().unwrap();
            assert!(["plugin", "cpu", "refused"].contains(&&*runtime.otherwise));
            let releases: Vec<String> = table.releases().iter().map(Version::to_string).collect();
            assert!(runtime.opsets.iter().all(|one| releases.contains(&one.release)));
            for release in table.releases() {
                assert!(table.operators_of(*release).len() > 20, "{} {release}", runtime.name);
            }
        }
    }

    #[test]
    fn a_release_is_found_by_its_number_in_any_length() {
        let labels = |text: &str| -> Vec<String> {
            let found = select(text).unwrap().unwrap();
            found.into_iter().map(|(label, _)| label).collect()
        };
        assert_eq!(labels("tensorrt@10.1"), ["tensorrt@10.1"]);
        assert_eq!(labels("tensorrt@10.1.0"), ["tensorrt@10.1"]);
        assert_eq!(labels("openvino@2024.6"), ["openvino@2024.6.0"]);
        assert_eq!(labels("coreml-mlprogram"), ["coreml-mlprogram"]);
        assert!(labels("tensorrt").len() > 10);
        for unknown in ["tensorrt@10", "tensorrt@10.2", "coreml-mlprogram@1"] {
            assert!(select(unknown).unwrap().is_err(), "{unknown}");
        }
    }

    #[test]
    fn what_is_stated_differs_from_release_to_release() {
        let of = |version: &str, op: &str| {
            let release: Version = version.parse().unwrap();
            table("tensorrt").unwrap().operators_of(release)[op].opsets.clone()
        };
        assert_eq!(of("8.2", "NonZero"), Some(Vec::new()));
        assert_eq!(of("8.5", "NonZero"), None);
    }
}
