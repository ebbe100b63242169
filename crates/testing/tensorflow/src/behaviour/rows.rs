//! The changes of an op as rows: with which attributes which releases do something else.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use unskew_changes::{Life, Outcome, Step, Told, Trajectory, life};
use unskew_core::Version;

use super::{Form, Given};

/// A change of some ops under one condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The names of the ops.
    pub ops: Vec<String>,
    /// What must hold of the attributes, all of it: a name, and the values of which it has one.
    pub when: Vec<(String, BTreeSet<String>)>,
    /// What must hold of the values, which no attribute tells: `nan`, `empty`; empty if nothing must.
    pub values: BTreeSet<String>,
    /// What each measured release did.
    pub trajectory: Trajectory,
    /// For each step the newest release that had not taken it: those in between did not run such a node.
    pub before: Vec<Version>,
    /// What the release raised, or how results differ.
    pub remark: String,
    /// How many runs came out so.
    pub runs: usize,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = |(name, values): &(String, BTreeSet<String>)| {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            format!("{name} {}", values.join(" "))
        };
        let when: Vec<String> = self.when.iter().map(when).collect();
        let values: Vec<&str> = self.values.iter().map(String::as_str).collect();
        let steps = self.before.iter().zip(&self.trajectory.steps);
        let steps: Vec<String> =
            steps.map(|(before, (since, step))| format!("{before}-{since} {step}")).collect();
        write!(
            f,
            "{}\t{}\t{}\t{}\t{}",
            self.ops.join(" "),
            when.join(", "),
            values.join(" "),
            steps.join(", "),
            self.remark
        )
    }
}

/// What is said of values where no attribute and no name of values tells what it is.
const SOME: &str = "some";

impl Row {
    /// Whether a verdict makes use of it: numbers near the largest and shapes that were tried once are seldom met, and so are
    /// inputs without numbers where nothing else tells.
    pub fn is_told(&self) -> bool {
        let only_empty = self.values.len() == 1 && self.values.contains("empty");
        !only_empty && !self.values.iter().any(|one| ["large", SOME].contains(&&**one))
    }
}

/// How many ops gave a result in at least two releases.
pub fn covered(forms: &[Form], told: &[(Version, Vec<Told>)]) -> usize {
    let gave = |all: &[Told], at: usize| match all.get(at) {
        Some(Told::Runs(runs)) => {
            runs.iter().any(|one| matches!(one, Outcome::Value(_) | Outcome::Unsteady))
        }
        _ => false,
    };
    let is_covered = |at: usize| told.iter().filter(|(_, all)| gave(all, at)).count() > 1;
    let names =
        forms.iter().enumerate().filter(|(at, _)| is_covered(*at)).map(|(_, form)| &form.op);
    names.collect::<BTreeSet<_>>().len()
}

/// Ops whose results have a sign or an order that nobody promises, that draw numbers, that write into what they are given,
/// that have outputs which nothing reads, or that take a range or a number of bits, which was made as other numbers are and
/// is none: how their names begin.
const FREE: [&str; 12] = [
    "Eig",
    "SelfAdjointEig",
    "BatchSelfAdjointEig",
    "Svd",
    "BatchSvd",
    "Inplace",
    "ExtractGlimpse",
    "RandomIndexShuffle",
    "FusedBatchNorm",
    "FakeQuant",
    "Quantize",
    "Dequantize",
];

/// Types of thresholds. Kernels of old releases read them as `T`, beyond the end of what they were given.
const OF_THRESHOLDS: [&str; 2] = ["Treal", "T_threshold"];

/// Whether a threshold has another type than the numbers.
fn is_read_beyond(given: &Given) -> bool {
    let get = |wanted: &str| given.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
    let of_data = get("T");
    OF_THRESHOLDS.iter().any(|name| get(name).is_some_and(|of| of_data != Some(of)))
}

/// Words of errors about the types or the attributes of a node, and not about the numbers and shapes that it was given.
const OF_NODES: [&str; 6] = ["type", "support", "mplemented", "kernel", "must be a scalar", "attr"];

/// Nodes with the same attributes, and what became of their runs.
struct Group {
    given: Given,
    /// What is special of the inputs; nothing of the usual ones.
    runs: Vec<(Option<String>, Life)>,
    /// The releases that ran each, or raised an error.
    known: Vec<BTreeSet<Version>>,
}

impl Group {
    fn plain(&self) -> impl Iterator<Item = &Life> {
        self.runs.iter().filter(|(tag, _)| tag.is_none()).map(|(_, life)| life)
    }

