//! Operator call: one whose overload is known, and whether a release takes it.

use std::sync::Arc;

use unskew_torch_schemas::matching::GivenArgument;
use unskew_torch_schemas::{
    CallShape, FunctionSchema, Misfit, OperatorTable, SchemaArgument, SchemaDefinition, SchemaType,
};
use unskew_torch_schemas::{is_subtype, plain_value};

use crate::block_reason::BlockReason;

/// A call whose overload is known.
#[derive(Clone, Copy, Debug)]
pub struct OperatorCall<'c> {
    /// The schema that its writer meant.
    pub schema: &'c FunctionSchema,
    /// What it gives, those by place first.
    pub given: &'c [GivenArgument],
}

/// The type of the value for an argument of type `own`: a literal is what it is, or `None`.
fn type_in(given: &GivenArgument, own: &SchemaType) -> SchemaType {
    match (&given.ty, own, given.value.as_deref()) {
        (Some(ty), ..) => ty.clone(),
        (None, SchemaType::Optional(inner), Some(value)) if value != "None" => {
            type_in(given, inner)
        }
        (None, SchemaType::Named(name), Some(value)) if name == "Scalar" => {
            let is = if value.parse::<i64>().is_ok() { "int" } else { name };
            SchemaType::Named(is.to_owned())
        }
        _ => own.clone(),
    }
}

/// In which form a release takes a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFit {
    /// The overload by which the release knows the operator, if it is another one.
    pub overload: Option<String>,
    /// Arguments that must not be given: their values are what the release does anyway.
    pub without: Vec<String>,
}

