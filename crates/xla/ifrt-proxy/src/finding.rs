//! Programs that are too new for the plug-in: a finding of the rule SH001, and how clients are told.
//!
//! A client writes a program for the StableHLO version that it takes for old enough, and never asks for the
//! server's. What decides is not that version but what the program uses: a program for 1.13.7 that adds two
//! arrays runs on a plug-in of 1.13.3. So the names of operations, types and attributes are looked at, and
//! not the program. Where the plug-in then refuses it, the error that Python raises ends with
//!
//! ```text
//! finding: SH001 newer-than-the-reader
//! program: StableHLO 1.14.0
//! plug-in: StableHLO 1.13.3
//! because: the plug-in reads StableHLO up to 1.13.3, the artifact of 1.14.0 uses what came with 1.14.0: ...
//! fix: use an older jaxlib in the client, or serve a plug-in with StableHLO 1.14.0 or later
//! explain: unskew explain SH001
//! ```
//!
//! each a line of a name and a value, in this order. A plug-in is asked even so: it may read more than it says.

use std::fmt;
use std::sync::Arc;

use unskew_core::{Context, Date, Finding, Party, Role, Version, check};
use unskew_ifrt::types::HloProgram;
use unskew_source::{BytesSource, Source};

use crate::status::Status;

const RULE: &str = "SH001";

/// Why a program is too new for a plug-in.
#[derive(Debug)]
pub struct TooNew {
    finding: Finding,
    program: String,
    reads: Version,
}

impl TooNew {
    /// Looks at what a program uses, and at the StableHLO version that the plug-in says it reads.
    ///
    /// None if the plug-in reads all of it, says nothing, or the program has no version.
    pub fn find(program: &HloProgram, reads: Option<Version>) -> Option<Self> {
        let (written, reads) = (program.stablehlo()?.to_owned(), reads?);
        if written.parse::<Version>().is_ok_and(|written| written <= reads) {
            return None;
        }
        let bytes = BytesSource::new("the program", program.artifact());
        let source: Arc<dyn Source> = Arc::new(bytes);
        // What cannot be read here the plug-in may read.
        let artifact = unskew_stablehlo::party(&source).ok().flatten()?;
        let plugin = Party::new("the plug-in", Role::Plugin, "PJRT plug-in");
        let reader = unskew_stablehlo::reader(plugin, reads);
        // Windows of support are warnings, and no business of a server: the day does not matter.
        let verdict = check(&artifact, &reader, &Context::on(Date::constant(2026, 1, 1)));
        let finding = verdict.findings.into_iter().find(|finding| finding.rule.code == RULE)?;
        Some(Self { finding, program: written, reads })
    }

    /// The error of the plug-in, with the finding behind it.
    pub fn told(&self, mut error: Status) -> Status {
        error.message = format!("{}\n{self}", error.message);
        error
    }
}

impl fmt::Display for TooNew {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.finding.rule;
        writeln!(out, "finding: {} {}", rule.code, rule.name)?;
        writeln!(out, "program: StableHLO {}", self.program)?;
        writeln!(out, "plug-in: StableHLO {}", self.reads)?;
        writeln!(out, "because: {}", self.finding.message)?;
        let fix = "use an older jaxlib in the client, or serve a plug-in that reads what it uses";
        writeln!(out, "fix: {fix}")?;
        write!(out, "explain: unskew explain {}", rule.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call of a composite, which `stablehlo.serialize_portable_artifact_str` of jaxlib wrote for 1.14.0.
    const COMPOSITE: &[u8] = include_bytes!("../tests/data/composite-1.14.0.stablehlo");

    fn reads(version: &str) -> Option<Version> {
        Some(version.parse().unwrap())
    }

    #[test]
    fn a_program_that_uses_what_came_later_is_too_new_and_both_versions_are_named() {
        let program = HloProgram::new(COMPOSITE.to_vec()).unwrap();
        assert!(TooNew::find(&program, reads("1.14.0")).is_none());
        assert!(TooNew::find(&program, None).is_none());
        let found = TooNew::find(&program, reads("1.13.3")).unwrap();
        let told = found.told(Status::invalid("no such operation")).message;
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[0], "no such operation");
        assert_eq!(lines[1], "finding: SH001 newer-than-the-reader");
        assert_eq!(lines[2], "program: StableHLO 1.14.0");
        assert_eq!(lines[3], "plug-in: StableHLO 1.13.3");
        assert!(lines[4].contains("vhlo.composite_v2"), "{told}");
        assert!(lines[5].starts_with("fix: "), "{told}");
    }

    #[test]
    fn a_program_that_says_it_is_newer_and_uses_nothing_new_is_not() {
        let bytes = [b"ML\xefR\rStableHLO_v1.99.0".as_slice(), b"\0"].concat();
        let program = HloProgram::new(bytes).unwrap();
        assert!(TooNew::find(&program, reads("1.13.3")).is_none());
    }
}
