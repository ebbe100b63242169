//! Devices in attributes, for releases up to 1.4, whose readers of attributes know none.
//!
//! There the attribute is a `str`, in the pickle stands the name, `cpu`, and code that reads it makes a device of it:
//! `torch.device(self.d)` for `self.d`. Refused is a device in a container or in an attribute that may be `None`, and an attribute
//! that code sets.
//!
//! Source: measured; 1.4.0 ends on one with "class name not understood: torch.device", and 1.5.1 reads it.

use std::collections::{BTreeMap, BTreeSet};

use unskew_core::{Conversion, Places, Version};
use unskew_script::typing::{ScriptProgram, attribute_uses};
use unskew_script::{Edits, Statement};
use unskew_source::ReadError;
use unskew_torch_schemas::matching::ScriptType;

use super::layout;
use super::texts::with_texts;
use crate::code::Callable;
use crate::convert::task::{ConversionTask, block, rewrite};
use crate::pickle::{Id, Pickle, PickleValue};

/// What is done to the pickle, for people.
pub(super) const DONE: &str = "devices stand there as their names";

const ATTRIBUTES: &str = "data.pkl";

/// The first release that reads them.
const READ: Version = Version::pair(1, 5);

/// The type of a device, as code declares it.
const DEVICE: &str = "Device";

pub(super) fn are_read(task: &ConversionTask<'_>) -> bool {
    task.to.minor() >= READ
}

pub(super) fn names(pickle: &Pickle) -> Vec<(Id, PickleValue)> {
    let name = |id| {
        let PickleValue::Call(call) = pickle.value(id) else { return None };
        let PickleValue::Global(module, name) = pickle.value(call.callee) else { return None };
        let PickleValue::Tuple(arguments) = pickle.value(call.arguments?) else { return None };
        let [text] = arguments.as_slice() else { return None };
        let text =
            pickle.value(*text).text().filter(|_| (&**module, &**name) == ("torch", "device"));
        Some((id, PickleValue::Text(text?.to_owned())))
    };
    (0..pickle.count()).filter_map(name).collect()
}

/// Fits the code to attributes that are the names of devices.
pub(super) fn fit(
    task: &ConversionTask<'_>,
    program: &ScriptProgram,
    plan: &mut Conversion,
    texts: &mut BTreeMap<String, String>,
) -> Result<(), ReadError> {
    if are_read(task) {
        return Ok(());
    }
    let Some(bytes) = task.records.get(ATTRIBUTES)? else { return Ok(()) };
    let pickle = task.records.pickle(ATTRIBUTES, &bytes)?;
    let devices: BTreeSet<Id> = names(&pickle).into_iter().map(|(id, _)| id).collect();
    if devices.is_empty() {
        return Ok(());
    }
    let attributes: BTreeSet<Id> = (0..pickle.count())
        .filter_map(|id| state(&pickle, id))
        .flat_map(|(class, state)| held(&pickle, program, class, state))
        .collect();
    if !devices.is_subset(&attributes) {
        let what = "a device in an attribute that is not of the type Device";
        block(task, plan, what, Places::from_iter([ATTRIBUTES]));
        return Ok(());
    }
    let program = with_texts(task, program, texts)?;
    let mut uses = attribute_uses(&program, &Callable(&task.to.operators));
    let is_device = |class: &str, name: &str| {
        let (_, class) = program.class_of(class)?;
        class.attribute(name).map(|(ty, _)| is_device(ty))
    };
    uses.retain(|one| is_device(&one.class, &one.name) == Some(true));
    for (number, record) in program.records().iter().enumerate() {
        let Some(text) = texts.get_mut(&*record.name) else { continue };
        let mut edits = Edits::new(text);
        for one in uses.iter().filter(|one| one.record == number) {
            if one.is_set {
                let what = format!("code that sets {}, which is a device", one.name);
                let line = format!("{}:{}", record.name, record.line(one.span.start));
                block(task, plan, &what, Places::from_iter([line]));
                return Ok(());
            }
            let read = text.get(one.span.start..one.span.end).unwrap_or_default();
            // Spans of one tree lie in each other or apart, and no device has attributes.
            let _ = edits.replace(one.span, format!("torch.device({read})"));
        }
        declare(text, &mut edits);
        if !edits.is_empty() {
            *text = edits.finish();
            let what = "attributes that are devices are their names".to_owned();
            rewrite(plan, layout::LAYOUT, what, &record.name);
        }
    }
    Ok(())
}

/// The class of an object and its attributes: names and values in turn.
fn state(pickle: &Pickle, id: Id) -> Option<(String, &[Id])> {
    let PickleValue::Call(call) = pickle.value(id) else { return None };
    let PickleValue::Global(module, name) = pickle.value(call.callee) else { return None };
    let PickleValue::Dict(state) = pickle.value(call.state?) else { return None };
    Some((format!("{module}.{name}"), state))
}

/// The values of an object that its class declares to be devices.
fn held(pickle: &Pickle, program: &ScriptProgram, class: String, state: &[Id]) -> Vec<Id> {
    let Some((_, class)) = program.class_of(&class) else { return Vec::new() };
    let declared =
        |key: Id| class.attribute(pickle.value(key).text()?).map(|(ty, _)| is_device(ty));
    let pairs = state.chunks_exact(2);
    pairs.filter(|pair| declared(pair[0]) == Some(true)).map(|pair| pair[1]).collect()
}

fn is_device(ty: &ScriptType) -> bool {
    matches!(ty, ScriptType::Named(name) if &**name == DEVICE)
}

/// Declares attributes of classes as texts that were devices.
fn declare(text: &str, edits: &mut Edits<'_>) {
    let Ok(module) = unskew_script::parse(text) else { return };
    let members = module.classes().flat_map(|class| &class.body);
    for member in members {
        if let Statement::Annotated { annotation, value: None, .. } = member
            && annotation.path().as_deref() == Some(DEVICE)
        {
            let _ = edits.replace(annotation.span(), "str");
        }
    }
}