impl OperatorCall<'_> {
    fn shape(&self) -> CallShape {
        let keywords =
            self.given.iter().filter(|one| one.by_name).map(|one| one.name.clone()).collect();
        CallShape { positional: self.given.iter().filter(|one| !one.by_name).count(), keywords }
    }

    /// The value of an argument, given or by default, if it is a literal.
    pub(crate) fn value(&self, argument: &str) -> Option<&str> {
        if let Some(given) = self.given.iter().find(|one| one.name == argument) {
            return given.value.as_deref();
        }
        self.schema.arguments.iter().find(|one| one.name == argument)?.default.as_deref()
    }

    /// Whether an argument is given by a value that cannot be `None`, whatever it is.
    pub(crate) fn gives_something(&self, argument: &str) -> bool {
        let given = self.given.iter().find(|one| one.name == argument);
        let own = self.schema.arguments.iter().find(|one| one.name == argument);
        let (Some(given), Some(own)) = (given, own) else { return false };
        given.value.is_none() && !given.ty.as_ref().unwrap_or(&own.ty).takes_none()
    }

    /// Whether it is a call of this form of the operator: the names stand in the same places. A form may be that of one
    /// type of many, `int[]` where the operator takes `t[]`: then it has to be known that the value is of this type.
    pub(crate) fn is_of(&self, schema: &FunctionSchema) -> bool {
        let mut by_place = self.given.iter().filter(|one| !one.by_name).zip(&schema.arguments);
        schema.accepts(&self.shape()).is_ok()
            && by_place.all(|(given, argument)| given.name == argument.name)
            && schema.arguments.iter().all(|argument| self.is_typed_as(argument))
    }

    fn is_typed_as(&self, form: &SchemaArgument) -> bool {
        let Some(own) = self.schema.arguments.iter().find(|one| one.name == form.name) else {
            return true;
        };
        let given = self.given.iter().find(|one| one.name == form.name);
        let ty = given.and_then(|given| given.ty.as_ref());
        !own.ty.is_generic()
            || form.ty.is_generic()
            || ty.is_some_and(|ty| is_subtype(ty, &form.ty))
    }

    /// The form in which the release takes the call.
    ///
    /// If it has the overload, that decides: another one may mean something else by the same call. Releases
    /// that named overloads otherwise are searched for one that takes it. Up to 1.4 overloads had no names, so where
    /// the nameless one does not take the call, any that does is looked for.
    pub(crate) fn fit(&self, table: &OperatorTable) -> Result<CallFit, BlockReason> {
        let FunctionSchema { name, overload, .. } = self.schema;
        let (same, others): (Vec<_>, Vec<_>) =
            table.overloads(name).partition(|schema| schema.overload == *overload);
        let named = !same.is_empty();
        let mut misfit = None;
        for candidate in if named { same } else { others } {
            match self.fit_one(&candidate) {
                Ok(without) => {
                    let overload = (!named).then(|| candidate.overload.clone());
                    return Ok(CallFit { overload, without });
                }
                Err(why) => misfit = misfit.or(Some(why)),
            }
        }
        if named && self.is_one_of_many(table) {
            let returns = self.schema.returns.len();
            let mut like = table.overloads(name).filter(|one| one.returns.len() == returns);
            let takes = |one: &Arc<FunctionSchema>| {
                self.fit_one(one).is_ok_and(|without| without.is_empty())
            };
            if let Some(candidate) = like.find(takes) {
                let overload = Some(candidate.overload.clone());
                return Ok(CallFit { overload, without: Vec::new() });
            }
        }
        let unknown = BlockReason::Unknown { nearest: table.nearest_with(name) };
        Err(misfit.map_or(unknown, BlockReason::Misfit))
    }

    /// Whether its release had several operators of this name whose overloads had no names.
    fn is_one_of_many(&self, table: &OperatorTable) -> bool {
        if !self.schema.overload.is_empty() {
            return false;
        }
        let history = table.history();
        let named = history.named(&self.schema.name);
        let nameless = || named.iter().filter(|one| one.overload().is_empty());
        let is_own =
            |one: &&SchemaDefinition| one.schema().is_some_and(|own| **own == *self.schema);
        let Some(own) = nameless().find(is_own) else { return false };
        let mut releases = history.releases().iter().filter(|release| own.runs.contains(**release));
        releases.any(|release| nameless().filter(|one| one.runs.contains(*release)).count() > 1)
    }

    fn fit_one(&self, candidate: &FunctionSchema) -> Result<Vec<String>, Misfit> {
        let (mut kept, mut without) = (self.given.to_vec(), Vec::new());
        loop {
            let call = OperatorCall { schema: self.schema, given: &kept };
            let misfit = match candidate.accepts(&call.shape()) {
                Ok(()) => return call.types_fit(candidate).map(|()| without),
                Err(misfit) => misfit,
            };
            let at = match &misfit {
                Misfit::UnknownKeyword(name) => kept.iter().position(|one| one.name == *name),
                Misfit::TooMany { .. } => kept.iter().rposition(|one| !one.by_name),
                _ => None,
            };
            let Some(at) = at.filter(|at| self.is_default(&kept[*at])) else { return Err(misfit) };
            without.push(kept.remove(at).name);
        }
    }

    /// Whether the value of an argument is what it would be if it were not given.
    fn is_default(&self, given: &GivenArgument) -> bool {
        let argument = self.schema.arguments.iter().find(|one| one.name == given.name);
        let default = argument.and_then(|one| one.default.as_deref());
        matches!((default, &given.value), (Some(default), Some(value)) if plain_value(default) == plain_value(value))
    }

    /// Whether the values that are given are of the types that stand in their places.
    fn types_fit(&self, candidate: &FunctionSchema) -> Result<(), Misfit> {
        let mut places = candidate.arguments.iter();
        for given in self.given {
            let takes = if given.by_name {
                candidate.arguments.iter().find(|one| one.name == given.name)
            } else {
                places.next()
            };
            let own = self.schema.arguments.iter().find(|one| one.name == given.name);
            let (Some(takes), Some(own)) = (takes, own) else { continue };
            let ty = &type_in(given, &own.ty);
            let none = given.value.as_deref() == Some("None") && takes.ty.takes_none();
            // Anything, and a list of anything.
            let list = matches!(ty, SchemaType::List(..)) && takes.ty.is_generic();
            let any = list
                || takes.ty.is_variable()
                || own.ty.is_generic() && is_subtype(&own.ty, &takes.ty);
            if !none && !any && !is_subtype(ty, &takes.ty) && !is_item(ty, &takes.ty) {
                let (is, wants) = (ty.to_string(), takes.ty.to_string());
                return Err(Misfit::Type { argument: takes.name.clone(), is, wants });
            }
        }
        Ok(())
    }
}

/// Whether one value stands for a list of a fixed length.
fn is_item(ty: &SchemaType, list: &SchemaType) -> bool {
    match list {
        SchemaType::List(item, Some(_)) => is_subtype(ty, item),
        SchemaType::Optional(list) => is_item(ty, list),
        _ => false,
    }
}
