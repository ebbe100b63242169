//! A timeline in characters.

use std::fmt::Write as _;

use unskew_core::{Date, Padded, column};

use crate::HistoryAnswers;
use crate::timeline::{Bar, Drawing, VersionStatus};

/// How wide the scale is, in characters.
const WIDTH: usize = 60;

/// The timeline: `#` while a version was in force, `-` while its window was open, `|` for the day of the
/// question, and what that makes of each version. Only what counted since `since`, if it is given.
pub fn text(answers: &HistoryAnswers, since: Option<Date>) -> String {
    let drawing = Drawing::new(answers, since);
    let mut text = String::new();
    let width = column(drawing.bars.iter().map(|bar| bar.version.to_string().len()));
    let scale = scale(&drawing);
    let _ = writeln!(text, "  {}  {scale}", Padded("", width));
    for bar in drawing.bars.iter().rev() {
        let (version, line) = (bar.version.to_string(), line(&drawing, bar, answers.day));
        let until = match (bar.state, bar.until) {
            (VersionStatus::Supported, Some(last)) => format!(" until {last}"),
            _ => String::new(),
        };
        let (version, state) = (Padded(version, width), bar.state.as_str());
        let _ = writeln!(text, "  {version}  {line}  {state}{until}");
    }
    if drawing.before > 0 {
        let _ = writeln!(text, "  and {} before {}", drawing.before, drawing.from);
    }
    text
}

fn place(drawing: &Drawing, day: Date) -> usize {
    // Between 0 and WIDTH - 1: the place is from 0 to 1.
    let last = WIDTH as f64 - 1.0;
    (drawing.place(day) * last).round() as usize
}

fn scale(drawing: &Drawing) -> String {
    let mut scale = vec![' '; WIDTH + 8];
    let mut free = 0;
    for day in drawing.marks(6) {
        let at = place(drawing, day);
        if at >= free {
            let shown = format!("{:04}-{:02}", day.year(), day.month());
            for (place, c) in scale.iter_mut().skip(at).zip(shown.chars()) {
                *place = c;
            }
            free = at + shown.len() + 1;
        }
    }
    scale.iter().collect::<String>().trim_end().to_owned()
}

fn line(drawing: &Drawing, bar: &Bar, today: Date) -> String {
    let mut line = ['.'; WIDTH];
    let mut fill = |from: Date, to: Date, c: char| {
        if to >= drawing.from {
            let (from, to) = (place(drawing, from), place(drawing, to));
            for place in line.iter_mut().take(to + 1).skip(from) {
                *place = c;
            }
        }
    };
    if let (Some((from, _)), Some(until)) = (bar.spans.first(), bar.until) {
        fill(*from, until, '-');
    }
    for (from, last) in &bar.spans {
        fill(*from, last.unwrap_or(today.max(*from)), '#');
    }
    if let Some(place) = line.get_mut(place(drawing, today)) {
        *place = '|';
    }
    line.iter().collect()
}
