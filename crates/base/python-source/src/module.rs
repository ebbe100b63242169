//! Import-time behaviour of a module: the steps of its body, in order.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::encoding::PackedSteps;

/// What importing a module does, as far as its source says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonModule {
    /// What its body does, in order.
    pub steps: Vec<Step>,
    /// What its functions do once they are called, by name; those of a class under the name of the class.
    pub functions: Vec<PythonFunction>,
    /// The names that `class` and `def` bind at its top, under conditions too.
    pub definitions: BTreeSet<String>,
    /// The keywords that its functions and classes take, of those that take no others, by name. What is decorated, bound twice
    /// or defined under a condition is not here.
    pub keywords: BTreeMap<String, TakenKeywords>,
    /// The value of `__all__`.
    pub exports: Exports,
    /// Its function `__getattr__`, which Python asks for names that are not bound.
    pub attribute_hook: Option<AttributeHook>,
    /// The strings in lists, and the keys of dictionaries, that are bound to names with a leading underscore.
    pub tables: BTreeMap<String, BTreeSet<String>>,
    /// Names that it makes available without binding them: tables of lazy loaders.
    pub lazy_names: BTreeSet<String>,
    /// The modules below this one that a lazy loader imports for these names.
    pub lazy_sources: BTreeMap<String, String>,
    /// Why it may have names that nothing here lists: `globals()["x"] = y`.
    pub is_open: Option<Openness>,
    /// Whether it changes `sys.path`, so that modules may be found elsewhere.
    pub changes_path: bool,
    /// Whether its body adds a finder to `sys.meta_path`, whose loader may write any name into the modules of its package.
    pub installs_finder: bool,
    /// Whether it changes `sys.modules`, so that modules below it may exist without files.
    pub registers_modules: bool,
}

impl PythonModule {
    /// Leaves of its body only the imports: once they have run, the other steps tell nothing more.
    pub fn forget_body(&mut self) {
        keep_imports(&mut self.steps);
    }
}

fn keep_imports(steps: &mut Vec<Step>) {
    steps.retain_mut(|step| match step {
        Step::Import { .. } | Step::ImportFrom { .. } => true,
        Step::Loop(body) => {
            keep_imports(body);
            !body.is_empty()
        }
        Step::If { body, otherwise, .. } => {
            keep_imports(body);
            keep_imports(otherwise);
            !(body.is_empty() && otherwise.is_empty())
        }
        Step::Try { body, handlers, otherwise, finally } => {
            handlers.iter_mut().for_each(|handler| keep_imports(&mut handler.body));
            handlers.retain(|handler| !handler.body.is_empty());
            [&mut *body, otherwise, finally].into_iter().for_each(keep_imports);
            let blocks = [&*body, otherwise, finally];
            !(handlers.is_empty() && blocks.into_iter().all(|block| block.is_empty()))
        }
        _ => false,
    });
    steps.shrink_to_fit();
}

/// Why names of a module cannot be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Openness {
    /// It writes into its own namespace: `globals()[name] = value`, `exec(code)`, `setattr(module, …)`.
    WritesNamespace,
    /// It replaces itself in `sys.modules`.
    ReplacesItself,
    /// Its `__getattr__` answers for names that its source does not list.
    AttributeHook,
    /// Its source cannot be read, or is none: an extension module.
    NoSource,
}

/// A function with what it does once it is called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonFunction {
    /// The name that `def` binds.
    pub name: String,
    /// Whether its definition stands under a condition.
    pub is_conditional: bool,
    /// Whether it can be called without arguments and is no method, generator or coroutine.
    pub is_plain: bool,
    /// What its body does, in order, without uses of its local names.
    pub steps: PackedSteps,
}

/// The keywords that a function or class takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenKeywords {
    /// Each of them.
    pub names: BTreeSet<String>,
    /// Whether they are those of the `__init__` of a class.
    pub is_class: bool,
}

/// The value of `__all__`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exports {
    /// It is not assigned: a star import takes all names without a leading underscore.
    #[default]
    Absent,
    /// A list of literals.
    Names(BTreeSet<String>),
    /// Computed, so that a star import may take any name.
    Computed,
}

/// What `__getattr__` of a module answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttributeHook {
    /// The names for which it returns something.
    pub names: BTreeSet<String>,
    /// The names for which it raises, whatever else it answers.
    pub refused: BTreeSet<String>,
    /// Tables of other modules, by the name under which they are imported: it raises for what they list.
    pub refused_tables: BTreeSet<String>,
    /// Whether it returns something for other names, too.
    pub answers_others: bool,
}

