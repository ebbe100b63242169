//! A timeline as a drawing (SVG 1.1, one file that needs nothing else).

use std::fmt::Write as _;

use unskew_core::{Date, is_hidden};

use crate::HistoryAnswers;
use crate::timeline::{Bar, Drawing, VersionStatus};

/// Sizes in pixels: the whole width, the margins, a row.
const WIDTH: f64 = 1120.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 330.0;
const TOP: f64 = 92.0;
const ROW: f64 = 20.0;
/// How many letters of a change fit beside its bar.
const LETTERS: usize = 46;

/// Draws the timeline: a solid bar while a version was in force, a pale one while its window is open after that,
/// a line for the day of the question, and the window that a release of this day must support behind it all.
/// Only what counted since `since`, if it is given.
pub fn svg(answers: &HistoryAnswers, since: Option<Date>) -> String {
    drawn(answers, since, Some(STYLE))
}

/// The same for a page that has styles for its classes (`title`, `dim`, `grid`, `today`, `must`, `window`, and one for
/// what becomes of a version: `current`, `supported`, `removable`, `removed`, `ahead`) and forbids others.
pub fn svg_in_page(answers: &HistoryAnswers, since: Option<Date>) -> String {
    drawn(answers, since, None)
}

fn drawn(answers: &HistoryAnswers, since: Option<Date>, style: Option<&str>) -> String {
    let drawing = Drawing::new(answers, since);
    let rows = drawing.bars.len() as f64 * ROW;
    let height = TOP + rows + 56.0;
    let mut out = String::new();
    let heading = escaped(&heading(answers));
    let _ = writeln!(
        out,
        "<svg{} viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
         <title>{heading}</title>",
        if style.is_some() { " xmlns=\"http://www.w3.org/2000/svg\"" } else { "" },
    );
    if let Some(style) = style {
        let _ = writeln!(
            out,
            "<style>{style}</style>\n<rect width=\"{WIDTH}\" height=\"{height}\" class=\"paper\"/>"
        );
    }
    let _ = writeln!(out, "<text x=\"16\" y=\"26\" class=\"title\">{heading}</text>");
    let _ = writeln!(
        out,
        "<text x=\"16\" y=\"46\" class=\"dim\">{}</text>",
        escaped(&subtitle(answers))
    );
    scale(&drawing, answers, rows, &mut out);
    for (at, bar) in drawing.bars.iter().rev().enumerate() {
        row(&drawing, bar, answers.day, TOP + at as f64 * ROW, &mut out);
    }
    legend(&drawing, TOP + rows + 34.0, &mut out);
    out.push_str("</svg>\n");
    out
}

const STYLE: &str = ".paper{fill:#fff}.title{font-size:16px;font-weight:600;fill:#1f2328}.dim{fill:#59636e}\
.grid{stroke:#d9dee3}.today{stroke:#cf222e;stroke-width:1.5}.must{fill:#ddf4ff;opacity:.6}text{fill:#1f2328}\
.current{fill:#1a7f37}.supported{fill:#0969da}.removable{fill:#9a6700}.removed{fill:#8c959f}.ahead{fill:#8250df}\
.window{opacity:.3}";

fn heading(answers: &HistoryAnswers) -> String {
    let title = match answers.history.title.as_str() {
        "" => answers.history.axis.to_string(),
        title => title.to_owned(),
    };
    format!("{title} on {}", answers.day)
}

fn subtitle(answers: &HistoryAnswers) -> String {
    let mut parts = Vec::new();
    if let Some(current) = answers.current {
        parts.push(format!("in force: {current}"));
    }
    if let (Some(supported), Some(window)) = (&answers.supported, &answers.window) {
        parts.push(format!(
            "a release of this day must support {} ({window} back to {})",
            supported.range, supported.from
        ));
    }
    match answers.removable.as_slice() {
        [] => {}
        [(one, _)] => parts.push(format!("may be removed: {one}")),
        [(first, _), .., (last, _)] => parts.push(format!("may be removed: {first} to {last}")),
    }
    parts.join("; ")
}

