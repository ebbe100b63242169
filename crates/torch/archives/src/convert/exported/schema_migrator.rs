//! A value of one schema as a value of another.
//!
//! The types of both schemas are walked together with the value. What both have is kept; where they have
//! another type for the same thing, one of a few rules converts it (`[]` and `true` for "none", a name
//! and a struct with a name, ...); what the newer one does not have any more, or the older one not yet,
//! is left out if that means the same, and is a blocker if it does not.

use std::collections::BTreeMap;

use unskew_core::Places;

use super::expression;
use crate::exported::schema::{Absence, ExportSchema, Field, FieldType, Shape, ShapeKind};
use crate::json::JsonValue;

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct MigrationReport {
    /// What was changed, in words, and where.
    pub(super) changed: BTreeMap<String, Places>,
    /// What has no form in the other schema.
    pub(super) blocked: BTreeMap<String, Places>,
}

impl MigrationReport {
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
pub(super) struct SchemaMigrator<'s> {
    from: &'s ExportSchema,
    to: &'s ExportSchema,
    /// Whether the reader passes over fields that it does not know.
    ignores_fields: bool,
    path: Vec<PathStep>,
    pub(super) found: MigrationReport,
}

enum PathStep {
    Field(&'static str),
    Key(String),
    Item(usize),
}

impl<'s> SchemaMigrator<'s> {
    pub(super) fn new(from: &'s ExportSchema, to: &'s ExportSchema, ignores_fields: bool) -> Self {
        Self { from, to, ignores_fields, path: Vec::new(), found: MigrationReport::default() }
    }

    /// `program`, an `ExportedProgram` of one schema, as one of the other.
    pub(super) fn program(&mut self, program: JsonValue) -> JsonValue {
        let ty = FieldType::Named("ExportedProgram");
        self.value(program, &ty, &ty)
    }

    fn place(&self) -> String {
        let mut place = String::new();
        for step in &self.path {
            match step {
                PathStep::Field(name) if place.is_empty() => place.push_str(name),
                PathStep::Field(name) => place.extend([".", name]),
                PathStep::Key(key) => place.extend([".", key]),
                PathStep::Item(n) => place.push_str(&format!("[{n}]")),
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

    fn within(&mut self, step: PathStep, work: impl FnOnce(&mut Self) -> JsonValue) -> JsonValue {
        self.path.push(step);
        let value = work(self);
        self.path.pop();
        value
    }

    fn value(&mut self, value: JsonValue, from: &FieldType, to: &FieldType) -> JsonValue {
        match (value, from, to) {
            (JsonValue::Null, FieldType::Optional(_), FieldType::Optional(_)) => JsonValue::Null,
            (value, FieldType::Optional(from), FieldType::Optional(to)) => {
                self.value(value, from, to)
            }
            (JsonValue::List(items), FieldType::List(from), FieldType::List(to)) => {
                let items = items.into_iter().enumerate();
                let each =
                    |(n, item)| self.within(PathStep::Item(n), |walk| walk.value(item, from, to));
                JsonValue::List(items.map(each).collect())
            }
            (JsonValue::Object(fields), FieldType::Dict(from), FieldType::Dict(to)) => {
                let each = |(key, value): (String, JsonValue)| {
                    let step = PathStep::Key(key.clone());
                    (key, self.within(step, |walk| walk.value(value, from, to)))
                };
                JsonValue::Object(fields.into_iter().map(each).collect())
            }
            (value, FieldType::Named(from), FieldType::Named(to)) => self.named(value, from, to),
            (value, from, to) if from == to => value,
            (value, from, to) => self.other(value, from, to),
        }
    }

    fn named(&mut self, value: JsonValue, from: &'static str, to: &'static str) -> JsonValue {
        let (source, target) = (self.from, self.to);
        match (source.shape(from), target.shape(to), value) {
            (Some(old), Some(new), value)
                if old.kind == ShapeKind::Enum && new.kind == ShapeKind::Enum =>
            {
                let name = |shape: &Shape| {
                    let number = value.to_string();
                    let mut fields = shape.fields.iter();
                    fields.find(|field| field.number() == Some(number.as_str())).map(|f| f.name)
                };
                if let (Some(name), None) = (name(old), name(new)) {
                    self.blocked(format!("has no {to} {name}"));
                }
                value
            }
            (Some(old), Some(new), value)
                if old.kind == ShapeKind::Union && new.kind == ShapeKind::Union =>
            {
                self.union(value, old, new)
            }
            (Some(old), Some(new), JsonValue::Object(fields))
                if old.kind == ShapeKind::Struct && new.kind == ShapeKind::Struct =>
            {
                match (old.field("meta"), new.field("meta")) {
                    (Some(_), None) => {
                        let meta =
                            JsonValue::Object(fields).take("meta").unwrap_or(JsonValue::Null);
                        self.named(meta, "TensorMeta", to)
                    }
                    (None, Some(_)) => {
                        let meta = self.named(JsonValue::Object(fields), from, "TensorMeta");
                        JsonValue::object([("meta", meta)])
                    }
                    _ => self.fields(fields, old, new),
                }
            }
            (None, None, JsonValue::Text(text))
                if from == "float" && !self.to.has_floats_as_text() && is_float_word(&text) =>
            {
                JsonValue::Number(text)
            }
            (None, None, value) if from == to => value,
            (.., value) => self.other(value, &FieldType::Named(from), &FieldType::Named(to)),
        }
    }

    fn fields(&mut self, fields: Vec<(String, JsonValue)>, old: &Shape, new: &Shape) -> JsonValue {
        let mut kept: Vec<(String, JsonValue)> = Vec::with_capacity(fields.len());
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
                    let step = PathStep::Field(from_static(old, &name));
                    kept.push((name, self.within(step, |walk| walk.value(value, from, to))));
                }
                (Some(from), None) if from.absence == Absence::OwnRule => kept.push((name, value)),
                (None, Some(to)) if to.absence == Absence::OwnRule => kept.push((name, value)),
                _ if self.ignores_fields => kept.push((name, value)),
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
                (_, FieldType::Optional(_)) => kept.push((field.name.to_owned(), JsonValue::Null)),
                _ => self.blocked(format!("needs a field {}", field.name)),
            }
        }
        JsonValue::Object(kept)
    }

