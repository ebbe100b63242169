//! Shardings of Shardy as they are written.

use unskew_source::ReadError;

use super::attributes::{self, Attr};
use super::scanner::Scanner;

/// An attribute of Shardy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sharded {
    Mesh(Mesh),
    Sharding(Sharding),
    PerValue(Vec<Sharding>),
    /// The axes along which a computation is written out by hand.
    ManualAxes(Vec<Vec<u8>>),
    Rule(Rule),
}

/// How the dimensions of operands and results belong together, by factors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rule {
    pub(super) sizes: Vec<i64>,
    /// For each operand, the factors of each of its dimensions.
    pub(super) operands: Vec<Vec<Vec<i64>>>,
    pub(super) results: Vec<Vec<Vec<i64>>>,
    /// The factors of each of [`FACTORS`].
    pub(super) kinds: [Vec<i64>; 4],
    /// Whether somebody wrote it by hand.
    pub(super) custom: bool,
}

/// What factors may be, in the order of files.
pub(crate) const FACTORS: [&str; 4] =
    ["reduction", "need_replication", "permutation", "blocked_propagation"];

/// Devices in a grid.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Mesh {
    /// The axes with their sizes.
    pub(super) axes: Vec<(Vec<u8>, i64)>,
    pub(super) devices: Vec<i64>,
}

/// The mesh of a sharding: by its name, or as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum MeshOf {
    Named(Vec<u8>),
    Whole(Mesh),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Sharding {
    pub(super) mesh: MeshOf,
    pub(super) dims: Vec<Dimension>,
    pub(super) replicated: Vec<Axis>,
}

/// The axes along which a dimension is cut.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Dimension {
    pub(super) axes: Vec<Axis>,
    /// Whether no further axis may come.
    pub(super) closed: bool,
    pub(super) priority: Option<i64>,
}

/// An axis, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Axis {
    pub(super) name: Vec<u8>,
    /// What lies before the part, and its size.
    pub(super) part: Option<(i64, i64)>,
}

/// What stands behind `#sdy`; the name of the attribute if that stood in front.
pub(super) fn read(scanner: &mut Scanner<'_>, start: usize, name: &str) -> Result<Attr, ReadError> {
    let made = match name {
        "" if scanner.takes("<") => {
            scanner.needs_word("manual_axes")?;
            let axes = manual_axes(scanner)?;
            scanner.needs(">")?;
            return Ok(axes);
        }
        "mesh" => Sharded::Mesh(mesh(scanner)?),
        "sharding" => Sharded::Sharding(sharding(scanner)?),
        "op_sharding_rule" => Sharded::Rule(rule(scanner)?),
        "sharding_per_value" => {
            scanner.needs("<")?;
            let all = per_value(scanner)?;
            scanner.needs(">")?;
            return Ok(all);
        }
        _ => {
            let what = format!("the attribute `#sdy.{name}` is not read");
            return Err(scanner.unknown_at(start, &what));
        }
    };
    Ok(Attr::Sharded(made))
}

/// `[<@mesh, [{"x"}]>, <@mesh, []>]`.
pub(super) fn per_value(scanner: &mut Scanner<'_>) -> Result<Attr, ReadError> {
    Ok(Attr::Sharded(Sharded::PerValue(scanner.list("[", "]", sharding)?)))
}

/// `{"x", "y"}`.
pub(super) fn manual_axes(scanner: &mut Scanner<'_>) -> Result<Attr, ReadError> {
    Ok(Attr::Sharded(Sharded::ManualAxes(scanner.list("{", "}", Scanner::text)?)))
}

/// `<["x"=2, "y"=4], device_ids=[1, 0]>`.
pub(super) fn mesh(scanner: &mut Scanner<'_>) -> Result<Mesh, ReadError> {
    scanner.needs("<")?;
    let axes = scanner.list("[", "]", |scanner| {
        let name = scanner.text()?;
        scanner.needs("=")?;
        Ok((name, scanner.integer()?))
    })?;
    let mut devices = Vec::new();
    if scanner.takes(",") {
        scanner.needs_word("device_ids")?;
        scanner.needs("=")?;
        devices = scanner.list("[", "]", Scanner::integer)?;
    }
    scanner.needs(">")?;
    Ok(Mesh { axes, devices })
}

