//! Functions of the registry that are one call.

use unskew_script::typing::{literal_of, literal_of_default, type_of_annotation};
use unskew_script::{Expression, FunctionDefinition as Script, Statement};
use unskew_torch_schemas::matching::{
    GivenValue, Literal, OverloadChoice, OverloadSource as _, choose,
};
use unskew_torch_schemas::{FunctionSchema, OperatorTable};

use super::constants::value;
use crate::bytecode::BytecodeOperator;
use crate::code::Callable;

/// What a function of the registry does, if it is one call.
pub(super) struct InlineCall {
    pub(super) operator: BytecodeOperator,
    /// What is given behind the arguments of the call that it takes the place of.
    pub(super) literals: Vec<Literal>,
}

/// A function of the registry that is one call: of its own parameters in their order, then of literals.
pub(super) fn inline(
    function: &Script,
    schema: &FunctionSchema,
    operator: &BytecodeOperator,
    callable: &Callable<&OperatorTable>,
) -> Option<InlineCall> {
    let [Statement::Return { value: Some(Expression::Call(call)), .. }] = function.body.as_slice()
    else {
        return None;
    };
    let name = call.function.path()?;
    let name = format!("aten::{}", name.strip_prefix("torch.")?);
    let count = operator.given.map_or(schema.arguments.len(), |given| given as usize);
    let mut given = Vec::new();
    for (n, argument) in call.arguments.iter().enumerate() {
        let literal = literal_of(&argument.value);
        let ty = match (&literal, schema.arguments.get(n)) {
            (Some(Literal::List(_)), _) => return None,
            (Some(literal), _) => literal.ty()?,
            (None, Some(own)) if n < count && argument.value.path().as_ref() == Some(&own.name) => {
                let annotation = function.parameters.get(n)?.annotation.as_ref()?;
                type_of_annotation(&annotation.to_string())?
            }
            _ => return None,
        };
        let keyword = argument.keyword.as_ref().map(|name| name.text.to_string());
        given.push(GivenValue { keyword, receiver: false, ty, literal });
    }
    let OverloadChoice::One(signature, _) = choose(&callable.overloads(&name), &given) else {
        return None;
    };
    let new = &signature.schema;
    let mut literals = Vec::new();
    let last = given.iter().filter_map(|one| {
        let name = one.keyword.as_ref()?;
        new.arguments.iter().position(|argument| argument.name == *name)
    });
    let last = last.max().map_or(given.len(), |last| last + 1);
    for argument in new.arguments.get(count..last)? {
        let named = given.iter().find(|one| one.keyword.as_ref() == Some(&argument.name));
        literals.push(match named {
            Some(one) => one.literal.clone()?,
            None => literal_of_default(argument.default.as_ref()?)?,
        });
    }
    let given = operator.given.map(|_| last as i64);
    let operator = BytecodeOperator { name, overload: new.overload.clone(), given };
    // Up to version 5 every argument must be there.
    if operator.given.is_none() && last < new.arguments.len() {
        return None;
    }
    literals
        .iter()
        .all(|literal| value(literal).is_some())
        .then_some(InlineCall { operator, literals })
}
