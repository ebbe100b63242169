//! Changes between two schemas of an operator, and whom they break.

mod change_kind;
mod findings;
mod subtype;
mod table;

pub use change_kind::{SchemaChangeKind, change_rules};
pub use findings::diff_findings;
pub use table::{OperatorChange, OperatorTableDiff, diff};

use std::fmt;

use unskew_definitions::in_a_sentence;

use crate::{FunctionSchema, SchemaArgument};
pub use subtype::{is_same as is_same_type, is_subtype};

/// One change of a schema, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaChange {
    /// What kind it is.
    pub kind: SchemaChangeKind,
    /// The argument or return value that changed, by its name or its place.
    pub place: String,
    /// What it was; empty for what was not there.
    pub was: String,
    /// What it is; empty for what is no longer there.
    pub is: String,
}

impl fmt::Display for SchemaChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, place, was, is } = self;
        let summary = in_a_sentence(kind.rule().map_or("the schema changed", |rule| rule.summary));
        match (was.is_empty(), is.is_empty()) {
            (true, true) => write!(f, "{summary}: {place}"),
            (true, false) => write!(f, "{summary}: {is}"),
            (false, true) => write!(f, "{summary}: {was}"),
            (false, false) => write!(f, "{summary}: {was} -> {is}"),
        }
    }
}

/// Every change from `old` to `new`, two schemas of one operator and overload.
///
/// They are backward compatible if every change is, and forward compatible if every change is; what
/// each kind does is data ([`change_rules`]). Arguments are compared by their place: those that are
/// given by keyword count as further places, and out arguments, from the first on, apart.
///
/// ```
/// use unskew_torch_schemas::{SchemaChangeKind, FunctionSchema, changes};
///
/// let old: FunctionSchema = "aten::gelu(Tensor self) -> Tensor".parse().unwrap();
/// let new: FunctionSchema = "aten::gelu(Tensor self, *, str approximate='none') -> Tensor".parse().unwrap();
/// let found = changes(&old, &new);
/// assert_eq!(found[0].kind, SchemaChangeKind::ArgumentAdded);
/// assert!(found[0].kind.is_backward_compatible());
/// ```
pub fn changes(old: &FunctionSchema, new: &FunctionSchema) -> Vec<SchemaChange> {
    let mut found = Vec::new();
    if old.variadic != new.variadic || old.variadic_returns != new.variadic_returns {
        found.push(change(SchemaChangeKind::VariadicChanged, "...", String::new(), String::new()));
    }
    returns(old, new, &mut found);
    let (old_in, old_out) = split(old);
    let (new_in, new_out) = split(new);
    for (was, is) in old_in.iter().zip(new_in) {
        argument(was, is, &mut found);
    }
    for added in new_in.iter().skip(old_in.len()) {
        let kind = match added.default.as_deref() {
            None => SchemaChangeKind::RequiredArgumentAdded,
            Some(default) if default.starts_with(['[', '{']) => SchemaChangeKind::ListDefaultAdded,
            Some(_) => SchemaChangeKind::ArgumentAdded,
        };
        found.push(change(kind, &added.name, String::new(), shown(added)));
    }
    for removed in old_in.iter().skip(new_in.len()) {
        let kind = match removed.default {
            None => SchemaChangeKind::RequiredArgumentRemoved,
            Some(_) => SchemaChangeKind::ArgumentRemoved,
        };
        found.push(change(kind, &removed.name, shown(removed), String::new()));
    }
    for (was, is) in old_out.iter().zip(new_out) {
        argument(was, is, &mut found);
    }
    for added in new_out.iter().skip(old_out.len()) {
        found.push(change(SchemaChangeKind::OutAdded, &added.name, String::new(), shown(added)));
    }
    for removed in old_out.iter().skip(new_out.len()) {
        found.push(change(
            SchemaChangeKind::OutRemoved,
            &removed.name,
            shown(removed),
            String::new(),
        ));
    }
    found
}

