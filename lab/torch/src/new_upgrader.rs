//! `cargo xtask new-upgrader FUNC --bumped-at 11`: an operator changed; the entry, the function and its test.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use unskew_core::Version;
use unskew_torch_operators::{
    ChangeStart, NewChange, OperatorRegistry, RegistrySources, ReleaseSpan, function_files,
};
use unskew_torch_schemas::{FunctionSchema, OperatorHistory, changes};

/// The change of an operator that the upgrader is for.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("since").required(true))]
pub struct NewUpgrader {
    /// The operator by its full name: aten::gelu, aten::div.Tensor.
    func: String,
    /// The operator version from which on it means something else.
    #[arg(long, value_name = "VERSION", group = "since")]
    bumped_at: Option<u32>,
    /// The first release without it.
    #[arg(long, value_name = "RELEASE", group = "since")]
    removed_in: Option<Version>,
    /// The first release with another schema.
    #[arg(long, value_name = "RELEASE", group = "since")]
    broken_in: Option<Version>,
    /// The first release that computes something else under the same schema.
    #[arg(long, value_name = "RELEASE", group = "since")]
    meaning_changed_in: Option<Version>,
    /// The first release that has it.
    #[arg(long, value_name = "RELEASE", group = "since")]
    added_in: Option<Version>,
    /// What it was; taken from the database if a release is given.
    #[arg(long, value_name = "SCHEMA")]
    old_schema: Option<FunctionSchema>,
    /// What it is, for a downgrader; taken from the newest release of the database.
    #[arg(long, value_name = "SCHEMA", requires = "on")]
    new_schema: Option<FunctionSchema>,
    /// The older releases that a downgrader is for, such as 1.6-1.13.
    #[arg(long, value_name = "RELEASES")]
    on: Option<ReleaseSpan>,
    /// Why there is no upgrader, or what else there is to say.
    #[arg(long)]
    note: Option<String>,
    /// Writes a note and no upgrader: the change breaks only new programs on old runtimes.
    #[arg(long, requires = "note")]
    no_upgrader: bool,
    /// The folder of the registry.
    #[arg(long, default_value = "crates/torch/operators/data")]
    data: PathBuf,
}

