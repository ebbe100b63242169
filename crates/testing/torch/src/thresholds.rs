//! Thresholds for conversion: files of which every one has to give what was recorded, on a named release.

use unskew_core::Version;

use crate::{ConversionPrediction, ReleaseTrial, TrialOutcome, recorded};

/// A promise about some of the recorded files.
pub struct Threshold {
    /// What is promised, in words.
    pub what: &'static str,
    /// The release on which they run.
    pub on: &'static str,
    /// Which files it is about: their writer, their model, their kind.
    holds_for: fn(Version, &str, &str) -> bool,
}

const fn minor(major: i64, minor: i64) -> Version {
    Version::pair(major, minor)
}

/// Whether a writer is of one of these minor releases.
fn is(writer: Version, minors: &[Version]) -> bool {
    minors.contains(&minor(writer.major(), writer.minor()))
}

/// Everything that is promised.
pub const BARS: [Threshold; 11] = [
    Threshold {
        what: "`torch.export` files of 2.4 and 2.5",
        on: "2.15.0",
        holds_for: |writer, _, kind| kind == "pt2" && is(writer, &[minor(2, 4), minor(2, 5)]),
    },
    Threshold {
        what: "`torch.export` files of 2.1 and 2.2",
        on: "2.15.0",
        holds_for: |writer, _, kind| kind == "pt2" && is(writer, &[minor(2, 1), minor(2, 2)]),
    },
    Threshold {
        what: "`torch.export` files of 2.8 to 2.15",
        on: "2.6.0",
        holds_for: |writer, _, kind| kind == "pt2" && writer >= minor(2, 8),
    },
    Threshold {
        what: "`torch.export` files of 2.6 to 2.15",
        on: "2.5.1",
        holds_for: |writer, _, kind| kind == "pt2" && writer >= minor(2, 6),
    },
    Threshold {
        what: "archives of 1.1 and 1.2",
        on: "2.15.0",
        holds_for: |writer, _, _| writer < minor(1, 3),
    },
    Threshold {
        what: "`linspace` and `logspace` in mobile files of 1.10",
        on: "2.15.0",
        holds_for: |writer, model, kind| {
            kind == "ptl" && is(writer, &[minor(1, 10)]) && model.contains("space")
        },
    },
    Threshold {
        what: "`gelu` of 2.15",
        on: "1.4.0",
        holds_for: |writer, model, kind| {
            kind == "pt" && is(writer, &[minor(2, 15)]) && model == "Gelu"
        },
    },
    Threshold {
        what: "`F.interpolate` of 2.12 and later (`Net`)",
        on: "2.5.1",
        holds_for: |writer, model, kind| kind == "pt" && writer >= minor(2, 12) && model == "Net",
    },
    Threshold {
        what: "`floor_divide` of 1.10 to 1.12 (`qdiv`)",
        on: "2.15.0",
        holds_for: |_, model, _| model == "qdiv",
    },
    Threshold {
        what: "`arange` of 1.1 to 1.3",
        on: "2.15.0",
        holds_for: |writer, model, _| writer < minor(1, 4) && model == "arange",
    },
    Threshold {
        what: "files of 2.15 stay as they are",
        on: "2.15.0",
        holds_for: |writer, _, _| is(writer, &[minor(2, 15)]),
    },
];

/// How many files a bar is about, how many of them give what was recorded, and how many of those stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThresholdCount {
    /// How many files there are.
    pub all: usize,
    /// Those that give it.
    pub equal: usize,
    /// Those of the equal ones that are not rewritten.
    pub unchanged: usize,
}

impl Threshold {
    /// Counts the files of the trials on its release.
    pub fn count(&self, trials: &[ReleaseTrial]) -> ThresholdCount {
        let mut count = ThresholdCount::default();
        for trial in trials {
            let Ok(writer) = recorded::release(&trial.file) else { continue };
            if !(self.holds_for)(writer, trial.model(), trial.kind()) {
                continue;
            }
            count.all += 1;
            if trial.after == Some(TrialOutcome::Equal) {
                count.equal += 1;
                count.unchanged += usize::from(trial.fate == ConversionPrediction::Unchanged);
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bar_is_about_some_of_the_recorded_files() -> anyhow::Result<()> {
        let files = recorded::files()?;
        let models: Vec<String> =
            recorded::all()?.into_iter().map(|recorded| recorded.model).collect();
        let trial = |file: &String| ReleaseTrial {
            file: file.clone(),
            fate: ConversionPrediction::Unchanged,
            before: None,
            after: Some(TrialOutcome::Equal),
        };
        let is_recorded = |file: &&String| {
            models.iter().any(|model| {
                file.strip_prefix(model.as_str()).is_some_and(|kind| kind.starts_with('.'))
            })
        };
        let trials: Vec<ReleaseTrial> = files.keys().filter(is_recorded).map(trial).collect();
        for bar in &BARS {
            assert!(bar.count(&trials).all > 0, "{}", bar.what);
        }
        // All that 1.1 and 1.2 wrote.
        assert_eq!(BARS[4].count(&trials).all, 31);
        Ok(())
    }
}
