//! Mobile archives for other releases: bytecode, and the operators in it.
//!
//! | change | what is done |
//! | --- | --- |
//! | version 8 to 7 | instructions that were operators before become operators again |
//! | version 6 or 7 to 5 or 4 | defaults are given in front of each call, which says no longer how many it gives |
//! | version 4 or 5 to 7 | each operator says how many arguments its calls give, where newer ones take more |
//! | an upgrader of the release that wants more than is given | defaults of the old schema are given |
//! | version 8 to 7 | the records of source lines, whose form older interpreters do not read, are left out |
//! | an operator that the release lacks where it never runs | its instruction is left out |
//! | another meaning | an upgrader or downgrader takes the place of the operator: another call, or its instructions |
//!
//! The code beside the bytecode shares the version record with it, and is fitted too.

mod assemble;
mod call_site;
mod calls;
mod constants;
mod flow;
mod inline;
mod promoted;

use unskew_core::{Conversion, Places, Rewrite, Version};
use unskew_source::ReadError;

use super::archive_builder::ArchiveBuilder;
use super::script;
use super::task::{ConversionTask, block};
use crate::bytecode::{self, COUNTED, Instruction, MobileBytecode, RECORD, UNSAID};
use crate::{history, pickle};
use calls::MobileCalls;
use promoted::BYTECODE;

/// The handles of instructions, which debuggers use; they belong to the instructions as they were.
const HANDLES: &str = "mobile_debug_handles.pkl";

/// Plans the archive anew for the release; none if it stays as it is or cannot be converted.
pub(super) fn plan(
    task: &ConversionTask<'_>,
    plan: &mut Conversion,
) -> Result<Option<ArchiveBuilder>, ReadError> {
    let here = || Places::from_iter([RECORD]);
    let bytes = task.records.get(RECORD)?.unwrap_or_default();
    let file = task.records.file();
    let pickle = task.records.pickle(RECORD, &bytes)?;
    let Some(mut code) = MobileBytecode::from_pickle(pickle) else {
        return Err(ReadError::malformed(file, "not a tuple of functions").in_record(RECORD));
    };
    let Some(range) = task.to.release.bytecode else {
        block(task, plan, "it has no mobile interpreter", here());
        return Ok(None);
    };
    let bound = |version: Option<Version>| version.map(|version| version.major());
    let (lowest, highest) = (bound(range.min).unwrap_or(4), bound(range.max).unwrap_or(8));
    if highest < 4 {
        if stays(task, &mut code)? {
            return Ok(None);
        }
        let what = "its bytecode has no version, and none is converted to it";
        block(task, plan, what, here());
        return Ok(None);
    }
    if code.version == UNSAID {
        // What 1.4 to 1.6 write differs from version 4 by the number, and by how tuples and lists are made.
        name_constructions(&mut code);
        code.version = 4;
        plan.add(Rewrite::new(BYTECODE, "the bytecode says its version: 4").at(RECORD));
    }
    if let Some(places) = task.model.types.get(history::OWN_TYPES)
        && task.to.minor() < history::mobile_named_tuples_since()
    {
        let what = "its interpreter reads no bytecode with the types of named tuples";
        block(task, plan, what, places.clone());
    }
    let mut target = code.version.clamp(lowest, highest);
    let calls = MobileCalls::new(task, &code);
    if (4..COUNTED).contains(&code.version) && calls.any_grew(&code) {
        target = highest.min(7);
        if target < COUNTED {
            block(task, plan, "operators take more than the bytecode gives", here());
            return Ok(None);
        }
        calls.count(&mut code);
        sign(task, plan, &mut code);
        let what = "operators say how many arguments are given, since newer ones take more";
        plan.add(Rewrite::new(BYTECODE, what).at(RECORD));
    }
    let from = code.version;
    let Some((mut draft, version)) = script::plan(task, plan, calls.needs(&code))? else {
        return Ok(None);
    };
    if target < 8 && from >= 8 {
        promoted::replace(task, plan, &mut code);
    }
    let lengths: Vec<usize> = code.functions.iter().map(|one| one.instructions.len()).collect();
    calls.fit(&mut code, version, target, plan);
    code.version = target;
    if target != from {
        let what = format!("the bytecode has version {target} instead of {from}");
        plan.add(Rewrite::new(BYTECODE, what).at(RECORD));
    }
    if plan.changes_nothing() || !plan.is_possible() {
        return Ok(None);
    }
    let same =
        |(one, length): (&bytecode::BytecodeFunction, &usize)| one.instructions.len() == *length;
    if !code.functions.iter().zip(&lengths).all(same) && draft.remove(HANDLES) {
        let what = "handles for debuggers are left out: there are more instructions";
        plan.add(Rewrite::new(BYTECODE, what).at(HANDLES));
    }
    if target < 8 && from >= 8 {
        // Their form changed with version 8, and the interpreters of older versions read them when they load.
        let lines = task.records.all().filter(|(record, _)| record.ends_with(".debug_pkl"));
        for (record, _) in lines {
            if draft.remove(record) {
                let what = "the lines that instructions come from are left out";
                plan.add(Rewrite::new(BYTECODE, what).at(record));
            }
        }
    }
    let tensors = |pickle: &pickle::Pickle| {
        (0..pickle.count()).any(|id| matches!(pickle.value(id), pickle::PickleValue::Persistent(_)))
    };
    if (from < 5) != (target < 5) && tensors(&code.pickle) {
        block(task, plan, "tensors in bytecode lie in other records than before", here());
    }
    match code.finish().write() {
        Ok(bytes) => draft.replace(RECORD, bytes),
        Err(why) => block(task, plan, &why.to_string(), here()),
    }
    Ok(Some(draft))
}

