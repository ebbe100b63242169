//! Report of an adapter: what was made, how it is used, and what it fixes.

use std::fmt::Write as _;
use std::path::Path;

use unskew_core::{Context, Severity};
use unskew_pjrt_adapter::Mode;
use unskew_report::{BAD, DIM, EMPHASIS, GOOD, Plain};
use unskew_verbs::Adapted;
use unskew_verbs::adapt::Age;

/// The whole text; `plugin` is what the user called the plug-in.
pub fn text(plugin: &Path, adapted: &Adapted, context: &Context) -> String {
    let Adapted { place, config, age, .. } = adapted;
    let mut text = String::new();
    let plugin = plugin.display().to_string();
    let what = match config.mode {
        Mode::Adapt => "presents",
        Mode::Emulate => "behaves as",
    };
    let _ = writeln!(text, "{EMPHASIS}{}{EMPHASIS:#}", Plain(&place.display().to_string()));
    let _ = writeln!(text, "  {what} PJRT 0.{}", config.present);
    let _ = writeln!(text, "  {DIM}plug-in{DIM:#}   {}", Plain(&plugin));
    if let Age::For { release, host, .. } = age {
        let _ = writeln!(text, "  {DIM}host{DIM:#}      {release}, PJRT 0.{}", host.minor);
    }
    let _ = writeln!(text, "  {DIM}use{DIM:#}       {}", Plain(&adapted.usage()));
    findings(adapted, context, &mut text);
    text
}

/// What `check` finds about the plug-in as it is, and what becomes of it.
fn findings(adapted: &Adapted, context: &Context, text: &mut String) {
    let pairs = adapted.pairs(context);
    let found: Vec<_> = pairs.iter().flat_map(|pair| &pair.verdict.findings).collect();
    let (fixed, stays): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|finding| finding.adaptation.is_some());
    let mut list = |title: &str, style: anstyle::Style, findings: &[&unskew_core::Finding]| {
        if !findings.is_empty() {
            let _ = writeln!(text, "\n{style}{title}{style:#}");
        }
        for finding in findings {
            let _ = writeln!(text, "  {} {}", finding.rule.code, Plain(&finding.message));
        }
    };
    list("fixed", GOOD, &fixed);
    let errors: Vec<_> =
        stays.iter().copied().filter(|finding| finding.severity == Severity::Error).collect();
    let others: Vec<_> =
        stays.iter().copied().filter(|finding| finding.severity != Severity::Error).collect();
    list("remains an error", BAD, &errors);
    list("remains", DIM, &others);
}