/// `<@mesh, [{"x"}, {?}], replicated={"y"}>`.
pub(super) fn sharding(scanner: &mut Scanner<'_>) -> Result<Sharding, ReadError> {
    scanner.needs("<")?;
    let mesh = match scanner.takes_word("mesh") {
        true => MeshOf::Whole(mesh(scanner)?),
        false => MeshOf::Named(attributes::symbol(scanner)?.swap_remove(0)),
    };
    scanner.needs(",")?;
    let dims = scanner.list("[", "]", dimension)?;
    let mut replicated = Vec::new();
    if scanner.takes(",") {
        let at = scanner.place();
        if !scanner.takes_word("replicated") {
            return Err(scanner.unknown_at(at, "such axes of a sharding are not read"));
        }
        scanner.needs("=")?;
        replicated = scanner.list("{", "}", axis)?;
    }
    scanner.needs(">")?;
    Ok(Sharding { mesh, dims, replicated })
}

/// `{"x", ?}p1`.
fn dimension(scanner: &mut Scanner<'_>) -> Result<Dimension, ReadError> {
    let mut made = Dimension { axes: Vec::new(), closed: true, priority: None };
    let axes = scanner.list("{", "}", |scanner| match scanner.takes("?") {
        true => Ok(None),
        false => axis(scanner).map(Some),
    })?;
    made.closed = axes.iter().all(Option::is_some);
    made.axes = axes.into_iter().flatten().collect();
    if scanner.rest().first() == Some(&b'p') {
        scanner.needs("p")?;
        made.priority = Some(scanner.integer()?);
    }
    Ok(made)
}

/// `"x"`, `"x":(1)2`.
fn axis(scanner: &mut Scanner<'_>) -> Result<Axis, ReadError> {
    let name = scanner.text()?;
    let mut part = None;
    if scanner.takes(":") {
        scanner.needs("(")?;
        let before = scanner.integer()?;
        scanner.needs(")")?;
        part = Some((before, scanner.integer()?));
    }
    Ok(Axis { name, part })
}

/// `<([i, jk])->([i, z_1]) {i=2, j=4, k=8, z_1=3} reduction={j, k}, custom>`.
fn rule(scanner: &mut Scanner<'_>) -> Result<Rule, ReadError> {
    let side = |scanner: &mut Scanner<'_>| {
        scanner.list("(", ")", |scanner| scanner.list("[", "]", |scanner| factors(scanner)))
    };
    scanner.needs("<")?;
    let operands = side(scanner)?;
    scanner.needs("->")?;
    let results = side(scanner)?;
    let mut sizes: Vec<i64> = Vec::new();
    scanner.list("{", "}", |scanner| {
        let start = scanner.place();
        if factors(scanner)?[..] != [sizes.len() as i64] {
            return Err(scanner.error_at(start, "the factors stand in their order, each once"));
        }
        scanner.needs("=")?;
        sizes.push(scanner.integer()?);
        Ok(())
    })?;
    let mut kinds = [const { Vec::new() }; 4];
    for (name, kind) in FACTORS.iter().zip(&mut kinds) {
        if scanner.takes_word(name) {
            scanner.needs("=")?;
            *kind = scanner.list("{", "}", factors)?.concat();
        }
    }
    let custom = scanner.takes(",");
    if custom {
        scanner.needs_word("custom")?;
    }
    scanner.needs(">")?;
    Ok(Rule { sizes, operands, results, kinds, custom })
}

/// Factors without a space between them: `i` to `z`, then `z_1`.
fn factors(scanner: &mut Scanner<'_>) -> Result<Vec<i64>, ReadError> {
    let start = scanner.place();
    let word = scanner.word()?;
    let mut all = Vec::new();
    let mut rest = word;
    while let Some(letter) = rest.bytes().next() {
        let mut number = i64::from(letter) - i64::from(b'i');
        rest = rest.get(1..).unwrap_or_default();
        if let Some(digits) = rest.strip_prefix('_').filter(|_| letter == b'z') {
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let more: Option<u16> = digits[..end].parse().ok();
            number += i64::from(more.unwrap_or_default());
            rest = &digits[end..];
        }
        if !letter.is_ascii_lowercase() || number < 0 {
            return Err(scanner.error_at(start, &format!("factors are `i` to `z`, not `{word}`")));
        }
        all.push(number);
    }
    Ok(all)
}