    fn expression(&mut self, value: JsonValue) -> JsonValue {
        if self.from.writes_calls() == self.to.writes_calls() || self.to.writes_calls() {
            return value;
        }
        match value.as_text().and_then(expression::plain) {
            Some(text) => {
                self.changed("symbolic expressions are written with operators");
                JsonValue::Text(text)
            }
            None => {
                self.blocked(format!("has no form for the expression {value}"));
                value
            }
        }
    }

    fn leave_out(&mut self, field: &Field, value: &JsonValue) {
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

    fn union(&mut self, value: JsonValue, old: &Shape, new: &Shape) -> JsonValue {
        let JsonValue::Object(mut fields) = value else { return value };
        let spelled = fields.len() > 1;
        fields.retain(|(_, value)| *value != JsonValue::Null);
        let (Some((name, value)), true) = (fields.pop(), fields.is_empty()) else {
            self.blocked("cannot tell which alternative is meant");
            return JsonValue::Null;
        };
        let (Some(from), Some(to)) = (old.field(&name), new.field(&name)) else {
            self.blocked(format!("has no {name}"));
            return JsonValue::Null;
        };
        let step = PathStep::Field(from.name);
        let value = self.within(step, |walk| walk.value(value, &from.ty, &to.ty));
        let spells_out = self.to.spells_out_unions();
        if spells_out != spelled && new.fields.len() > 1 {
            let how = if spells_out { "all their alternatives" } else { "the one that is meant" };
            self.changed(format!("unions stand with {how}"));
        }
        if !spells_out {
            return JsonValue::Object(vec![(name, value)]);
        }
        let mut value = Some(value);
        let all = new.fields.iter().map(|field| {
            let meant = if field.name == name { value.take() } else { None };
            (field.name.to_owned(), meant.unwrap_or(JsonValue::Null))
        });
        JsonValue::Object(all.collect())
    }

    /// The same thing as another type.
    fn other(&mut self, value: JsonValue, from: &FieldType, to: &FieldType) -> JsonValue {
        let is =
            |ty: &FieldType, name: &str| matches!(ty, FieldType::Named(named) if *named == name);
        let upper = matches!(self.path.last(), Some(PathStep::Field("max_val")));
        let infinity = if upper { "Infinity" } else { "-Infinity" };
        let shown = |value: &JsonValue| value.to_string().chars().take(60).collect::<String>();
        match (value, from, to) {
            (JsonValue::List(_), FieldType::Tuple, to) if is(to, "bool") => {
                self.changed("none is `true` instead of `[]`");
                JsonValue::Bool(true)
            }
            (JsonValue::Bool(_), from, FieldType::Tuple) if is(from, "bool") => {
                self.changed("none is `[]` instead of `true`");
                JsonValue::List(Vec::new())
            }
            (JsonValue::Text(name), from, to) if is(from, "str") && is(to, "TensorArgument") => {
                self.changed("a tensor is a struct with its name");
                JsonValue::object([("name", JsonValue::Text(name))])
            }
            (mut value, from, to) if is(from, "TensorArgument") && is(to, "str") => {
                self.changed("a tensor is its name");
                value.take("name").unwrap_or(JsonValue::Null)
            }
            (value, from, to) if is(from, "int") && is(to, "SymInt") => {
                self.changed("an offset may be symbolic");
                self.spelled("SymInt", "as_int", value)
            }
            (mut value, from, to) if is(from, "SymInt") && is(to, "int") => {
                match value.take("as_int").filter(|value| *value != JsonValue::Null) {
                    Some(number) => {
                        self.changed("an offset is a number");
                        number
                    }
                    None => {
                        self.blocked("has no symbolic offsets");
                        JsonValue::Null
                    }
                }
            }
            (JsonValue::Text(text), from, to) if is(from, "str") && is(to, "SymExpr") => {
                JsonValue::object([("expr_str", JsonValue::Text(text))])
            }
            (mut value, from, to) if is(from, "SymExpr") && is(to, "str") => {
                value.take("expr_str").unwrap_or(JsonValue::Null)
            }
            (JsonValue::Null, FieldType::Optional(_), to) if is(to, "int") => {
                self.changed("no bound is infinity");
                JsonValue::Number(infinity.to_owned())
            }
            (JsonValue::Number(number), from, FieldType::Optional(_))
                if is(from, "int") && number == infinity =>
            {
                self.changed("infinity is no bound");
                JsonValue::Null
            }
            (JsonValue::Null, FieldType::Optional(_), FieldType::Optional(_)) => JsonValue::Null,
            (value @ JsonValue::Number(_), FieldType::Named(_), FieldType::Optional(_)) => value,
            (value @ JsonValue::Number(_), FieldType::Optional(_), FieldType::Named(_)) => value,
            (value @ JsonValue::Number(_), from, to)
                if is(from, "int") && is(to, "SymExprHint") =>
            {
                self.spelled("SymExprHint", "as_int", value)
            }
            (mut value, from, to) if is(from, "SymExprHint") && is(to, "int") => {
                value.take("as_int").unwrap_or(JsonValue::Null)
            }
            (value, ..) => {
                self.blocked(format!("has no form for {}", shown(&value)));
                value
            }
        }
    }

    /// An alternative of a union of the other schema.
    fn spelled(&self, union: &str, name: &str, value: JsonValue) -> JsonValue {
        let alone = |value| JsonValue::Object(vec![(name.to_owned(), value)]);
        match self.to.shape(union) {
            Some(shape) if self.to.spells_out_unions() => {
                let mut value = Some(value);
                let all = shape.fields.iter().map(|field| {
                    let meant = if field.name == name { value.take() } else { None };
                    (field.name.to_owned(), meant.unwrap_or(JsonValue::Null))
                });
                JsonValue::Object(all.collect())
            }
            _ => alone(value),
        }
    }
}

fn from_static(shape: &Shape, name: &str) -> &'static str {
    shape.field(name).map_or("", |field| field.name)
}

fn is_float_word(text: &str) -> bool {
    matches!(text, "Infinity" | "-Infinity" | "NaN")
}
