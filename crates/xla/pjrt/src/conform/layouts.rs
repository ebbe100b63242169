//! The extension Layouts, slot by slot: a layout is a text such as `{1,0}`.

use super::bench::Bench;
use super::check_outcome::{CheckOutcome, Checked};
use crate::sys::bindings::PJRT_Buffer_Type as ElementType;
use crate::sys::trial;

const F32: ElementType = ElementType::F32;

fn told(text: String) -> Checked {
    Ok(CheckOutcome::expect(text.starts_with('{'), text))
}

fn all_told(texts: &[String], wanted: usize) -> Checked {
    let good = texts.len() == wanted && texts.iter().all(|text| text.starts_with('{'));
    Ok(CheckOutcome::expect(good, texts.join(" ")))
}

pub(crate) fn of_client(bench: &mut Bench) -> Checked {
    let (_, device) = bench.device()?;
    told(trial::default_layout(&device, F32, &[3, 2])?)
}

pub(crate) fn of_topology(bench: &mut Bench) -> Checked {
    let topology = bench.client()?.topology()?;
    told(trial::topology_layout(&topology, F32, &[3, 2])?)
}

pub(crate) fn of_buffer(bench: &mut Bench) -> Checked {
    let (client, device) = bench.device()?;
    told(trial::buffer_layout(&client.buffer_of(&[0.0_f32; 6], &[3, 2], &device)?)?)
}

pub(crate) fn of_outputs(bench: &mut Bench) -> Checked {
    all_told(&trial::output_layouts(bench.program()?)?, 1)
}

pub(crate) fn of_parameters(bench: &mut Bench) -> Checked {
    all_told(&trial::parameter_layouts(bench.program()?)?, 2)
}
