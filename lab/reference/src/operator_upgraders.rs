//! The table of what became of PyTorch's operators, from the registry, and of what ran on real releases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use unskew_lab_harness::pages::MARK;
use unskew_script::{Expression, FunctionDefinition, Statement};
use unskew_torch_operators::{Bridge, ChangeStart, OperatorRegistry, RegistryChange};
use unskew_torch_schemas::{FunctionSchema, OperatorTable, diff};

/// Where it stands, from the root of the repository.
pub const PAGE: &str = "docs/reference/operator-upgraders.md";

const HEAD: &str = "# What became of PyTorch's operators

From 1.10 to 2.15, operators went and got other schemas while the operator version moved from 6 to 10 for four of
them. This page says of each public one what an old call becomes in the newest release, and which new operators
older releases can do. It is made from the [operator registry](operator-registry.md).

An upgrader and a downgrader give what the operator itself gave, floats up to rounding. *Proved by* says where:
`8 of 1.10.2 on 2.15.0` is eight calls of the operator on the real 1.10.2, and the function with the same arguments
on the real 2.15.0. Kernels of cuDNN, MIOpen and oneDNN that no release runs alone are held against what 2.15.0
computes for the same convolution and its gradients. The cases stand in `crates/torch/operators/data/operator_cases.tsv`, and are run by
`crates/torch/operators/tests/real.py`. \"not run\" is what only runs with CUDA, or on a release that is not in reach.
";

/// The page.
///
/// # Errors
/// If the registry or the files beside it cannot be read.
pub fn page(root: &Path) -> anyhow::Result<String> {
    let registry = unskew_torch_operators::registry();
    let proofs = Proofs::read(root)?;
    let (history, _) = unskew_releases::torch::database().context("the database is broken")?;
    let table = |release: &str| -> anyhow::Result<OperatorTable> {
        history.table(release.parse()?).context("a release that is not in the database")
    };
    let found = diff(&table("1.10.2")?, &table("2.15.0")?);
    let removed: Vec<&FunctionSchema> =
        found.removed.iter().filter(|schema| is_public(schema)).collect();
    let broken = found.changed.iter().filter(|change| !change.is_backward_compatible());
    let broken: Vec<&FunctionSchema> =
        broken.map(|change| &change.old).filter(|one| is_public(one)).collect();
    let mut text = format!("{MARK}{HEAD}");
    let mut told = BTreeSet::new();
    for (title, all) in [("Gone", &removed), ("Another schema", &broken)] {
        let _ = writeln!(text, "\n## {title}: {} operators\n", all.len());
        text.push_str(
            "| operator | since | an old call | proved by |\n| --- | --- | --- | --- |\n",
        );
        for schema in all {
            let name = schema.full_name();
            for change in registry.changes_of(&name).iter().filter(|change| is_up(change)) {
                row(&mut text, registry, &proofs, &name, change);
            }
            told.insert(name);
        }
    }
    text.push_str("\n## Others that changed\n\n| operator | since | an old call | proved by |\n| --- | --- | --- | --- |\n");
    for (name, changes) in registry.operators().filter(|(name, _)| !told.contains(*name)) {
        for change in changes.iter().filter(|change| is_up(change)) {
            row(&mut text, registry, &proofs, name, change);
        }
    }
    downgraders(&mut text, registry, &proofs);
    text.push_str(
        "\nMade from `crates/torch/operators/data/operator_versions.yaml` and the files beside it.\n",
    );
    Ok(text)
}

fn is_public(schema: &FunctionSchema) -> bool {
    schema.name.strip_prefix("aten::").is_some_and(|name| !name.starts_with('_'))
}

/// Whether a change is one that old calls may have to do with.
fn is_up(change: &RegistryChange) -> bool {
    !matches!(change.since, ChangeStart::Added(_))
}

