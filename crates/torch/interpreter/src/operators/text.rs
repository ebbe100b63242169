//! Texts.

use super::Arguments;
use super::declaration::{Context, Operator, plain};
use crate::problem::refused;
use crate::{RunProblem, ScriptValue};

/// How long a text may become: programs make messages, not books.
const LONGEST: usize = 1 << 20;

#[rustfmt::skip]
pub(super) const OPERATORS: &[Operator] = &[
    plain("aten::format(str self, ...) -> str", format),
    plain("aten::percentFormat(str self, ...) -> str", percent),
    plain("aten::add.str(str a, str b) -> str", |_, a| text(format!("{}{}", a.text(0)?, a.text(1)?))),
    plain("aten::str(t elem) -> str", |_, a| text(a.value(0).to_string())),
    plain("aten::join(str self, str[] values) -> str", join),
    plain("aten::lower(str self) -> str", |_, a| text(a.text(0)?.to_lowercase())),
    plain("aten::upper(str self) -> str", |_, a| text(a.text(0)?.to_uppercase())),
    plain("aten::strip(str self, str chars=\" \") -> str", |_, a| text(a.text(0)?.trim_matches(|c| a.text(1).is_ok_and(|chars| chars.contains(c))))),
    plain("aten::replace(str self, str old, str new, int max=-1) -> str", replace),
    plain("aten::split.str(str self, str? separator=None, int max=-1) -> str[]", split),
    plain("aten::isdigit(str self) -> bool", |_, a| every(a, |c| c.is_ascii_digit())),
    plain("aten::isalpha(str self) -> bool", |_, a| every(a, char::is_alphabetic)),
    plain("aten::isalnum(str self) -> bool", |_, a| every(a, char::is_alphanumeric)),
    plain("aten::isspace(str self) -> bool", |_, a| every(a, char::is_whitespace)),
    plain("aten::isupper(str self) -> bool", |_, a| cased(a, char::is_uppercase)),
    plain("aten::islower(str self) -> bool", |_, a| cased(a, char::is_lowercase)),
    plain("aten::lstrip(str self, str chars=\" \") -> str", |_, a| text(a.text(0)?.trim_start_matches(|c| a.text(1).is_ok_and(|chars| chars.contains(c))))),
    plain("aten::rstrip(str self, str chars=\" \") -> str", |_, a| text(a.text(0)?.trim_end_matches(|c| a.text(1).is_ok_and(|chars| chars.contains(c))))),
    plain("aten::startswith(str self, str substr, int start=0, int end=-1) -> bool", |_, a| Ok(a.text(0)?.starts_with(a.text(1)?).into())),
    plain("aten::endswith(str self, str substr, int start=0, int end=-1) -> bool", |_, a| Ok(a.text(0)?.ends_with(a.text(1)?).into())),
];

fn text(text: impl AsRef<str>) -> Result<ScriptValue, RunProblem> {
    let text = text.as_ref();
    if text.len() > LONGEST {
        return Err(RunProblem::Limit { what: "bytes of a text", limit: LONGEST as u64 });
    }
    Ok(ScriptValue::from(text))
}

/// Whether a text has characters, and all are of a kind.
fn every(args: &Arguments<'_>, is: impl Fn(char) -> bool) -> Result<ScriptValue, RunProblem> {
    let text = args.text(0)?;
    Ok((!text.is_empty() && text.chars().all(is)).into())
}

fn cased(args: &Arguments<'_>, is: impl Fn(char) -> bool) -> Result<ScriptValue, RunProblem> {
    let letters: Vec<char> = args.text(0)?.chars().filter(|c| c.is_alphabetic()).collect();
    Ok((!letters.is_empty() && letters.into_iter().all(is)).into())
}

fn values<'a>(args: &'a Arguments<'_>) -> impl Iterator<Item = &'a ScriptValue> {
    (1..args.len()).map(|at| args.value(at))
}

fn replace(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (all, old, new) = (args.text(0)?, args.text(1)?, args.text(2)?);
    let size = all.len().saturating_add(all.matches(old).count().saturating_mul(new.len()));
    if size > 2 * LONGEST {
        return Err(RunProblem::Limit { what: "bytes of a text", limit: LONGEST as u64 });
    }
    text(all.replace(old, new))
}

/// Each `{}` is the next value.
fn format(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let (mut result, mut values) = (String::new(), values(args));
    let mut rest = args.text(0)?;
    while let Some((before, behind)) = rest.split_once("{}") {
        let Some(value) = values.next() else {
            return refused(format!("Too few arguments for format string: {}", args.text(0)?));
        };
        result.push_str(before);
        result.push_str(&value.to_string());
        if result.len() > LONGEST {
            break;
        }
        rest = behind;
    }
    result.push_str(rest);
    text(result)
}

/// Python's `%`, with `%s` and `%d` in its left side.
fn percent(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let mut given: Vec<ScriptValue> = values(args).cloned().collect();
    if let [ScriptValue::Tuple(tuple)] = given.as_slice() {
        given = tuple.items.clone();
    }
    let mut values = given.iter();
    let mut result = String::new();
    let mut letters = args.text(0)?.chars();
    while let Some(letter) = letters.next() {
        match (letter, letter == '%') {
            (_, false) => result.push(letter),
            _ => match letters.next() {
                Some('%') => result.push('%'),
                Some('s' | 'd' | 'i' | 'f' | 'g') => match values.next() {
                    Some(value) => result.push_str(&value.to_string()),
                    None => return refused("Too few arguments for format string"),
                },
                other => return refused(format!("The specifier %{other:?} is not supported")),
            },
        }
        if result.len() > LONGEST {
            break;
        }
    }
    text(result)
}

fn join(_: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let items = args.items(1)?;
    let parts: Vec<&str> = items.iter().filter_map(ScriptValue::text).collect();
    let size: usize = parts.iter().map(|part| part.len()).sum();
    if size.saturating_add(parts.len().saturating_mul(args.text(0)?.len())) > LONGEST {
        return Err(RunProblem::Limit { what: "bytes of a text", limit: LONGEST as u64 });
    }
    text(parts.join(args.text(0)?))
}

fn split(context: &Context<'_>, args: &Arguments<'_>) -> Result<ScriptValue, RunProblem> {
    let parts: Vec<ScriptValue> = match args.text_or_none(1)? {
        Some("") => return refused("empty separator"),
        Some(separator) => args.text(0)?.split(separator).map(ScriptValue::from).collect(),
        None => args.text(0)?.split_whitespace().map(ScriptValue::from).collect(),
    };
    context.meter.step(parts.len() as u64 * 4)?;
    Ok(ScriptValue::list(parts))
}
