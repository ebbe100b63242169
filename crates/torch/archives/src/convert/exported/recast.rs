//! A value of one schema as a value of another.
//!
//! The types of both schemas are walked together with the value. What both have is kept; where they have
//! another type for the same thing, one of a few rules converts it (`[]` and `true` for "none", a name
//! and a struct with a name, ...); what the newer one does not have any more, or the older one not yet,
//! is left out if that means the same, and is a blocker if it does not.

use std::collections::BTreeMap;

use unskew_core::Places;

use super::expression;
use super::schema::{Absence, Field, Kind, Schema, Shape, Type};
use crate::convert::json::Json;

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct RecastReport {
    /// What was changed, in words, and where.
    pub(super) changed: BTreeMap<String, Places>,
    /// What has no form in the other schema.
    pub(super) blocked: BTreeMap<String, Places>,
}

impl RecastReport {
    /// Adds what another part of the work found.
    pub(super) fn extend(&mut self, more: Self) {
        for (what, places) in more.changed {
            self.changed.entry(what).or_default().extend(&places);
        }
        for (what, places) in more.blocked {
            self.blocked.entry(what).or_default().extend(&places);
        }
    }

    pub(super) fn change(&mut self, what: impl Into<String>) {
        self.changed.entry(what.into()).or_default();
    }

    pub(super) fn block(&mut self, what: impl Into<String>, place: impl std::fmt::Display) {
        self.blocked.entry(what.into()).or_default().add(place);
    }
}

/// A walk from one schema to another.
pub(super) struct Recast<'s> {
    from: &'s Schema,
    to: &'s Schema,
    path: Vec<Step>,
    pub(super) found: RecastReport,
}

enum Step {
    Field(&'static str),
    Key(String),
    Item(usize),
}

impl<'s> Recast<'s> {
    pub(super) fn new(from: &'s Schema, to: &'s Schema) -> Self {
        Self { from, to, path: Vec::new(), found: RecastReport::default() }
    }

    /// `program`, an `ExportedProgram` of one schema, as one of the other.
    pub(super) fn program(&mut self, program: Json) -> Json {
        let ty = Type::Named("ExportedProgram");
        self.value(program, &ty, &ty)
    }

    fn place(&self) -> String {
        let mut place = String::new();
        for step in &self.path {
            match step {
                Step::Field(name) if place.is_empty() => place.push_str(name),
                Step::Field(name) => place.extend([".", name]),
                Step::Key(key) => place.extend([".", key]),
                Step::Item(n) => place.push_str(&format!("[{n}]")),
            }
        }
        place
    }

    fn changed(&mut self, what: impl Into<String>) {
        let place = self.place();
        self.found.changed.entry(what.into()).or_default().add(place);
    }

    fn blocked(&mut self, what: impl Into<String>) {
        let place = self.place();
        self.found.blocked.entry(what.into()).or_default().add(place);
    }

    fn within(&mut self, step: Step, work: impl FnOnce(&mut Self) -> Json) -> Json {
        self.path.push(step);
        let value = work(self);
        self.path.pop();
        value
    }

    fn value(&mut self, value: Json, from: &Type, to: &Type) -> Json {
        match (value, from, to) {
            (Json::Null, Type::Optional(_), Type::Optional(_)) => Json::Null,
            (value, Type::Optional(from), Type::Optional(to)) => self.value(value, from, to),
            (Json::List(items), Type::List(from), Type::List(to)) => {
                let items = items.into_iter().enumerate();
                let each =
                    |(n, item)| self.within(Step::Item(n), |walk| walk.value(item, from, to));
                Json::List(items.map(each).collect())
            }
            (Json::Object(fields), Type::Dict(from), Type::Dict(to)) => {
                let each = |(key, value): (String, Json)| {
                    let step = Step::Key(key.clone());
                    (key, self.within(step, |walk| walk.value(value, from, to)))
                };
                Json::Object(fields.into_iter().map(each).collect())
            }
            (value, Type::Named(from), Type::Named(to)) => self.named(value, from, to),
            (value, from, to) if from == to => value,
            (value, from, to) => self.other(value, from, to),
        }
    }

