//! The kernels of all releases, and those of one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use unskew_core::Version;
use unskew_definitions::{
    DefinitionCache, DefinitionRow, DefinitionRowsError, Rows, RowsText, Runs, TableChange,
};

use super::KernelDef;
use crate::AttrValue;

/// The kernels of all releases that list them.
///
/// ```
/// use unskew_tensorflow::{
///     AttrValue, DataType, DeviceType, KernelAvailability, KernelHistory, KernelTable,
/// };
/// let history = KernelHistory::from_text(
///     "#releases\t2.8.4 2.9.3\n\
///      (CPU)\t2.8.4-\n\
///      AvgPool(CPU T=bfloat16)\t2.9.3-\n\
///      AvgPool(CPU T=float|half)\t2.8.4-\n",
/// ).unwrap();
/// let kernels = KernelTable::new(history.into(), "2.8.4".parse().unwrap());
/// let bfloat16 = AttrValue::Type(DataType(14));
/// let value = |name: &str| (name == "T").then_some(&bfloat16);
/// assert_eq!(kernels.serves("AvgPool", DeviceType::Cpu, value), KernelAvailability::No);
/// assert_eq!(kernels.releases("AvgPool", DeviceType::Cpu, value), "2.9.3 and later");
/// ```
#[derive(Debug)]
pub struct KernelHistory {
    rows: Rows,
    kept: DefinitionCache<DefinitionRow<KernelDef>>,
}

/// What a graph runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeviceType {
    /// A machine without an accelerator.
    #[default]
    Cpu,
    /// A machine with an NVIDIA GPU, and a release that was built for it.
    Gpu,
}

/// Whether there is a kernel for a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelAvailability {
    /// There is one.
    Yes,
    /// There is none.
    No,
    /// An attribute on which it depends is not known.
    Unknown,
}

impl DeviceType {
    /// The name by which kernels are registered for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "GPU",
        }
    }

    /// Where nodes may be placed, in words.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "GPU or CPU",
        }
    }

    /// Whether a node that may stand on any device can be placed on one of this name.
    fn has(self, name: &str) -> bool {
        let names: &[&str] = match self {
            Self::Cpu => &["CPU", "DEFAULT"],
            Self::Gpu => &["CPU", "GPU", "DEFAULT"],
        };
        names.contains(&name)
    }

    /// Whether this is a device of XLA. Releases from 1.12 to 2.3 have them beside the others, and place there what the
    /// others have no kernel for; whether it can be compiled shows then.
    fn compiles(self, name: &str) -> bool {
        name == "XLA_CPU" || self == Self::Gpu && name == "XLA_GPU"
    }
}

impl KernelHistory {
    /// A history from its text: see [`Rows::from_text`]; a definition is a [`KernelDef`].
    ///
    /// # Errors
    /// If the first line does not name the releases.
    pub fn from_text(text: impl Into<RowsText>) -> Result<Self, DefinitionRowsError> {
        Ok(Self { rows: Rows::from_text(text)?, kept: DefinitionCache::default() })
    }

