//! The changes of an operator as rows: under which conditions on its arguments which releases do something else.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use unskew_changes::{ChangeEffect, FormOutcome, RunLifetime, RunOutcome, Trajectory, life};
use unskew_core::Version;

use super::{ArgumentPassing, CallForm, ParameterRole};

/// A change of some operators under one condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorRow {
    /// The operators with their overloads.
    pub operators: Vec<String>,
    /// What must hold of the arguments, all of it: `self integer`.
    pub when: Vec<String>,
    /// What must hold of the values, of which no code tells: `nan`, `empty`; empty if nothing must.
    pub values: BTreeSet<&'static str>,
    /// What each measured release did.
    pub trajectory: Trajectory,
    /// The error, or the types before and after.
    pub remark: String,
    /// How many runs came out so.
    pub runs: usize,
}

impl OperatorRow {
    /// Whether a verdict makes use of it: it holds of all values, or of such as models often give.
    pub fn is_told(&self) -> bool {
        self.values.iter().all(|one| ["negative", "tied", AMBIGUOUS].contains(one))
    }
}

/// How many overloads gave a result in at least two releases.
pub fn covered(forms: &[CallForm], told: &[(Version, Vec<FormOutcome>)]) -> usize {
    let gave = |all: &[FormOutcome], at: usize| match all.get(at) {
        Some(FormOutcome::Runs(runs)) => {
            runs.iter().any(|one| matches!(one, RunOutcome::Value(_) | RunOutcome::Unsteady))
        }
        _ => false,
    };
    let is_covered = |at: usize| told.iter().filter(|(_, all)| gave(all, at)).count() > 1;
    let names =
        forms.iter().enumerate().filter(|(at, _)| is_covered(*at)).map(|(_, form)| &form.name);
    names.collect::<BTreeSet<_>>().len()
}

impl fmt::Display for OperatorRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<&str> = self.values.iter().copied().collect();
        let Self { operators, when, trajectory, remark, .. } = self;
        let operators: Vec<&str> =
            operators.iter().map(|one| one.trim_start_matches("aten::")).collect();
        write!(
            f,
            "{}\t{}\t{}\t{trajectory}\t{remark}",
            operators.join(" "),
            when.join(", "),
            values.join(" ")
        )
    }
}

/// A run: what can be told of its arguments, what cannot, and what became of it.
struct Run {
    atoms: BTreeSet<String>,
    key: String,
    tag: Option<&'static str>,
    life: RunLifetime,
}

/// What is written down by hand in `data/history.toml`, and what the loader replaces by another overload.
const BY_HAND: [&str; 5] =
    ["aten::floor_divide", "aten::floor_divide_", "aten::arange", "aten::to", "aten::slice"];

