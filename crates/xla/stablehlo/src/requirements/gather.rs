//! Collection of what a program demands of a compiler, as programs that ask it.

use std::collections::{BTreeMap, BTreeSet};

use super::call_uses::{self, CallRetention};
use super::cpu::{ALGORITHM, WIDE};
use crate::bytecode::entries::builtin;
use crate::bytecode::operations::Value;
use crate::module::{Field, Id, Item, Module, Operation, VHLO};
use crate::print;
use crate::program::name_of;
use crate::rewrite::values;

/// The most calls of one program that are asked, each in its own form.
const MOST_CALLS: usize = 64;

/// The largest text of one call that is asked, in bytes: kernels stand in it.
const LARGEST_CALL: usize = 4 << 20;

/// Calls that mark something for the partitioner of XLA, which takes them away: alone they mean nothing.
const OF_THE_PARTITIONER: [&str; 3] = ["Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape"];
const SHARDY_CALLS: &str = "xla.sdy.";

/// Numbers that not every backend computes with. Every backend has the others.
const RARE: [&str; 16] = [
    "i2",
    "ui2",
    "i4",
    "ui4",
    "tf32",
    "f8E4M3FN",
    "f8E5M2",
    "f8E4M3FNUZ",
    "f8E5M2FNUZ",
    "f8E4M3B11FNUZ",
    "f8E4M3",
    "f8E3M4",
    "f4E2M1FN",
    "f6E2M3FN",
    "f6E3M2FN",
    "f8E8M0FNU",
];

/// How a call hands its arguments over: by how many operands, and by which attributes of the typed FFI.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CallForm {
    operands: usize,
    /// The names in their order; none if its configuration is a text.
    attributes: Option<Vec<String>>,
}

impl CallForm {
    /// As a table has it: `3 diag side uplo`.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let operands = words.next()?.parse().ok()?;
        Some(Self { operands, attributes: Some(words.map(str::to_owned).collect()) })
    }

    /// That of a call in a program.
    fn of_call(module: &Module, call: &Operation) -> Self {
        let own = ["backend_config", "mhlo.backend_config"];
        let configs = own.into_iter().filter_map(|name| module.attribute(call, name));
        let items = configs.filter_map(|id| module.attributes.get(id));
        let mut named = items.filter(|item| is_dictionary(item)).map(|item| {
            let names = entries(module, item).into_iter();
            names.map(|(name, _)| String::from_utf8_lossy(name).into_owned()).collect()
        });
        let attributes = named.next_back().map(|mut names: Vec<String>| {
            names.sort_unstable();
            names
        });
        Self { operands: call.operands.len(), attributes }
    }
}

impl std::fmt::Display for CallForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let arrays = if self.operands == 1 { "array" } else { "arrays" };
        write!(f, "{} {arrays}", self.operands)?;
        match self.attributes.as_deref() {
            None => write!(f, " and a text"),
            Some([]) => Ok(()),
            Some(names) => write!(f, " and {}", names.join(", ")),
        }
    }
}

/// A custom call in one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(super) target: String,
    /// A program of this call alone; none if it has no words.
    pub(super) program: Option<String>,
    pub(super) kept: CallRetention,
    pub(super) form: CallForm,
}

/// What a program asks of a compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CompilerDemands {
    pub(super) calls: Vec<Call>,
    /// The targets of calls beyond those that are asked.
    pub(super) more_calls: BTreeSet<String>,
    /// The parameters of `main` whose sizes are not known, and a program that takes what `main` takes.
    pub(super) unknown_sizes: Vec<String>,
    pub(super) taking: Option<String>,
    /// Numbers that not every backend computes with.
    pub(super) rare: Vec<&'static str>,
    /// Operations of such numbers, with them; products with a stated algorithm, with [`ALGORITHM`].
    pub(super) narrow: BTreeSet<(String, &'static str)>,
    /// On how many devices it runs, as far as it shows.
    pub(super) devices: u64,
    /// The kinds of memory in which it wants arrays.
    pub(super) memories: BTreeSet<String>,
    /// Whether it has dialects beside VHLO, which the reader must have too.
    pub(super) others: bool,
}

impl CompilerDemands {
    /// Whether there is something that versions do not tell.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { calls, more_calls, unknown_sizes, rare, devices, memories, others, .. } = self;
        calls.is_empty()
            && more_calls.is_empty()
            && unknown_sizes.is_empty()
            && rare.is_empty()
            && *devices <= 1
            && memories.is_empty()
            && !others
    }
}

