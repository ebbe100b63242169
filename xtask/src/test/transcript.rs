//! What `cargo test -- --show-output` prints, cut down to what a reader of a long log looks for: the remarks of tests
//! that passed (an agreement, a skipped check), and everything of those that failed, once more at the end.

use std::io::{BufRead, Write};

/// Where in the output of one test binary a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    /// `test name ... ok`, and what child processes print themselves.
    Progress,
    /// The captured output of tests that passed.
    Remarks,
    /// A panic that a passing test wanted: its message and backtrace, up to the next empty line.
    WantedPanic,
    /// The names of the tests that passed and printed something.
    PassedNames,
    /// The captured output and the names of the tests that failed.
    Failures,
}

/// Copies the lines of `output` that matter to `to` and gives back those about failures, in order.
///
/// # Errors
/// If `output` cannot be read or `to` cannot be written.
pub fn condense(output: impl BufRead, to: &mut impl Write) -> std::io::Result<Vec<String>> {
    let mut section = Section::Progress;
    let mut failures = Vec::new();
    for line in output.split(b'\n') {
        let line = String::from_utf8_lossy(&line?).trim_end().to_owned();
        section = enter(section, &line);
        let failed =
            section == Section::Failures || line.starts_with("test ") && line.ends_with(" FAILED");
        if failed {
            failures.push(line.clone());
        }
        if failed || is_wanted(section, &line) {
            writeln!(to, "{line}")?;
            to.flush()?;
        }
    }
    Ok(failures)
}

/// The section that `line` belongs to, after a line of `section`.
fn enter(section: Section, line: &str) -> Section {
    match (section, line) {
        (_, line) if line.starts_with("running ") || line.starts_with("test result: ") => {
            Section::Progress
        }
        (Section::Progress, "successes:") => Section::Remarks,
        (Section::Remarks | Section::WantedPanic, "successes:") => Section::PassedNames,
        (_, "failures:") => Section::Failures,
        (Section::Remarks, line)
            if line.starts_with("thread '") && line.contains(" panicked at ") =>
        {
            Section::WantedPanic
        }
        (Section::WantedPanic, "") => Section::Remarks,
        _ => section,
    }
}

/// Whether a line of a test that passed is worth printing.
fn is_wanted(section: Section, line: &str) -> bool {
    match section {
        Section::Progress => {
            let passed = line.starts_with("test ") && line.ends_with(" ok");
            !(passed || line.is_empty() || line.starts_with("running "))
        }
        Section::Remarks => !line.is_empty() && line != "successes:",
        Section::WantedPanic | Section::PassedNames => false,
        Section::Failures => true,
    }
}

#[cfg(test)]
mod tests {
    use super::condense;

    const OUTPUT: &str = "\
running 3 tests
test a ... ok
test b ... ok
test c ... FAILED

successes:

---- a stdout ----
agreement 9/9
---- b stdout ----

thread 'b' (7) panicked at src/lib.rs:1:1:
on purpose
stack backtrace:
   0: somewhere


successes:
    a
    b

failures:

---- c stdout ----

thread 'c' (8) panicked at src/lib.rs:9:9:
assertion failed


failures:
    c

test result: FAILED. 2 passed; 1 failed
";

    #[test]
    fn remarks_stay_wanted_panics_go_and_failures_come_again() {
        let mut shown = Vec::new();
        let failures =
            condense(OUTPUT.as_bytes(), &mut shown).expect("both are in memory").join("\n");
        let shown = String::from_utf8(shown).expect("the input is UTF-8");
        assert!(
            shown.contains("agreement 9/9") && shown.contains("test result: FAILED"),
            "{shown}"
        );
        assert!(!shown.contains("on purpose") && !shown.contains("test a ... ok"), "{shown}");
        for part in ["test c ... FAILED", "src/lib.rs:9:9", "assertion failed"] {
            assert!(shown.contains(part) && failures.contains(part), "{part}: {failures}");
        }
        assert!(!failures.contains("agreement"), "{failures}");
    }
}