    /// The runs with this trajectory.
    fn so<'g>(
        &'g self,
        trajectory: &'g Trajectory,
    ) -> impl Iterator<Item = &'g (Option<String>, Life)> {
        self.runs.iter().filter(move |(_, life)| life.worked && life.trajectory == *trajectory)
    }

    /// For each step the newest release before it that ran all that have this trajectory.
    fn before(&self, trajectory: &Trajectory) -> Vec<Version> {
        let all = self.runs.iter().zip(&self.known);
        let so = all.filter(|((_, life), _)| life.worked && life.trajectory == *trajectory);
        let newest = |known: &BTreeSet<Version>, since| known.range(..since).next_back().copied();
        let before = |since| so.clone().filter_map(|(_, known)| newest(known, since)).min();
        trajectory.steps.iter().filter_map(|(since, _)| before(*since)).collect()
    }

    /// What must hold of values for this trajectory; none if no run has it.
    fn values(&self, trajectory: &Trajectory) -> Option<BTreeSet<String>> {
        let so = self.so(trajectory).count();
        if so == 0 {
            return None;
        }
        let plain = self.plain().filter(|life| life.worked).count();
        let all = plain > 0
            && self.plain().filter(|life| life.worked).all(|life| life.trajectory == *trajectory);
        if all {
            let raises = trajectory.steps.iter().any(|(_, step)| *step <= Step::Works);
            let words = self.so(trajectory).map(|(_, life)| &life.remark);
            let mut of_nodes = words.map(|words| OF_NODES.iter().any(|one| words.contains(one)));
            let sure = (plain > 1 || so > 2) && (!raises || of_nodes.all(|one| one));
            return Some(if sure { BTreeSet::new() } else { BTreeSet::from([SOME.to_owned()]) });
        }
        Some(
            self.so(trajectory)
                .map(|(tag, _)| tag.clone().unwrap_or_else(|| SOME.to_owned()))
                .collect(),
        )
    }
}

/// The rows of all ops, those that are alike in one.
pub fn rows(forms: &[Form], told: &[(Version, Vec<Told>)]) -> Vec<Row> {
    let mut by_op: BTreeMap<&str, Vec<Group>> = BTreeMap::new();
    for (at, form) in forms.iter().enumerate() {
        let of_form: Vec<(Version, &Told)> =
            told.iter().filter_map(|(release, all)| Some((*release, all.get(at)?))).collect();
        let runs = form.runs.iter().enumerate();
        let told = |run: usize| {
            let life = life(&of_form, run)?;
            let remark = last_error(&of_form, run).unwrap_or_default();
            Some(Life { remark, ..life })
        };
        let (runs, known) = runs
            .filter_map(|(run, inputs)| {
                Some(((tag(inputs), told(run)?), releases_of(&of_form, run)))
            })
            .unzip();
        if !is_read_beyond(&form.given) {
            by_op.entry(&form.op).or_default().push(Group {
                given: form.given.clone(),
                runs,
                known,
            });
        }
    }
    let mut merged: BTreeMap<(String, BTreeSet<String>, Trajectory, Vec<Version>), Row> =
        BTreeMap::new();
    for (op, groups) in &by_op {
        if FREE.iter().any(|begin| op.starts_with(begin)) {
            continue;
        }
        for row in of_op(op, groups) {
            let key = (
                format!("{:?}", row.when),
                row.values.clone(),
                row.trajectory.clone(),
                row.before.clone(),
            );
            match merged.get_mut(&key) {
                Some(known) => {
                    known.ops.extend(row.ops);
                    known.runs += row.runs;
                }
                None => {
                    merged.insert(key, row);
                }
            }
        }
    }
    let mut rows: Vec<Row> = merged.into_values().collect();
    rows.sort_by(|a, b| {
        a.ops.cmp(&b.ops).then(a.when.cmp(&b.when)).then(a.trajectory.cmp(&b.trajectory))
    });
    rows
}

/// The minor releases in which a run gave a result or raised an error.
fn releases_of(of_form: &[(Version, &Told)], run: usize) -> BTreeSet<Version> {
    let told = of_form.iter().filter(|(_, told)| match told {
        Told::Runs(runs) => {
            matches!(runs.get(run), Some(Outcome::Value(_) | Outcome::Raises(_)))
        }
        Told::Unknown => false,
    });
    told.map(|(release, _)| Version::pair(release.major(), release.minor())).collect()
}

/// What the newest release said that raised an error.
fn last_error(of_form: &[(Version, &Told)], run: usize) -> Option<String> {
    of_form.iter().rev().find_map(|(_, told)| match told {
        Told::Runs(runs) => match runs.get(run)? {
            Outcome::Raises(words) => Some(words.clone()),
            _ => None,
        },
        Told::Unknown => None,
    })
}

