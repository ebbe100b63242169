//! Schema of an operator: its parameters, the types that they may have, its attributes. One line of a table.

use crate::ValueType;

/// The form of an operator since one version of its domain.
///
/// ```
/// use unskew_onnx::OpSchema;
/// let line = "Clip.13(input: T, min: T?, max: T?) -> (output: T) {T: double float}";
/// let clip = OpSchema::parse(line).unwrap();
/// assert_eq!((&*clip.name, clip.since, clip.inputs.len()), ("Clip", 13, 3));
/// assert_eq!(clip.counts(), (1, Some(3)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpSchema {
    /// The operator with its domain before it: `Clip`, `com.microsoft:FusedConv`.
    pub name: Box<str>,
    /// The version of the domain that brought this form.
    pub since: i64,
    /// The inputs by position, the optional and repeated ones last.
    pub inputs: Vec<FormalParameter>,
    /// The outputs by position, the optional and repeated ones last.
    pub outputs: Vec<FormalParameter>,
    /// The types that a variable may stand for.
    pub variables: Vec<(Box<str>, Vec<ValueType>)>,
    /// The attributes that a node of it may have.
    pub attributes: Vec<AttributeSchema>,
    /// Whether this version only says that the operator is gone.
    pub deprecated: bool,
}

/// An input or an output.
#[derive(Clone, Debug, PartialEq)]
pub struct FormalParameter {
    /// The name in the documentation of the operator.
    pub name: Box<str>,
    /// The type, or the variable that stands for several.
    pub kind: ParameterKind,
    /// How often it may stand.
    pub arity: Arity,
}

/// The type of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterKind {
    /// A variable, by its place among those of the schema.
    Variable(usize),
    /// One type, whatever the others are.
    Fixed(ValueType),
    /// A type without a name here.
    Unknown,
}

/// How often a parameter may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly once in each node.
    One,
    /// Once or not at all.
    Optional,
    /// At least so often.
    Many {
        /// The lowest number of them in a node.
        least: usize,
        /// Whether all are of one type.
        same: bool,
    },
}

/// An attribute that an operator knows.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeSchema {
    /// The name that nodes write.
    pub name: Box<str>,
    /// The kind of its value: `int`, `floats`, `graph`.
    pub kind: Box<str>,
    /// Whether a node must have it.
    pub required: bool,
}

/// Attributes by which a node says the type of an output.
const TYPED: [&str; 4] = ["to", "dtype", "output_dtype", "output_datatype"];

impl OpSchema {
    /// The schema on a line; none if it is none.
    pub fn parse(line: &str) -> Option<Self> {
        let (head, rest) = line.split_once('(')?;
        let (name, since) = head.rsplit_once('.')?;
        let (inputs, rest) = rest.split_once(") -> (")?;
        let end = closing(rest)?;
        let (outputs, rest) = (rest.get(..end)?, rest.get(end + 1..)?);
        let inside =
            |open: &str, close: char| rest.split_once(open)?.1.split_once(close).map(|it| it.0);
        let variables: Vec<_> = inside(" {", '}')
            .into_iter()
            .flat_map(|text| text.split("; "))
            .filter_map(|one| one.split_once(": "))
            .map(|(name, types)| {
                (name.into(), types.split(' ').filter_map(ValueType::parse).collect())
            })
            .collect();
        let attributes = inside(" [", ']').into_iter().flat_map(|text| text.split(", "));
        let attribute = |text: &str| {
            let (name, kind) = text.split_once(": ")?;
            let required = kind.ends_with('!');
            Some(AttributeSchema {
                name: name.into(),
                kind: kind.trim_end_matches('!').into(),
                required,
            })
        };
        Some(Self {
            name: name.into(),
            since: since.parse().ok()?,
            inputs: parameters(inputs, &variables)?,
            outputs: parameters(outputs, &variables)?,
            attributes: attributes.map(attribute).collect::<Option<_>>()?,
            deprecated: rest.ends_with(" deprecated"),
            variables,
        })
    }

    /// How many inputs a node has at least, and at most if there is a limit.
    pub fn counts(&self) -> (usize, Option<usize>) {
        count(&self.inputs)
    }

    /// The same of its outputs.
    pub fn output_counts(&self) -> (usize, Option<usize>) {
        count(&self.outputs)
    }

    /// The parameter of the input at this place; the last one stands for all behind it if it may be repeated.
    pub fn input(&self, at: usize) -> Option<&FormalParameter> {
        at_or_last(&self.inputs, at)
    }