    fn named(&mut self, value: Json, from: &'static str, to: &'static str) -> Json {
        let (source, target) = (self.from, self.to);
        match (source.shape(from), target.shape(to), value) {
            (Some(old), Some(new), value) if old.kind == Kind::Enum && new.kind == Kind::Enum => {
                let name = |shape: &Shape| {
                    let number = value.to_string();
                    let mut fields = shape.fields.iter();
                    fields.find(|field| number_of(field) == Some(number.as_str())).map(|f| f.name)
                };
                if let (Some(name), None) = (name(old), name(new)) {
                    self.blocked(format!("has no {to} {name}"));
                }
                value
            }
            (Some(old), Some(new), value) if old.kind == Kind::Union && new.kind == Kind::Union => {
                self.union(value, old, new)
            }
            (Some(old), Some(new), Json::Object(fields))
                if old.kind == Kind::Struct && new.kind == Kind::Struct =>
            {
                match (old.field("meta"), new.field("meta")) {
                    (Some(_), None) => {
                        let meta = Json::Object(fields).take("meta").unwrap_or(Json::Null);
                        self.named(meta, "TensorMeta", to)
                    }
                    (None, Some(_)) => {
                        let meta = self.named(Json::Object(fields), from, "TensorMeta");
                        Json::object([("meta", meta)])
                    }
                    _ => self.fields(fields, old, new),
                }
            }
            (None, None, Json::Text(text))
                if from == "float" && !self.to.has_floats_as_text() && is_float_word(&text) =>
            {
                Json::Number(text)
            }
            (None, None, value) if from == to => value,
            (.., value) => self.other(value, &Type::Named(from), &Type::Named(to)),
        }
    }

    fn fields(&mut self, fields: Vec<(String, Json)>, old: &Shape, new: &Shape) -> Json {
        let mut kept: Vec<(String, Json)> = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            match (old.field(&name), new.field(&name)) {
                (Some(from), Some(to)) if from.absence == Absence::OwnRule && from.ty != to.ty => {
                    kept.push((name, value));
                }
                (Some(_), Some(_)) if name == "expr_str" => {
                    let value = self.expression(value);
                    kept.push((name, value));
                }
                (Some(from), Some(to)) => {
                    let (from, to) = (&from.ty, &to.ty);
                    let step = Step::Field(from_static(old, &name));
                    kept.push((name, self.within(step, |walk| walk.value(value, from, to))));
                }
                (Some(from), None) if from.absence == Absence::OwnRule => kept.push((name, value)),
                (None, Some(to)) if to.absence == Absence::OwnRule => kept.push((name, value)),
                _ if self.to.passes_over_fields() => kept.push((name, value)),
                (Some(from), None) => self.leave_out(from, &value),
                (None, _) => self.blocked(format!("has no field {name}, which is not known")),
            }
        }
        for field in &new.fields {
            let given = kept.iter().any(|(name, _)| name == field.name);
            if given || field.default.is_some() || field.absence == Absence::OwnRule {
                continue;
            }
            match (&field.absence, &field.ty) {
                (Absence::Means(value), _) => {
                    self.changed(format!("{} is said: {value}", field.name));
                    kept.push((field.name.to_owned(), value.clone()));
                }
                (_, Type::Optional(_)) => kept.push((field.name.to_owned(), Json::Null)),
                _ => self.blocked(format!("needs a field {}", field.name)),
            }
        }
        Json::Object(kept)
    }

    /// The text of a symbolic expression.
    fn expression(&mut self, value: Json) -> Json {
        if self.from.writes_calls() == self.to.writes_calls() || self.to.writes_calls() {
            return value;
        }
        match value.as_text().and_then(expression::plain) {
            Some(text) => {
                self.changed("symbolic expressions are written with operators");
                Json::Text(text)
            }
            None => {
                self.blocked(format!("has no form for the expression {value}"));
                value
            }
        }
    }

    /// A field that the other schema does not have.
    fn leave_out(&mut self, field: &Field, value: &Json) {
        let name = field.name;
        let same = match &field.absence {
            Absence::Harmless | Absence::OwnRule => true,
            Absence::Means(meaning) => meaning == value,
            Absence::Inexpressible => field.default.as_ref() == Some(value),
        };
        if same {
            self.changed(format!("{name} is left out"));
        } else {
            self.blocked(format!("has no field {name}"));
        }
    }

    fn union(&mut self, value: Json, old: &Shape, new: &Shape) -> Json {
        let Json::Object(mut fields) = value else { return value };
        let spelled = fields.len() > 1;
        fields.retain(|(_, value)| *value != Json::Null);
        let (Some((name, value)), true) = (fields.pop(), fields.is_empty()) else {
            self.blocked("cannot tell which alternative is meant");
            return Json::Null;
        };
        let (Some(from), Some(to)) = (old.field(&name), new.field(&name)) else {
            self.blocked(format!("has no {name}"));
            return Json::Null;
        };
        let step = Step::Field(from.name);
        let value = self.within(step, |walk| walk.value(value, &from.ty, &to.ty));
        let spells_out = self.to.spells_out_unions();
        if spells_out != spelled && new.fields.len() > 1 {
            let how = if spells_out { "all their alternatives" } else { "the one that is meant" };
            self.changed(format!("unions stand with {how}"));
        }
        if !spells_out {
            return Json::Object(vec![(name, value)]);
        }
        let mut value = Some(value);
        let all = new.fields.iter().map(|field| {
            let meant = if field.name == name { value.take() } else { None };
            (field.name.to_owned(), meant.unwrap_or(Json::Null))
        });
        Json::Object(all.collect())
    }

