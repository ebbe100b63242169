//! The verdict matrix of a model: a row for each runtime, a column for each version, and what the cells mean.
//!
//! Cells that say the same are explained once, under a number.

use std::collections::HashMap;
use std::sync::Arc;

use maud::{Markup, html};
use unskew_core::Severity;
use unskew_fleet::store::{KeptRuntime, PublishedVersion};
use unskew_fleet::{ArtifactAnswer, FindingRecord, RuntimeAnswer};
use unskew_report::VerdictMark;

use crate::address::{Address, PageView};
use crate::amount;
use crate::frame::wide;
use crate::mark::{legend, mark};
use crate::overview;
use crate::reason::reason;

/// How many reasons of one cell are numbered in it.
const IN_CELL: usize = 3;
/// How many reasons are explained below a matrix.
const EXPLAINED: usize = 200;
/// How many names of runtimes a reason is said of.
const NAMED: usize = 8;

/// Some versions of a model on some runtimes.
#[derive(Clone, Copy, Debug)]
pub struct VersionMatrix<'a> {
    /// How it is looked at.
    pub view: &'a PageView,
    /// The name of the model.
    pub model: &'a str,
    /// The columns, newest first.
    pub versions: &'a [PublishedVersion],
    /// The runtimes that are rows.
    pub runtimes: &'a [KeptRuntime],
    /// What each runtime gets.
    pub gets: &'a [RuntimeAnswer],
    /// What each runtime says to each version, row by row.
    pub answers: &'a [Option<Arc<ArtifactAnswer>>],
    /// Whether cells lead to decisions; in a file there is nowhere to lead.
    pub linked: bool,
}

/// A reason, and where it holds: the places of runtimes by version.
struct Numbered<'a> {
    reason: &'a FindingRecord,
    cells: Vec<(i64, Vec<usize>)>,
}

impl<'a> VersionMatrix<'a> {
    /// The table, and the reasons below it.
    pub fn render(&self) -> Markup {
        let (numbers, reasons) = self.reasons();
        let mut used = Vec::new();
        for answer in self.answers {
            used.push(mark(answer.as_deref(), &self.view.policy));
        }
        html! {
            (legend(|mark| used.contains(&mark)))
            (wide("Versions on runtimes", &self.table(&numbers)))
            @if !reasons.is_empty() {
                h2 { "Reasons" }
                @for (at, one) in reasons.iter().enumerate() {
                    (reason(one.reason, Some(at + 1), &self.places(&one.cells)))
                }
            }
        }
    }

    fn table(&self, numbers: &[Vec<usize>]) -> Markup {
        html! {
            table {
                thead { tr {
                    th scope="col" { "Runtime" } th scope="col" { "Devices" } th scope="col" { "Gets" }
                    @for version in self.versions {
                        th scope="col" title={ (version.file) ", published " (version.published) } { "v" (version.number) }
                    }
                } }
                tbody {
                    @for (row, runtime) in self.runtimes.iter().enumerate() {
                        tr {
                            th scope="row" {
                                @if self.linked { a href=(Address::runtime(&runtime.name).seen(self.view)) { (runtime.name) } }
                                @else { (runtime.name) }
                            }
                            td class="number" { (amount::count(runtime.devices)) }
                            td class="whole" {
                                @let gets = self.gets.get(row).copied().unwrap_or(RuntimeAnswer::NotAsked);
                                @if self.linked { a href=(self.decision(runtime)) { (overview::gets(gets)) } }
                                @else { (overview::gets(gets)) }
                            }
                            @for (column, version) in self.versions.iter().enumerate() {
                                (self.cell(row, column, version, numbers))
                            }
                        }
                    }
                }
            }
        }
    }

    fn cell(
        &self,
        row: usize,
        column: usize,
        version: &PublishedVersion,
        numbers: &[Vec<usize>],
    ) -> Markup {
        let at = row * self.versions.len() + column;
        let answer = self.answers.get(at).and_then(Option::as_deref);
        let mark = mark(answer, &self.view.policy);
        let runtime = &self.runtimes[row];
        let place = format!("version-{}", version.number);
        let own = numbers.get(at).map_or(&[][..], Vec::as_slice);
        html! {
            td class={ "mark " (mark.class()) } title=(mark.meaning()) {
                @if self.linked {
                    a href=(Address::decision(self.model, &runtime.name).with("version", version.number).seen(self.view).place(place))
                        aria-label={ "version " (version.number) " on " (runtime.name) ": " (mark.meaning()) } { (mark.word()) }
                } @else { (mark.word()) }
                @for number in own { sup { a href={ "#reason-" (number) } aria-label={ "reason " (number) } { (number) } } }
            }
        }
    }

    fn decision(&self, runtime: &KeptRuntime) -> Address {
        Address::decision(self.model, &runtime.name).seen(self.view)
    }

    /// The numbers in each cell, and what they mean.
    fn reasons(&self) -> (Vec<Vec<usize>>, Vec<Numbered<'a>>) {
        let mut known: HashMap<(&str, &str), usize> = HashMap::new();
        let mut reasons: Vec<Numbered<'_>> = Vec::new();
        let mut numbers = vec![Vec::new(); self.answers.len()];
        let columns = self.versions.len().max(1);
        for (at, answer) in self.answers.iter().enumerate() {
            let Some(answer) = answer else { continue };
            if mark(Some(answer), &self.view.policy) == VerdictMark::Unrelated {
                continue;
            }
            let (row, version) = (at / columns, self.versions[at % columns].number);
            let worth = answer.as_is.findings.iter().filter(|one| one.severity > Severity::Note);
            for found in worth.take(IN_CELL) {
                let key = (found.code.as_str(), found.message.as_str());
                let place = known.get(&key).copied();
                if place.is_none() && reasons.len() >= EXPLAINED {
                    continue;
                }
                let place = place.unwrap_or_else(|| {
                    reasons.push(Numbered { reason: found, cells: Vec::new() });
                    known.insert(key, reasons.len() - 1);
                    reasons.len() - 1
                });
                numbers[at].push(place + 1);
                let cells = &mut reasons[place].cells;
                match cells.iter_mut().find(|(known, _)| *known == version) {
                    Some((_, rows)) => rows.push(row),
                    None => cells.push((version, vec![row])),
                }
            }
        }
        (numbers, reasons)
    }

    fn places(&self, cells: &[(i64, Vec<usize>)]) -> Vec<String> {
        let name = |row: &usize| self.runtimes[*row].name.as_str();
        let place = |(version, rows): &(i64, Vec<usize>)| {
            let names: Vec<&str> = rows.iter().take(NAMED).map(name).collect();
            let more = rows.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("version {version} on {}{more}", names.join(", "))
        };
        cells.iter().map(place).collect()
    }
}
