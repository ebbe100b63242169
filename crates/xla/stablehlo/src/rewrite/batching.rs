//! Gathers and scatters with batching dimensions, for versions that have none: a batching dimension becomes a
//! dimension that is indexed, by an index that counts.

use unskew_core::Version;

use super::values;
use crate::module::{Field, Id, Module, Operation, Sort};

/// Since when there are batching dimensions.
const SINCE: Version = Version::triple(1, 1, 0);

/// The names of the attributes of an operation.
struct Names {
    /// The batching dimensions of the operand, and those of the indices.
    batching: [&'static str; 2],
    /// The dimensions that are left out of what is taken or put.
    collapsed: &'static str,
    /// The dimensions that the indices are of.
    map: &'static str,
}

const GATHER: Names = Names {
    batching: ["operand_batching_dims", "start_indices_batching_dims"],
    collapsed: "collapsed_slice_dims",
    map: "start_index_map",
};

const SCATTER: Names = Names {
    batching: ["input_batching_dims", "scatter_indices_batching_dims"],
    collapsed: "inserted_window_dims",
    map: "scatter_dims_to_operand_dims",
};

/// Takes the batching dimensions away from an operation. Says what was done.
pub(super) fn expand(
    module: &mut Module,
    operation: &mut Operation,
    before: &mut Vec<Operation>,
    target: Version,
) -> Option<String> {
    let names = match &*operation.name {
        "gather_v2" if target < SINCE => GATHER,
        "scatter_v2" if target < SINCE => SCATTER,
        _ => return None,
    };
    let [own, of_indices] = names.batching;
    let dims = values::elements(module, module.attribute(operation, own)?)?;
    let index_dims = values::elements(module, module.attribute(operation, of_indices)?)?;
    let collapsed = values::elements(module, module.attribute(operation, names.collapsed)?)?;
    let map = values::elements(module, module.attribute(operation, names.map)?)?;
    let vector = values::integer(module, module.attribute(operation, "index_vector_dim")?)?;
    // Behind the inputs of a scatter, and the operand of a gather, come the indices.
    let at = operation.operands.len() / 2;
    let at = if *operation.name == *"gather_v2" { 1 } else { at };
    let indices = *operation.operands.get(at)?;
    let (mut shape, element) = values::tensor(module, *module.values.get(indices)?)?;
    let bits = values::bits(module, element)?;
    let fits = |dim: &i64| {
        let size = usize::try_from(*dim).ok().and_then(|dim| shape.get(dim));
        size.is_some_and(|size| (0..1 << (bits - 1)).contains(size))
    };
    if dims.is_empty() || shape.iter().any(|dim| *dim < 0) || !index_dims.iter().all(fits) {
        return None;
    }
    let vector = usize::try_from(vector).ok().filter(|vector| *vector <= shape.len())?;
    let mut parts = Vec::new();
    let mut last = indices;
    if vector == shape.len() {
        shape.push(1);
        let kind = values::tensor_type(module, &shape, element);
        last = module.value(kind);
        before.push(Operation::vhlo("reshape_v1", operation, vec![indices], vec![last]));
    }
    let own_length = *shape.get(vector)?;
    *shape.get_mut(vector)? = 1;
    let kind = values::tensor_type(module, &shape, element);
    for dim in &index_dims {
        let value = module.value(kind);
        let mut iota = Operation::vhlo("iota_v1", operation, Vec::new(), vec![value]);
        set(module, &mut iota, "iota_dimension", *dim);
        before.push(iota);
        parts.push(value);
    }
    *shape.get_mut(vector)? = own_length.checked_add(i64::try_from(index_dims.len()).ok()?)?;
    parts.push(last);
    let kind = values::tensor_type(module, &shape, element);
    let value = module.value(kind);
    let mut joined = Operation::vhlo("concatenate_v1", operation, parts, vec![value]);
    set(module, &mut joined, "dimension", i64::try_from(vector).ok()?);
    before.push(joined);
    *operation.operands.get_mut(at)? = value;
    let mut all: Vec<i64> = dims.iter().chain(&collapsed).copied().collect();
    all.sort_unstable();
    let map: Vec<i64> = dims.iter().chain(&map).copied().collect();
    let sorted = index_dims.is_sorted() && map.is_sorted();
    for (name, elements) in
        [(own, &[][..]), (of_indices, &[]), (names.collapsed, &all), (names.map, &map)]
    {
        let length = i64::try_from(elements.len()).ok()?;
        let value = values::integers(module, &[length], elements);
        change(module, operation, name, value);
    }
    if !sorted {
        let value = module
            .vhlo(Sort::Attribute, vec![Field::Number(values::code::BOOL), values::number(0)]);
        change(module, operation, "indices_are_sorted", value);
    }
    Some(format!("batching dimensions of `{}` as indices that count", operation.name))
}

fn set(module: &mut Module, operation: &mut Operation, name: &str, value: i64) {
    let value = values::signed(module, value);
    let name = module.text(name.as_bytes());
    operation.attributes.push((name, value));
}

fn change(module: &mut Module, operation: &mut Operation, name: &str, value: Id) {
    let name = module.text(name.as_bytes());
    for (own, old) in &mut operation.attributes {
        if *own == name {
            *old = value;
        }
    }
}
