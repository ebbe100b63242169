//! A bar for long work: on the standard error, on a terminal, and only once the work is long. A build without the
//! feature `progress` draws none.

/// Fewer steps than this of reading are over before a bar could be read.
pub const MANY_FILES: usize = 10;
/// Fewer steps than this of judging are.
pub const MANY_PAIRS: usize = 2_000;

/// What is drawn, if anything.
#[derive(Debug)]
pub struct Bar {
    #[cfg(feature = "progress")]
    drawn: Option<indicatif::ProgressBar>,
}

impl Bar {
    /// One step is done.
    pub fn step(&self) {
        #[cfg(feature = "progress")]
        if let Some(drawn) = &self.drawn {
            drawn.inc(1);
        }
    }

    /// The work is done: the bar disappears.
    pub fn finish(&self) {
        #[cfg(feature = "progress")]
        if let Some(drawn) = &self.drawn {
            drawn.finish_and_clear();
        }
    }
}

/// A bar of `steps`, or, if they are fewer than `many`, one that draws nothing.
#[cfg(feature = "progress")]
pub fn bar(what: &'static str, steps: usize, many: usize) -> Bar {
    use std::io::IsTerminal as _;
    use std::time::Duration;

    use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

    if steps < many || !std::io::stderr().is_terminal() {
        return Bar { drawn: None };
    }
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_message(what);
    bar.enable_steady_tick(Duration::from_millis(200));
    let bar = match ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} {eta}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    };
    Bar { drawn: Some(bar) }
}

/// A bar that draws nothing.
#[cfg(not(feature = "progress"))]
pub fn bar(_: &'static str, _: usize, _: usize) -> Bar {
    Bar {}
}
