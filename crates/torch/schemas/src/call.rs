//! Shape of a call: how many values it gives, and whether a schema takes it.

use std::fmt;

use crate::FunctionSchema;

/// How a call looks from outside: how many values it gives by place, and which by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallShape {
    /// The number of values given by place.
    pub positional: usize,
    /// The names of those given by name.
    pub keywords: Vec<String>,
}

/// Why a call does not fit a schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Misfit {
    /// More values by place than there are places.
    TooMany {
        /// How many the call gives.
        given: usize,
        /// How many the schema takes.
        taken: usize,
    },
    /// A name that the schema does not have.
    UnknownKeyword(String),
    /// A value given twice, by place and by name.
    GivenTwice(String),
    /// An argument without a default that the call does not give.
    Missing(String),
    /// A value of another type.
    Type {
        /// The name of the argument in the schema.
        argument: String,
        /// The type of the value.
        is: String,
        /// The type of the argument.
        wants: String,
    },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany { given, taken } => {
                write!(f, "{given} values by place, takes {taken}")
            }
            Self::UnknownKeyword(name) => write!(f, "no argument {name}"),
            Self::GivenTwice(name) => write!(f, "argument {name} given twice"),
            Self::Missing(name) => write!(f, "argument {name} not given"),
            Self::Type { argument, is, wants } => {
                write!(f, "argument {argument} is {is}, takes {wants}")
            }
        }
    }
}

impl CallShape {
    /// Whether `schema` takes this call: every name is one of the schema's, no value is given twice,
    /// and what is not given has a default. A last list without a size takes all further places.
    pub(crate) fn fits(&self, schema: &FunctionSchema) -> Result<(), Misfit> {
        if schema.variadic {
            return Ok(());
        }
        let places = schema.arguments.iter().take_while(|argument| !argument.keyword_only).count();
        let open_end = places > 0 && schema.arguments[places - 1].ty.is_open_list();
        if self.positional > places && !open_end {
            return Err(Misfit::TooMany { given: self.positional, taken: places });
        }
        for keyword in &self.keywords {
            match schema.arguments.iter().position(|argument| argument.name == *keyword) {
                None => return Err(Misfit::UnknownKeyword(keyword.clone())),
                Some(at) if at < self.positional.min(places) => {
                    return Err(Misfit::GivenTwice(keyword.clone()));
                }
                Some(_) => {}
            }
        }
        let left = schema.arguments.iter().skip(self.positional.min(places));
        let missing = left
            .filter(|argument| argument.default.is_none())
            .find(|argument| !self.keywords.contains(&argument.name));
        missing.map_or(Ok(()), |argument| Err(Misfit::Missing(argument.name.clone())))
    }
}

impl fmt::Display for CallShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by place", self.positional)?;
        for keyword in &self.keywords {
            write!(f, ", {keyword}=")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(schema: &str, positional: usize, keywords: &[&str]) -> Result<(), Misfit> {
        let keywords = keywords.iter().map(|k| (*k).to_owned()).collect();
        schema.parse::<FunctionSchema>().unwrap().accepts(&CallShape { positional, keywords })
    }

    #[test]
    fn linspace_without_steps_fits_only_where_steps_has_a_default() {
        let old = "aten::linspace(Scalar start, Scalar end, int? steps=None, *, int? dtype=None) -> Tensor";
        let new =
            "aten::linspace(Scalar start, Scalar end, int steps, *, int? dtype=None) -> Tensor";
        assert_eq!(fits(old, 2, &["dtype"]), Ok(()));
        assert_eq!(fits(new, 2, &["dtype"]), Err(Misfit::Missing("steps".into())));
        assert_eq!(fits(new, 2, &["dtype", "steps"]), Ok(()));
    }

    #[test]
    fn every_misfit_is_told_apart() {
        let schema = "aten::f(Tensor self, int dim, *, bool keep=False) -> Tensor";
        assert_eq!(fits(schema, 3, &[]), Err(Misfit::TooMany { given: 3, taken: 2 }));
        assert_eq!(fits(schema, 2, &["axis"]), Err(Misfit::UnknownKeyword("axis".into())));
        assert_eq!(fits(schema, 2, &["dim"]), Err(Misfit::GivenTwice("dim".into())));
        assert_eq!(fits(schema, 1, &[]), Err(Misfit::Missing("dim".into())));
    }

    #[test]
    fn a_last_list_takes_the_rest_but_a_sized_one_does_not() {
        assert_eq!(fits("aten::view(Tensor self, int[] size) -> Tensor", 4, &[]), Ok(()));
        assert!(fits("aten::pool(Tensor self, int[2] size) -> Tensor", 4, &[]).is_err());
    }
}
