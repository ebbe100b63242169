//! Dated histories as people keep them, in all three forms: what is wrong with them, what follows, how they are drawn.

use unskew_core::Window;
use crate::sides::{self, TODAY};
use unskew_history::{Chronicle, HistoryAnswers, svg, text};
use unskew_lint::Histories;

/// Gives the bytes to the reader.
pub(crate) fn run(bytes: &[u8]) {
    let Some((form, bytes)) = bytes.split_first() else { return };
    let name = ["a.toml", "a.md", "a.h"][usize::from(*form) % 3];
    sides::compare(&Histories, name, bytes);
    let Some(chronicle) = Chronicle::read(name, sides::split(bytes).1) else { return };
    for window in [None, Some(Window::weeks(12))] {
        if let Ok(answers) = HistoryAnswers::for_day(&chronicle, TODAY, window.as_ref()) {
            assert!(svg(&answers, None).ends_with("</svg>\n"));
            let _ = (text(&answers, Some(TODAY)), answers.falling());
        }
    }
}
