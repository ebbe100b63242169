//! What became of the files, by format and verb.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::Context as _;

use super::{BUILD, MEMORY, TIME};

/// What became of the files of one format on which one verb was run.
#[derive(Clone, Copy, Default)]
struct Row {
    runs: u64,
    answers: u64,
    errors: u64,
    budgets: u64,
    panics: u64,
    aborts: u64,
    /// Over the time or the memory, without saying so.
    silent: u64,
    /// The largest of what did not end by a budget.
    milliseconds: u64,
    mib: u64,
}

/// The results of all files, by kind.
#[derive(Default)]
pub struct Table {
    rows: BTreeMap<(String, String), Row>,
}

impl Table {
    /// Takes a line of a batch; returns the number of the mutation.
    ///
    /// # Errors
    /// If it is none.
    pub fn take(&mut self, line: &str) -> anyhow::Result<u64> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [nth, format, verb, became, milliseconds, mib] = fields.as_slice() else {
            anyhow::bail!("no line of a batch: {line}");
        };
        let row = self.rows.entry(((*format).to_owned(), verb.replace('_', " "))).or_default();
        let (milliseconds, mib): (u64, u64) = (milliseconds.parse()?, mib.parse()?);
        row.runs += 1;
        match *became {
            "answer" => row.answers += 1,
            "error" => row.errors += 1,
            "budget" => row.budgets += 1,
            "panic" => row.panics += 1,
            _ => row.aborts += 1,
        }
        if *became != "budget" {
            let over = u128::from(milliseconds) > TIME.as_millis() || mib > MEMORY >> 20;
            row.silent += u64::from(over);
            row.milliseconds = row.milliseconds.max(milliseconds);
            row.mib = row.mib.max(mib);
        }
        nth.parse().with_context(|| line.to_owned())
    }

    /// How many files made the command fail.
    pub fn bad(&self) -> u64 {
        self.rows.values().map(|row| row.panics + row.aborts + row.silent).sum()
    }

    /// The page of the documentation.
    pub fn page(&self, runs: u64, seed: u64, seeds: &BTreeMap<&str, usize>) -> String {
        let seeds: Vec<String> = seeds.iter().map(|(of, count)| format!("{of} {count}")).collect();
        format!(
            "# Hostile inputs\n\n\
             `cargo run --release -p unskew-lab-bench -- hostile --runs {runs} --seed {seed} --write` made this page. Build \
             the command first: `{BUILD}`.\n\n\
             Each run changes a small file and runs the command on it. A change is one of bytes (flipped, cut, \
             repeated, spliced with another file) or one of structure: members of an archive, opcodes of a \
             pickle, fields and lengths of protobuf messages, lines, numbers and brackets of a text, calls and \
             loops of a program.\n\n\
             A run fails if the command panics, ends by a signal, or takes more than 2 seconds of processor time or \
             256 MiB of memory without an error that names a budget. The budgets are explained in \
             [budgets](budgets.md).\n\n\
             Seeds: {}.\n\n{self}",
            seeds.join(", ")
        )
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| format | command | runs | answers | errors | budgets | panics | aborts | over without a word | most ms | most MiB |"
        )?;
        writeln!(f, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")?;
        let mut all = Row::default();
        for ((format, verb), row) in &self.rows {
            write_row(f, format, &format!("`{verb}`"), row)?;
            all = sum(all, *row);
        }
        write_row(f, "all", "", &all)
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, format: &str, verb: &str, row: &Row) -> fmt::Result {
    let Row { runs, answers, errors, budgets, panics, aborts, silent, milliseconds, mib } = row;
    writeln!(
        f,
        "| {format} | {verb} | {runs} | {answers} | {errors} | {budgets} | {panics} | {aborts} | {silent} | {milliseconds} | {mib} |"
    )
}

fn sum(a: Row, b: Row) -> Row {
    Row {
        runs: a.runs + b.runs,
        answers: a.answers + b.answers,
        errors: a.errors + b.errors,
        budgets: a.budgets + b.budgets,
        panics: a.panics + b.panics,
        aborts: a.aborts + b.aborts,
        silent: a.silent + b.silent,
        milliseconds: a.milliseconds.max(b.milliseconds),
        mib: a.mib.max(b.mib),
    }
}
