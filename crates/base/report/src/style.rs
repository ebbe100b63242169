//! The few styles that there are.

use anstyle::{AnsiColor, Style};
use unskew_core::Severity;

/// Errors, and pairs that do not work.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Warnings, and what was not judged.
pub const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// Pairs that work, and promises that hold.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What is good to know.
pub const NOTE: Style = AnsiColor::Cyan.on_default();
/// What is looked for first.
pub const EMPHASIS: Style = Style::new().bold();
/// What is there for those who look twice.
pub const DIM: Style = Style::new().dimmed();

/// The style of a severity.
pub const fn of_severity(severity: Severity) -> Style {
    match severity {
        Severity::Error => BAD,
        Severity::Warning => WARN,
        Severity::Note => NOTE,
    }
}