/// Whether 1.4 to 1.6, whose bytecode has no version, run bytecode of their own as it is.
fn stays(task: &ConversionTask<'_>, code: &mut MobileBytecode) -> Result<bool, ReadError> {
    let mut all = code.functions.iter().flat_map(|function| &function.instructions);
    let is_later = all.any(|one| one.name == "TUPLE_CONSTRUCT");
    if code.version != UNSAID || (is_later && task.to.minor() < Version::pair(1, 6)) {
        return Ok(false);
    }
    let calls = MobileCalls::new(task, code);
    let mut plan = Conversion::default();
    let Some((_, version)) = script::plan(task, &mut plan, calls.needs(code))? else {
        return Ok(false);
    };
    calls.fit(code, version, UNSAID, &mut plan);
    Ok(plan.changes_nothing() && plan.is_possible() && !calls.any_grew(code))
}

/// Has instructions in the place of the operators by which 1.4 and 1.5 make tuples and lists, and take lists apart.
fn name_constructions(MobileBytecode { pickle, functions, .. }: &mut MobileBytecode) {
    for function in functions {
        for at in 0..function.instructions.len() {
            let Instruction { x, n, .. } = function.instructions[at];
            let is_call = function.instructions[at].is_call();
            let operator = usize::try_from(x).ok().and_then(|x| function.operators.get(x));
            let Some(operator) = operator.filter(|_| is_call).cloned() else { continue };
            let (name, x, n) = match operator.name.as_str() {
                "prim::TupleConstruct" => ("TUPLE_CONSTRUCT", n, 0),
                "prim::ListUnpack" => ("LIST_UNPACK", n, 0),
                "prim::ListConstruct" => match operator.overload.as_str() {
                    item @ ("int" | "float" | "bool" | "Tensor") => {
                        ("LIST_CONSTRUCT", function.ty(pickle, &format!("List[{item}]")), n)
                    }
                    _ => continue,
                },
                _ => continue,
            };
            function.instructions[at] = Instruction { name: name.to_owned(), x, n };
        }
    }
}

/// Gives functions the signatures that version 5 and later want, from the code beside the bytecode.
fn sign(task: &ConversionTask<'_>, plan: &mut Conversion, code: &mut MobileBytecode) {
    let MobileBytecode { pickle, functions, .. } = code;
    for function in functions {
        if function.has_signature(pickle) {
            continue;
        }
        let program = task.model.program.as_ref();
        let body = program.and_then(|program| {
            let routines = program.routines();
            program.body(routines.iter().position(|one| *one.name == *function.name)?)
        });
        let signature = body.and_then(|body| {
            let parameters = body
                .parameters
                .iter()
                .map(|one| Some((one.name.text.to_string(), one.annotation.as_ref()?.to_string())));
            Some((parameters.collect::<Option<Vec<_>>>()?, body.returns.as_ref()?.to_string()))
        });
        match signature {
            Some((parameters, returns)) => function.sign(pickle, &parameters, &returns),
            None => {
                let what = "a function has no signature in the code beside the bytecode";
                block(task, plan, what, Places::from_iter([&function.name]));
            }
        }
    }
}
