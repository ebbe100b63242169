//! Quantized weights in the form that a release reads.
//!
//! | form | becomes |
//! | --- | --- |
//! | scales and zero points of each channel as lists | a tensor of `float64` and one of `int64`, for 1.5 and later |
//! | packed convolutions of form 2 | form 1, for 1.6: a tensor for each number; transposed ones have none |
//!
//! What else a release does not read has no other form, and stays for the verdict on the result to name.

use std::collections::BTreeSet;

use unskew_source::ReadError;

use crate::convert::archive_builder::ArchiveBuilder;
use crate::convert::task::ConversionTask;
use crate::pickle::{Id, Pickle, PickleValue};
use crate::prepacked_weights::form_support::{self, FormSupport};
use crate::prepacked_weights::{ConvolutionParameters, PrepackedForm};

/// The adaptation, as findings name it.
pub(super) const PACKED: &str = "packed-form";

/// The folder of tensors of the attributes.
const TENSORS: &str = "data/";

/// Whether the file has weights in this form, and the release does not read it.
fn is_refused(task: &ConversionTask<'_>, form: PrepackedForm) -> bool {
    let outcome = |row: &form_support::FormRow| row.outcome(task.to.minor());
    task.model.packed.contains_key(&form)
        && form_support::row(form).map(outcome) == Some(FormSupport::Refuses)
}

pub(super) fn concerns(task: &ConversionTask<'_>) -> bool {
    is_refused(task, PrepackedForm::Lists) || is_refused(task, PrepackedForm::Convolution2)
}

/// Rewrites the attributes; says what was done. An error is why a convolution has no older form.
pub(super) fn fit(
    task: &ConversionTask<'_>,
    pickle: &mut Pickle,
    draft: &mut ArchiveBuilder,
) -> Result<Result<BTreeSet<&'static str>, String>, ReadError> {
    let mut done = BTreeSet::new();
    let (lists, convolutions) =
        (is_refused(task, PrepackedForm::Lists), is_refused(task, PrepackedForm::Convolution2));
    let mut storages = NewStorages::from_pickle(pickle);
    for id in 0..pickle.count() {
        let PickleValue::Call(call) = pickle.value(id).clone() else { continue };
        let PickleValue::Global(_, name) = pickle.value(call.callee) else { continue };
        match &**name {
            "_rebuild_qtensor" if lists => {
                let had = tensors_of_lists(pickle, call.arguments, &mut storages, draft);
                done.extend(had.then_some("scales and zero points of channels are tensors"));
            }
            "Conv2dPackedParamsBase" | "Conv3dPackedParamsBase" if convolutions => {
                let Some(state) = call.state else { continue };
                let Some(second) = ConvolutionState::from_state(task, pickle, state)? else {
                    return Ok(Err("a packed convolution whose numbers are not read".to_owned()));
                };
                let moves = &second.moves;
                if moves.transposed || moves.output_padding.iter().any(|one| *one != 0) {
                    return Ok(Err("a packed convolution that is transposed".to_owned()));
                }
                let first = second.first(pickle, &mut storages, draft);
                pickle.replace(state, first);
                done.insert("packed convolutions have a tensor for each number");
            }
            _ => {}
        }
    }
    Ok(Ok(done))
}

/// New storages, under keys that no other has.
struct NewStorages {
    taken: BTreeSet<String>,
    next: u32,
}

impl NewStorages {
    fn from_pickle(pickle: &Pickle) -> Self {
        let key = |id| {
            let PickleValue::Persistent(Some(kept)) = pickle.value(id) else { return None };
            let PickleValue::Tuple(parts) = pickle.value(*kept) else { return None };
            pickle.value(*parts.get(2)?).text().map(str::to_owned)
        };
        Self { taken: (0..pickle.count()).filter_map(key).collect(), next: 0 }
    }

