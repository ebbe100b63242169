//! Inspection of a file: what it is and every version it carries.

use std::ffi::OsString;

use unskew_artifact::OpenOptions;
use unskew_core::Context;
use unskew_report::{Look, ReadFailure, Report};

use crate::{artifact_side, chain};

/// A look at everything that `names` name. What could not be read stands in [`Report::failures`].
pub fn inspect(names: &[OsString], options: &OpenOptions, context: Context) -> Report {
    let mut report = Report::new(context);
    for name in names {
        match artifact_side(name, options) {
            Ok(side) => {
                let looks =
                    side.members.into_iter().map(|m| Look { path: m.label, party: m.party });
                report.looks.extend(looks);
                report.failures.extend(side.failures);
            }
            Err(error) => report
                .failures
                .push(ReadFailure { path: name.display().to_string(), message: chain(&error) }),
        }
    }
    report
}
