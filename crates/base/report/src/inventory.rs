//! For people: one party with everything that is known about it.

use std::fmt::{self, Write};

use unskew_core::{Need, Padded, column};

use crate::full::{line, write_finding, write_unjudged};
use crate::style::{DIM, EMPHASIS};
use crate::{Look, Plain};

pub(crate) fn write(look: &Look, out: &mut dyn Write) -> fmt::Result {
    let party = &look.party;
    writeln!(out, "{EMPHASIS}{}{EMPHASIS:#}: {}", Plain(&look.path), Plain(&party.kind))?;
    line("role", party.role.as_str(), out)?;
    if !party.origin.is_empty() {
        line("origin", &Plain(&party.origin).to_string(), out)?;
    }
    if let Some(day) = party.dated {
        line("dated", &day.to_string(), out)?;
    }
    let width = column(party.provides.iter().map(|one| one.axis.as_str().len()));
    heading("provides", party.provides.is_empty(), out)?;
    for provision in &party.provides {
        let axis = Padded(Plain(provision.axis.as_str()), width);
        write!(out, "    {axis}  {}", Plain(&provision.versions.to_string()))?;
        match &*provision.place {
            "" => writeln!(out)?,
            place => writeln!(out, "  {DIM}({}){DIM:#}", Plain(place))?,
        }
    }
    requirements(look, out)?;
    let width = column(party.facts.iter().map(|fact| fact.label.len()));
    heading("facts", party.facts.is_empty(), out)?;
    for fact in &party.facts {
        writeln!(out, "    {}  {}", Padded(Plain(&fact.label), width), Plain(&fact.value))?;
    }
    for note in &party.notes {
        writeln!(out)?;
        write_finding(note, &[], out)?;
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
            Need::Matches(_) => {
                "checked piece by piece against the release that you name with --with".to_owned()
            }
            need => need.to_string(),
        };
        let entry = (requirement.axis.as_str(), need);
        if !lines.contains(&entry) {
            lines.push(entry);
        }
    }
    let width = column(lines.iter().map(|(axis, _)| axis.len()));
    heading("requires", lines.is_empty(), out)?;
    for (axis, need) in lines {
        writeln!(out, "    {}  {}", Padded(Plain(axis), width), Plain(&need))?;
    }
    Ok(())
}

fn heading(name: &str, empty: bool, out: &mut dyn Write) -> fmt::Result {
    if empty { Ok(()) } else { writeln!(out, "  {DIM}{name}{DIM:#}") }
}
