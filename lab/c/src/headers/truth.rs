//! What a C compiler says of an edit: it compiles what was built from the old header against the new one.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::edit::{Edit, Subject};

/// What an edit does to whoever was built from the old header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Truth {
    /// Source compiles as before, and what is built goes on.
    Nothing,
    /// Source has to be edited; what is built goes on.
    Source,
    /// What is built misreads, or finds no symbol.
    Binary,
}

/// What the compiler says of one side.
fn compile(folder: &Path, program: &str, output: Option<&Path>) -> Result<(bool, String)> {
    let file = folder.join("probe.c");
    std::fs::write(&file, program)?;
    let mut command = Command::new("cc");
    command.arg("-std=gnu11").arg("-w").arg("-I").arg(folder).arg(&file);
    match output {
        Some(output) => command.arg("-o").arg(output),
        None => command.arg("-fsyntax-only"),
    };
    let done = command.output().context("cc")?;
    Ok((done.status.success(), String::from_utf8_lossy(&done.stderr).into_owned()))
}

fn head(header: &str) -> String {
    format!(
        "#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n#include <stdio.h>\n#include <stdarg.h>\n#include \"{header}\"\n"
    )
}

/// The numbers of the old header: offsets and sizes of fields, the value of an enumerator.
fn numbers(folder: &Path, subject: &Subject) -> Result<Option<Vec<i64>>> {
    let mut program = head("old.h") + "int main(void) {\n";
    match subject {
        Subject::Record { name, fields, .. } => {
            program += &format!("printf(\"%ld\\n\", (long)sizeof({name}));\n");
            for (field, _) in fields {
                program += &format!(
                    "printf(\"%ld\\n%ld\\n\", (long)offsetof({name}, {field}), (long)sizeof((({name}*)0)->{field}));\n"
                );
            }
        }
        Subject::Enumerator { name } => {
            program += &format!("printf(\"%ld\\n\", (long)({name}));\n");
        }
        Subject::Function { name, .. } => {
            program += &format!("printf(\"%ld\\n\", (long)sizeof(__typeof__({name})*));\n");
        }
    }
    let output = folder.join("probe");
    if !compile(folder, &(program + "}\n"), Some(&output))?.0 {
        return Ok(None);
    }
    let done = Command::new(&output).output()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    Ok(text.lines().map(str::parse).collect::<Result<Vec<i64>, _>>().ok())
}

/// What becomes of an edit; none if one of the two headers does not compile.
///
/// # Errors
/// If there is no compiler.
pub fn of(folder: &Path, edit: &Edit) -> Result<Option<Truth>> {
    let Some(numbers) = numbers(folder, &edit.subject)? else { return Ok(None) };
    let new = head("new.h");
    if !compile(folder, &new, None)?.0 {
        return Ok(None);
    }
    let holds = |condition: &str| -> Result<bool> {
        let text = format!("{new}_Static_assert({condition}, \"edited\");\n");
        Ok(compile(folder, &text, None)?.0)
    };
    let mut numbers = numbers.into_iter();
    let mut next = || numbers.next().unwrap_or_default();
    let changed = |source| if source { Truth::Source } else { Truth::Binary };
    Ok(Some(match &edit.subject {
        Subject::Enumerator { name } => {
            let same = holds(&format!("({name}) == {}", next()))?;
            if same { Truth::Nothing } else { Truth::Binary }
        }
        Subject::Function { name, r#type } => {
            if !known(folder, name, r#type)? {
                return Ok(None);
            }
            let same = holds(&format!("__builtin_types_compatible_p(__typeof__({name}), {type})"))?;
            if same { Truth::Nothing } else { changed(edit.source_only) }
        }
        Subject::Record { name, fields, extensible } => {
            let size = next();
            let mut found = Truth::Nothing;
            let mut all = vec![];
            for (field, r#type) in fields {
                let (offset, size) = (next(), next());
                let there = format!(
                    "offsetof({name}, {field}) == {offset} && sizeof((({name}*)0)->{field}) == {size}"
                );
                let typed = format!(
                    "__builtin_types_compatible_p(__typeof__((({name}*)0)->{field}), {type})"
                );
                all.push((field, there, typed));
            }
            let together: Vec<&str> =
                all.iter().flat_map(|(_, a, b)| [a.as_str(), b.as_str()]).collect();
            if !together.is_empty() && !holds(&together.join(" && "))? {
                // A field of another name that lies where the old one did is known by its name alone.
                let renamed = edit.what == "field renamed"
                    && holds(&format!("sizeof({name}) == {size}"))?
                    && all.iter().filter(|(field, ..)| !edit.removes(field)).try_fold(
                        true,
                        |so_far, (_, there, typed)| {
                            Ok::<bool, anyhow::Error>(so_far && holds(there)? && holds(typed)?)
                        },
                    )?;
                found = changed(edit.source_only || renamed);
            }
            if found == Truth::Nothing
                && !extensible
                && !holds(&format!("sizeof({name}) == {size}"))?
            {
                found = Truth::Binary;
            }
            found
        }
    }))
}

/// Whether the type that the reader printed is the one that the compiler knows.
fn known(folder: &Path, name: &str, r#type: &str) -> Result<bool> {
    let text = format!(
        "{}_Static_assert(__builtin_types_compatible_p(__typeof__({name}), {type}), \"\");\n",
        head("old.h")
    );
    Ok(compile(folder, &text, None)?.0)
}

/// Fails where no compiler is.
///
/// # Errors
/// Then.
pub fn compiler() -> Result<()> {
    match Command::new("cc").arg("--version").output() {
        Ok(done) if done.status.success() => Ok(()),
        _ => bail!("no C compiler: install one that is called `cc`"),
    }
}
