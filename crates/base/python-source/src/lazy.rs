//! Lazy loaders: names that a module has without binding them.
//!
//! | loader | what it takes |
//! | --- | --- |
//! | `_LazyModule(__name__, file, _import_structure)` of transformers, diffusers, optimum | a dictionary: modules, and the names of each |
//! | `lazy_loader.attach(__name__, submodules, submod_attrs)`, in scikit-image and librosa | the same, and a set of modules |
//! | `relative_import(__name__, modules, names)` of Plotly | two lists: modules (`".graph_objs"`), and names with their modules (`"._json.to_json"`) |
//! | `deprecation_getattr(__name__, _deprecations)` of JAX | a dictionary: names, each with a message and an object or None |

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::{Expr, ExprCall};

use crate::expression::path;
use crate::module::{AttributeHook, Tables};
use crate::tables::{elements, string};

/// What a lazy loader gives a module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lazy {
    /// The names that its literals list.
    pub(crate) names: BTreeSet<String>,
    /// The modules that it imports for names, where that is certain.
    pub(crate) sources: BTreeMap<String, String>,
    /// Whether it takes something that is computed, so that there are others.
    pub(crate) has_others: bool,
}

/// The names of a call of `_LazyModule`, `attach` or `relative_import`; none if it is no such call.
pub(crate) fn loader(call: &ExprCall, tables: &Tables) -> Option<Lazy> {
    let name = path(&call.func)?.pop()?;
    if name == "relative_import" {
        return Some(relative_names(call));
    }
    // huggingface_hub has its own copy, `_attach`.
    let name = name.trim_start_matches('_');
    if !["LazyModule", "attach"].contains(&name) {
        return None;
    }
    let mut lazy = Lazy::default();
    let keywords = call.arguments.keywords.iter().filter(|keyword| {
        keyword.arg.as_ref().is_some_and(|name| {
            ["submodules", "submod_attrs", "import_structure"].contains(&name.as_str())
        })
    });
    // The first argument is the module's own name; the second of `_LazyModule` its file.
    let own = if name == "attach" { 1 } else { 2 };
    let positional = call.arguments.args.iter().skip(own).take(if own == 1 { 2 } else { 1 });
    for argument in positional.chain(keywords.map(|keyword| &keyword.value)) {
        lazy.add(argument, tables);
        // `_LazyModule` gives stand-ins for what needs a package that is not there.
        if name == "attach"
            && let Expr::Name(table) = argument
        {
            let entries = tables.entries.get(table.id.as_str());
            lazy.sources.extend(entries.into_iter().flatten().map(|(a, b)| (a.clone(), b.clone())));
        }
    }
    Some(lazy)
}

/// The names of `relative_import(__name__, modules, names)`, whose lists have paths that begin with a dot.
fn relative_names(call: &ExprCall) -> Lazy {
    let mut lazy = Lazy::default();
    for list in call.arguments.args.iter().skip(1) {
        let all = elements(list);
        lazy.has_others |= !list.is_list_expr() || all.iter().any(|one| string(one).is_none());
        for path in all.iter().filter_map(string) {
            let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
            let module = module.trim_start_matches('.');
            if !module.is_empty() {
                lazy.sources.insert(name.to_owned(), module.to_owned());
            }
            lazy.names.insert(name.to_owned());
        }
    }
    lazy
}

impl Lazy {
    fn add(&mut self, argument: &Expr, tables: &Tables) {
        match argument {
            Expr::Name(table) => match tables.keys.get(table.id.as_str()) {
                Some(keys) => {
                    self.names.extend(keys.iter().cloned());
                    self.names.extend(
                        tables.values.get(table.id.as_str()).into_iter().flatten().cloned(),
                    );
                    self.has_others |= tables.is_computed.contains(table.id.as_str());
                }
                None => self.has_others = true,
            },
            Expr::Dict(dictionary) => {
                for item in &dictionary.items {
                    match item.key.as_ref().and_then(string) {
                        Some(key) => self.names.extend([key]),
                        None => self.has_others = true,
                    }
                    self.names.extend(elements(&item.value).iter().filter_map(string));
                }
            }
            Expr::NoneLiteral(_) => {}
            Expr::List(_) | Expr::Tuple(_) | Expr::Set(_) => {
                self.names.extend(elements(argument).iter().filter_map(string));
            }
            _ => self.has_others = true,
        }
    }
}

/// The hook that a value of `__getattr__` is: `deprecation_getattr(__name__, TABLE)`, or one of which nothing is known.
pub(crate) fn assigned_hook(value: &Expr, tables: &Tables) -> AttributeHook {
    let unknown = AttributeHook { answers_others: true, ..AttributeHook::default() };
    let Expr::Call(call) = value else { return unknown };
    let is_deprecation = path(&call.func)
        .and_then(|path| path.last().cloned())
        .is_some_and(|name| name.trim_start_matches('_') == "deprecation_getattr");
    let Some(Expr::Name(table)) = call.arguments.args.get(1).filter(|_| is_deprecation) else {
        return unknown;
    };
    let Some(keys) = tables.keys.get(table.id.as_str()) else { return unknown };
    let ended = tables.ended.get(table.id.as_str());
    let names = keys.iter().filter(|key| !ended.is_some_and(|ended| ended.contains(*key))).cloned();
    let answers_others = tables.is_computed.contains(table.id.as_str());
    AttributeHook {
        names: names.collect(),
        refused: ended.cloned().unwrap_or_default(),
        answers_others,
        ..AttributeHook::default()
    }
}