/// What is special of inputs.
fn tag(inputs: &[String]) -> Option<String> {
    let kinds =
        inputs.iter().filter(|text| !text.starts_with('=')).filter_map(|text| text.split_once(':'));
    for (shape, kind) in kinds {
        let tag = match kind {
            "neg" => "negative",
            "zeros" => "zero",
            "ties" => "tied",
            "halves" => "halves",
            "nan" => "nan",
            "inf" => "infinite",
            "large" => "large",
            _ if shape.split(',').any(|one| one == "0") => "empty",
            _ => continue,
        };
        return Some(tag.to_owned());
    }
    None
}

fn of_op(op: &str, groups: &[Group]) -> Vec<Row> {
    let changed = |life: &&Life| life.worked && !life.trajectory.steps.is_empty();
    let trajectories: BTreeSet<&Trajectory> = groups
        .iter()
        .flat_map(|group| group.runs.iter().map(|(_, life)| life))
        .filter(changed)
        .map(|life| &life.trajectory)
        .collect();
    let mut rows = Vec::new();
    for trajectory in trajectories {
        let mut by_values: BTreeMap<BTreeSet<String>, Vec<&Group>> = BTreeMap::new();
        for group in groups {
            if let Some(values) = group.values(trajectory) {
                by_values.entry(values).or_default().push(group);
            }
        }
        let all: BTreeSet<&Given> =
            by_values.values().flatten().map(|group| &group.given).collect();
        // Those with other values are no counter-examples: they are rows of their own.
        let others: Vec<&Group> = groups
            .iter()
            .filter(|group| {
                !all.contains(&group.given) && group.runs.iter().any(|(_, life)| life.worked)
            })
            .collect();
        // Groups that differ in values only stand in one row, if neither is for all values.
        let (whole, some): (Vec<_>, Vec<_>) =
            by_values.into_iter().partition(|(values, _)| values.is_empty());
        let mut union: BTreeSet<String> =
            some.iter().flat_map(|(values, _)| values.iter().cloned()).collect();
        if union.len() > 1 {
            union.remove(SOME);
        }
        let some: Vec<&Group> = some.into_iter().flat_map(|(_, groups)| groups).collect();
        let whole: Vec<&Group> = whole.into_iter().flat_map(|(_, groups)| groups).collect();
        for (values, of) in [(BTreeSet::new(), &whole), (union, &some)] {
            let apart: Vec<&Group> = if values.is_empty() {
                others.iter().chain(&some).copied().collect()
            } else {
                others.clone()
            };
            // Those that other releases ran are rows of their own.
            let mut by_before: BTreeMap<Vec<Version>, Vec<&Group>> = BTreeMap::new();
            for group in of {
                by_before.entry(group.before(trajectory)).or_default().push(group);
            }
            for (before, of) in &by_before {
                let apart: Vec<&Group> = by_before
                    .iter()
                    .filter(|(other, _)| *other != before)
                    .flat_map(|(_, groups)| groups)
                    .chain(&apart)
                    .copied()
                    .collect();
                for (when, runs, remark) in boxes(of, &apart, trajectory) {
                    rows.push(Row {
                        ops: vec![op.to_owned()],
                        when,
                        values: values.clone(),
                        trajectory: trajectory.clone(),
                        before: before.clone(),
                        remark,
                        runs,
                    });
                }
            }
        }
    }
    rows
}

/// The attributes that a row asks for, each with the values that it may have.
type When = Vec<(String, BTreeSet<String>)>;

fn holds(when: &When, given: &Given) -> bool {
    when.iter().all(|(name, values)| {
        given.iter().any(|(known, value)| known == name && values.contains(value))
    })
}

/// Conditions of which each holds of some groups and of none of the others, until all groups are covered; with how many
/// runs they are, and their error.
fn boxes(
    groups: &[&Group],
    others: &[&Group],
    trajectory: &Trajectory,
) -> Vec<(When, usize, String)> {
    let mut left: Vec<&Group> = groups.to_vec();
    let mut found = Vec::new();
    let free = |when: &When| !others.iter().any(|other| holds(when, &other.given));
    while let Some(first) = left.first() {
        let mut when: When = first
            .given
            .iter()
            .map(|(name, value)| (name.clone(), BTreeSet::from([value.clone()])))
            .collect();
        // Types tell more than other attributes, so they go last.
        let mut names: Vec<String> = first.given.iter().map(|(name, _)| name.clone()).collect();
        names.sort_by_key(|name| (name.starts_with('T') || name.contains("type"), name.clone()));
        for name in names {
            // What holds of one type of data says nothing of types that were not tried.
            if is_of_data(&name, groups) {
                continue;
            }
            let less: When = when.iter().filter(|(known, _)| *known != name).cloned().collect();
            if free(&less) {
                when = less;
            }
        }
        for at in 0..when.len() {
            let values: BTreeSet<String> = groups
                .iter()
                .flat_map(|group| {
                    group
                        .given
                        .iter()
                        .filter(|(name, _)| *name == when[at].0)
                        .map(|(_, value)| value.clone())
                })
                .collect();
            for value in values {
                let mut more = when.clone();
                more[at].1.insert(value);
                if free(&more) {
                    when = more;
                }
            }
        }
        let of: Vec<&Group> =
            left.iter().filter(|group| holds(&when, &group.given)).copied().collect();
        left.retain(|group| !holds(&when, &group.given));
        let so = || of.iter().flat_map(|group| group.so(trajectory));
        let raised = trajectory.steps.iter().any(|(_, step)| *step <= Step::Works);
        let remark = if raised {
            so().map(|(_, life)| life.remark.clone()).next().unwrap_or_default()
        } else {
            String::new()
        };
        found.push((when, so().count(), remark));
    }
    found
}

