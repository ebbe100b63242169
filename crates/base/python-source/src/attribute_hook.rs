//! The function `__getattr__` of a module: for which names it returns something.

use std::collections::BTreeSet;

use ruff_python_ast::{CmpOp, Expr, Stmt, StmtFunctionDef, StmtTry};

use crate::expression::path;
use crate::module::{AttributeHook, Tables};
use crate::tables::{elements, string};

/// How deep conditionals nest that are read.
const DEPTH: u32 = 20;

/// Whether the end of some statements is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// What comes next is reached.
    GoesOn,
    /// They raise on every path.
    Raises,
    /// They return, on one path at least.
    Returns,
}

/// Reads `__getattr__`, as a function of its first parameter.
pub(crate) fn attribute_hook(function: &StmtFunctionDef, tables: &Tables) -> AttributeHook {
    let mut parameters = function.parameters.posonlyargs.iter().chain(&function.parameters.args);
    let mut hook = AttributeHook::default();
    match parameters.next() {
        Some(parameter) => {
            let parameter = &parameter.parameter.name;
            let noted = BTreeSet::new();
            let mut reader = HookReader { parameter, tables, hook: &mut hook, noted };
            let flow = reader.flow(&function.body, 0);
            let noted = reader.noted;
            match flow {
                // What is warned of, and neither returned nor bound, or Python would not ask.
                Flow::Raises => {
                    let is_refused = |name: &String| !hook.names.contains(name);
                    hook.refused.extend(noted.into_iter().filter(is_refused));
                }
                // A function that ends without a word returns None.
                Flow::GoesOn | Flow::Returns => hook.answers_others = true,
            }
        }
        None => hook.answers_others = true,
    }
    hook
}

struct HookReader<'a> {
    /// The name of its parameter.
    parameter: &'a str,
    tables: &'a Tables,
    hook: &'a mut AttributeHook,
    /// The names of branches that neither return nor raise.
    noted: BTreeSet<String>,
}

