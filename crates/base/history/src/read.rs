//! A history from its bytes, in whichever form it is kept.

use unskew_source::LARGEST_TEXT;

use crate::{Chronicle, ChronicleProblem, comment, markdown, toml_form};

/// How many versions a history may have. Real ones have some hundreds.
const MOST: usize = 5_000;

impl Chronicle {
    /// Reads a history; none if the bytes are none of the forms.
    pub fn read(file: &str, bytes: &[u8]) -> Option<Self> {
        // Who reads histories says so before; who only asks whether it is one needs no answer for such a file.
        if bytes.len() > LARGEST_TEXT {
            return None;
        }
        let text = String::from_utf8_lossy(bytes);
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        let read = match ending {
            "toml" => toml_form::read(file, &text),
            "md" | "markdown" | "rst" | "txt" => markdown::read(file, &text),
            _ => comment::read(file, &text).or_else(|| markdown::read(file, &text)),
        };
        read.map(Self::within_budget)
    }

    /// What is beyond [`MOST`] is left out, and said to be.
    fn within_budget(mut self) -> Self {
        let lines = [
            self.steps.get(MOST).map(|step| step.line),
            self.floors.get(MOST).map(|floor| floor.line),
            self.stated.get(MOST).map(|stated| stated.line),
            self.problems.get(MOST).map(|problem| problem.line),
        ];
        let beyond = lines.into_iter().flatten().min();
        self.steps.truncate(MOST);
        self.floors.truncate(MOST);
        self.stated.truncate(MOST);
        self.releases.truncate(MOST);
        self.problems.truncate(MOST);
        self.problems.extend(beyond.map(|line| {
            let what = format!("over the budget of {MOST} versions; the rest is not read");
            ChronicleProblem { line, what, day: false }
        }));
        self
    }
}