/// Whether an attribute is the type of what is calculated with.
fn is_of_data(name: &str, groups: &[&Group]) -> bool {
    let is_float =
        |given: &Given| given.iter().any(|(known, value)| known == name && value == "float");
    name == "T" || groups.iter().any(|group| is_float(&group.given))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(given: &[(&str, &str)], runs: &[&[&str]]) -> Form {
        Form {
            op: "Maximum".to_owned(),
            attrs: Vec::new(),
            args: Vec::new(),
            given: given
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            is_first: false,
            runs: runs
                .iter()
                .map(|run| run.iter().map(|one| (*one).to_owned()).collect())
                .collect(),
        }
    }

    #[test]
    fn a_row_says_of_which_types_and_values_a_change_is() {
        let runs: &[&[&str]] = &[&["2:plain"], &["2:nan"]];
        let forms = [
            form(&[("T", "float")], runs),
            form(&[("T", "half")], runs),
            form(&[("T", "int32")], runs),
        ];
        let told = |nan: &str| {
            let float = Told::read(&format!("(float[2]1 2)\t(float[2]1 {nan})"));
            vec![float.clone(), float, Told::read("(int32[2]1 2)\t(int32[2]1 2)")]
        };
        let releases =
            [(Version::triple(2, 3, 0), told("1")), (Version::triple(2, 4, 4), told("nan"))];
        let rows = rows(&forms, &releases);
        let lines: Vec<String> = rows.iter().map(Row::to_string).collect();
        assert_eq!(lines, ["Maximum\tT float half\tnan\t2.3-2.4 values\t"]);
        assert!(rows[0].is_told());
        assert_eq!(covered(&forms, &releases), 1);
    }

    #[test]
    fn a_release_that_ran_no_such_node_lies_between() {
        let forms = [form(&[("T", "half")], &[&["2:plain"], &["2:nan"]])];
        let told = |nan: &str| vec![Told::read(&format!("(half[2]1 2)\t(half[2]1 {nan})"))];
        let releases = [
            (Version::triple(1, 15, 0), told("0")),
            (Version::triple(2, 4, 4), vec![Told::Unknown]),
            (Version::triple(2, 9, 3), told("nan")),
        ];
        let lines: Vec<String> = rows(&forms, &releases).iter().map(Row::to_string).collect();
        assert_eq!(lines, ["Maximum\tT half\tnan\t1.15-2.9 values\t"]);
    }

    #[test]
    fn a_threshold_of_another_type_is_not_compared() {
        let of = |treal: &str| form(&[("T", "float"), ("Treal", treal)], &[&["2:plain"]]);
        assert!(is_read_beyond(&of("half").given) && !is_read_beyond(&of("float").given));
        assert!(!is_read_beyond(&form(&[("T", "half")], &[]).given));
    }

    #[test]
    fn an_error_for_all_values_of_an_attribute_is_a_row_without_values() {
        let runs: &[&[&str]] = &[&["2:plain"], &["2:neg"], &["2:zeros"]];
        let forms = [form(&[("axis", "-1")], runs), form(&[("axis", "0")], runs)];
        let works = || Told::read("(float[2]1 2)\t(float[2]1 2)\t(float[2]1 2)");
        let raises = Told::read(
            "!input_min must be a scalar\t!input_min must be a scalar\t!input_min must be a scalar",
        );
        let releases = [
            (Version::triple(2, 15, 1), vec![works(), works()]),
            (Version::triple(2, 16, 2), vec![works(), raises]),
        ];
        let lines: Vec<String> = rows(&forms, &releases).iter().map(Row::to_string).collect();
        assert_eq!(lines, ["Maximum\taxis 0\t\t2.15-2.16 raises\tinput_min must be a scalar"]);
    }
}
