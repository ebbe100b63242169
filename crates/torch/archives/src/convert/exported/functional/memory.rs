//! Memory of a graph: which tensors share it, and which have the value that was written last.
//!
//! A *root* is memory: an input, or what an operator made. A *tensor* is a root as a whole or a view of another tensor,
//! taken by a node. A write gives the root another version; a tensor of an older version is taken anew when it is
//! read. A *name* is what the graph calls a tensor: several names may mean one.

use std::collections::{HashMap, HashSet};

use super::meta;
use super::view::ViewInverse;
use crate::json::JsonValue;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MemoryOrigin {
    /// The graph made it.
    Made,
    /// A buffer of this name.
    Buffer(String),
    UserInput,
    /// Something that no graph may write to, in words.
    Fixed(&'static str),
}

struct Root {
    origin: MemoryOrigin,
    whole: usize,
    version: u32,
    perhaps: Vec<usize>,
    /// A tensor that was written to, and may share this memory.
    doubt: Option<String>,
    /// Whether an operator writes to it whose schema does not say so.
    unsaid: bool,
}

struct Tensor {
    root: usize,
    /// The view that it is, and which of the results of its node.
    view: Option<(usize, usize)>,
    /// The name of its value, and the version that this belongs to.
    value: String,
    version: u32,
    /// What the graph called it first, and all that it calls it.
    name: String,
    names: Vec<String>,
}

struct View {
    parent: usize,
    node: JsonValue,
    /// The tensors that the node is given, in their order: a name may mean another one later.
    given: Vec<usize>,
    back: ViewInverse,
    results: Vec<usize>,
}

struct Name {
    tensor: usize,
    version: u32,
}

/// What has the value of a tensor.
pub(super) enum CurrentValue {
    Is(String),
    /// Nothing yet: this view has to be taken anew.
    TakenBy(usize),
}

/// The memory of one graph.
#[derive(Default)]
pub(super) struct Memory {
    roots: Vec<Root>,
    tensors: Vec<Tensor>,
    views: Vec<View>,
    names: HashMap<String, Name>,
}

impl Memory {
    pub(super) fn root(&mut self, name: &str, origin: MemoryOrigin) {
        let (root, whole) = (self.roots.len(), self.tensors.len());
        let (perhaps, doubt) = (Vec::new(), None);
        self.roots.push(Root { origin, whole, version: 0, perhaps, doubt, unsaid: false });
        self.add(Tensor {
            root,
            view: None,
            value: name.to_owned(),
            version: 0,
            name: name.to_owned(),
            names: Vec::new(),
        });
    }

    /// Adds a tensor by its first name, which has its value.
    fn add(&mut self, tensor: Tensor) -> usize {
        let (id, name, version) = (self.tensors.len(), tensor.name.clone(), tensor.version);
        self.tensors.push(tensor);
        self.call(&name, id, version);
        id
    }

    fn call(&mut self, name: &str, tensor: usize, version: u32) {
        self.names.insert(name.to_owned(), Name { tensor, version });
        if let Some(tensor) = self.tensors.get_mut(tensor) {
            tensor.names.push(name.to_owned());
        }
    }

    /// The tensor that the graph calls so.
    pub(super) fn id(&mut self, name: &str) -> usize {
        if let Some(known) = self.names.get(name) {
            return known.tensor;
        }
        self.root(name, MemoryOrigin::Fixed("what no node gives"));
        self.tensors.len() - 1
    }

    /// What the graph called a tensor first.
    pub(super) fn name(&self, tensor: usize) -> &str {
        self.tensors.get(tensor).map_or("", |tensor| &tensor.name)
    }

    fn root_of(&self, tensor: usize) -> Option<&Root> {
        self.roots.get(self.tensors.get(tensor)?.root)
    }

    fn version(&self, tensor: usize) -> u32 {
        self.root_of(tensor).map_or(0, |root| root.version)
    }

    /// Another name of a tensor, which has the value that it has now.
    pub(super) fn same(&mut self, name: &str, tensor: usize) {
        let version = self.version(tensor);
        self.call(name, tensor, version);
    }

    /// Another name of a tensor, which has another value.
    pub(super) fn alias(&mut self, name: &str, tensor: usize) {
        self.call(name, tensor, u32::MAX);
    }

    pub(super) fn view(
        &mut self,
        parent: usize,
        results: &[String],
        node: JsonValue,
        back: ViewInverse,
    ) {
        let Some(root) = self.tensors.get(parent).map(|tensor| tensor.root) else { return };
        let version = self.version(parent);
        let view = self.views.len();
        let given: Vec<String> = meta::inputs(&node).map(str::to_owned).collect();
        let given = given.iter().map(|name| self.id(name)).collect();
        let result = |(n, name): (usize, &String)| {
            let name = name.clone();
            let (value, names) = (name.clone(), Vec::new());
            self.add(Tensor { root, view: Some((view, n)), value, version, name, names })
        };
        let results = results.iter().enumerate().map(result).collect();
        self.views.push(View { parent, node, given, back, results });
    }

    /// Has a tensor become a view of what it was: `name` is what its node gives.
    pub(super) fn turned(&mut self, tensor: usize, name: &str, node: JsonValue, back: ViewInverse) {
        let names = self.tensors.get_mut(tensor).map(|tensor| std::mem::take(&mut tensor.names));
        self.view(tensor, &[name.to_owned()], node, back);
        let new = self.id(name);
        for other in names.unwrap_or_default() {
            self.alias(&other, new);
        }
    }

    /// Results that may be the memory of what a node was given, or of each other.
    pub(super) fn perhaps(&mut self, given: &[String], results: &[String]) {
        let mut roots: Vec<usize> = Vec::new();
        for name in given {
            let tensor = self.id(name);
            roots.extend(self.tensors.get(tensor).map(|tensor| tensor.root));
        }
        for name in results {
            roots.push(self.roots.len());
            self.root(name, MemoryOrigin::Made);
        }
        roots.dedup();
        // All of them through the last one: whoever may share with it may share with all.
        let Some(last) = roots.pop() else { return };
        for other in roots {
            if let Some(root) = self.roots.get_mut(other) {
                root.perhaps.push(last);
            }
            if let Some(root) = self.roots.get_mut(last) {
                root.perhaps.push(other);
            }
        }
    }

    /// Why the value of a tensor is not known: another one that was written to may share its memory.
    pub(super) fn doubt(&self, tensor: usize) -> Option<&str> {
        self.root_of(tensor)?.doubt.as_deref()
    }

    /// What has the value of what the graph calls so.
    pub(super) fn value_of(&self, name: &str) -> CurrentValue {
        match self.names.get(name) {
            Some(known) if known.version != self.version(known.tensor) => self.value(known.tensor),
            _ => CurrentValue::Is(name.to_owned()),
        }
    }

    pub(super) fn value(&self, tensor: usize) -> CurrentValue {
        let version = self.version(tensor);
        match self.tensors.get(tensor) {
            Some(Tensor { view: Some((view, _)), version: known, .. }) if *known != version => {
                CurrentValue::TakenBy(*view)
            }
            tensor => {
                CurrentValue::Is(tensor.map(|tensor| tensor.value.clone()).unwrap_or_default())
            }
        }
    }

    /// The views to be taken anew for this one, the one that takes from what is known first.
    pub(super) fn stale_views(&self, view: usize) -> Vec<usize> {
        let (mut all, mut next) = (Vec::new(), Some(view));
        while let Some(view) = next {
            all.push(view);
            let parent = self.views.get(view).map(|view| self.value(view.parent));
            next = match parent {
                Some(CurrentValue::TakenBy(view)) => Some(view),
                _ => None,
            };
        }
        all.reverse();
        all
    }

    /// The node of a view, and the tensors that it is given.
    pub(super) fn template(&self, view: usize) -> Option<(JsonValue, Vec<usize>)> {
        self.views.get(view).map(|view| (view.node.clone(), view.given.clone()))
    }

    /// Notes what a view was taken as.
    pub(super) fn taken(&mut self, view: usize, now: Vec<String>) {
        let Some(view) = self.views.get(view) else { return };
        let version = self.version(view.parent);
        for (tensor, value) in view.results.iter().zip(now) {
            if let Some(tensor) = self.tensors.get_mut(*tensor) {
                (tensor.value, tensor.version) = (value, version);
            }
        }
    }

    /// The view that a tensor is: its node, how it is put back, which result it is, and what it was taken from.
    pub(super) fn view_of(
        &self,
        tensor: usize,
    ) -> Option<(&JsonValue, &ViewInverse, usize, usize)> {
        let (view, n) = self.tensors.get(tensor)?.view?;
        let view = self.views.get(view)?;
        Some((&view.node, &view.back, n, view.parent))
    }

    /// What keeps the memory of a tensor from being written to.
    pub(super) fn refusal(&self, tensor: usize) -> Option<String> {
        let root = self.root_of(tensor)?;
        let name = self.name(tensor);
        match &root.origin {
            MemoryOrigin::Fixed(what) => return Some(format!("and {name} is memory of {what}")),
            _ if root.unsaid => {
                return Some(format!("and another operator writes to {name} as well"));
            }
            _ => {}
        }
        let others = self.all_perhaps(self.tensors.get(tensor)?.root);
        let mut others = others.into_iter().filter_map(|at| self.roots.get(at));
        let foreign = others.find(|root| root.origin != MemoryOrigin::Made)?;
        let input = self.name(foreign.whole);
        Some(format!("and the graph does not tell whether {name} is the memory of {input}"))
    }

    fn all_perhaps(&self, root: usize) -> Vec<usize> {
        let (mut seen, mut all, mut next) = (HashSet::from([root]), Vec::new(), vec![root]);
        while let Some(one) = next.pop() {
            for other in self.roots.get(one).map_or(&[][..], |root| &root.perhaps) {
                if seen.insert(*other) {
                    all.push(*other);
                    next.push(*other);
                }
            }
        }
        all
    }

    /// Has the memory of which `whole` is the whole another value. `written` is the tensor that was written to.
    pub(super) fn written(&mut self, whole: usize, value: &str, written: usize) {
        let Some(at) = self.tensors.get(whole).map(|tensor| tensor.root) else { return };
        let Some(root) = self.roots.get_mut(at) else { return };
        root.version += 1;
        let version = root.version;
        if let Some(whole) = self.tensors.get_mut(whole) {
            (whole.value, whole.version) = (value.to_owned(), version);
        }
        let written = self.name(written).to_owned();
        for other in self.all_perhaps(at) {
            if let Some(root) = self.roots.get_mut(other) {
                root.doubt.get_or_insert_with(|| written.clone());
            }
        }
    }

    /// Whether nobody but the graph has a tensor, which may be a view of what others have.
    pub(super) fn is_own(&self, tensor: usize) -> bool {
        let is_view = self.tensors.get(tensor).is_some_and(|tensor| tensor.view.is_some());
        let root = self.root_of(tensor);
        root.is_some_and(|r| (is_view || r.origin == MemoryOrigin::Made) && r.perhaps.is_empty())
    }

    /// Notes that an operator writes to a tensor and its schema does not say so; false if others write to it too.
    pub(super) fn written_unsaid(&mut self, name: &str) -> bool {
        let tensor = self.id(name);
        let Some(at) = self.tensors.get(tensor).map(|tensor| tensor.root) else { return false };
        let Some(root) = self.roots.get_mut(at) else { return false };
        root.unsaid = true;
        root.version == 0
    }

    /// Whether a tensor is memory of the caller that was written to.
    pub(super) fn gives_away(&mut self, name: &str) -> bool {
        let tensor = self.id(name);
        let root = self.root_of(tensor);
        root.is_some_and(|root| root.version > 0 && root.origin != MemoryOrigin::Made)
    }

    /// The inputs that were written to, in their order.
    pub(super) fn mutated_inputs(&self) -> Vec<(usize, MemoryOrigin)> {
        let written = self.roots.iter().filter(|root| root.version > 0);
        let written = written.filter(|root| root.origin != MemoryOrigin::Made);
        written.map(|root| (root.whole, root.origin.clone())).collect()
    }
}