/// What a program asks. `others` says whether it has dialects beside VHLO.
pub(crate) fn gather(module: &Module, others: bool) -> CompilerDemands {
    let functions = call_uses::functions(module);
    let mut asks =
        CompilerDemands { others, devices: devices(module), ..CompilerDemands::default() };
    let mut found: BTreeMap<(String, Option<String>, CallForm), CallRetention> = BTreeMap::new();
    for (operation, kept) in call_uses::calls(module, &functions) {
        let target = call_uses::text(module, operation, "call_target_name").unwrap_or("?");
        if OF_THE_PARTITIONER.contains(&target) || target.starts_with(SHARDY_CALLS) {
            continue;
        }
        if found.len() >= MOST_CALLS {
            asks.more_calls.insert(target.to_owned());
            continue;
        }
        let program = alone(module, operation, &functions);
        let form = CallForm::of_call(module, operation);
        let best = found.entry((target.to_owned(), program, form)).or_insert(kept);
        *best = kept.max(*best);
    }
    let calls = found.into_iter();
    asks.calls =
        calls.map(|((target, program, form), kept)| Call { target, program, kept, form }).collect();
    if let Some(main) = functions.iter().find(|(name, _)| *name == "main") {
        let parameters = main.1.regions.iter().flatten().next().map(|block| &block.arguments[..]);
        let kinds: Vec<Id> = parameters
            .unwrap_or_default()
            .iter()
            .filter_map(|value: &Value| module.values.get(*value).copied())
            .collect();
        let unknown = kinds.iter().enumerate().filter(|(_, kind)| has_unknown_size(module, **kind));
        asks.unknown_sizes = unknown
            .map(|(at, kind)| format!("parameter {at}, {}", print::kind(module, *kind)))
            .collect();
        if !asks.unknown_sizes.is_empty() {
            asks.taking = print::taking(module, &kinds);
        }
    }
    asks.rare = rare(module);
    asks.narrow = narrow(module, &functions);
    asks.memories = memories(module);
    asks
}

/// A program of this call alone, without shardings, whose meshes it would not have.
fn alone(module: &Module, call: &Operation, functions: &[(&str, &Operation)]) -> Option<String> {
    let mut bare = call.clone();
    bare.attributes.retain(|(name, _)| {
        let name = module.bytes(*name);
        !name.starts_with(b"sdy.") && name != b"mhlo.sharding"
    });
    let mut beside: Vec<&Operation> = Vec::new();
    let mut left = computations(module, &bare);
    while let Some(name) = left.pop() {
        let found = functions.iter().find(|(own, _)| *own == name && name != "main");
        if let Some((_, function)) = found
            && !beside.iter().any(|known| std::ptr::eq(*known, *function))
        {
            beside.push(function);
            let blocks = function.regions.iter().flatten();
            for inner in blocks.flat_map(|block| &block.operations) {
                left.extend(computations(module, inner));
            }
        }
    }
    print::alone(module, &bare, &beside).filter(|text| text.len() <= LARGEST_CALL)
}

/// The functions that an operation names.
fn computations<'m>(module: &'m Module, operation: &Operation) -> Vec<&'m str> {
    let listed = module.attribute(operation, "called_computations");
    let listed = listed.and_then(|id| values::list(module, id)).unwrap_or_default();
    let texts = listed.into_iter().filter_map(|id| std::str::from_utf8(module.text_of(id)?).ok());
    texts.chain(call_uses::text(module, operation, "callee")).collect()
}

/// Whether a dimension is not known and has no bound.
fn has_unknown_size(module: &Module, kind: Id) -> bool {
    values::tensor(module, kind).is_some_and(|(dims, _)| dims.iter().any(|dim| *dim < 0))
}

/// The numbers of values that not every backend computes with, each once.
fn rare(module: &Module) -> Vec<&'static str> {
    let elements: BTreeSet<Id> = (module.values.iter())
        .filter_map(|kind| values::tensor(module, *kind).map(|(_, element)| element))
        .collect();
    let names = elements.into_iter().filter_map(|element| {
        let code = module.types.get(element)?.code(VHLO)?;
        name_of(code).filter(|name| RARE.contains(name))
    });
    names.collect()
}

/// The operations of the functions with numbers that not every backend computes with, each once with them. The name of one
/// whose results have other elements than its operands ends with [`WIDE`].
fn narrow(module: &Module, functions: &[(&str, &Operation)]) -> BTreeSet<(String, &'static str)> {
    let mut found = BTreeSet::new();
    let element = |value: &Value| {
        let (_, element) = values::tensor(module, *module.values.get(*value)?)?;
        name_of(module.types.get(element)?.code(VHLO)?)
    };
    let mut left: Vec<&Operation> = functions.iter().map(|(_, function)| *function).collect();
    while let Some(operation) = left.pop() {
        left.extend(operation.regions.iter().flatten().flat_map(|block| &block.operations));
        let name = operation.name.rsplit_once("_v").map_or(&*operation.name, |(name, _)| name);
        if ["func", "return", "call"].contains(&name) {
            continue;
        }
        let [given, made] =
            [&operation.operands, &operation.results].map(|all| all.iter().find_map(element));
        let mark = if given.is_some() && given != made { WIDE.to_string() } else { String::new() };
        let values = operation.operands.iter().chain(&operation.results).filter_map(element);
        for element in values.filter(|name| RARE.contains(name)) {
            let mark = if ["convert", "compare"].contains(&name) { "" } else { mark.as_str() };
            found.insert((format!("{name}{mark}"), element));
        }
        if states_algorithm(module, operation) {
            found.insert((name.to_owned(), ALGORITHM));
        }
    }
    found
}

