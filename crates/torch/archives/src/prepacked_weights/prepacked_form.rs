//! The forms in which the pickles of an archive keep quantized weights.

use std::collections::BTreeMap;

use unskew_core::Places;
use unskew_pickle::{Id, Pickle, PickleCall, PickleValue};

/// Before the names of classes of packed weights.
const CLASSES: &str = "__torch__.torch.classes.";

/// A module whose state is what a linear layer was packed of.
const LINEAR_MODULE: &str = "LinearPackedParams";

/// The scheme of weights with a scale for each channel; embeddings have another.
const CHANNELS: &str = "per_channel_affine";

/// A form of quantized weights, as a file has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrepackedForm {
    /// A tensor with a scale for each channel, which are a list.
    Lists,
    /// A tensor with a scale for each channel.
    Channels,
    /// Objects of packed weights among the constants of the code.
    Constants,
    /// A packed convolution with a tensor for each number.
    Convolution1,
    /// A packed convolution with a tensor of numbers.
    Convolution2,
    /// A packed convolution with a list of numbers.
    Convolution3,
    /// A packed linear layer.
    Linear,
    /// A packed cell of a recurrent layer.
    Cell,
    /// A packed embedding.
    Embedding,
    /// A tensor of integers of 4 bits.
    FourBits,
    /// A linear layer with weights of 16 bits.
    Halves,
    /// An object of packed weights in another form.
    Unknown,
}

impl PrepackedForm {
    /// Its name in `data/packed.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lists => "lists",
            Self::Channels => "channels",
            Self::Constants => "constants",
            Self::Convolution1 => "convolution-1",
            Self::Convolution2 => "convolution-2",
            Self::Convolution3 => "convolution-3",
            Self::Linear => "linear",
            Self::Cell => "cell",
            Self::Embedding => "embedding",
            Self::FourBits => "four-bits",
            Self::Halves => "halves",
            Self::Unknown => "unknown",
        }
    }
}

/// Notes the forms in a pickle, the record of this name.
pub(crate) fn note(pickle: &Pickle, record: &str, forms: &mut BTreeMap<PrepackedForm, Places>) {
    let mut found: Vec<PrepackedForm> = Vec::new();
    for id in 0..pickle.count() {
        let PickleValue::Call(call) = pickle.value(id) else { continue };
        let PickleValue::Global(module, name) = pickle.value(call.callee) else { continue };
        if (&**module, &**name) == ("torch._utils", "_rebuild_qtensor") {
            found.extend(of_tensor(pickle, call));
        } else if let Some(family) = module.strip_prefix(CLASSES) {
            found.extend(of_object(pickle, family, name, call.state));
            if record == "constants.pkl" && is_packed(family, name) {
                found.push(PrepackedForm::Constants);
            }
        } else if name == LINEAR_MODULE {
            found.extend(of_module(pickle, call.state));
        }
    }
    found.sort_unstable();
    found.dedup();
    for form in found {
        forms.entry(form).or_default().add(record);
    }
}

/// Whether a class registered in C++ is one of packed weights.
pub(crate) fn is_packed(family: &str, name: &str) -> bool {
    family == "quantized" || (family, name) == ("rnn", "CellParamsBase")
}

/// A quantized tensor: its storage, how it lies there, and its quantizer.
fn of_tensor(pickle: &Pickle, call: &PickleCall) -> Vec<PrepackedForm> {
    let arguments = parts(pickle, call.arguments);
    let mut found = Vec::new();
    if let [storage, _, _, _, quantizer, ..] = arguments {
        if let PickleValue::Persistent(Some(kept)) = pickle.value(*storage)
            && let [_, class, ..] = parts(pickle, Some(*kept))
            && let PickleValue::Global(_, class) = pickle.value(*class)
            && class == "QUInt4x2Storage"
        {
            found.push(PrepackedForm::FourBits);
        }
        if let [scheme, scales, _, _] = parts(pickle, Some(*quantizer)) {
            if matches!(pickle.value(*scheme), PickleValue::Global(_, name) if name == CHANNELS) {
                found.push(PrepackedForm::Channels);
            }
            if !is_call_of(pickle, *scales, "_rebuild_tensor_v2") {
                found.push(PrepackedForm::Lists);
            }
        }
    }
    found
}

/// An object of packed weights, by its state.
fn of_object(pickle: &Pickle, family: &str, name: &str, state: Option<Id>) -> Vec<PrepackedForm> {
    let parts = parts(pickle, state);
    let value = |at: usize| parts.get(at).map(|id| pickle.value(*id));
    match (family, name, parts.len()) {
        ("quantized", "Conv2dPackedParamsBase" | "Conv3dPackedParamsBase", count) => {
            vec![match (count, value(0)) {
                (6, Some(PickleValue::Call(_))) => PrepackedForm::Convolution1,
                (3, Some(PickleValue::Text(version))) if version == "2" => {
                    PrepackedForm::Convolution2
                }
                (3, Some(PickleValue::Int(3))) => PrepackedForm::Convolution3,
                _ => PrepackedForm::Unknown,
            }]
        }
        ("quantized", "LinearPackedParamsBase", 2) => {
            let mut found = vec![PrepackedForm::Linear];
            found.extend(halves(pickle, parts[0]));
            found
        }
        ("quantized", "EmbeddingPackedParamsBase", 4) => vec![PrepackedForm::Embedding],
        ("rnn", "CellParamsBase", 5) => match value(0).and_then(PickleValue::text) {
            Some("quantized_dynamic") => vec![PrepackedForm::Cell],
            Some("quantized_fp16") => vec![PrepackedForm::Cell, PrepackedForm::Halves],
            _ => vec![PrepackedForm::Unknown],
        },
        _ if is_packed(family, name) => vec![PrepackedForm::Unknown],
        _ => Vec::new(),
    }
}

/// A module that packs its state when it is loaded: a tuple with the weight in front.
fn of_module(pickle: &Pickle, state: Option<Id>) -> Option<PrepackedForm> {
    halves(pickle, *parts(pickle, state).first()?)
}

fn halves(pickle: &Pickle, weight: Id) -> Option<PrepackedForm> {
    is_call_of(pickle, weight, "_rebuild_tensor_v2").then_some(PrepackedForm::Halves)
}

fn is_call_of(pickle: &Pickle, id: Id, function: &str) -> bool {
    let PickleValue::Call(call) = pickle.value(id) else { return false };
    matches!(pickle.value(call.callee), PickleValue::Global(_, name) if name == function)
}

fn parts(pickle: &Pickle, id: Option<Id>) -> &[Id] {
    match id.map(|id| pickle.value(id)) {
        Some(PickleValue::Tuple(ids)) => ids,
        _ => &[],
    }
}