/// Writes the entry, the function and its case, and says what is left to do.
///
/// # Errors
/// If the change cannot be; nothing is written then.
pub fn run(arguments: &NewUpgrader) -> anyhow::Result<()> {
    let folder = unskew_peers::root().join(&arguments.data);
    let read = |file: &str| {
        let path = folder.join(file);
        std::fs::read_to_string(&path).with_context(|| path.display().to_string())
    };
    let functions = |stem: &str| {
        function_files::read(&folder, stem).with_context(|| folder.join(stem).display().to_string())
    };
    let (versions, cases) = (read("operator_versions.yaml")?, read("operator_cases.tsv")?);
    let (upgraders, downgraders) =
        (functions("operator_upgraders")?, functions("operator_downgraders")?);
    let (history, _) = unskew_releases::torch::database().context("the database is broken")?;
    let change = change(arguments, history)?;
    let sources =
        RegistrySources { versions: &versions, upgraders: &upgraders, downgraders: &downgraders };
    let written = OperatorRegistry::add(sources, &change)?;
    let rows: String =
        written.cases.iter().map(|(name, given)| format!("{name}\t\t{given}\t\n")).collect();
    let mut files =
        vec![("operator_versions.yaml", written.versions), ("operator_cases.tsv", cases + &rows)];
    for (alone, text) in [
        ("operator_upgraders.py", &written.upgraders),
        ("operator_downgraders.py", &written.downgraders),
    ] {
        match function_files::split(text) {
            parts if parts.is_empty() => files.push((alone, text.clone())),
            parts => files.extend(parts),
        }
    }
    for (file, text) in &files {
        let path = folder.join(file);
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    next_steps(&arguments.data, &change, &written.functions, &files);
    Ok(())
}

fn next_steps(data: &Path, change: &NewChange, functions: &[String], files: &[(&str, String)]) {
    let data = data.display();
    println!("{}: {} is in {data}/operator_versions.yaml", change.operator, change.since);
    let mut steps = Vec::new();
    for function in functions {
        let head = format!("def {function}(");
        let file = files.iter().find(|(_, text)| text.contains(&head)).map_or("", |(name, _)| name);
        steps.push(format!("write the body of {function}, at the end of {data}/{file}"));
    }
    if !functions.is_empty() {
        steps
            .push(format!("add more cases at the end of {data}/operator_cases.tsv: the hard ones"));
        steps.push(format!(
            "on a release that has the operator: python crates/torch/operators/tests/real.py record {data}/operator_cases.tsv"
        ));
    }
    steps.push("cargo test -p unskew-torch-operators && cargo xtask docs".to_owned());
    for (at, step) in steps.iter().enumerate() {
        println!("{}. {step}", at + 1);
    }
}

fn change(arguments: &NewUpgrader, history: &OperatorHistory) -> anyhow::Result<NewChange> {
    let NewUpgrader {
        func, bumped_at, removed_in, broken_in, meaning_changed_in, added_in, ..
    } = arguments;
    let since = match (bumped_at, removed_in, broken_in, meaning_changed_in, added_in) {
        (Some(version), ..) => ChangeStart::Version(*version),
        (_, Some(release), ..) => ChangeStart::Removed(*release),
        (_, _, Some(release), ..) => ChangeStart::Broken(*release),
        (_, _, _, Some(release), _) => ChangeStart::Meaning(*release),
        (_, _, _, _, Some(release)) => ChangeStart::Added(*release),
        _ => bail!(
            "say since when: --bumped-at, --removed-in, --broken-in, --meaning-changed-in or --added-in"
        ),
    };
    let added = matches!(since, ChangeStart::Added(_));
    ensure!(
        !(added && arguments.old_schema.is_some()),
        "{func} is new: there is no old schema of it"
    );
    ensure!(
        !added || arguments.on.is_some(),
        "--on says which older releases the downgrader is for"
    );
    let schema = match &arguments.old_schema {
        _ if added || arguments.no_upgrader => None,
        Some(schema) => Some(known(history, func, schema)?),
        None => Some(last(history, func, since.release()).with_context(|| {
            format!("no release of the database has {func}; give what it was with --old-schema")
        })?),
    };
    let downgrade = match (arguments.on, &arguments.new_schema) {
        (None, _) => None,
        (Some(on), Some(schema)) => Some((known(history, func, schema)?, on)),
        (Some(on), None) => {
            let newest = last(history, func, None);
            let newest =
                newest.with_context(|| format!("no release has {func}; give --new-schema"))?;
            Some((newest, on))
        }
    };
    let (operator, note) = (func.clone(), arguments.note.clone());
    Ok(NewChange { operator, since, schema, downgrade, note })
}

/// The newest schema of the database before a release.
fn last(history: &OperatorHistory, func: &str, before: Option<Version>) -> Option<FunctionSchema> {
    let releases = history.releases().iter().rev();
    let mut older = releases.filter(|release| before.is_none_or(|before| **release < before));
    let definitions = history.named(func.split('.').next().unwrap_or(func));
    older.find_map(|release| {
        let here = definitions.iter().filter(|one| one.runs.contains(*release));
        let mut schemas = here.filter_map(|one| one.schema());
        schemas
            .find(|schema| schema.full_name() == func)
            .map(|schema| FunctionSchema::clone(schema))
    })
}

/// The schema, if it is one of a release, or of an operator that no release of the database has.
fn known(
    history: &OperatorHistory,
    func: &str,
    schema: &FunctionSchema,
) -> anyhow::Result<FunctionSchema> {
    let definitions = history.named(&schema.name);
    let schemas = definitions.iter().filter_map(|one| one.schema());
    let mut own = schemas.filter(|one| one.full_name() == func).peekable();
    let Some(nearest) = own.peek().copied() else { return Ok(schema.clone()) };
    if own.any(|one| changes(one, schema).is_empty()) {
        return Ok(schema.clone());
    }
    bail!("no release has {schema}; one has {nearest}")
}
