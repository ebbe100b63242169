//! Attributes of dialects as they are written: `#stablehlo.gather<offset_dims = [0]>`.

use unskew_source::ReadError;

use super::attributes::{self, Aliases, Attr, Role};
use super::scanner::Scanner;
use super::shardings;
use super::types::Type;
use crate::print::{CHOICES, COMPARED, DIRECTIONS, MODES, PRECISIONS};

/// The numbers of the lists of CHLO.
const CHLO: [(u64, &str, &[&str]); 2] =
    [(0, "comparison_direction", &DIRECTIONS), (1, "comparison_type", &COMPARED)];

/// The number of the list of accuracies.
const MODE: u64 = 19;

/// Attributes that are several ones with names.
const GROUPS: [&str; 10] = [
    "stablehlo.axis_ref",
    "stablehlo.channel_handle",
    "stablehlo.dot",
    "stablehlo.dot_algorithm",
    "stablehlo.gather",
    "stablehlo.mesh_axis",
    "stablehlo.output_operand_alias",
    "stablehlo.replica_group_mesh_axes",
    "stablehlo.result_accuracy",
    "stablehlo.scatter",
];

pub(super) fn read(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Attr, ReadError> {
    let start = scanner.place();
    let name = scanner.suffix("#")?;
    if let Some(known) = aliases.attributes.get(name) {
        return scanner.stands_for(known).cloned();
    }
    match name {
        // `#stablehlo<precision HIGH>`
        "stablehlo" | "chlo" => {
            scanner.needs("<")?;
            let list = scanner.word()?;
            let choice = value(scanner, start, name, list)?;
            scanner.needs(">")?;
            return Ok(choice);
        }
        "sdy" => return shardings::read(scanner, start, ""),
        "stablehlo.conv" => {
            scanner.needs("<")?;
            let made = convolution(scanner)?;
            scanner.needs(">")?;
            return Ok(made);
        }
        "stablehlo.bounds" => return Ok(Attr::Bounds(scanner.list("<", ">", bound)?)),
        // What bounds were called before.
        "stablehlo.type_extensions" => {
            scanner.needs("<")?;
            scanner.needs_word("bounds")?;
            scanner.needs("=")?;
            let bounds = scanner.list("[", "]", bound)?;
            scanner.needs(">")?;
            return Ok(Attr::Bounds(bounds));
        }
        "arith.fastmath" | "arith.overflow" => {
            scanner.needs("<")?;
            let flags = scanner.word()?;
            scanner.needs(">")?;
            return Ok(Attr::Raw("arith", format!("#{name}<{flags}>")));
        }
        "chlo.ragged_dot" => {
            let text = String::from_utf8_lossy(scanner.bracketed()?);
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            return Ok(Attr::Raw("chlo", format!("#{name}{text}")));
        }
        "stablehlo.mesh" => return mesh(scanner, aliases),
        _ if GROUPS.contains(&name) => return group(scanner, aliases, name),
        _ => {}
    }
    match name.split_once('.') {
        Some(("sdy", rest)) => shardings::read(scanner, start, rest),
        Some((dialect @ ("stablehlo" | "chlo"), list)) => {
            scanner.needs("<")?;
            let choice = value(scanner, start, dialect, list)?;
            scanner.needs(">")?;
            Ok(choice)
        }
        _ => Err(scanner.unknown_at(start, &format!("the attribute `#{name}` is not read"))),
    }
}

fn bound(scanner: &mut Scanner<'_>) -> Result<Option<i64>, ReadError> {
    if scanner.takes("?") { Ok(None) } else { scanner.integer().map(Some) }
}

fn value(
    scanner: &mut Scanner<'_>,
    start: usize,
    dialect: &str,
    list: &str,
) -> Result<Attr, ReadError> {
    let said = scanner.word()?;
    choice(dialect, list, said).ok_or_else(|| {
        scanner.unknown_at(start, &format!("`{said}` of `{dialect}.{list}` is not known"))
    })
}

/// A value of a list, by its name.
pub(super) fn choice(dialect: &str, list: &str, value: &str) -> Option<Attr> {
    let (dialect, lists) = match dialect {
        // In files it is text too.
        "chlo" if list == "precision" => {
            let known = PRECISIONS.contains(&value);
            return known.then(|| Attr::Raw("chlo", format!("#chlo<precision {value}>")));
        }
        "chlo" => ("chlo", &CHLO[..]),
        _ if list == "result_accuracy_mode" => {
            let at = MODES.iter().position(|name| *name == value)?;
            return Some(Attr::Choice("stablehlo", MODE, at as u64));
        }
        _ => ("stablehlo", &CHOICES[..]),
    };
    let (code, _, values) = lists.iter().find(|(_, name, _)| *name == list)?;
    let at = values.iter().position(|name| *name == value)?;
    Some(Attr::Choice(dialect, *code, at as u64))
}

/// `<name = value, name = value>` behind the name of an attribute.
pub(super) fn group(
    scanner: &mut Scanner<'_>,
    aliases: &Aliases,
    name: &str,
) -> Result<Attr, ReadError> {
    let parts = scanner.list("<", ">", |scanner| {
        let part = scanner.word()?.to_owned();
        scanner.needs("=")?;
        let value = match &*part {
            "sub_axis_info" => sub_axis(scanner)?,
            _ => attributes::read(scanner, aliases)?,
        };
        Ok((part, value))
    })?;
    Ok(Attr::Group(name.to_owned(), parts))
}

/// `(1)2`: what lies before a part of an axis, and its size.
fn sub_axis(scanner: &mut Scanner<'_>) -> Result<Attr, ReadError> {
    let number = |number: i64| Attr::Number(number.cast_unsigned(), Type::scalar("i64"));
    scanner.needs("(")?;
    let before = scanner.integer()?;
    scanner.needs(")")?;
    let size = scanner.integer()?;
    let parts = [("pre_size", before), ("size", size)];
    let parts = parts.map(|(name, value)| (name.to_owned(), number(value)));
    Ok(Attr::Group("stablehlo.sub_axis_info".to_owned(), parts.into()))
}

/// `<axes=[<name = "x", size = 2>], device_ids=dense<0> : tensor<1xi64>>`.
fn mesh(scanner: &mut Scanner<'_>, aliases: &Aliases) -> Result<Attr, ReadError> {
    let parts = scanner.list("<", ">", |scanner| {
        let part = scanner.word()?.to_owned();
        scanner.needs("=")?;
        let value = match &*part {
            "axes" => Attr::Array(
                scanner.list("[", "]", |scanner| group(scanner, aliases, "stablehlo.mesh_axis"))?,
            ),
            _ => attributes::read(scanner, aliases)?,
        };
        Ok((part, value))
    })?;
    Ok(Attr::Group("stablehlo.mesh".to_owned(), parts))
}

/// `[b, 0, f]x[0, i, o]->[b, 0, f]`.
pub(super) fn convolution(scanner: &mut Scanner<'_>) -> Result<Attr, ReadError> {
    let role = |scanner: &mut Scanner<'_>| match scanner.peek() {
        "" => scanner.integer().map(Role::Space),
        word => {
            let letter = word.chars().next().filter(|_| word.len() == 1);
            let letter =
                letter.ok_or_else(|| scanner.error("a dimension is a number or a letter"))?;
            scanner.word()?;
            Ok(Role::Letter(letter))
        }
    };
    let input = scanner.list("[", "]", role)?;
    scanner.needs("x")?;
    let kernel = scanner.list("[", "]", role)?;
    scanner.needs("->")?;
    Ok(Attr::Convolution([input, kernel, scanner.list("[", "]", role)?]))
}