/// The rows of all operators, those that are alike in one.
pub fn rows(forms: &[CallForm], told: &[(Version, Vec<FormOutcome>)]) -> Vec<OperatorRow> {
    let mut by_operator: BTreeMap<&str, Vec<Run>> = BTreeMap::new();
    for (at, form) in forms.iter().enumerate() {
        let of_form: Vec<(Version, &FormOutcome)> =
            told.iter().map(|(release, all)| (*release, &all[at])).collect();
        for (run, inputs) in form.runs.iter().enumerate() {
            if let Some(life) = life(&of_form, run) {
                by_operator.entry(&form.name).or_default().push(described(form, inputs, life));
            }
        }
    }
    let mut merged: BTreeMap<(Vec<String>, BTreeSet<&'static str>, Trajectory), OperatorRow> =
        BTreeMap::new();
    for (operator, runs) in by_operator {
        if BY_HAND.contains(&operator.split('.').next().unwrap_or(operator)) {
            continue;
        }
        for row in of_operator(operator, &runs) {
            let key = (row.when.clone(), row.values.clone(), row.trajectory.clone());
            match merged.get_mut(&key) {
                Some(known) => {
                    known.operators.extend(row.operators);
                    known.runs += row.runs;
                }
                None => {
                    merged.insert(key, row);
                }
            }
        }
    }
    let mut rows: Vec<OperatorRow> = merged.into_values().collect();
    rows.sort_by(|a, b| a.operators.cmp(&b.operators).then(a.when.cmp(&b.when)));
    rows
}

fn described(form: &CallForm, inputs: &[String], life: RunLifetime) -> Run {
    let (mut atoms, mut exact, mut tag) = (BTreeSet::new(), Vec::new(), None);
    for (argument, how) in &form.given {
        let kinds: &[&str] = match how {
            ArgumentPassing::Absent => &["absent"],
            ArgumentPassing::Literal(text) if text == "None" => &["absent"],
            ArgumentPassing::Literal(text) if text == "True" || text == "False" => &["given"],
            ArgumentPassing::Literal(text) if text.parse::<i64>().is_ok() => &["integer", "given"],
            ArgumentPassing::Literal(text) if text.parse::<f64>().is_ok() => &["float", "given"],
            ArgumentPassing::Literal(_) => &["given"],
            ArgumentPassing::Param(at, role) => {
                let text = inputs.get(*at).map_or("", String::as_str);
                match role {
                    ParameterRole::Value(_) => {
                        tag = tag.or(value_tag(text));
                        &[]
                    }
                    _ => {
                        tag = tag.or(tensor_tag(text));
                        class(text)
                    }
                }
            }
        };
        if let Some(kind) = kinds.first() {
            exact.push(format!("{argument} {kind}"));
        }
        atoms.extend(kinds.iter().map(|kind| format!("{argument} {kind}")));
    }
    // A result without dimensions may have another type than others.
    if tag.is_none() && inputs.iter().any(|one| one.contains("::")) && inputs.len() > 1 {
        tag = inputs.iter().any(|one| one.contains(':') && !one.contains("::")).then_some("scalar");
    }
    Run { atoms, key: exact.join(", "), tag, life }
}

fn class(text: &str) -> &'static [&'static str] {
    let dtype = text.trim_start_matches('[').split(':').next().unwrap_or_default();
    match dtype {
        "bool" => &["bool", "integral", "real"],
        "uint8" => &["uint8", "integer", "integral", "real"],
        "int8" | "int16" | "int32" | "int64" => &["signed", "integer", "integral", "real"],
        "float32" | "float64" => &["float", "real"],
        "complex64" => &["complex"],
        _ => &[],
    }
}

/// What is special of a tensor.
fn tensor_tag(text: &str) -> Option<&'static str> {
    let mut parts = text.trim_start_matches('[').split(':');
    let (_, shape, values) = (parts.next()?, parts.next()?, parts.next()?);
    let values = values.split('|').next()?.trim_end_matches(']');
    match values {
        "neg" | "negindex" | "halves" => Some("negative"),
        "zeros" => Some("zero"),
        "ties" => Some("tied"),
        "nan" => Some("nan"),
        "inf" => Some("infinite"),
        "large" => Some("large"),
        "strided" => Some("strided"),
        _ if shape.split(',').any(|one| one == "0") => Some("empty"),
        _ => None,
    }
}

fn value_tag(text: &str) -> Option<&'static str> {
    match text {
        _ if text.contains("nan") => Some("nan"),
        _ if text.contains("inf") => Some("infinite"),
        "1e30" => Some("large"),
        "''" | "[]" | "{}" => Some("empty"),
        _ if text.starts_with('-') => Some("negative"),
        "0" | "0.0" | "0j" => Some("zero"),
        "2.5" | "0.5" => Some("tied"),
        _ => None,
    }
}

/// Whose results have a sign or an order that nobody promises.
const FREE: [&str; 16] = [
    "svd",
    "eig",
    "eigh",
    "eigvals",
    "symeig",
    "qr",
    "lstsq",
    "lu",
    "ormqr",
    "geqrf",
    "pinv",
    "pinverse",
    "null",
    "householder",
    "cholesky",
    "triangular",
];

fn is_free(operator: &str) -> bool {
    operator.split(['_', '.', ':']).any(|part| FREE.contains(&part))
}

