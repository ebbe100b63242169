//! Dates on which versions really landed, held against those that their makers wrote down.
//!
//! A version has landed with the commit that brought its entry to the branch on which releases are made. Lines
//! say less than entries do: one that was reworded or moved would be as young as its last touch. What stood in the
//! list when its file began may be older than the file, so that nothing is said of it, unless it is the only one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use unskew_core::{Date, Version, Window};

use crate::findings::{Faults, findings, in_days, named};
use crate::rules;
use crate::{
    Chronicle, ChronicleVersion, FileHistory, HistoryCheckOptions, HistoryDepth, HistoryFault,
};
use unskew_source::NotRead;

/// When one version landed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Landed {
    /// A commit brought it to the branch.
    On {
        /// The day of that commit.
        day: Date,
        /// What it is called: `commit 3f2a91c04b7e`.
        by: String,
    },
    /// It was there on this day already, which is the first that is known.
    Before(Date),
    /// No commit has brought it yet.
    NotYet,
}

/// When the versions of a history landed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Landings {
    steps: Vec<Option<Landed>>,
    /// The first day of the file.
    begun: Option<Date>,
    /// Whether older states are missing, so that more could be known.
    cut: bool,
}

/// A number with how many entries of it stand before: it may be taken back and come again.
type NumberOccurrence = (Version, usize);

fn entries(steps: &[ChronicleVersion]) -> Vec<NumberOccurrence> {
    let mut counts: BTreeMap<Version, usize> = BTreeMap::new();
    let entry = |step: &ChronicleVersion| {
        let count = counts.entry(step.version).or_default();
        *count += 1;
        (step.version, *count - 1)
    };
    steps.iter().map(entry).collect()
}

impl Landings {
    /// Looks for every entry of `now` in the states of its file; none if nobody knows them.
    ///
    /// # Errors
    /// If a state could not be read.
    pub fn find(
        now: &Chronicle,
        file: &str,
        past: &dyn FileHistory,
    ) -> Result<Option<Self>, NotRead> {
        let wanted = entries(&now.steps);
        let mut found = Self { steps: vec![None; wanted.len()], begun: None, cut: false };
        // Since when each entry has been there without a break, as far as has been looked.
        let mut since: Vec<Option<(Date, String)>> = vec![None; wanted.len()];
        let mut first = 0;
        let reach = past.walk(file, &mut |state| {
            // A state in which it was no history yet, or a broken one, says nothing.
            let Some(then) = Chronicle::read(file, &state.bytes) else {
                return ControlFlow::Continue(());
            };
            let there = entries(&then.steps);
            first = there.len();
            found.begun = Some(state.day);
            for ((entry, landed), since) in wanted.iter().zip(&mut found.steps).zip(&mut since) {
                match (landed.is_none(), there.contains(entry)) {
                    (true, true) => *since = Some((state.day, state.label.clone())),
                    (true, false) => *landed = Some(landed_with(since.take())),
                    (false, _) => {}
                }
            }
            match found.steps.iter().all(Option::is_some) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        if reach == HistoryDepth::Nowhere {
            return Ok(None);
        }
        found.cut = reach == HistoryDepth::Cut;
        let alone = first == 1 && !found.cut;
        for (landed, since) in found.steps.iter_mut().zip(since) {
            landed.get_or_insert_with(|| match since {
                Some((day, _)) if !alone => Landed::Before(day),
                since => landed_with(since),
            });
        }
        Ok(Some(found))
    }

    /// Whether versions may have landed in commits that this clone does not have.
    pub fn is_cut(&self) -> bool {
        self.cut && self.steps.iter().flatten().any(|landed| matches!(landed, Landed::Before(_)))
    }

    /// The day that counts for each step: that of its commit, or, where nothing is written down, the latest that
    /// it can be.
    pub fn day(&self, at: usize, step: &ChronicleVersion) -> Option<Date> {
        match self.steps.get(at)?.as_ref()? {
            Landed::On { day, .. } => Some(*day),
            Landed::Before(day) => Some(*day).filter(|_| step.day().is_none()),
            Landed::NotYet => None,
        }
    }

    /// Whether a day that was written anew is the one that git knows.
    pub(crate) fn confirms(&self, at: usize, day: Date) -> bool {
        matches!(self.steps.get(at), Some(Some(Landed::On { day: landed, .. })) if *landed == day)
    }
}

fn landed_with(since: Option<(Date, String)>) -> Landed {
    since.map_or(Landed::NotYet, |(day, by)| Landed::On { day, by })
}

/// Everything that is wrong with a history whose landings are known: windows are counted from these. `allowed` is how
/// much earlier than its landing a version may be dated.
pub fn landed_findings(
    chronicle: &Chronicle,
    landings: &Landings,
    terms: HistoryCheckOptions<'_>,
    allowed: &Window,
) -> Vec<HistoryFault> {
    let mut dated = chronicle.clone();
    dated.land(|at, step| landings.day(at, step));
    // That a day was written too early is told by the rules of landings, with the commit.
    let own: BTreeSet<String> = chronicle
        .steps
        .iter()
        .filter(|step| step.landed.is_some())
        .map(|step| named(step.version))
        .collect();
    let mut faults = findings(&dated, terms);
    faults.retain(|fault| fault.finding.rule.code != "HI009" || own.contains(&fault.subject));
    if let Some(today) = terms.today {
        let window = terms.window.or(chronicle.window.as_ref());
        faults.extend(drifted(chronicle, landings, DateTolerance { today, window, allowed }));
    }
    faults
}

/// The terms under which landings are judged.
#[derive(Clone, Copy, Debug)]
struct DateTolerance<'a> {
    /// The day of the question.
    today: Date,
    /// The window that is promised; a version that left it harms nobody any more.
    window: Option<&'a Window>,
    /// How much earlier a day may be written than it comes.
    allowed: &'a Window,
}

/// What is written down and is not so.
fn drifted(
    chronicle: &Chronicle,
    landings: &Landings,
    drift: DateTolerance<'_>,
) -> Vec<HistoryFault> {
    let mut faults = Faults::new(chronicle);
    let releases = &chronicle.releases;
    let late = |written: Date, day: Date| {
        let until = drift.allowed.end(written, releases).ok().flatten();
        until.is_some_and(|until| until < day)
    };
    let counts = |landed: Date| {
        let end = |window: &Window| window.end(landed, releases).ok().flatten();
        drift.window.and_then(end).is_none_or(|end| end >= drift.today)
    };
    for (step, landed) in chronicle.steps.iter().zip(&landings.steps) {
        let (Some(written), version) = (step.day(), &step.version) else { continue };
        match landed {
            Some(Landed::On { day, by }) if late(written, *day) && counts(*day) => {
                let days = &in_days(written, *day);
                let rule =
                    rules::LandedAfterItsDay { version, written: &written, landed: day, days, by };
                faults.add(named(*version), rule.finding(), step.line);
            }
            Some(Landed::NotYet) if late(written, drift.today) => {
                let (today, days) = (&drift.today, &in_days(written, drift.today));
                let rule =
                    rules::DayPassedBeforeLanding { version, written: &written, today, days };
                faults.add(named(*version), rule.finding(), step.line);
            }
            _ => {}
        }
    }
    faults.list
}
