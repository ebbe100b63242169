//! Calls.

use unskew_torch_schemas::matching::{GivenValue, Literal, ScriptType};

use super::value::{given, known};
use super::walker::{CallContext, LocatedValue, Walker};
use crate::typing::scope::Binding;
use crate::typing::{FunctionId, Spelling, annotation, literal_of};
use crate::{CallArgument, CallExpression, Expression, TextSpan};

/// Functions of the language that are operators, and what these are called.
const FUNCTIONS: [(&str, &str); 20] = [
    ("len", "aten::len"),
    ("print", "prim::Print"),
    ("abs", "prim::abs"),
    ("min", "prim::min"),
    ("max", "prim::max"),
    ("round", "aten::round"),
    ("ord", "aten::ord"),
    ("chr", "aten::chr"),
    ("hex", "aten::hex"),
    ("oct", "aten::oct"),
    ("bin", "aten::bin"),
    ("hash", "aten::hash"),
    ("divmod", "aten::divmod"),
    ("sum", "aten::sum"),
    ("sorted", "aten::sorted"),
    ("all", "aten::all"),
    ("any", "aten::any"),
    ("list", "aten::list"),
    ("dict", "aten::dict"),
    ("device", "aten::device"),
];

impl<'p> Walker<'p, '_> {
    pub(super) fn call(&mut self, call: &'p CallExpression) -> Binding {
        if let Some(path) = self.global(&call.function) {
            return self.call_path(call, &path);
        }
        match &call.function {
            Expression::Attribute { of, name, .. } => {
                let receiver = self.value(of);
                self.method(call, &receiver, of.span(), &name.text)
            }
            callee => {
                let thing = self.value(callee);
                self.call_thing(call, thing)
            }
        }
    }

    fn call_thing(&mut self, call: &'p CallExpression, thing: Binding) -> Binding {
        match thing {
            Binding::Function(id) => self.own(call, id, None),
            Binding::Class(name) => {
                self.given(&call.arguments);
                Binding::from_type(ScriptType::Class(name))
            }
            Binding::Value(ScriptType::Class(name), _) => {
                let receiver = Binding::from_type(ScriptType::Class(name));
                self.method(call, &receiver, call.function.span(), "forward")
            }
            Binding::Value(..) => {
                self.given(&call.arguments);
                Binding::from_type(ScriptType::Unknown)
            }
        }
    }

    /// A call of what is named by a path: an operator, a function or a class of the program, a part of the
    /// language.
    fn call_path(&mut self, call: &'p CallExpression, path: &str) -> Binding {
        let callee = call.function.span();
        let operator = match path.split_once('.') {
            Some(("torch", "autograd.grad")) => Some("aten::grad".to_owned()),
            Some(("torch", "autograd.backward")) => Some("aten::backward".to_owned()),
            Some(("torch", rest)) => {
                // `torch.nn.functional.f` is no operator; `torch.linalg.f` neither is in an archive.
                let name = rest.rsplit_once('.').map_or(rest, |(_, name)| name);
                Some(format!("aten::{name}"))
            }
            Some(("ops", rest)) => {
                rest.rsplit_once('.').map(|(space, name)| format!("{space}::{name}"))
            }
            Some(("math", name)) => Some(format!("aten::{name}")),
            _ => None,
        };
        if let Some(operator) = operator {
            let given = self.given(&call.arguments);
            return self.operator(&operator, given, (call.span, Some(callee)), Spelling::Name);
        }
        if path.contains('.') {
            if let Some(class) = path.strip_suffix(".__new__") {
                return Binding::from_type(ScriptType::Class(class.into()));
            }
            let thing = self.value(&call.function);
            return self.call_thing(call, thing);
        }
        match self.special(call, path) {
            Some(thing) => thing,
            None => {
                let thing = self.value(&call.function);
                self.call_thing(call, thing)
            }
        }
    }

    fn special(&mut self, call: &'p CallExpression, name: &str) -> Option<Binding> {
        if self.program.function(name).is_some() {
            return None;
        }
        let arguments = call.arguments.as_slice();
        match (name, arguments) {
            ("annotate" | "unchecked_cast", [ty, value]) => Some(self.declared(name, ty, value)),
            ("uninitialized", [ty]) => Some(Binding::from_type(self.annotated(&ty.value))),
            ("unchecked_unwrap_optional" | "_unwrap_optional", [value]) => {
                let value = self.value(&value.value);
                Some(Binding::Value(value.ty().without_none(), value.literal().cloned()))
            }
            ("int", [value]) => Some(self.cast(ScriptType::Int, &value.value, call.span)),
            ("float", [value]) => Some(self.cast(ScriptType::Float, &value.value, call.span)),
            ("bool", [value]) => Some(self.cast(ScriptType::Bool, &value.value, call.span)),
            ("complex", [value]) => Some(self.cast(ScriptType::Complex, &value.value, call.span)),
            ("str", [value]) => Some(self.cast(ScriptType::Str, &value.value, call.span)),
            ("isinstance", [value, _]) => {
                self.value(&value.value);
                let literal = self.decided(&Expression::Call(Box::new(call.clone())));
                Some(Binding::Value(ScriptType::Bool, literal.map(Literal::Bool)))
            }
            ("hasattr", [value, _]) => {
                self.value(&value.value);
                Some(Binding::from_type(ScriptType::Bool))
            }
            ("getattr", [of, name, ..]) => {
                let receiver = self.value(&of.value);
                match literal_of(&name.value) {
                    Some(Literal::Text(name)) => {
                        Some(self.attribute_of(&receiver, &name, call.span))
                    }
                    _ => Some(Binding::from_type(ScriptType::Unknown)),
                }
            }
            ("range", _) => {
                self.given(arguments);
                Some(Binding::from_type(ScriptType::list(ScriptType::Int)))
            }
            ("fork" | "awaitable", [function, given @ ..]) => {
                Some(self.later(name, function, given, call))
            }
            (
                "rpc_async" | "rpc_sync" | "rpc_remote" | "enumerate" | "zip" | "reversed"
                | "super" | "tuple" | "set" | "map" | "filter",
                _,
            ) => {
                self.given(arguments);
                Some(Binding::from_type(ScriptType::Unknown))
            }
            _ => {
                let (_, operator) = FUNCTIONS.iter().find(|(known, _)| *known == name)?;
                let given = self.given(arguments);
                let place = (call.span, Some(call.function.span()));
                Some(self.operator(operator, given, place, Spelling::Language))
            }
        }
    }

    fn annotated(&mut self, ty: &'p Expression) -> ScriptType {
        annotation::type_of(ty).unwrap_or_else(|| {
            self.fault(ty.span(), format!("not a type: {ty}"));
            ScriptType::Unknown
        })
    }

    /// `annotate(T, x)` converts, `unchecked_cast(T, x)` believes.
    fn declared(&mut self, name: &str, ty: &'p CallArgument, value: &'p CallArgument) -> Binding {
        let ty = self.annotated(&ty.value);
        let thing = self.value(&value.value);
        let span = value.value.span();
        if name == "annotate" {
            self.hold(&thing.ty(), &ty, span, "the value");
            match (thing.ty(), &ty) {
                (ScriptType::Tensor, ScriptType::Int) => {
                    self.implied("aten::IntImplicit", &thing, span)
                }
                (ScriptType::Tensor, ScriptType::Float) => {
                    self.implied("aten::FloatImplicit", &thing, span)
                }
                (ScriptType::Tensor, ScriptType::Number) => {
                    self.implied("aten::ScalarImplicit", &thing, span)
                }
                _ => {}
            }
        } else {
            self.implied("prim::unchecked_cast", &thing, span);
        }
        let literal =
            thing.literal().filter(|literal| **literal != Literal::None || name == "annotate");
        Binding::Value(ty, literal.cloned())
    }

    /// `fork(f, x)` gives what `f(x)` gives, later.
    fn later(
        &mut self,
        name: &str,
        function: &'p CallArgument,
        rest: &'p [CallArgument],
        call: &'p CallExpression,
    ) -> Binding {
        let callee = self.value(&function.value);
        let given = self.given(rest);
        let returns = match callee {
            Binding::Function(id) => self.give(id, given, None, call.span),
            _ => Binding::from_type(ScriptType::Unknown),
        };
        let kind = if name == "fork" { "Future" } else { "Await" };
        Binding::from_type(ScriptType::applied(kind, [returns.ty()]))
    }

    pub(super) fn given(&mut self, arguments: &'p [CallArgument]) -> Vec<LocatedValue> {
        let one = |argument: &'p CallArgument| {
            let thing = self.value(&argument.value);
            let keyword = argument.keyword.as_ref().map(|name| name.text.to_string());
            (GivenValue { keyword, ..known(&thing) }, argument.value.span())
        };
        arguments.iter().map(one).collect()
    }

    fn method(
        &mut self,
        call: &'p CallExpression,
        receiver: &Binding,
        of: TextSpan,
        name: &str,
    ) -> Binding {
        let ty = receiver.ty();
        let class = match (&ty, receiver) {
            (ScriptType::Class(class), _) | (_, Binding::Class(class)) => Some(class.clone()),
            (ScriptType::Optional(inner), _) => match &**inner {
                ScriptType::Class(class) => Some(class.clone()),
                _ => None,
            },
            _ => None,
        };
        if let Some(class) = class {
            let Some((_, described)) = self.program.class_of(&class) else {
                self.given(&call.arguments);
                return Binding::from_type(ScriptType::Unknown);
            };
            if let Some(id) = described.methods.get(name).copied() {
                let known = given(&Binding::from_type(ScriptType::Class(class)), of);
                return self.own(call, id, Some(known));
            }
            let partly = described.attributes.is_empty() && described.base.is_empty();
            let inherited = matches!(name, "__init__" | "__new__") || partly;
            if let Some((attribute, _)) = described.attribute(name) {
                let thing = Binding::from_type(attribute.clone());
                return self.call_thing(call, thing);
            }
            self.given(&call.arguments);
            if !inherited {
                self.fault(call.span, format!("{class} has no method {name}"));
            }
            return Binding::from_type(ScriptType::Unknown);
        }
        if matches!(ty, ScriptType::Unknown | ScriptType::Any | ScriptType::Union(_)) {
            self.given(&call.arguments);
            return Binding::from_type(ScriptType::Unknown);
        }
        let mut all = vec![(GivenValue { receiver: true, ..known(receiver) }, of)];
        all.extend(self.given(&call.arguments));
        let operator = match (&ty, name) {
            // A method of the language since 1.5; no release has an operator of the name that is written.
            (ScriptType::Tensor, "tolist") => "prim::tolist".to_owned(),
            _ => format!("aten::{name}"),
        };
        let place = (call.span, Some(call.function.span()));
        self.operator(&operator, all, place, Spelling::Method)
    }

    fn own(
        &mut self,
        call: &'p CallExpression,
        id: FunctionId,
        receiver: Option<LocatedValue>,
    ) -> Binding {
        let given = self.given(&call.arguments);
        self.give(id, given, receiver, call.span)
    }

    /// What a function of the program gives for values.
    fn give(
        &mut self,
        id: FunctionId,
        values: Vec<LocatedValue>,
        receiver: Option<LocatedValue>,
        span: TextSpan,
    ) -> Binding {
        self.mention(id, span);
        let Some(routine) = self.program.routines().get(id) else {
            return Binding::from_type(ScriptType::Unknown);
        };
        let mut context: CallContext = Vec::with_capacity(routine.parameters.len());
        let mut places =
            receiver.iter().chain(values.iter().filter(|(one, _)| one.keyword.is_none()));
        let mut taken = 0;
        for parameter in &routine.parameters {
            let named =
                || values.iter().find(|(one, _)| one.keyword.as_deref() == Some(&parameter.name));
            let by_place = if parameter.keyword_only { None } else { places.next() };
            let value = by_place.or_else(named);
            if let Some((value, span)) = value {
                taken += 1;
                let what = format_args!("{} of {}", parameter.name, routine.name);
                self.hold(&value.ty, &parameter.ty, *span, what);
            } else if !parameter.has_default {
                self.fault(span, format!("{} is called without {}", routine.name, parameter.name));
            }
            context.push(match value {
                Some((value, _)) => value.literal.clone(),
                None => parameter.default.clone(),
            });
        }
        let total = values.len() + usize::from(receiver.is_some());
        if taken < total {
            let wants = routine.parameters.len();
            self.fault(
                span,
                format!("{} takes {wants} values, and is given {total}", routine.name),
            );
        }
        if self.live && routine.class.is_none() {
            self.demands.push((id, context));
        }
        Binding::from_type(routine.returns.clone())
    }
}