/// What values are said to be of which several results are right.
const AMBIGUOUS: &str = "ambiguous";

/// The row of an operator that has several right results, if releases gave several.
fn ambiguous(operator: &str, runs: &[Run]) -> Option<OperatorRow> {
    let values = |run: &&Run| {
        let steps = &run.life.trajectory.steps;
        run.life.worked
            && !steps.is_empty()
            && steps.iter().all(|(_, step)| *step == ChangeEffect::Values)
    };
    let of: Vec<&Run> = runs.iter().filter(values).collect();
    let steps: BTreeSet<(Version, ChangeEffect)> =
        of.iter().flat_map(|run| run.life.trajectory.steps.iter().copied()).collect();
    let trajectory = Trajectory { steps: steps.into_iter().collect() };
    let row = OperatorRow {
        operators: vec![operator.to_owned()],
        when: Vec::new(),
        values: BTreeSet::from([AMBIGUOUS]),
        trajectory,
        remark: String::new(),
        runs: of.len(),
    };
    (!of.is_empty()).then_some(row)
}

/// How many conditions a row has at the most.
const MOST: usize = 3;

fn of_operator(operator: &str, runs: &[Run]) -> Vec<OperatorRow> {
    let free = is_free(operator);
    let counts = |life: &RunLifetime| {
        let steps = &life.trajectory.steps;
        !steps.is_empty()
            && life.worked
            && !(free && steps.iter().all(|(_, step)| *step == ChangeEffect::Values))
    };
    let mut groups: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.life.worked) {
        groups.entry(&run.key).or_default().push(run);
    }
    let trajectories: BTreeSet<&Trajectory> =
        runs.iter().filter(|run| counts(&run.life)).map(|run| &run.life.trajectory).collect();
    let mut rows = Vec::new();
    rows.extend(ambiguous(operator, runs).filter(|_| free));
    for trajectory in trajectories {
        let is = |run: &&&Run| run.life.trajectory == *trajectory;
        // Groups of calls that code can tell apart: all of them, some of them, none of them.
        let (mut all, mut some, mut none) = (Vec::new(), Vec::new(), Vec::new());
        for group in groups.values() {
            let plain = group.iter().filter(|run| run.tag.is_none());
            let (plain_all, plain_so) = (plain.clone().count(), plain.filter(is).count());
            if plain_all > 0 && plain_all == plain_so {
                all.push(group);
            } else if group.iter().any(|run| is(&run)) {
                some.push(group);
            } else {
                none.push(group);
            }
        }
        let mut others = none.clone();
        others.extend(&some);
        for (when, of) in told_apart(&all, &others) {
            let mut row = row(operator, when, BTreeSet::new(), trajectory, &of);
            let plain =
                of.iter().filter(|run| run.tag.is_none() && run.life.trajectory == *trajectory);
            if !is_sure(&row, plain.count()) {
                row.values.insert("some");
            }
            rows.push(row);
        }
        let mut others = none;
        others.extend(&all);
        for (when, of) in told_apart(&some, &others) {
            let tags = of.iter().filter(is_so(trajectory)).map(|run| run.tag.unwrap_or("some"));
            rows.push(row(operator, when, tags.collect(), trajectory, &of));
        }
    }
    rows
}

/// Words of errors about what tensors hold, and not what they are.
const OF_VALUES: [&str; 9] = [
    "singular",
    "is zero",
    "could not be completed",
    "positive-definite",
    "out of range",
    "out of bounds",
    "ZeroDivision",
    "must match",
    "should be",
];

/// Words of errors about types.
const OF_TYPES: [&str; 10] = [
    "not implemented for",
    "dtype",
    "scalar type",
    "nteger division",
    "unsigned",
    "can't be cast",
    "complex",
    "masks",
    "floating",
    "bool",
];

