//! The report on a pluggable device of TensorFlow.

use std::fmt::Write as _;
use std::sync::Arc;

use unskew_core::Party;
use unskew_report::{BAD, DIM, EMPHASIS, GOOD, Plain, WARN};
use unskew_stream_executor::preflight::{
    PluginLoadResult, Preflight, Skew, entries, faults, usages,
};

/// The party of the plug-in with what is wrong with it; none if it was not put on trial.
pub fn judged(party: &Arc<Party>) -> Option<Arc<Party>> {
    let preflight = party.capability::<Preflight>()?;
    let mut judged = Party::clone(party);
    for usage in usages(preflight) {
        judged = judged.fact(format!("in {}", usage.span()), usage.verdict.word());
    }
    Some(Arc::new(faults(preflight).into_iter().fold(judged, Party::note)))
}

/// Which releases can use it, and what it does with hosts that no release is; everything that was seen if
/// `verbose`.
pub fn text(label: &str, preflight: &Preflight, verbose: bool) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{EMPHASIS}{}{EMPHASIS:#}, pluggable device", Plain(label));
    let _ = writeln!(text, "  {EMPHASIS}TensorFlow releases{EMPHASIS:#}");
    for usage in usages(preflight) {
        let style = match usage.verdict {
            PluginLoadResult::Works => GOOD,
            PluginLoadResult::Doubtful | PluginLoadResult::Unknown => WARN,
            PluginLoadResult::Fails => BAD,
            PluginLoadResult::NotLoaded => DIM,
        };
        let span = usage.span();
        let range = span.strip_prefix("TensorFlow ").unwrap_or(&span);
        let word = usage.verdict.word();
        let _ = write!(text, "    {range:14}  {style}{word}{style:#}");
        let seen = verbose || usage.verdict != PluginLoadResult::NotLoaded;
        let _ = match seen {
            true => writeln!(text, "{DIM}: {}{DIM:#}", Plain(&usage.seen)),
            false => writeln!(text),
        };
    }
    let later = entries(preflight);
    if !later.is_empty() {
        let _ = writeln!(text, "  {EMPHASIS}After registration{EMPHASIS:#}");
    }
    for (entry, seen) in later {
        let _ = writeln!(text, "    {entry:16} {}", Plain(&seen));
    }
    let _ = writeln!(text, "  {EMPHASIS}Hosts that no release is{EMPHASIS:#}");
    for trial in preflight.trials.iter().filter(|trial| trial.script.skew != Skew::None) {
        let (host, seen) = (trial.script.skew.to_string(), trial.summary());
        let _ = writeln!(text, "    {host:34}  {}", Plain(&seen));
    }
    text
}
