//! Real releases of a header, one after the other: what a C compiler says broke, against what the verdict says.
//!
//! The compiler is asked about every function, every struct with its fields, every enumerator and every name for a type
//! of the older release: first for its numbers, then whether they hold in the newer one. Each question stands on a line
//! of its own, so that one run of the compiler answers all of them. Macros are not asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use unskew_c_headers::Headers;
use unskew_c_headers::contract::{HeaderSource, read_together};
use unskew_c_headers::header::{Header, HeaderItem};
use unskew_core::Severity;
use unskew_kinds::{CompareOptions, InterfaceKind};
use unskew_source::Files;

use super::OF_NUMBERS;

/// How many lines of a program the compiler complains about at most: all of them.
const ALL_ERRORS: &str = "-fmax-errors=0";

/// Something of the older header that must hold in the newer one.
struct Question {
    /// What it is about, as a finding names it.
    subject: String,
    /// The enumeration that it is a value of.
    owner: Option<String>,
    /// What the compiler asserts; `{}` stands for a number of the older header, if there is one.
    condition: String,
    number: Option<String>,
}

/// What came of two releases.
#[derive(Default)]
struct Pair {
    asked: usize,
    broken: usize,
    missed: Vec<String>,
    false_errors: Vec<String>,
    source_only: usize,
}

/// Judges every release of a folder against the one before it. Each has a folder of its own, in which `header` lies.
///
/// # Errors
/// If a header cannot be read, there is no compiler, or a verdict does not hold.
pub fn run(folder: &Path, header: &str) -> Result<()> {
    let mut releases: Vec<String> = Vec::new();
    for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if folder.join(&name).join(header).is_file() {
            releases.push(name);
        }
    }
    releases.sort_by_key(|name| numbers_of(name));
    ensure!(releases.len() > 1, "{}: fewer than two folders with {header}", folder.display());
    println!("| {header} | asked | broken | of source only | missed | false errors |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let mut faults = Vec::new();
    for two in releases.windows(2) {
        let [old, new] = two else { continue };
        let pair = compare(&folder.join(old), &folder.join(new), header)?;
        let (missed, alarms) = (pair.missed.len(), pair.false_errors.len());
        println!(
            "| {old} to {new} | {} | {} | {} | {missed} | {alarms} |",
            pair.asked, pair.broken, pair.source_only
        );
        let named = |what: &str, names: &[String]| -> Vec<String> {
            names.iter().map(|name| format!("{old} to {new}: {what}: {name}")).collect()
        };
        faults.extend(named("missed", &pair.missed));
        faults.extend(named("false error", &pair.false_errors));
    }
    for fault in &faults {
        println!("{fault}");
    }
    ensure!(faults.is_empty(), "{} verdicts disagree with the compiler", faults.len());
    Ok(())
}

