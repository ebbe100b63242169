//! The page about environments that drifted.

use std::fmt::Write as _;

use super::Trial;
use super::cells::{change_cell, import_cell, proposal_cells, verdict_cell};

/// The line of one environment.
pub(super) fn row(trial: &Trial) -> String {
    let errors = trial.errors.iter().map(|(code, names)| format!("{code} {}", names.join(", ")));
    let declared = if trial.is_declared { "yes" } else { "no" };
    format!(
        "| {} | {} | {} | {} | {declared} | {} |",
        trial.package,
        change_cell(trial.drift.as_ref()),
        import_cell(&trial.failed),
        verdict_cell(errors),
        proposal_cells(trial.proposed.as_ref()),
    )
}

/// The page.
pub(super) fn page(seed: u64, trials: &[Trial], refused: usize) -> String {
    let broken: Vec<&Trial> = trials.iter().filter(|one| one.is_broken()).collect();
    let works: Vec<&Trial> = trials.iter().filter(|one| !one.is_broken()).collect();
    let said = |all: &[&Trial]| all.iter().filter(|one| one.is_said_to_fail()).count();
    let declared = |all: &[&Trial]| all.iter().filter(|one| one.is_declared).count();
    let right = broken.iter().filter(|one| one.is_said_to_fail() && one.is_right_pair()).count();
    let proposals: Vec<_> = broken.iter().filter_map(|one| one.proposed.as_ref()).collect();
    let repaired = proposals.iter().filter(|one| one.error.is_none()).count();
    let mut page = format!(
        "# Environments that drifted\n\n\
         Environments of Python 3.11 as uv made them on a day, and the same after one package was changed to what it was on \
         another day, without a resolver: drawn by seed {seed} from packages for machine learning and data that need neither \
         PyTorch nor TensorFlow. {refused} could not be installed, or bring one of the two. Imported were the package of the \
         environment, the one that was changed, all that require it, and all that an error names. Declared: what `uv pip check` \
         finds.\n\n\
         **Agreement: of {} environments in which an import fails, `unskew env` names a failure at load in {}, with the right \
         package in {right}; `uv pip check` finds something in {}. Of {} in which all work, `unskew env` says a failure of {}, \
         `uv pip check` of {}. Of {} changes that are proposed where an import fails, {repaired} repair all that failed.**\n\n\
         The table has those in which something fails or is said to.\n\n\
         | environment of | changed | import | `unskew env` | declared | proposed | import after it |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
        broken.len(),
        said(&broken),
        declared(&broken),
        works.len(),
        said(&works),
        declared(&works),
        proposals.len(),
    );
    for trial in trials.iter().filter(|one| one.is_broken() || one.is_said_to_fail()) {
        let _ = writeln!(page, "{}", row(trial));
    }
    page
}