    /// The rows, as they are written.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    fn named(&self, op: &str) -> Arc<[DefinitionRow<KernelDef>]> {
        self.kept.get(op, || self.rows.named(op).filter_map(DefinitionRow::written).collect())
    }

    /// The text of this history with the kernels of `release` in it, in place of what it said of that release before,
    /// and what changed against the release before it.
    pub fn with_release(&self, release: Version, kernels: &[KernelDef]) -> (String, TableChange) {
        let singles = |kernels: &KernelDef| {
            let all = kernels.singles().into_iter();
            all.map(|single| single.to_string()).collect::<Vec<_>>()
        };
        let (mut text, change, mut table) = {
            let mut releases = self.rows.releases().to_vec();
            releases.push(release);
            releases.sort_unstable();
            releases.dedup();
            let mut table: BTreeMap<String, BTreeSet<Version>> = BTreeMap::new();
            for (line, runs) in self.rows.iter() {
                let runs: Runs = runs.parse().unwrap_or_default();
                let Ok(line) = line.parse::<KernelDef>() else { continue };
                let had = releases.iter().filter(|v| **v != release && runs.contains(**v));
                let had: BTreeSet<Version> = had.copied().collect();
                for single in singles(&line) {
                    table.entry(single).or_default().extend(&had);
                }
            }
            for single in kernels.iter().flat_map(singles) {
                table.entry(single).or_default().insert(release);
            }
            let before = releases.iter().rev().find(|v| **v < release).copied();
            let mut change = TableChange::default();
            let mut together: BTreeMap<(String, String), Vec<KernelDef>> = BTreeMap::new();
            for (single, has) in table.into_iter().filter(|(_, has)| !has.is_empty()) {
                match (before.is_some_and(|before| has.contains(&before)), has.contains(&release)) {
                    (false, true) => change.added.push(single.clone()),
                    (true, false) => change.removed.push(single.clone()),
                    _ => {}
                }
                let runs =
                    Runs::from_releases(&releases, |release| has.contains(&release)).to_string();
                let Ok(single) = single.parse::<KernelDef>() else { continue };
                together.entry((single.head(), runs)).or_default().push(single);
            }
            let list: Vec<String> = releases.iter().map(Version::to_string).collect();
            (format!("#releases\t{}\n", list.join(" ")), change, together)
        };
        let mut lines = BTreeSet::new();
        for ((_, runs), singles) in &mut table {
            for kernels in joined(std::mem::take(singles)) {
                lines.insert(format!("{kernels}\t{runs}"));
            }
        }
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
        (text, change)
    }

    /// Reads every row, for the tests of whoever ships a history.
    ///
    /// # Errors
    /// The first row that is out of order or cannot be parsed.
    pub fn validate(&self) -> Result<(), DefinitionRowsError> {
        self.rows.validate(|text| text.parse::<KernelDef>().map(drop).map_err(|e| e.to_string()))
    }
}

/// Single kernels of one head as few lines: those that differ in one attribute only are one.
fn joined(mut all: Vec<KernelDef>) -> Vec<KernelDef> {
    let most = all.iter().map(|one| one.takes.len()).max().unwrap_or(0);
    for place in (0..most).rev() {
        let mut alike: BTreeMap<String, KernelDef> = BTreeMap::new();
        for one in all {
            let mut others = one.clone();
            if let Some((_, values)) = others.takes.get_mut(place) {
                values.clear();
            }
            let values = one.takes.get(place).map(|(_, values)| values.clone()).unwrap_or_default();
            match alike.get_mut(&others.to_string()).and_then(|known| known.takes.get_mut(place)) {
                Some((_, known)) => known.extend(values),
                None => {
                    alike.insert(others.to_string(), one);
                }
            }
        }
        all = alike.into_values().collect();
    }
    for (_, values) in all.iter_mut().flat_map(|one| &mut one.takes) {
        values.sort_by_cached_key(AttrValue::to_string);
    }
    all
}

/// The kernels of one release.
#[derive(Clone, Debug)]
pub struct KernelTable {
    history: Arc<KernelHistory>,
    release: Version,
    lists: [bool; 2],
}

impl KernelTable {
    /// The kernels that `release` has in `history`.
    pub fn new(history: Arc<KernelHistory>, release: Version) -> Self {
        // Lines without an op say so, and stand before all others.
        let lines = history.rows.iter().take_while(|(text, _)| text.starts_with('('));
        let has = |runs: &str| runs.parse().is_ok_and(|runs: Runs| runs.contains(release));
        let said: Vec<&str> = lines.filter(|(_, runs)| has(runs)).map(|(text, _)| text).collect();
        let lists = [DeviceType::Cpu, DeviceType::Gpu]
            .map(|device| said.contains(&&*format!("({})", device.as_str())));
        Self { history, release, lists }
    }

