//! For people: one party with everything that is known about it.

use std::fmt::{self, Write};

use unskew_core::Need;

use crate::full::{line, write_finding, write_unjudged};
use crate::style::{DIM, EMPHASIS};
use crate::{Look, Plain};

pub(crate) fn write(look: &Look, out: &mut dyn Write) -> fmt::Result {
    let party = &look.party;
    writeln!(out, "{EMPHASIS}{}{EMPHASIS:#}: {}", Plain(&look.path), party.kind)?;
    line("role", party.role.as_str(), out)?;
    if !party.origin.is_empty() {
        line("origin", &party.origin, out)?;
    }
    if let Some(day) = party.dated {
        line("dated", &day.to_string(), out)?;
    }
    let axis = |a: &unskew_core::Axis| a.as_str().len();
    let width = party.provides.iter().map(|p| axis(&p.axis)).max().unwrap_or(0);
    heading("provides", party.provides.is_empty(), out)?;
    for provision in &party.provides {
        write!(out, "    {:width$}  {}", provision.axis, provision.versions)?;
        match &*provision.place {
            "" => writeln!(out)?,
            place => writeln!(out, "  {DIM}({}){DIM:#}", Plain(place))?,
        }
    }
    requirements(look, out)?;
    let width = party.facts.iter().map(|fact| fact.label.len()).max().unwrap_or(0);
    heading("facts", party.facts.is_empty(), out)?;
    for fact in &party.facts {
        writeln!(out, "    {:width$}  {}", fact.label, Plain(&fact.value))?;
    }
    for note in &party.notes {
        writeln!(out)?;
        write_finding(note, out)?;
    }
    if !party.unjudged.is_empty() {
        writeln!(out)?;
    }
    for unjudged in &party.unjudged {
        write_unjudged(unjudged, out)?;
    }
    Ok(())
}

fn requirements(look: &Look, out: &mut dyn Write) -> fmt::Result {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for requirement in &look.party.requires {
        let need = match &requirement.need {
            Need::Matches(_) => "judged piece by piece against the other side".to_owned(),
            need => need.to_string(),
        };
        let entry = (requirement.axis.as_str(), need);
        if !lines.contains(&entry) {
            lines.push(entry);
        }
    }
    let width = lines.iter().map(|(axis, _)| axis.len()).max().unwrap_or(0);
    heading("requires", lines.is_empty(), out)?;
    for (axis, need) in lines {
        writeln!(out, "    {axis:width$}  {need}")?;
    }
    Ok(())
}

fn heading(name: &str, empty: bool, out: &mut dyn Write) -> fmt::Result {
    if empty { Ok(()) } else { writeln!(out, "  {DIM}{name}{DIM:#}") }
}
