//! Schema of one operator.

use std::fmt;
use std::str::FromStr;

use crate::{AliasInfo, CallShape, Misfit, SchemaError, SchemaType, parse};

/// One argument or one return value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaArgument {
    /// The name; empty for a return value without one.
    pub name: String,
    /// The type, as schemas write it.
    pub ty: SchemaType,
    /// The alias annotation, if there is one.
    pub alias: Option<AliasInfo>,
    /// The default as it is written, if there is one.
    pub default: Option<String>,
    /// Whether it is given by name only.
    pub keyword_only: bool,
}

impl SchemaArgument {
    /// Whether it is an out argument: given by name only, and written to.
    pub fn is_out(&self) -> bool {
        self.keyword_only && self.is_written()
    }

    /// Whether the operator writes to what it is given here.
    pub fn is_written(&self) -> bool {
        self.alias.as_ref().is_some_and(|alias| alias.written)
    }
}

/// An operator: its name, its overload, what it takes and what it gives.
///
/// ```
/// use unskew_torch_schemas::FunctionSchema;
/// let schema: FunctionSchema =
///     "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"
///         .parse().unwrap();
/// assert_eq!((schema.name.as_str(), schema.overload.as_str()), ("aten::add", "out"));
/// assert!(schema.arguments[3].is_out());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionSchema {
    /// The name with its namespace: `aten::add`.
    pub name: String,
    /// The overload name, empty for the first of its name.
    pub overload: String,
    /// The arguments, those by name only last.
    pub arguments: Vec<SchemaArgument>,
    /// Whether any number of further arguments is taken.
    pub variadic: bool,
    /// Types, and names if there are any, of the results in order.
    pub returns: Vec<SchemaArgument>,
    /// Whether any number of values may be returned.
    pub variadic_returns: bool,
}

impl FunctionSchema {
    /// `aten::add.Tensor`, or `aten::gelu` where the overload has no name.
    pub fn full_name(&self) -> String {
        if self.overload.is_empty() {
            self.name.clone()
        } else {
            format!("{}.{}", self.name, self.overload)
        }
    }

    /// Whether a call of this shape fits. Types are not looked at.
    ///
    /// # Errors
    /// The first [`Misfit`].
    pub fn accepts(&self, call: &CallShape) -> Result<(), Misfit> {
        call.fits(self)
    }
}

impl FromStr for FunctionSchema {
    type Err = SchemaError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse::schema(text)
    }
}

impl fmt::Display for FunctionSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.full_name())?;
        let mut keywords = false;
        let mut first = true;
        let mut comma = |f: &mut fmt::Formatter<'_>| {
            let text = if std::mem::take(&mut first) { "" } else { ", " };
            f.write_str(text)
        };
        for argument in &self.arguments {
            if argument.keyword_only && !std::mem::replace(&mut keywords, true) {
                comma(f)?;
                f.write_str("*")?;
            }
            comma(f)?;
            write_argument(f, argument)?;
        }
        if self.variadic {
            comma(f)?;
            f.write_str("...")?;
        }
        f.write_str(") -> ")?;
        if let ([one], false) = (self.returns.as_slice(), self.variadic_returns)
            && one.name.is_empty()
            && !matches!(one.ty, SchemaType::Tuple(_))
        {
            return write_argument(f, one);
        }
        f.write_str("(")?;
        for (i, one) in self.returns.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            write_argument(f, one)?;
        }
        f.write_str(if self.variadic_returns { "...)" } else { ")" })
    }
}

impl fmt::Display for SchemaArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_argument(f, self)
    }
}

fn write_argument(f: &mut fmt::Formatter<'_>, argument: &SchemaArgument) -> fmt::Result {
    match (&argument.alias, &argument.ty) {
        (None, ty) => write!(f, "{ty}")?,
        // An annotation stands right behind the innermost name.
        (Some(alias), SchemaType::List(inner, size)) => {
            let size = size.map(|n| n.to_string()).unwrap_or_default();
            write!(f, "{inner}{alias}[{size}]")?;
        }
        (Some(alias), SchemaType::Optional(inner)) => write!(f, "{inner}{alias}?")?,
        (Some(alias), ty) => write!(f, "{ty}{alias}")?,
    }
    if !argument.name.is_empty() {
        write!(f, " {}", argument.name)?;
    }
    match &argument.default {
        Some(default) => write!(f, "={default}"),
        None => Ok(()),
    }
}
