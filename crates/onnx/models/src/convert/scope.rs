//! Scope of values during conversion: types, dimensions and small constants.

use std::collections::HashMap;

use unskew_source::wire::{ByteSpan, MessageValue as Wire, WireMessage};
use unskew_source::{ReadError, Source, SourceExt as _};

use crate::judge::is_inside;
use crate::{
    Dim, ExternalData, NeighbourOpener, OnnxElementType, OnnxGraph, OnnxTensor, ValueType,
};

/// The longest tensor whose values are read, in bytes.
const SMALL: u64 = 64 << 10;

/// The files in which the tensors of a model lie.
pub(super) struct TensorFiles<'a> {
    /// That of the model itself.
    pub(super) source: &'a dyn Source,
    /// Those beside it, by their names.
    pub(super) beside: NeighbourOpener<'a>,
}

/// What is known of one value.
#[derive(Clone, Debug, Default)]
pub(super) struct ConstantFacts {
    pub(super) kind: Option<ValueType>,
    pub(super) dims: Option<Vec<Dim>>,
    /// The tensor that it always is.
    pub(super) constant: Option<Constant>,
}

impl ConstantFacts {
    /// What is known of a value that is always this tensor, but for its type.
    pub(super) fn from_constant(constant: Constant) -> Self {
        let dims = constant.dims.iter().copied().map(Dim::Size).collect();
        Self { kind: None, dims: Some(dims), constant: Some(constant) }
    }
}

/// The values of a small tensor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constant {
    pub(super) numbers: TensorNumbers,
    pub(super) dims: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TensorNumbers {
    Ints(Vec<i64>),
    Floats(Vec<f64>),
}

impl Constant {
    pub(super) fn ints(&self) -> Option<Vec<i64>> {
        match &self.numbers {
            TensorNumbers::Ints(all) => Some(all.clone()),
            TensorNumbers::Floats(_) => None,
        }
    }
}

/// The values that a node sees: those of its graph, and of the graphs around it.
#[derive(Default)]
pub(super) struct Scope<'s> {
    own: HashMap<String, ConstantFacts>,
    around: Option<&'s Scope<'s>>,
}

impl<'s> Scope<'s> {
    /// What a graph says of its values.
    pub(super) fn new(
        graph: &OnnxGraph,
        around: Option<&'s Self>,
        files: &TensorFiles<'_>,
    ) -> Result<Self, ReadError> {
        let mut own = HashMap::new();
        for value in graph.values.iter().chain(&graph.outputs).chain(&graph.inputs) {
            let known = ConstantFacts {
                kind: value.kind.clone(),
                dims: value.dims.clone(),
                constant: None,
            };
            own.insert(value.name.to_string(), known);
        }
        for tensor in &graph.initializers {
            // An input of the same name may be given another value.
            let given = graph.inputs.iter().any(|input| input.name == tensor.name);
            let constant = if given { None } else { constant(tensor, files)? };
            let dims = (!given).then(|| tensor.dims.iter().copied().map(Dim::Size).collect());
            let known = own.entry(tensor.name.to_string()).or_insert_with(ConstantFacts::default);
            known.kind = Some(ValueType::Tensor(tensor.element));
            known.dims = dims.or(known.dims.take());
            known.constant = constant;
        }
        Ok(Self { own, around })
    }

    pub(super) fn known(&self, name: &str) -> Option<&ConstantFacts> {
        self.own.get(name).or_else(|| self.around.and_then(|around| around.known(name)))
    }

    pub(super) fn kind(&self, name: &str) -> Option<ValueType> {
        self.known(name)?.kind.clone()
    }

    pub(super) fn element(&self, name: &str) -> Option<OnnxElementType> {
        match self.known(name)?.kind.as_ref()? {
            ValueType::Tensor(element) => Some(*element),
            _ => None,
        }
    }

    pub(super) fn dims(&self, name: &str) -> Option<&[Dim]> {
        self.known(name)?.dims.as_deref()
    }

    pub(super) fn rank(&self, name: &str) -> Option<i64> {
        self.dims(name).map(|dims| dims.len() as i64)
    }

    pub(super) fn constant(&self, name: &str) -> Option<&Constant> {
        self.known(name)?.constant.as_ref()
    }

