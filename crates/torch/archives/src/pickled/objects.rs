//! Calls and whole modules in a pickle.

use std::collections::{BTreeMap, BTreeSet};

use crate::pickle::{Pickle, PickleCall, PickleValue};

/// The classes whose objects are kept with their attributes.
const MODULES: &str = "torch.nn.modules.";

/// The dictionaries of a module in which the attributes lie that are parameters, buffers and modules.
const REGISTRIES: [&str; 3] = ["_parameters", "_buffers", "_modules"];

/// The function that rebuilds sparse tensors. What it takes depends on the layout: the parts of the data of each are counted as
/// arguments of a function of its own, `….sparse_coo`.
pub(crate) const SPARSE: &str = "torch._utils._rebuild_sparse_tensor";

/// How many classes and functions are kept.
const KINDS: usize = 1 << 10;

/// How pickles call the functions and build the objects that they import.
#[derive(Clone, Debug, Default)]
pub(crate) struct PickledObjects {
    /// The most arguments with which a function is called, by `module.name`.
    pub(crate) calls: BTreeMap<String, usize>,
    /// The attributes that every object of a class of `torch.nn.modules` has.
    pub(crate) modules: BTreeMap<String, BTreeSet<String>>,
    /// The layouts of sparse tensors that are looked up by name: `torch.sparse_csr`.
    pub(crate) layouts: BTreeSet<String>,
}

impl PickledObjects {
    /// Adds what a pickle has.
    pub(crate) fn read(&mut self, pickle: &Pickle) {
        for value in pickle.values() {
            let PickleValue::Call(call) = value else { continue };
            let Some((module, name)) = callee(pickle, call) else { continue };
            let full = format!("{module}.{name}");
            if full.starts_with(MODULES) {
                self.module(pickle, call, full);
            } else if !call.builds {
                self.call(pickle, call, full);
            }
        }
    }

    fn call(&mut self, pickle: &Pickle, call: &PickleCall, full: String) {
        let Some(arguments) = call.arguments.map(|id| pickle.value(id)) else { return };
        let PickleValue::Tuple(members) = arguments else { return };
        if full == "torch.serialization._get_layout"
            && let Some(layout) = pickle.members(arguments).next().and_then(PickleValue::text)
        {
            self.layouts.insert(layout.to_owned());
        }
        if full == SPARSE
            && let Some((layout, parts)) = sparse(pickle, members)
        {
            self.call_with(format!("{SPARSE}.{layout}"), parts);
        }
        self.call_with(full, members.len());
    }

    fn call_with(&mut self, full: String, given: usize) {
        if self.calls.len() < KINDS || self.calls.contains_key(&full) {
            let most = self.calls.entry(full).or_default();
            *most = given.max(*most);
        }
    }

    fn module(&mut self, pickle: &Pickle, call: &PickleCall, class: String) {
        let Some(attributes) = call.state.and_then(|state| attributes(pickle, state)) else {
            return;
        };
        if let Some(known) = self.modules.get_mut(&class) {
            known.retain(|one| attributes.contains(one));
        } else if self.modules.len() < KINDS {
            self.modules.insert(class, attributes);
        }
    }
}

/// The layout of a sparse tensor, `sparse_coo`, and how many parts its data have.
fn sparse<'p>(pickle: &'p Pickle, arguments: &[u32]) -> Option<(&'p str, usize)> {
    let &[layout, data] = arguments else { return None };
    let PickleValue::Call(lookup) = pickle.value(layout) else { return None };
    let name = pickle.members(pickle.value(lookup.arguments?)).next()?.text()?;
    let PickleValue::Tuple(parts) = pickle.value(data) else { return None };
    Some((name.strip_prefix("torch.")?, parts.len()))
}

/// The module and the name of what is called. Releases before 1.6 write the class of a module, the first time, as something
/// outside of the pickle, with its source.
pub(crate) fn callee<'p>(pickle: &'p Pickle, call: &PickleCall) -> Option<(&'p str, &'p str)> {
    let class = match pickle.value(call.callee) {
        PickleValue::Persistent(Some(outside)) => {
            let mut parts = pickle.members(pickle.value(*outside));
            parts.next().filter(|kind| kind.text() == Some("module"))?;
            parts.next()?
        }
        own => own,
    };
    let PickleValue::Global(module, name) = class else { return None };
    Some((module, name))
}

/// The names in the state of a module, its parameters, buffers and modules among them; none if that is no dictionary.
pub(crate) fn attributes(pickle: &Pickle, state: u32) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for (key, value) in entries(pickle, pickle.value(state))? {
        if REGISTRIES.contains(&key) {
            found.extend(entries(pickle, value)?.map(|(name, _)| name.to_owned()));
        } else {
            found.insert(key.to_owned());
        }
    }
    Some(found)
}

/// The entries of a dictionary, ordered or not, whose keys are texts; none if it is something else.
fn entries<'p>(
    pickle: &'p Pickle,
    value: &'p PickleValue,
) -> Option<impl Iterator<Item = (&'p str, &'p PickleValue)>> {
    let ids = match value {
        PickleValue::Dict(members) => members.as_slice(),
        PickleValue::Call(call) => call.items.as_slice(),
        _ => return None,
    };
    let pair = |pair: &'p [u32]| match pair {
        [key, value] => Some((pickle.value(*key).text()?, pickle.value(*value))),
        _ => None,
    };
    Some(ids.chunks_exact(2).filter_map(pair))
}
