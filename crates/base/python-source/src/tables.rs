//! Literals of strings that a module binds, which `__all__`, lazy loaders and `__getattr__` take.

use std::collections::BTreeSet;

use ruff_python_ast::{Expr, Operator, Stmt};

use crate::module::Tables;

impl Tables {
    /// Takes from a statement what it adds to a table, wherever it stands in the module.
    pub(crate) fn add(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.assigned(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.assigned(&assign.target, value);
                }
            }
            Stmt::AugAssign(assign)
                if assign.op == Operator::Add || assign.op == Operator::BitOr =>
            {
                if let Some(name) = name(&assign.target) {
                    self.literal(name, &assign.value);
                }
            }
            Stmt::Expr(statement) => self.call(&statement.value),
            _ => {}
        }
    }

    fn assigned(&mut self, target: &Expr, value: &Expr) {
        match target {
            Expr::Name(target) => self.literal(&target.id, value),
            // `_import_structure["models"] = ["AutoModel"]`
            Expr::Subscript(target) => {
                let (Some(name), Some(key)) = (name(&target.value), string(&target.slice)) else {
                    return;
                };
                self.keys.entry(name.to_owned()).or_default().insert(key);
                self.value(name, value);
            }
            _ => {}
        }
    }

    /// `table.update({…})`, `table.extend([…])`, `table["key"].append("name")`, `table.setdefault("key", []).append("name")`.
    fn call(&mut self, value: &Expr) {
        let Expr::Call(call) = value else { return };
        let Expr::Attribute(method) = &*call.func else { return };
        let is_adding =
            ["append", "extend", "update", "add", "insert"].contains(&method.attr.as_str());
        let Some(argument) = call.arguments.args.last().filter(|_| is_adding) else { return };
        match &*method.value {
            Expr::Name(table) => match string(argument) {
                Some(text) => {
                    self.keys.entry(table.id.to_string()).or_default().insert(text);
                }
                None => self.literal(&table.id, argument),
            },
            Expr::Subscript(entry) => {
                if let Some(name) = name(&entry.value) {
                    self.value(name, argument);
                }
            }
            Expr::Call(entry) => {
                if let Expr::Attribute(method) = &*entry.func
                    && let Some(name) = name(&method.value)
                {
                    self.value(name, argument);
                }
            }
            _ => {}
        }
    }

    /// Adds what a literal lists to the table of a name.
    fn literal(&mut self, name: &str, value: &Expr) {
        if is_filled(value) {
            self.is_filled.insert(name.to_owned());
        }
        match value {
            Expr::DictComp(made) => match self.comprehended(made) {
                Some(keys) => self.keys.entry(name.to_owned()).or_default().extend(keys),
                None => self.add_computed(name),
            },
            Expr::List(_) | Expr::Tuple(_) | Expr::Set(_) => {
                let elements = elements(value);
                for element in elements {
                    let first = crate::tables::elements(element).first().and_then(string);
                    self.firsts.entry(name.to_owned()).or_default().extend(first);
                    match string(element) {
                        Some(text) => {
                            self.keys.entry(name.to_owned()).or_default().insert(text);
                        }
                        None => self.add_computed(name),
                    }
                }
                self.keys.entry(name.to_owned()).or_default();
            }
            Expr::Dict(dictionary) => {
                self.keys.entry(name.to_owned()).or_default();
                for item in &dictionary.items {
                    match item.key.as_ref().and_then(string) {
                        Some(key) => {
                            if elements(&item.value).last().is_some_and(Expr::is_none_literal_expr)
                            {
                                self.ended.entry(name.to_owned()).or_default().insert(key.clone());
                            }
                            let entries = self.entries.entry(name.to_owned()).or_default();
                            let values = elements(&item.value).iter().filter_map(string);
                            entries.extend(values.map(|value| (value, key.clone())));
                            self.keys.entry(name.to_owned()).or_default().insert(key);
                            self.value(name, &item.value);
                        }
                        None => self.add_computed(name),
                    }
                }
            }
            Expr::BinOp(sum) => {
                self.literal(name, &sum.left);
                self.literal(name, &sum.right);
            }
            // `frozenset({…})`, `set([…])`, `list((…))`
            Expr::Call(call) if is_collection(&call.func) && call.arguments.args.len() == 1 => {
                self.literal(name, &call.arguments.args[0]);
            }
            // Another table: `__all__ += _names`.
            Expr::Name(other) if self.keys.contains_key(other.id.as_str()) => {
                let keys = self.keys.get(other.id.as_str()).cloned().unwrap_or_default();
                self.keys.entry(name.to_owned()).or_default().extend(keys);
                if self.is_computed.contains(other.id.as_str()) {
                    self.add_computed(name);
                }
            }
            _ => self.add_computed(name),
        }
    }

    /// The keys of `{name: text for name, text in TABLE}`.
    fn comprehended(&self, made: &ruff_python_ast::ExprDictComp) -> Option<BTreeSet<String>> {
        let [generator] = made.generators.as_slice() else { return None };
        let key = name(made.key.as_deref()?)?;
        let is_key = |target: &Expr| name(target) == Some(key);
        let is_first = elements(&generator.target).first().is_some_and(is_key);
        match &generator.iter {
            Expr::Name(table) if is_first => self.firsts.get(table.id.as_str()).cloned(),
            Expr::Name(table) if is_key(&generator.target) => {
                self.keys.get(table.id.as_str()).cloned()
            }
            list if is_first => {
                let firsts =
                    elements(list).iter().map(|one| elements(one).first().and_then(string));
                firsts.collect()
            }
            list if is_key(&generator.target) => elements(list).iter().map(string).collect(),
            _ => None,
        }
    }

    fn value(&mut self, name: &str, value: &Expr) {
        let values = self.values.entry(name.to_owned()).or_default();
        values.extend(string(value));
        values.extend(elements(value).iter().filter_map(string));
    }

    fn add_computed(&mut self, name: &str) {
        self.is_computed.insert(name.to_owned());
    }
}

/// The elements of a list, a tuple or a set.
pub(crate) fn elements(expression: &Expr) -> &[Expr] {
    match expression {
        Expr::List(list) => &list.elts,
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::Set(set) => &set.elts,
        _ => &[],
    }
}

/// The text of a literal.
pub(crate) fn string(expression: &Expr) -> Option<String> {
    match expression {
        Expr::StringLiteral(literal) => Some(literal.value.to_str().to_owned()),
        _ => None,
    }
}

fn name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

/// Whether a literal has an element.
pub(crate) fn is_filled(value: &Expr) -> bool {
    match value {
        Expr::Dict(dictionary) => !dictionary.items.is_empty(),
        Expr::Call(call) => name(&call.func) == Some("dict") && !call.arguments.keywords.is_empty(),
        value => !elements(value).is_empty(),
    }
}

fn is_collection(function: &Expr) -> bool {
    name(function).is_some_and(|name| ["frozenset", "set", "list", "tuple", "dict"].contains(&name))
}
