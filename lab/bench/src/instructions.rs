//! `cargo lab instructions`: how many instructions a command takes, against what the tree has written down.
//!
//! Times differ from machine to machine and from run to run; instructions under `valgrind --tool=callgrind` hardly do.
//! `benchmarks/instructions.tsv` has the commands, a line each with its instructions, and below it the functions that
//! spend most of them. A command that needs a twentieth more than is written fails, with the functions that grew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, bail, ensure};

/// What is written down.
const TABLE: &str = "benchmarks/instructions.tsv";

/// How many functions of a command are written down.
const FUNCTIONS: usize = 10;

/// Counts instructions of commands, and compares them with `benchmarks/instructions.tsv`.
#[derive(Default, clap::Args)]
pub struct Instructions {
    /// Writes the counts down instead
    #[arg(long)]
    write: bool,
    /// Only prints where this command spends its instructions: `-- check model.pt --with torch@2.1`
    #[arg(last = true, value_name = "ARGUMENTS")]
    command: Vec<String>,
}

/// A command, its instructions, and the functions that spend most of them.
struct Row {
    command: String,
    instructions: u64,
    functions: BTreeMap<String, u64>,
}

impl Row {
    /// The line of the command, and a line for each function, most instructions first.
    fn lines(&self) -> String {
        let mut functions: Vec<_> = self.functions.iter().collect();
        functions.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let mut text = format!("{}\t{}\n", self.instructions, self.command);
        for (name, count) in functions.into_iter().take(FUNCTIONS) {
            let _ = writeln!(text, "\t{count}\t{name}");
        }
        text
    }
}

/// Counts, and compares or writes.
///
/// # Errors
/// If the command cannot be built or fails, or needs more instructions than are written down.
pub fn run(asked: &Instructions) -> anyhow::Result<()> {
    let unskew = build()?;
    if !asked.command.is_empty() {
        print!("{}", count(&unskew, &asked.command.join(" "))?.lines());
        return Ok(());
    }
    let path = unskew_peers::root().join(TABLE);
    let known = read(&fs::read_to_string(&path)?)?;
    let (mut text, mut grown) = (String::new(), Vec::new());
    for row in &known {
        let now = count(&unskew, &row.command)?;
        let change = now.instructions as f64 / row.instructions as f64 * 100.0 - 100.0;
        println!("{:>12} {change:+6.1} %  unskew {}", now.instructions, row.command);
        text += &now.lines();
        if now.instructions > row.instructions / 20 * 21 {
            grown.push(report(row, &now));
        }
    }
    if asked.write {
        fs::write(&path, text)?;
        return Ok(());
    }
    ensure!(
        grown.is_empty(),
        "more instructions than {TABLE} says; if they are worth it, cargo lab instructions --write\n{}",
        grown.join("\n")
    );
    Ok(())
}

/// The command and the functions that grew most.
fn report(before: &Row, now: &Row) -> String {
    let mut grown: Vec<_> = now
        .functions
        .iter()
        .map(|(name, count)| {
            (count.saturating_sub(before.functions.get(name).copied().unwrap_or(0)), name)
        })
        .collect();
    grown.sort_unstable_by(|one, other| other.cmp(one));
    let mut text =
        format!("unskew {}: {} after {}", now.command, now.instructions, before.instructions);
    for (more, name) in grown.into_iter().take(3) {
        let _ = write!(text, "\n    {more} more in {name}");
    }
    text
}

/// The table: a line for each command, and one that begins with a tab for each of its functions.
fn read(text: &str) -> anyhow::Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let place = || format!("{TABLE}, line {number}");
        if let Some(function) = line.strip_prefix('\t') {
            let (count, name) = function.split_once('\t').with_context(place)?;
            let row = rows.last_mut().with_context(place)?;
            row.functions.insert(name.to_owned(), count.parse().with_context(place)?);
        } else {
            let (count, command) = line.split_once('\t').with_context(place)?;
            let instructions = count.parse().with_context(place)?;
            rows.push(Row {
                command: command.to_owned(),
                instructions,
                functions: BTreeMap::new(),
            });
        }
    }
    Ok(rows)
}

/// The command as `cargo build --release` makes it, with the names of its functions.
fn build() -> anyhow::Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--profile", "profiling", "--bin", "unskew"]);
    let status = build.current_dir(unskew_peers::root()).status()?;
    ensure!(status.success(), "the build failed: {build:?}");
    let target = env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    Ok(unskew_peers::root().join(target).join("profiling/unskew"))
}

/// Runs a command under callgrind. That it finds something is no failure.
fn count(unskew: &Path, command: &str) -> anyhow::Result<Row> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("callgrind.out");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no"]);
    valgrind.arg(format!("--callgrind-out-file={}", out.display())).arg(unskew);
    valgrind.args(command.split(' ')).current_dir(unskew_peers::root());
    // Threads that wait for work spend instructions, and never the same number.
    valgrind.env("RAYON_NUM_THREADS", "1");
    // Under valgrind a command takes fifty times as long, of which its budget of processor time does not know.
    if !command.starts_with("--") && !command.contains("--budget") {
        valgrind.args(["--budget", "100"]);
    }
    let run = valgrind.output().context("valgrind, which counts instructions; install it")?;
    if !matches!(run.status.code(), Some(0 | 1)) {
        bail!("{valgrind:?} failed: {}", String::from_utf8_lossy(&run.stderr));
    }
    let profile = fs::read_to_string(&out)?;
    let (instructions, functions) = profiled(&profile).context("the output of callgrind")?;
    Ok(Row { command: command.to_owned(), instructions, functions })
}

/// What a profile says: all instructions, and those of each function apart from what it calls.
fn profiled(text: &str) -> Option<(u64, BTreeMap<String, u64>)> {
    let (mut functions, mut name, mut called) = (BTreeMap::new(), "", false);
    let mut total = None;
    for line in text.lines() {
        if let Some(function) = line.strip_prefix("fn=") {
            name = function;
        } else if line.starts_with("calls=") {
            called = true;
        } else if let Some(count) = line.strip_prefix("summary: ").or(line.strip_prefix("totals: "))
        {
            total = total.or(count.trim().parse().ok());
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            // The line behind `calls=` is what the called function spent.
            let count = line.split(' ').nth(1).and_then(|count| count.parse::<u64>().ok());
            if let (Some(count), false) = (count, std::mem::take(&mut called)) {
                *functions.entry(name.to_owned()).or_insert(0) += count;
            }
        }
    }
    Some((total?, functions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_function_calls_is_not_its_own() {
        let text = "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=work\ncalls=2 7\n2 500\n3 5\n\nfn=work\n7 500\n\ntotals: 515\n";
        let (all, functions) = profiled(text).unwrap();
        assert_eq!(all, 515);
        assert_eq!(functions, BTreeMap::from([("main".into(), 15), ("work".into(), 500)]));
    }

    #[test]
    fn what_is_written_is_read() {
        let table = "30\tcheck a --with b\n\t20\tread\n\t10\tjudge\n5\t--version\n\t5\tmain\n";
        let rows = read(table).unwrap();
        assert_eq!(rows.iter().map(Row::lines).collect::<String>(), table);
        let grown = Row {
            instructions: 40,
            functions: [("read".into(), 30)].into(),
            ..read(table).unwrap().remove(0)
        };
        assert!(report(&rows[0], &grown).ends_with("10 more in read"));
        assert!(read("thirty\tcheck").is_err());
    }
}
