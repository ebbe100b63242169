//! Conditions that versions decide.

use ruff_python_ast::{BoolOp, CmpOp, Expr, Number, UnaryOp};

use crate::expression::path;
use crate::module::{Comparison, Condition};
use crate::tables::string;

/// How deep conditions nest that are read.
const DEPTH: u32 = 20;

/// Reads the test of an `if`; what cannot be decided is unknown.
pub(crate) fn condition(test: &Expr) -> Condition {
    read(test, 0)
}

fn read(test: &Expr, depth: u32) -> Condition {
    if depth > DEPTH {
        return Condition::Unknown;
    }
    let below = |test: &Expr| read(test, depth + 1);
    match test {
        Expr::BooleanLiteral(literal) => Condition::Known(literal.value),
        Expr::NoneLiteral(_) => Condition::Known(false),
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(number) => Condition::Known(number.as_u64() != Some(0)),
            _ => Condition::Unknown,
        },
        Expr::UnaryOp(not) if not.op == UnaryOp::Not => {
            Condition::Not(Box::new(below(&not.operand)))
        }
        Expr::BoolOp(operation) => {
            let all = operation.values.iter().map(below).collect();
            if operation.op == BoolOp::And { Condition::All(all) } else { Condition::Any(all) }
        }
        Expr::Name(_) | Expr::Attribute(_) => match path(test).as_deref() {
            None => Condition::Unknown,
            Some([.., last]) if last == "TYPE_CHECKING" => Condition::Known(false),
            Some([.., last]) if last == "PY2" => Condition::Known(false),
            Some([.., last]) if last == "PY3" => Condition::Known(true),
            Some([only]) if only == "__debug__" => Condition::Known(true),
            Some(flag) => Condition::Flag(flag.to_vec()),
        },
        Expr::Compare(compare) if compare.ops.len() == 1 => {
            let right = &compare.comparators[0];
            let known = comparison(compare.ops[0]).and_then(|comparison| {
                versions(&compare.left, comparison, right)
                    .or_else(|| versions(right, comparison.reversed(), &compare.left))
            });
            known
                .or_else(|| identity(compare.ops[0], &compare.left, right))
                .unwrap_or(Condition::Unknown)
        }
        Expr::Call(call) => {
            let function = path(&call.func).unwrap_or_default();
            match (function.as_slice(), &*call.arguments.args) {
                ([only], [object, attribute]) if only == "hasattr" => {
                    match (path(object), string(attribute)) {
                        (Some(object), Some(name)) => Condition::HasAttribute(object, name),
                        _ => Condition::Unknown,
                    }
                }
                // `sys.platform.startswith("win")`
                ([system, platform, method], [prefix])
                    if system == "sys" && platform == "platform" && method == "startswith" =>
                {
                    string(prefix).map_or(Condition::Unknown, Condition::Platform)
                }
                _ => finds(test).unwrap_or(Condition::Unknown),
            }
        }
        _ => Condition::Unknown,
    }
}