    /// Whether the kernels for `device` are listed.
    pub fn lists(&self, device: DeviceType) -> bool {
        let [cpu, gpu] = self.lists;
        match device {
            DeviceType::Cpu => cpu,
            DeviceType::Gpu => gpu,
        }
    }

    /// Those of some lines that the release has.
    fn here<'l>(
        &self,
        lines: &'l [DefinitionRow<KernelDef>],
    ) -> impl Iterator<Item = &'l KernelDef> {
        lines.iter().filter(|line| line.runs.contains(self.release)).filter_map(DefinitionRow::get)
    }

    /// Whether there is a kernel on `device` for a node of this op, whose attributes have these values.
    pub fn serves<'a>(
        &self,
        op: &str,
        device: DeviceType,
        value: impl Fn(&str) -> Option<&'a AttrValue>,
    ) -> KernelAvailability {
        let lines = self.history.named(op);
        let mut found = KernelAvailability::No;
        for kernels in self.here(&lines) {
            let (has, compiles) = (device.has(&kernels.device), device.compiles(&kernels.device));
            match kernels.takes_node(&value) {
                KernelAvailability::Yes if has => return KernelAvailability::Yes,
                KernelAvailability::Yes | KernelAvailability::Unknown if has || compiles => {
                    found = KernelAvailability::Unknown
                }
                _ => {}
            }
        }
        found
    }

    /// Whether any release has a kernel of this op for `device` alone.
    pub fn knows(&self, op: &str, device: DeviceType) -> bool {
        let lines = self.history.named(op);
        lines.iter().filter_map(DefinitionRow::get).any(|kernels| kernels.device == device.as_str())
    }

    /// The attributes by which the kernels of an op are told from one another in any release.
    pub fn attributes(&self, op: &str) -> Vec<String> {
        let lines = self.history.named(op);
        let all = lines.iter().filter_map(DefinitionRow::get);
        let names: BTreeSet<&String> = all.flat_map(|it| &it.takes).map(|(name, _)| name).collect();
        names.into_iter().cloned().collect()
    }

    /// The values of an attribute with which the node would have a kernel: `T = double`. None where that is not told by
    /// one attribute alone.
    pub fn choices<'a>(
        &self,
        op: &str,
        device: DeviceType,
        value: impl Fn(&str) -> Option<&'a AttrValue>,
    ) -> Vec<String> {
        let lines = self.history.named(op);
        let mut found = BTreeSet::new();
        for kernels in self.here(&lines).filter(|kernels| device.has(&kernels.device)) {
            let refused = |(name, allowed): &&(String, Vec<AttrValue>)| {
                value(name).is_none_or(|value| !allowed.contains(value))
            };
            let mut refused = kernels.takes.iter().filter(refused);
            if let (Some((name, allowed)), None, "") =
                (refused.next(), refused.next(), &*kernels.label)
            {
                found.extend(allowed.iter().map(|value| format!("{name} = {value}")));
            }
        }
        found.into_iter().collect()
    }

    /// The releases that have such a kernel, in words: `2.9.3 and later`, `no release`.
    pub fn releases<'a>(
        &self,
        op: &str,
        device: DeviceType,
        value: impl Fn(&str) -> Option<&'a AttrValue>,
    ) -> String {
        let lines = self.history.named(op);
        let fits = |kernels: &KernelDef| {
            device.has(&kernels.device) && kernels.takes_node(&value) == KernelAvailability::Yes
        };
        let fits = |line: &&DefinitionRow<KernelDef>| line.get().is_some_and(fits);
        let lines: Vec<_> = lines.iter().filter(fits).collect();
        let has = |release| lines.iter().any(|line| line.runs.contains(release));
        let runs = Runs::from_releases(self.history.rows.releases(), has);
        let words: Vec<String> = runs
            .iter()
            .map(|run| match run.until {
                None => format!("{} and later", run.since),
                Some(until) if until == run.since => until.to_string(),
                Some(until) => format!("{} to {until}", run.since),
            })
            .collect();
        if words.is_empty() { "no release".to_owned() } else { words.join(", ") }
    }
}

