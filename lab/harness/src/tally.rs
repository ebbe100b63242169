//! Verdicts, counted by what real releases then did.

use unskew_core::{Outcome, Verdict};

/// What a verdict says of something on a release, as far as a release can show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prediction {
    /// It works.
    Works,
    /// It fails.
    Fails,
    /// The verdict names what it did not look at.
    NotJudged,
}

impl Prediction {
    /// What a verdict says; one that announces an adaptation says that the file works as it is.
    #[must_use]
    pub fn new(verdict: &Verdict) -> Self {
        match verdict.outcome {
            Outcome::Incompatible => Self::Fails,
            Outcome::Unjudged => Self::NotJudged,
            Outcome::Compatible | Outcome::Adaptable(_) | Outcome::Unrelated => Self::Works,
        }
    }
}

/// A verdict beside what came of it; where the two differ, with a line that says how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// What was said came.
    Right,
    /// Nothing was said.
    NotJudged,
    /// It was said to work, and fails.
    FalseCompatible(String),
    /// It was said to fail, and works.
    FalseRefused(String),
    /// It fails elsewhere than it was said.
    WrongPhase(String),
}

impl Comparison {
    /// Compares a prediction with whether it works.
    pub fn new(prediction: Prediction, works: bool, line: impl FnOnce() -> String) -> Self {
        match (prediction, works) {
            (Prediction::NotJudged, _) => Self::NotJudged,
            (Prediction::Works, true) | (Prediction::Fails, false) => Self::Right,
            (Prediction::Works, false) => Self::FalseCompatible(line()),
            (Prediction::Fails, true) => Self::FalseRefused(line()),
        }
    }

    /// The line of one that is wrong.
    #[must_use]
    pub fn wrong(&self) -> Option<&str> {
        match self {
            Self::Right | Self::NotJudged => None,
            Self::FalseCompatible(line) | Self::FalseRefused(line) | Self::WrongPhase(line) => {
                Some(line)
            }
        }
    }
}

/// How many verdicts were what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Right.
    pub right: usize,
    /// Not judged.
    pub unjudged: usize,
    /// Said to work, and failed.
    pub false_compatible: usize,
    /// Said to fail, and worked.
    pub false_refused: usize,
    /// Said to fail, and failed elsewhere.
    pub wrong_phase: usize,
}

impl Tally {
    /// The heads of the columns that [`Tally::cells`] fills.
    pub const HEAD: &str =
        "right | not judged | compatible, and fails | refused, and works | fails elsewhere";
    /// What stands below these heads.
    pub const RULE: &str = "--: | --: | --: | --: | --:";

    /// Counts one.
    pub fn add(&mut self, comparison: &Comparison) {
        let count = match comparison {
            Comparison::Right => &mut self.right,
            Comparison::NotJudged => &mut self.unjudged,
            Comparison::FalseCompatible(_) => &mut self.false_compatible,
            Comparison::FalseRefused(_) => &mut self.false_refused,
            Comparison::WrongPhase(_) => &mut self.wrong_phase,
        };
        *count += 1;
    }

    /// How many were wrong.
    #[must_use]
    pub fn wrong(&self) -> usize {
        self.false_compatible + self.false_refused + self.wrong_phase
    }

    /// How many were judged.
    #[must_use]
    pub fn judged(&self) -> usize {
        self.right + self.wrong()
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.judged() + self.unjudged
    }

    /// The sentence of a page that says how many were right.
    #[must_use]
    pub fn agreement(&self) -> String {
        let Self { right, unjudged, .. } = self;
        let judged = self.judged();
        let percent = 100.0 * *right as f64 / judged.max(1) as f64;
        format!(
            "**Agreement: {right} of {judged} verdicts ({percent:.1} %); {unjudged} not judged.**"
        )
    }

    /// The cells of a row of a Markdown table.
    #[must_use]
    pub fn cells(&self) -> String {
        let Self { right, unjudged, false_compatible, false_refused, wrong_phase } = self;
        format!("{right} | {unjudged} | {false_compatible} | {false_refused} | {wrong_phase}")
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, more: Self) {
        self.right += more.right;
        self.unjudged += more.unjudged;
        self.false_compatible += more.false_compatible;
        self.false_refused += more.false_refused;
        self.wrong_phase += more.wrong_phase;
    }
}

impl<'c> FromIterator<&'c Comparison> for Tally {
    fn from_iter<I: IntoIterator<Item = &'c Comparison>>(all: I) -> Self {
        let mut tally = Self::default();
        all.into_iter().for_each(|one| tally.add(one));
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_of_a_prediction_and_what_came_is_counted_once() {
        let mut all = vec![Comparison::WrongPhase("elsewhere".to_owned())];
        for prediction in [Prediction::Works, Prediction::Fails, Prediction::NotJudged] {
            for works in [true, false] {
                let line = || format!("{prediction:?} {works}");
                all.push(Comparison::new(prediction, works, line));
            }
        }
        let tally: Tally = all.iter().collect();
        assert_eq!(tally.cells(), "2 | 2 | 1 | 1 | 1");
        assert_eq!((tally.count(), tally.judged(), tally.wrong()), (7, 5, 3));
        let agreement = "**Agreement: 2 of 5 verdicts (40.0 %); 2 not judged.**";
        assert_eq!(tally.agreement(), agreement);
        let wrong: Vec<&str> = all.iter().filter_map(Comparison::wrong).collect();
        assert_eq!(wrong, ["elsewhere", "Works false", "Fails true"]);
    }
}