    /// A storage of so many elements with these bytes.
    fn add(
        &mut self,
        pickle: &mut Pickle,
        draft: &mut ArchiveBuilder,
        (class, count): (&str, usize),
        bytes: Vec<u8>,
    ) -> Id {
        let key = loop {
            let key = self.next.to_string();
            self.next += 1;
            if !self.taken.contains(&key) && !draft.has(&format!("{TENSORS}{key}")) {
                break key;
            }
        };
        draft.add(&format!("{TENSORS}{key}"), bytes, false);
        self.taken.insert(key.clone());
        let parts = [
            pickle.text("storage"),
            pickle.push(PickleValue::Global("torch".to_owned(), class.to_owned())),
            pickle.text(&key),
            pickle.text("cpu"),
            pickle.push(PickleValue::Int(i64::try_from(count).unwrap_or(i64::MAX))),
        ];
        let kept = pickle.tuple(parts);
        pickle.push(PickleValue::Persistent(Some(kept)))
    }

    fn ints(&mut self, pickle: &mut Pickle, draft: &mut ArchiveBuilder, numbers: &[i64]) -> Id {
        let bytes = numbers.iter().flat_map(|one| one.to_le_bytes()).collect();
        self.add(pickle, draft, ("LongStorage", numbers.len()), bytes)
    }

    fn floats(&mut self, pickle: &mut Pickle, draft: &mut ArchiveBuilder, numbers: &[f64]) -> Id {
        let bytes = numbers.iter().flat_map(|one| one.to_le_bytes()).collect();
        self.add(pickle, draft, ("DoubleStorage", numbers.len()), bytes)
    }
}

/// A tensor over one dimension, of so many elements of a storage from an offset on.
fn tensor(pickle: &mut Pickle, storage: Id, offset: usize, count: usize) -> Id {
    let mut int = |n: usize| pickle.push(PickleValue::Int(i64::try_from(n).unwrap_or(i64::MAX)));
    let (offset, size, stride) = (int(offset), int(count), int(1));
    let (size, stride) = (pickle.tuple([size]), pickle.tuple([stride]));
    let requires_grad = pickle.push(PickleValue::Bool(false));
    let hooks = pickle.call("collections", "OrderedDict", []);
    let parts = [storage, offset, size, stride, requires_grad, hooks];
    pickle.call("torch._utils", "_rebuild_tensor_v2", parts)
}

/// Puts tensors in the place of the lists of one quantizer; says whether it had some.
fn tensors_of_lists(
    pickle: &mut Pickle,
    arguments: Option<Id>,
    storages: &mut NewStorages,
    draft: &mut ArchiveBuilder,
) -> bool {
    let members = |pickle: &Pickle, id: Id| match pickle.value(id) {
        PickleValue::Tuple(ids) => ids.to_vec(),
        _ => Vec::new(),
    };
    let Some(arguments) = arguments.map(|id| members(pickle, id)) else { return false };
    let quantizer = arguments.get(4).map(|id| members(pickle, *id)).unwrap_or_default();
    let [_, scales, zeros, _] = *quantizer else { return false };
    let number = |id: &Id| match pickle.value(*id) {
        PickleValue::Float(number) => Some(*number),
        PickleValue::Int(number) => Some(*number as f64),
        _ => None,
    };
    let all = |id| -> Option<Vec<f64>> { list(pickle, id)?.iter().map(number).collect() };
    let (Some(floats), Some(ints)) = (all(scales), all(zeros)) else { return false };
    let ints: Vec<i64> = ints.into_iter().map(|one| one as i64).collect();
    let storage = storages.floats(pickle, draft, &floats);
    let made = tensor(pickle, storage, 0, floats.len());
    pickle.replace(scales, pickle.value(made).clone());
    let storage = storages.ints(pickle, draft, &ints);
    let made = tensor(pickle, storage, 0, ints.len());
    pickle.replace(zeros, pickle.value(made).clone());
    true
}

