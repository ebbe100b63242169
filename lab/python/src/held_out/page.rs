//! The page about environments that were held out.

use std::fmt::Write as _;

use super::peers::{PIP, TY};
use super::sample::Sample;
use crate::drifted::cells::{change_cell, import_cell, proposal_cells, verdict_cell};

/// The line of one environment.
pub(super) fn row(sample: &Sample) -> String {
    let errors =
        sample.errors.iter().map(|one| format!("{} {}", one.code, one.packages.join(", ")));
    let yes = |is: bool| if is { "yes" } else { "no" };
    let peers = &sample.peers;
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        sample.package,
        change_cell(sample.drift.as_ref()),
        import_cell(&sample.failed),
        verdict_cell(errors),
        match sample.failed.is_empty() {
            true => "",
            false if sample.is_warned() => "in a warning",
            false => yes(sample.is_right()),
        },
        yes(peers.pip_check),
        yes(peers.uv_pip_check),
        yes(peers.ty),
        proposal_cells(sample.proposed.as_ref()),
    )
}

/// The page.
pub(super) fn page(seed: u64, drawn: u64, refused: usize, samples: &[Sample]) -> String {
    let (works, broken): (Vec<&Sample>, Vec<&Sample>) =
        samples.iter().partition(|one| one.failed.is_empty());
    let count =
        |all: &[&Sample], is: &dyn Fn(&Sample) -> bool| all.iter().filter(|one| is(one)).count();
    let says = |one: &Sample| !one.errors.is_empty();
    let silent = |one: &Sample| one.errors.is_empty() && !one.is_warned() && !one.says_unjudged;
    let proposals = broken.iter().filter_map(|one| one.proposed.as_ref());
    let (all, repaired) = proposals.fold((0, 0), |(all, repaired), one| {
        (all + 1, repaired + usize::from(one.error.is_none()))
    });
    let mut page = format!(
        "# Environments that were held out\n\n\
         Environments of Python 3.11, drawn by seed {seed}: a package as of one day, and one that it uses as of another day, \
         without a resolver; one in six has a package with extensions beside PyTorch. What an import says decides which class a \
         broken one is of; each class has a quota by its share in public reports, which a run may end before. {drawn} draws, of which {refused} could not be \
         installed or bring PyTorch or TensorFlow. Imported were the package, the one that was changed, all that require it, \
         and all that an error names.\n\n\
         **Agreement: of {} environments in which an import fails, `unskew env` names the failure with the right packages in \
         {}, and another one in {}; {} have a warning that names it, and {} neither that nor a line of what was not judged. Of {} that work, it says a \
         failure of {}. Of {all} changes that are proposed and need no other PyTorch, {repaired} repair all that failed.**\n\n\
         | of | environments | `unskew env` | `pip check` | `uv pip check` | `ty` |\n\
         | --- | --: | --: | --: | --: | --: |\n",
        broken.len(),
        count(&broken, &|one| says(one) && one.is_right()),
        count(&broken, &|one| says(one) && !one.is_right()),
        count(&broken, &Sample::is_warned),
        count(&broken, &silent),
        works.len(),
        count(&works, &says),
    );
    for (name, samples) in [("broken, named", &broken), ("working, said to break", &works)] {
        let is_named = |one: &Sample| says(one) && (one.failed.is_empty() || one.is_right());
        let _ = writeln!(
            page,
            "| {name} | {} | {} | {} | {} | {} |",
            samples.len(),
            count(samples, &is_named),
            count(samples, &|one| one.peers.pip_check),
            count(samples, &|one| one.peers.uv_pip_check),
            count(samples, &|one| one.peers.ty),
        );
    }
    let _ = write!(
        page,
        "\n`pip check` ({PIP}) and `uv pip check` name requirements that are not met. `ty` ({TY}) reads the sources of the \
         package whose import fails, else of the package of the environment; it counts where it names what the import says is \
         missing, and of one that works, where it says that a module lacks a name.\n\n\
         | environment of | changed | import | `unskew env` | right | `pip check` | `uv pip check` | `ty` | proposed | import after it |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for sample in broken.iter().chain(&works) {
        let _ = writeln!(page, "{}", row(sample));
    }
    page
}
