//! Calls of an operator, made from its schema: which arguments are given, how, and what values they get.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use unskew_torch_schemas::{Argument, Schema, Type};

use super::arguments::{self, Role};

/// One call in TorchScript, with the inputs that it is run on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Form {
    /// The operator with its overload: `aten::add.Tensor`.
    pub name: String,
    /// The parameters of the function: `a0: Tensor`.
    pub params: Vec<String>,
    /// The type that it gives.
    pub returns: String,
    /// The body of the function, as TorchScript.
    pub body: String,
    /// The inputs of each run, as texts that `lab/torch/probes/torch_behaviour.py` makes values of.
    pub runs: Vec<Vec<String>>,
    /// Whether it is told where to write.
    #[serde(default)]
    pub has_out: bool,
    /// The archive that is run in place of one that is made of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<PathBuf>,
    /// How each argument of the schema is given, in its order.
    pub given: Vec<(String, How)>,
}

/// How an argument is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// It is left out.
    Absent,
    /// By the parameter of this number.
    Param(usize, Role),
    /// As it stands in the code.
    Literal(String),
}

/// The most forms of one overload.
const MOST: usize = 14;

/// Calls of a schema without their inputs; none if there is an argument that nothing is known to be given for.
pub fn forms(schema: &Schema) -> Vec<Form> {
    let Some(returns) = returns(schema) else { return Vec::new() };
    let tensors = schema.arguments.iter().filter(|one| is_tensor(&one.ty)).count();
    let mut forms = Vec::new();
    // All that must be given; a `Scalar` as an integer and as a float.
    for scalar in 0..2 {
        let has_scalar =
            schema.arguments.iter().any(|one| is_scalar(&one.ty) && one.default.is_none());
        if scalar == 1 && !(has_scalar && tensors > 0) {
            continue;
        }
        let plain = Choice { schema, tensors, scalar, extra: None };
        forms.extend(plain.form(&returns));
        if schema.arguments.iter().any(Argument::is_out) {
            continue;
        }
        for (at, one) in schema.arguments.iter().enumerate() {
            let is_optional = one.default.is_some() || matches!(one.ty, Type::Optional(_));
            if !is_optional || one.is_out() {
                continue;
            }
            for which in 0..arguments::extras(one) {
                forms.extend(Choice { extra: Some((at, which)), ..plain }.form(&returns));
            }
        }
    }
    forms.truncate(MOST);
    forms
}

#[derive(Clone, Copy)]
struct Choice<'s> {
    schema: &'s Schema,
    tensors: usize,
    scalar: usize,
    /// An optional argument that is given all the same, and which of its values.
    extra: Option<(usize, usize)>,
}

impl Choice<'_> {
    fn form(self, returns: &str) -> Option<Form> {
        let (mut params, mut given, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        let (mut by_name, name) = (false, &self.schema.name);
        for (at, one) in self.schema.arguments.iter().enumerate() {
            let extra = self.extra.filter(|(which, _)| *which == at).map(|(_, which)| which);
            if one.default.is_some() && extra.is_none() {
                by_name = true;
                given.push((one.name.clone(), How::Absent));
                continue;
            }
            let how = self.how(one, extra, params.len())?;
            let text = match &how {
                How::Param(number, role) => {
                    params.push(format!("a{number}: {}", role.ty()));
                    format!("a{number}")
                }
                How::Literal(text) => text.clone(),
                How::Absent => String::new(),
            };
            by_name |= one.keyword_only;
            texts.push(if by_name { format!("{}={text}", one.name) } else { text });
            given.push((one.name.clone(), how));
        }
        let function = name.strip_prefix("aten::")?;
        let body = format!("torch.{function}({})", texts.join(", "));
        let (name, returns) = (self.schema.full_name(), returns.to_owned());
        let has_out = self.schema.arguments.iter().any(Argument::is_out);
        Some(Form { name, params, returns, body, runs: Vec::new(), has_out, archive: None, given })
    }

    fn how(self, one: &Argument, extra: Option<usize>, params: usize) -> Option<How> {
        let ty = match (&one.ty, extra) {
            (Type::Optional(_), None) => return Some(How::Literal("None".to_owned())),
            (Type::Optional(inner), Some(_)) => inner,
            (ty, _) => ty,
        };
        if let Some(role) = arguments::role(self.schema, one, ty, self.tensors > 0) {
            return Some(How::Param(params, role));
        }
        let which = extra.unwrap_or(if is_scalar(ty) { self.scalar } else { 0 });
        arguments::literal(one, ty, which).map(How::Literal)
    }
}

fn is_scalar(ty: &Type) -> bool {
    *ty == Type::Named("Scalar".to_owned())
}

/// Whether it is a tensor, or several.
pub(super) fn is_tensor(ty: &Type) -> bool {
    match ty {
        Type::Named(name) => name == "Tensor",
        Type::List(inner, _) | Type::Optional(inner) => is_tensor(inner),
        _ => false,
    }
}

/// What TorchScript calls the results.
fn returns(schema: &Schema) -> Option<String> {
    let mut all = Vec::new();
    for one in &schema.returns {
        all.push(annotation(&one.ty)?);
    }
    match all.len() {
        0 => None,
        1 => all.pop(),
        _ => Some(format!("Tuple[{}]", all.join(", "))),
    }
}

/// A type as TorchScript writes it, with `int` for a variable.
pub(super) fn annotation(ty: &Type) -> Option<String> {
    Some(match ty {
        Type::Named(name) => match &**name {
            "Tensor" | "int" | "float" | "bool" | "str" | "complex" => name.clone(),
            "Scalar" => "number".to_owned(),
            "SymInt" | "t" | "ScalarType" => "int".to_owned(),
            _ => return None,
        },
        Type::List(inner, _) => format!("List[{}]", annotation(inner)?),
        Type::Optional(inner) => format!("Optional[{}]", annotation(inner)?),
        Type::Tuple(items) => {
            let items: Option<Vec<String>> = items.iter().map(annotation).collect();
            format!("Tuple[{}]", items?.join(", "))
        }
        Type::Applied(name, items) if name == "Dict" => {
            let items: Option<Vec<String>> = items.iter().map(annotation).collect();
            format!("Dict[{}]", items?.join(", "))
        }
        Type::Applied(..) => return None,
    })
}