/// A comparison of a version on the left with a literal.
fn versions(left: &Expr, comparison: Comparison, literal: &Expr) -> Option<Condition> {
    let left_path = path(left).unwrap_or_default();
    let of_system =
        |last: &str| left_path.len() == 2 && left_path[0] == "sys" && left_path[1] == last;
    if of_system("version_info") {
        return Some(Condition::Python(comparison, numbers(literal)?));
    }
    // `sys.version_info[0] >= 3`, `sys.version_info[:2] >= (3, 9)`, `sys.version_info.major == 3`
    if let Expr::Subscript(part) = left
        && path(&part.value).is_some_and(|path| path == ["sys", "version_info"])
    {
        let is_first = matches!(&*part.slice, Expr::NumberLiteral(literal)
            if matches!(&literal.value, Number::Int(number) if number.as_u64() == Some(0)));
        return match &*part.slice {
            Expr::Slice(slice) if slice.lower.is_none() => {
                let count = integer(slice.upper.as_deref()?)?;
                let numbers = numbers(literal)?;
                // Of a part as long as the literal, these two are what they are of the whole, which is longer.
                (usize::try_from(count).ok()? == numbers.len()
                    && matches!(comparison, Comparison::Less | Comparison::GreaterOrEqual))
                .then_some(Condition::Python(comparison, numbers))
            }
            _ if is_first => major(comparison, literal),
            _ => None,
        };
    }
    if left_path == ["sys", "version_info", "major"] {
        return major(comparison, literal);
    }
    if of_system("platform") || left_path == ["os", "name"] {
        let platform = Condition::Platform(string(literal)?);
        return match comparison {
            Comparison::Equal => Some(platform),
            Comparison::NotEqual => Some(Condition::Not(Box::new(platform))),
            _ => None,
        };
    }
    // A name may be bound to a version: `sp_version >= parse_version("1.11")`.
    let version_text = || {
        let Expr::Call(call) = literal else { return None };
        is_version(&call.func).then(|| call.arguments.args.first().and_then(string)).flatten()
    };
    if matches!(left, Expr::Name(_)) {
        let (module, version) = (left_path, version_text()?);
        return Some(Condition::PackageVersion { module, comparison, version });
    }
    let module = version_of(left)?;
    let version = string(literal).or_else(version_text)?;
    Some(Condition::PackageVersion { module, comparison, version })
}

/// `sys.version_info[0] == 3`: nothing that is judged is of Python 2.
fn major(comparison: Comparison, literal: &Expr) -> Option<Condition> {
    let order = 3_u64.cmp(&integer(literal)?);
    Some(Condition::Known(comparison.holds(order)))
}

/// The module whose version an expression is: `Version(np.__version__)`, `parse(torch.__version__)`.
pub(crate) fn version_of(expression: &Expr) -> Option<Vec<String>> {
    match expression {
        Expr::Call(call) if is_version(&call.func) => {
            version_of_attribute(call.arguments.args.first()?)
        }
        _ => None,
    }
}

fn version_of_attribute(expression: &Expr) -> Option<Vec<String>> {
    let mut path = path(expression)?;
    (path.pop()? == "__version__" && !path.is_empty()).then_some(path)
}

/// Whether a function makes a version of a text.
fn is_version(function: &Expr) -> bool {
    let name = path(function).and_then(|path| path.last().cloned()).unwrap_or_default();
    ["Version", "parse", "parse_version", "LooseVersion", "StrictVersion"].contains(&&*name)
}

/// `importlib.util.find_spec("x") is None` and the like.
fn identity(operator: CmpOp, left: &Expr, right: &Expr) -> Option<Condition> {
    if !right.is_none_literal_expr() {
        return None;
    }
    let found = finds(left)?;
    match operator {
        CmpOp::IsNot | CmpOp::NotEq => Some(found),
        CmpOp::Is | CmpOp::Eq => Some(Condition::Not(Box::new(found))),
        _ => None,
    }
}

/// `importlib.util.find_spec("x")`: whether a module is there.
fn finds(expression: &Expr) -> Option<Condition> {
    let Expr::Call(call) = expression else { return None };
    let name = path(&call.func)?.pop()?;
    let [module] = &*call.arguments.args else { return None };
    (name == "find_spec" || name == "find_loader").then_some(())?;
    string(module).map(Condition::HasModule)
}

fn comparison(operator: CmpOp) -> Option<Comparison> {
    Some(match operator {
        CmpOp::Lt => Comparison::Less,
        CmpOp::LtE => Comparison::LessOrEqual,
        CmpOp::Eq => Comparison::Equal,
        CmpOp::NotEq => Comparison::NotEqual,
        CmpOp::GtE => Comparison::GreaterOrEqual,
        CmpOp::Gt => Comparison::Greater,
        _ => return None,
    })
}

fn integer(expression: &Expr) -> Option<u64> {
    match expression {
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(number) => number.as_u64(),
            _ => None,
        },
        _ => None,
    }
}

/// The numbers of `(3, 9)`.
fn numbers(literal: &Expr) -> Option<Vec<u32>> {
    let Expr::Tuple(tuple) = literal else { return None };
    tuple.elts.iter().map(|one| u32::try_from(integer(one)?).ok()).collect()
}