impl KernelDef {
    /// Whether a node without `_kernel` gets one of these.
    fn takes_node<'a>(&self, value: impl Fn(&str) -> Option<&'a AttrValue>) -> KernelAvailability {
        if !self.label.is_empty() {
            return KernelAvailability::No;
        }
        let mut found = KernelAvailability::Yes;
        for (name, allowed) in &self.takes {
            let is = match value(name) {
                None
                | Some(AttrValue::Missing | AttrValue::Placeholder(_) | AttrValue::Large(..)) => {
                    None
                }
                Some(AttrValue::List(values)) => Some(values.iter().all(|it| allowed.contains(it))),
                Some(value) => Some(allowed.contains(value)),
            };
            match is {
                Some(false) => return KernelAvailability::No,
                Some(true) => {}
                None => found = KernelAvailability::Unknown,
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataType;

    fn kernels(lines: &[&str]) -> Vec<KernelDef> {
        lines.iter().map(|line| line.parse().unwrap()).collect()
    }

    #[test]
    fn what_came_together_stands_on_one_line() {
        let seed = KernelHistory::from_text("#releases\t2.8.4\n").unwrap();
        let pools = ["AvgPool(CPU T=half)", "AvgPool(CPU T=float)", "Cast(CPU A=half B=half)"];
        let (text, _) = seed.with_release("2.8.4".parse().unwrap(), &kernels(&pools));
        let more = [
            "AvgPool(CPU T=half)",
            "AvgPool(CPU T=bfloat16)",
            "AvgPool(CPU T=float)",
            "Cast(CPU A=half B=half)",
            "Cast(CPU A=int8 B=half|float)",
            "Cast(CPU A=int4 B=half|float)",
            "NoOp(DEFAULT)",
        ];
        let history = KernelHistory::from_text(text).unwrap();
        let (text, change) = history.with_release("2.9.3".parse().unwrap(), &kernels(&more));
        assert_eq!(
            text,
            "#releases\t2.8.4 2.9.3\n\
             AvgPool(CPU T=bfloat16)\t2.9.3-\n\
             AvgPool(CPU T=float|half)\t2.8.4-\n\
             Cast(CPU A=half B=half)\t2.8.4-\n\
             Cast(CPU A=int4|int8 B=float|half)\t2.9.3-\n\
             NoOp(DEFAULT)\t2.9.3-\n"
        );
        assert_eq!((change.added.len(), change.removed.len()), (6, 0));
        KernelHistory::from_text(text).unwrap().validate().unwrap();
    }

    #[test]
    fn every_element_of_a_list_is_taken_or_none() {
        let text = "#releases\t2.8.4\nF(CPU L=float|half N=1)\t2.8.4-\n";
        let history = Arc::new(KernelHistory::from_text(text).unwrap());
        let table = KernelTable::new(history, "2.8.4".parse().unwrap());
        let types = |all: &[i32]| {
            AttrValue::List(all.iter().map(|of| AttrValue::Type(DataType(*of))).collect())
        };
        let (good, bad, one) = (types(&[1, 19]), types(&[1, 2]), AttrValue::Int(1));
        let asked = |list: &AttrValue, number: Option<&AttrValue>| {
            table.serves("F", DeviceType::Cpu, |name| if name == "L" { Some(list) } else { number })
        };
        assert_eq!(asked(&good, Some(&one)), KernelAvailability::Yes);
        assert_eq!(asked(&good, None), KernelAvailability::Unknown);
        assert_eq!(asked(&bad, None), KernelAvailability::No);
        assert!(!table.lists(DeviceType::Cpu));
    }
}