/// `3.9.0` comes before `3.10.0`.
fn numbers_of(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

fn compare(old: &Path, new: &Path, header: &str) -> Result<Pair> {
    let questions = questions(&side(old)?, header)?;
    let numbers = numbers(old, header, &questions)?;
    let mut asserted = Vec::new();
    for (question, number) in questions.iter().zip(numbers) {
        let Some(number) = number else { continue };
        asserted.push((&question.subject, question.condition.replace("{}", &number.to_string())));
    }
    let lines: Vec<String> = asserted
        .iter()
        .map(|(_, condition)| format!("_Static_assert({condition}, \"\");"))
        .collect();
    let everywhere = refused(new, header, &lines, &[])?;
    // A `const` that was dropped or added changes nothing of what is built.
    let without_const = refused(new, header, &lines, &["-Dconst="])?;
    let subject = |at: &usize| asserted.get(*at).map(|(subject, _)| subject.as_str());
    let all: BTreeSet<&str> = everywhere.keys().filter_map(subject).collect();
    // What is built knows the number of an enumerator, and not its name.
    let is_number = |at: &usize| {
        asserted.get(*at).is_some_and(|(name, asks)| asks.starts_with(&format!("({name})")))
    };
    let gone = |(at, said): &(&usize, &String)| said.contains("undeclared") && is_number(at);
    let binary = without_const.iter().filter(|one| !gone(one)).filter_map(|(at, _)| subject(at));
    let binary: BTreeSet<&str> = binary.collect();
    let asked: BTreeSet<&str> = asserted.iter().map(|(subject, _)| subject.as_str()).collect();
    let aliases = aliases(&side(new)?, header);
    let compared = Headers.compare(&side(old)?, &side(new)?, &CompareOptions::default());
    let compared = compared.map_err(|error| anyhow::anyhow!("{error}"))?;
    let counts = |code: &str| !OF_NUMBERS.contains(&code);
    let findings = compared.changes.iter().filter(|change| counts(change.finding.rule.code));
    let said: Vec<(String, Severity)> = findings
        .map(|change| {
            (format!("{} {}", change.subject, change.finding.message), change.finding.severity)
        })
        .collect();
    let owners: BTreeMap<&str, &str> = questions
        .iter()
        .filter_map(|question| Some((question.subject.as_str(), question.owner.as_deref()?)))
        .collect();
    let gravest = |subject: &str| {
        let alias = aliases.get(subject).map_or(subject, String::as_str);
        // That an enumeration is gone says so of its values.
        let owner = owners.get(subject).copied().unwrap_or(subject);
        let about = |text: &str| {
            let gone = text.contains("removed") || text.contains("called");
            words(text).any(|word| word == subject || word == alias || (gone && word == owner))
        };
        said.iter().filter(|(text, _)| about(text)).map(|(_, severity)| *severity).max()
    };
    let mut pair = Pair { asked: asked.len(), broken: all.len(), ..Pair::default() };
    for subject in &all {
        let found = gravest(subject);
        let held = match binary.contains(subject) {
            true => found == Some(Severity::Error),
            false => found.is_some(),
        };
        pair.source_only += usize::from(!binary.contains(subject));
        if !held {
            pair.missed.push(format!("{subject}: {found:?}"));
        }
    }
    let alias = |subject: &&str| aliases.get(*subject).map(String::as_str);
    let broken: BTreeSet<&str> = all.iter().copied().chain(all.iter().filter_map(alias)).collect();
    for (text, severity) in &said {
        let about = |names: &BTreeSet<&str>| words(text).any(|word| names.contains(word));
        if *severity == Severity::Error && about(&asked) && !about(&broken) {
            pair.false_errors.push(text.clone());
        }
    }
    Ok(pair)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// What names for types stand for in a header, if that is another name.
fn aliases(files: &Files, header: &str) -> BTreeMap<String, String> {
    let read = files.get(header).map(Header::read).unwrap_or_default();
    let named = read.declarations.into_iter().filter_map(|declaration| match declaration.item {
        HeaderItem::Typedef { name, r#type } => Some((name, r#type.to_string())),
        _ => None,
    });
    named
        .map(|(name, of)| {
            (name, of.trim_start_matches("enum ").trim_start_matches("struct ").to_owned())
        })
        .collect()
}

fn side(folder: &Path) -> Result<Files> {
    let mut files = Files::default();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in current.read_dir()? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "h") {
                let name = path.strip_prefix(folder)?.to_string_lossy().into_owned();
                files.insert(name, std::fs::read(&path)?);
            }
        }
    }
    Ok(files)
}

fn questions(files: &Files, header: &str) -> Result<Vec<Question>> {
    let sources: Vec<HeaderSource<'_>> =
        files.iter().map(|(name, text)| HeaderSource { name, text }).collect();
    let at = sources.iter().position(|source| source.name == header);
    let (all, _) = read_together(&sources, &[]);
    let read = at.and_then(|at| all.get(at)).with_context(|| header.to_owned())?;
    let mut questions = Vec::new();
    let compatible = |name: &str, r#type: &str| {
        format!("__builtin_types_compatible_p(__typeof__({name}), {type})")
    };
    for declaration in &read.declarations {
        match &declaration.item {
            HeaderItem::Function { name, r#type, .. } | HeaderItem::Typedef { name, r#type } => {
                questions.push(Question {
                    subject: name.clone(),
                    owner: None,
                    condition: compatible(name, &r#type.to_string()),
                    number: None,
                });
            }
            HeaderItem::Enum(found) => {
                for value in found.enumerators.iter() {
                    questions.push(Question {
                        subject: value.name.clone(),
                        owner: Some(found.name.clone()),
                        condition: format!("({}) == {{}}", value.name),
                        number: Some(value.name.clone()),
                    });
                }
            }
            HeaderItem::Record(record) if !record.name.is_empty() => {
                let name = &record.name;
                let ask = |expression: String| Question {
                    subject: name.clone(),
                    owner: None,
                    condition: format!("{expression} == {{}}"),
                    number: Some(expression),
                };
                questions.push(ask(format!("sizeof({name})")));
                let plain = |field: &&unskew_c_headers::header::FieldDeclaration| {
                    !field.name.is_empty() && field.bits.is_none()
                };
                for field in record.fields.iter().filter(plain) {
                    questions.push(ask(format!("offsetof({name}, {})", field.name)));
                    questions.push(Question {
                        subject: name.clone(),
                        owner: None,
                        condition: compatible(
                            &format!("(({name}*)0)->{}", field.name),
                            &field.r#type.to_string(),
                        ),
                        number: None,
                    });
                }
            }
            _ => {}
        }
    }
    Ok(questions)
}

