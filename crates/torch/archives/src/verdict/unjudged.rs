//! Unjudged aspects of a file and a release, beyond what was measured of single operators.

use unskew_core::{Judgement, Places, Unjudged, aspect};

use super::pair::FileAndRelease;
use crate::prepacked_weights::prepacked_form::is_packed;

pub(super) fn judge(pair: &FileAndRelease<'_>) -> Judgement {
    // The release that wrote a file runs it.
    let minor = pair.runtime.minor();
    let writer = pair.writer();
    if writer.since == Some(minor) && writer.until == Some(minor) {
        return Judgement::default();
    }
    classes(pair).into_iter().collect::<Vec<_>>().into()
}

/// Classes registered in C++ that are not of quantized weights: what the release reads of their state is its own affair.
fn classes(pair: &FileAndRelease<'_>) -> Option<Unjudged> {
    let (mut names, mut places) = (Vec::new(), Places::default());
    let is_other =
        |class: &str| !class.split_once('.').is_some_and(|(family, name)| is_packed(family, name));
    for (class, known) in pair.model.classes.iter().filter(|(class, _)| is_other(class)) {
        names.push(class.as_str());
        places.extend(known);
    }
    if names.is_empty() {
        return None;
    }
    names.truncate(3);
    let reason = format!(
        "{}: whether {} reads the state of objects of these classes was not measured",
        names.join(", "),
        pair.runtime_name
    );
    Some(Unjudged::new(aspect::CLASSES, reason).at(places))
}
