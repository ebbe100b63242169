//! Constraints of an operation of an old form that only a later version lifted.
//!
//! `custom_call_v1` is of 0.9.0; with a dictionary as its `backend_config` a reader before 1.3.0 refuses it. So the
//! program is read for such operations, though not its constants, and only if there is one of them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use unskew_core::Version;
use unskew_source::{ReadError, Source};

use crate::bytecode::Bytecode;
use crate::features::{Feature, FeatureKind, VHLO};
use crate::program::{ConstantAttribute, Operation, Program, Type};

/// The operation that calls something by name.
const CALL: &str = "custom_call";

/// What the program says that the names of its operations do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Details {
    /// The constraints that it needs lifted.
    pub(crate) features: Vec<Feature>,
    /// The names that its custom calls call, each once.
    pub(crate) targets: Vec<String>,
}

/// A row of the table.
struct ConstraintRow {
    since: Version,
    /// With its version: `reduce_v1`.
    operation: &'static str,
    condition: Condition,
    meaning: &'static str,
}

#[derive(Debug, PartialEq, Eq)]
enum Condition {
    ElementTypesDiffer,
    OneSidedLayouts,
    Dictionary(&'static str),
    Choice(&'static str, u64),
    Operand(u64),
}

/// Reads the program in `source`, if there is something to look for.
///
/// # Errors
/// If the program is broken, or nests deeper than is read.
pub(crate) fn read(source: &dyn Source, bytecode: &Bytecode) -> Result<Details, ReadError> {
    let operations = bytecode.dialects.iter().filter(|dialect| dialect.name == VHLO);
    let wanted = |name: &String| {
        name.starts_with(CALL) || rows().iter().any(|row| row.operation == name.as_str())
    };
    if !operations.flat_map(|dialect| &dialect.operations).any(wanted) {
        return Ok(Details::default());
    }
    let program = Program::without_constants(source)?;
    let (mut found, mut targets) = (BTreeSet::new(), BTreeSet::new());
    let mut left: Vec<&Operation> =
        program.functions.iter().map(|function| &function.definition).collect();
    while let Some(operation) = left.pop() {
        let blocks = operation.regions.iter().flatten();
        left.extend(blocks.flat_map(|block| &block.operations));
        if &*operation.dialect != VHLO {
            continue;
        }
        let full = format!("{}_v{}", operation.name, operation.version);
        for (at, row) in rows().iter().enumerate().filter(|(_, row)| row.operation == full) {
            if row.condition.holds(operation, &program) {
                found.insert(at);
            }
        }
        if &*operation.name == CALL {
            let target = operation.attribute("call_target_name").and_then(ConstantAttribute::text);
            targets.insert(target.unwrap_or("a name that is not read").to_owned());
        }
    }
    let rows = found.into_iter().filter_map(|at| rows().get(at));
    let features = rows.map(|row| Feature {
        kind: FeatureKind::Constraint,
        name: row.operation.to_owned(),
        meaning: row.meaning,
        since: Some(row.since),
    });
    Ok(Details { features: features.collect(), targets: targets.into_iter().collect() })
}

impl Condition {
    fn read(text: &'static str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        Some(match words[..] {
            ["element-types-differ"] => Self::ElementTypesDiffer,
            ["one-sided-layouts"] => Self::OneSidedLayouts,
            ["attribute", name, "dictionary"] => Self::Dictionary(name),
            ["attribute", name, "choice", number] => Self::Choice(name, number.parse().ok()?),
            ["operand-type", number] => Self::Operand(number.parse().ok()?),
            _ => return None,
        })
    }

    fn holds(&self, operation: &Operation, program: &Program) -> bool {
        match self {
            Self::ElementTypesDiffer => {
                let pairs = operation.operands.iter().zip(&operation.results);
                pairs.into_iter().any(|(operand, result)| {
                    let [operand, result] = [operand, result].map(|value| program.type_of(*value));
                    operand.map(element) != result.map(element)
                })
            }
            Self::OneSidedLayouts => {
                let sides = ["operand_layouts", "result_layouts"];
                let [operands, results] = sides.map(|name| {
                    let list = operation.attribute(name).and_then(ConstantAttribute::array);
                    list.is_some_and(|list| !list.is_empty())
                });
                operands != results
            }
            Self::Dictionary(name) => {
                matches!(operation.attribute(name), Some(ConstantAttribute::Dictionary(_)))
            }
            Self::Choice(name, number) => matches!(
                operation.attribute(name),
                Some(ConstantAttribute::Choice { value, .. }) if value == number
            ),
            Self::Operand(number) => operation.operands.iter().any(|operand| {
                matches!(program.type_of(*operand), Some(Type::Other(Some(code))) if code == number)
            }),
        }
    }
}

/// What a tensor is of; another type is of itself.
fn element(of: &Type) -> &Type {
    if let Type::Tensor { element, .. } = of { element } else { of }
}

/// The table, read once; a test reads every row.
fn rows() -> &'static [ConstraintRow] {
    static ROWS: LazyLock<Vec<ConstraintRow>> = LazyLock::new(|| {
        let lines = include_str!("../data/constraints.tsv").lines();
        lines.filter(|line| !line.starts_with('#')).filter_map(row).collect()
    });
    &ROWS
}

fn row(line: &'static str) -> Option<ConstraintRow> {
    let mut cells = line.split('\t');
    Some(ConstraintRow {
        since: cells.next()?.parse().ok()?,
        operation: cells.next()?,
        condition: Condition::read(cells.next()?)?,
        meaning: cells.next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history;

    #[test]
    fn every_row_is_read_and_every_version_stands_in_the_history() {
        let text = include_str!("../data/constraints.tsv");
        assert_eq!(rows().len(), text.lines().filter(|line| !line.starts_with('#')).count());
        for row in rows() {
            assert!(history().unwrap().landed(row.since).is_some(), "{}", row.operation);
        }
    }

    #[test]
    fn a_condition_that_is_not_known_is_none() {
        assert_eq!(Condition::read("operand-type 42"), Some(Condition::Operand(42)));
        assert_eq!(Condition::read("operand-type many"), None);
        assert_eq!(Condition::read("attribute name"), None);
    }
}