fn head(header: &str) -> String {
    format!(
        "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdarg.h>\n#include \"{header}\"\n"
    )
}

/// The compiler on a program that a folder's headers stand beside, and what it complains of.
fn compile(folder: &Path, program: &Path, more: &[&str]) -> Result<(bool, String)> {
    let mut command = Command::new("cc");
    command.args(["-std=gnu11", "-w", ALL_ERRORS, "-I"]).arg(folder).arg(program).args(more);
    let done = command.output().context("cc")?;
    Ok((done.status.success(), String::from_utf8_lossy(&done.stderr).into_owned()))
}

/// The places of the lines that the compiler refuses behind a header.
fn refused(
    folder: &Path,
    header: &str,
    lines: &[String],
    more: &[&str],
) -> Result<BTreeMap<usize, String>> {
    let place = tempfile::tempdir()?;
    let file = place.path().join("probe.c");
    let head = head(header);
    let first = head.lines().count() + 1;
    std::fs::write(&file, head + &lines.join("\n") + "\n")?;
    let more: Vec<&str> = more.iter().copied().chain(["-fsyntax-only"]).collect();
    let (_, said) = compile(folder, &file, &more)?;
    let mut refused = BTreeMap::new();
    for line in said.lines().filter(|line| line.contains("error:")) {
        let Some((_, rest)) = line.split_once("probe.c:") else { bail!("{header}: {line}") };
        let number = rest.split(':').next().unwrap_or_default().parse::<usize>();
        if let Some(at) = number.ok().and_then(|number| number.checked_sub(first)) {
            refused.entry(at).or_insert_with(|| line.to_owned());
        }
    }
    Ok(refused)
}

/// For each question the number of the older header, 1 where it has none; none where the older header itself does not
/// compile with the question, as with types that are declared elsewhere.
fn numbers(folder: &Path, header: &str, questions: &[Question]) -> Result<Vec<Option<i64>>> {
    let line = |question: &Question| match &question.number {
        Some(number) => format!("long unskew_{}(void) {{ return (long)({number}); }}", "ask"),
        None => format!("_Static_assert({}, \"\");", question.condition),
    };
    // Alone on its line each has a name of its own.
    let lines: Vec<String> = questions
        .iter()
        .enumerate()
        .map(|(at, question)| line(question).replace("unskew_ask", &format!("unskew_{at}")))
        .collect();
    let refused = refused(folder, header, &lines, &[])?;
    let place = tempfile::tempdir()?;
    let (file, binary) = (place.path().join("probe.c"), place.path().join("probe"));
    let mut program = head(header) + "int main(void) {\n";
    let sound = |at: &usize| !refused.contains_key(at);
    let asked: Vec<usize> = (0..questions.len()).filter(sound).collect();
    for at in &asked {
        let number = questions[*at].number.as_deref().unwrap_or("1");
        program += &format!("printf(\"%ld\\n\", (long)({number}));\n");
    }
    std::fs::write(&file, program + "}\n")?;
    let output = binary.display().to_string();
    let (made, said) = compile(folder, &file, &["-o", &output])?;
    ensure!(made, "{}: {said}", folder.display());
    let said = Command::new(&binary).output()?.stdout;
    let mut values = String::from_utf8_lossy(&said)
        .lines()
        .map(str::parse)
        .collect::<Result<Vec<i64>, _>>()?
        .into_iter();
    let mut found = vec![None; questions.len()];
    for at in asked {
        found[at] = values.next();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_between_two_releases_is_seen_by_the_compiler_and_by_the_verdict() {
        if crate::headers::truth::compiler().is_err() {
            println!("skipped: no C compiler `cc` here");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        for (release, text) in [
            (
                "1.9",
                "typedef struct point { int x; int y; } point;\nenum color { RED = 1, BLUE = 2 };\nint f(const char *);\nint g(int);\n",
            ),
            (
                "1.10",
                "typedef struct point { long x; int y; } point;\nenum color { RED = 1, BLUE = 3 };\nint f(char *);\nint g(int);\nint h(void);\n",
            ),
        ] {
            std::fs::create_dir(folder.path().join(release)).unwrap();
            std::fs::write(folder.path().join(release).join("api.h"), text).unwrap();
        }
        let pair =
            compare(&folder.path().join("1.9"), &folder.path().join("1.10"), "api.h").unwrap();
        assert_eq!((pair.missed, pair.false_errors), (vec![], vec![]));
        assert_eq!((pair.broken, pair.source_only), (3, 1));
        run(folder.path(), "api.h").unwrap();
    }
}