fn row(
    text: &mut String,
    registry: &OperatorRegistry,
    proofs: &Proofs,
    name: &str,
    change: &RegistryChange,
) {
    let since = match change.since {
        ChangeStart::Version(version) => format!("operator version {version}"),
        ChangeStart::Meaning(release) => format!("{release}, another result"),
        other => other.release().map_or_else(String::new, |release| release.to_string()),
    };
    let (what, proof) = match (&change.upgrader, &change.compatible, &change.note) {
        (Some(bridge), ..) => {
            let mut what = upgrader(registry, bridge);
            for note in change.note.iter() {
                let _ = write!(what, "; {note}");
            }
            (what, proofs.of(bridge))
        }
        (None, Some(why), _) => (format!("stays: {why}"), String::new()),
        (None, None, Some(why)) => (format!("none: {why}"), String::new()),
        (None, None, None) => return,
    };
    let _ = writeln!(text, "| `{name}` | {since} | {what} | {proof} |");
}

/// In words, what an upgrader is.
fn upgrader(registry: &OperatorRegistry, bridge: &Bridge) -> String {
    let function = registry.function(&bridge.function);
    let mut what = match function.and_then(renamed) {
        Some(name) => format!("`{}`, which is `{name}`", bridge.function),
        None => format!("`{}`", bridge.function),
    };
    for condition in &bridge.only {
        let _ = write!(what, ", if {condition}");
    }
    what
}

/// The operator that a function only passes its arguments on to, in their order.
fn renamed(function: &FunctionDefinition) -> Option<String> {
    let [Statement::Return { value: Some(Expression::Call(call)), .. }] = function.body.as_slice()
    else {
        return None;
    };
    let passed = call.arguments.iter().map(|argument| argument.value.path());
    let own = function.parameters.iter().map(|parameter| Some(parameter.name.text.to_string()));
    let path = call.function.path()?;
    passed.eq(own).then(|| path.replacen("torch.", "aten::", 1))
}

fn downgraders(text: &mut String, registry: &OperatorRegistry, proofs: &Proofs) {
    let all: Vec<(&str, &RegistryChange, &Bridge)> = registry
        .operators()
        .flat_map(|(name, changes)| changes.iter().map(move |change| (name, change)))
        .flat_map(|(name, change)| {
            change.downgraders.iter().map(move |bridge| (name, change, bridge))
        })
        .collect();
    let _ = writeln!(text, "\n## In older releases: {} operators\n", all.len());
    text.push_str(
        "| operator | | runs on | exact if | proved by |\n| --- | --- | --- | --- | --- |\n",
    );
    for (name, change, bridge) in all {
        let only: Vec<String> = bridge.only.iter().map(ToString::to_string).collect();
        let proof = proofs.of(bridge);
        let (since, on, only) = (change.since, bridge.on, only.join(", "));
        let _ = writeln!(text, "| `{name}` | {since} | {on} | {only} | {proof} |");
    }
}

/// What ran where: by the name of a function.
struct Proofs {
    /// The releases whose operator gave the cases, and how many.
    recorded: BTreeMap<String, BTreeMap<String, usize>>,
    /// The releases on which the function gave the same.
    ran: BTreeMap<String, Vec<String>>,
}

impl Proofs {
    fn read(root: &Path) -> anyhow::Result<Self> {
        let (mut recorded, mut ran) = (BTreeMap::new(), BTreeMap::new());
        for row in rows(root, "operator_cases.tsv")? {
            let [function, release, ..] = row.as_slice() else { continue };
            let by_release: &mut BTreeMap<String, usize> =
                recorded.entry(function.clone()).or_default();
            *by_release.entry(release.clone()).or_default() += 1;
        }
        for row in rows(root, "operator_proofs.tsv")? {
            let [function, release, ..] = row.as_slice() else { continue };
            let all: &mut Vec<String> = ran.entry(function.clone()).or_default();
            all.push(release.clone());
        }
        Ok(Self { recorded, ran })
    }

    fn of(&self, bridge: &Bridge) -> String {
        let name = &bridge.function;
        let (Some(recorded), Some(ran)) = (self.recorded.get(name), self.ran.get(name)) else {
            return "not run".to_owned();
        };
        let cases: Vec<String> =
            recorded.iter().map(|(release, count)| format!("{count} of {release}")).collect();
        format!("{} on {}", cases.join(", "), ran.join(", "))
    }
}

fn rows(root: &Path, file: &str) -> anyhow::Result<Vec<Vec<String>>> {
    let path = root.join("crates/torch/operators/data").join(file);
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}
