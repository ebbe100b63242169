//! `cargo lab stablehlo-text`: MLIR text that jaxlib prints, read by Unskew.
//!
//! The newest jaxlib that is here makes artifacts of programs and prints each, in its pretty form and in the generic one.
//! Unskew reads each text, and what it makes of it has to be the artifact: both printed by Unskew are the same.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use unskew_lab_harness::{Page, WritePage};
use unskew_source::{FileSource, Source};

use crate::stablehlo_programs::{Bench, LOWER, Programs, again, artifacts, probe};

const PAGE: Page = Page("docs/reference/stablehlo-text.md");

/// The most differences that are told.
const TOLD: usize = 40;

/// Reads MLIR text that jaxlib prints, and holds what comes of it against the artifacts that it is of.
#[derive(Args)]
pub struct StablehloText {
    #[command(flatten)]
    programs: Programs,
    #[command(flatten)]
    write: WritePage,
}

/// What became of the texts of one form.
#[derive(Default)]
struct Counts {
    same: usize,
    different: Vec<String>,
    /// By what is not read, how many.
    unread: BTreeMap<String, usize>,
}

/// Makes, prints, reads and compares.
///
/// # Errors
/// If no environment is there, a probe cannot be run, or a text was read as another program.
pub fn run(arguments: &StablehloText) -> anyhow::Result<()> {
    let bench = Bench::new(&arguments.programs)?;
    let (writer, base, texts) = (bench.writer()?, &bench.base, bench.at("texts")?);
    again(&|| {
        let mut command = probe(writer, LOWER);
        command.arg("text").arg(base).arg(&texts);
        command
    })?;
    let forms = ["pretty", "generic", "own"];
    let mut tallies: Vec<Counts> = forms.iter().map(|_| Counts::default()).collect();
    for path in artifacts(base)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(program) = printed(&open(&path)?) else { continue };
        let own = texts.join(format!("{name}.own.mlir"));
        // To this jaxlib, whose StableHLO has no tilings yet, they are an attribute like any other.
        if program.contains("{result_tilings = ") {
            continue;
        }
        if !program.contains("/*") {
            fs::write(&own, &program)?;
        }
        for (form, tally) in forms.iter().zip(&mut tallies) {
            let text = texts.join(format!("{name}.{form}.mlir"));
            if text.exists() {
                tally.add(&name, &open(&text)?, &program);
            }
        }
    }
    let page = page(&writer.version.to_string(), &forms, &tallies);
    print!("{page}");
    let different: Vec<&String> = tallies.iter().flat_map(|tally| &tally.different).collect();
    different.iter().take(TOLD).for_each(|what| println!("{what}"));
    PAGE.write(&page, &arguments.write)?;
    ensure!(different.is_empty(), "{} texts are read as other programs", different.len());
    Ok(())
}

fn open(path: &Path) -> anyhow::Result<Arc<dyn Source>> {
    Ok(Arc::new(FileSource::open(path)?))
}

fn printed(program: &Arc<dyn Source>) -> anyhow::Result<String> {
    let mut text = Vec::new();
    unskew_stablehlo::print::text(program, &Default::default(), &mut text)?;
    Ok(String::from_utf8(text)?)
}

impl Counts {
    fn add(&mut self, name: &str, text: &Arc<dyn Source>, program: &str) {
        let made = match unskew_stablehlo::parse::bytecode(&**text) {
            Ok(made) => Arc::new(made) as Arc<dyn Source>,
            Err(error) => {
                // The place is of one text, the rest of many.
                let what = error.problem.to_string();
                let what = what.rsplit_once(": ").map_or(&*what, |(_, what)| what).to_owned();
                *self.unread.entry(what).or_default() += 1;
                return;
            }
        };
        match printed(&made) {
            Ok(again) if without_defaults(&again) == without_defaults(program) => self.same += 1,
            Ok(again) => {
                let lines = again.lines().zip(program.lines()).find(|(one, other)| one != other);
                self.different.push(format!("{name}: {lines:?}"));
            }
            Err(error) => self.different.push(format!("{name}: {error:#}")),
        }
    }

    fn unread(&self) -> usize {
        self.unread.values().sum()
    }
}

/// Without what a printer leaves out where it says nothing.
fn without_defaults(text: &str) -> String {
    const ONE: &str = "[#stablehlo<precision DEFAULT>]";
    const TWO: &str = "[#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]";
    // No text tells an empty list of precisions from one of defaults.
    let text = text.replace("precision_config = []", &format!("precision_config = {TWO}"));
    let text = text.replace(ONE, TWO);
    let text = text.replace(" <{overflowFlags = #arith.overflow<none>}>", "");
    let text = text.replace(" <{fastmath = #arith.fastmath<none>}>", "");
    text.replace("fastmath = #arith.fastmath<none>, ", "")
}

fn page(version: &str, forms: &[&str], tallies: &[Counts]) -> String {
    let mut page = String::from("# MLIR text that is read\n\n");
    let _ = write!(
        page,
        "Made by `cargo lab stablehlo-text --write`: programs of StableHLO's public test data, of JAX's \
         back-compatibility data and made at random, printed by jaxlib {version} in its pretty and in the generic form, and \
         by Unskew. Each text is read by Unskew, and what comes of it is held against the artifact that jaxlib wrote of the \
         same program: both as Unskew prints them.\n\n\
         | printed by | texts | read as the same program | read as another | not read |\n\
         | --- | --: | --: | --: | --: |\n",
    );
    for (form, tally) in forms.iter().zip(tallies) {
        let who = match *form {
            "own" => "`unskew inspect --text=whole`".to_owned(),
            form => format!("jaxlib, {form}"),
        };
        let (same, other, unread) = (tally.same, tally.different.len(), tally.unread());
        let _ =
            writeln!(page, "| {who} | {} | {same} | {other} | {unread} |", same + other + unread);
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (what, count) in tallies.iter().flat_map(|tally| &tally.unread) {
        *reasons.entry(what).or_default() += count;
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    page.push_str("\nWhat is not read, with how many texts of all three have it first:\n\n| texts | what |\n| --: | --- |\n");
    for (what, count) in reasons {
        let _ = writeln!(page, "| {count} | {} |", what.replace('|', "\\|"));
    }
    page
}