/// The arguments before the first out argument, and the others.
fn split(schema: &FunctionSchema) -> (&[SchemaArgument], &[SchemaArgument]) {
    let first = schema.arguments.iter().position(SchemaArgument::is_out);
    schema.arguments.split_at(first.unwrap_or(schema.arguments.len()))
}

fn argument(was: &SchemaArgument, is: &SchemaArgument, found: &mut Vec<SchemaChange>) {
    let mut add = |kind| found.push(change(kind, &was.name, shown(was), shown(is)));
    if was.name != is.name {
        // Nothing else can be said of two arguments that are not the same one.
        return add(SchemaChangeKind::ArgumentRenamed);
    }
    if was.alias != is.alias {
        add(SchemaChangeKind::AliasChanged);
    }
    if was.ty.list_size() != is.ty.list_size() {
        add(SchemaChangeKind::ListSizeChanged);
    }
    match (was.keyword_only, is.keyword_only) {
        (false, true) => add(SchemaChangeKind::MadeKeywordOnly),
        (true, false) => add(SchemaChangeKind::MadePositional),
        _ => {}
    }
    match (is_subtype(&was.ty, &is.ty), is_subtype(&is.ty, &was.ty)) {
        (true, true) => {}
        (true, false) => add(SchemaChangeKind::TypeWidened),
        (false, true) => add(SchemaChangeKind::TypeNarrowed),
        (false, false) => add(SchemaChangeKind::TypeChanged),
    }
    match (&was.default, &is.default) {
        (None, Some(_)) => add(SchemaChangeKind::DefaultGiven),
        (Some(_), None) => add(SchemaChangeKind::DefaultDropped),
        (Some(_), Some(_)) if default_value(was) != default_value(is) => {
            add(SchemaChangeKind::DefaultChanged)
        }
        _ => {}
    }
}

/// The default in one way of writing: `1` and `1.0` are one value, and so are `1` and `[1, 1]` for a list of
/// two.
fn default_value(argument: &SchemaArgument) -> Option<String> {
    let text = argument.default.as_deref()?;
    let items = match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(list) => list.split(',').map(plain_value).collect(),
        None => match argument.ty.list_size().and_then(|size| usize::try_from(size).ok()) {
            Some(size) if text != "None" && size <= 16 => vec![plain_value(text); size],
            _ => return Some(plain_value(text)),
        },
    };
    Some(format!("[{}]", items.join(",")))
}

/// A single value without quotes and blanks, numbers in one way of writing: equal texts are equal values.
pub fn plain_value(text: &str) -> String {
    let text = text.replace([' ', '"', '\''], "");
    text.parse::<f64>().map_or(text, |number| number.to_string())
}

fn returns(old: &FunctionSchema, new: &FunctionSchema, found: &mut Vec<SchemaChange>) {
    if old.returns.len() != new.returns.len() {
        let counts = [old, new].map(|schema| schema.returns.len().to_string());
        let [was, is] = counts;
        found.push(change(SchemaChangeKind::ReturnCountChanged, "the results", was, is));
        return;
    }
    for (i, (was, is)) in old.returns.iter().zip(&new.returns).enumerate() {
        let same =
            was.name == is.name && was.alias == is.alias && was.ty.list_size() == is.ty.list_size();
        let kind = match (is_subtype(&was.ty, &is.ty), is_subtype(&is.ty, &was.ty)) {
            (true, true) if same => continue,
            (_, true) if !same => SchemaChangeKind::ReturnChanged,
            (false, true) => SchemaChangeKind::ReturnNarrowed,
            (true, false) if same => SchemaChangeKind::ReturnWidened,
            _ => SchemaChangeKind::ReturnChanged,
        };
        found.push(change(kind, &format!("result {i}"), shown(was), shown(is)));
    }
}

fn change(kind: SchemaChangeKind, place: &str, was: String, is: String) -> SchemaChange {
    SchemaChange { kind, place: place.to_owned(), was, is }
}

fn shown(argument: &SchemaArgument) -> String {
    let keyword = if argument.keyword_only { "*, " } else { "" };
    format!("{keyword}{argument}")
}