/// Whether an operation says how it is to be computed; what it does not say is a type that is none.
fn states_algorithm(module: &Module, operation: &Operation) -> bool {
    let stated = module.attribute(operation, "num_primitive_operations");
    let item = stated.and_then(|id| module.attributes.get(id));
    item.is_some_and(|item| item.code(VHLO).is_some_and(|code| code != values::code::TYPE))
}

/// What dictionaries have under a name: texts.
fn texts<'m>(module: &'m Module, name: &'m str) -> impl Iterator<Item = &'m str> {
    let dictionaries = (0..module.attributes.len()).filter_map(|id| module.attributes.get(id));
    dictionaries.flat_map(move |item| {
        let all = entries(module, item);
        let own = all.into_iter().filter(move |(own, _)| *own == name.as_bytes());
        own.filter_map(|(_, id)| std::str::from_utf8(module.text_of(id)?).ok())
    })
}

fn is_dictionary(item: &Item) -> bool {
    item.code(VHLO) == Some(values::code::DICTIONARY)
        || item.code(builtin::NAME) == Some(builtin::attribute::DICTIONARY)
}

/// What a dictionary has, of VHLO or of MLIR itself.
fn entries<'m>(module: &'m Module, item: &'m Item) -> Vec<(&'m [u8], Id)> {
    let dictionary = is_dictionary(item);
    let pairs = item.fields.get(2..).filter(|_| dictionary).unwrap_or_default().chunks_exact(2);
    let pairs = pairs.filter_map(|pair| match pair {
        [Field::Attribute(name), Field::Attribute(value)] => Some((module.text_of(*name)?, *value)),
        _ => None,
    });
    pairs.collect()
}

/// Where the program wants arrays: of its parameters and results, and of what it moves.
fn memories(module: &Module) -> BTreeSet<String> {
    let named = ["mhlo.memory_kind", "_xla_buffer_placement"];
    named.into_iter().flat_map(|name| texts(module, name)).map(str::to_owned).collect()
}

/// On how many devices it runs: what the module says, and the largest mesh or list of devices that it names.
fn devices(module: &Module) -> u64 {
    let top = module.top.operations.iter().find(|operation| operation.is(builtin::NAME, "module"));
    let number = |name| {
        let id = module.attribute(top?, name)?;
        let said = print::attribute(module, id);
        said.split(' ').next()?.parse::<u64>().ok()
    };
    let stated = number("mhlo.num_partitions").unwrap_or(1);
    let stated = stated.saturating_mul(number("mhlo.num_replicas").unwrap_or(1));
    let mut most = stated.max(1);
    for name in ["mhlo.sharding", "xla.sdy.meshes"] {
        most = texts(module, name).map(listed).fold(most, u64::max);
    }
    let mut left: Vec<&Operation> = top.into_iter().collect();
    while let Some(operation) = left.pop() {
        for (name, value) in &operation.attributes {
            let is_mesh = &*operation.dialect == "sdy" && &*operation.name == "mesh";
            if is_mesh && module.bytes(*name) == b"mesh" {
                most = most.max(listed(&print::attribute(module, *value)));
            } else if module.bytes(*name) == b"mhlo.sharding" {
                let text = module.text_of(*value).and_then(|text| std::str::from_utf8(text).ok());
                most = most.max(text.map_or(1, listed));
            }
        }
        let blocks = operation.regions.iter().flatten();
        left.extend(blocks.flat_map(|block| &block.operations));
    }
    most
}

/// How many devices a sharding (`{devices=[2,1]0,1}`) or a mesh (`#sdy.mesh<["x"=2]>`) names; of several the most.
fn listed(text: &str) -> u64 {
    let lists = text.split("devices=[").skip(1).chain(text.split("mesh<[").skip(1));
    let product = |list: &str| {
        let inner = list.split(']').next().unwrap_or_default();
        let sizes = inner.split(',').map(|size| size.rsplit('=').next().unwrap_or(size).trim());
        sizes.filter_map(|size| size.parse::<u64>().ok()).fold(1_u64, u64::saturating_mul)
    };
    lists.map(product).max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_counted_by_the_lists_in_shardings_and_meshes() {
        assert_eq!(listed("{devices=[2,1]0,1}"), 2);
        assert_eq!(listed("{devices=[2,2,2]<=[8] last_tile_dim_replicate}"), 8);
        assert_eq!(listed("{replicated}"), 1);
        assert_eq!(listed("#sdy.mesh<[\"a\"=2, \"b\"=4]>"), 8);
        assert_eq!(listed("{mesh = #sdy.mesh<[\\22a\\22=1]>, m2 = #sdy.mesh<[\\22b\\22=3]>}"), 3);
        assert_eq!(listed("#sdy.mesh<[\"x\"=2], device_ids=[1, 0]>"), 2);
    }
}
