//! Calls of an operator, made from its schema: which arguments are given, how, and what values they get.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use unskew_torch_schemas::{FunctionSchema, SchemaArgument, SchemaType};

use super::arguments::{self, ParameterRole};

/// One call in TorchScript, with the inputs that it is run on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallForm {
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
    pub given: Vec<(String, ArgumentPassing)>,
}

/// How an argument is given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgumentPassing {
    /// It is left out.
    Absent,
    /// By the parameter of this number.
    Param(usize, ParameterRole),
    /// As it stands in the code.
    Literal(String),
}

/// The most forms of one overload.
const MOST: usize = 14;

/// Calls of a schema without their inputs; none if there is an argument that nothing is known to be given for.
pub fn forms(schema: &FunctionSchema) -> Vec<CallForm> {
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
        if schema.arguments.iter().any(SchemaArgument::is_out) {
            continue;
        }
        for (at, one) in schema.arguments.iter().enumerate() {
            let is_optional = one.default.is_some() || matches!(one.ty, SchemaType::Optional(_));
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
    schema: &'s FunctionSchema,
    tensors: usize,
    scalar: usize,
    /// An optional argument that is given all the same, and which of its values.
    extra: Option<(usize, usize)>,
}

impl Choice<'_> {
    fn form(self, returns: &str) -> Option<CallForm> {
        let (mut params, mut given, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        let (mut by_name, name) = (false, &self.schema.name);
        for (at, one) in self.schema.arguments.iter().enumerate() {
            let extra = self.extra.filter(|(which, _)| *which == at).map(|(_, which)| which);
            if one.default.is_some() && extra.is_none() {
                by_name = true;
                given.push((one.name.clone(), ArgumentPassing::Absent));
                continue;
            }
            let how = self.how(one, extra, params.len())?;
            let text = match &how {
                ArgumentPassing::Param(number, role) => {
                    params.push(format!("a{number}: {}", role.ty()));
                    format!("a{number}")
                }
                ArgumentPassing::Literal(text) => text.clone(),
                ArgumentPassing::Absent => String::new(),
            };
            by_name |= one.keyword_only;
            texts.push(if by_name { format!("{}={text}", one.name) } else { text });
            given.push((one.name.clone(), how));
        }
        let function = name.strip_prefix("aten::")?;
        let body = format!("torch.{function}({})", texts.join(", "));
        let (name, returns) = (self.schema.full_name(), returns.to_owned());
        let has_out = self.schema.arguments.iter().any(SchemaArgument::is_out);
        Some(CallForm {
            name,
            params,
            returns,
            body,
            runs: Vec::new(),
            has_out,
            archive: None,
            given,
        })
    }

    fn how(
        self,
        one: &SchemaArgument,
        extra: Option<usize>,
        params: usize,
    ) -> Option<ArgumentPassing> {
        let ty = match (&one.ty, extra) {
            (SchemaType::Optional(_), None) => {
                return Some(ArgumentPassing::Literal("None".to_owned()));
            }
            (SchemaType::Optional(inner), Some(_)) => inner,
            (ty, _) => ty,
        };
        if let Some(role) = arguments::role(self.schema, one, ty, self.tensors > 0) {
            return Some(ArgumentPassing::Param(params, role));
        }
        let which = extra.unwrap_or(if is_scalar(ty) { self.scalar } else { 0 });
        arguments::literal(one, ty, which).map(ArgumentPassing::Literal)
    }
}

fn is_scalar(ty: &SchemaType) -> bool {
    *ty == SchemaType::Named("Scalar".to_owned())
}

/// Whether it is a tensor, or several.
pub(super) fn is_tensor(ty: &SchemaType) -> bool {
    match ty {
        SchemaType::Named(name) => name == "Tensor",
        SchemaType::List(inner, _) | SchemaType::Optional(inner) => is_tensor(inner),
        _ => false,
    }
}

/// What TorchScript calls the results.
fn returns(schema: &FunctionSchema) -> Option<String> {
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
pub(super) fn annotation(ty: &SchemaType) -> Option<String> {
    Some(match ty {
        SchemaType::Named(name) => match &**name {
            "Tensor" | "int" | "float" | "bool" | "str" | "complex" => name.clone(),
            "Scalar" => "number".to_owned(),
            "SymInt" | "t" | "ScalarType" => "int".to_owned(),
            _ => return None,
        },
        SchemaType::List(inner, _) => format!("List[{}]", annotation(inner)?),
        SchemaType::Optional(inner) => format!("Optional[{}]", annotation(inner)?),
        SchemaType::Tuple(items) => {
            let items: Option<Vec<String>> = items.iter().map(annotation).collect();
            format!("Tuple[{}]", items?.join(", "))
        }
        SchemaType::Applied(name, items) if name == "Dict" => {
            let items: Option<Vec<String>> = items.iter().map(annotation).collect();
            format!("Dict[{}]", items?.join(", "))
        }
        SchemaType::Applied(..) => return None,
    })
}
