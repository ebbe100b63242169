//! `unskew ops closure MODEL...`: the selective-build list that covers models.

use std::fmt::Write as _;

use anyhow::Context as _;
use unskew_report::Plain;
use unskew_torch::OperatorClosure;

use super::{model, put};
use crate::args::OpsClosure;
use crate::exit::CallStatus;

pub fn run(args: &OpsClosure) -> anyhow::Result<CallStatus> {
    let (operators, _) = unskew_releases::torch::database().context("the database is empty")?;
    let mut all = OperatorClosure::new();
    for path in &args.models {
        let (_, model) = model(path)?;
        for (operator, upgraded) in unskew_torch::closure(&model, operators) {
            match all.get_mut(&operator) {
                // What one model calls itself needs no reason.
                Some(known) if upgraded.is_empty() => known.clear(),
                Some(known) if !known.is_empty() => known.extend(upgraded),
                Some(_) => {}
                None => drop(all.insert(operator, upgraded)),
            }
        }
    }
    put(list(&all), args.output.as_deref())
}

/// The list as the mobile build takes it, with the reason where no model names the operator itself.
fn list(closure: &OperatorClosure) -> String {
    let mut text = String::new();
    for (operator, upgraded) in closure {
        let _ = write!(text, "- {}", Plain(operator));
        if !upgraded.is_empty() {
            let upgraded: Vec<&str> = upgraded.iter().map(String::as_str).collect();
            let _ = write!(text, " # by the upgrader of {}", Plain(&upgraded.join(", ")));
        }
        text.push('\n');
    }
    text
}
