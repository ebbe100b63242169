//! `cargo lab torch-attributes`: attributes that classes of `torch.nn` got later and read when they are called.

use std::collections::BTreeMap;

use clap::Args;
use unskew_core::Version;
use unskew_lab_harness::Page;
use unskew_torch_matrix::TorchHost;
use unskew_torch_matrix::attributes::module_classes;

use crate::release_runs::{ReleaseRunArgs, ReleaseRuns};

/// Those of `torch-pickles`, and two between them: the first with some attributes, and the only one that needs `proj_size`.
const RELEASES: [&str; 11] = [
    "1.4.0", "1.6.0", "1.7.1", "1.8.1", "1.10.2", "1.13.1", "2.1.2", "2.4.1", "2.6.0", "2.8.0",
    "2.15.0",
];

const TABLE: Page = Page("crates/torch/archives/data/module_attributes.tsv");

const HEAD: &str = "\
# Attributes that classes of torch.nn.modules got later: class, attribute, what the constructor sets by default, and the releases
# in which a call of an object that was put together without it fails. Made by `cargo lab torch-attributes --write`.
";

/// Has PyTorch releases construct modules, and call them without one attribute at a time.
#[derive(Args)]
pub struct TorchAttributes {
    /// A release; some far apart, and neighbours between which attributes came, if none is named.
    #[arg(long = "release", default_values = RELEASES)]
    releases: Vec<String>,
    #[command(flatten)]
    runs: ReleaseRunArgs,
}

/// An attribute in the releases that have it.
#[derive(Default)]
struct Attribute {
    values: Vec<String>,
    having: Vec<Version>,
    needing: Vec<Version>,
}

impl Attribute {
    fn add(&mut self, release: Version, value: String, needed: bool) {
        self.having.push(release);
        if !self.values.contains(&value) {
            self.values.push(value);
        }
        if needed {
            self.needing.push(release);
        }
    }
}

/// Runs what was asked for.
///
/// # Errors
/// If an environment cannot be made, or a release not be run.
pub fn run(arguments: &TorchAttributes) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let folder = arguments.runs.measured.clone().unwrap_or_else(|| scratch.path().to_owned());
    let runs = ReleaseRuns::new(&arguments.releases, &arguments.runs, &folder);
    let mut classes: BTreeMap<String, Version> = BTreeMap::new();
    let mut all: BTreeMap<(String, String), Attribute> = BTreeMap::new();
    let mut releases: Vec<(Version, &String)> = Vec::new();
    for release in runs.releases {
        releases.push((release.parse()?, release));
    }
    releases.sort();
    for (version, release) in &releases {
        let text = runs.answer("attributes", release, TorchHost::module_attributes)?;
        for class in module_classes(&text)? {
            classes.entry(class.name.clone()).or_insert(*version);
            for one in class.attributes {
                let known = all.entry((class.name.clone(), one.name)).or_default();
                known.add(*version, one.value, one.needed);
            }
        }
    }
    let measured: Vec<&str> = releases.iter().map(|(_, name)| name.as_str()).collect();
    let mut text = format!("# measured on {}\n", measured.join(" "));
    for ((class, name), one) in &all {
        let is_later = one.having.first() > classes.get(class);
        // A default that changed is not what every object did before.
        let [value] = one.values.as_slice() else { continue };
        if is_later && !one.needing.is_empty() {
            let needing: Vec<String> = one.needing.iter().map(ToString::to_string).collect();
            text.push_str(&format!("{class}\t{name}\t{value}\t{}\n", needing.join(" ")));
        }
    }
    TABLE.publish(HEAD, &text, &arguments.runs.write)
}