    /// The same for an output.
    pub fn output(&self, at: usize) -> Option<&FormalParameter> {
        at_or_last(&self.outputs, at)
    }

    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&AttributeSchema> {
        self.attributes.iter().find(|one| &*one.name == name)
    }

    /// The attribute that says the type of an output, with the variable that it decides: for those that no input does.
    pub fn typed_by(&self) -> Option<(&str, usize)> {
        let of_input = |variable: usize| {
            self.inputs.iter().any(|one| one.kind == ParameterKind::Variable(variable))
        };
        let variable = self.outputs.iter().find_map(|one| match one.kind {
            ParameterKind::Variable(at) if !of_input(at) => Some(at),
            _ => None,
        })?;
        let typed = |name: &&&str| self.attribute(name).is_some_and(|one| &*one.kind == "int");
        TYPED.iter().find(typed).map(|name| (*name, variable))
    }
}

fn at_or_last(all: &[FormalParameter], at: usize) -> Option<&FormalParameter> {
    all.get(at).or_else(|| all.last().filter(|last| matches!(last.arity, Arity::Many { .. })))
}

fn count(all: &[FormalParameter]) -> (usize, Option<usize>) {
    let mut least = 0;
    for (at, one) in all.iter().enumerate() {
        match one.arity {
            Arity::One => least = at + 1,
            Arity::Optional => {}
            Arity::Many { least: few, .. } => {
                return (if few > 0 { at + few } else { least }, None);
            }
        }
    }
    (least, Some(all.len()))
}

/// Where the bracket closes that was opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, letter)| match letter {
        '(' => {
            depth += 1;
            None
        }
        ')' if depth == 0 => Some(at),
        ')' => {
            depth -= 1;
            None
        }
        _ => None,
    })
}

fn parameters(
    text: &str,
    variables: &[(Box<str>, Vec<ValueType>)],
) -> Option<Vec<FormalParameter>> {
    // A comma inside a type, `map(int64,float)`, has no space behind it.
    text.split(", ").filter(|one| !one.is_empty()).map(|one| parameter(one, variables)).collect()
}

fn parameter(text: &str, variables: &[(Box<str>, Vec<ValueType>)]) -> Option<FormalParameter> {
    let (name, kind) = text.split_once(": ")?;
    let many = |mark: &str, same| {
        let (kind, least) = kind.rsplit_once(mark)?;
        Some((kind, Arity::Many { least: least.parse().ok()?, same }))
    };
    let optional = || kind.strip_suffix('?').map(|kind| (kind, Arity::Optional));
    let (kind, arity) = many("...", true)
        .or_else(|| many("*", false))
        .or_else(optional)
        .unwrap_or((kind, Arity::One));
    let kind = match variables.iter().position(|(name, _)| **name == *kind) {
        Some(at) => ParameterKind::Variable(at),
        None => ValueType::parse(kind).map_or(ParameterKind::Unknown, ParameterKind::Fixed),
    };
    Some(FormalParameter { name: name.into(), kind, arity })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_line_is_read() {
        let line = "Loop.11(M: I?, cond: B?, v_initial: V*0) -> (v_final: V*1) {B: bool; I: int64; V: float seq(float)} [body: graph!]";
        let schema = OpSchema::parse(line).unwrap();
        assert_eq!(schema.counts(), (0, None));
        assert_eq!(schema.output_counts(), (1, None));
        assert_eq!(schema.input(7), schema.input(2));
        assert!(schema.attribute("body").unwrap().required);
        assert_eq!(schema.variables[2].1.len(), 2);
        let line = "ai.onnx.ml:ZipMap.1(X: float) -> (Z: T) {T: seq(map(int64,float)) seq(map(string,float))} [k: ints]";
        let schema = OpSchema::parse(line).unwrap();
        assert_eq!((&*schema.name, schema.since), ("ai.onnx.ml:ZipMap", 1));
        assert_eq!(schema.variables[0].1.len(), 2);
        let gone = OpSchema::parse("Upsample.10(X: T) -> (Y: T) {T: float} deprecated").unwrap();
        assert!(gone.deprecated);
        assert_eq!(OpSchema::parse("Upsample"), None);
    }

    #[test]
    fn an_attribute_decides_an_output_that_no_input_decides() {
        let cast =
            OpSchema::parse("Cast.6(input: T1) -> (output: T2) {T1: float; T2: float} [to: int!]")
                .unwrap();
        assert_eq!(cast.typed_by(), Some(("to", 1)));
        let like =
            OpSchema::parse("Like.6(x: T1, y: T2) -> (z: T2) {T1: float; T2: float} [to: int]")
                .unwrap();
        assert_eq!(like.typed_by(), None);
    }
}
