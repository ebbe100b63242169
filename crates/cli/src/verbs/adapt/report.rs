//! What was made, how it is used, and what it fixes.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use unskew_core::{Context, Severity, check};
use unskew_pjrt_adapter::{Config, Mode};
use unskew_report::{BAD, DIM, EMPHASIS, GOOD, Plain};

use crate::sides::Side;
use crate::verbs::adapt::age::Age;

/// The variable by which JAX finds plug-ins.
const VARIABLE: &str = "PJRT_NAMES_AND_LIBRARY_PATHS";

/// The settings as a file, with a head that says how they are used.
pub fn settings(place: &Path, config: &Config) -> anyhow::Result<String> {
    let settings = config.to_toml().context("a path is not UTF-8")?;
    let library = place.file_name().unwrap_or_default().to_string_lossy();
    let usage = usage(place);
    Ok(format!(
        "# Settings of the adapted plug-in {library} beside this file; made by `unskew adapt`.\n\
         # For JAX: {usage}\n\n{settings}"
    ))
}

/// The variables with which JAX uses the plug-in at `place`.
fn usage(place: &Path) -> String {
    let name = place.file_stem().unwrap_or_default().to_string_lossy();
    format!("{VARIABLE}={name}:{} JAX_PLATFORMS={name}", place.display())
}

/// The whole text; `place` is where the result stands, `plugin` what the user called the plug-in.
pub fn text(
    (place, plugin): (&Path, &Path),
    config: &Config,
    age: &Age,
    side: &Side,
    context: &Context,
) -> String {
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
    let _ = writeln!(text, "  {DIM}use{DIM:#}       {}", Plain(&usage(place)));
    findings(age, side, context, &mut text);
    text
}

/// What `check` finds about the plug-in as it is, and what becomes of it.
fn findings(age: &Age, side: &Side, context: &Context, text: &mut String) {
    let Age::For { release, .. } = age else { return };
    let host = release.party();
    let verdicts = side.members.iter().map(|member| check(&member.party, &host, context));
    let found: Vec<_> = verdicts.flat_map(|verdict| verdict.findings).collect();
    let (fixed, stays): (Vec<_>, Vec<_>) =
        found.iter().partition(|finding| finding.adaptation.is_some());
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
