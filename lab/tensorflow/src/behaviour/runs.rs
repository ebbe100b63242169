//! The runs of a node: values and shapes of what its inputs get.

use std::collections::BTreeMap;

use super::{InputPlan, NodeForm};

/// Types that have NaN and infinities.
const FLOATING: [&str; 6] = ["float", "half", "bfloat16", "double", "complex64", "complex128"];

/// The forms with their runs; those of ops whose inputs nobody found are left out.
pub fn with_runs(forms: &[NodeForm], plans: &[InputPlan]) -> Vec<NodeForm> {
    let by_op: BTreeMap<&str, &InputPlan> = plans.iter().map(|plan| (&*plan.op, plan)).collect();
    let mut all = Vec::new();
    for form in forms {
        let Some(plan) = by_op.get(&*form.op) else { continue };
        let fitting: Vec<&Vec<String>> =
            plan.plans.iter().filter(|one| one.len() == form.args.len()).collect();
        if let [first, rest @ ..] = &fitting[..] {
            all.push(NodeForm { runs: runs(form, first, rest), ..form.clone() });
        }
    }
    all
}

fn runs(form: &NodeForm, first: &[String], rest: &[&Vec<String>]) -> Vec<Vec<String>> {
    let mut runs: Vec<Vec<String>> = Vec::new();
    let mut add = |run: Vec<String>| {
        if !runs.contains(&run) {
            runs.push(run);
        }
    };
    let data: Vec<usize> = (0..form.args.len())
        .filter(|at| first.get(*at).is_some_and(|one| !one.starts_with('=')))
        .collect();
    let floating = data.iter().any(|at| FLOATING.contains(&&*form.args[*at].dtype));
    let with = |only: Option<usize>, kind: &str| -> Vec<String> {
        let one = |(at, text): (usize, &String)| match text.split_once(':') {
            Some((shape, "plain")) if only.is_none_or(|only| data.get(only) == Some(&at)) => {
                format!("{shape}:{kind}")
            }
            _ => text.clone(),
        };
        first.iter().enumerate().map(one).collect()
    };
    add(first.to_vec());
    let plains = if form.is_first { rest.len() } else { rest.len().min(2) };
    rest.iter().take(plains).for_each(|one| add((*one).clone()));
    let kinds: &[&str] = match (form.is_first, floating) {
        (true, true) => &["neg", "zeros", "ties", "nan", "inf", "halves", "large"],
        (false, true) => &["neg", "zeros", "nan", "inf"],
        _ => &["neg", "zeros", "ties", "large"],
    };
    kinds.iter().for_each(|kind| add(with(None, kind)));
    if data.len() > 1 {
        let kinds: &[&str] = if floating { &["nan", "neg", "zeros"] } else { &["neg", "zeros"] };
        for kind in kinds {
            add(with(Some(0), kind));
            add(with(Some(1), kind));
        }
    }
    // Nothing at all: the first dimension of everything that has one.
    let empty = |text: &String| match text.split_once(':') {
        Some((shape, kind)) if !shape.is_empty() => {
            let rest = shape.split_once(',').map_or(String::new(), |(_, rest)| format!(",{rest}"));
            format!("0{rest}:{kind}")
        }
        _ => text.clone(),
    };
    add(first.iter().map(empty).collect());
    if form.is_first
        && let Some(other) = rest.first()
    {
        add(other.iter().map(empty).collect());
    }
    runs
}
