//! Conditions on a call's arguments.

use std::fmt;
use std::str::FromStr;

use unskew_torch_schemas::plain_value;

/// `name=value` or `name!=value`, the value as TorchScript writes it.
///
/// ```
/// use unskew_torch_operators::ArgumentCondition;
/// let condition: ArgumentCondition = "approximate='none'".parse().unwrap();
/// assert_eq!(condition.holds(Some("\"none\"")), Some(true));
/// assert_eq!(condition.holds(Some("'tanh'")), Some(false));
/// assert_eq!(condition.holds(None), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentCondition {
    /// The name of the argument in the schema.
    pub argument: String,
    /// The value that it is held against.
    pub value: String,
    /// Whether it must be that value, or any other.
    pub equal: bool,
}

impl ArgumentCondition {
    /// Whether it holds of a value; none if the value is not known before the program runs.
    pub fn holds(&self, value: Option<&str>) -> Option<bool> {
        Some((plain_value(value?) == plain_value(&self.value)) == self.equal)
    }

    /// Conditions with commas between them; `always` for none.
    pub(crate) fn list(text: &str) -> Result<Vec<Self>, String> {
        match text {
            "always" => Ok(Vec::new()),
            text => text.split(',').map(|one| one.trim().parse()).collect(),
        }
    }
}

impl FromStr for ArgumentCondition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (left, right) =
            text.split_once('=').ok_or_else(|| format!("not name=value or name!=value: {text}"))?;
        let argument = left.strip_suffix('!').unwrap_or(left).trim();
        if argument.is_empty() || right.trim().is_empty() {
            return Err(format!("not name=value or name!=value: {text}"));
        }
        let equal = !left.ends_with('!');
        Ok(Self { argument: argument.to_owned(), value: right.trim().to_owned(), equal })
    }
}

impl fmt::Display for ArgumentCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { argument, value, equal } = self;
        write!(f, "{argument}{}{value}", if *equal { "=" } else { "!=" })
    }
}
