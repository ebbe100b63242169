//! Tensors that are stored in a model: whether their elements are there.

use std::collections::BTreeMap;

use foldhash::HashSet;
use unskew_core::{Finding, Places};

use crate::{
    Dim, ModelReader, OnnxAttribute, OnnxElementType, OnnxGraph, OnnxModel, OnnxTensor, TensorData,
    rules,
};

/// The most faults that are named.
const NAMED: usize = 20;

/// What is wrong with the tensors of a model.
pub(super) fn findings(model: &OnnxModel, reader: ModelReader) -> Vec<Finding> {
    let graphs: Vec<&OnnxGraph> = model.graphs().collect();
    let inputs = graphs.iter().flat_map(|graph| &graph.nodes).flat_map(|node| &node.inputs);
    let outputs = graphs.iter().flat_map(|graph| &graph.outputs).map(|one| &one.name);
    let used: HashSet<&str> = inputs.chain(outputs).map(|name| &**name).collect();
    let mut found: BTreeMap<String, Places> = BTreeMap::new();
    for graph in &graphs {
        for tensor in &graph.initializers {
            // ONNX Runtime throws away what nothing uses, before it looks at the elements.
            let whole = reader == ModelReader::Onnx || used.contains(&*tensor.name);
            let declared = graph.inputs.iter().find(|one| one.name == tensor.name);
            let differs = declared.and_then(|one| differs(tensor, one.dims.as_ref()?));
            let what = broken(tensor, reader, whole)
                .or(differs.filter(|_| reader == ModelReader::OnnxRuntime));
            if let Some(what) = what {
                found.entry(what).or_default().add(&tensor.name);
            }
        }
        for node in &graph.nodes {
            for (name, attribute) in &node.attributes {
                let OnnxAttribute::Tensor(tensor) = attribute else { continue };
                if let Some(what) = broken(tensor, reader, true) {
                    found.entry(what).or_default().add(format!("{name} of {}", super::place(node)));
                }
            }
        }
    }
    let finding =
        |(what, places): (String, Places)| rules::TensorBroken { what: &what }.finding().at(places);
    found.into_iter().take(NAMED).map(finding).collect()
}

/// Dimensions that are others than the model declares.
fn differs(tensor: &OnnxTensor, declared: &[Dim]) -> Option<String> {
    let same = |(size, dim): (&i64, &Dim)| !matches!(dim, Dim::Size(other) if other != size);
    let fits = tensor.dims.len() == declared.len() && tensor.dims.iter().zip(declared).all(same);
    (!fits).then(|| format!("other dimensions than the input of its name: {:?}", tensor.dims))
}

/// What is wrong with a tensor; `whole`: its elements are looked at too.
fn broken(tensor: &OnnxTensor, reader: ModelReader, whole: bool) -> Option<String> {
    let element = tensor.element;
    if element == OnnxElementType(0) {
        return Some("no type of elements".to_owned());
    }
    if let Some(size) = tensor.dims.iter().find(|size| **size < 0) {
        return Some(format!("a dimension of {size}"));
    }
    if tensor.external.is_some() || !whole {
        return None;
    }
    let mut sizes = tensor.dims.iter().map(|size| u64::try_from(*size).ok());
    let count = sizes.try_fold(1_u64, |all, size| all.checked_mul(size?))?;
    // The checker of onnx passes by what is left over.
    let wrong = |found: u64, wanted: u64| match reader {
        ModelReader::Onnx => found < wanted || wanted == 0 && found > 0,
        ModelReader::OnnxRuntime => found != wanted,
    };
    let (field, per, rows) = listed(element)?;
    match tensor.data {
        TensorData::Raw(_) if element == OnnxElementType(8) => {
            Some("texts stored as bytes".to_owned())
        }
        TensorData::Raw(bytes) => {
            let wanted = element.bytes(count)?;
            wrong(bytes, wanted).then(|| {
                format!("{bytes} bytes for {count} elements of {element}, which take {wanted}")
            })
        }
        TensorData::Listed(number, _) if number != field => {
            Some(format!("elements of {element} in the field of another type"))
        }
        TensorData::Listed(_, found) => {
            let wanted = count.checked_mul(rows)?.div_ceil(per);
            wrong(found, wanted)
                .then(|| format!("{found} numbers for {count} elements of {element}"))
        }
        TensorData::Nothing if count > 0 => {
            Some(format!("no data for {count} elements of {element}"))
        }
        TensorData::Nothing | TensorData::Uncounted => None,
    }
}

/// The field in which elements of a type are listed, how many share a number, and how many numbers an element has; none
/// for types whose form is not known here.
fn listed(element: OnnxElementType) -> Option<(u32, u64, u64)> {
    Some(match element.0 {
        1 => (4, 1, 1),
        14 => (4, 1, 2),
        2..=6 | 9 | 10 | 16..=20 | 24 => (5, 1, 1),
        21..=23 => (5, 2, 1),
        25 | 26 => (5, 4, 1),
        7 => (7, 1, 1),
        8 => (6, 1, 1),
        11 => (10, 1, 1),
        15 => (10, 1, 2),
        12 | 13 => (11, 1, 1),
        _ => return None,
    })
}
