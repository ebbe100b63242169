//! `KernelList`: the kernels that a TensorFlow registered.

use unskew_source::wire::WireMessage;
use unskew_source::{ReadError, Source};

use super::interner::Interner;
use super::values::attr_value;
use crate::{AttrValue, KernelDef};

/// Every kernel of a `KernelList`.
///
/// # Errors
/// If the source is no such message.
pub fn kernel_list(source: &dyn Source) -> Result<Vec<KernelDef>, ReadError> {
    let (mut message, mut kept, mut kernels) =
        (WireMessage::whole(source), Interner::default(), Vec::new());
    while let Some(field) = message.next()? {
        if field.number == 1 {
            kernels.push(message.enter(&field, |message| kernel(message, &mut kept))?);
        }
    }
    Ok(kernels)
}

fn kernel(message: &mut WireMessage<'_>, kept: &mut Interner) -> Result<KernelDef, ReadError> {
    let mut kernel = KernelDef::default();
    kept.count(message, size_of::<KernelDef>())?;
    while let Some(field) = message.next()? {
        match field.number {
            1 => kernel.op = kept.text(message, &field)?.into(),
            2 => kernel.device = kept.text(message, &field)?.into(),
            3 => kernel.takes.push(message.enter(&field, |message| constraint(message, kept))?),
            5 => kernel.label = kept.text(message, &field)?.into(),
            _ => {}
        }
    }
    kernel.takes.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(kernel)
}

fn constraint(
    message: &mut WireMessage<'_>,
    kept: &mut Interner,
) -> Result<(String, Vec<AttrValue>), ReadError> {
    let (mut name, mut allowed) = (String::new(), Vec::new());
    while let Some(field) = message.next()? {
        match field.number {
            1 => name = kept.text(message, &field)?.into(),
            2 => match message.enter(&field, |message| attr_value(message, kept))? {
                AttrValue::List(values) => allowed = values,
                _ => return Err(message.malformed(field.offset, "allowed values that are no list")),
            },
            _ => {}
        }
    }
    Ok((name, allowed))
}