impl HookReader<'_> {
    /// What statements do with a name of which nothing is known.
    fn flow(&mut self, body: &[Stmt], depth: u32) -> Flow {
        if depth > DEPTH {
            return Flow::Returns;
        }
        let mut returns = false;
        for statement in body {
            let flow = match statement {
                Stmt::Raise(_) => Flow::Raises,
                Stmt::Return(value) => match &value.value {
                    // `return TABLE[name]` raises for what is not in it.
                    Some(value) => match self.looked_up(value) {
                        Some(names) => {
                            self.hook.names.extend(names);
                            Flow::Raises
                        }
                        None => Flow::Returns,
                    },
                    None => Flow::Returns,
                },
                Stmt::If(test) => self.conditional(test, depth),
                Stmt::Try(attempt) => self.attempt(attempt, depth),
                Stmt::With(with) => self.flow(&with.body, depth + 1),
                Stmt::For(_) | Stmt::While(_) | Stmt::Match(_) => Flow::Returns,
                _ => Flow::GoesOn,
            };
            match flow {
                Flow::GoesOn => {}
                Flow::Raises => return if returns { Flow::Returns } else { Flow::Raises },
                Flow::Returns if matches!(statement, Stmt::Return(_)) => return Flow::Returns,
                Flow::Returns => returns = true,
            }
        }
        if returns { Flow::Returns } else { Flow::GoesOn }
    }

    /// A `try`; one whose body is `x = TABLE[name]`, as NumPy's, goes on for the names of the table only.
    fn attempt(&mut self, attempt: &StmtTry, depth: u32) -> Flow {
        let mut handlers = Vec::new();
        for handler in &attempt.handlers {
            let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
            handlers.push(self.flow(&handler.body, depth + 1));
        }
        let listed = match attempt.body.as_slice() {
            [Stmt::Assign(assign)] => self.looked_up(&assign.value),
            _ => None,
        };
        let Some(names) = listed else {
            let body = match self.flow(&attempt.body, depth + 1) {
                Flow::GoesOn => self.flow(&attempt.orelse, depth + 1),
                flow => flow,
            };
            handlers.push(body);
            return merge(&handlers);
        };
        let others = merge(&handlers);
        match self.flow(&attempt.orelse, depth + 1) {
            Flow::Returns => self.hook.names.extend(names),
            Flow::Raises => self.hook.refused.extend(names),
            // What comes next is reached with the names of the table alone.
            Flow::GoesOn if others == Flow::Raises => self.hook.names.extend(names),
            Flow::GoesOn => {}
        }
        others
    }

    fn conditional(&mut self, test: &ruff_python_ast::StmtIf, depth: u32) -> Flow {
        let mut flows = Vec::new();
        let mut has_otherwise = false;
        let first = std::iter::once((Some(&*test.test), &test.body));
        let rest = test.elif_else_clauses.iter().map(|clause| (clause.test.as_ref(), &clause.body));
        for (condition, body) in first.chain(rest) {
            let named = match condition {
                Some(condition) => self.named(condition),
                None => {
                    has_otherwise = true;
                    None
                }
            };
            match named {
                // A branch for names that are listed, which returns or not.
                Some(Named::Listed(names)) => {
                    let flow = self.flow(body, depth + 1);
                    if flow == Flow::Returns || returns(body) {
                        self.hook.names.extend(names);
                    } else if flow == Flow::Raises {
                        self.hook.refused.extend(names);
                    } else {
                        self.noted.extend(names);
                    }
                }
                Some(Named::Elsewhere(table)) => match self.flow(body, depth + 1) {
                    Flow::Raises if !returns(body) => {
                        self.hook.refused_tables.insert(table);
                    }
                    flow => flows.push(flow),
                },
                None => flows.push(self.flow(body, depth + 1)),
            }
        }
        if !has_otherwise {
            flows.push(Flow::GoesOn);
        }
        merge(&flows)
    }

    /// The names that a condition is true for; none if it is about something else.
    fn named(&self, condition: &Expr) -> Option<Named> {
        let Expr::Compare(compare) = condition else { return None };
        let [operator] = &*compare.ops else { return None };
        let right = &compare.comparators[0];
        let is_parameter = |one: &Expr| path(one).is_some_and(|path| path == [self.parameter]);
        match operator {
            CmpOp::Eq if is_parameter(&compare.left) => Some(Named::one(string(right)?)),
            CmpOp::Eq if is_parameter(right) => Some(Named::one(string(&compare.left)?)),
            CmpOp::In if is_parameter(&compare.left) => match right {
                Expr::Name(table) => match self.table(&table.id) {
                    Some(names) => Some(Named::Listed(names)),
                    None if !self.tables.keys.contains_key(table.id.as_str()) => {
                        Some(Named::Elsewhere(table.id.to_string()))
                    }
                    None => None,
                },
                _ => {
                    let all = elements(right);
                    let texts: BTreeSet<String> = all.iter().filter_map(string).collect();
                    (!all.is_empty() && texts.len() == all.len()).then_some(Named::Listed(texts))
                }
            },
            _ => None,
        }
    }

    /// The names for which `TABLE[name]` is something.
    fn looked_up(&self, value: &Expr) -> Option<BTreeSet<String>> {
        let Expr::Subscript(subscript) = value else { return None };
        let is_parameter = path(&subscript.slice).is_some_and(|path| path == [self.parameter]);
        let Expr::Name(table) = &*subscript.value else { return None };
        is_parameter.then(|| self.table(&table.id)).flatten()
    }

    /// The keys of a table of the module; none if they are not all known.
    fn table(&self, name: &str) -> Option<BTreeSet<String>> {
        let keys = self.tables.keys.get(name)?;
        (!self.tables.is_computed.contains(name)).then(|| keys.clone())
    }
}

/// The names that a condition is about.
enum Named {
    /// All of them are known.
    Listed(BTreeSet<String>),
    /// Those of a table that is imported.
    Elsewhere(String),
}

impl Named {
    fn one(name: String) -> Self {
        Self::Listed(BTreeSet::from([name]))
    }
}

/// Whether a branch returns a value on its last step.
fn returns(body: &[Stmt]) -> bool {
    body.iter().any(|statement| matches!(statement, Stmt::Return(value) if value.value.is_some()))
}

/// What branches of which one is taken amount to.
fn merge(flows: &[Flow]) -> Flow {
    if flows.contains(&Flow::Returns) {
        Flow::Returns
    } else if flows.iter().all(|flow| *flow == Flow::Raises) {
        Flow::Raises
    } else {
        Flow::GoesOn
    }
}
