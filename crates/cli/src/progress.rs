//! A bar for long work: on the standard error, on a terminal, and only once the work is long.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Fewer steps than this of reading are over before a bar could be read.
pub const MANY_FILES: usize = 10;
/// Fewer steps than this of judging are.
pub const MANY_PAIRS: usize = 2_000;

/// A bar of `steps`, or, if they are fewer than `many`, one that draws nothing.
pub fn bar(what: &'static str, steps: usize, many: usize) -> ProgressBar {
    if steps < many || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} {eta}");
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_message(what);
    bar.enable_steady_tick(Duration::from_millis(200));
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
