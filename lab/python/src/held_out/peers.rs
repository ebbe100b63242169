//! What other tools say of an environment.

use std::path::Path;
use std::process::Command;

use unskew_environments::{Environment, InstalledPackage};
use unskew_lab_harness::environment::uv;

use crate::drifted::environment::DrawnEnvironment;

/// The releases that are asked.
pub(super) const TY: &str = "ty==0.0.108";
pub(super) const PIP: &str = "pip==26.3";

/// The rules of `ty` about names of modules.
const NAMES: [&str; 3] =
    ["error[missing-module-member]", "error[missing-attribute]", "error[import-not-found]"];

/// What each tool says.
#[derive(Clone, Debug, Default)]
pub(super) struct PeerAnswers {
    pub(super) pip_check: bool,
    pub(super) uv_pip_check: bool,
    /// Whether `ty` names what is missing; of an environment that works, whether it says that a module lacks a name that is imported.
    pub(super) ty: bool,
}

/// Asks each tool about an environment. `ty` reads the sources of `packages`; of what it says, the lines with `missing` count.
///
/// # Errors
/// If uv cannot be run.
pub(super) fn ask(
    drawn: &DrawnEnvironment,
    environment: &Environment,
    packages: &[String],
    missing: Option<&str>,
) -> anyhow::Result<PeerAnswers> {
    let uv_pip_check = drawn.pip(&["check"])?.is_err();
    let mut pip = tool(PIP)?;
    pip.args(["pip", "--python"]).arg(drawn.python()).arg("check");
    let pip_check = !pip.output()?.status.success();
    let folders = environment.packages.iter().filter(|one| packages.contains(&one.key()));
    let folders = folders.flat_map(InstalledPackage::import_modules).flat_map(|module| {
        let of_environment = environment.folders.iter();
        let sources = of_environment.map(move |folder| folder.join(&module));
        sources.filter(|source| source.is_dir()).collect::<Vec<_>>()
    });
    let folders: Vec<_> = folders.collect();
    let mut answers = PeerAnswers { pip_check, uv_pip_check, ty: false };
    if folders.is_empty() {
        return Ok(answers);
    }
    let mut ty = tool(TY)?;
    ty.args(["ty", "check", "--output-format", "concise", "--project"]);
    ty.arg(Path::new(&drawn.place)).arg("--python").arg(&drawn.place).args(folders);
    let said = String::from_utf8_lossy(&ty.output()?.stdout).into_owned();
    // An import that is not found may be of an optional package.
    answers.ty = said.lines().any(|line| match missing {
        Some(name) => {
            NAMES.iter().any(|rule| line.contains(rule)) && line.contains(&format!("`{name}`"))
        }
        None => line.contains(NAMES[0]),
    });
    Ok(answers)
}

fn tool(requirement: &str) -> anyhow::Result<Command> {
    let mut tool = Command::new(uv()?);
    tool.args(["tool", "run", "--quiet", "--from", requirement]);
    Ok(tool)
}