    /// Adds what is known of a value; what is known already stays.
    pub(super) fn learn(&mut self, name: &str, more: ConstantFacts) {
        let known = self.own.entry(name.to_owned()).or_default();
        known.kind = known.kind.take().or(more.kind);
        known.dims = match (known.dims.take(), more.dims) {
            (Some(said), Some(found)) if said.len() == found.len() => {
                let both = said.into_iter().zip(found);
                Some(
                    both.map(|(said, found)| {
                        if matches!(said, Dim::Size(_)) || found == Dim::Unknown {
                            said
                        } else {
                            found
                        }
                    })
                    .collect(),
                )
            }
            (said, found) => said.or(found),
        };
        known.constant = known.constant.take().or(more.constant);
    }
}

/// The values of a tensor, if they are few and stand in the model or in a file beside it that is known.
pub(super) fn constant(
    tensor: &OnnxTensor,
    files: &TensorFiles<'_>,
) -> Result<Option<Constant>, ReadError> {
    if let Some(external) = &tensor.external {
        return outside(tensor, external, files);
    }
    let source = files.source;
    if tensor.stored > SMALL || tensor.place.is_empty() {
        return Ok(None);
    }
    let span = ByteSpan { start: tensor.place.start, len: tensor.place.end - tensor.place.start };
    let mut message = WireMessage::at(source, span);
    let (mut ints, mut floats) = (Vec::new(), Vec::new());
    while let Some(field) = message.next()? {
        match (field.number, field.value) {
            (4, Wire::Fixed32(bits)) => floats.push(f64::from(f32::from_bits(bits))),
            (5 | 7, Wire::Varint(number)) => ints.push(number as i64),
            (10, Wire::Fixed64(bits)) => floats.push(f64::from_bits(bits)),
            (4 | 5 | 7 | 9 | 10, Wire::Bytes(_)) => {
                let bytes = message.bytes(&field)?;
                match (field.number, tensor.element.0) {
                    (5 | 7, _) => {
                        ints.extend(crate::read::varints(&bytes).unwrap_or_default());
                    }
                    (4, _) | (9, 1) => {
                        floats.extend(chunks(&bytes).map(|b| f64::from(f32::from_le_bytes(b))))
                    }
                    (10, _) | (9, 11) => floats.extend(chunks(&bytes).map(f64::from_le_bytes)),
                    (9, 7) => ints.extend(chunks(&bytes).map(i64::from_le_bytes)),
                    (9, 6) => ints.extend(chunks(&bytes).map(|b| i64::from(i32::from_le_bytes(b)))),
                    (9, 9 | 2) => ints.extend(bytes.iter().map(|byte| i64::from(*byte))),
                    _ => return Ok(None),
                }
            }
            _ => {}
        }
    }
    let count = tensor.dims.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
    let numbers = match tensor.element.0 {
        1 | 11 if count == Some(floats.len() as i64) => TensorNumbers::Floats(floats),
        2 | 3 | 5 | 6 | 7 | 9 if count == Some(ints.len() as i64) => TensorNumbers::Ints(ints),
        _ => return Ok(None),
    };
    Ok(Some(Constant { numbers, dims: tensor.dims.clone() }))
}

/// The values of a small tensor in another file. What is wrong with that file is said by the verdict on the result.
fn outside(
    tensor: &OnnxTensor,
    external: &ExternalData,
    files: &TensorFiles<'_>,
) -> Result<Option<Constant>, ReadError> {
    let Some(size) = tensor.bytes().filter(|size| *size <= SMALL) else { return Ok(None) };
    let is_broken = external.broken.is_some() || !is_inside(&external.location);
    if is_broken || external.length.is_some_and(|length| length != size) {
        return Ok(None);
    }
    let Some(file) = (files.beside)(&external.location) else { return Ok(None) };
    let start = external.offset.unwrap_or(0);
    if start.checked_add(size).is_none_or(|end| end > file.size()) {
        return Ok(None);
    }
    Ok(raw(tensor.element, &tensor.dims, &file.bytes(start, size)?))
}

fn chunks<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    bytes.as_chunks::<N>().0.iter().copied()
}

/// The values of a tensor that is made here.
pub(super) fn raw(element: OnnxElementType, dims: &[i64], bytes: &[u8]) -> Option<Constant> {
    let numbers = match element.0 {
        1 => {
            TensorNumbers::Floats(chunks(bytes).map(|b| f64::from(f32::from_le_bytes(b))).collect())
        }
        11 => TensorNumbers::Floats(chunks(bytes).map(f64::from_le_bytes).collect()),
        7 => TensorNumbers::Ints(chunks(bytes).map(i64::from_le_bytes).collect()),
        6 => TensorNumbers::Ints(chunks(bytes).map(|b| i64::from(i32::from_le_bytes(b))).collect()),
        _ => return None,
    };
    Some(Constant { numbers, dims: dims.to_vec() })
}