fn x(drawing: &Drawing, day: Date) -> f64 {
    LEFT + drawing.place(day) * (WIDTH - LEFT - RIGHT)
}

fn scale(drawing: &Drawing, answers: &HistoryAnswers, rows: f64, out: &mut String) {
    let bottom = TOP + rows + 4.0;
    if let Some(supported) = &answers.supported {
        let (from, to) = (x(drawing, supported.from.max(drawing.from)), x(drawing, answers.day));
        let _ = writeln!(
            out,
            "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"must\"/>",
            TOP - 6.0,
            to - from,
            bottom - TOP + 6.0
        );
    }
    for day in drawing.marks(10) {
        let at = x(drawing, day);
        let shown = format!("{:04}-{:02}", day.year(), day.month());
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" y1=\"{:.1}\" x2=\"{at:.1}\" y2=\"{bottom:.1}\" class=\"grid\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" class=\"dim\">{shown}</text>",
            TOP - 6.0,
            TOP - 12.0
        );
    }
    let today = x(drawing, answers.day);
    let _ = writeln!(
        out,
        "<line x1=\"{today:.1}\" y1=\"{:.1}\" x2=\"{today:.1}\" y2=\"{bottom:.1}\" class=\"today\"/>\
         <text x=\"{today:.1}\" y=\"{:.1}\" text-anchor=\"middle\" class=\"dim\">{}</text>",
        TOP - 6.0,
        bottom + 12.0,
        answers.day
    );
}

fn row(drawing: &Drawing, bar: &Bar, today: Date, y: f64, out: &mut String) {
    let class = class(bar.state);
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        LEFT - 10.0,
        y + 13.0,
        bar.version
    );
    let mut rectangle = |from: Date, to: Date, class: &str, title: &str| {
        if to < drawing.from {
            return;
        }
        let (from, to) = (x(drawing, from), x(drawing, to));
        let width = (to - from).max(2.0);
        let _ = writeln!(
            out,
            "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" rx=\"2\" class=\"{class}\">\
             <title>{}</title></rect>",
            y + 3.0,
            ROW - 6.0,
            escaped(title)
        );
    };
    if let (Some((_, Some(last))), Some(until)) = (bar.spans.last(), bar.until) {
        let title = format!("{}: counts until {until}", bar.version);
        rectangle(*last, until, &format!("{class} window"), &title);
    }
    for (from, last) in &bar.spans {
        let title = match last {
            Some(last) => format!("{}: in force from {from} to {last}", bar.version),
            None => format!("{}: in force since {from}", bar.version),
        };
        rectangle(*from, last.unwrap_or(today.max(*from)), class, &title);
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" class=\"dim\">{}</text>",
        WIDTH - RIGHT + 14.0,
        y + 13.0,
        escaped(&shortened(&bar.change))
    );
}

fn legend(drawing: &Drawing, y: f64, out: &mut String) {
    let mut at = 16.0;
    for state in VersionStatus::ALL {
        if drawing.bars.iter().any(|bar| bar.state == state) {
            let _ = writeln!(
                out,
                "<rect x=\"{at:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" rx=\"2\" class=\"{}\"/>\
                 <text x=\"{:.1}\" y=\"{y:.1}\" class=\"dim\">{}</text>",
                y - 10.0,
                class(state),
                at + 18.0,
                state.as_str()
            );
            at += 130.0;
        }
    }
    if drawing.before > 0 {
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{y:.1}\" class=\"dim\">and {} before {}</text>",
            drawing.before, drawing.from
        );
    }
}

const fn class(state: VersionStatus) -> &'static str {
    match state {
        VersionStatus::Current => "current",
        VersionStatus::Supported | VersionStatus::Replaced => "supported",
        VersionStatus::Removable => "removable",
        VersionStatus::Removed => "removed",
        VersionStatus::Ahead => "ahead",
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}\u{2026}", text.get(..end).unwrap_or(text).trim_end()),
        None => text.to_owned(),
    }
}

/// Text as XML takes it; what nobody sees, or XML does not allow, is written out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if is_hidden(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.extend(c.escape_unicode())
            }
            c => out.push(c),
        }
    }
    out
}