    /// The same thing as another type.
    fn other(&mut self, value: Json, from: &Type, to: &Type) -> Json {
        let is = |ty: &Type, name: &str| matches!(ty, Type::Named(named) if *named == name);
        let upper = matches!(self.path.last(), Some(Step::Field("max_val")));
        let infinity = if upper { "Infinity" } else { "-Infinity" };
        let shown = |value: &Json| value.to_string().chars().take(60).collect::<String>();
        match (value, from, to) {
            (Json::List(_), Type::Tuple, to) if is(to, "bool") => {
                self.changed("none is `true` instead of `[]`");
                Json::Bool(true)
            }
            (Json::Bool(_), from, Type::Tuple) if is(from, "bool") => {
                self.changed("none is `[]` instead of `true`");
                Json::List(Vec::new())
            }
            (Json::Text(name), from, to) if is(from, "str") && is(to, "TensorArgument") => {
                self.changed("a tensor is a struct with its name");
                Json::object([("name", Json::Text(name))])
            }
            (mut value, from, to) if is(from, "TensorArgument") && is(to, "str") => {
                self.changed("a tensor is its name");
                value.take("name").unwrap_or(Json::Null)
            }
            (value, from, to) if is(from, "int") && is(to, "SymInt") => {
                self.changed("an offset may be symbolic");
                self.spelled("SymInt", "as_int", value)
            }
            (mut value, from, to) if is(from, "SymInt") && is(to, "int") => {
                match value.take("as_int").filter(|value| *value != Json::Null) {
                    Some(number) => {
                        self.changed("an offset is a number");
                        number
                    }
                    None => {
                        self.blocked("has no symbolic offsets");
                        Json::Null
                    }
                }
            }
            (Json::Text(text), from, to) if is(from, "str") && is(to, "SymExpr") => {
                Json::object([("expr_str", Json::Text(text))])
            }
            (mut value, from, to) if is(from, "SymExpr") && is(to, "str") => {
                value.take("expr_str").unwrap_or(Json::Null)
            }
            (Json::Null, Type::Optional(_), to) if is(to, "int") => {
                self.changed("no bound is infinity");
                Json::Number(infinity.to_owned())
            }
            (Json::Number(number), from, Type::Optional(_))
                if is(from, "int") && number == infinity =>
            {
                self.changed("infinity is no bound");
                Json::Null
            }
            (Json::Null, Type::Optional(_), Type::Optional(_)) => Json::Null,
            (value @ Json::Number(_), Type::Named(_), Type::Optional(_)) => value,
            (value @ Json::Number(_), Type::Optional(_), Type::Named(_)) => value,
            (value @ Json::Number(_), from, to) if is(from, "int") && is(to, "SymExprHint") => {
                self.spelled("SymExprHint", "as_int", value)
            }
            (mut value, from, to) if is(from, "SymExprHint") && is(to, "int") => {
                value.take("as_int").unwrap_or(Json::Null)
            }
            (value, ..) => {
                self.blocked(format!("has no form for {}", shown(&value)));
                value
            }
        }
    }

    /// An alternative of a union of the other schema.
    fn spelled(&self, union: &str, name: &str, value: Json) -> Json {
        let alone = |value| Json::Object(vec![(name.to_owned(), value)]);
        match self.to.shape(union) {
            Some(shape) if self.to.spells_out_unions() => {
                let mut value = Some(value);
                let all = shape.fields.iter().map(|field| {
                    let meant = if field.name == name { value.take() } else { None };
                    (field.name.to_owned(), meant.unwrap_or(Json::Null))
                });
                Json::Object(all.collect())
            }
            _ => alone(value),
        }
    }
}

/// The number of a value of an enumeration.
fn number_of(field: &Field) -> Option<&'static str> {
    match field.ty {
        Type::Named(number) => Some(number),
        _ => None,
    }
}

fn from_static(shape: &Shape, name: &str) -> &'static str {
    shape.field(name).map_or("", |field| field.name)
}

fn is_float_word(text: &str) -> bool {
    matches!(text, "Infinity" | "-Infinity" | "NaN")
}
