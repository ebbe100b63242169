//! Values that a model is given and gives: tensors in files, numbers, and the names of outputs.

use std::cell::Cell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use unskew_array::{Number as Written, npy};
use unskew_interpreter::{RunnableProgram, ScalarValue, ScriptValue, Tensor};
use unskew_report::Plain;
use unskew_source::budget::scale;
use unskew_source::{OutputFile, Source, make_folder, read_regular};

use crate::args::ModelCall;

/// How many outputs are shown or saved.
const MOST_OUTPUTS: usize = 10_000;

/// How large a tensor that is given as a file may be, in bytes.
const LARGEST_INPUT: u64 = 16 << 20;

/// The program and the inputs of a call.
pub(super) fn called(
    call: &ModelCall,
    source: &Arc<dyn Source>,
) -> anyhow::Result<(RunnableProgram, Vec<ScriptValue>)> {
    let Some(program) = RunnableProgram::open(source)? else {
        bail!(
            "only archives of TorchScript and of torch.export can be run: {}",
            call.model.display()
        );
    };
    let inputs = call.input.iter().map(|text| input(text)).collect::<anyhow::Result<_>>()?;
    Ok((program, inputs))
}

/// A tensor from a file, or what was written.
fn input(text: &str) -> anyhow::Result<ScriptValue> {
    let path = Path::new(text);
    if path.extension().is_some_and(|extension| extension == "npy") {
        let bytes = read_regular(path, LARGEST_INPUT.saturating_mul(scale()))
            .context("raise the budget for large inputs (`--budget 16`)")?;
        let loose = npy::read(&bytes).with_context(|| text.to_owned())?;
        let Some(element) = loose.element() else {
            bail!("the file does not say what its elements are: {text}");
        };
        let array = loose.as_type(element).with_context(|| text.to_owned())?;
        return Ok(ScriptValue::from(Tensor::from_array(&array)?));
    }
    if text.eq_ignore_ascii_case("none") {
        return Ok(ScriptValue::None);
    }
    match text.to_lowercase().parse::<Written>() {
        Ok(Written::Bool(yes)) => Ok(ScriptValue::from(yes)),
        Ok(Written::Int(number)) => match i64::try_from(number) {
            Ok(number) => Ok(ScriptValue::from(number)),
            Err(_) => bail!("integers of PyTorch have 64 bits: {text}"),
        },
        Ok(Written::Float(number)) => Ok(ScriptValue::from(number)),
        Ok(Written::Complex(real, imaginary)) => Ok(ScalarValue::Complex(real, imaginary).into()),
        Err(_) => bail!("neither an .npy file nor a number, true, false or none: {text}"),
    }
}

/// Every tensor and number of the result: `0`, `1.0` for the first of the second.
pub(super) fn named(result: &ScriptValue) -> anyhow::Result<Vec<(String, ScriptValue)>> {
    fn walk(
        name: &str,
        value: &ScriptValue,
        left: &Cell<usize>,
        out: &mut Vec<(String, ScriptValue)>,
    ) {
        // One list may hold another many times over, which holds another many times over.
        if left.get() == 0 {
            return;
        }
        left.set(left.get() - 1);
        let inner = |key: &dyn std::fmt::Display| match name {
            "" => key.to_string(),
            _ => format!("{name}.{key}"),
        };
        match value {
            ScriptValue::Tuple(tuple) if name.len() < 100 => {
                tuple.items.iter().enumerate().for_each(|(at, v)| walk(&inner(&at), v, left, out));
            }
            ScriptValue::List(items) if name.len() < 100 => {
                items
                    .borrow()
                    .iter()
                    .enumerate()
                    .for_each(|(at, v)| walk(&inner(&at), v, left, out));
            }
            ScriptValue::Dict(items) if name.len() < 100 => {
                items.borrow().iter().for_each(|(key, v)| walk(&inner(key), v, left, out));
            }
            other => out.push((if name.is_empty() { "0" } else { name }.to_owned(), other.clone())),
        }
    }
    let mut out = Vec::new();
    let left = Cell::new(MOST_OUTPUTS);
    walk("", result, &left, &mut out);
    if left.get() == 0 {
        bail!("over the budget of {MOST_OUTPUTS} outputs; return fewer tensors and numbers");
    }
    Ok(out)
}

pub(super) fn shown(outputs: &[(String, ScriptValue)]) -> String {
    let mut text = String::new();
    for (name, value) in outputs {
        let name = Plain(name);
        // Writing to a text cannot fail.
        let _ = match value {
            ScriptValue::Tensor(tensor) => writeln!(text, "{name}: {tensor}\n{value}"),
            other => {
                let shown = other.to_string();
                writeln!(text, "{name}: {} {}", other.type_name(), Plain(&shown))
            }
        };
    }
    text
}

pub(super) fn save(folder: &Path, outputs: &[(String, ScriptValue)]) -> anyhow::Result<()> {
    make_folder(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (name, value) in outputs {
        let tensor = match value {
            ScriptValue::Tensor(tensor) => tensor.clone(),
            ScriptValue::Number(number) => Tensor::new(number.dtype(), &[], &[*number])?,
            other => bail!("output {name} is no tensor and no number: {}", other.type_name()),
        };
        // A name may come from the program: only what is safe in a path.
        let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let file = format!("{}.npy", name.chars().map(safe).collect::<String>());
        let write = || -> std::io::Result<()> {
            let mut output = OutputFile::in_folder(folder, &file)?;
            output.write_all(&npy::write(&tensor.to_array()))?;
            output.commit()
        };
        write().with_context(|| format!("cannot write {}", folder.join(&file).display()))?;
    }
    Ok(())
}