/// Whether a row holds of all calls that fit its conditions, as far as these were tried: not if few were, or if the error
/// is about the values that they happened to have.
fn is_sure(row: &OperatorRow, plain: usize) -> bool {
    let says = |words: &[&str]| words.iter().any(|one| row.remark.contains(one));
    let steps = || row.trajectory.steps.iter().map(|(_, step)| *step);
    let raises = steps().any(|step| step == ChangeEffect::Raises);
    if raises && says(&OF_VALUES) {
        return false;
    }
    let of_types = steps().all(|step| step <= ChangeEffect::Dtype) && (!raises || says(&OF_TYPES));
    plain >= 4 || (of_types && !row.when.is_empty())
}

fn is_so<'t>(trajectory: &'t Trajectory) -> impl Fn(&&&Run) -> bool + 't {
    move |run| run.life.trajectory == *trajectory
}

fn row(
    operator: &str,
    when: Vec<String>,
    values: BTreeSet<&'static str>,
    trajectory: &Trajectory,
    of: &[&Run],
) -> OperatorRow {
    let so = || of.iter().filter(|run| run.life.trajectory == *trajectory);
    let remark = so().map(|run| run.life.remark.clone()).next().unwrap_or_default();
    let (operators, trajectory) = (vec![operator.to_owned()], trajectory.clone());
    OperatorRow { operators, when, values, trajectory, remark, runs: so().count() }
}

/// Of the conditions on one argument the narrowest, which the others follow from.
fn narrowest(when: &[&String]) -> Vec<String> {
    const ORDER: [&str; 10] = [
        "absent", "bool", "uint8", "signed", "float", "complex", "integer", "integral", "real",
        "given",
    ];
    let mut by_argument: BTreeMap<&str, usize> = BTreeMap::new();
    for (argument, kind) in when.iter().filter_map(|one| one.split_once(' ')) {
        let at = ORDER.iter().position(|one| *one == kind).unwrap_or(0);
        by_argument.entry(argument).and_modify(|known| *known = at.min(*known)).or_insert(at);
    }
    by_argument.into_iter().map(|(argument, at)| format!("{argument} {}", ORDER[at])).collect()
}

/// Conditions of which each holds of some groups and of none of the others, until all groups are covered.
fn told_apart<'r>(
    groups: &[&Vec<&'r Run>],
    others: &[&Vec<&'r Run>],
) -> Vec<(Vec<String>, Vec<&'r Run>)> {
    let mut left: Vec<&Vec<&Run>> = groups.to_vec();
    let mut found = Vec::new();
    while let Some(first) = left.first().and_then(|group| group.first()) {
        let atoms: Vec<&String> = first.atoms.iter().collect();
        let mut best: Option<(usize, Vec<&String>)> = None;
        let holds = |when: &[&String], group: &[&Run]| {
            group.first().is_some_and(|run| when.iter().all(|one| run.atoms.contains(*one)))
        };
        let mut consider = |when: Vec<&'r String>| {
            if others.iter().any(|group| holds(&when, group)) {
                return;
            }
            let count = left.iter().filter(|group| holds(&when, group)).count();
            let is_better = best.as_ref().is_none_or(|(most, known)| {
                (count, std::cmp::Reverse(when.len())) > (*most, std::cmp::Reverse(known.len()))
            });
            if is_better {
                best = Some((count, when));
            }
        };
        consider(Vec::new());
        for (at, one) in atoms.iter().enumerate() {
            consider(vec![one]);
            for (second, two) in atoms.iter().enumerate().skip(at + 1) {
                consider(vec![one, two]);
                if MOST > 2 && atoms.len() < 24 {
                    atoms.iter().skip(second + 1).for_each(|three| consider(vec![one, two, three]));
                }
            }
        }
        // What no few conditions tell is told by all.
        let when: Vec<&String> = best.map_or_else(|| atoms.clone(), |(_, when)| when);
        let of: Vec<&'r Run> = left
            .iter()
            .filter(|group| holds(&when, group))
            .flat_map(|group| group.iter().copied())
            .collect();
        left.retain(|group| !holds(&when, group));
        found.push((narrowest(&when), of));
    }
    found
}
