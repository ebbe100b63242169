//! The dated history of every axis.
//!
//! Some axes have a history of their own, written down day by day: the PJRT C API, IFRT, StableHLO. The
//! numbers of files move with the releases that read them; their histories are made from the rows, and a
//! number landed there with the first release of the database that has it.

use unskew_core::{Date, History, HistoryEntry, Version, Window};

use crate::{tensorflow, torch};

/// One step of a history that is made from releases: the day, the release, its number.
type Step = (Date, String, Version);

/// The history of every axis that the database knows, by the name of the axis.
///
/// ```
/// use unskew_core::{Date, Version, Window};
/// let histories = unskew_releases::histories();
/// let serdes = histories.iter().find(|history| history.axis.as_str() == "ifrt.serdes").unwrap();
/// let day = Date::constant(2026, 7, 1);
/// assert_eq!(serdes.at_least_old(&Window::weeks(4), day).unwrap(), Version::number(3));
/// ```
pub fn histories() -> Vec<History> {
    let written = [
        unskew_pjrt::history(),
        unskew_ifrt::serdes(),
        unskew_ifrt::proxy(),
        unskew_stablehlo::history(),
    ];
    let made = [
        made(
            "torch.file_format",
            "PyTorch file format that a release reads",
            torch_steps(|runtime| runtime.release.file_format.max),
        ),
        made(
            "torch.bytecode",
            "PyTorch mobile bytecode that a release reads",
            torch_steps(|runtime| runtime.release.bytecode.and_then(|range| range.max)),
        ),
        made(
            "torch.export_schema",
            "schema of torch.export",
            torch_steps(|runtime| runtime.release.exported),
        ),
        made("tf.graph_def", "TensorFlow GraphDef version of a release", tensorflow_steps()),
    ];
    let mut all: Vec<History> =
        written.into_iter().flatten().cloned().chain(made.into_iter().flatten()).collect();
    all.sort_by(|a, b| a.axis.cmp(&b.axis));
    all
}

fn torch_steps(number: impl Fn(&unskew_torch::TorchRuntime) -> Option<Version>) -> Vec<Step> {
    let step = |row: &crate::ReleaseRow| {
        let version = number(&torch::runtime(row)?)?;
        Some((row.released, format!("torch {}", row.version), version))
    };
    torch::rows().iter().filter_map(step).collect()
}

/// How much older a build of the other side may be than what it meets, as the makers of an axis promise it on
/// `day`; none if they promise nothing that is known.
pub fn window(axis: &str, day: Date) -> Option<Window> {
    let policy = match axis {
        "pjrt.api" => unskew_pjrt::policy(day),
        "ifrt.serdes" => unskew_ifrt::policy(),
        "stablehlo" => unskew_stablehlo::policy(),
        _ => None,
    };
    policy?.forward.clone()
}

fn tensorflow_steps() -> Vec<Step> {
    let step = |row: &crate::ReleaseRow| {
        let number = tensorflow::runtime(row)?.graph_def.version;
        Some((row.released, format!("tensorflow {}", row.version), Version::number(number)))
    };
    tensorflow::rows().iter().filter_map(step).collect()
}

/// A history with an entry for each number that no release before had. Patch releases of an older
/// line come out late with an older number; they are no step of the axis.
fn made(axis: &'static str, title: &str, mut steps: Vec<Step>) -> Option<History> {
    steps.sort_unstable();
    let mut entries: Vec<HistoryEntry> = Vec::new();
    for (landed, release, version) in steps {
        if entries.last().is_none_or(|last| last.version < version) {
            let change = format!("first in {release}");
            entries.push(HistoryEntry { version, landed, header: None, change, parts: Vec::new() });
        }
    }
    History::new(axis, title, entries, Vec::new()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_has_its_history() {
        let names: Vec<String> =
            histories().iter().map(|history| history.axis.to_string()).collect();
        assert_eq!(
            names,
            [
                "ifrt.proxy",
                "ifrt.serdes",
                "pjrt.api",
                "stablehlo",
                "tf.graph_def",
                "torch.bytecode",
                "torch.export_schema",
                "torch.file_format",
            ]
        );
    }

    #[test]
    fn a_number_lands_with_the_first_release_that_has_it() {
        let histories = histories();
        let of = |axis: &str| histories.iter().find(|h| h.axis.as_str() == axis).unwrap();
        let ten = of("torch.file_format").entries().last().unwrap();
        assert_eq!((ten.version, &*ten.change), (Version::number(10), "first in torch 1.12.1"));
        assert_eq!(of("tf.graph_def").current(), Version::number(2474));
    }
}