/// One thing that the body of a module does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// `import a.b as c`.
    Import {
        /// `a.b`.
        module: String,
        /// `c`.
        alias: Option<String>,
        /// The line, counted from 1.
        line: u32,
    },
    /// `from ..a import b as c, d`.
    ImportFrom {
        /// How many dots stand in front.
        level: u32,
        /// `a`; empty in `from . import b`.
        module: String,
        /// Each name with the one that it is bound to; `*` for all.
        names: Vec<(String, String)>,
        /// The line, counted from 1.
        line: u32,
    },
    /// An attribute is read: `a.b.c`.
    Attribute {
        /// `["a", "b", "c"]`.
        path: Vec<String>,
        /// The line, counted from 1.
        line: u32,
    },
    /// A name is bound to something else than a module.
    Bind {
        /// The name.
        name: String,
        /// What it is bound to.
        to: Bound,
    },
    /// A name is deleted.
    Delete(String),
    /// A loop over something that is not empty.
    Loop(Vec<Step>),
    /// A conditional; also loops, which may run their body or not.
    If {
        /// What decides which of the two is taken.
        condition: Condition,
        /// What happens if it holds.
        body: Vec<Step>,
        /// `else`, with what `elif` says as one more conditional in it.
        otherwise: Vec<Step>,
    },
    /// `try`, and `with contextlib.suppress(…)`.
    Try {
        /// What is taken until it fails.
        body: Vec<Step>,
        /// What is caught, and what happens then.
        handlers: Vec<Handler>,
        /// What happens if nothing failed.
        otherwise: Vec<Step>,
        /// What happens in any case.
        finally: Vec<Step>,
    },
    /// The body of a class: what it binds are no names of the module.
    Class(Vec<Step>),
    /// A function of the module is called without arguments.
    Call {
        /// The name that is called; a function of the module, if it is bound to one.
        name: String,
        /// The line, counted from 1.
        line: u32,
    },
    /// Something is called with keywords.
    KeywordCall {
        /// `["a", "f"]` of `a.f(x=1)`.
        path: Vec<String>,
        /// `["x"]`.
        keywords: Vec<String>,
        /// The line, counted from 1.
        line: u32,
    },
    /// An exception is raised: its class, where the source says so.
    Raise {
        /// `ImportError`; none for `raise` alone or a computed one.
        exception: Option<String>,
        /// The text that it is raised with, if that is a literal.
        message: Option<String>,
        /// The line, counted from 1.
        line: u32,
    },
    /// The function returns, or a loop is left.
    Leave,
}

impl Step {
    /// The name that `import` binds: the alias, or the module at the top.
    pub fn imported_module(&self) -> Option<&str> {
        let Self::Import { module, alias, .. } = self else { return None };
        alias.as_deref().or_else(|| module.split('.').next())
    }

    /// The steps within it that bind names where it stands.
    pub fn blocks(&self) -> Vec<&[Self]> {
        match self {
            Self::Loop(body) => vec![body],
            Self::If { body, otherwise, .. } => vec![body, otherwise],
            Self::Try { body, handlers, otherwise, finally } => {
                let handlers = handlers.iter().map(|handler| &*handler.body);
                [&**body, otherwise, finally].into_iter().chain(handlers).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// What a name is bound to, where that is not a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// Another name of a path: `jit = jax.jit`.
    Path(Vec<String>),
    /// The version of a module: `sp_version = parse_version(scipy.__version__)`.
    VersionOf(Vec<String>),
    /// The function or class that is defined here.
    Definition,
    /// True or False: what code remembers of an import that may fail.
    Known(bool),
    /// Any other value.
    #[default]
    Object,
}

/// A handler of exceptions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handler {
    /// The classes that it catches, by their last name (`ImportError`); empty if it catches all.
    pub catches: Vec<String>,
    /// What is taken if one of them was raised.
    pub body: Vec<Step>,
}

/// What a conditional depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Condition {
    /// A literal, or `TYPE_CHECKING`.
    Known(bool),
    /// `sys.version_info >= (3, 9)`.
    Python(Comparison, Vec<u32>),
    /// `sys.platform == "win32"`, `os.name == "nt"`.
    Platform(String),
    /// `Version(numpy.__version__) < Version("2.0")`.
    PackageVersion {
        /// The module whose version is compared, or the name that its version is bound to, as a path of names.
        module: Vec<String>,
        /// How the version stands to the literal, which is on the right.
        comparison: Comparison,
        /// The literal that it is compared with.
        version: String,
    },
    /// A name that may be bound to True or False: `HAS_TORCH`.
    Flag(Vec<String>),
    /// `importlib.util.find_spec("torch") is not None`.
    HasModule(String),
    /// `hasattr(numpy, "bool")`.
    HasAttribute(Vec<String>, String),
    /// It holds where this one does not.
    Not(Box<Self>),
    /// Joined by `and`.
    All(Vec<Self>),
    /// Joined by `or`.
    Any(Vec<Self>),
    /// A condition that no version and no module decides.
    Unknown,
}

/// How two versions are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `>=`
    GreaterOrEqual,
    /// `>`
    Greater,
}

impl Comparison {
    /// Whether it holds for two values of this order.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::GreaterOrEqual => order.is_ge(),
            Self::Greater => order.is_gt(),
        }
    }

    /// The same with the two sides exchanged.
    pub(crate) fn reversed(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::GreaterOrEqual => Self::LessOrEqual,
            Self::Greater => Self::Less,
            Self::Equal | Self::NotEqual => self,
        }
    }
}

/// Literals of strings that names of a module are bound to: what `__all__` and lazy loaders take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables {
    /// The strings of lists, sets and tuples, and the keys of dictionaries, by name.
    pub(crate) keys: BTreeMap<String, BTreeSet<String>>,
    /// The strings in the values of dictionaries, by name.
    pub(crate) values: BTreeMap<String, BTreeSet<String>>,
    /// The strings in the values of literal dictionaries, each with its key, by name.
    pub(crate) entries: BTreeMap<String, BTreeMap<String, String>>,
    /// The keys of dictionaries whose value ends with None, by name: deprecations that are over, in JAX's tables.
    pub(crate) ended: BTreeMap<String, BTreeSet<String>>,
    /// The first strings of tuples in lists, by name.
    pub(crate) firsts: BTreeMap<String, BTreeSet<String>>,
    /// The names that are bound to literals that are not empty.
    pub(crate) is_filled: BTreeSet<String>,
    /// The names whose literal is not whole: something computed was added.
    pub(crate) is_computed: BTreeSet<String>,
}
