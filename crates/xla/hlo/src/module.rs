//! A module: its header, its frames and its computations.

use std::collections::HashMap;

use crate::frames::Tables;
use crate::messages::{Computation, Config, Instruction, Module, Shape};
use crate::names::{MAIN_THREAD, Names};
use crate::numbers::joined;
use crate::order::order;
use crate::{header, instruction};

/// The text of a module.
pub(crate) fn text(module: &Module, config: Option<&Config>) -> String {
    let mut out = header::line(module, config);
    out.push_str("\n\n");
    let frames = Tables::from_module(module);
    out.push_str(&frames.text());
    let computations =
        module.computations.iter().map(|found| (found.id, found.name.as_str())).collect();
    let mut names =
        Names { computations, instructions: HashMap::new(), payloads: &module.payloads, frames };
    for computation in order(module) {
        names.instructions =
            computation.instructions.iter().map(|found| (found.id, found)).collect();
        if computation.id == module.entry {
            out.push_str("ENTRY ");
        }
        write(computation, sequence(module, computation), &names, &mut out);
        out.push_str("\n\n");
    }
    out
}

/// The instructions in the order of the schedule; none if it has none for them.
fn sequence<'a>(module: &'a Module, computation: &Computation) -> Option<&'a [i64]> {
    let sequence = module.schedule.as_ref()?.sequences.get(&computation.id)?;
    Some(&sequence.instructions)
}

fn write(computation: &Computation, order: Option<&[i64]>, names: &Names<'_>, out: &mut String) {
    out.push_str(&format!("%{} {} {{\n", computation.name, signature(computation)));
    let mut line = |found: &Instruction| {
        out.push_str(if found.id == computation.root { "  ROOT " } else { "  " });
        out.push_str(&instruction::line(found, names));
        out.push('\n');
    };
    match order {
        Some(order) => {
            order.iter().filter_map(|id| names.instructions.get(id)).for_each(|found| line(found));
        }
        None => computation.instructions.iter().for_each(&mut line),
    }
    out.push('}');
    if !computation.thread.is_empty() && computation.thread != MAIN_THREAD {
        out.push_str(&format!(", execution_thread=\"{}\"", computation.thread));
    }
}

/// What it takes and what it yields.
fn signature(computation: &Computation) -> String {
    let shape = computation.shape.clone().unwrap_or_default();
    let parameters = shape.parameters.iter().enumerate().map(|(at, parameter)| {
        let name = shape.names.get(at).filter(|name| !name.is_empty());
        let name = name.map_or_else(|| "(unknown)".to_owned(), Clone::clone);
        format!("{name}: {}", parameter.plain())
    });
    let result = shape.result.as_ref().map(Shape::plain);
    format!("({}) -> {}", joined(parameters, ", "), result.unwrap_or_default())
}
