//! Report of all checks of a plug-in.

use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{Finding, Party, Severity};

use super::array::HOST_MEMORY;
use super::check_outcome::CheckOutcome;
use super::checks::{MEMORY, SIZES};
use super::execute::ONE_DEVICE;
use super::seen::{CHAIN_ENDS, EVERY_SLOT, VERSION_SIZE};
use crate::layout;
use crate::probe::Probe;
use crate::rules;
use crate::verdict::{is_moot, looks_like_xla_cpu, required_functions};

/// One check and what it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckResult {
    /// What it is about: `buffers`.
    pub group: &'static str,
    /// What the check requires, in words.
    pub name: String,
    /// Whether the requirement holds, with evidence if not.
    pub outcome: CheckOutcome,
}

/// What all checks found, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conformance {
    /// One row a check.
    pub rows: Vec<CheckResult>,
    /// Functions that the plug-in's version has and that are not there, with the reason.
    pub missing: BTreeMap<String, String>,
    /// Those of them that hosts do not call on such a plug-in: what is for memory of the host, where buffers
    /// lie in a device's, and what is for a topology that there is not.
    pub moot: BTreeSet<String>,
}

impl Conformance {
    pub(crate) fn new(probe: &Probe, mut rows: Vec<CheckResult>) -> Self {
        if looks_like_xla_cpu(probe) {
            // Its device is the processor, which is always there.
            for row in &mut rows {
                if let CheckOutcome::NoDevice(said) = &row.outcome {
                    row.outcome = CheckOutcome::Fail(said.clone());
                }
            }
        }
        let mut missing = BTreeMap::new();
        for slot in layout::slots().iter().filter(|slot| slot.since <= probe.minor) {
            if !probe.has_function(slot.name) {
                missing.insert(slot.name.to_owned(), "the slot is empty".to_owned());
            }
        }
        for row in &rows {
            if let CheckOutcome::Unsupported { function, said } = &row.outcome
                && layout::slot(function).is_some_and(|slot| slot.since <= probe.minor)
            {
                missing.entry(function.clone()).or_insert_with(|| said.clone());
            }
        }
        let host_memory = host_memory(&rows).unwrap_or_else(|| looks_like_xla_cpu(probe));
        let lacks = |name: &str| missing.contains_key(name);
        let moot = missing.keys().filter(|name| is_moot(name, &lacks, host_memory));
        let moot = moot.cloned().collect();
        Self { rows, missing, moot }
    }

    /// The functions that are missing and that hosts call.
    pub(crate) fn lacks(&self, function: &str) -> bool {
        self.missing.contains_key(function) && !self.moot.contains(function)
    }

    /// Whether a program ran here, so that what hosts need was tried.
    pub fn ran_a_program(&self) -> bool {
        let executed = |row: &&CheckResult| row.group == "execute";
        self.rows.iter().filter(executed).any(|row| matches!(row.outcome, CheckOutcome::Pass(_)))
    }

    /// What the plug-in says of the device that it has not.
    pub fn no_device(&self) -> Option<String> {
        self.rows.iter().find_map(|row| match &row.outcome {
            CheckOutcome::NoDevice(said) => Some(said.clone()),
            _ => None,
        })
    }

    /// How many rows have this word.
    pub fn count(&self, word: &str) -> usize {
        self.rows.iter().filter(|row| row.outcome.word() == word).count()
    }

    /// The findings: one for each check at whose result the plug-in is at fault, one for each required
    /// function that is missing, one for each reason why checks could not be made.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.rows.iter().filter_map(finding).collect();
        for (function, cause) in &self.missing {
            if self.lacks(function) && required_functions().any(|required| required == function) {
                findings.push(rules::RequiredFunctionMissing { cause, function }.finding());
            }
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &self.rows {
            if let CheckOutcome::NotRun(cause) = &row.outcome {
                *reasons.entry(cause).or_default() += 1;
            }
        }
        // A single device is no lack.
        reasons.remove(ONE_DEVICE);
        if let Some(cause) = self.no_device() {
            let lost: Vec<&str> =
                reasons.keys().copied().filter(|reason| reason.contains(&*cause)).collect();
            let count: usize = lost.iter().filter_map(|reason| reasons.remove(reason)).sum();
            findings
                .push(rules::NotCheckedWithoutItsDevice { cause: &cause, count: &count }.finding());
        }
        let not_made = |(cause, count): (&str, usize)| {
            rules::ChecksNotMade { cause: &cause, count: &count }.finding()
        };
        findings.extend(reasons.into_iter().map(not_made));
        findings
    }

    /// Adds one fact a check, and the findings, to the party of the plug-in.
    pub fn attach(&self, mut party: Party) -> Party {
        for row in &self.rows {
            let label = format!("{}: {}", row.group, row.name);
            let text = row.outcome.to_string();
            let word = row.outcome.word();
            party = match text.is_empty() {
                true => party.fact(label, word),
                false => party.fact(label, format!("{word}: {text}")),
            };
        }
        self.findings().into_iter().fold(party, Party::note)
    }
}

/// Whether buffers lie in the memory of the host, if a buffer could be made.
fn host_memory(rows: &[CheckResult]) -> Option<bool> {
    let row = rows.iter().find(|row| row.name == MEMORY)?;
    match &row.outcome {
        CheckOutcome::Pass(said) => Some(said == HOST_MEMORY),
        _ => None,
    }
}

/// Groups about what no host does on its way to a first result: wrong sizes tell of the plug-in's care,
/// topologies as bytes and buffers before their contents are for few programs.
const RARE: [&str; 3] = [SIZES, "topology", "transfers"];

fn finding(row: &CheckResult) -> Option<Finding> {
    let finding = fault(row)?;
    // No host reads the size of the version; a plug-in that leaves it out leaves out all sizes.
    let rare = RARE.contains(&row.group) || row.name == VERSION_SIZE;
    Some(if rare { finding.with_severity(Severity::Warning) } else { finding })
}

/// What the party of the plug-in has a finding of its own about.
const KNOWN: [(&str, &str); 2] = [("table", EVERY_SLOT), ("extensions", CHAIN_ENDS)];

fn fault(row: &CheckResult) -> Option<Finding> {
    if KNOWN.contains(&(row.group, &row.name)) {
        return None;
    }
    let check = format!("{}: {}", row.group, row.name);
    match &row.outcome {
        CheckOutcome::Fail(cause) => Some(rules::CheckFails { cause, check: &check }.finding()),
        CheckOutcome::Crashed { cause, said } => {
            let finding = rules::CheckEndsTheProcess { cause, check: &check }.finding();
            Some(if said.is_empty() { finding } else { finding.with_symptom(said) })
        }
        CheckOutcome::NoEnd { seconds } => {
            Some(rules::CheckHasNoEnd { check: &check, seconds }.finding())
        }
        _ => None,
    }
}