/// The members of a list, as it is or in a call that says of what type it is.
fn list(pickle: &Pickle, id: Id) -> Option<&[Id]> {
    match pickle.value(id) {
        PickleValue::List(ids) => Some(ids),
        PickleValue::Call(call) => {
            let PickleValue::Global(module, _) = pickle.value(call.callee) else { return None };
            let PickleValue::Tuple(arguments) = pickle.value(call.arguments?) else { return None };
            let inner = pickle.value(*arguments.first()?);
            match inner {
                PickleValue::List(ids) if module == "torch.jit._pickle" => Some(ids),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The state of a packed convolution of form 2.
struct ConvolutionState {
    weight: Id,
    bias: Option<Id>,
    moves: ConvolutionParameters,
}

impl ConvolutionState {
    fn from_state(
        task: &ConversionTask<'_>,
        pickle: &Pickle,
        state: Id,
    ) -> Result<Option<Self>, ReadError> {
        let parts = || {
            let PickleValue::Tuple(parts) = pickle.value(state) else { return None };
            let [version, tensors, optional] = **parts else { return None };
            let [numbers, weight] = *list(pickle, tensors)? else { return None };
            let bias = list(pickle, optional)?.first().copied();
            (pickle.value(version).text() == Some("2")).then_some((numbers, weight, bias))
        };
        let Some((numbers, weight, bias)) = parts() else { return Ok(None) };
        let Some(numbers) = shorts(task, pickle, numbers)? else { return Ok(None) };
        let moves = ConvolutionParameters::of_numbers(&numbers);
        Ok(moves.map(|moves| Self { weight, bias, moves }))
    }

    /// The same in form 1.
    fn first(
        &self,
        pickle: &mut Pickle,
        storages: &mut NewStorages,
        draft: &mut ArchiveBuilder,
    ) -> PickleValue {
        let mut at = 0;
        let runs = [&self.moves.stride, &self.moves.padding, &self.moves.dilation];
        let groups = [self.moves.groups];
        let numbers: Vec<i64> = runs.iter().copied().flatten().chain(&groups).copied().collect();
        let storage = storages.ints(pickle, draft, &numbers);
        let mut state = vec![self.weight];
        state.push(match self.bias {
            Some(bias) => bias,
            None => pickle.push(PickleValue::None),
        });
        for run in runs {
            let mut all = Vec::new();
            for _ in run {
                all.push(tensor(pickle, storage, at, 1));
                at += 1;
            }
            let inner = pickle.push(PickleValue::List(all.into()));
            state.push(pickle.call("torch.jit._pickle", "build_tensorlist", [inner]));
        }
        state.push(tensor(pickle, storage, at, 1));
        PickleValue::Tuple(state.into())
    }
}

/// The numbers of a tensor of 16 bits over one dimension.
fn shorts(
    task: &ConversionTask<'_>,
    pickle: &Pickle,
    id: Id,
) -> Result<Option<Vec<i64>>, ReadError> {
    let parts = || {
        let PickleValue::Call(call) = pickle.value(id) else { return None };
        let PickleValue::Tuple(arguments) = pickle.value(call.arguments?) else { return None };
        let [storage, offset, size, ..] = **arguments else { return None };
        let PickleValue::Persistent(Some(kept)) = pickle.value(storage) else { return None };
        let PickleValue::Tuple(kept) = pickle.value(*kept) else { return None };
        let [_, class, key, ..] = **kept else { return None };
        let is_short =
            matches!(pickle.value(class), PickleValue::Global(_, name) if name == "ShortStorage");
        let PickleValue::Tuple(size) = pickle.value(size) else { return None };
        let [count] = **size else { return None };
        let int = |id| usize::try_from(pickle.value(id).int()?).ok();
        let key = pickle.value(key).text().filter(|_| is_short)?;
        Some((key.to_owned(), int(offset)?, int(count)?))
    };
    let Some((key, offset, count)) = parts() else { return Ok(None) };
    let Some(bytes) = task.records.get(&format!("{TENSORS}{key}"))? else { return Ok(None) };
    let numbers = bytes.as_chunks::<2>().0.iter().map(|two| i64::from(i16::from_le_bytes(*two)));
    let numbers: Vec<i64> = numbers.skip(offset).take(count).collect();
    Ok((numbers.len() == count).then_some(numbers))
}
