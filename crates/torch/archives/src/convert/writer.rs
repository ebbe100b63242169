//! Producer of a file, as the one who converts it says.

use unskew_core::{Conversion, Places, Version};

use crate::{ProducerReleases, TorchModel, TorchRuntime, rules};

const OPTION: &str = "--written-by";

/// Takes `release` for the writer of the file; says whether the file agrees. If it shows another writer, that
/// is a blocker: what is stated would change the meaning of its calls.
pub(super) fn state(
    file: &str,
    model: &mut TorchModel,
    release: Version,
    to: &TorchRuntime,
    plan: &mut Conversion,
) -> bool {
    let shown = model.producer_by(to.operators.history());
    let minor = Version::pair(release.major(), release.minor());
    let later = shown.since.is_some_and(|since| minor < since);
    let earlier = shown.until.is_some_and(|until| until < minor);
    if later || earlier {
        let stated = &format!("torch {release}");
        let finding = rules::WriterContradicted { file: &file, shown: &shown, stated }.finding();
        plan.blockers.push(finding.at(Places::from_iter(&shown.signs)));
        return false;
    }
    if shown.exact.is_none() {
        model.producer = ProducerReleases::stated(&release.to_string(), OPTION);
    }
    true
}
